// SPDX-License-Identifier: Apache-2.0
// Teams of more threads than a word has bits: all of them take part.
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "pianola/host/host_graph.hpp"
#include "pianola/host/kernel_runner.hpp"
#include "pianola/host/team.hpp"

namespace pianola::host {
namespace {

constexpr unsigned threads = 150, together = 140;

// As on a machine with so many processors, each of which stands for one of this machine's.
team& many_threads() {
  static team& t = []() -> team& {
    const processor_list here = processors_of_process();
    std::vector<unsigned> processors;
    for (unsigned i = 0; i < threads; ++i) processors.push_back(here[i % here.size()]);
    return team::start_for_sub_device(threads, std::move(processors));
  }();
  return t;
}

// Work of which so many pieces are begun before one of them ends, or none is for a minute.
struct meeting {
  std::atomic<unsigned> inside{0}, units{0};
  std::atomic<bool> late{false};

  void attend(unsigned how_many) {
    units += how_many;
    ++inside;
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (inside < together && !late) {
      if (std::chrono::steady_clock::now() > end) late = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
};

struct meeting_kernel {
  meeting* what;
  model::kernel_statistics statistics;
  model::kernel_descriptor descriptor;

  explicit meeting_kernel(meeting& m) : what(&m) {
    statistics.nanoseconds_per_unit = 1e9F;
    descriptor.statistics = &statistics;
    descriptor.entry = [](const void* pointer, const model::launch_geometry&,
                          const model::box& part, model::array_view<const model::argument_slot>,
                          const model::group_resources&) {
      (*static_cast<meeting* const*>(pointer))->attend(static_cast<unsigned>(part.count()));
    };
  }
  [[nodiscard]] executors::resolved_kernel over(std::uint64_t units) {
    executors::resolved_kernel k;
    k.kernel = &descriptor;
    k.arguments.bytes = &what;
    k.arguments.size = sizeof what;
    k.geometry.global = {{1, 1, units}};
    return k;
  }
};

TEST(a_team_of_many_threads, runs_parts_of_a_kernel_on_all_of_them) {
  ASSERT_EQ(many_threads().parallelism(), threads);
  meeting m;
  // A part for each share: there are fewer of these than threads.
  meeting_kernel kernel(m);
  const executors::resolved_kernel k = kernel.over(together);
  run_kernel(k, many_threads(), 0, true);
  EXPECT_EQ(m.units, together);
}

struct hooks_of_meetings final : step_hooks {
  void copy(const executors::resolved_copy&) override {}
  void fill(const executors::resolved_fill&) override {}
  [[nodiscard]] bool blocks(const executors::resolved_action&) const noexcept override {
    return false;
  }
  [[nodiscard]] bool parallel_kernels() const noexcept override { return true; }
};

TEST(a_team_of_many_threads, runs_strands_of_a_graph_on_all_of_them) {
  meeting m;
  meeting_kernel kernel(m);
  hooks_of_meetings hooks;
  std::vector<graph_node> nodes(together);
  host_graph::summary summary;
  for (graph_node& n : nodes) {
    n.action = kernel.over(1);
    n.hooks = &hooks;
    summary.add(n);
  }
  std::atomic<bool> attention{false};
  executors::step_observer observer;
  observer.attention = &attention;
  host_graph graph(nodes, {}, observer, summary);
  for (unsigned run = 1; run <= 2; ++run) {
    m.inside = 0;
    graph.run(many_threads(), 0);
    EXPECT_EQ(m.units, run * together);
    EXPECT_FALSE(m.late);
  }
}

}  // namespace
}  // namespace pianola::host
