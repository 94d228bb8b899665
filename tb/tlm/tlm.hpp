// SPDX-License-Identifier: Apache-2.0
// libmemtwin behind TLM-2.0: a target with a socket for each SM, over a stepped machine and a memory of bytes.
//
//     memtwin_tlm::Memory memory("memory", {"preset=gpgpusim", "enter=l1d"});
//     initiator.socket.bind(memory.sockets[0]);
//
// Cycle k of the machine begins at time_of(k).  A transaction that comes in cycle k enters the machine in that cycle,
// as one access for each line, or later if its SM's queue is full, and is answered at the end of the cycle in which the
// last of them is done.  It takes effect on the bytes when the machine has taken all of them, which is its END_REQ.
//
// Loosely timed: b_transport() waits for the delay that it is given, then for the answer; it returns a delay of zero.
// Approximately timed: the base protocol.  BEGIN_REQ and END_RESP are accepted; END_REQ is sent when the machine has
// taken all accesses, which is the back-pressure, BEGIN_RESP with the answer.  There is no DMI, since it would go
// around the caches.  transport_dbg() reads and writes the bytes.
#ifndef MEMTWIN_TLM_HPP
#define MEMTWIN_TLM_HPP
#include <memtwin/memtwin.h>
#include <tlm.h>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <numeric>
#include <string>
#include <systemc>
#include <unordered_map>
#include <vector>

namespace memtwin_tlm
{

// The warp that makes an access; without this extension, 0.
struct Warp : tlm::tlm_extension<Warp> {
    std::uint32_t warp = 0;
    tlm::tlm_extension_base *clone() const override
    {
        return new Warp(*this);
    }
    void copy_from(const tlm::tlm_extension_base &other) override
    {
        warp = static_cast<const Warp &>(other).warp;
    }
};

// Bytes by address, 0 until they are written.
class Bytes
{
  public:
    void read(std::uint64_t address, unsigned char *to) const
    {
        const auto page = pages.find(address / PAGE);
        *to = page == pages.end() ? 0 : page->second[address % PAGE];
    }
    void write(std::uint64_t address, unsigned char value)
    {
        pages.emplace(address / PAGE, std::array<unsigned char, PAGE>{}).first->second[address % PAGE] = value;
    }

  private:
    static constexpr std::uint64_t PAGE = 4096;
    std::unordered_map<std::uint64_t, std::array<unsigned char, PAGE>> pages;
};

class Memory : public sc_core::sc_module
{
  public:
    using Socket = tlm_utils::simple_target_socket_tagged_optional<Memory>;
    sc_core::sc_vector<Socket> sockets; // of each SM; some may stay unbound

    Memory(sc_core::sc_module_name name, const std::vector<std::string> &options)
        : sc_module(name), sockets("sockets"), phases(this, &Memory::phase_due),
          machine_(create(options), &memtwin_destroy)
    {
        check(memtwin_step(machine_.get(), 0, &err)); // a machine that cannot be stepped says so here
        set_period(std::llround(1000 * decimal("clock.sm")));
        sockets.init(number("sm.count"));
        lanes.resize(sockets.size());
        for (std::size_t i = 0; i < sockets.size(); i++) bind(static_cast<int>(i));
        SC_METHOD(tick);
        dont_initialize();
        sensitive << wake;
    }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

    const ::memtwin *machine() const
    {
        return machine_.get();
    }                                                   // for its counters
    sc_core::sc_time time_of(std::uint64_t cycle) const // when it begins, rounded up to the resolution
    {
        return sc_core::sc_time::from_value((cycle * span + cycles - 1) / cycles);
    }
    std::uint64_t cycle_of(const sc_core::sc_time &t) const
    {
        const std::uint64_t whole = t.value() / span, rest = t.value() % span;
        return whole * cycles + rest * cycles / span;
    }

    // Finishes accesses in flight without advancing SystemC time and checks the conservation laws.  Counters are
    // complete then.
    void finish()
    {
        check(memtwin_drain(machine_.get(), UINT64_MAX, &err) && memtwin_finish(machine_.get(), &err));
    }

  private:
    SC_HAS_PROCESS(Memory);
    using Payload = tlm::tlm_generic_payload;

    // A transaction in the machine.
    struct Flight {
        Payload *trans = nullptr;
        std::vector<memtwin_access> parts;
        std::size_t offered = 0, done = 0;
        bool timed = false;                  // by nb_transport
        sc_core::sc_event *answer = nullptr; // of a waiting b_transport
    };
    // The way in of an SM.
    struct Lane {
        std::deque<Flight *> entering;   // the first has parts that the machine has not taken
        std::deque<Flight *> responding; // BEGIN_RESP of the first was sent, its END_RESP is awaited
    };

    void set_period(std::uint64_t khz)
    {
        const std::uint64_t millisecond = sc_core::sc_time(1, sc_core::SC_MS).value(), d = std::gcd(millisecond, khz);
        span = millisecond / d;
        cycles = khz / d;
    }

    void check(bool ok)
    {
        if (!ok) SC_REPORT_ERROR("/memtwin", err.text);
    }

