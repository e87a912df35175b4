// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include <pianola/test/graph_steps.hpp>

#include "conformance.hpp"

namespace pianola::test {

// A graph under construction; keeps what its steps refer to.
class graph_builder {
 public:
  explicit graph_builder(rig& r) : rig_(r) {}
  std::uint32_t add(executors::resolved_action action, std::vector<std::uint32_t> waits = {},
                    executors::backend* owner = nullptr) {
    executors::graph_step s;
    s.action = std::move(action);
    s.owner = owner != nullptr ? owner : &rig_.backend();
    waits_.push_back(std::move(waits));
    s.waits = waits_.back();
    tags_.push_back(rig_.tag(steps_.size()));
    s.context = tags_.back().bytes();
    steps_.push_back(s);
    return static_cast<std::uint32_t>(steps_.size() - 1);
  }
  [[nodiscard]] const std::vector<std::uint32_t>& waits_of(std::size_t i) const {
    return waits_[i];
  }
  [[nodiscard]] std::size_t size() const { return steps_.size(); }
  [[nodiscard]] executors::graph_step& step(std::size_t i) { return steps_[i]; }
  [[nodiscard]] std::unique_ptr<executors::native_graph> instantiate() {
    std::unique_ptr<executors::native_graph> g;
    few_steps steps(steps_);
    const auto s = rig_.backend().instantiate(steps, g);
    if (!s.ok()) throw std::runtime_error(s.reason);
    return g;
  }

 private:
  rig& rig_;
  std::deque<std::vector<std::uint32_t>> waits_;
  std::deque<step_tag> tags_;
  std::vector<executors::graph_step> steps_;
};

// Every step notes when its first unit began and its last one ended, and how many it ran, in `memory` that
// kernels share with the program: the clock and one watched_step each.
struct watched_graph {
  struct node {
    watched_object object{};
    std::uint64_t expected_units = 1;
    std::unique_ptr<callable_task> task;
  };
  std::deque<node> nodes;
  watched_step* steps;
  graph_builder builder;

  watched_graph(rig& r, watched_step* memory, unsigned seed, std::size_t count, bool host_tasks)
      : steps(memory + 1), builder(r) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) {
      return static_cast<std::size_t>(random() % static_cast<std::uint32_t>(n));
    };
    const std::size_t reach = 1 + below(20);
    for (std::size_t i = 0; i < count; ++i) {
      node& n = nodes.emplace_back();
      std::vector<std::uint32_t> waits;
      const std::size_t degree = below(4);
      for (std::size_t k = 0; k < degree && i > 0; ++k)
        waits.push_back(static_cast<std::uint32_t>(i - 1 - below(std::min(i, reach))));
      n.object.step = &steps[i];
      n.object.clock = &memory->begin;
      const std::size_t kind = below(10);
      if (kind == 0 && host_tasks) {
        n.task = std::make_unique<callable_task>([&n] { n.object({}); });
        builder.add(n.task->step(), waits);
      } else {
        n.object.work = below(3) * 300;
        n.expected_units = kind < 4 ? 64 : 1;
        builder.add(suite_kernel<watched_object>().over({{1, 1, n.expected_units}}, n.object),
                    waits);
      }
    }
    reset();
  }
  static std::size_t memory_for(std::size_t count) { return count + 1; }
  void reset() {
    for (std::size_t i = 0; i < nodes.size(); ++i) steps[i] = {~std::uint64_t{0}, 0, 0};
  }
  void expect_one_correct_run() {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      ASSERT_EQ(steps[i].units, nodes[i].expected_units) << "step " << i;
      for (const std::uint32_t w : builder.waits_of(i))
        ASSERT_LT(steps[w].end, steps[i].begin) << "step " << i << " ran before " << w;
    }
    reset();
  }
};

}  // namespace pianola::test
