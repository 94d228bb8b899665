// SPDX-License-Identifier: Apache-2.0
// Steps a machine from C++.  Strided reads enter the L1D of one SM.  Prints the latency of each read, then counters of
// the caches.  usage: latency READS STRIDE [OPTION...]     latency 64 32 preset=gpgpusim enter=l1d
#include <memtwin/memtwin.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

namespace
{

void check(bool ok, const memtwin_error &err)
{
    if (!ok) throw std::runtime_error(err.text);
}

class Machine
{
  public:
    Machine(const char *const *options, std::size_t count)
        : machine(memtwin_create(options, count, &err), &memtwin_destroy)
    {
        check(machine != nullptr, err);
    }

    // Steps until its SM has room.
    void read(std::uint64_t address, std::uint64_t tag)
    {
        memtwin_access a{};
        a.address = address;
        a.bytes = 4;
        a.tag = tag;
        a.kind = MEMTWIN_READ;
        memtwin_answer answer;
        while ((answer = memtwin_offer(machine.get(), &a, &err)) == MEMTWIN_FULL)
            check(memtwin_step(machine.get(), 1, &err), err);
        check(answer == MEMTWIN_TAKEN, err);
    }

    void finish()
    {
        check(memtwin_drain(machine.get(), 1000000, &err), err);
        check(memtwin_finish(machine.get(), &err), err);
    }

    bool poll(memtwin_done &done)
    {
        return memtwin_poll(machine.get(), &done);
    }

    std::uint64_t counter(const char *name)
    {
        memtwin_value value{};
        check(memtwin_counter(machine.get(), name, &value, &err), err);
        return value.whole;
    }

  private:
    memtwin_error err{};
    std::unique_ptr<memtwin, decltype(&memtwin_destroy)> machine;
};

std::uint64_t number(const char *text)
{
    char *end = nullptr;
    const std::uint64_t n = std::strtoull(text, &end, 10);
    if (end == text || *end) throw std::runtime_error(std::string("found \"") + text + "\", expected a whole number");
    return n;
}

void run(int argc, char **argv)
{
    if (argc < 3) throw std::runtime_error("usage: latency READS STRIDE [OPTION...]");
    Machine m(argv + 3, static_cast<std::size_t>(argc) - 3);
    const std::uint64_t reads = number(argv[1]), stride = number(argv[2]);
    for (std::uint64_t i = 0; i < reads; i++) m.read(i * stride, i);
    m.finish();
    memtwin_done d{};
    while (m.poll(d))
        std::printf("%llu %llu\n", static_cast<unsigned long long>(d.tag),
                    static_cast<unsigned long long>(d.done - d.offered));
    for (const char *name : {"l1d.hits", "l1d.misses", "l1d.merged", "l2.accesses", "dram.reads"})
        std::printf("%s %llu\n", name, static_cast<unsigned long long>(m.counter(name)));
}

} // namespace

int main(int argc, char **argv)
{
    try {
        run(argc, argv);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "latency: %s\n", e.what());
        return 1;
    }
    return 0;
}