    ::memtwin *create(const std::vector<std::string> &options)
    {
        std::vector<const char *> texts;
        for (const std::string &o : options) texts.push_back(o.c_str());
        ::memtwin *m = memtwin_create(texts.data(), texts.size(), &err);
        check(m != nullptr);
        return m;
    }

    double decimal(const char *key)
    {
        char text[MEMTWIN_VALUE_TEXT];
        check(memtwin_option_value(machine_.get(), key, text, &err));
        return std::stod(text);
    }
    std::uint64_t number(const char *key)
    {
        return static_cast<std::uint64_t>(decimal(key));
    }

    void bind(int i)
    {
        const auto at = static_cast<std::size_t>(i);
        sockets[at].register_b_transport(this, &Memory::b_transport, i);
        sockets[at].register_nb_transport_fw(this, &Memory::nb_transport_fw, i);
        sockets[at].register_get_direct_mem_ptr(this, &Memory::get_direct_mem_ptr, i);
        sockets[at].register_transport_dbg(this, &Memory::transport_dbg, i);
    }

    // ---- transactions
    static bool enabled(const Payload &t, unsigned i)
    {
        return !t.get_byte_enable_ptr() || t.get_byte_enable_ptr()[i % t.get_byte_enable_length()] == TLM_BYTE_ENABLED;
    }

    static tlm::tlm_response_status judge(const Payload &t)
    {
        constexpr std::uint64_t end = std::uint64_t(1) << 48;
        const std::uint64_t length = t.get_data_length();
        if (!length || t.get_streaming_width() < length || !t.get_data_ptr()) return tlm::TLM_BURST_ERROR_RESPONSE;
        if (t.get_address() >= end || length > end - t.get_address()) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
        if (t.get_byte_enable_ptr() && !t.get_byte_enable_length()) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
        return tlm::TLM_OK_RESPONSE;
    }

    // The part of a transaction in one line, from its byte `from` on.
    memtwin_access part(const Payload &t, unsigned sm, unsigned from) const
    {
        const Warp *warp = nullptr;
        t.get_extension(warp);
        memtwin_access a{};
        a.address = t.get_address() + from;
        a.sm = sm;
        a.warp = warp ? warp->warp : 0;
        a.kind = t.is_write() ? MEMTWIN_WRITE : MEMTWIN_READ;
        const auto room = static_cast<unsigned>(MEMTWIN_LINE_BYTES - a.address % MEMTWIN_LINE_BYTES);
        a.bytes = std::min(room, t.get_data_length() - from);
        return a;
    }

    // False if no byte of the part is enabled.
    static bool enable(const Payload &t, unsigned from, memtwin_access &a)
    {
        std::uint64_t mask[2] = {0, 0};
        for (unsigned i = 0; i < a.bytes; i++) {
            const std::uint64_t at = (a.address + i) % MEMTWIN_LINE_BYTES;
            if (enabled(t, from + i)) mask[at / 64] |= std::uint64_t(1) << at % 64;
        }
        if (t.is_write()) std::memcpy(a.enable, mask, sizeof mask);
        return mask[0] || mask[1];
    }

    void split(Flight &f, unsigned sm) const
    {
        const Payload &t = *f.trans;
        for (unsigned from = 0; from < t.get_data_length();) {
            memtwin_access a = part(t, sm, from);
            a.tag = reinterpret_cast<std::uintptr_t>(&f);
            if (enable(t, from, a)) f.parts.push_back(a);
            from += a.bytes;
        }
    }

    void move(const Payload &t)
    {
        for (unsigned i = 0; i < t.get_data_length(); i++) {
            if (!enabled(t, i)) continue;
            if (t.is_write())
                bytes.write(t.get_address() + i, t.get_data_ptr()[i]);
            else
                bytes.read(t.get_address() + i, t.get_data_ptr() + i);
        }
    }

    // Sets its status; true if there is nothing to wait for: an error, no command, or no byte.
    bool over(Payload &t, Flight &f, unsigned sm) const
    {
        t.set_dmi_allowed(false);
        t.set_response_status(judge(t));
        if (t.is_response_error() || (!t.is_read() && !t.is_write())) return true;
        f.trans = &t;
        split(f, sm);
        return f.parts.empty();
    }

    // ---- the machine
    void catch_up()
    {
        const std::uint64_t now = cycle_of(sc_core::sc_time_stamp()), cycle = memtwin_cycle(machine_.get());
        if (now > cycle) check(memtwin_step(machine_.get(), now - cycle, &err));
        memtwin_done d;
        while (memtwin_poll(machine_.get(), &d)) part_done(d);
    }

    void enter(Flight &f, unsigned sm)
    {
        catch_up();
        lanes[sm].entering.push_back(&f);
        offer(sm);
        sleep();
    }

    void offer(unsigned sm)
    {
        auto &entering = lanes[sm].entering;
        while (!entering.empty()) {
            Flight &f = *entering.front();
            while (f.offered < f.parts.size()) {
                const memtwin_answer answer = memtwin_offer(machine_.get(), &f.parts[f.offered], &err);
                check(answer != MEMTWIN_FAILED);
                if (answer != MEMTWIN_TAKEN) return;
                f.offered++;
            }
            entering.pop_front();
            move(*f.trans);
            if (f.timed) send(sm, f, tlm::END_REQ);
        }
    }

