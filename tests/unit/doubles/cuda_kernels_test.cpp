// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <thread>

#include "cuda_fixture.hpp"

namespace pianola::test {
namespace {

class cuda_kernels : public cuda_double {};

TEST_F(cuda_kernels, run_every_work_item) {
  void* f = function("affine");
  const CUdeviceptr_t p = memory(1000 * 8);
  write(p, std::vector<std::uint64_t>(1000, 5));
  ASSERT_EQ(launch(f, nullptr, affine_object{reinterpret_cast<std::uint64_t*>(p), 2}, 16, 64, 1000),
            0);
  ASSERT_EQ(c().cuCtxSynchronize(), 0);
  EXPECT_EQ(read<std::uint64_t>(p, 1000), std::vector<std::uint64_t>(1000, 17));
  EXPECT_EQ(c().control->kernels(), 1U);
}

TEST_F(cuda_kernels, have_local_memory_and_barriers) {
  void* f = function("reverse");
  const CUdeviceptr_t p = memory(64 * 4);
  std::vector<std::uint32_t> v(64);
  for (std::uint32_t i = 0; i < 64; ++i) v[i] = i;
  write(p, v);
  ASSERT_EQ(launch(f, nullptr, store_object{reinterpret_cast<std::uint32_t*>(p), 0}, 1, 64, 0, 256),
            0);
  ASSERT_EQ(c().cuCtxSynchronize(), 0);
  const auto seen = read<std::uint32_t>(p, 64);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(seen[i], 63 - i);
}

TEST_F(cuda_kernels, reach_host_and_managed_memory) {
  void* f = function("store");
  void* h = nullptr;
  CUdeviceptr_t m = 0;
  ASSERT_EQ(c().cuMemHostAlloc(&h, 4, 0), 0);
  ASSERT_EQ(c().cuMemAllocManaged(&m, 4, 1), 0);
  ASSERT_EQ(launch(f, nullptr, store_object{static_cast<std::uint32_t*>(h), 7}, 1, 1), 0);
  ASSERT_EQ(launch(f, nullptr, store_object{reinterpret_cast<std::uint32_t*>(m), 8}, 1, 1), 0);
  ASSERT_EQ(c().cuCtxSynchronize(), 0);
  EXPECT_EQ(*static_cast<std::uint32_t*>(h), 7U);
  EXPECT_EQ(*reinterpret_cast<std::uint32_t*>(m), 8U);
}

TEST_F(cuda_kernels, that_follow_pointers_of_the_program_lose_the_context) {
  void* f = function("store");
  std::uint32_t x = 0;
  ASSERT_EQ(launch(f, nullptr, store_object{&x, 7}, 1, 1), 0);
  EXPECT_EQ(c().cuCtxSynchronize(), 700);
  EXPECT_EQ(c().control->violations(), 0U);
  EXPECT_EQ(x, 0U);
  CUdeviceptr_t p = 0;
  expect_refusal(c().cuMemAlloc_v2(&p, 4), 700);
  expect_refusal(launch(f, nullptr, store_object{&x, 7}, 1, 1), 700);
  ASSERT_EQ(c().cuCtxSetCurrent(context[1]), 0);
  EXPECT_EQ(c().cuMemAlloc_v2(&p, 4), 0);
}

TEST_F(cuda_kernels, that_use_memory_after_it_was_freed_lose_the_context) {
  void* f = function("store");
  const CUdeviceptr_t p = memory(4);
  ASSERT_EQ(c().cuMemFree_v2(p), 0);
  ASSERT_EQ(launch(f, nullptr, store_object{reinterpret_cast<std::uint32_t*>(p), 7}, 1, 1), 0);
  EXPECT_EQ(c().cuCtxSynchronize(), 700);
}

TEST_F(cuda_kernels, that_find_their_memory_freed_are_a_violation) {
  void* f = function("store");
  const CUdeviceptr_t p = memory(4);
  c().control->hold(true);
  ASSERT_EQ(launch(f, nullptr, store_object{reinterpret_cast<std::uint32_t*>(p), 7}, 1, 1), 0);
  EXPECT_EQ(c().cuMemFree_v2(p), 0);
  c().control->hold(false);
  EXPECT_EQ(c().cuCtxSynchronize(), 700);
  expect_violation(0, 0, "was freed before store, which uses it, had finished");
}

// Between the members of a function object lies what happened to be in memory before.
TEST_F(cuda_kernels, may_be_given_addresses_of_freed_memory_that_they_do_not_use) {
  void* f = function("affine");
  const CUdeviceptr_t p = memory(8), q = memory(8);
  write(p, std::vector<std::uint64_t>(1, 5));
  c().control->hold(true);
  ASSERT_EQ(launch(f, nullptr, affine_object{reinterpret_cast<std::uint64_t*>(p), q}, 1, 1), 0);
  EXPECT_EQ(c().cuMemFree_v2(q), 0);
  c().control->hold(false);
  EXPECT_EQ(c().cuCtxSynchronize(), 0);
  EXPECT_EQ(read<std::uint64_t>(p, 1)[0], 15 + q);
  EXPECT_EQ(c().control->violations(), 0U);
}

TEST_F(cuda_kernels, print_to_the_output_of_the_program) {
  void* f = function("say");
  // The process that runs kernels has been started: it knows nothing of where output goes from now on.
  testing::internal::CaptureStdout();
  EXPECT_EQ(launch(f, nullptr, store_object{nullptr, 2}, 1, 2), 0);
  EXPECT_EQ(c().cuCtxSynchronize(), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "2 work-items\n2 work-items\n");
}

TEST_F(cuda_kernels, keep_what_they_print_until_the_driver_is_waited_for) {
  void *f = function("say"), *s = stream(), *e = event();
  testing::internal::CaptureStdout();
  EXPECT_EQ(launch(f, s, store_object{nullptr, 3}, 1, 1), 0);
  ASSERT_EQ(c().cuEventRecord(e, s), 0);
  while (c().cuEventQuery(e) != 0) std::this_thread::yield();
  while (c().cuStreamQuery(s) != 0) std::this_thread::yield();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "") << "asking is not waiting";
  testing::internal::CaptureStdout();
  ASSERT_EQ(c().cuEventSynchronize(e), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "3 work-items\n");
}

TEST_F(cuda_kernels, that_leave_their_allocation_lose_the_context) {
  void* f = function("affine");
  const CUdeviceptr_t p = memory(256);
  ASSERT_EQ(launch(f, nullptr, affine_object{reinterpret_cast<std::uint64_t*>(p), 2}, 1, 33), 0);
  EXPECT_EQ(c().cuCtxSynchronize(), 700);
}

TEST_F(cuda_kernels, that_write_just_behind_their_allocation_are_noticed_when_it_is_freed) {
  void* f = function("affine");
  const CUdeviceptr_t p = memory(128);
  ASSERT_EQ(launch(f, nullptr, affine_object{reinterpret_cast<std::uint64_t*>(p), 2}, 1, 17), 0);
  ASSERT_EQ(c().cuCtxSynchronize(), 0);
  expect_violation(c().cuMemFree_v2(p), 0, "behind the 128 bytes");
}

TEST_F(cuda_kernels, reach_another_device_where_that_was_enabled) {
  ASSERT_EQ(c().cuCtxSetCurrent(context[1]), 0);
  const CUdeviceptr_t p = memory(4);
  ASSERT_EQ(c().cuCtxSetCurrent(context[0]), 0);
  void* f = function("store");
  const store_object object{reinterpret_cast<std::uint32_t*>(p), 7};
  ASSERT_EQ(c().cuCtxEnablePeerAccess(context[1], 0), 0);
  expect_refusal(c().cuCtxEnablePeerAccess(context[1], 0), 704);
  ASSERT_EQ(launch(f, nullptr, object, 1, 1), 0);
  ASSERT_EQ(c().cuCtxSynchronize(), 0);
  EXPECT_EQ(read<std::uint32_t>(p, 1)[0], 7U);
  // And not in the other direction.
  const CUdeviceptr_t q = memory(4);
  ASSERT_EQ(c().cuCtxSetCurrent(context[1]), 0);
  ASSERT_EQ(launch(function("store"), nullptr, store_object{reinterpret_cast<std::uint32_t*>(q), 7},
                   1, 1),
            0);
  EXPECT_EQ(c().cuCtxSynchronize(), 700);
}

TEST_F(cuda_kernels, that_give_up_lose_the_context) {
  ASSERT_EQ(launch(function("give_up"), nullptr, store_object{nullptr, 7}, 1, 1), 0);
  EXPECT_EQ(c().cuCtxSynchronize(), 719);
}

TEST_F(cuda_kernels, whose_work_items_wait_for_different_things_lose_the_context) {
  ASSERT_EQ(launch(function("part_ways"), nullptr, store_object{nullptr, 7}, 1, 2), 0);
  EXPECT_EQ(c().cuCtxSynchronize(), 719);
}

TEST_F(cuda_kernels, take_parameters_of_many_bytes_up_to_a_limit) {
  auto object = std::make_unique<large_object>();
  EXPECT_EQ(sizeof *object, 40008U);
  void* f = function("large");
  pianola_launch l{{1, 1, 1}, {0, 0, 0}};
  void* parameters[] = {object.get(), &l};
  expect_violation(c().cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr), 701,
                   "40056 bytes");
}

