// SPDX-License-Identifier: Apache-2.0
// What tools that translate CUDA programs leave: warps of 32 required by an attribute, exchanges by permutation within
// parts of a warp, three dimensions in which the last one counts, atomic operations on plain pointers, and bytes taken for
// vectors. Compilers that drop the attribute are told the size of a warp by a macro.
#define PIANOLA_SUB_GROUP_SIZE 32
#include <cstdint>
#include <cstdio>
#include <type_traits>
#include <vector>

#include <sycl/sycl.hpp>

#define WARP_SIZE 32

namespace {

int failures = 0;

void expect(const char* what, double found, double expected, double tolerance = 0) {
  if (!(std::fabs(found - expected) <= tolerance)) {
    std::printf("%s: %g, expected %g\n", what, found, expected);
    ++failures;
  }
}

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
  operator sycl::range<3>() const { return sycl::range<3>(z, y, x); }
};
dim3 operator*(const dim3& a, const dim3& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

template <class T>
T permute_by_xor(sycl::sub_group g, T x, unsigned mask, unsigned width = 32) {
  const unsigned lane = g.get_local_linear_id();
  const unsigned first = lane / width * width;
  const unsigned to = (lane % width) ^ mask;
  return sycl::select_from_group(g, x, to < width ? first + to : lane);
}

template <int Width, class T>
T warp_sum(T x, const sycl::nd_item<3>& item_ct1) {
  for (int offset = Width / 2; offset > 0; offset >>= 1)
    x += permute_by_xor(item_ct1.get_sub_group(), x, offset, Width);
  return x;
}

sycl::float2 warp_sum(sycl::float2 a, const sycl::nd_item<3>& item_ct1) {
  for (int mask = WARP_SIZE / 2; mask > 0; mask >>= 1) {
    a.x() += permute_by_xor(item_ct1.get_sub_group(), a.x(), mask);
    a.y() += permute_by_xor(item_ct1.get_sub_group(), a.y(), mask);
  }
  return a;
}

template <class T, sycl::access::address_space Space = sycl::access::address_space::global_space>
T atomic_add(T* at, T x) {
  return sycl::atomic_ref<T, sycl::memory_order::relaxed, sycl::memory_scope::device, Space>(at[0])
      .fetch_add(x);
}

/// Four products of the bytes of two words, as an instruction of graphics processors has it.
int dp4a(int a, int b, int c) {
  const auto x = sycl::vec<int, 1>(a).as<sycl::vec<std::int8_t, 4>>().convert<int>();
  const auto y = sycl::vec<int, 1>(b).as<sycl::vec<std::int8_t, 4>>().convert<int>();
  return c + x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3];
}

// Rows are normalised by one work-group each.
void norm(const float* x, float* to, int columns, const sycl::nd_item<3>& item_ct1,
          sycl::float2* sums) {
  const int row = item_ct1.get_group(2), tid = item_ct1.get_local_id(2);
  const int threads = item_ct1.get_local_range(2);
  sycl::float2 both(0.F, 0.F);
  for (int c = tid; c < columns; c += threads) {
    const float v = x[row * columns + c];
    both.x() += v;
    both.y() += v * v;
  }
  both = warp_sum(both, item_ct1);
  const int warp = tid / WARP_SIZE, lane = tid % WARP_SIZE;
  if (lane == 0) sums[warp] = both;
  item_ct1.barrier(sycl::access::fence_space::local_space);
  both = lane < threads / WARP_SIZE ? sums[lane] : sycl::float2(0.F, 0.F);
  both = warp_sum(both, item_ct1);
  const float mean = both.x() / columns;
  const float scale = sycl::rsqrt(both.y() / columns - mean * mean + 1e-5F);
  for (int c = tid; c < columns; c += threads)
    to[row * columns + c] = (x[row * columns + c] - mean) * scale;
}

