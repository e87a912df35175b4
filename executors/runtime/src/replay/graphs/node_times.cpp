// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/node_times.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <pianola/model/error.hpp>

#include "queues/event_record.hpp"
#include "queues/launch_times.hpp"
#include "replay/graphs/graph.hpp"
#include "replay/recorded/control.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

// What is known of a node, command by command.
class sum_of_commands {
 public:
  sum_of_commands(const graph& of, model::command_id node)
      : of_(of), node_(node), storage_(of.storage()) {}

  // Of the graph that was launched. False: the node is not of it.
  [[nodiscard]] bool add(const launch_times& all) {
    if (all.at->origin != storage_) return false;
    for_each(*all.at, [&](std::uint32_t i, const control* what) {
      const std::uint64_t from = all.started[i].load(std::memory_order_relaxed);
      const std::uint64_t to = all.ended[i].load(std::memory_order_relaxed);
      add({from, to, from == 0 ? 0 : to - from, from == 0 ? 0U : 1U});
      add_runs(what, 1, all.runs[i].load(std::memory_order_relaxed));
    });
    result.rounds = rounds_;
    return true;
  }
  // Of the graphs that its loops and branches run, and so on.
  [[nodiscard]] bool add_bodies(const launch_times& all) {
    bool any = false;
    for (const body_times& b : all.bodies) {
      const launch_times& round = b.round;
      if (round.at->origin == storage_) {
        any = true;
        for_each(*round.at, [&](std::uint32_t i, const control* what) {
          add(b.all[i]);
          add_runs(what, b.all[i].rounds, round.runs[i].load(std::memory_order_relaxed));
        });
        result.rounds += std::exchange(rounds_, 0);
      }
      any = add_bodies(round) || any;
    }
    return any;
  }

  node_times result;

 private:
  template <class F>
  void for_each(const command_places& at, const F& see) {
    of_.for_each_command({node_}, [&](std::uint32_t i, const model::command& c, const auto&) {
      if (i >= at.own_commands)
        throw user_error(error_code::invalid,
                         "node_times: the node was added after the graph was finalized");
      if (i < at.moved.size()) i = at.moved[i];
      result.device = at.places[i].device;
      result.lane = at.places[i].lane;
      see(i, control_of(c));
    });
  }
  void add(const body_times::sum& s) {
    if (s.started != 0 && (result.started == 0 || s.started < result.started))
      result.started = s.started;
    result.ended = std::max(result.ended, s.ended);
    result.total += s.nanoseconds;
    rounds_ = std::max(rounds_, s.rounds);
  }
  void add_runs(const control* what, std::uint64_t rounds, std::uint64_t counted) {
    if (what == nullptr) return;
    result.runs += what->on_device && what->what == model::control_kind::repeat
                       ? what->count * rounds
                       : counted;
  }

  const graph& of_;
  model::command_id node_;
  std::shared_ptr<const void> storage_;
  std::uint64_t rounds_ = 0;
};

}  // namespace

void keep_loops_with_the_host(graph& g) { g.keep_loops_with_the_host(); }

node_times times_of(const event& launch, const graph& of, model::command_id node) {
  if (launch.record == nullptr || launch.record->nodes == nullptr)
    throw user_error(error_code::invalid,
                     "node_times: the event is of no launch of a graph that was finalized with "
                     "property::graph::enable_profiling");
  const launch_times& all = *launch.record->nodes;
  if (all.at->in_parts)
    throw user_error(error_code::feature_not_supported,
                     "node_times: the graph runs kernels in parts on several devices, so its "
                     "nodes have no times of their own");
  wait(launch);
  sum_of_commands sum(of, node);
  if (!sum.add(all) && !sum.add_bodies(all))
    throw user_error(error_code::invalid,
                     "node_times: the node is not of the graph that was finalized and launched, "
                     "nor of one that its loops and branches run");
  sum.result.submitted = launch.record->submitted.load(std::memory_order_relaxed);
  return sum.result;
}

}  // namespace pianola::runtime
