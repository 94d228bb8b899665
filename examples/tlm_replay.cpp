// SPDX-License-Identifier: Apache-2.0
// Replays a trace through the TLM-2.0 target, checks every byte that comes back, and prints cycles from entry to
// answer.
//
// usage: tlm_replay lt|at TRACE [OPTION...]     tlm_replay at reads.txt preset=gpgpusim
//
// A line of the trace: NANOSECONDS SM R|W ADDRESS BYTES [ENABLES], the last as 1 and 0, byte by byte and from the start
// again.  The lines of an SM follow each other in order; LT waits for each answer, AT for each END_REQ.  With LT, which
// does not say when a transaction enters, SMs must not share bytes.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iomanip>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>

#include <memtwin/tlm.hpp>
#include <tlm_utils/simple_initiator_socket.h>

namespace
{

struct Line {
    std::uint64_t number, ns, address;
    unsigned sm, bytes;
    bool write;
    std::string enables;
};

using Reference = std::map<std::uint64_t, unsigned char>; // bytes written, in the order in which transactions enter

std::vector<Line> read(const char *path)
{
    std::ifstream file(path);
    std::vector<Line> lines;
    if (!file) throw std::runtime_error(std::string(path) + ": cannot be read");
    for (std::string text; std::getline(file, text);) {
        std::istringstream words(text);
        Line l{};
        std::string kind;
        l.number = lines.size();
        if (!(words >> l.ns >> l.sm >> kind >> std::setbase(0) >> l.address >> l.bytes) || (kind != "R" && kind != "W"))
            throw std::runtime_error(std::string(path) + ":" + std::to_string(lines.size() + 1) + ": found \"" + text +
                                     "\", expected NANOSECONDS SM R|W ADDRESS BYTES [ENABLES]");
        words >> l.enables;
        l.write = kind == "W";
        lines.push_back(l);
    }
    return lines;
}

// A transaction with its buffers.
struct Transfer : tlm::tlm_mm_interface {
    tlm::tlm_generic_payload trans{this};
    std::vector<unsigned char> data, wanted, enables;
    std::uint64_t number = 0, entered = 0;
    bool ended = false; // END_REQ came

    explicit Transfer(const Line &l) : data(l.bytes), enables(l.enables.begin(), l.enables.end()), number(l.number)
    {
        for (unsigned char &e : enables) e = e == '1' ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
        for (unsigned i = 0; l.write && i < l.bytes; i++) data[i] = static_cast<unsigned char>(l.number * 31 + i + 1);
        trans.set_command(l.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        trans.set_address(l.address);
        trans.set_data_ptr(data.data());
        trans.set_data_length(l.bytes);
        trans.set_streaming_width(l.bytes);
        trans.set_byte_enable_ptr(enables.empty() ? nullptr : enables.data());
        trans.set_byte_enable_length(static_cast<unsigned>(enables.size()));
        trans.acquire();
    }
    void free(tlm::tlm_generic_payload *) override
    {
    }

    // The transaction takes effect: a write updates the reference, a read takes its expected bytes from it.
    void enter(Reference &reference, std::uint64_t cycle)
    {
        entered = cycle;
        wanted = data;
        for (std::size_t i = 0; i < data.size(); i++) {
            if (!enables.empty() && enables[i % enables.size()] == TLM_BYTE_DISABLED) continue;
            unsigned char &byte = reference[trans.get_address() + i];
            (trans.is_write() ? byte : wanted[i]) = trans.is_write() ? data[i] : byte;
        }
    }
    // The machine's cycles; the answer comes at the end of the last.  0: no byte was enabled, so nothing entered.
    void answer(std::uint64_t cycle) const
    {
        if (trans.is_response_error())
            throw std::runtime_error("transaction " + std::to_string(number) + ": " + trans.get_response_string());
        if (data != wanted) throw std::runtime_error("transaction " + std::to_string(number) + ": wrong data");
        std::printf("%" PRIu64 " %" PRIu64 "\n", number, cycle > entered ? cycle - 1 - entered : 0);
    }
};

class Initiator : public sc_core::sc_module
{
  public:
    tlm_utils::simple_initiator_socket<Initiator> socket{"socket"};

    Initiator(sc_core::sc_module_name name, const memtwin_tlm::Memory &target, Reference &written,
              std::vector<Line> own, bool approximate)
        : sc_module(name), memory(target), reference(written), lines(std::move(own)), timed(approximate)
    {
        socket.register_nb_transport_bw(this, &Initiator::nb_transport_bw);
        SC_THREAD(run);
    }
    std::size_t left() const
    {
        return lines.size() - answered;
    }

  private:
    SC_HAS_PROCESS(Initiator);

    std::uint64_t cycle() const
    {
        return memory.cycle_of(sc_core::sc_time_stamp());
    }

