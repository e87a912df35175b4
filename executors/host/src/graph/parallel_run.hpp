// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "graph/graph_schedule.hpp"
#include "pianola/host/sleepers.hpp"
#include "pianola/host/strand.hpp"
#include "pianola/host/team.hpp"

namespace pianola::host {

// The threads that run a graph's parallel schedule, and how far they have come. Each has a strand of its own that it
// prefers, so that it finds its data in its cache. A thread that cannot go on there does the next item of any other
// strand that nobody is at: a thread that has no processor holds up nobody, but for the item it is in the middle of,
// and one thread alone gets to the end.
//
// A thread may be held up inside of `take_part` after the run has ended, when the graph runs again, or is gone. It
// touches nothing but the parallel_run before it has claimed an item, and no run ends before its items have.
struct host_graph::parallel_run : job {
  parallel_run(host_graph& graph, team& home, graph_schedule schedule, bool owner_only_first);

  [[nodiscard]] const graph_schedule& schedule() const noexcept { return schedule_; }

  // One run at a time. `timing`: remember what kernels cost.
  void begin(unsigned thread, bool timing) noexcept;
  // Does items as long as there are some; the owner of the run stays to its end. False if it did none.
  bool take_part(unsigned thread, bool owner) noexcept;

  void keep() noexcept { users_.fetch_add(1, std::memory_order_relaxed); }
  void let_go() noexcept {
    if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  // Of a strand that no other thread has, `wanted` if that is free.
  std::optional<std::size_t> take_seat(std::size_t wanted) noexcept;

  using strand = basic_strand<operating_system>;
  class turn;  // one thread's part in one run

  host_graph& graph_;
  team& home_;
  const graph_schedule schedule_;
  const std::size_t count_;
  // Steps that may block are on strand 0 and done by the thread that runs the graph.
  const bool owner_only_first_;
  const std::unique_ptr<strand[]> strands_;
  bool timing_ = false;
  std::atomic<std::uint32_t> run_{0};
  // Strands that are some thread's own, a bit for each, 64 to a word: where there are more threads than strands, the
  // rest stay away.
  const std::unique_ptr<std::atomic<std::uint64_t>[]> seats_;
  std::atomic<unsigned> users_{1};
};

}  // namespace pianola::host
