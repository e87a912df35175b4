// SPDX-License-Identifier: Apache-2.0
// Streams that the program captures for itself, with Pianola at work beside.
#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include "conformance.hpp"

namespace pianola::test {
namespace {

class captures_of_the_program : public ::testing::TestWithParam<std::string> {
 protected:
  void* symbol(const char* of_cuda, const char* of_hip) {
    const bool cuda = GetParam() == "cuda";
    const char* const chosen = std::getenv(cuda ? "PIANOLA_CUDA_DRIVER" : "PIANOLA_HIP_RUNTIME");
    const char* const usual = cuda ? "libcuda.so.1" : "libamdhip64.so.5";
    void* const library = dlopen(chosen != nullptr ? chosen : usual, RTLD_NOW);
    void* const f = library == nullptr ? nullptr : dlsym(library, cuda ? of_cuda : of_hip);
    if (f == nullptr) throw std::runtime_error(std::string("no ") + of_cuda);
    return f;
  }
  // In the way that libraries do it unless they are told otherwise: no thread may do what the graph would miss.
  void begin() {
    constexpr int global = 0;
    if (GetParam() == "cuda") {
      executors::native_request context;
      context.what = model::native_kind::context;
      void* native = nullptr;
      ASSERT_TRUE(r.backend().native_handle(context, native).ok());
      ASSERT_EQ(reinterpret_cast<int (*)(void*)>(symbol("cuCtxSetCurrent", ""))(native), 0);
    }
    ASSERT_EQ(reinterpret_cast<int (*)(void**, unsigned)>(
                  symbol("cuStreamCreate", "hipStreamCreateWithFlags"))(&stream_, 1),
              0);
    ASSERT_EQ(reinterpret_cast<int (*)(void*, int)>(
                  symbol("cuStreamBeginCapture_v2", "hipStreamBeginCapture"))(stream_, global),
              0);
  }
  // It has not been lost.
  void end() {
    void* graph = nullptr;
    EXPECT_EQ(reinterpret_cast<int (*)(void*, void**)>(
                  symbol("cuStreamEndCapture", "hipStreamEndCapture"))(stream_, &graph),
              0);
    EXPECT_EQ(reinterpret_cast<int (*)(void*)>(symbol("cuGraphDestroy", "hipGraphDestroy"))(graph),
              0);
    EXPECT_EQ(
        reinterpret_cast<int (*)(void*)>(symbol("cuStreamDestroy_v2", "hipStreamDestroy"))(stream_),
        0);
  }
  // Allocates, loads a kernel, runs it, waits and frees.
  void work() {
    void* memory = nullptr;
    ASSERT_TRUE(r.backend().allocate(0, executors::memory_kind::device, 64, 0, memory).ok());
    auto* const data = static_cast<std::uint64_t*>(memory);
    const std::vector<std::uint64_t> before(8, 1);
    r.upload(data, before.data(), 64);
    affine_kernel affine;
    affine_object argument{data, 2};
    executors::lane& lane = r.lane();
    for (int i = 0; i < 20; ++i) r.submit(lane, affine.with(argument, 8));
    r.wait(lane);
    std::uint64_t expected = 1, got = 0;
    for (int i = 0; i < 20; ++i) expected = affine_kernel::apply(expected, 2);
    r.download(&got, data, 8);
    EXPECT_EQ(got, expected);
    r.backend().deallocate(0, executors::memory_kind::device, data);
  }

  rig r{GetParam()};
  void* stream_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(on, captures_of_the_program,
                         ::testing::Values(std::string("cuda"), std::string("hip")),
                         backend_suffix);

TEST_P(captures_of_the_program, are_not_lost_by_what_other_threads_do) {
  begin();
  std::thread([&] { work(); }).join();
  end();
}

TEST_P(captures_of_the_program, are_not_lost_by_what_the_thread_does) {
  begin();
  work();
  end();
}

}  // namespace
}  // namespace pianola::test
