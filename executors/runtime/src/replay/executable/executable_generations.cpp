// SPDX-License-Identifier: Apache-2.0
// Launches of an executable graph on other buffers and other memory, and several at the same time.
#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/planning_state.hpp>

#include "data/buffer_table.hpp"
#include "data/pointer_registry.hpp"
#include "execute/own_waits.hpp"
#include "execute/waiting.hpp"
#include "machine/lane_table.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "queues/queue.hpp"
#include "replay/executable/executable.hpp"
#include "replay/executable/replay_table.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw user_error(error_code::invalid, "ext_oneapi_graph: " + why);
}

std::string elements_of(const model::buffer_info& b) {
  return fmt::format("{} elements of {} bytes", formats::extent_text(b.grid.range(), b.dimensions),
                     b.element_size);
}

}  // namespace

void executable_graph::find_parameters(const process& rt) {
  const auto is_parameter = [&](std::uint64_t external) {
    const buffer_key key(external - 1);
    return rt.buffers[buffer_table::id_of(key)].parameter;
  };
  has_parameters_ =
      std::any_of(recorded_.externals.begin(), recorded_.externals.end(), is_parameter) ||
      uses_memory_parameters(recorded_);
  if (has_parameters_) uses_ = std::make_shared<const rebindable>(rt.machine, recorded_, plan_);
}

std::string executable_graph::name_of(const generations::bindable& b) const {
  return "parameter of " + elements_of(recorded_.buffers[b.plan.value()]) + " (" + name_of(b.plan) +
         " of the graph)";
}

// What launches may exchange, as far as is known before they do.
void executable_graph::prepare_generations(process& rt) {
  if (generations_ != nullptr) return;
  if (uses_ == nullptr) uses_ = std::make_shared<const rebindable>(rt.machine, recorded_, plan_);
  auto made = std::make_unique<generations>();
  for (std::uint32_t i = 0; i < live_.size(); ++i) {
    const buffer_key key = recorded_.key(i);
    if (!rt.buffers[live_[i]].parameter) {
      made->fixed.emplace(live_[i].value(), i);
      continue;
    }
    made->number_of.emplace(key.value(), static_cast<std::uint32_t>(made->buffers.size()));
    made->buffers.push_back({model::buffer_id(i), key, true});
  }
  bound_ = {};
  if (is_instantiated()) made->all.emplace_back(std::shared_ptr<executable_graph>(), this);
  generations_ = std::move(made);
}

std::uint32_t executable_graph::bindable_number(process& rt, buffer_key recorded) {
  generations& g = *generations_;
  const auto known = g.number_of.find(recorded.value());
  if (known != g.number_of.end()) return known->second;
  const auto at =
      std::find(recorded_.externals.begin(), recorded_.externals.end(), recorded.value() + 1);
  if (at == recorded_.externals.end())
    refuse(rt.buffers.existed(recorded) && rt.buffers[buffer_table::id_of(recorded)].parameter
               ? "a value is given for a graph_parameter that the graph does not use"
               : "a value is given for a buffer that the graph does not use");
  // A buffer of the program's, which launches may exchange from now on.
  const auto number = static_cast<std::uint32_t>(g.buffers.size());
  const model::buffer_id plan(static_cast<std::uint32_t>(at - recorded_.externals.begin()));
  g.buffers.push_back({plan, recorded, false});
  g.number_of.emplace(recorded.value(), number);
  g.fixed.erase(live_[plan.value()].value());
  for (const auto& made : g.all) made->bound_.buffers.push_back(recorded);
  return number;
}

