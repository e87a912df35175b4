// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <numeric>
#include <thread>

#include "cuda_fixture.hpp"

namespace pianola::test {
namespace {

using bytes = std::vector<unsigned char>;

class cuda_memory : public cuda_double {};
using cuda_memory_death = cuda_memory;

TEST_F(cuda_memory_death, of_a_device_cannot_be_followed_by_the_program) {
  const CUdeviceptr_t p = memory(64);
  EXPECT_DEATH(
      {
        volatile int x = *reinterpret_cast<int*>(p);
        static_cast<void>(x);
      },
      "");
  EXPECT_DEATH({ *reinterpret_cast<volatile int*>(p) = 1; }, "");
}

TEST_F(cuda_memory, of_the_host_and_managed_memory_can) {
  void* p = nullptr;
  CUdeviceptr_t q = 0;
  ASSERT_EQ(c().cuMemHostAlloc(&p, 100, 3), 0);
  ASSERT_EQ(c().cuMemAllocManaged(&q, 100, 1), 0);
  std::memset(p, 5, 100);
  ASSERT_EQ(c().cuMemcpyAsync(q, reinterpret_cast<CUdeviceptr_t>(p), 100, nullptr), 0);
  ASSERT_EQ(c().cuCtxSynchronize(), 0);
  EXPECT_EQ(*reinterpret_cast<unsigned char*>(q + 99), 5);
  EXPECT_EQ(c().cuMemFree_v2(q), 0);
  EXPECT_EQ(c().cuMemFreeHost(p), 0);
}

TEST_F(cuda_memory, starts_with_something_else_than_zeros) {
  EXPECT_EQ(read<unsigned char>(memory(1), 1)[0], 0xa5);
}

TEST_F(cuda_memory, that_has_been_freed_is_known_to_be) {
  const CUdeviceptr_t p = memory(64);
  EXPECT_EQ(c().cuMemFree_v2(p), 0);
  expect_violation(c().cuMemFree_v2(p), 1, "not the start of an allocation");
  int x = 0;
  expect_violation(c().cuMemcpyHtoD_v2(p, &x, 4), 1, "freed");
  expect_violation(c().cuMemsetD8Async(p, 1, 1, nullptr), 1, "freed");
}

TEST_F(cuda_memory, is_freed_where_it_starts_and_by_the_function_of_its_kind) {
  const CUdeviceptr_t p = memory(64);
  expect_violation(c().cuMemFree_v2(p + 1), 1, "not the start");
  expect_violation(c().cuMemFreeHost(reinterpret_cast<void*>(p)), 1, "another kind");
  void* h = nullptr;
  ASSERT_EQ(c().cuMemHostAlloc(&h, 10, 0), 0);
  expect_violation(c().cuMemFree_v2(reinterpret_cast<CUdeviceptr_t>(h)), 1, "another kind");
}

TEST_F(cuda_memory, is_not_written_behind_its_end) {
  void* h = nullptr;
  ASSERT_EQ(c().cuMemHostAlloc(&h, 10, 0), 0);
  static_cast<volatile char*>(h)[10] = 1;
  expect_violation(c().cuMemFreeHost(h), 0, "behind the 10 bytes");
}

TEST_F(cuda_memory, of_no_bytes_is_not_given) {
  CUdeviceptr_t p = 0;
  expect_violation(c().cuMemAlloc_v2(&p, 0), 1);
  expect_violation(c().cuMemAlloc_v2(nullptr, 4), 1);
}

TEST_F(cuda_memory, ends_at_some_time) {
  CUdeviceptr_t p = 0;
  expect_refusal(c().cuMemAlloc_v2(&p, ~std::size_t{0}), 2);
  expect_refusal(c().cuMemAlloc_v2(&p, ~std::size_t{0} / 2), 2);
  std::size_t free = 0, total = 0;
  ASSERT_EQ(c().cuMemGetInfo_v2(&free, &total), 0);
  EXPECT_EQ(free, total);
  const CUdeviceptr_t most = memory(total - 4096);
  expect_refusal(c().cuMemAlloc_v2(&p, 8192), 2);
  EXPECT_EQ(c().cuMemFree_v2(most), 0);
  EXPECT_EQ(c().cuMemFree_v2(memory(8192)), 0);
}

TEST_F(cuda_memory, needs_a_context) {
  ASSERT_EQ(c().cuCtxSetCurrent(nullptr), 0);
  CUdeviceptr_t p = 0;
  expect_violation(c().cuMemAlloc_v2(&p, 4), 201, "no current context");
}

TEST_F(cuda_memory, is_copied_within_its_bounds_only) {
  const CUdeviceptr_t p = memory(100), q = memory(100);
  bytes host(200);
  expect_violation(c().cuMemcpyHtoD_v2(p, host.data(), 101), 1, "has only 100");
  expect_violation(c().cuMemcpyDtoH_v2(host.data(), p + 1, 100), 1, "has only 99");
  expect_violation(c().cuMemcpyDtoDAsync_v2(p, q + 60, 50, nullptr), 1, "source");
  expect_violation(c().cuMemsetD32Async(p, 0, 26, nullptr), 1, "has only 100");
  expect_violation(c().cuMemcpyDtoDAsync_v2(p, p + 10, 20, nullptr), 1, "overlap");
  expect_violation(c().cuMemcpyHtoD_v2(p, nullptr, 10), 1, "null");
}

TEST_F(cuda_memory, is_of_the_kind_that_the_call_says) {
  const CUdeviceptr_t p = memory(16), q = memory(16);
  bytes host(16);
  expect_violation(
      c().cuMemcpyHtoD_v2(reinterpret_cast<CUdeviceptr_t>(host.data()), host.data(), 16), 1,
      "not known to the driver");
  expect_violation(c().cuMemcpyHtoD_v2(p, reinterpret_cast<void*>(q), 16), 1, "memory of a device");
  expect_violation(
      c().cuMemsetD8Async(reinterpret_cast<CUdeviceptr_t>(host.data()), 1, 16, nullptr), 1,
      "not known");
}

TEST_F(cuda_memory, is_filled_in_elements) {
  const CUdeviceptr_t p = memory(64);
  ASSERT_EQ(c().cuMemsetD8Async(p, 7, 64, nullptr), 0);
  ASSERT_EQ(c().cuMemsetD16Async(p + 2, 0x0102, 2, nullptr), 0);
  ASSERT_EQ(c().cuMemsetD32Async(p + 8, 0x01020304, 1, nullptr), 0);
  ASSERT_EQ(c().cuMemsetD2D16Async(p + 16, 16, 0x0908, 2, 3, nullptr), 0);
  bytes expected(64, 7);
  for (const int i : {2, 4}) expected[i] = 2, expected[i + 1] = 1;
  for (int i = 0; i < 4; ++i) expected[8 + i] = static_cast<unsigned char>(4 - i);
  for (int row = 0; row < 3; ++row)
    for (int i = 0; i < 4; ++i) expected[16 + 16 * row + i] = i % 2 == 0 ? 8 : 9;
  EXPECT_EQ(read<unsigned char>(p, 64), expected);
  expect_violation(c().cuMemsetD16Async(p + 1, 1, 1, nullptr), 1, "aligned");
  expect_violation(c().cuMemsetD32Async(p + 2, 1, 1, nullptr), 1, "aligned");
  expect_violation(c().cuMemsetD2D16Async(p, 3, 1, 2, 2, nullptr), 1, "pitch");
}

TEST_F(cuda_memory, is_copied_in_two_and_three_dimensions) {
  bytes host(4 * 5 * 7);
  std::iota(host.begin(), host.end(), static_cast<unsigned char>(0));
  const CUdeviceptr_t p = memory(1000);
  CUDA_MEMCPY3D_t d{};
  d.srcMemoryType = 1;
  d.srcHost = host.data();
  d.srcPitch = 7;
  d.srcHeight = 5;
  d.srcXInBytes = 1;
  d.srcY = 2;
  d.srcZ = 1;
  d.dstMemoryType = 2;
  d.dstDevice = p;
  d.dstPitch = 10;
  d.dstHeight = 6;
  d.WidthInBytes = 3;
  d.Height = 2;
  d.Depth = 3;
  ASSERT_EQ(c().cuMemcpy3DAsync_v2(&d, nullptr), 0);
  ASSERT_EQ(c().cuCtxSynchronize(), 0);
  const auto seen = read<unsigned char>(p, 1000);
  for (unsigned z = 0; z < 3; ++z)
    for (unsigned y = 0; y < 2; ++y)
      for (unsigned x = 0; x < 3; ++x)
        EXPECT_EQ(seen[(z * 6 + y) * 10 + x], host[((z + 1) * 5 + y + 2) * 7 + x + 1]);
  EXPECT_EQ(seen[3], 0xa5);
  CUDA_MEMCPY2D_t f{};
  f.srcMemoryType = 2;
  f.srcDevice = p;
  f.srcPitch = 10;
  f.dstMemoryType = 1;
  bytes back(6);
  f.dstHost = back.data();
  f.dstPitch = 3;
  f.WidthInBytes = 3;
  f.Height = 2;
  ASSERT_EQ(c().cuMemcpy2DAsync_v2(&f, nullptr), 0);
  ASSERT_EQ(c().cuCtxSynchronize(), 0);
  EXPECT_EQ(back, (bytes{seen[0], seen[1], seen[2], seen[10], seen[11], seen[12]}));
  EXPECT_EQ(c().control->violations(), 0U);

  f.dstPitch = 2;
  expect_violation(c().cuMemcpy2DAsync_v2(&f, nullptr), 1, "pitch");
  // The largest pitch there is, whatever is copied.
  f.dstPitch = std::size_t{1} << 31;
  f.Height = 1;
  expect_violation(c().cuMemcpy2DAsync_v2(&f, nullptr), 1, "too large");
  d.srcHeight = 3;
  expect_violation(c().cuMemcpy3DAsync_v2(&d, nullptr), 1, "fewer rows");
  d.srcHeight = 5;
  d.reserved0 = &d;
  expect_violation(c().cuMemcpy3DAsync_v2(&d, nullptr), 1, "reserved");
  d.reserved0 = nullptr;
  d.srcMemoryType = 3;
  expect_violation(c().cuMemcpy3DAsync_v2(&d, nullptr), 1, "type 3");
  d.srcMemoryType = 1;
  d.dstPitch = 800;
  expect_violation(c().cuMemcpy3DAsync_v2(&d, nullptr), 1, "has only");
}

TEST_F(cuda_memory, goes_between_devices) {
  const CUdeviceptr_t p = memory(8);
  ASSERT_EQ(c().cuCtxSetCurrent(context[1]), 0);
  const CUdeviceptr_t q = memory(8);
  write<std::uint64_t>(q, {42});
  ASSERT_EQ(c().cuMemcpyPeerAsync(p, context[0], q, context[1], 8, nullptr), 0);
  ASSERT_EQ(c().cuCtxSynchronize(), 0);
  EXPECT_EQ(read<std::uint64_t>(p, 1)[0], 42U);
  EXPECT_EQ(c().control->copies(copied::between_devices), 1U);
  EXPECT_EQ(c().control->copied_bytes(copied::between_devices), 8U);
  EXPECT_EQ(c().control->copied_bytes(copied::host_to_device), 8U);
  expect_violation(c().cuMemcpyPeerAsync(p, context[1], q, context[0], 8, nullptr), 1,
                   "not of the context");
}

TEST_F(cuda_memory, is_not_freed_while_work_uses_it) {
  void* s = stream();
  const CUdeviceptr_t q = memory(64);
  bytes host(64);
  c().control->hold(true);
  ASSERT_EQ(c().cuMemcpyHtoDAsync_v2(q, host.data(), 64, s), 0);
  std::atomic<bool> freed{false};
  std::thread later([&] {
    while (c().control->violations() == 0 && !freed) std::this_thread::yield();
    c().control->hold(false);
  });
  EXPECT_EQ(c().cuMemFree_v2(q), 0);
  freed = true;
  later.join();
  expect_violation(0, 0, "while work that uses it is under way");
}

TEST_F(cuda_memory, says_what_it_is) {
  const CUdeviceptr_t p = memory(64);
  unsigned type = 0;
  int device = -1;
  CUdeviceptr_t start = 0;
  ASSERT_EQ(c().cuPointerGetAttribute(&type, 2, p + 5), 0);
  ASSERT_EQ(c().cuPointerGetAttribute(&device, 9, p + 5), 0);
  ASSERT_EQ(c().cuPointerGetAttribute(&start, 11, p + 5), 0);
  EXPECT_EQ(type, 2U);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(start, p);
  expect_refusal(c().cuPointerGetAttribute(&type, 2, reinterpret_cast<CUdeviceptr_t>(&type)), 1);
}

TEST_F(cuda_memory, tells_several_things_at_once_of_memory_that_it_knows_and_that_it_does_not) {
  const CUdeviceptr_t p = memory(64);
  unsigned type = 7;
  bool managed = true;
  int device = 7;
  CUdeviceptr_t host = 7;
  int asked[] = {2, 8, 9, 4};
  void* answers[] = {&type, &managed, &device, &host};
  ASSERT_EQ(c().cuPointerGetAttributes(4, asked, answers, p + 5), 0);
  EXPECT_EQ(type, 2U);
  EXPECT_FALSE(managed);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(host, 0U) << "the host does not reach it";
  ASSERT_EQ(c().cuPointerGetAttributes(4, asked, answers, reinterpret_cast<CUdeviceptr_t>(&type)),
            0);
  EXPECT_EQ(type, 0U);
  EXPECT_EQ(device, -2);
  expect_violation(c().cuPointerGetAttributes(0, asked, answers, p), 1);
  asked[0] = 99;
  expect_violation(c().cuPointerGetAttributes(1, asked, answers, p), 1, "99");
}

TEST_F(cuda_memory, of_the_programs_own_is_locked_until_it_is_let_go) {
  alignas(4096) static unsigned char page[8192];
  ASSERT_EQ(c().cuMemHostRegister_v2(page + 100, 1000, 1), 0);
  EXPECT_EQ(c().control->live("locked memory"), 1U);
  unsigned type = 0;
  ASSERT_EQ(c().cuPointerGetAttribute(&type, 2, reinterpret_cast<CUdeviceptr_t>(page + 100)), 0);
  EXPECT_EQ(type, 1U);
  expect_refusal(c().cuMemHostRegister_v2(page + 2000, 10, 1), 712);  // the same page
  ASSERT_EQ(c().cuMemHostRegister_v2(page + 4096, 10, 1), 0);
  expect_violation(c().cuMemHostUnregister(page + 101), 713);
  expect_violation(c().cuMemFreeHost(page + 100), 1);
  EXPECT_EQ(c().cuMemHostUnregister(page + 4096), 0);
  EXPECT_EQ(c().cuMemHostUnregister(page + 100), 0);
  EXPECT_EQ(c().control->live("locked memory"), 0U);
  expect_violation(c().cuMemHostRegister_v2(nullptr, 10, 1), 1);
}

TEST_F(cuda_memory, that_is_locked_in_part_is_not_copied) {
  alignas(4096) static unsigned char pages[3 * 4096];
  const CUdeviceptr_t p = memory(sizeof pages);
  ASSERT_EQ(c().cuMemHostRegister_v2(pages + 4096, 100, 1), 0);
  EXPECT_EQ(c().cuMemcpyHtoDAsync_v2(p, pages, 4096, nullptr), 0);
  EXPECT_EQ(c().cuMemcpyHtoDAsync_v2(p, pages + 8192, 4096, nullptr), 0);
  EXPECT_EQ(c().cuMemcpyHtoDAsync_v2(p, pages + 4096, 100, nullptr), 0);
  EXPECT_EQ(c().cuMemcpyHtoDAsync_v2(p, pages + 4096 + 100, 100, nullptr), 0) << "the same page";
  expect_violation(c().cuMemcpyHtoDAsync_v2(p, pages + 4000, 100, nullptr), 1, "not all");
  expect_violation(c().cuMemcpyDtoHAsync_v2(pages + 8000, p, 1000, nullptr), 1, "not all");
  EXPECT_EQ(c().cuMemHostUnregister(pages + 4096), 0);
}

TEST_F(cuda_memory, that_is_locked_must_not_be_let_go_while_it_is_used) {
  alignas(4096) static unsigned char page[4096];
  const CUdeviceptr_t p = memory(64);
  ASSERT_EQ(c().cuMemHostRegister_v2(page, 64, 1), 0);
  c().control->hold(true);
  // Does not wait, as copies from pageable memory may.
  ASSERT_EQ(c().cuMemcpyHtoDAsync_v2(p, page, 64, stream()), 0);
  std::thread later([&] {
    while (c().control->violations() == 0) std::this_thread::yield();
    c().control->hold(false);
  });
  EXPECT_EQ(c().cuMemHostUnregister(page), 0);
  later.join();
  EXPECT_EQ(c().control->violations(), 1U) << c().control->last_violation();
  c().control->reset();
}

}  // namespace
}  // namespace pianola::test
