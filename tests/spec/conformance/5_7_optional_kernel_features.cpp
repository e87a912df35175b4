// SPDX-License-Identifier: Apache-2.0
// 5.7: features that some devices have: kernels that use them compile anyway, run where they are there, and are refused, by an
// exception of the launch, elsewhere.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <cstdint>

#include "errors.hpp"

namespace {

using sycl::aspect;
namespace experimental = sycl::ext::oneapi::experimental;

/// The result of f(device) where the device has the aspect, and the code of the launch's exception elsewhere.
template <aspect Needed, class F>
void runs_only_with(F run) {
  for (const sycl::device& d : sycl::device::get_devices()) {
    sycl::queue q(d);
    int* const out = sycl::malloc_shared<int>(1, q);
    *out = 0;
    const sycl::errc code = code_of([&] { run(q, out); });
    q.wait();
    if (d.has(Needed)) {
      EXPECT_EQ(code, sycl::errc::success);
      EXPECT_EQ(*out, 1);
    } else {
      EXPECT_EQ(code, sycl::errc::kernel_not_supported);
      EXPECT_EQ(*out, 0);
    }
    sycl::free(out, q);
  }
}

TEST(optional_features, run_on_devices_that_have_them) {
  runs_only_with<aspect::fp16>([](sycl::queue& q, int* out) {
    q.single_task([=] {
      sycl::half x(1.5f);
      x += sycl::half(0.5f);
      *out = x == sycl::half(2.0f);
    });
  });
  runs_only_with<aspect::fp64>([](sycl::queue& q, int* out) {
    q.single_task([=] {
      const double tiny = 1.0 + 1e-15;
      *out = tiny > 1.0;
    });
  });
  runs_only_with<aspect::atomic64>([](sycl::queue& q, int* out) {
    std::uint64_t* const word = sycl::malloc_shared<std::uint64_t>(1, q);
    *word = std::uint64_t{1} << 40;
    q.single_task([=] {
       using ref =
           sycl::atomic_ref<std::uint64_t, sycl::memory_order::relaxed, sycl::memory_scope::device>;
       *out = ref(*word).fetch_add(1) == std::uint64_t{1} << 40;
     }).wait();
    EXPECT_EQ(*word, (std::uint64_t{1} << 40) + 1);
    sycl::free(word, q);
  });
}

template <aspect Needed>
struct needs {
  int* out;
  void operator()() const { *out = 1; }
  auto get(experimental::properties_tag) const {
    return experimental::properties(experimental::device_has<Needed>);
  }
};

// Every aspect: a kernel that says it needs it is refused by devices without it, before it runs.
TEST(optional_features, that_a_device_does_not_have_refuse_the_kernel) {
  runs_only_with<aspect::cpu>([](sycl::queue& q, int* o) { q.single_task(needs<aspect::cpu>{o}); });
  runs_only_with<aspect::gpu>([](sycl::queue& q, int* o) { q.single_task(needs<aspect::gpu>{o}); });
  runs_only_with<aspect::accelerator>(
      [](sycl::queue& q, int* o) { q.single_task(needs<aspect::accelerator>{o}); });
  runs_only_with<aspect::custom>(
      [](sycl::queue& q, int* o) { q.single_task(needs<aspect::custom>{o}); });
  runs_only_with<aspect::usm_system_allocations>(
      [](sycl::queue& q, int* o) { q.single_task(needs<aspect::usm_system_allocations>{o}); });
}

TEST(optional_features, of_the_whole_program_are_known_to_the_compiler) {
  for (const sycl::device& d : sycl::device::get_devices()) {
#define CHECK_ASPECT(name)                                                     \
  EXPECT_TRUE(d.has(aspect::name) || !sycl::all_devices_have_v<aspect::name>); \
  EXPECT_TRUE(!d.has(aspect::name) || sycl::any_device_has_v<aspect::name>);   \
  static_assert(sycl::any_device_has<aspect::name>::value ==                   \
                sycl::any_device_has_v<aspect::name>);                         \
  static_assert(sycl::any_device_has_v<aspect::name> || !sycl::all_devices_have_v<aspect::name>);
    CHECK_ASPECT(cpu)
    CHECK_ASPECT(gpu)
    CHECK_ASPECT(accelerator)
    CHECK_ASPECT(custom)
    CHECK_ASPECT(emulated)
    CHECK_ASPECT(host_debuggable)
    CHECK_ASPECT(fp16)
    CHECK_ASPECT(fp64)
    CHECK_ASPECT(atomic64)
    CHECK_ASPECT(image)
    CHECK_ASPECT(online_compiler)
    CHECK_ASPECT(online_linker)
    CHECK_ASPECT(queue_profiling)
    CHECK_ASPECT(usm_device_allocations)
    CHECK_ASPECT(usm_host_allocations)
    CHECK_ASPECT(usm_atomic_host_allocations)
    CHECK_ASPECT(usm_shared_allocations)
    CHECK_ASPECT(usm_atomic_shared_allocations)
    CHECK_ASPECT(usm_system_allocations)
#undef CHECK_ASPECT
  }
}

}  // namespace
