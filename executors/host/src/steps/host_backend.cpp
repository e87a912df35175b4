// SPDX-License-Identifier: Apache-2.0
#include "pianola/host/host_backend.hpp"

#include <new>
#include <utility>

#include <fmt/format.h>

#include <pianola/formats/file_bytes.hpp>

#include "pianola/host/host_graph.hpp"
#include "pianola/host/team.hpp"

namespace pianola::host {

using executors::status;
using model::error_code;

status current_exception_status() noexcept {
  try {
    throw;
  } catch (const model::user_error& e) {
    return {e.code(), e.what()};
  } catch (const std::bad_alloc&) {
    return {error_code::memory_allocation, "out of host memory"};
  } catch (const std::exception& e) {
    return {error_code::runtime, e.what()};
  } catch (...) {
    return {error_code::runtime, "unknown failure"};
  }
}

host_backend::host_backend(std::string name, std::vector<model::device_properties> devices,
                           const executors::step_observer& observer)
    : name_(std::move(name)), devices_(std::move(devices)), observer_(observer) {}

void host_backend::set_memories(model::array_view<const model::memory_id> memories) {
  memories_.assign(memories.begin(), memories.end());
  for (std::size_t i = 0; i < devices_.size() && i < memories_.size(); ++i)
    devices_[i].memory = memories_[i];
}

team& host_backend::team_of(std::uint32_t /*device*/) { return team::instance(); }

status host_backend::make_lane(std::uint32_t device, executors::lane*& out) noexcept {
  try {
    auto l = std::make_unique<lane>(static_cast<step_hooks&>(*this), observer_, team_of(device));
    std::lock_guard<std::mutex> lock(mutex_);
    lanes_.push_back(std::move(l));
    out = lanes_.back().get();
    return {};
  } catch (...) {
    return current_exception_status();
  }
}

status host_backend::submit(executors::lane& where,
                            const executors::step_submission& step) noexcept {
  try {
    static_cast<lane&>(where).submit(step, nullptr);
    return {};
  } catch (...) {
    return current_exception_status();
  }
}

status host_backend::instantiate(executors::graph_steps& steps,
                                 std::unique_ptr<executors::native_graph>& out) noexcept {
  try {
    std::vector<graph_node> nodes;
    formats::reserve_for_filling(nodes, steps.count());
    std::vector<std::uint32_t> waits;
    formats::reserve_for_filling(waits, steps.most_waits());
    host_graph::summary summary;
    for (auto some = steps.next(); !some.empty(); some = steps.next())
      for (const executors::graph_step& s : some) {
        if (!s.outside.empty())
          return {
              error_code::invalid,
              fmt::format("steps of graphs of '{}' cannot wait for steps of other graphs", name_)};
        graph_node& n = nodes.emplace_back();
        n.action = s.action;
        n.hooks = s.owner == nullptr ? static_cast<step_hooks*>(this)
                                     : static_cast<host_backend*>(s.owner);
        n.first_wait = static_cast<std::uint32_t>(waits.size());
        n.wait_count = static_cast<std::uint32_t>(s.waits.size());
        waits.insert(waits.end(), s.waits.begin(), s.waits.end());
        n.context = s.context.data();
        if (s.signals) n.signal = summary.signals;
        n.timed = s.timed;
        n.stamped = s.stamped;
        n.expected = s.expected;
        summary.add(n);
      }
    out = std::make_unique<host_graph>(std::move(nodes), std::move(waits), observer_, summary);
    return {};
  } catch (...) {
    return current_exception_status();
  }
}

status host_backend::launch(executors::lane& where, executors::native_graph& graph,
                            const executors::step_submission& step) noexcept {
  try {
    static_cast<lane&>(where).submit(step, &static_cast<host_graph&>(graph));
    return {};
  } catch (...) {
    return current_exception_status();
  }
}

status host_backend::update(executors::native_graph& graph,
                            model::array_view<const std::uint32_t> indices,
                            model::array_view<const executors::graph_step> steps) noexcept {
  for (std::size_t i = 0; i < indices.size(); ++i)
    static_cast<host_graph&>(graph).replace(indices[i], steps[i].action, steps[i].context.data());
  return {};
}

}  // namespace pianola::host
