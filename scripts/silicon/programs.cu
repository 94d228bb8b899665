// SPDX-License-Identifier: Apache-2.0
// Some of memtwin's kernels (traces/kernels/), with the same grids, arrays and order of accesses, for a real GPU.  The
// profiler counts the cycles and sectors of each launch (README.md).  The program prints the workloads that it runs, as
// memtwin names them, each with its number of launches.
//
// Loops are not unrolled, pointers may alias, and sums stay in registers but are stored in each iteration, as memtwin's
// kernels say.  Values do not matter here: memtwin checks them.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

namespace
{

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t status = call;                                                                                     \
        if (status != cudaSuccess) {                                                                                   \
            fprintf(stderr, "programs.cu:%d: %s\n", __LINE__, cudaGetErrorString(status));                             \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

template <class T = float> T *array(size_t count)
{
    T *p;
    CHECK(cudaMalloc(&p, count * sizeof(T)));
    CHECK(cudaMemset(p, 0, count * sizeof(T)));
    return p;
}
int over(int n, int by)
{
    return (n + by - 1) / by;
}
__device__ int global_x()
{
    return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}
__device__ int global_y()
{
    return static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
}

__global__ void vecadd_kernel(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n) c[i] = a[i] + b[i];
}
void vecadd(int n)
{
    vecadd_kernel<<<over(n, 256), 256>>>(array(n), array(n), array(n), n);
}

__global__ void copy_kernel(const float *in, float *out, int n)
{
    int i = global_x();
    if (i < n) out[i] = in[i];
}
void copy(int n)
{
    copy_kernel<<<over(n, 256), 256>>>(array(n), array(n), n);
}

__global__ void gather_kernel(const float *table, const int *index, float *out, int n)
{
    int i = global_x();
    if (i < n) out[i] = table[index[i]];
}
void gather(int n)
{
    constexpr uint64_t Entries = 16777216;
    int *index = array<int>(n);
    std::vector<int> random(n);
    uint64_t state = 1;
    for (int &i : random) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        i = static_cast<int>((state >> 33) % Entries);
    }
    CHECK(cudaMemcpy(index, random.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    gather_kernel<<<over(n, 256), 256>>>(array(Entries), index, array(n), n);
}

/// out += A in, or out += A^T in.
template <bool Transposed, bool Clear>
__global__ void matvec(const float *a, const float *in, float *out, int rows, int columns)
{
    int i = global_x();
    if (i >= (Transposed ? columns : rows)) return;
    float sum = 0;
    if (Clear)
        out[i] = sum;
    else
        sum = out[i];
#pragma unroll 1
    for (int j = 0; j < (Transposed ? rows : columns); j++) {
        float value = in[j];
        sum += a[Transposed ? j * columns + i : i * columns + j] * value;
        out[i] = sum;
    }
}
void atax(int rows, int columns)
{
    float *a = array(size_t(rows) * columns), *x = array(columns), *y = array(columns), *tmp = array(rows);
    matvec<false, false><<<over(rows, 128), 128>>>(a, x, tmp, rows, columns);
    matvec<true, false><<<over(columns, 128), 128>>>(a, tmp, y, rows, columns);
}
void mvt(int n)
{
    float *a = array(size_t(n) * n);
    matvec<false, false><<<over(n, 32), 32>>>(a, array(n), array(n), n, n);
    matvec<true, false><<<over(n, 32), 32>>>(a, array(n), array(n), n, n);
}
void bicg(int rows, int columns)
{
    float *a = array(size_t(rows) * columns);
    matvec<true, true><<<over(columns, 256), 256>>>(a, array(rows), array(columns), rows, columns);
    matvec<false, true><<<over(rows, 256), 256>>>(a, array(columns), array(rows), rows, columns);
}

__global__ void gesummv_kernel(const float *a, const float *b, const float *x, float *y, float *tmp, int rows,
                               int columns)
{
    int i = global_x();
    if (i >= rows) return;
    float first = tmp[i], second = y[i];
#pragma unroll 1
    for (int j = 0; j < columns; j++) {
        first += a[i * columns + j] * x[j];
        tmp[i] = first;
        second += b[i * columns + j] * x[j];
        y[i] = second;
    }
    y[i] = 43532.0f * first + 12313.0f * second;
}
void gesummv(int rows, int columns)
{
    size_t size = size_t(rows) * columns;
    gesummv_kernel<<<over(rows, 128), 128>>>(array(size), array(size), array(columns), array(rows), array(rows), rows,
                                             columns);
}

__global__ void gemm_kernel(const float *a, const float *b, float *c, int ni, int nj, int nk)
{
    int j = global_x(), i = global_y();
    if (i >= ni || j >= nj) return;
    float sum = c[i * nj + j] * 2123.0f;
    c[i * nj + j] = sum;
#pragma unroll 1
    for (int k = 0; k < nk; k++) {
        sum += 32412.0f * a[i * nk + k] * b[k * nj + j];
        c[i * nj + j] = sum;
    }
}
void gemm(int ni, int nj, int nk)
{
    dim3 grid(over(nj, 32), over(ni, 8));
    gemm_kernel<<<grid, dim3(32, 8)>>>(array(ni * nk), array(nk * nj), array(ni * nj), ni, nj, nk);
}

__global__ void syrk_kernel(const float *a, float *c, int n, int m)
{
    int j = global_x(), i = global_y();
    if (i >= n || j >= n) return;
    float sum = c[i * n + j] * 4546.0f;
    c[i * n + j] = sum;
#pragma unroll 1
    for (int k = 0; k < m; k++) {
        sum += 12435.0f * a[i * m + k] * a[j * m + k];
        c[i * n + j] = sum;
    }
}
void syrk(int n, int m)
{
    syrk_kernel<<<dim3(over(n, 32), over(n, 8)), dim3(32, 8)>>>(array(n * m), array(n * n), n, m);
}

__global__ void conv2d_kernel(const float *a, float *b, int rows, int columns)
{
    int j = global_x(), i = global_y();
    if (i >= rows - 1 || j >= columns - 1 || i <= 0 || j <= 0) return;
    const float weight[9] = {0.2f, 0.5f, -0.8f, -0.3f, 0.6f, -0.9f, 0.4f, 0.7f, 0.1f};
    float sum = 0;
    for (int n = 0; n < 9; n++) sum += weight[n] * a[(i + n / 3 - 1) * columns + j + n % 3 - 1];
    b[i * columns + j] = sum;
}
void conv2d(int n)
{
    conv2d_kernel<<<dim3(over(n, 32), over(n, 8)), dim3(32, 8)>>>(array(n * n), array(n * n), n, n);
}

constexpr int Tile = 32, Rows = 8;
__global__ void transpose_naive(const float *in, float *out, int width, int height)
{
    int x = static_cast<int>(blockIdx.x * Tile + threadIdx.x), y = static_cast<int>(blockIdx.y * Tile + threadIdx.y);
    for (int i = 0; i < Tile; i += Rows) out[x * height + y + i] = in[(y + i) * width + x];
}
__global__ void transpose_tiled(const float *in, float *out, int width, int height)
{
    __shared__ float tile[Tile][Tile + 1];
    int x = static_cast<int>(blockIdx.x * Tile + threadIdx.x), y = static_cast<int>(blockIdx.y * Tile + threadIdx.y);
    for (int i = 0; i < Tile; i += Rows) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * width + x];
    __syncthreads();
    x = static_cast<int>(blockIdx.y * Tile + threadIdx.x);
    y = static_cast<int>(blockIdx.x * Tile + threadIdx.y);
    for (int i = 0; i < Tile; i += Rows) out[(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}
void transpose(int n)
{
    float *in = array(n * n), *out = array(n * n);
    transpose_naive<<<dim3(n / Tile, n / Tile), dim3(Tile, Rows)>>>(in, out, n, n);
    transpose_tiled<<<dim3(n / Tile, n / Tile), dim3(Tile, Rows)>>>(in, out, n, n);
}

/// The launches of one workload, named as memtwin names it.
template <class F> void run(const char *workload, int launches, F &&launch)
{
    launch();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("workload %s %d\n", workload, launches);
    fflush(stdout);
}

} // namespace

int main()
{
    run("vecadd:n=65536", 1, [] { vecadd(65536); });
    run("vecadd:n=4194304", 1, [] { vecadd(4194304); });
    run("copy:n=1048576", 1, [] { copy(1048576); });
    run("copy:n=4194304", 1, [] { copy(4194304); });
    run("gather:n=262144", 1, [] { gather(262144); });
    run("atax:rows=4096,columns=256", 2, [] { atax(4096, 256); });
    run("atax:rows=1024,columns=1024", 2, [] { atax(1024, 1024); });
    run("mvt:n=1024", 2, [] { mvt(1024); });
    run("bicg:rows=4096,columns=512", 2, [] { bicg(4096, 512); });
    run("gesummv:rows=4096,columns=128", 1, [] { gesummv(4096, 128); });
    run("gesummv:rows=16384,columns=64", 1, [] { gesummv(16384, 64); });
    run("gemm:ni=256,nj=256,nk=128", 1, [] { gemm(256, 256, 128); });
    run("gemm:ni=512,nj=512,nk=128", 1, [] { gemm(512, 512, 128); });
    run("syrk:n=128,m=96", 1, [] { syrk(128, 96); });
    run("syrk:n=384,m=96", 1, [] { syrk(384, 96); });
    run("2dconv:rows=1024,columns=1024", 1, [] { conv2d(1024); });
    run("2dconv:rows=2048,columns=2048", 1, [] { conv2d(2048); });
    run("transpose:width=1024,height=1024", 2, [] { transpose(1024); });
    run("transpose:width=2048,height=2048", 2, [] { transpose(2048); });
    return 0;
}