TEST_F(cuda_kernels, take_their_parameters_in_either_of_two_ways) {
  void* f = function("store");
  const CUdeviceptr_t p = memory(4);
  struct {
    store_object object;
    pianola_launch launch;
  } packed{{reinterpret_cast<std::uint32_t*>(p), 11}, {{1, 1, 1}, {0, 0, 0}}};
  std::size_t bytes = sizeof packed;
  void* extra[] = {reinterpret_cast<void*>(1), &packed, reinterpret_cast<void*>(2), &bytes,
                   nullptr};
  ASSERT_EQ(c().cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra), 0);
  ASSERT_EQ(c().cuCtxSynchronize(), 0);
  EXPECT_EQ(read<std::uint32_t>(p, 1)[0], 11U);
  --bytes;
  expect_violation(c().cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra), 1,
                   "64 bytes, not 63");
  void* parameters[] = {&packed.object, &packed.launch};
  expect_violation(c().cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, extra), 1,
                   "one way");
  expect_violation(c().cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), 1,
                   "one way");
  parameters[1] = nullptr;
  expect_violation(c().cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr), 1,
                   "null");
}

TEST_F(cuda_kernels, have_limits_of_groups_and_grids) {
  void* f = function("store");
  store_object object{nullptr, 1};
  pianola_launch l{{1, 1, 0}, {0, 0, 0}};
  void* parameters[] = {&object, &l};
  const auto run = [&](unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                       unsigned bz) {
    return c().cuLaunchKernel(f, gx, gy, gz, bx, by, bz, 0, nullptr, parameters, nullptr);
  };
  expect_violation(run(0, 1, 1, 1, 1, 1), 1, "grid");
  expect_violation(run(1, 65536, 1, 1, 1, 1), 1, "grid");
  expect_violation(run(1, 1, 65536, 1, 1, 1), 1, "grid");
  expect_violation(run(0x80000000U, 1, 1, 1, 1, 1), 1, "grid");
  expect_violation(run(1, 1, 1, 1025, 1, 1), 1, "groups");
  expect_violation(run(1, 1, 1, 1, 1, 65), 1, "groups");
  expect_violation(run(1, 1, 1, 512, 4, 1), 1, "2048");
  expect_violation(run(1, 1, 1, 1, 0, 1), 1, "groups");
  l.global[2] = 65;
  expect_violation(run(1, 1, 1, 64, 1, 1), 1, "fewer work-items");
}

