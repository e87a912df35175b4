// SPDX-License-Identifier: Apache-2.0
// Index spaces and local memory.
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "conformance.hpp"

namespace pianola::test {
namespace {

class kernels : public conformance {
 protected:
  // Runs it often enough that a backend that learns has tried its other ways too.
  void expect_every_unit_once(
      const std::function<executors::resolved_kernel(callable_kernel&)>& make,
      model::extent3 units) {
    const auto n = volume(units);
    const auto hits = std::make_unique<std::atomic<int>[]>(n);
    callable_kernel kernel(
        [&](const model::launch_geometry& g, const model::box& part, const auto&) {
          EXPECT_EQ(g.units(), units);
          EXPECT_TRUE(contains(model::box::of(units), part));
          for_each_unit(part, [&](const model::point3& p) {
            ++hits[(p.c[0] * units.c[1] + p.c[1]) * units.c[2] + p.c[2]];
          });
        });
    auto& lane = r.lane();
    constexpr int rounds = 5;
    for (int i = 0; i < rounds; ++i) r.submit(lane, make(kernel));
    r.wait(lane);
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(hits[i], rounds) << i;
  }
};
PIANOLA_FOR_EVERY_BACKEND(kernels);

TEST_P(kernels, run_every_item_of_a_range_once) {
  for (const model::extent3 e : {model::extent3{{1, 1, 1}},
                                 {{1, 1, 2}},
                                 {{1, 1, 7}},
                                 {{1, 1, 1000}},
                                 {{1, 1, 100003}},
                                 {{1, 2, 50000}},
                                 {{1, 50000, 2}},
                                 {{3, 1, 1}},
                                 {{5, 7, 11}},
                                 {{97, 3, 101}},
                                 {{2, 3, 20000}}})
    expect_every_unit_once([&](callable_kernel& k) { return k.over(e); }, e);
}

TEST_P(kernels, run_every_group_of_an_nd_range_once) {
  for (const model::extent3 e :
       {model::extent3{{1, 1, 1}}, {{1, 1, 3}}, {{1, 1, 2000}}, {{4, 5, 6}}, {{1, 300, 3}}}) {
    const model::extent3 local{{1, 2, 4}};
    const model::extent3 global{{e.c[0], e.c[1] * 2, e.c[2] * 4}};
    expect_every_unit_once([&](callable_kernel& k) { return k.grouped(global, local); }, e);
  }
}

TEST_P(kernels, of_an_empty_range_run_nothing) {
  std::atomic<int> calls{0};
  callable_kernel kernel([&](const auto&, const model::box& part, const auto&) {
    calls += static_cast<int>(part.count());
  });
  auto& lane = r.lane();
  r.submit(lane, kernel.over({{1, 1, 0}}));
  r.submit(lane, kernel.over({{0, 4, 4}}));
  r.wait(lane);
  EXPECT_EQ(calls, 0);
}

TEST_P(kernels, have_the_local_memory_that_they_ask_for) {
  for (const std::uint32_t bytes : {16U, 1000U, 60000U}) {
    std::atomic<int> groups{0};
    callable_kernel kernel([&](const auto&, const model::box& part,
                               const model::group_resources& m) {
      ASSERT_NE(m.local_memory, nullptr);
      ASSERT_GE(m.local_memory_bytes, bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(m.local_memory) % alignof(std::max_align_t), 0U);
      std::memset(m.local_memory, 1, bytes);
      groups += static_cast<int>(part.count());
    });
    auto& lane = r.lane();
    r.submit(lane, kernel.grouped({{1, 1, 640}}, {{1, 1, 10}}, bytes));
    r.wait(lane);
    EXPECT_EQ(groups, 64);
  }
}

TEST_P(kernels, see_the_local_slots_that_were_submitted) {
  static std::atomic<int> correct{0};
  correct = 0;
  model::kernel_descriptor kernel;
  kernel.name = "slots";
  kernel.entry = [](const void*, const model::launch_geometry&, const model::box&,
                    model::array_view<const model::argument_slot> slots,
                    const model::group_resources&) {
    if (slots.size() == 3 && slots[2].offset == 16 && slots[2].byte_offset == 200 &&
        slots[2].what == model::argument_slot::kind::local_memory)
      ++correct;
  };
  auto& lane = r.lane();
  std::vector<model::argument_slot> slots(3);
  for (std::uint32_t i = 0; i < 3; ++i)
    slots[i] = {i * 8, model::argument_slot::kind::local_memory, 0, i * 100};
  executors::resolved_kernel k;
  k.kernel = &kernel;
  k.local_slots = slots;
  k.local_memory_bytes = 300;
  r.submit(lane, k);
  std::fill(slots.begin(), slots.end(), model::argument_slot{});
  r.wait(lane);
  EXPECT_EQ(correct, 1);
}

}  // namespace
}  // namespace pianola::test