bound_values executable_graph::values_of(process& rt, const submission& s) {
  generations& g = *generations_;
  static const parameter_values none_given;
  const parameter_values& given = s.values != nullptr ? *s.values : none_given;
  for (const parameter_value& v : given)
    if (v.parameter.valid()) static_cast<void>(bindable_number(rt, v.parameter));
  bound_values values;
  for (const generations::bindable& b : g.buffers)
    values.buffers.push_back(b.parameter ? buffer_key() : b.recorded);
  values.memory.assign(uses_->memory().size(), nullptr);
  std::vector<char> seen(values.buffers.size() + values.memory.size(), 0);
  for (const parameter_value& v : given) {
    std::size_t at = 0;
    if (v.parameter.valid()) {
      at = bindable_number(rt, v.parameter);
      values.buffers[at] = v.buffer;
    } else {
      const auto& all = uses_->memory();
      const auto begin = reinterpret_cast<std::uintptr_t>(v.memory_parameter);
      const auto found =
          std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.begin == begin; });
      if (found == all.end())
        refuse("a pointer is given for a graph_parameter that the graph does not use");
      const auto number = static_cast<std::size_t>(found - all.begin());
      if (v.pointer == nullptr) refuse("a graph_parameter is given a null pointer");
      values.memory[number] = v.pointer;
      at = values.buffers.size() + number;
    }
    if (std::exchange(seen[at], 1) != 0)
      refuse("a graph_parameter is given two values in one launch");
  }
  for (std::size_t i = 0; i < values.buffers.size(); ++i)
    if (!values.buffers[i].valid())
      refuse("no buffer is given for the " + name_of(g.buffers[i]) +
             "; each launch names one: {parameter = buffer, ...}");
  for (std::size_t i = 0; i < values.memory.size(); ++i) {
    const memory_parameters::parameter& p = uses_->memory()[i];
    if (!p.buffer.valid()) continue;
    const auto of = g.number_of.find(p.buffer.value());
    if (of == g.number_of.end()) continue;
    const buffer_key live = values.buffers[of->second];
    rt.buffers.living(live);
    values.memory[i] = rt.buffers.ensure_allocation(buffer_table::id_of(live), model::host_memory);
  }
  for (std::size_t i = 0; i < values.memory.size(); ++i)
    if (values.memory[i] == nullptr)
      refuse(fmt::format(
          "no pointer is given for the parameter of {} bytes of {} memory (number {} of the graph, "
          "in order of first use); each launch names one: {{parameter = pointer, ...}}",
          uses_->memory()[i].bytes, model::name_of(uses_->memory()[i].kind), i));
  return values;
}

void executable_graph::check_buffer(process& rt, const generations::bindable& b,
                                    buffer_key live) const {
  const buffer_entry& entry = rt.buffers.living(live);
  const model::buffer_info &was = recorded_.buffers[b.plan.value()], &is = entry.info;
  if (entry.parameter)
    refuse("the " + name_of(b) + " is given another parameter in place of a buffer");
  if (was.dimensions != is.dimensions || !(was.grid.range() == is.grid.range()) ||
      was.element_size != is.element_size)
    refuse("the " + name_of(b) + " is given a buffer of " + elements_of(is) +
           "; it takes buffers of its own shape");
  if (!(was.grid.page() == is.grid.page()))
    refuse("the " + name_of(b) + " has pages of " +
           formats::extent_text(was.grid.page(), was.dimensions) +
           " elements, the buffer that it is given of " +
           formats::extent_text(is.grid.page(), is.dimensions) +
           "; make the parameter with the page size of its buffers");
  if (is.temporary != was.temporary || is.evictable != was.evictable)
    refuse("the " + name_of(b) + " is given a temporary or evictable buffer");
}

void executable_graph::check_memory(const process& rt, std::size_t number,
                                    const void* pointer) const {
  const memory_parameters::parameter& p = uses_->memory()[number];
  if (p.buffer.valid()) return;
  const std::string which =
      fmt::format("the parameter of {} bytes of {} memory ", p.bytes, model::name_of(p.kind));
  const user_allocation found = pointer_registry::instance().find_user(pointer);
  if (found.serial == 0) refuse(which + "is given a pointer into no USM allocation");
  if (found.kind != p.kind)
    refuse(which + "is given one into " + model::name_of(found.kind) + " memory");
  if (p.kind == usm_kind::device &&
      rt.machine.memory_of(found.device) != rt.machine.memory_of(p.device))
    refuse(which + "is given one into the memory of another device");
  const std::size_t behind = found.bytes - (reinterpret_cast<std::uintptr_t>(pointer) -
                                            reinterpret_cast<std::uintptr_t>(found.base));
  if (behind < p.bytes)
    refuse(fmt::format("{}is given a pointer with {} bytes behind it", which, behind));
}

// The plan orders what commands do to each buffer, and takes two for two.
void executable_graph::check_values(process& rt, const bound_values& values) const {
  const generations& g = *generations_;
  std::unordered_map<std::uint32_t, std::uint32_t> at;
  const auto check_pair = [&](model::buffer_id a, model::buffer_id b) {
    if (!uses_->changes(a) && !uses_->changes(b)) return;
    refuse("the same buffer stands for " + name_of(a) + " and for " + name_of(b) +
           " of the graph, which writes or moves one of them, and has been ordered for two "
           "different buffers; give it two buffers, or record it with one");
  };
  for (std::size_t i = 0; i < g.buffers.size(); ++i) {
    const model::buffer_id plan = g.buffers[i].plan;
    // Buffers that were recorded stay with the graph, whether or not the program's have ended.
    if (g.buffers[i].parameter || values.buffers[i] != g.buffers[i].recorded)
      check_buffer(rt, g.buffers[i], values.buffers[i]);
    const std::uint32_t live = buffer_table::id_of(values.buffers[i]).value();
    const auto [other, fresh] = at.emplace(live, plan.value());
    if (!fresh) check_pair(plan, model::buffer_id(other->second));
    const auto fixed = g.fixed.find(live);
    if (fixed != g.fixed.end()) check_pair(plan, model::buffer_id(fixed->second));
  }
  for (std::size_t i = 0; i < values.memory.size(); ++i) check_memory(rt, i, values.memory[i]);
}