TEST_F(cuda_kernels, must_be_allowed_much_local_memory) {
  void* f = function("store");
  void* h = nullptr;
  ASSERT_EQ(c().cuMemHostAlloc(&h, 4, 0), 0);
  const store_object object{static_cast<std::uint32_t*>(h), 1};
  EXPECT_EQ(launch(f, nullptr, object, 1, 1, 0, 48000), 0);
  expect_violation(launch(f, nullptr, object, 1, 1, 0, 49153), 1, "dynamic local memory");
  EXPECT_EQ(c().cuFuncSetAttribute(f, 8, 100000), 0);
  EXPECT_EQ(launch(f, nullptr, object, 1, 1, 0, 100000), 0);
  expect_violation(launch(f, nullptr, object, 1, 1, 0, 100001), 1);
  expect_violation(c().cuFuncSetAttribute(f, 8, 232448), 1, "has 232448");
  int value = 0;
  ASSERT_EQ(c().cuFuncGetAttribute(&value, 8, f), 0);
  EXPECT_EQ(value, 100000);
  ASSERT_EQ(c().cuCtxSynchronize(), 0);
}

TEST_F(cuda_kernels, are_of_the_context_of_their_stream) {
  void* f = function("store");
  ASSERT_EQ(c().cuCtxSetCurrent(context[1]), 0);
  void* s = stream();
  expect_violation(launch(f, s, store_object{nullptr, 1}, 1, 1), 400, "another context");
  void* g = function("store");
  ASSERT_EQ(c().cuCtxSetCurrent(context[0]), 0);
  expect_violation(launch(g, s, store_object{nullptr, 1}, 1, 1), 201, "not the current one");
}

