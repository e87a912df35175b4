// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <pianola/abi/launch.h>
#include "cuda_calls.hpp"
#include "images/kernels.hpp"

namespace pianola::test {

inline const std::string& image_bytes() {
  static const std::string bytes = [] {
    std::ifstream file(PIANOLA_TEST_IMAGES "/driver_kernels.pianola-sim", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  return bytes;
}

// Two devices, both with contexts; the first one's is current. Violations do not abort: they are counted.
class cuda_double : public ::testing::Test {
 protected:
  static const cuda_calls& c() {
    static const cuda_calls* calls = [] {
      setenv("PIANOLA_TEST_DRIVER_DEVICES", "2", 1);
      setenv("PIANOLA_TEST_DRIVER_STRICT", "0", 1);
      auto* made = new cuda_calls;
      made->cuInit(0);
      return made;
    }();
    return *calls;
  }

  void SetUp() override {
    c().control->reset();
    for (int d = 0; d < 2; ++d) ASSERT_EQ(c().cuDevicePrimaryCtxRetain(&context[d], d), 0);
    ASSERT_EQ(c().cuCtxSetCurrent(context[0]), 0);
  }
  void TearDown() override {
    c().control->hold(false);
    for (int d = 0; d < 2; ++d) c().cuDevicePrimaryCtxReset_v2(d);
    c().cuCtxSetCurrent(nullptr);
    for (const char* kind : {"stream", "event", "module", "allocation", "context"})
      EXPECT_EQ(c().control->live(kind), 0U) << kind;
  }

  // The call breaks a rule: it returns the code, and the rule is counted once.
  void expect_violation(int returned, int code, const std::string& text = "") {
    EXPECT_EQ(returned, code);
    EXPECT_EQ(c().control->violations(), 1U) << c().control->last_violation();
    EXPECT_NE(std::string(c().control->last_violation()).find(text), std::string::npos)
        << c().control->last_violation();
    c().control->reset();
  }
  // Something that cannot be done, and no fault of the program's.
  void expect_refusal(int returned, int code) {
    EXPECT_EQ(returned, code);
    EXPECT_EQ(c().control->violations(), 0U) << c().control->last_violation();
  }

  void* stream(unsigned flags = 1) {
    void* s = nullptr;
    EXPECT_EQ(c().cuStreamCreate(&s, flags), 0);
    return s;
  }
  void* event(unsigned flags = 2) {
    void* e = nullptr;
    EXPECT_EQ(c().cuEventCreate(&e, flags), 0);
    return e;
  }
  CUdeviceptr_t memory(std::size_t bytes) {
    CUdeviceptr_t p = 0;
    EXPECT_EQ(c().cuMemAlloc_v2(&p, bytes), 0);
    return p;
  }
  void* function(const char* name) {
    void *m = nullptr, *f = nullptr;
    EXPECT_EQ(c().cuModuleLoadDataEx(&m, image_bytes().data(), 0, nullptr, nullptr), 0);
    EXPECT_EQ(c().cuModuleGetFunction(&f, m, name), 0);
    return f;
  }
  template <class Object>
  int launch(void* f, void* s, Object object, unsigned groups, unsigned size,
             std::uint64_t items = 0, unsigned local_bytes = 0) {
    pianola_launch l{{1, 1, items == 0 ? std::uint64_t{groups} * size : items}, {0, 0, 0}};
    void* parameters[] = {&object, &l};
    return c().cuLaunchKernel(f, groups, 1, 1, size, 1, 1, local_bytes, s, parameters, nullptr);
  }
  template <class T>
  std::vector<T> read(CUdeviceptr_t from, std::size_t n) {
    std::vector<T> v(n);
    EXPECT_EQ(c().cuMemcpyDtoH_v2(v.data(), from, n * sizeof(T)), 0);
    return v;
  }
  template <class T>
  void write(CUdeviceptr_t to, const std::vector<T>& v) {
    EXPECT_EQ(c().cuMemcpyHtoD_v2(to, v.data(), v.size() * sizeof(T)), 0);
  }

  void* context[2] = {};
};

}  // namespace pianola::test
