// SPDX-License-Identifier: Apache-2.0
// The kernels as one writes them in CUDA C++, for nvcc: nvcc -O3 -arch=sm_90 -cubin rivals.cu
// Sizes of blocks are those of Pianola's versions where the algorithm names them.

extern "C" {

__global__ void rival_copy(const double* a, double* c, unsigned long long n) {
  const unsigned long long i = blockDim.x * static_cast<unsigned long long>(blockIdx.x) + threadIdx.x;
  if (i < n) c[i] = a[i];
}
__global__ void rival_mul(double* b, const double* c, unsigned long long n) {
  const unsigned long long i = blockDim.x * static_cast<unsigned long long>(blockIdx.x) + threadIdx.x;
  if (i < n) b[i] = 0.4 * c[i];
}
__global__ void rival_add(const double* a, const double* b, double* c, unsigned long long n) {
  const unsigned long long i = blockDim.x * static_cast<unsigned long long>(blockIdx.x) + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
__global__ void rival_triad(double* a, const double* b, const double* c, unsigned long long n) {
  const unsigned long long i = blockDim.x * static_cast<unsigned long long>(blockIdx.x) + threadIdx.x;
  if (i < n) a[i] = b[i] + 0.4 * c[i];
}

// 1024 blocks of 256 threads, which stride over the arrays.
__global__ void rival_dot(const double* a, const double* b, double* sums, unsigned long long n) {
  __shared__ double local[256];
  const unsigned id = threadIdx.x;
  double sum = 0;
  for (unsigned long long i = blockDim.x * static_cast<unsigned long long>(blockIdx.x) + id; i < n;
       i += static_cast<unsigned long long>(gridDim.x) * blockDim.x)
    sum += a[i] * b[i];
  local[id] = sum;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (id < half) local[id] += local[id + half];
  }
  if (id == 0) sums[blockIdx.x] = local[0];
}

__global__ void rival_matmul(const float* a, const float* b, float* c, unsigned long long n) {
  constexpr int tile = 16;
  __shared__ float ta[tile][tile], tb[tile][tile];
  const int x = threadIdx.x, y = threadIdx.y;
  const unsigned long long row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
  float sum = 0;
  for (unsigned long long t = 0; t < n; t += tile) {
    ta[y][x] = a[row * n + t + x];
    tb[y][x] = b[(t + y) * n + column];
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += ta[y][k] * tb[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void rival_tree(const float* in, float* out) {
  constexpr unsigned width = 256;
  __shared__ float local[width];
  const unsigned id = threadIdx.x;
  local[id] = in[static_cast<unsigned long long>(blockIdx.x) * width + id];
  __syncthreads();
  for (unsigned half = width / 2; half > 0; half >>= 1) {
    if (id < half) local[id] += local[id + half];
    __syncthreads();
  }
  if (id == 0) out[blockIdx.x] = local[0];
}

// Blocks of 4 x 8 x 32 threads; `row` and `plane` are the field's, with its border.
__global__ void rival_stencil(const float* in, float* out, unsigned long long row,
                              unsigned long long plane) {
  constexpr int Z = 4, Y = 8, X = 32;
  __shared__ float t[Z + 2][Y + 2][X + 2];
  const int z = threadIdx.z + 1, y = threadIdx.y + 1, x = threadIdx.x + 1;
  const unsigned long long at = (static_cast<unsigned long long>(blockIdx.z) * Z + z) * plane +
                                (static_cast<unsigned long long>(blockIdx.y) * Y + y) * row +
                                static_cast<unsigned long long>(blockIdx.x) * X + x;
  t[z][y][x] = in[at];
  if (z == 1) t[0][y][x] = in[at - plane];
  if (z == Z) t[Z + 1][y][x] = in[at + plane];
  if (y == 1) t[z][0][x] = in[at - row];
  if (y == Y) t[z][Y + 1][x] = in[at + row];
  if (x == 1) t[z][y][0] = in[at - 1];
  if (x == X) t[z][y][X + 1] = in[at + 1];
  __syncthreads();
  out[at] = 0.4F * t[z][y][x] + 0.1F * (t[z - 1][y][x] + t[z + 1][y][x] + t[z][y - 1][x] +
                                        t[z][y + 1][x] + t[z][y][x - 1] + t[z][y][x + 1]);
}
}

// Conjugate gradient for the five-point Laplacian; blocks of 256 threads, 256 blocks at most. Each block sums its part, and the
// sums of all blocks are added by each. The order of additions is that of Pianola's version.
namespace {

constexpr unsigned cg_group = 256;
constexpr unsigned cg_most_iterations = 10000;

__device__ float cg_sum_in_block(float* local, float mine) {
  const unsigned id = threadIdx.x;
  local[id] = mine;
  for (unsigned half = cg_group / 2; half > 0; half /= 2) {
    __syncthreads();
    if (id < half) local[id] += local[id + half];
  }
  __syncthreads();
  const float all = local[0];
  __syncthreads();  // `local` is used again
  return all;
}
__device__ float cg_sum_of_blocks(float* local, const float* sums, unsigned blocks) {
  return cg_sum_in_block(local, threadIdx.x < blocks ? sums[threadIdx.x] : 0.0F);
}
__device__ unsigned long long cg_first() {
  return blockDim.x * static_cast<unsigned long long>(blockIdx.x) + threadIdx.x;
}
__device__ unsigned long long cg_stride() {
  return blockDim.x * static_cast<unsigned long long>(gridDim.x);
}
}  // namespace

extern "C" {

__global__ void rival_cg_begin(float* x, float* r, float* p, float* rr, unsigned* done,
                               unsigned long long points) {
  for (unsigned long long i = cg_first(); i < points; i += cg_stride()) {
    x[i] = 0;
    r[i] = p[i] = 1;
  }
  if (cg_first() != 0) return;
  rr[0] = static_cast<float>(points);
  done[0] = 0;
}

__global__ void rival_cg_apply(const float* p, float* q, float* pq_sums, unsigned long long side) {
  __shared__ float local[cg_group];
  float mine = 0;
  for (unsigned long long i = cg_first(); i < side * side; i += cg_stride()) {
    const unsigned long long row = i / side, column = i % side;
    float sum = 4.01F * p[i];
    if (row > 0) sum -= p[i - side];
    if (row + 1 < side) sum -= p[i + side];
    if (column > 0) sum -= p[i - 1];
    if (column + 1 < side) sum -= p[i + 1];
    q[i] = sum;
    mine += p[i] * sum;
  }
  const float all = cg_sum_in_block(local, mine);
  if (threadIdx.x == 0) pq_sums[blockIdx.x] = all;
}

__global__ void rival_cg_advance(float* x, float* r, const float* p, const float* q,
                                 const float* rr, const float* pq_sums, float* rr_sums,
                                 unsigned long long points) {
  __shared__ float local[cg_group];
  const float alpha = rr[0] / (cg_sum_of_blocks(local, pq_sums, gridDim.x) + 1e-30F);
  float mine = 0;
  for (unsigned long long i = cg_first(); i < points; i += cg_stride()) {
    x[i] += alpha * p[i];
    const float rest = r[i] - alpha * q[i];
    r[i] = rest;
    mine += rest * rest;
  }
  const float all = cg_sum_in_block(local, mine);
  if (threadIdx.x == 0) rr_sums[blockIdx.x] = all;
}

__global__ void rival_cg_turn(float* p, const float* r, const float* rr, const float* rr_sums,
                              unsigned long long points) {
  __shared__ float local[cg_group];
  const float beta = cg_sum_of_blocks(local, rr_sums, gridDim.x) / (rr[0] + 1e-30F);
  for (unsigned long long i = cg_first(); i < points; i += cg_stride()) p[i] = r[i] + beta * p[i];
}

// By one block: the last kernel of an iteration says whether there is another one.
#if defined(CUDART_VERSION) && CUDART_VERSION >= 12040
__global__ void rival_cg_decide(cudaGraphConditionalHandle condition, float* rr,
                                const float* rr_sums, unsigned* done, float goal,
                                unsigned blocks) {
  __shared__ float local[cg_group];
  const float now = cg_sum_of_blocks(local, rr_sums, blocks);
  if (threadIdx.x != 0) return;
  rr[0] = now;
  done[0] += 1;
  cudaGraphSetConditional(condition, now > goal && done[0] < cg_most_iterations ? 1 : 0);
}
#endif
}
