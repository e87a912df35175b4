// SPDX-License-Identifier: Apache-2.0
// Native graphs of one backend whose steps wait for steps of other graphs, in other lanes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "graph_builder.hpp"

namespace pianola::test {
namespace {

using executors::lane_position;
using executors::native_graph;

#define PIANOLA_NEEDS_LINKS() \
  if (!r.backend().links().waits) GTEST_SKIP() << "steps of the backend wait only in their graph"

class graph_links : public conformance {};
PIANOLA_FOR_EVERY_BACKEND(graph_links);

// Several graphs, each in a lane of its own, launched one after the other; what a step waits for is in its graph or in
// one before it.
class linked_graphs {
 public:
  linked_graphs(rig& r, watched_step* memory, unsigned seed, std::size_t graphs, std::size_t steps)
      : rig_(r), memory_(memory), random_(seed) {
    std::vector<part> parts(graphs);
    for (std::size_t g = 0; g < graphs; ++g) {
      parts[g].builder = std::make_unique<graph_builder>(r);
      parts[g].lane = &r.lane();
      for (std::size_t i = 0; i < steps; ++i) add_step(parts, g);
    }
    for (const step& s : steps_)
      for (const std::size_t w : s.waits)
        if (steps_[w].graph != s.graph)
          parts[steps_[w].graph].builder->step(steps_[w].index).signals = true;
    for (std::size_t g = 0; g < graphs; ++g) {
      for (const step& s : steps_) {
        if (s.graph != g) continue;
        auto& outside = outside_.emplace_back();
        for (const std::size_t w : s.waits) {
          const step& other = steps_[w];
          if (other.graph == g) continue;
          outside.push_back({parts[other.graph].native.get(), other.index});
          auto& begun = parts[g].begun;
          if (std::find(begun.begin(), begun.end(), other.graph) == begun.end())
            begun.push_back(other.graph);
        }
        parts[g].builder->step(s.index).outside = outside;
      }
      parts[g].native = parts[g].builder->instantiate();
    }
    parts_ = std::move(parts);
    reset();
  }
  // All graphs, after all of the launch before.
  void launch() {
    std::vector<lane_position> before;
    for (const part& p : parts_)
      if (p.launches != 0) before.push_back({&p.lane->completion(), p.launches});
    for (part& p : parts_) {
      std::vector<lane_position> begun;
      for (const std::size_t g : p.begun)
        begun.push_back({&parts_[g].lane->completion(), parts_[g].launches});
      p.launches = rig_.launch(*p.lane, *p.native, 0, before, begun);
    }
  }
  void wait() {
    for (const part& p : parts_) rig_.wait(*p.lane);
  }
  void expect_correct_runs(std::uint64_t runs, std::size_t left_out = ~std::size_t{0}) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      ASSERT_EQ(memory_[1 + i].units, steps_[i].index == left_out ? 0 : runs) << "step " << i;
      if (runs != 1) continue;  // of several, the first begins and the last ends
      for (const std::size_t w : steps_[i].waits)
        if (memory_[1 + i].units != 0 && memory_[1 + w].units != 0) {
          ASSERT_LT(memory_[1 + w].end, memory_[1 + i].begin)
              << "step " << i << " of graph " << steps_[i].graph << " ran before step " << w
              << " of graph " << steps_[w].graph;
        }
    }
    reset();
  }

 private:
  struct part {
    std::unique_ptr<graph_builder> builder;
    std::unique_ptr<native_graph> native;
    executors::lane* lane = nullptr;
    std::vector<std::size_t> begun;
    std::uint64_t launches = 0;
  };
  struct step {
    std::size_t graph;
    std::uint32_t index;
    std::vector<std::size_t> waits;  // of all steps
    watched_object object;
  };
  std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(random_() % static_cast<std::uint32_t>(n));
  }
  void add_step(std::vector<part>& parts, std::size_t g) {
    const std::size_t self = steps_.size();
    step& s = steps_.emplace_back(step{g, 0, {}, {}});
    s.object = {memory_ + 1 + self, &memory_->begin, below(3) * 3000};
    std::vector<std::uint32_t> inside;
    for (std::size_t k = below(4); k > 0 && self > 0; --k) {
      const std::size_t w = below(self);
      if (std::find(s.waits.begin(), s.waits.end(), w) != s.waits.end()) continue;
      s.waits.push_back(w);
      if (steps_[w].graph == g) inside.push_back(steps_[w].index);
    }
    s.index =
        parts[g].builder->add(suite_kernel<watched_object>().over({{1, 1, 1}}, s.object), inside);
  }
  void reset() {
    for (std::size_t i = 0; i < steps_.size(); ++i) memory_[1 + i] = {~std::uint64_t{0}, 0, 0};
  }

  rig& rig_;
  watched_step* memory_;  // the clock, and one for each step
  std::mt19937 random_;
  std::deque<step> steps_;
  std::deque<std::vector<executors::outside_step>> outside_;
  std::vector<part> parts_;
};

TEST_P(graph_links, order_steps_of_graphs_in_several_lanes) {
  PIANOLA_NEEDS_LINKS();
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::size_t graphs = 2 + seed % 3, steps = 3 + seed;
    linked_graphs all(r, shared<watched_step>(1 + graphs * steps), seed, graphs, steps);
    for (int i = 0; i < 10; ++i) {
      all.launch();
      all.wait();
      all.expect_correct_runs(1);
      if (HasFatalFailure()) return;
    }
    // Each launch behind the one before, with events of its own.
    for (int i = 0; i < 12; ++i) all.launch();
    all.wait();
    all.expect_correct_runs(12);
    all.launch();
    all.wait();
    all.expect_correct_runs(1);
    if (HasFatalFailure()) return;
  }
}

TEST_P(graph_links, order_steps_also_where_some_are_left_out) {
  PIANOLA_NEEDS_LINKS();
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    constexpr std::size_t graphs = 3, steps = 6;
    linked_graphs all(r, shared<watched_step>(1 + graphs * steps), seed, graphs, steps);
    for (int i = 0; i < 9; ++i) {
      const std::uint64_t left_out = static_cast<std::uint64_t>(i) % 3 == 2 ? 1 + seed % 4 : 99;
      attention() = i % 3 != 0;
      r.log.admit = [left_out](std::uint64_t id) { return id != left_out; };
      all.launch();
      all.wait();
      all.expect_correct_runs(1, left_out);
      if (HasFatalFailure()) break;
    }
    attention() = false;
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace pianola::test