    void part_done(const memtwin_done &d)
    {
        Flight &f = *reinterpret_cast<Flight *>(static_cast<std::uintptr_t>(d.tag));
        if (++f.done < f.parts.size()) return;
        if (f.answer) f.answer->notify();
        if (!f.timed) return;
        auto &responding = lanes[d.sm].responding;
        responding.push_back(&f);
        if (responding.size() == 1) send(d.sm, f, tlm::BEGIN_RESP);
    }

    void tick()
    {
        catch_up();
        for (unsigned sm = 0; sm < lanes.size(); sm++) offer(sm);
        sleep();
    }

    // Until the end of the next cycle in which the machine does anything.
    void sleep()
    {
        const std::uint64_t next = memtwin_next(machine_.get());
        wake.cancel();
        if (next != UINT64_MAX) wake.notify(time_of(next + 1) - sc_core::sc_time_stamp());
    }

    // ---- approximately timed
    void send(unsigned sm, Flight &f, tlm::tlm_phase phase)
    {
        const bool response = phase == tlm::BEGIN_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        const tlm::tlm_sync_enum said = sockets[sm]->nb_transport_bw(*f.trans, phase, delay);
        if (response && (said == tlm::TLM_COMPLETED || (said == tlm::TLM_UPDATED && phase == tlm::END_RESP)))
            phases.notify(*f.trans, tlm::END_RESP, delay);
    }

    void end_response(unsigned sm, Payload &t)
    {
        auto &responding = lanes[sm].responding;
        if (responding.empty() || responding.front()->trans != &t) {
            SC_REPORT_ERROR("/memtwin", "found END_RESP of a transaction whose response is not on its way");
            return;
        }
        responding.pop_front();
        flights.erase(&t);
        if (t.has_mm()) t.release();
        if (!responding.empty()) send(sm, *responding.front(), tlm::BEGIN_RESP);
    }

    void phase_due(Payload &t, const tlm::tlm_phase &phase)
    {
        const auto found = flights.find(&t);
        if (found == flights.end()) return;
        if (phase == tlm::BEGIN_REQ)
            enter(found->second.flight, found->second.sm);
        else
            end_response(found->second.sm, t);
    }

    tlm::tlm_sync_enum nb_transport_fw(int sm, Payload &t, tlm::tlm_phase &phase, sc_core::sc_time &delay)
    {
        if (phase == tlm::END_RESP) {
            phases.notify(t, phase, delay);
            return tlm::TLM_ACCEPTED;
        }
        if (phase != tlm::BEGIN_REQ || flights.count(&t)) {
            SC_REPORT_ERROR("/memtwin",
                            "found a phase that the base protocol does not allow here, expected BEGIN_REQ or END_RESP");
            return tlm::TLM_ACCEPTED;
        }
        Timed &timed = flights[&t];
        timed.sm = static_cast<unsigned>(sm);
        timed.flight.timed = true;
        if (over(t, timed.flight, timed.sm)) {
            flights.erase(&t);
            return tlm::TLM_COMPLETED;
        }
        if (t.has_mm()) t.acquire();
        phases.notify(t, phase, delay);
        return tlm::TLM_ACCEPTED;
    }

    // ---- loosely timed, and without time
    void b_transport(int sm, Payload &t, sc_core::sc_time &delay)
    {
        Flight f;
        sc_core::sc_event answer;
        if (over(t, f, static_cast<unsigned>(sm))) return;
        if (delay != sc_core::SC_ZERO_TIME) wait(delay);
        delay = sc_core::SC_ZERO_TIME;
        f.answer = &answer;
        enter(f, static_cast<unsigned>(sm));
        while (f.done < f.parts.size()) wait(answer);
    }

    bool get_direct_mem_ptr(int, Payload &, tlm::tlm_dmi &dmi)
    {
        dmi.allow_read_write();
        dmi.set_start_address(0);
        dmi.set_end_address(UINT64_MAX);
        return false;
    }

    unsigned transport_dbg(int, Payload &t)
    {
        if (!t.is_read() && !t.is_write()) return 0;
        for (unsigned i = 0; i < t.get_data_length(); i++) {
            if (t.is_write())
                bytes.write(t.get_address() + i, t.get_data_ptr()[i]);
            else
                bytes.read(t.get_address() + i, t.get_data_ptr() + i);
        }
        return t.get_data_length();
    }

    struct Timed {
        Flight flight;
        unsigned sm = 0;
    };

    tlm_utils::peq_with_cb_and_phase<Memory> phases;
    memtwin_error err{};
    std::unique_ptr<::memtwin, decltype(&memtwin_destroy)> machine_;
    std::uint64_t span = 1, cycles = 1; // so many units of time are so many cycles of the SMs
    std::vector<Lane> lanes;
    std::unordered_map<Payload *, Timed> flights; // of nb_transport
    Bytes bytes;
    sc_core::sc_event wake;
};

} // namespace memtwin_tlm
#endif