    void run()
    {
        for (const Line &l : lines) {
            const sc_core::sc_time at(static_cast<double>(l.ns), sc_core::SC_NS);
            transfers.push_back(std::make_unique<Transfer>(l));
            const sc_core::sc_time early =
                at > sc_core::sc_time_stamp() ? at - sc_core::sc_time_stamp() : sc_core::SC_ZERO_TIME;
            if (timed)
                begin(*transfers.back(), early);
            else
                block(*transfers.back(), early);
        }
    }

    void block(Transfer &t, sc_core::sc_time delay) // the target waits for the delay
    {
        t.enter(reference, memory.cycle_of(sc_core::sc_time_stamp() + delay));
        socket->b_transport(t.trans, delay);
        t.answer(cycle());
        answered++;
    }

    void begin(Transfer &t, sc_core::sc_time delay)
    {
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        const bool completed = socket->nb_transport_fw(t.trans, phase, delay) == tlm::TLM_COMPLETED;
        if (completed) t.enter(reference, cycle());
        if (completed) t.answer(cycle());
        answered += completed;
        while (!completed && !t.ended) wait(end_request);
    }

    Transfer &of(const tlm::tlm_generic_payload &trans)
    {
        for (const auto &t : transfers)
            if (&t->trans == &trans) return *t;
        throw std::runtime_error("a phase of an unknown transaction");
    }

    // Responses are ended in each of the three ways.
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &trans, tlm::tlm_phase &phase, sc_core::sc_time &delay)
    {
        Transfer &t = of(trans);
        if (phase == tlm::END_REQ) {
            t.ended = true;
            t.enter(reference, cycle());
            end_request.notify(delay);
            return tlm::TLM_ACCEPTED;
        }
        if (phase != tlm::BEGIN_RESP || !t.ended) throw std::runtime_error("a response before its END_REQ");
        t.answer(cycle());
        answered++;
        if (t.number % 2) return tlm::TLM_COMPLETED;
        phase = tlm::END_RESP;
        if (t.number % 4) return tlm::TLM_UPDATED;
        socket->nb_transport_fw(trans, phase, delay);
        return tlm::TLM_ACCEPTED;
    }

    const memtwin_tlm::Memory &memory;
    Reference &reference;
    std::vector<Line> lines;
    bool timed;
    std::deque<std::unique_ptr<Transfer>> transfers;
    std::size_t answered = 0;
    sc_core::sc_event end_request;
};

// Without time, behind the caches: all bytes are there, and no pointer to them is given.
void check(Initiator &initiator, const Reference &reference)
{
    for (const auto &[address, value] : reference) {
        unsigned char byte = 0;
        tlm::tlm_generic_payload t;
        tlm::tlm_dmi dmi;
        t.set_read();
        t.set_address(address);
        t.set_data_ptr(&byte);
        t.set_data_length(1);
        if (initiator.socket->transport_dbg(t) != 1 || byte != value)
            throw std::runtime_error("transport_dbg: wrong data");
        if (initiator.socket->get_direct_mem_ptr(t, dmi))
            throw std::runtime_error("found a direct memory pointer, expected none");
    }
}

void print(const memtwin_tlm::Memory &memory)
{
    for (const char *name : {"l1d.hits", "l1d.misses", "l1d.merged", "l2.accesses", "dram.reads"}) {
        memtwin_value value{};
        memtwin_counter(memory.machine(), name, &value, nullptr);
        std::printf("%s %" PRIu64 "\n", name, value.whole);
    }
}

void replay(int argc, char **argv)
{
    const std::string mode = argc > 1 ? argv[1] : "";
    if (argc < 3 || (mode != "lt" && mode != "at"))
        throw std::runtime_error("usage: tlm_replay lt|at TRACE [OPTION...]");
    Reference reference;
    memtwin_tlm::Memory memory("memory", std::vector<std::string>(argv + 3, argv + argc));
    std::map<unsigned, std::vector<Line>> by_sm;
    for (const Line &l : read(argv[2])) by_sm[l.sm].push_back(l);
    std::vector<std::unique_ptr<Initiator>> initiators;
    for (const auto &[sm, lines] : by_sm) {
        if (sm >= memory.sockets.size())
            throw std::runtime_error("found SM " + std::to_string(sm) + ", expected one below sm.count");
        initiators.push_back(
            std::make_unique<Initiator>(("sm" + std::to_string(sm)).c_str(), memory, reference, lines, mode == "at"));
        initiators.back()->socket.bind(memory.sockets[sm]);
    }
    sc_core::sc_start();
    for (const auto &i : initiators)
        if (i->left()) throw std::runtime_error(std::to_string(i->left()) + " transactions without an answer");
    if (!initiators.empty()) check(*initiators.front(), reference);
    memory.finish();
    print(memory);
}

} // namespace

int sc_main(int argc, char **argv)
{
    try {
        replay(argc, argv);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "tlm_replay: %s\n", e.what());
        return 1;
    }
    return 0;
}