TEST_F(cuda_kernels, are_found_in_images_only) {
  void *m = nullptr, *f = nullptr;
  char log[200] = "";
  const int options[] = {5, 6};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  expect_refusal(c().cuModuleLoadDataEx(&m, ".version 8.0", 2, options, values), 209);
  std::string newer = image_bytes();
  newer[8] = 8;  // e_ident[EI_ABIVERSION]
  expect_refusal(c().cuModuleLoadDataEx(&m, newer.data(), 2, options, values), 200);
  EXPECT_STRNE(log, "");
  ASSERT_EQ(c().cuModuleLoadDataEx(&m, image_bytes().data(), 0, nullptr, nullptr), 0);
  expect_refusal(c().cuModuleGetFunction(&f, m, "no_such_kernel"), 500);
  ASSERT_EQ(c().cuModuleGetFunction(&f, m, "store"), 0);
  ASSERT_EQ(c().cuModuleUnload(m), 0);
  expect_violation(launch(f, nullptr, store_object{nullptr, 1}, 1, 1), 400, "destroyed");
  expect_violation(c().cuModuleGetFunction(&f, m, "store"), 400, "destroyed");
}

TEST_F(cuda_kernels, are_launched_with_attributes) {
  const CUdeviceptr_t p = memory(4);
  store_object object{reinterpret_cast<std::uint32_t*>(p), 7};
  pianola_launch l{{1, 1, 1}, {0, 0, 0}};
  void* parameters[] = {&object, &l};
  CUlaunchAttribute_t overlapping{};
  overlapping.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION_v;
  overlapping.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig_t how{1, 1, 1, 1, 1, 1, 0, nullptr, &overlapping, 1};
  void* f = function("store");
  ASSERT_EQ(c().cuLaunchKernelEx(&how, f, parameters, nullptr), 0);
  ASSERT_EQ(c().cuCtxSynchronize(), 0);
  EXPECT_EQ(read<std::uint32_t>(p, 1)[0], 7U);
  overlapping.id = 77;
  expect_violation(c().cuLaunchKernelEx(&how, f, parameters, nullptr), 1, "77");
  how.attrs = nullptr;
  expect_violation(c().cuLaunchKernelEx(&how, f, parameters, nullptr), 1, "null");
}

}  // namespace
}  // namespace pianola::test
