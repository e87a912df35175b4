// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <mutex>
#include <vector>

#include <pianola/executors/progress.hpp>

#include "replay/recorded/graph_snapshot.hpp"
#include "support/periodic_watch.hpp"

namespace pianola::runtime {

// Launches of graphs with loops that a device runs by itself, so that nobody sees the condition: one that lasts is told of,
// once for each graph, as perhaps nothing ends it. A thread of its own looks, while there are such launches.
class loop_watch {
 public:
  // Null: nobody wants to be told.
  [[nodiscard]] static loop_watch* instance();
  // Whether such a loop is in the graph, or in what it runs.
  [[nodiscard]] static bool concerns(const graph_snapshot& graph);

  // A launch, which has been submitted.
  // `graph`: its number here, 0 until it has one.
  void note(const executors::progress& lane, std::uint64_t position, std::uint64_t& graph);
  // At the end of the process.
  static void stop() noexcept;

 private:
  explicit loop_watch(std::uint64_t after);
  bool look();

  struct launch {
    const executors::progress* lane;
    std::uint64_t position;  // the one that is looked after
    std::uint64_t last;      // of those behind it
    std::uint64_t since;
    std::uint64_t graph;
    std::uint64_t told;  // of this graph
  };
  const std::uint64_t after_;  // nanoseconds
  std::mutex mutex_;
  std::vector<launch> launches_;
  std::uint64_t graphs_ = 0;
  periodic_watch watch_;
};

}  // namespace pianola::runtime
