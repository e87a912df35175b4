// SPDX-License-Identifier: Apache-2.0
// The suite runs once per backend; a new backend adds its name here. Backends for graphics processors run on the
// test doubles of their drivers.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include <pianola/test/backend_rig.hpp>
#include <pianola/test/test_kernels.hpp>

#include "images/suite_kernels.hpp"

namespace pianola::test {

template <class Object>
const char* symbol_of() {
  return "";
}
#define PIANOLA_SUITE_SYMBOL(symbol, object) \
  template <>                                \
  inline const char* symbol_of<object>() {   \
    return #symbol;                          \
  }
PIANOLA_SUITE_KERNELS(PIANOLA_SUITE_SYMBOL)
#undef PIANOLA_SUITE_SYMBOL

// For the test doubles of drivers, or what PIANOLA_TEST_SUITE_IMAGE names.
inline std::string suite_image() {
  const char* other = std::getenv("PIANOLA_TEST_SUITE_IMAGE");
  return other != nullptr ? other : PIANOLA_TEST_IMAGES "/suite_kernels.pianola-sim";
}

template <class Object>
test_kernel<Object, unit_context>& suite_kernel() {
  // Backends know it until the process ends.
  static auto* kernel = new test_kernel<Object, unit_context>("test kernel", suite_image().c_str(),
                                                              symbol_of<Object>());
  return *kernel;
}

// data[i] = 3 * data[i] + addend, for each of n 64-bit integers in device memory.
class affine_kernel {
 public:
  using argument_bytes = affine_object;
  [[nodiscard]] executors::resolved_kernel with(argument_bytes& a, std::uint64_t n) const {
    return suite_kernel<affine_object>().over({{1, 1, n}}, a);
  }
  static std::uint64_t apply(std::uint64_t x, std::uint64_t addend) { return 3 * x + addend; }
};

class conformance : public ::testing::TestWithParam<std::string> {
 protected:
  // Kernels and host tasks are functions of the program, in lanes of the backend.
  [[nodiscard]] bool runs_host_code() { return !r.backend().needs_images(); }
  // A backend with lanes for host tasks: this one where it has them.
  rig& tasks() {
    if (runs_host_code()) return r;
    if (host_ == nullptr) host_ = std::make_unique<rig>("openmp");
    return *host_;
  }
  // Memory that kernels and the program share, with zeros in it.
  template <class T>
  T* shared(std::size_t n = 1) {
    void* p = r.allocate(n * sizeof(T), 0, executors::memory_kind::host);
    std::memset(p, 0, n * sizeof(T));
    return static_cast<T*>(p);
  }
  [[nodiscard]] bool can_fail() { return runs_host_code() || control_of(GetParam()) != nullptr; }
  // Submits a kernel that fails, and returns what its error says.
  std::string submit_failing(executors::lane& lane, model::array_view<const std::byte> context) {
    executors::step_submission s;
    s.context = context;
    if (runs_host_code()) {
      // Large enough to be cut into parts, each of which fails.
      static callable_kernel failing([](const auto&, const auto&, const auto&) {
        volatile double x = 0;
        for (int i = 0; i < 20000; ++i) x = x + 1;
        throw std::runtime_error("as told");
      });
      s.action = failing.over({{1, 1, 1000}});
      r.submit_raw(lane, s);
      return "as told";
    }
    // Too many resources requested for launch.
    control_of(GetParam())
        ->fail(GetParam() == "cuda" ? "cuLaunchKernel" : "hipModuleLaunchKernel", 1, 701);
    carrier_object object{};
    s.action = suite_kernel<carrier_object>().over({{1, 1, 1}}, object);
    r.submit_raw(lane, s);
    return "701";
  }

  rig r{GetParam()};

 private:
  std::unique_ptr<rig> host_;
};

#define PIANOLA_NEEDS_HOST_CODE() \
  if (!runs_host_code()) GTEST_SKIP() << "the backend runs no functions of the program"

inline const auto every_backend = ::testing::Values(std::string("openmp"), std::string("simulated"),
                                                    std::string("cuda"), std::string("hip"));

inline std::string backend_suffix(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}

#define PIANOLA_NEEDS_FAILING_KERNELS() \
  if (!can_fail()) GTEST_SKIP() << "a real driver is not told to fail"

#define PIANOLA_FOR_EVERY_BACKEND(suite)                              \
  INSTANTIATE_TEST_SUITE_P(on, suite, ::pianola::test::every_backend, \
                           ::pianola::test::backend_suffix)

}  // namespace pianola::test
