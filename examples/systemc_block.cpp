// SPDX-License-Identifier: Apache-2.0
// A block as a SystemC module: random misses and fills for the twin of an MSHR file, with its default parameters. Built
// with -DRTL, the Verilated RTL stands beside it on the same pins, and every output is compared in every cycle.
//   cd PREFIX/share/memtwin && verilator --sc --build -f rtl/mshr/mshr.f --top-module mt_mshr --prefix Vmshr --Mdir DIR
#ifdef RTL
#include "Vmshr.h"
#endif
#include <cstdio>
#include <memtwin/twin_module.hpp>
#include <random>
extern "C" {
#include <memtwin/mshr.h>
}

TWIN_MODULE(mshr, MSHR)
static constexpr mshr_cfg file = mshr_defaults;
using File = mshr_twin<&file>;

static File::Inputs *in;

// About three requests to a fill, of few lines, so that misses merge.
static void drive(std::mt19937 &random)
{
    in->req_valid_i.write(random() % 4 != 0);
    in->req_addr_i.write(random() % 64);
    in->req_info_i.write(random() & 0xffffff);
    in->req_write_i.write(random() & 1);
    in->fill_valid_i.write(random() % 4 == 0);
    in->fill_addr_i.write(random() % 64);
    in->drain_ready_i.write(random() % 8 != 0);
}

int sc_main(int, char **)
{
    sc_core::sc_clock clk("clk", 2, sc_core::SC_NS, 0.5, 1, sc_core::SC_NS);
    sc_core::sc_signal<bool> rst_n("rst_n");
    in = new File::Inputs;
    File::Outputs of_twin;
    File twin("twin");
    twin.clk_i(clk), twin.rst_ni(rst_n), twin.bind(*in, of_twin);
#ifdef RTL
    File::Outputs of_rtl;
    Vmshr rtl("rtl");
    rtl.clk_i(clk), rtl.rst_ni(rst_n);
#define BIND_IN(kind, name, width, text) rtl.name(in->name);
#define BIND_OUT(kind, name, width, text) rtl.name(of_rtl.name);
    MSHR_IN(BIND_IN)
    MSHR_OUT(BIND_OUT)
#endif
    std::mt19937 random(1);
    unsigned drained = 0;
    for (unsigned cycle = 0; cycle < 20000; cycle++) {
        rst_n.write(cycle > 2 && cycle % 5000 != 0); // also in the middle
        drive(random);
        sc_core::sc_start(1, sc_core::SC_NS);
#ifdef RTL
#define COMPARE(kind, name, width, text)                                                                               \
    if (cycle > 2 && of_twin.name.read() != of_rtl.name.read())                                                        \
        return std::printf("cycle %u: %s differs\n", cycle, #name), 1;
        MSHR_OUT(COMPARE)
#endif
        drained += of_twin.drain_valid_o.read() && in->drain_ready_i.read();
        sc_core::sc_start(1, sc_core::SC_NS);
    }
    std::printf("%u requests drained\n", drained);
    return drained ? 0 : 1;
}
