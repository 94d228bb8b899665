// SPDX-License-Identifier: Apache-2.0
// Microbenchmarks of a GPU's memory system: latencies, widths and capacities, one CSV row each.
//
//     nvcc -O3 -std=c++17 -arch=sm_90 -o measure measure.cu && ./measure >card.csv
//
// Columns: test, arguments (name=value, separated by blanks), value, unit.  A test prints the least of its repetitions,
// since what disturbs a run only makes it longer.  Cycles are those of the SM's clock.  Nothing here is a program of a
// paper.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <string>
#include <vector>

namespace
{

constexpr int Repeats = 5;
constexpr int LineBytes = 128;
constexpr size_t MiB = size_t{1} << 20;

void check(cudaError_t status, int line)
{
    if (status == cudaSuccess) return;
    fprintf(stderr, "measure.cu:%d: %s\n", line, cudaGetErrorString(status));
    exit(1);
}
#define CHECK(call) check(call, __LINE__)

struct rng {
    uint64_t state = 1;
    uint32_t below(uint32_t limit)
    {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<uint32_t>((state >> 33) % limit);
    }
};

template <class T> struct device_array {
    T *data = nullptr;
    size_t count;
    explicit device_array(size_t n) : count(n)
    {
        CHECK(cudaMalloc(&data, n * sizeof(T)));
        CHECK(cudaMemset(data, 0, n * sizeof(T)));
    }
    explicit device_array(const std::vector<T> &from) : device_array(from.size())
    {
        CHECK(cudaMemcpy(data, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~device_array()
    {
        cudaFree(data);
    }
    device_array(const device_array &) = delete;
    device_array &operator=(const device_array &) = delete;
    std::vector<T> host() const
    {
        std::vector<T> v(count);
        CHECK(cudaMemcpy(v.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};

void row(const char *test, const std::string &arguments, double value, const char *unit)
{
    printf("%s,%s,%.6g,%s\n", test, arguments.c_str(), value, unit);
    fflush(stdout);
}
std::string arg(const char *name, long value)
{
    return std::string(name) + "=" + std::to_string(value);
}

void done()
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

template <class F> double least(F &&measure)
{
    double best = 1e300;
    for (int i = 0; i < Repeats; i++) best = std::min(best, measure());
    return best;
}

/// Milliseconds between two events around `launch`.
template <class F> double milliseconds(F &&launch)
{
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    launch();
    CHECK(cudaEventRecord(end));
    done();
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    return ms;
}

// ---------------------------------------------------------------------------------------------------------- loads of
// one kind

enum class level { l1, l2 };

/// A load that may hit the L1D, or one that goes to the L2.  The assembler merges equal loads, so tests load from
/// addresses that it cannot compare: each adds a `zero` that only the host knows.
template <level Level, class T> __device__ T load(const T *p)
{
    return Level == level::l1 ? *p : __ldcg(p);
}

__device__ uint32_t smid()
{
    uint32_t s;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
    return s;
}
__device__ uint64_t nanoseconds()
{
    uint64_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

// ------------------------------------------------------------------------------------------------ latency by size of
// the chain

/// One thread follows pointers; the second lap is timed.
template <level Level>
__global__ void chase(const uint64_t *first, int lap, int timed, long long *cycles, const void **sink)
{
    const uint64_t *p = first;
    for (int i = 0; i < lap; i++) p = reinterpret_cast<const uint64_t *>(load<Level>(p));
    long long begin = clock64();
#pragma unroll 8
    for (int i = 0; i < timed; i++) p = reinterpret_cast<const uint64_t *>(load<Level>(p));
    *sink = p;
    *cycles = clock64() - begin;
}

/// A chain through `lines` lines of `array`, in random order or one after the other.
std::vector<uint64_t> chain(uint64_t base, size_t lines, bool random)
{
    std::vector<uint32_t> order(lines);
    for (size_t i = 0; i < lines; i++) order[i] = static_cast<uint32_t>(i);
    rng r;
    for (size_t i = lines; random && i > 1; i--) std::swap(order[i - 1], order[r.below(static_cast<uint32_t>(i))]);
    std::vector<uint64_t> memory(lines * LineBytes / sizeof(uint64_t));
    for (size_t i = 0; i < lines; i++)
        memory[order[i] * (LineBytes / sizeof(uint64_t))] = base + uint64_t{order[(i + 1) % lines]} * LineBytes;
    return memory;
}

template <level Level> void latency_at(const char *test, size_t kib, bool random)
{
    size_t lines = kib * 1024 / LineBytes;
    device_array<uint64_t> array(lines * LineBytes / sizeof(uint64_t));
    std::vector<uint64_t> memory = chain(reinterpret_cast<uint64_t>(array.data), lines, random);
    CHECK(cudaMemcpy(array.data, memory.data(), memory.size() * sizeof(uint64_t), cudaMemcpyHostToDevice));
    device_array<long long> cycles(1);
    device_array<const void *> sink(1);
    int timed = static_cast<int>(std::min<size_t>(lines, 8192) / 8 * 8);
    int lap = static_cast<int>(std::min<size_t>(lines, 1u << 19));
    double best = least([&] {
        chase<Level><<<1, 1>>>(array.data, lap, timed, cycles.data, sink.data);
        done();
        return static_cast<double>(cycles.host()[0]) / timed;
    });
    row(test, arg("kib", static_cast<long>(kib)) + (random ? " order=random" : " order=rising"), best, "cycles");
}

void latency()
{
    for (size_t kib :
         {4, 16, 64, 128, 160, 192, 200, 208, 216, 224, 232, 240, 248, 256, 272, 288, 320, 384, 512, 1024, 4096})
        for (bool random : {false, true}) latency_at<level::l1>("latency_l1", kib, random);
    for (size_t kib : {64, 256, 1024, 4096, 8192, 16384, 20480, 24576, 28672, 32768, 40960, 49152, 57344, 65536, 98304,
                       131072, 262144, 524288})
        latency_at<level::l2>("latency_l2", kib, true);
}

/// Latency of lines of the L2 from one SM alone, where each line holds its own address: near and far halves show as two
/// groups.
__global__ void distance(const uint64_t *first, uint32_t stride_words, int lines, uint32_t sm, uint32_t *cycles)
{
    if (threadIdx.x != 0 || smid() != sm) return;
    for (int i = 0; i < lines; i++) {
        const uint64_t *p = reinterpret_cast<const uint64_t *>(load<level::l2>(first + size_t{stride_words} * i));
        long long begin = clock64();
        for (int turn = 0; turn < 16; turn++) p = reinterpret_cast<const uint64_t *>(load<level::l2>(p));
        cycles[i] = p == nullptr ? 0 : static_cast<uint32_t>(clock64() - begin) / 16;
    }
}

void distances(int sms)
{
    constexpr int Lines = 4096, StrideWords = 512; // a line of each 4 KiB
    device_array<uint64_t> memory(size_t{Lines} * StrideWords);
    device_array<uint32_t> cycles(Lines);
    std::vector<uint64_t> own(memory.count);
    for (size_t i = 0; i < own.size(); i++) own[i] = reinterpret_cast<uint64_t>(memory.data + i);
    CHECK(cudaMemcpy(memory.data, own.data(), own.size() * sizeof(uint64_t), cudaMemcpyHostToDevice));
    for (int sm = 0; sm < sms; sm++) {
        distance<<<sms, 1024>>>(memory.data, StrideWords, 1, static_cast<uint32_t>(sm), cycles.data);
        done();
        row("l2_line_from", arg("sm", sm), cycles.host()[0], "cycles");
    }
    distance<<<sms, 1024>>>(memory.data, StrideWords, Lines, 0, cycles.data);
    done();
    std::vector<uint32_t> v = cycles.host();
    std::sort(v.begin(), v.end());
    for (int percent : {0, 5, 10, 25, 40, 50, 60, 75, 90, 95, 100})
        row("l2_lines_from_sm0", arg("percentile", percent),
            v[std::min<size_t>(v.size() - 1, v.size() * percent / 100)], "cycles");
}

// --------------------------------------------------------------------------------------------- loads in flight: miss
// registers

/// Each warp of one SM sends `Burst` independent loads of lines that no cache of the SM holds, waits for all, and goes
/// on.
template <int Burst>
__global__ void in_flight(const uint32_t *memory, uint32_t zero, int rounds, int lanes, uint32_t lane_words,
                          long long *cycles, uint32_t *sink)
{
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32, sum = 0;
    uint32_t load_words = lane_words == 1 ? 32 : lane_words * 32; // from a load to the next
    const uint32_t *p = memory + warp * Burst * load_words + lane * lane_words;
    __syncthreads();
    long long begin = clock64();
    if (lane < static_cast<uint32_t>(lanes))
#pragma unroll 1
        for (int r = 0; r < rounds; r++) {
            uint32_t v[Burst];
#pragma unroll
            for (int b = 0; b < Burst; b++) v[b] = load<level::l1>(p + b * load_words);
#pragma unroll
            for (int b = 0; b < Burst; b++) sum += v[b];
            p += warps * Burst * load_words + (sum & zero);
        }
    __syncthreads();
    if (threadIdx.x == 0) *cycles = clock64() - begin;
    sink[threadIdx.x] = sum;
}

struct lanes_of {
    const char *name;
    int lanes;
    uint32_t words; // from lane to lane
    int lines;      // lines a load touches
};

template <int Burst> void in_flight_of(const device_array<uint32_t> &memory, const lanes_of &shape, int warps)
{
    device_array<long long> cycles(1);
    device_array<uint32_t> sink(1024);
    int rounds = std::clamp(4096 / (warps * Burst * shape.lines), 2, 64);
    double best = least([&] {
        in_flight<Burst><<<1, warps * 32>>>(memory.data, 0, rounds, shape.lanes, shape.words, cycles.data, sink.data);
        done();
        return static_cast<double>(cycles.host()[0]);
    });
    row("in_flight", std::string("lanes=") + shape.name + " " + arg("warps", warps) + " " + arg("burst", Burst),
        best / (static_cast<double>(rounds) * warps * Burst * shape.lines), "cycles_per_line");
}

void in_flights()
{
    device_array<uint32_t> memory(16 * MiB / 4);
    const lanes_of shapes[] = {{"one", 1, 1, 1}, {"line", 32, 1, 1}, {"gather", 32, 32, 32}};
    for (const lanes_of &shape : shapes)
        for (int warps : {1, 2, 4, 8, 16, 32}) {
            in_flight_of<1>(memory, shape, warps);
            in_flight_of<2>(memory, shape, warps);
            in_flight_of<4>(memory, shape, warps);
            in_flight_of<8>(memory, shape, warps);
            in_flight_of<16>(memory, shape, warps);
            in_flight_of<32>(memory, shape, warps);
        }
}

/// All warps of an SM load one and the same line, which is in the L2 alone; then the next.  Merging shows as a time
/// that does not grow with the warps.
__global__ void merged(const uint32_t *memory, uint32_t zero, int rounds, long long *cycles, uint32_t *sink)
{
    const uint32_t *p = memory + threadIdx.x % 32;
    uint32_t sum = 0;
    __syncthreads();
    long long begin = clock64();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        sum += load<level::l1>(p);
        p += 32 + (sum & zero);
        __syncthreads();
    }
    if (threadIdx.x == 0) *cycles = clock64() - begin;
    sink[threadIdx.x] = sum;
}

void merges()
{
    device_array<uint32_t> memory(16 * MiB / 4), sink(1024);
    device_array<long long> cycles(1);
    for (int warps : {1, 2, 4, 8, 16, 32})
        row("merge", arg("warps", warps), least([&] {
                merged<<<1, warps * 32>>>(memory.data, 0, 1024, cycles.data, sink.data);
                done();
                return static_cast<double>(cycles.host()[0]) / 1024;
            }),
            "cycles_per_line");
}

// ---------------------------------------------------------------------------------------------------------- widths of
// one SM

/// Independent L1D hits with `stride` bytes between lanes: cycles that a warp instruction occupies the L1D.
__global__ void l1_width(const uint32_t *memory, uint32_t zero, int rounds, uint32_t stride_words, long long *cycles,
                         uint32_t *sink)
{
    const uint32_t *p = memory + (threadIdx.x % 32) * stride_words;
    uint32_t sum = 0;
    long long begin = 0;
#pragma unroll 1
    for (int r = -2; r < rounds; r++) {
        if (r == 0) {
            __syncthreads();
            begin = clock64();
        }
        uint32_t v[8];
#pragma unroll
        for (int b = 0; b < 8; b++) v[b] = load<level::l1>(p + b * 2048);
#pragma unroll
        for (int b = 0; b < 8; b++) sum += v[b];
        p += sum & zero;
    }
    __syncthreads();
    if (threadIdx.x == 0) *cycles = clock64() - begin;
    sink[threadIdx.x] = sum;
}

void l1_widths()
{
    device_array<uint32_t> memory(MiB / 4), sink(1024);
    device_array<long long> cycles(1);
    for (uint32_t stride : {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 48, 64, 68, 96, 128, 132, 256})
        row("l1_hit_width", arg("stride_bytes", stride), least([&] {
                l1_width<<<1, 1024>>>(memory.data, 0, 64, stride / 4, cycles.data, sink.data);
                done();
                return static_cast<double>(cycles.host()[0]) / (32 * 64 * 8);
            }),
            "cycles_per_load");
}

/// Reads of `count` elements again and again, `loads` by each thread and eight of them in flight.
template <class T> __global__ void read_all(const T *memory, uint32_t count, int loads, T *sink)
{
    uint32_t threads = gridDim.x * blockDim.x, at = (blockIdx.x * blockDim.x + threadIdx.x) % count,
             step = threads % count, sum = 0;
    for (int n = 0; n < loads; n += 8) {
        T v[8];
#pragma unroll
        for (int b = 0; b < 8; b++) {
            v[b] = load<level::l2>(memory + at);
            at += step;
            at -= at >= count ? count : 0;
        }
#pragma unroll
        for (int b = 0; b < 8; b++) sum += reinterpret_cast<const uint32_t &>(v[b]);
    }
    if (sum == 12345) sink[0] = memory[0];
}
__global__ void write_all(uint32_t *memory, size_t words, int laps, uint32_t step)
{
    size_t threads = size_t{gridDim.x} * blockDim.x, me = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    for (int lap = 0; lap < laps; lap++) {
#pragma unroll 8
        for (size_t i = me * step; i < words; i += threads * step) memory[i] = static_cast<uint32_t>(lap);
    }
}

/// A footprint that a cache may hold is read many times by one kernel.  A larger one is read once by each of several
/// kernels, since thread blocks of one kernel drift apart and then find each other's lines.
size_t laps_of(size_t bytes, int blocks)
{
    return bytes < 32 * MiB ? blocks * 32 * MiB / bytes : 8;
}
int kernels_of(size_t bytes)
{
    return bytes < 32 * MiB ? 1 : 8;
}

template <class T>
void read_bandwidth(const device_array<uint32_t> &memory, size_t bytes, int blocks, const char *test,
                    const std::string &of)
{
    device_array<T> sink(1);
    size_t laps = laps_of(bytes, blocks), threads = size_t{1024} * blocks;
    int kernels = kernels_of(bytes), loads = static_cast<int>(laps * bytes / sizeof(T) / threads / kernels + 7) / 8 * 8;
    row(test, of + " " + arg("bytes_of_a_load", sizeof(T)),
        1e-6 / least([&] {
            return milliseconds([&] {
                       for (int k = 0; k < kernels; k++)
                           read_all<T><<<blocks, 1024>>>(reinterpret_cast<const T *>(memory.data),
                                                         static_cast<uint32_t>(bytes / sizeof(T)), loads, sink.data);
                   }) /
                   (static_cast<double>(loads) * kernels * threads * sizeof(T));
        }),
        "GB/s");
}

void bandwidths(int sms)
{
    device_array<uint32_t> memory(1024 * MiB / 4);
    for (size_t mib : {4, 8, 16, 24, 32, 40, 48, 64, 96, 128, 256, 1024}) {
        size_t words = mib * MiB / 4;
        read_bandwidth<uint32_t>(memory, words * 4, sms * 2, "read_bandwidth", arg("mib", static_cast<long>(mib)));
        read_bandwidth<uint4>(memory, words * 4, sms * 2, "read_bandwidth", arg("mib", static_cast<long>(mib)));
        for (uint32_t step : {1, 8})
            row("write_bandwidth",
                arg("mib", static_cast<long>(mib)) + " " + arg("bytes_of_a_sector", static_cast<long>(32 / step)),
                1e-6 / least([&] {
                    int kernels = kernels_of(words * 4), laps = 64 / kernels;
                    return milliseconds([&] {
                               for (int k = 0; k < kernels; k++)
                                   write_all<<<sms * 2, 1024>>>(memory.data, words, laps, step);
                           }) /
                           (static_cast<double>(words) * 4 / step * laps * kernels);
                }),
                "GB/s");
    }
    for (int blocks : {1, 2, 4, 8, 16, 32, 66, 132}) {
        read_bandwidth<uint32_t>(memory, 16 * MiB, blocks, "read_bandwidth_of_sms", arg("sms", blocks));
        read_bandwidth<uint4>(memory, 16 * MiB, blocks, "read_bandwidth_of_sms", arg("sms", blocks));
    }
}

// -------------------------------------------------------------------------------------------------------------------
// atomics

__global__ void atomics(uint32_t *memory, int rounds, int kind, bool apart, long long *cycles)
{
    uint32_t lane = threadIdx.x % 32,
             warp = (apart ? blockIdx.x * (blockDim.x / 32) : 0) + (apart ? threadIdx.x / 32 : 0);
    uint32_t *p = memory + warp * 1024 + (kind == 0 ? 0 : kind == 1 ? lane : lane * 32);
    __syncthreads();
    long long begin = clock64();
    for (int r = 0; r < rounds; r++) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(1u) : "memory");
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 0) *cycles = clock64() - begin;
}
__global__ void atomics_waiting(uint32_t *memory, int rounds, int lanes, int kind, long long *cycles, uint32_t *sink)
{
    uint32_t lane = threadIdx.x % 32, sum = 0;
    uint32_t *p = memory + (kind == 0 ? 0 : kind == 1 ? lane : lane * 32);
    long long begin = clock64();
    if (lane < static_cast<uint32_t>(lanes))
        for (int r = 0; r < rounds; r++) sum += atomicAdd(p + (sum >> 31), 1u);
    if (threadIdx.x == 0) *cycles = clock64() - begin;
    sink[threadIdx.x] = sum;
}

void atomic_rates(int sms)
{
    device_array<uint32_t> memory(256 * MiB / 4), sink(1024);
    device_array<long long> cycles(1);
    const char *kinds[] = {"one_word", "words_of_a_line", "word_a_line"};
    for (int kind = 0; kind < 3; kind++) {
        for (int lanes : {1, 2, 8, 32})
            row("atomic_latency", std::string("target=") + kinds[kind] + " " + arg("lanes", lanes), least([&] {
                    atomics_waiting<<<1, 32>>>(memory.data, 256, lanes, kind, cycles.data, sink.data);
                    done();
                    return static_cast<double>(cycles.host()[0]) / 256;
                }),
                "cycles");
        for (bool apart : {false, true})
            for (int blocks : {1, sms})
                for (int warps : {1, 8, 32})
                    row("atomic_rate",
                        std::string("target=") + kinds[kind] + (apart ? " warps_share=no " : " warps_share=yes ") +
                            arg("sms", blocks) + " " + arg("warps", warps),
                        least([&] {
                            atomics<<<blocks, warps * 32>>>(memory.data, 64, kind, apart, cycles.data);
                            done();
                            return static_cast<double>(cycles.host()[0]) / (64.0 * blocks * warps);
                        }),
                        "cycles_per_warp_instruction");
    }
}

// -------------------------------------------------------------------------------------------- stores, and a load after
// a store

/// Cycles of a load, and of reading the clock, of a word that the same thread loaded or stored some time ago, or not.
__global__ void load_after_store(uint32_t *memory, uint32_t zero, int lines, bool read_first, bool store,
                                 long long *cycles, uint32_t *sink)
{
    uint32_t sum = 0;
    long long all = 0;
    volatile uint32_t *p = memory;
    for (int i = 0; i < lines; i++) {
        if (read_first) sum += load<level::l1>(memory + i * 32 + (sum & zero));
        if (store) p[i * 32] = sum | 1u;
        for (long long now = clock64(); clock64() < now + 4000;)
            ;
        long long begin = clock64();
        uint32_t v = load<level::l1>(memory + i * 32 + (static_cast<uint32_t>(begin) & zero));
        sum += v;
        all += clock64() + (v & zero) - begin;
    }
    *cycles = all;
    *sink = sum;
}
__global__ void store_rate(uint32_t *memory, int rounds, uint32_t stride_words, long long *cycles)
{
    uint32_t *p = memory + (threadIdx.x / 32) * 1024 * 64 + (threadIdx.x % 32) * stride_words;
    __syncthreads();
    long long begin = clock64();
    for (int r = 0; r < rounds; r++)
        asm volatile("st.global.wb.u32 [%0], %1;" ::"l"(p + (r % 64) * 1024), "r"(r) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) *cycles = clock64() - begin;
}

void stores()
{
    device_array<uint32_t> memory(64 * MiB / 4), sink(1024);
    device_array<long long> cycles(1);
    for (bool store : {false, true})
        for (bool read_first : {false, true})
            row("load_after",
                std::string("line_read_before=") + (read_first ? "yes" : "no") +
                    " word_stored_before=" + (store ? "yes" : "no"),
                least([&] {
                    load_after_store<<<1, 1>>>(memory.data, 0, 1024, read_first, store, cycles.data, sink.data);
                    done();
                    return static_cast<double>(cycles.host()[0]) / 1024;
                }),
                "cycles");
    for (uint32_t stride : {4, 8, 16, 32, 64, 128})
        row("store_rate", arg("stride_bytes", stride), least([&] {
                store_rate<<<1, 1024>>>(memory.data, 512, stride / 4, cycles.data);
                done();
                return static_cast<double>(cycles.host()[0]) / (512.0 * 32);
            }),
            "cycles_per_store");
}

// -------------------------------------------------------------------------------------------------- arithmetic,
// barriers, shared

enum class operation { ffma, imad, mufu, shared_load, shuffle };

/// One instruction that waits for the one before.  `x` starts as an address in shared memory, `y` is 0, which only the
/// host knows.
template <operation Op> __device__ uint32_t step(uint32_t x, uint32_t y)
{
    if (Op == operation::ffma)
        asm volatile("{.reg .f32 a, b; mov.b32 a, %0; mov.b32 b, %1; fma.rn.f32 a, a, b, b; mov.b32 %0, a;}"
                     : "+r"(x)
                     : "r"(y));
    else if (Op == operation::imad)
        asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(y));
    else if (Op == operation::mufu)
        asm volatile("{.reg .f32 a; mov.b32 a, %0; ex2.approx.ftz.f32 a, a; mov.b32 %0, a;}" : "+r"(x));
    else if (Op == operation::shuffle)
        asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(x));
    else
        asm volatile("ld.shared.u32 %0, [%0];" : "+r"(x));
    return x;
}
template <operation Op> __global__ void arithmetic(int rounds, uint32_t y, long long *cycles, uint32_t *sink)
{
    __shared__ uint32_t shared[1024];
    uint32_t x = static_cast<uint32_t>(__cvta_generic_to_shared(shared + threadIdx.x));
    shared[threadIdx.x] = x;
    __syncthreads();
    long long begin = 0;
#pragma unroll 1
    for (int r = -1; r < rounds; r++) {
        if (r == 0) {
            __syncthreads();
            begin = clock64();
        }
#pragma unroll
        for (int i = 0; i < 64; i++) x = step<Op>(x, y);
    }
    __syncthreads();
    if (threadIdx.x == 0) *cycles = clock64() - begin;
    sink[threadIdx.x] = x;
}
__global__ void barriers(int rounds, long long *cycles)
{
    __syncthreads();
    long long begin = clock64();
#pragma unroll 8
    for (int r = 0; r < rounds; r++) __syncthreads();
    if (threadIdx.x == 0) *cycles = clock64() - begin;
}

template <operation Op> void arithmetic_of(const char *name)
{
    device_array<long long> cycles(1);
    device_array<uint32_t> sink(1024);
    for (int warps : {1, 4, 8, 16, 32})
        row("instruction", std::string("of=") + name + " " + arg("warps", warps), least([&] {
                arithmetic<Op><<<1, warps * 32>>>(64, 0, cycles.data, sink.data);
                done();
                return static_cast<double>(cycles.host()[0]) / (64 * 64);
            }),
            "cycles");
}

void instructions()
{
    arithmetic_of<operation::ffma>("ffma");
    arithmetic_of<operation::imad>("imad");
    arithmetic_of<operation::mufu>("mufu");
    arithmetic_of<operation::shared_load>("shared_load");
    arithmetic_of<operation::shuffle>("shuffle");
    device_array<long long> cycles(1);
    for (int warps : {1, 2, 4, 8, 16, 32})
        row("barrier", arg("warps", warps), least([&] {
                barriers<<<1, warps * 32>>>(1024, cycles.data);
                done();
                return static_cast<double>(cycles.host()[0]) / 1024;
            }),
            "cycles");
}

// -------------------------------------------------------------------------------------------------------- launches and
// blocks

__global__ void empty()
{
}
__global__ void stamp(uint64_t *begin)
{
    if (threadIdx.x == 0) begin[blockIdx.x] = nanoseconds();
}

void launches(int sms)
{
    for (int threads : {32, 128, 256, 512, 1024})
        for (int blocks : {1, sms, 8 * sms, 64 * sms, 512 * sms})
            row("launch", arg("threads", threads) + " " + arg("blocks", blocks), least([&] {
                    return 1e6 / 64 * milliseconds([&] {
                               for (int i = 0; i < 64; i++) empty<<<blocks, threads>>>();
                           });
                }),
                "ns_per_kernel");
    for (int threads : {32, 256, 1024}) {
        int blocks = 512 * sms;
        device_array<uint64_t> begin(blocks);
        row("block_rate", arg("threads", threads), least([&] {
                stamp<<<blocks, threads>>>(begin.data);
                done();
                std::vector<uint64_t> t = begin.host();
                return static_cast<double>(*std::max_element(t.begin(), t.end()) -
                                           *std::min_element(t.begin(), t.end())) /
                       blocks;
            }),
            "ns_per_block");
    }
}

} // namespace

int main()
{
    cudaDeviceProp card;
    CHECK(cudaGetDeviceProperties(&card, 0));
    int clock_khz = 0, memory_khz = 0;
    CHECK(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0));
    CHECK(cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0));
    printf("# %s, %d SMs, at most %d MHz, memory %d MHz x %d bits, L2 %d KiB, %zu KiB an SM shared\n", card.name,
           card.multiProcessorCount, clock_khz / 1000, memory_khz / 1000, card.memoryBusWidth, card.l2CacheSize / 1024,
           card.sharedMemPerMultiprocessor / 1024);
    printf("test,arguments,value,unit\n");
    instructions();
    latency();
    distances(card.multiProcessorCount);
    in_flights();
    merges();
    l1_widths();
    stores();
    atomic_rates(card.multiProcessorCount);
    launches(card.multiProcessorCount);
    bandwidths(card.multiProcessorCount);
    return 0;
}