// Values that were checked before.
void executable_graph::check_living(process& rt, const bound_values& values) const {
  for (std::size_t i = 0; i < values.buffers.size(); ++i)
    if (generations_->buffers[i].parameter ||
        values.buffers[i] != generations_->buffers[i].recorded)
      rt.buffers.living(values.buffers[i]);
  for (std::size_t i = 0; i < values.memory.size(); ++i) check_memory(rt, i, values.memory[i]);
}

bool executable_graph::is_idle(const process& rt) const {
  return rt.lanes.finished(rt.state.tail(lane_));
}

executable_graph* executable_graph::choose_generation(process& rt, const bound_values& values,
                                                      std::unique_lock<runtime_mutex>& lock) {
  generations& g = *generations_;
  const std::size_t wanted = wanted_.options.in_flight;
  executable_graph *same = nullptr, *idle = nullptr, *oldest = nullptr;
  std::size_t as_wanted = 0, fewest = 0;
  const auto older = [](const executable_graph* a, const executable_graph& b) {
    return a == nullptr || b.taken_for_ < a->taken_for_;
  };
  const auto differences = [&](const bound_values& has) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < values.buffers.size(); ++i)
      n += has.buffers[i] != values.buffers[i] ? 1 : 0;
    for (std::size_t i = 0; i < values.memory.size(); ++i)
      n += has.memory[i] != values.memory[i] ? 1 : 0;
    return n;
  };
  for (const auto& made : g.all) {
    executable_graph& one = *made;
    // Times of nodes are noted for one launch at a time.
    const bool taken = wanted_.options.node_times && !one.is_idle(rt);
    if (one.bound_ == values && !taken) {
      ++as_wanted;
      if (older(same, one)) same = &one;
      continue;
    }
    if (one.bound_ == values || &one != this)
      if (older(oldest, one)) oldest = &one;
    if (&one == this || taken || !one.is_idle(rt))
      continue;  // this always works on what was recorded
    const std::size_t n = differences(one.bound_);
    if (idle == nullptr || n < fewest) {
      idle = &one;
      fewest = n;
    }
  }
  // The least recently taken one is the first to be idle again.
  if (same != nullptr && (as_wanted >= wanted || same->is_idle(rt))) {
    check_living(rt, values);
    return same;
  }
  check_values(rt, values);
  const std::size_t limit = std::max(generations::most, 2 * wanted);
  // The second one is made in any case: what takes turns with what is there is not exchanged again and again.
  if (idle != nullptr && (g.all.size() >= limit || g.all.size() > wanted)) {
    idle->bind(rt, g, values);
    return idle;
  }
  const bool own = oldest != nullptr && oldest->ends_behind_calling_task(rt);
  if (g.all.size() < limit || oldest == nullptr || own) {
    const std::uint64_t version = version_;
    auto made = make_generation(rt, values, lock);
    if (version != version_) {
      lock.unlock();
      made.reset();
      lock.lock();
      return nullptr;
    }
    // What another thread has found to be exchangeable meanwhile is as it was recorded here.
    for (std::size_t i = made->bound_.buffers.size(); i < generations_->buffers.size(); ++i)
      made->bound_.buffers.push_back(generations_->buffers[i].recorded);
    generations_->all.push_back(std::move(made));
    return generations_->all.back().get();
  }
  if (same != nullptr) return same;
  const executors::lane_position end = rt.lanes.position_of(rt.state.tail(oldest->lane_));
  lock.unlock();
  wait_until_reached(rt, {&end, 1});
  lock.lock();
  return nullptr;
}

// Has no control over what other threads do to this graph meanwhile.
std::shared_ptr<executable_graph> executable_graph::make_generation(
    process& rt, const bound_values& values, std::unique_lock<runtime_mutex>& lock) {
  auto g = begin_generation(recorded_.copy());
  g->bound_ = values;
  for (std::size_t i = 0; i < values.buffers.size(); ++i)
    g->live_[generations_->buffers[i].plan.value()] = buffer_table::id_of(values.buffers[i]);
  finish_generation(rt, g, lock);
  return g;
}

