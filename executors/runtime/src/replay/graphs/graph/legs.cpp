// SPDX-License-Identifier: Apache-2.0
// Recordings that are cut where the program waits for what was recorded.
#include "replay/graphs/graph_legs.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pianola/model/error.hpp>
#include <pianola/runtime/queues.hpp>
#include <pianola/runtime/sequences.hpp>

#include "execute/own_waits.hpp"
#include "process.hpp"
#include "queues/queue.hpp"
#include "replay/executable/executable_graph.hpp"
#include "replay/files/graph_files.hpp"
#include "replay/graphs/graph.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

// Those that are split at waits. Few programs have any.
class split_graphs {
 public:
  static split_graphs& instance() {
    static split_graphs& all = *new split_graphs;
    return all;
  }
  void add(const std::shared_ptr<graph>& g) {
    const std::lock_guard<std::mutex> lock(mutex_);
    graphs_.erase(std::remove_if(graphs_.begin(), graphs_.end(),
                                 [](const auto& known) { return known.expired(); }),
                  graphs_.end());
    graphs_.push_back(g);
    any_.store(true, std::memory_order_release);
  }
  [[nodiscard]] std::vector<std::shared_ptr<graph>> living() {
    std::vector<std::shared_ptr<graph>> all;
    if (!any_.load(std::memory_order_acquire)) return all;
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& weak : graphs_)
      if (auto g = weak.lock()) all.push_back(std::move(g));
    return all;
  }

 private:
  std::atomic<bool> any_{false};
  std::mutex mutex_;
  std::vector<std::weak_ptr<graph>> graphs_;
};

}  // namespace

void graph::split_at_waits(parameter_values values) {
  const std::lock_guard<std::mutex> lock(mutex_);
  values_of_legs_ = std::move(values);
  leg_is_over_ = std::make_shared<std::atomic<bool>>(false);
}

bool graph::records_use_of(buffer_key buffer) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto any = [](const std::weak_ptr<queue>& q) { return !q.expired(); };
  if (std::none_of(queues_.begin(), queues_.end(), any)) return false;
  const recorder::command_graph& recorded = *recorded_.storage();
  const auto is_recorded = [&](buffer_key key) {
    for (std::uint32_t i = 0; i < recorded.buffer_count(); ++i)
      if (recorded.external(model::buffer_id(i)) == key.value() + 1) return true;
    return false;
  };
  return is_recorded(buffer) ||
         std::any_of(values_of_legs_.begin(), values_of_legs_.end(), [&](const parameter_value& v) {
           return v.parameter.valid() && v.buffer == buffer && is_recorded(v.parameter);
         });
}

void graph::cut() {
  // Whoever waits for a leg that another thread has cut off finds it over. A task of a leg cannot wait for it.
  if (in_host_task()) return;
  const std::lock_guard<std::mutex> one_at_a_time(cut_mutex_);
  process& rt = process::instance();
  event done;
  std::shared_ptr<std::atomic<bool>> over;
  std::shared_ptr<queue> runs_on;
  // The last owner of a queue, an event or a function object of the program lets it go without the locks.
  std::vector<std::shared_ptr<queue>> held;
  std::vector<event> last_events;
  std::optional<recorder::graph> recorded;
  std::shared_ptr<executable_graph> cut_off;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    held.reserve(queues_.size());
    last_events.reserve(queues_.size());
    for (const auto& w : queues_)
      if (auto q = w.lock()) {
        if (q->description().device == device_) runs_on = q;
        held.push_back(std::move(q));
      }
    if (held.empty() || recorded_.size() == 0) return;
    if (runs_on == nullptr)
      throw user_error(error_code::invalid,
                       "a recording is to be cut at a wait, but no queue of the graph's own device "
                       "records, on which the leg could run");
    planning_request wanted;
    wanted.placing = placing_;
    const std::shared_ptr<executable_graph> leg =
        executable_graph::make(contents_now(), device_, wanted);
    submission launch;
    launch.graph = leg;
    if (leg->has_parameters()) {
      auto used = std::make_shared<parameter_values>();
      for (const parameter_value& v : values_of_legs_)
        if (leg->takes(v)) used->push_back(v);
      launch.values = std::move(used);
    }
    // What has run is not recorded any more, whatever memory there is.
    recorded.emplace(fresh_recording());
    auto next_is_over = std::make_shared<std::atomic<bool>>(false);
    legs_.reserve(legs_.size() + 1);
    std::unique_lock runtime_lock(rt.mutex);
    try {
      done = leg->replay(rt, *runs_on, launch, runtime_lock);
    } catch (const user_error& e) {
      if (launch.values == nullptr) throw;
      throw user_error(e.code(), std::string("a recording with a graph_parameter is cut at a wait, "
                                             "where it runs on the values that "
                                             "property::graph::split_at_waits was given: ") +
                                     e.what());
    }
    std::swap(recorded_, *recorded);
    recorded_queues_.clear();
    nested_memories_.clear();
    owned_.begin_anew();
    choices_.clear();
    outside_ = {};
    legs_.push_back(leg);
    cut_off = leg;
    last_leg_ = done;
    over = std::exchange(leg_is_over_, std::move(next_is_over));
    for (const auto& q : held)
      last_events.push_back(std::exchange(q->last_recorded_event, event()));
  }
  write_recorded_graph(*cut_off);
  wait(done);
  over->store(true, std::memory_order_release);
}

void cut_recordings_of(buffer_key buffer) {
  for (const std::shared_ptr<graph>& g : split_graphs::instance().living())
    if (g->records_use_of(buffer)) g->cut();
}

// ---- the narrow interface ------------------------------------------------------------------------

void split_at_waits(graph& g, parameter_values values) {
  g.split_at_waits(std::move(values));
  split_graphs::instance().add(g.shared_from_this());
}

bool takes_value(const executable_graph& g, const parameter_value& value) { return g.takes(value); }

graph_legs legs_of(graph& g) {
  if (g.recording_active())
    throw user_error(error_code::invalid,
                     "a queue records into the graph: end_recording before its legs are asked for");
  graph_legs legs;
  legs.all = g.legs();
  if (g.size() != 0 || legs.all.empty()) {
    legs.first = legs.all.size();
    planning_request wanted;
    wanted.placing = g.placing();
    legs.all.push_back(executable_graph::make(g.take_snapshot(), g.device(), wanted));
    write_recorded_graph(*legs.all.back());
  }
  return legs;
}

}  // namespace pianola::runtime
