// SPDX-License-Identifier: Apache-2.0
// compiled alone: others have its short names, too.
#include <thread>

#include "cuda_fixture.hpp"

namespace pianola::test {
namespace {

class cuda_streams : public cuda_double {};
class cuda_contexts : public cuda_double {};

TEST_F(cuda_streams, finish_when_their_work_has) {
  void* s = stream();
  EXPECT_EQ(c().cuStreamQuery(s), 0);
  const CUdeviceptr_t p = memory(16);
  c().control->hold(true);
  ASSERT_EQ(c().cuMemsetD8Async(p, 1, 16, s), 0);
  expect_refusal(c().cuStreamQuery(s), 600);
  EXPECT_FALSE(c().control->idle());
  c().control->hold(false);
  EXPECT_EQ(c().cuStreamSynchronize(s), 0);
  EXPECT_EQ(c().cuStreamQuery(s), 0);
  EXPECT_TRUE(c().control->idle());
}

TEST_F(cuda_streams, tell_their_context) {
  ASSERT_EQ(c().cuCtxSetCurrent(context[1]), 0);
  void *s = stream(), *theirs = nullptr;
  ASSERT_EQ(c().cuCtxSetCurrent(context[0]), 0);
  ASSERT_EQ(c().cuStreamGetCtx(s, &theirs), 0);
  EXPECT_EQ(theirs, context[1]);
  ASSERT_EQ(c().cuStreamDestroy_v2(s), 0);
  expect_violation(c().cuStreamGetCtx(s, &theirs), 400, "destroyed");
}

TEST_F(cuda_streams, wait_for_events_and_for_nothing_else) {
  void *s = stream(), *t = stream(), *e = event();
  const CUdeviceptr_t p = memory(16);
  c().control->hold(true);
  ASSERT_EQ(c().cuMemsetD8Async(p, 1, 16, s), 0);
  ASSERT_EQ(c().cuEventRecord(e, s), 0);
  ASSERT_EQ(c().cuStreamWaitEvent(t, e, 0), 0);
  EXPECT_EQ(c().cuEventQuery(e), 600);
  EXPECT_EQ(c().cuStreamQuery(t), 600);
  EXPECT_EQ(c().cuStreamQuery(stream()), 0);
  c().control->hold(false);
  EXPECT_EQ(c().cuStreamSynchronize(t), 0);
  EXPECT_EQ(c().cuEventQuery(e), 0);
  EXPECT_EQ(c().cuStreamQuery(s), 0);
}

TEST_F(cuda_streams, that_are_blocking_wait_for_the_default_stream_and_it_for_them) {
  void *blocking = stream(0), *free = stream(1);
  const CUdeviceptr_t p = memory(16);
  c().control->hold(true);
  ASSERT_EQ(c().cuMemsetD8Async(p, 1, 16, blocking), 0);
  ASSERT_EQ(c().cuMemsetD8Async(p, 2, 16, nullptr), 0);
  ASSERT_EQ(c().cuMemsetD8Async(p, 3, 16, blocking), 0);
  EXPECT_EQ(c().cuStreamQuery(free), 0);
  c().control->hold(false);
  ASSERT_EQ(c().cuStreamSynchronize(blocking), 0);
  EXPECT_EQ(read<unsigned char>(p, 1)[0], 3);
}

TEST_F(cuda_streams, and_events_that_are_gone_are_not_used) {
  void *s = stream(), *e = event();
  ASSERT_EQ(c().cuStreamDestroy_v2(s), 0);
  ASSERT_EQ(c().cuEventDestroy_v2(e), 0);
  expect_violation(c().cuStreamQuery(s), 400, "a stream that has been destroyed");
  expect_violation(c().cuStreamDestroy_v2(s), 400, "destroyed");
  expect_violation(c().cuEventQuery(e), 400, "an event that has been destroyed");
  expect_violation(c().cuEventRecord(e, nullptr), 400);
  expect_violation(c().cuStreamQuery(event()), 400, "got an event");
  expect_violation(c().cuStreamQuery(&s), 400, "no handle");
  expect_violation(c().cuMemsetD8Async(memory(4), 1, 4, s), 400, "destroyed");
}

TEST_F(cuda_streams, go_on_after_their_destruction) {
  void *s = stream(), *e = event();
  const CUdeviceptr_t p = memory(16);
  c().control->hold(true);
  ASSERT_EQ(c().cuMemsetD8Async(p, 9, 16, s), 0);
  ASSERT_EQ(c().cuEventRecord(e, s), 0);
  ASSERT_EQ(c().cuStreamDestroy_v2(s), 0);
  c().control->hold(false);
  ASSERT_EQ(c().cuEventSynchronize(e), 0);
  EXPECT_EQ(read<unsigned char>(p, 16)[15], 9);
}

TEST_F(cuda_streams, of_one_context_take_no_events_of_another) {
  void* e = event();
  ASSERT_EQ(c().cuCtxSetCurrent(context[1]), 0);
  void* s = stream();
  expect_violation(c().cuEventRecord(e, s), 400, "different contexts");
  // Waiting is allowed.
  EXPECT_EQ(c().cuStreamWaitEvent(s, e, 0), 0);
}

TEST_F(cuda_streams, keep_time_where_the_event_was_made_to) {
  void *a = event(0), *b = event(0), *without = event(2), *never = event(0), *s = stream();
  float t = -1;
  ASSERT_EQ(c().cuEventRecord(a, s), 0);
  ASSERT_EQ(c().cuEventRecord(without, s), 0);
  ASSERT_EQ(c().cuStreamSynchronize(s), 0);
  expect_violation(c().cuEventElapsedTime(&t, a, without), 400, "keeps no time");
  expect_violation(c().cuEventElapsedTime(&t, a, never), 400, "not been recorded");
  c().control->hold(true);
  ASSERT_EQ(c().cuEventRecord(b, s), 0);
  expect_refusal(c().cuEventElapsedTime(&t, a, b), 600);
  c().control->hold(false);
  ASSERT_EQ(c().cuEventSynchronize(b), 0);
  ASSERT_EQ(c().cuEventElapsedTime(&t, a, b), 0);
  EXPECT_GE(t, 0.0F);
}

TEST_F(cuda_streams, do_what_was_asked_before_an_event_was_recorded_again) {
  void *s = stream(), *t = stream(), *e = event();
  ASSERT_EQ(c().cuEventRecord(e, s), 0);
  ASSERT_EQ(c().cuStreamWaitEvent(t, e, 0), 0);
  ASSERT_EQ(c().cuStreamSynchronize(t), 0);
  const CUdeviceptr_t p = memory(4);
  c().control->hold(true);
  ASSERT_EQ(c().cuMemsetD8Async(p, 1, 4, s), 0);
  ASSERT_EQ(c().cuEventRecord(e, s), 0);
  // The wait was for the first time.
  EXPECT_EQ(c().cuStreamQuery(t), 0);
  EXPECT_EQ(c().cuEventQuery(e), 600);
}

TEST_F(cuda_contexts, are_counted_and_end_all_that_is_theirs) {
  void* again = nullptr;
  ASSERT_EQ(c().cuDevicePrimaryCtxRetain(&again, 1), 0);
  EXPECT_EQ(again, context[1]);
  ASSERT_EQ(c().cuCtxSetCurrent(context[1]), 0);
  memory(10);
  stream();
  ASSERT_EQ(c().cuDevicePrimaryCtxRelease_v2(1), 0);
  EXPECT_EQ(c().control->live("stream"), 1U);
  ASSERT_EQ(c().cuDevicePrimaryCtxRelease_v2(1), 0);
  EXPECT_EQ(c().control->live("stream"), 0U);
  EXPECT_EQ(c().control->live("allocation"), 0U);
  EXPECT_EQ(c().control->live("context"), 1U);
  CUdeviceptr_t p = 0;
  expect_violation(c().cuMemAlloc_v2(&p, 4), 709, "destroyed");
  expect_violation(c().cuCtxSetCurrent(context[1]), 201, "destroyed");
  expect_violation(c().cuDevicePrimaryCtxRelease_v2(1), 201, "not retained");
}

TEST_F(cuda_contexts, are_pushed_and_popped_by_each_thread) {
  void* now = nullptr;
  ASSERT_EQ(c().cuCtxPushCurrent_v2(context[1]), 0);
  ASSERT_EQ(c().cuCtxGetCurrent(&now), 0);
  EXPECT_EQ(now, context[1]);
  std::thread([&] {
    void* there = this;
    EXPECT_EQ(c().cuCtxGetCurrent(&there), 0);
    EXPECT_EQ(there, nullptr);
  }).join();
  ASSERT_EQ(c().cuCtxPopCurrent_v2(&now), 0);
  EXPECT_EQ(now, context[1]);
  ASSERT_EQ(c().cuCtxGetCurrent(&now), 0);
  EXPECT_EQ(now, context[0]);
  ASSERT_EQ(c().cuCtxSetCurrent(nullptr), 0);
  expect_violation(c().cuCtxPopCurrent_v2(&now), 201);
}

TEST_F(cuda_contexts, know_their_devices) {
  int n = 0;
  ASSERT_EQ(c().cuDeviceGetCount(&n), 0);
  EXPECT_EQ(n, 2);
  int device = -1;
  expect_violation(c().cuDeviceGet(&device, 2), 101);
  expect_violation(c().cuDeviceGetAttribute(&n, 9999, 0), 1, "9999");
  ASSERT_EQ(c().cuDeviceCanAccessPeer(&n, 0, 1), 0);
  EXPECT_EQ(n, 1);
  ASSERT_EQ(c().cuDeviceCanAccessPeer(&n, 1, 1), 0);
  EXPECT_EQ(n, 0);
  const char* text = nullptr;
  ASSERT_EQ(c().cuGetErrorName(700, &text), 0);
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(c().cuGetErrorString(12345, &text), 1);
}

class cuda_control : public cuda_double {};

TEST_F(cuda_control, makes_calls_fail) {
  EXPECT_FALSE(c().control->fail("cuNoSuchCall", 1, 2));
  ASSERT_TRUE(c().control->fail("cuMemAlloc_v2", 2, 2));
  CUdeviceptr_t p = memory(4);
  expect_refusal(c().cuMemAlloc_v2(&p, 4), 2);
  memory(4);
  EXPECT_EQ(c().control->calls("cuMemAlloc_v2"), 3U);
}

TEST_F(cuda_control, makes_work_fail_and_the_context_with_it) {
  const CUdeviceptr_t p = memory(4);
  ASSERT_TRUE(c().control->fail("fill", 1, 719));
  ASSERT_EQ(c().cuMemsetD8Async(p, 1, 4, nullptr), 0);
  EXPECT_EQ(c().cuCtxSynchronize(), 719);
  CUdeviceptr_t q = 0;
  expect_refusal(c().cuMemAlloc_v2(&q, 4), 719);
  expect_refusal(c().cuMemFree_v2(p), 719);
  // The other device goes on.
  ASSERT_EQ(c().cuCtxSetCurrent(context[1]), 0);
  EXPECT_EQ(c().cuMemAlloc_v2(&q, 4), 0);
}

TEST_F(cuda_control, counts_what_is_alive) {
  void *s = stream(), *e = event();
  memory(4);
  EXPECT_EQ(c().control->live("stream"), 1U);
  EXPECT_EQ(c().control->live("event"), 1U);
  EXPECT_EQ(c().control->live("allocation"), 1U);
  EXPECT_EQ(c().control->live("context"), 2U);
  c().cuStreamDestroy_v2(s);
  c().cuEventDestroy_v2(e);
  EXPECT_EQ(c().control->live("stream"), 0U);
  EXPECT_EQ(c().control->live("event"), 0U);
}

TEST_F(cuda_control, aborts_where_it_is_strict) {
  CUdeviceptr_t p = 0;
  EXPECT_DEATH(
      {
        c().control->set_strict(true);
        c().cuMemAlloc_v2(&p, 0);
      },
      "violation: cuMemAlloc_v2: 0 bytes");
}

}  // namespace
}  // namespace pianola::test
