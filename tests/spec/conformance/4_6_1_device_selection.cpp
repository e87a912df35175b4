// SPDX-License-Identifier: Apache-2.0
// 4.6.1: device selectors.
// also tests: 3.9.13
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <vector>

#include "errors.hpp"

namespace {

TEST(selectors, are_callable_with_devices_and_reject_by_negative_scores) {
  for (const sycl::device& d : sycl::device::get_devices()) {
    EXPECT_EQ(sycl::cpu_selector_v(d) >= 0, d.is_cpu());
    EXPECT_EQ(sycl::gpu_selector_v(d) >= 0, d.is_gpu());
    EXPECT_EQ(sycl::accelerator_selector_v(d) >= 0, d.is_accelerator());
    EXPECT_GE(sycl::default_selector_v(d), 0);
  }
}

TEST(selectors, choose_for_devices_platforms_and_queues_alike) {
  const sycl::device d{sycl::default_selector_v};
  EXPECT_EQ(d, sycl::device());
  EXPECT_EQ(sycl::platform{sycl::default_selector_v}, d.get_platform());
  EXPECT_EQ(sycl::queue{sycl::default_selector_v}.get_device(), d);
  EXPECT_EQ(sycl::queue().get_device(), d);
}

TEST(selectors, of_the_program_decide_by_the_highest_score) {
  const auto all = sycl::device::get_devices();
  for (const sycl::device& wanted : all) {
    const sycl::device chosen{[&](const sycl::device& d) { return d == wanted ? 7 : 3; }};
    EXPECT_EQ(chosen, wanted);
  }
  EXPECT_EQ(code_of([] { sycl::device d{[](const sycl::device&) { return -1; }}; }),
            sycl::errc::runtime);
  EXPECT_EQ(code_of([] { sycl::queue q{[](const sycl::device&) { return -1; }}; }),
            sycl::errc::runtime);
}

struct thrown {};
TEST(selectors, let_exceptions_of_the_program_through) {
  EXPECT_THROW(sycl::device([](const sycl::device&) -> int { throw thrown(); }), thrown);
}

TEST(aspect_selector, takes_required_and_denied_aspects_in_every_form) {
  const sycl::device d;
  const sycl::aspect kind = d.is_cpu() ? sycl::aspect::cpu : sycl::aspect::gpu;
  EXPECT_TRUE(sycl::device{sycl::aspect_selector(std::vector<sycl::aspect>{kind})}.has(kind));
  EXPECT_TRUE(sycl::device{sycl::aspect_selector(kind, sycl::aspect::queue_profiling)}.has(kind));
  EXPECT_TRUE(sycl::device{sycl::aspect_selector<sycl::aspect::queue_profiling>()}.has(
      sycl::aspect::queue_profiling));
  EXPECT_EQ(sycl::aspect_selector(std::vector<sycl::aspect>{})(d), sycl::default_selector_v(d));
  EXPECT_EQ(sycl::aspect_selector<>()(d), sycl::default_selector_v(d));
  EXPECT_LT(sycl::aspect_selector({kind}, {kind})(d), 0);
  EXPECT_EQ(code_of([] { sycl::device none{sycl::aspect_selector<sycl::aspect::custom>()}; }),
            sycl::errc::runtime);
}

TEST(selectors, of_sycl_1_2_1_still_work) {
  EXPECT_EQ(sycl::device{sycl::default_selector{}}, sycl::device());
  // Programs assign them, too; what SYCL 2020 calls selectors asks for a queue by name.
  sycl::queue q = sycl::default_selector{};
  q = sycl::default_selector{};
  EXPECT_EQ(q.get_device(), sycl::device());
  static_assert(!std::is_convertible_v<decltype(sycl::default_selector_v), sycl::queue>);
  EXPECT_EQ(sycl::default_selector().select_device(), sycl::device());
}

}  // namespace
