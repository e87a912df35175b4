// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/node_times.hpp"

#include <algorithm>

#include <pianola/model/error.hpp>

#include "queues/event_record.hpp"
#include "queues/launch_times.hpp"
#include "replay/graphs/graph.hpp"
#include "replay/recorded/control.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

node_times times_of(const event& launch, const graph& of, model::command_id node) {
  if (launch.record == nullptr || launch.record->nodes == nullptr)
    throw user_error(error_code::invalid,
                     "node_times: the event is of no launch of a graph that was finalized with "
                     "property::graph::enable_profiling");
  const launch_times& all = *launch.record->nodes;
  if (all.at->origin != of.storage())
    throw user_error(error_code::invalid,
                     "node_times: the node is not of the graph that was finalized and launched");
  if (all.at->in_parts)
    throw user_error(error_code::feature_not_supported,
                     "node_times: the graph runs kernels in parts on several devices, so its "
                     "nodes have no times of their own");
  wait(launch);
  node_times result;
  result.submitted = launch.record->submitted.load(std::memory_order_relaxed);
  of.for_each_command({node}, [&](std::uint32_t i, const model::command& c, const auto&) {
    if (!all.at->moved.empty() && i < all.at->moved.size()) i = all.at->moved[i];
    if (i >= all.count)
      throw user_error(error_code::invalid,
                       "node_times: the node was added after the graph was finalized");
    const std::uint64_t from = all.started[i].load(std::memory_order_relaxed);
    if (from != 0 && (result.started == 0 || from < result.started)) result.started = from;
    result.ended = std::max(result.ended, all.ended[i].load(std::memory_order_relaxed));
    result.device = all.at->places[i].device;
    result.lane = all.at->places[i].lane;
    if (const control* const what = control_of(c))
      result.runs += what->on_device && what->what == model::control_kind::repeat
                         ? what->count
                         : all.runs[i].load(std::memory_order_relaxed);
  });
  return result;
}

}  // namespace pianola::runtime
