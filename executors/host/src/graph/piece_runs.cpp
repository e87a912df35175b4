// SPDX-License-Identifier: Apache-2.0
#include "graph/piece_runs.hpp"

#include <unistd.h>

#include <algorithm>

#include "pianola/host/kernel_runner.hpp"
#include "pianola/host/part_independence.hpp"

namespace pianola::host {

namespace {

using executors::resolved_kernel;

// Longer ones hardly gain more, and what waits for one of their steps waits for all of them.
constexpr std::size_t max_run = 64;
// The least that steps of a run must find in the caches, of all that they touch.
constexpr double worth_sharing = 0.1;

bool contains_one_of(const std::vector<std::uint32_t>& steps,
                     const std::vector<std::uint32_t>& run) {
  return std::find_first_of(steps.begin(), steps.end(), run.begin(), run.end()) != steps.end();
}

// Bytes of the union.
double total_bytes(std::vector<byte_range>& ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const byte_range& a, const byte_range& b) { return a.begin < b.begin; });
  double total = 0;
  std::uint64_t covered = 0;
  for (const byte_range& r : ranges) {
    const std::uint64_t from = std::max(covered, r.begin);
    if (r.end > from) total += static_cast<double>(r.end - from);
    covered = std::max(covered, r.end);
  }
  return total;
}

// Into how many pieces the run should be cut; 1: not at all.
std::uint32_t pieces_for(const graph_schedule::item* first, std::size_t length,
                         const std::vector<graph_node>& nodes, const piece_limits& limits) {
  std::vector<byte_range> ranges, own;
  double cheapest = 0, together = 0;
  double share = 1;
  for (std::size_t i = 0; i < length; ++i) {
    const auto& kernel = std::get<resolved_kernel>(nodes[first[i].node].action);
    own.clear();
    append_touched_bytes(kernel, own);
    together += total_bytes(own);
    ranges.insert(ranges.end(), own.begin(), own.end());
    share = static_cast<double>(first[i].part.count()) /
            static_cast<double>(kernel.geometry.launched().count());
    const double cost = share * expected_cost(nodes[first[i].node]);
    cheapest = i == 0 ? cost : std::min(cheapest, cost);
  }
  const double distinct = total_bytes(ranges), bytes = share * distinct;
  if (together - distinct < worth_sharing * together) return 1;
  if (bytes <= static_cast<double>(limits.bytes_that_stay)) return 1;
  const double wanted = std::min({bytes / static_cast<double>(limits.piece_bytes) + 1,
                                  cheapest / limits.piece_nanoseconds, 1e9});
  if (wanted < 2) return 1;
  return static_cast<std::uint32_t>(
      max_slices(first[0].part.extent(), static_cast<std::uint64_t>(wanted)));
}

}  // namespace

piece_limits piece_limits::of_this_machine() {
  static const piece_limits made = [] {
    piece_limits l;
    // Half of the first-level cache: what a piece brings in puts out something else here and there.
    const long cache = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    if (cache <= 0) return l;
    l.piece_bytes = static_cast<std::uint64_t>(cache) / 2;
    l.bytes_that_stay = l.piece_bytes + l.piece_bytes / 2;
    return l;
  }();
  return made;
}

// Why it is enough to look at each item's own lists. Let an item j wait for nothing, with nothing in `ended` that is
// in the run, and let an earlier item i of the run be among the steps that j follows, directly or not. The last step w
// on the way from i to j is not in `ended`: not being in the run it would come before it on this strand, or have
// ended on another one before the run began, and i with it. So w is in `open`, is in the run itself, and has i in
// its own `open`; whatever is there, was looked at for j too.
bool form_piece_runs(std::vector<graph_schedule::item>& strand,
                     const std::vector<graph_node>& nodes,
                     const std::vector<planner::part_relations>& relations,
                     const piece_limits& limits) {
  bool any = false;
  std::vector<std::uint32_t> run;  // nodes, in the order of the strand
  for (std::size_t first = 0; first < strand.size();) {
    run.clear();
    std::size_t end = first;
    for (; end < strand.size() && run.size() < max_run; ++end) {
      const graph_schedule::item& it = strand[end];
      const planner::part_relations& r = relations[it.node];
      if (!r.in_parts) break;
      if (end != first &&
          (it.wait_count != 0 || contains_one_of(r.ended, run) || !contains_one_of(r.open, run)))
        break;
      run.push_back(it.node);
      // Somebody waits for just this step, and not for what comes after it.
      if (nodes[it.node].signal != graph_node::no_signal) {
        ++end;
        break;
      }
    }
    if (run.size() > 1) {
      const std::uint32_t pieces = pieces_for(&strand[first], run.size(), nodes, limits);
      if (pieces > 1) {
        strand[first].run_length = static_cast<std::uint32_t>(run.size());
        strand[first].pieces = pieces;
        any = true;
      }
    }
    first = std::max(end, first + 1);
  }
  return any;
}

}  // namespace pianola::host