void test_norm(sycl::queue* stream) {
  constexpr int columns = 500, rows = 6, threads = 128;
  std::vector<float> in(columns * rows), out(columns * rows);
  for (int i = 0; i < columns * rows; ++i) in[i] = static_cast<float>((i * 37) % 101) * 0.1F;
  float* const x = sycl::malloc_device<float>(in.size(), *stream);
  float* const y = sycl::malloc_device<float>(in.size(), *stream);
  stream->memcpy(x, in.data(), in.size() * sizeof(float));
  stream->submit([&](sycl::handler& cgh) {
    sycl::local_accessor<sycl::float2, 1> sums_acc_ct1(sycl::range<1>(threads / WARP_SIZE), cgh);
    const dim3 blocks(rows), block(threads);
    cgh.parallel_for(sycl::nd_range<3>(blocks * block, block),
                     [=](sycl::nd_item<3> item_ct1) [[sycl::reqd_work_group_size(1, 1, threads),
                                                      sycl::reqd_sub_group_size(WARP_SIZE)]] {
                       norm(x, y, columns, item_ct1,
                            sums_acc_ct1.get_multi_ptr<sycl::access::decorated::no>().get());
                     });
  });
  stream->memcpy(out.data(), y, out.size() * sizeof(float)).wait();
  for (int r = 0; r < rows; ++r) {
    double sum = 0, squares = 0;
    for (int c = 0; c < columns; ++c) {
      sum += in[r * columns + c];
      squares += in[r * columns + c] * in[r * columns + c];
    }
    const double mean = sum / columns,
                 scale = 1 / std::sqrt(squares / columns - mean * mean + 1e-5);
    for (int c = 0; c < columns; c += 7)
      expect("norm", out[r * columns + c], (in[r * columns + c] - mean) * scale, 1e-3);
  }
  sycl::free(x, *stream);
  sycl::free(y, *stream);
}

// Templates pass their sizes on to several attributes.
template <int Threads, class F>
void launch(sycl::queue* stream, int blocks, const F& f) {
  stream->parallel_for(
      sycl::nd_range<3>(sycl::range<3>(1, 1, blocks * Threads), sycl::range<3>(1, 1, Threads)),
      [=](sycl::nd_item<3> item_ct1) [[sycl::reqd_work_group_size(
          1, 1, Threads)]] [[sycl::reqd_sub_group_size(WARP_SIZE)]] { f(item_ct1); });
}

void test_exchange(sycl::queue* stream) {
  int* const found = sycl::malloc_shared<int>(8, *stream);
  stream->fill(found, 0, 8).wait();
  launch<64>(stream, 3, [=](const sycl::nd_item<3>& item_ct1) {
    const int lane = item_ct1.get_local_id(2) % WARP_SIZE;
    const int all = warp_sum<32>(lane, item_ct1), eight = warp_sum<8>(lane, item_ct1);
    if (all == 31 * 16) atomic_add(&found[0], 1);
    if (eight == 8 * (lane / 8 * 8) + 28) atomic_add(&found[1], 1);
    const sycl::half2 halves =
        sycl::half2(1, 2) + permute_by_xor(item_ct1.get_sub_group(), sycl::half2(3, 4), 1);
    if (static_cast<float>(halves.x()) == 4 && static_cast<float>(halves.y()) == 6)
      atomic_add<int, sycl::access::address_space::generic_space>(&found[2], 1);
    if (item_ct1.get_sub_group().shuffle_down(lane, 1) == (lane < 31 ? lane + 1 : lane) ||
        lane == 31)
      atomic_add(&found[3], 1);
    if (item_ct1.get_global_linear_id() == 0) {
      found[4] = dp4a(0x01fe0304, 0x01020304, 5);
      found[5] = static_cast<int>(sycl::mul_hi<unsigned>(0x80000000U, 6U));
      const auto least = sycl::min(sycl::vec<int, 1>(0x7f000102).as<sycl::char4>(),
                                   sycl::vec<int, 1>(0x01020304).as<sycl::char4>());
      found[6] = least.as<sycl::vec<int, 1>>();
    }
  });
  stream->wait_and_throw();
  for (int i = 0; i < 4; ++i) expect("exchange", found[i], 3 * 64);
  expect("dp4a", found[4], 5 + 1 - 4 + 9 + 16);
  expect("mul_hi", found[5], 3);
  expect("vectorised minimum", found[6], 0x01000102);
  sycl::free(found, *stream);
}

// Which of several backends it is, programs ask by the names of other implementations.
const char* backend_of(const sycl::device& d) {
  switch (d.get_backend()) {
    case sycl::backend::ext_oneapi_level_zero:
      return "level-zero";
    case sycl::backend::opencl:
      return "opencl";
    case sycl::backend::ext_oneapi_cuda:
      return "cuda";
    case sycl::backend::ext_oneapi_hip:
      return "hip";
    default:
      return "another";
  }
}

}  // namespace

int main() {
  sycl::queue in_order{sycl::property::queue::in_order()};
  const sycl::device d = in_order.get_device();
  const sycl::range<3> most = d.get_info<sycl::info::device::max_work_item_sizes<3>>();
  std::printf("%s: %s, groups of up to %zu\n", d.get_info<sycl::info::device::name>().c_str(),
              backend_of(d), most[2]);
  test_norm(&in_order);
  test_exchange(&in_order);
  if (failures == 0) std::printf("all as expected\n");
  return failures == 0 ? 0 : 1;
}
