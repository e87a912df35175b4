// SPDX-License-Identifier: Apache-2.0
// Kernels that offer to start before those in front of them have finished.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph_plan.hpp"

namespace pianola::test {
namespace {

using testing::ElementsAre;

struct dependent_launch : testing::Test {
  // As the kernel that `call` makes, with the offer.
  executors::resolved_kernel offering(gpu_rig& rig, std::function<void()> f = [] {}) {
    executors::resolved_kernel k = rig.call(std::move(f));
    descriptor = *k.kernel;
    descriptor.requirements.dependent_launch = true;
    k.kernel = &descriptor;
    return k;
  }
  static std::vector<bool> overlapping(gpu_rig& rig, executors::native_graph& g) {
    std::vector<bool> all;
    for (const fake_node& n : nodes_of(rig, g)) all.push_back(n.overlapping);
    return all;
  }
  model::kernel_descriptor descriptor;
  int memory[8] = {};
};

TEST_F(dependent_launch, is_done_where_driver_and_image_can_and_counted_where_they_cannot) {
  for (const bool can : {true, false}) {
    gpu_rig rig;
    rig.driver->overlaps = can;
    auto& l = rig.lane();
    rig.submit(l, rig.call([] {}));
    rig.submit(l, offering(rig));
    rig.submit(l, offering(rig));
    rig.wait(l);
    EXPECT_EQ(rig.driver->calls("launch_overlapping"), can ? 2U : 0U);
    EXPECT_EQ(rig.backend->counters().overlapping, can ? 2U : 0U);
    EXPECT_EQ(rig.backend->counters().not_overlapping, can ? 0U : 2U);
  }
}

TEST_F(dependent_launch, in_a_graph_is_for_kernels_behind_one_kernel_of_their_device) {
  fake_setup two;
  two.devices = 2;
  gpu_rig rig(two);
  rig.driver->overlaps = true;
  plan p(rig);
  const auto first = p.add(offering(rig));            // nothing in front of it
  const auto second = p.add(offering(rig), {first});  // overlaps
  const auto fill = p.add(fill_of(memory, 1, 8), {first});
  p.add(offering(rig), {fill});           // behind a fill
  p.add(offering(rig), {first, second});  // behind two
  p.add(rig.call([] {}), {first});        // does not offer it
  p.add(offering(rig), {first}, 1);       // on another device
  const auto g = p.make();
  EXPECT_THAT(overlapping(rig, *g), ElementsAre(false, true, false, false, false, false, false));
  EXPECT_EQ(rig.backend->counters().overlapping, 1U);
  EXPECT_EQ(rig.backend->counters().not_overlapping, 4U);
}

TEST_F(dependent_launch, does_not_lose_a_graph_that_the_driver_does_not_take_with_it) {
  gpu_rig rig;
  rig.driver->overlaps = true;
  rig.driver->refuse_overlapping_graphs = true;
  plan p(rig);
  int called = 0;
  const auto first = p.add(rig.call([] {}));
  p.add(offering(rig, [&] { called = 1; }), {first});
  const auto g = p.make();
  ASSERT_NE(g, nullptr);
  EXPECT_THAT(overlapping(rig, *g), ElementsAre(false, false));
  auto& l = rig.lane();
  rig.launch(l, *g);
  rig.wait(l);
  EXPECT_EQ(called, 1);
}

TEST_F(dependent_launch, is_taken_back_when_another_kernel_takes_the_nodes_place) {
  gpu_rig rig;
  rig.driver->overlaps = true;
  plan p(rig);
  const auto first = p.add(rig.call([] {}));
  const auto second = p.add(offering(rig), {first});
  const auto g = p.make();
  EXPECT_THAT(overlapping(rig, *g), ElementsAre(false, true));
  plan q(rig);
  q.add(rig.call([] {}));
  const std::uint32_t indices[] = {second};
  ASSERT_TRUE(rig.backend->update(*g, indices, q.steps).ok());
  EXPECT_THAT(overlapping(rig, *g), ElementsAre(false, false));
}

}  // namespace
}  // namespace pianola::test