std::shared_ptr<executable_graph> executable_graph::begin_generation(
    graph_snapshot contents) const {
  contents.outside = {};
  auto g = begin(std::move(contents), device_);
  g->plan_ = plan_;
  g->plan_was_stored_ = plan_was_stored_;
  g->parameters_ = parameters_;
  g->choices_ = choices_;
  g->transfers_ = transfers_;
  g->transferred_bytes_ = transferred_bytes_;
  g->transferred_pages_ = transferred_pages_;
  g->times_ = times_;
  g->wanted_ = wanted_;
  g->uses_ = uses_;
  g->places_ = places_;
  g->live_ = live_;
  g->has_parameters_ = has_parameters_;
  g->held_.assign(live_.size(), 0);
  if (wanted_.options.in_flight == 1) {
    // One runs after the other.
    g->slots_ = slots_;
    g->staging_ = staging_;
    g->staging_offsets_ = staging_offsets_;
  }
  return g;
}

void executable_graph::finish_generation(process& rt, std::shared_ptr<executable_graph>& made,
                                         std::unique_lock<runtime_mutex>& lock) const {
  lock.unlock();
  try {
    if (wanted_.options.in_flight > 1) made->make_staging(rt);
    made->make_controls();
    made->finish_generation(rt);
  } catch (...) {
    // Ends without the lock, which the caller expects.
    made.reset();
    lock.lock();
    throw;
  }
  lock.lock();
}

void executable_graph::finish_generation(process& rt) {
  const std::lock_guard guard(rt.mutex);
  for (std::size_t i = 0; i < live_.size(); ++i)
    if (live_[i] == buffer_table::id_of(recorded_.key(i)) && !rt.buffers[live_[i]].parameter) {
      held_[i] = 1;
      ++rt.buffers[live_[i]].graph_uses;
    }
  if (wanted_.options.in_flight > 1) slots_ = slot_storage(rt.machine, plan_);
  allocate_buffers(rt);
  make_requirements();
  instantiate(rt);
  rt.replays.add(*this);
}

void executable_graph::bind(process& rt, const generations& known, const bound_values& values) {
  std::vector<std::uint32_t> steps;
  const auto touched = [&](model::array_view<const std::uint32_t> more) {
    steps.insert(steps.end(), more.begin(), more.end());
  };
  // First what may fail.
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < values.buffers.size(); ++i) {
    if (bound_.buffers[i] == values.buffers[i]) continue;
    const model::buffer_id plan = known.buffers[i].plan;
    const model::buffer_id live = buffer_table::id_of(values.buffers[i]);
    changed.push_back(i);
    for (std::uint16_t m = 0; m < planner::max_memories; ++m)
      if ((uses_->memories_of(plan) >> m & 1U) != 0)
        rt.buffers.ensure_allocation(live, model::memory_id(m));
    if (rt.machine.staging_needed()) rt.buffers.ensure_allocation(live, model::host_memory);
  }
  // Replays that the live state has not seen are of the buffers before.
  if (rt.replays.were_last(*this)) rt.replays.settle(rt);
  for (const std::size_t i : changed) {
    const model::buffer_id plan = known.buffers[i].plan;
    const model::buffer_id live = buffer_table::id_of(values.buffers[i]);
    buffer_entry& before = rt.buffers[live_[plan.value()]];
    if (held_[plan.value()] != 0) --before.graph_uses;  // the graph itself keeps it
    held_[plan.value()] = 0;
    take_buffer(rt, plan, live);
    touched(uses_->steps_of(plan));
  }
  for (std::size_t i = 0; i < values.memory.size(); ++i)
    if (bound_.memory[i] != values.memory[i]) touched(uses_->steps_of_memory(i));
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  bound_ = values;
  try {
    exchange_steps(rt, steps);
  } catch (...) {
    // Nobody knows which steps have which addresses: the next launch gives them all.
    std::fill(bound_.buffers.begin(), bound_.buffers.end(), buffer_key());
    std::fill(bound_.memory.begin(), bound_.memory.end(), nullptr);
    throw;
  }
}

event executable_graph::replay(process& rt, queue& q, const submission& s,
                               std::unique_lock<runtime_mutex>& lock) {
  if (q.description().device != device_)
    throw user_error(error_code::invalid,
                     "the graph was finalized for another device than the queue's");
  const bool plain = !has_parameters_ && wanted_.options.in_flight == 1 &&
                     !wanted_.options.node_times && (s.values == nullptr || s.values->empty()) &&
                     generations_ == nullptr;
  if (plain) [[likely]]
    return replay_here(rt, q, s, *this);
  executable_graph* chosen = nullptr;
  while (chosen == nullptr) {
    prepare_generations(rt);
    chosen = choose_generation(rt, values_of(rt, s), lock);
  }
  chosen->taken_for_ = ++generations_->launches;
  return chosen->replay_here(rt, q, s, *this);
}

}  // namespace pianola::runtime
