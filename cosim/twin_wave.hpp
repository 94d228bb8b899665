// SPDX-License-Identifier: Apache-2.0
// The twin's outputs and registers in the RTL's wave, in a scope `twin`: same file, same names, same times.  Declares
// and dumps values like Verilator's generated code.
#pragma once
#include <string>
#include <vector>

extern "C" {
#include "ports.h"
}
#include "verilated_fst_c.h"

namespace cosim
{
class TwinWave
{
  public:
    // Adds the listed fields of the struct at `base`; `base` must not move.
    void add(const std::vector<port_desc> &ports, const void *base)
    {
        for (const port_desc &d : ports)
            for (uint32_t i = 0; d.width && d.depth <= kDeepest && i < d.depth; i++)
                values_.push_back({d, i, static_cast<const char *>(base) + d.offset + i * kSize[d.kind], 0});
    }
    void attach(VerilatedFst &trace)
    {
        trace.addInitCb(declare, this);
        trace.addFullCb(full, this);
        trace.addChgCb(change, this);
    }

  private:
    static constexpr uint32_t kDeepest = 32; // Verilator omits tables of this depth, too
    static constexpr size_t kSize[] = {sizeof(bool), 1, 2, 4, 8, 128};
    struct Value {
        port_desc port;
        uint32_t element;
        const char *at;
        uint32_t code; // index among the 32-bit words of the trace
    };
    std::vector<Value> values_;

    static void declare(void *self, VerilatedFst *trace, uint32_t code)
    {
        trace->pushNamePrefix("twin ");
        for (Value &v : static_cast<TwinWave *>(self)->values_) {
            const int width = int(v.port.width);
            const bool table = v.port.depth > 1;
            v.code = code;
            const auto as = [&](auto function) {
                (trace->*function)(code, v.port.name, -1, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, table, int(v.element),
                                   width - 1, 0);
            };
            if (width == 1)
                trace->declBit(code, v.port.name, -1, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, table, int(v.element));
            else
                as(width <= 32   ? &VerilatedFst::declBus
                   : width <= 64 ? &VerilatedFst::declQuad
                                 : &VerilatedFst::declArray);
            code += uint32_t(width + 31) / 32;
        }
        trace->popNamePrefix();
    }
    static uint64_t number(const Value &v)
    {
        uint64_t value = 0;
        std::memcpy(&value, v.at, std::min<size_t>(kSize[v.port.kind], sizeof value));
        return value;
    }
    static void full(void *self, VerilatedFst::Buffer *trace)
    {
        for (const Value &v : static_cast<TwinWave *>(self)->values_) {
            uint32_t *const old = trace->oldp(v.code);
            if (v.port.width == 1)
                trace->fullBit(old, CData(number(v)));
            else if (v.port.width <= 32)
                trace->fullIData(old, IData(number(v)), int(v.port.width));
            else if (v.port.width <= 64)
                trace->fullQData(old, number(v), int(v.port.width));
            else
                trace->fullWData(old, reinterpret_cast<const EData *>(v.at), int(v.port.width));
        }
    }
    static void change(void *self, VerilatedFst::Buffer *trace)
    {
        for (const Value &v : static_cast<TwinWave *>(self)->values_) {
            uint32_t *const old = trace->oldp(v.code);
            if (v.port.width == 1)
                trace->chgBit(old, CData(number(v)));
            else if (v.port.width <= 32)
                trace->chgIData(old, IData(number(v)), int(v.port.width));
            else if (v.port.width <= 64)
                trace->chgQData(old, number(v), int(v.port.width));
            else
                trace->chgWData(old, reinterpret_cast<const EData *>(v.at), int(v.port.width));
        }
    }
};
} // namespace cosim
