// SPDX-License-Identifier: Apache-2.0
// Index spaces and local memory.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "conformance.hpp"

namespace pianola::test {
namespace {

class kernels : public conformance {
 protected:
  // Runs it often enough that a backend that learns has tried its other ways too.
  template <class Object>
  void expect_every_unit_once(model::extent3 units, model::extent3 local,
                              const std::function<executors::resolved_kernel(Object&)>& make) {
    const auto n = volume(units);
    auto* hits = shared<std::uint32_t>(n);
    auto* problems = shared<std::uint32_t>();
    Object object{hits, problems, {}, {}};
    for (int i = 0; i < 3; ++i) {
      object.units[i] = units.c[i];
      object.local[i] = local.c[i];
    }
    auto& lane = r.lane();
    constexpr std::uint32_t rounds = 5;
    for (std::uint32_t i = 0; i < rounds; ++i) r.submit(lane, make(object));
    r.wait(lane);
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(hits[i], rounds) << i;
    EXPECT_EQ(*problems, 0U);
  }

  // Both parts of the units, cut in the dimension before the unit `at`, and neither one what is the other's. `make` says
  // which kernel.
  template <class Object>
  void expect_parts(model::extent3 units, model::extent3 local, std::size_t dimension,
                    std::uint64_t at,
                    const std::function<executors::resolved_kernel(Object&)>& make) {
    const auto n = volume(units);
    auto* hits = shared<std::uint32_t>(n);
    auto* problems = shared<std::uint32_t>();
    Object object{hits, problems, {}, {}};
    for (int i = 0; i < 3; ++i) {
      object.units[i] = units.c[i];
      object.local[i] = local.c[i];
    }
    model::box first = model::box::of(units), second = first;
    first.hi[dimension] = second.lo[dimension] = at;
    auto& lane = r.lane();
    const auto run = [&](const model::box& part) {
      executors::resolved_kernel k = make(object);
      k.geometry.part = &part;
      r.submit(lane, k);
      r.wait(lane);
    };
    run(second);
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint64_t unit[3] = {i / units[2] / units[1], i / units[2] % units[1],
                                     i % units[2]};
      ASSERT_EQ(hits[i], unit[dimension] < at ? 0U : 1U) << i;
    }
    run(first);
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(hits[i], 1U) << i;
    EXPECT_EQ(*problems, 0U);
  }
};
PIANOLA_FOR_EVERY_BACKEND(kernels);

TEST_P(kernels, run_every_item_of_a_range_once) {
  using object = count_object<false>;
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
    expect_every_unit_once<object>(e, {{1, 1, 1}},
                                   [&](object& o) { return suite_kernel<object>().over(e, o); });
}

TEST_P(kernels, run_every_group_of_an_nd_range_once) {
  using object = count_object<true>;
  for (const model::extent3 e :
       {model::extent3{{1, 1, 1}}, {{1, 1, 3}}, {{1, 1, 2000}}, {{4, 5, 6}}, {{1, 300, 3}}}) {
    const model::extent3 local{{1, 2, 4}};
    const model::extent3 global{{e.c[0], e.c[1] * 2, e.c[2] * 4}};
    expect_every_unit_once<object>(
        e, local, [&](object& o) { return suite_kernel<object>().grouped(global, local, o); });
  }
}

TEST_P(kernels, run_the_units_of_a_part_as_those_of_the_whole) {
  using items = count_object<false>;
  using groups = count_object<true>;
  const auto in_items = [this](model::extent3 e, std::size_t d, std::uint64_t at) {
    expect_parts<items>(e, {{1, 1, 1}}, d, at,
                        [&](items& o) { return suite_kernel<items>().over(e, o); });
  };
  in_items({{1, 1, 1000}}, 2, 1);
  in_items({{1, 1, 100003}}, 2, 60001);
  in_items({{1, 200, 300}}, 1, 77);
  in_items({{1, 200, 300}}, 2, 299);
  in_items({{7, 5, 130}}, 0, 3);
  const model::extent3 e{{4, 5, 6}}, local{{1, 2, 4}};
  for (std::size_t d = 0; d < 3; ++d)
    expect_parts<groups>(e, local, d, 3, [&](groups& o) {
      return suite_kernel<groups>().grouped({{4, 10, 24}}, local, o);
    });
}

TEST_P(kernels, of_an_empty_range_run_nothing) {
  auto* counters = shared<std::uint32_t>(2);
  count_object<false> object{counters, counters + 1, {}, {}};
  auto& lane = r.lane();
  r.submit(lane, suite_kernel<count_object<false>>().over({{1, 1, 0}}, object));
  r.submit(lane, suite_kernel<count_object<false>>().over({{0, 4, 4}}, object));
  r.wait(lane);
  EXPECT_EQ(counters[0], 0U);
  EXPECT_EQ(counters[1], 0U);
}

TEST_P(kernels, have_the_local_memory_that_they_ask_for) {
  for (const std::uint32_t bytes : {16U, 1000U, 60000U}) {
    auto* counters = shared<std::uint32_t>(2);
    local_memory_object object{counters, counters + 1, bytes};
    auto& lane = r.lane();
    r.submit(lane, suite_kernel<local_memory_object>().grouped({{1, 1, 640}}, {{1, 1, 10}}, object,
                                                               bytes));
    r.wait(lane);
    EXPECT_EQ(counters[0], 64U);
    EXPECT_EQ(counters[1], 0U);
  }
}

TEST_P(kernels, see_the_local_slots_that_were_submitted) {
  auto* seen = shared<std::uint64_t>(3);
  slots_object object{seen, {99, 99, 99}};
  std::vector<model::argument_slot> slots(3);
  for (std::uint32_t i = 0; i < 3; ++i)
    slots[i] = {8 + i * 8, model::argument_slot::kind::local_memory, 0, i * 100};
  executors::resolved_kernel k = suite_kernel<slots_object>().over({{1, 1, 1}}, object, 300);
  k.local_slots = slots;
  auto& lane = r.lane();
  r.submit(lane, k);
  std::fill(slots.begin(), slots.end(), model::argument_slot{});
  r.wait(lane);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(seen[i], i * 100);
}

}  // namespace
}  // namespace pianola::test
