// SPDX-License-Identifier: Apache-2.0
#include "replay/executable/generations.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/runtime/submission.hpp>

#include "data/buffer_table.hpp"
#include "data/pointer_registry.hpp"
#include "execute/waiting.hpp"
#include "machine/lane_table.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "replay/executable/graph_instance.hpp"

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

generations::generations(process& rt, std::shared_ptr<graph_instance> first,
                         const replay_options& options)
    : first_(std::move(first)), options_(options) {
  first_->find_uses(rt);
  const planned_graph& g = first_->planned();
  for (std::uint32_t i = 0; i < g.live.size(); ++i) {
    const buffer_key key = g.recorded.key(i);
    if (!rt.buffers[g.live[i]].parameter) {
      fixed_.emplace(g.live[i].value(), i);
      continue;
    }
    number_of_.emplace(key.value(), static_cast<std::uint32_t>(buffers_.size()));
    buffers_.push_back({model::buffer_id(i), key, true});
  }
  first_->forget_values();
  if (first_->is_instantiated()) all_.push_back({first_});
}

const rebindable& generations::uses() const noexcept { return *first_->planned().uses; }

std::string generations::name_of(const bindable_buffer& b) const {
  return fmt::format("parameter of {} ({} of the graph)",
                     elements_of(first_->planned().recorded.buffers[b.plan.value()]),
                     first_->name_of(b.plan));
}

std::uint32_t generations::bindable_number(process& rt, buffer_key recorded) {
  const auto known = number_of_.find(recorded.value());
  if (known != number_of_.end()) return known->second;
  const auto at = std::find(first_->planned().recorded.externals.begin(),
                            first_->planned().recorded.externals.end(), recorded.value() + 1);
  if (at == first_->planned().recorded.externals.end())
    refuse(rt.buffers.existed(recorded) && rt.buffers[buffer_table::id_of(recorded)].parameter
               ? "a value is given for a graph_parameter that the graph does not use"
               : "a value is given for a buffer that the graph does not use");
  // A buffer of the program's, which launches may exchange from now on.
  const auto number = static_cast<std::uint32_t>(buffers_.size());
  const model::buffer_id plan(
      static_cast<std::uint32_t>(at - first_->planned().recorded.externals.begin()));
  buffers_.push_back({plan, recorded, false});
  number_of_.emplace(recorded.value(), number);
  fixed_.erase(first_->planned().live[plan.value()].value());
  for (const generation& made : all_) made.graph->add_bound(recorded);
  return number;
}

bound_values generations::values_of(process& rt, const submission& s) {
  static const parameter_values none_given;
  const parameter_values& given = s.values != nullptr ? *s.values : none_given;
  for (const parameter_value& v : given)
    if (v.parameter.valid()) static_cast<void>(bindable_number(rt, v.parameter));
  bound_values values;
  for (const bindable_buffer& b : buffers_)
    values.buffers.push_back(b.parameter ? buffer_key() : b.recorded);
  values.memory.assign(uses().memory().size(), nullptr);
  std::vector<char> seen(values.buffers.size() + values.memory.size(), 0);
  for (const parameter_value& v : given) {
    std::size_t at = 0;
    if (v.parameter.valid()) {
      at = bindable_number(rt, v.parameter);
      values.buffers[at] = v.buffer;
    } else {
      const auto& all = uses().memory();
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
      refuse(fmt::format(
          "no buffer is given for the {}; each launch names one: {{parameter = buffer, ...}}",
          name_of(buffers_[i])));
  for (std::size_t i = 0; i < values.memory.size(); ++i) {
    const memory_parameters::parameter& p = uses().memory()[i];
    if (!p.buffer.valid()) continue;
    const auto of = number_of_.find(p.buffer.value());
    if (of == number_of_.end()) continue;
    const buffer_key live = values.buffers[of->second];
    rt.buffers.living(live);
    values.memory[i] = rt.buffers.ensure_allocation(buffer_table::id_of(live), model::host_memory);
  }
  for (std::size_t i = 0; i < values.memory.size(); ++i)
    if (values.memory[i] == nullptr)
      refuse(fmt::format(
          "no pointer is given for the parameter of {} bytes of {} memory (number {} of the graph, "
          "in order of first use); each launch names one: {{parameter = pointer, ...}}",
          uses().memory()[i].bytes, model::name_of(uses().memory()[i].kind), i));
  return values;
}

void generations::check_buffer(process& rt, const bindable_buffer& b, buffer_key live) const {
  const buffer_entry& entry = rt.buffers.living(live);
  const model::buffer_info &was = first_->planned().recorded.buffers[b.plan.value()],
                           &is = entry.info;
  if (entry.parameter)
    refuse(fmt::format("the {} is given another parameter in place of a buffer", name_of(b)));
  if (was.dimensions != is.dimensions || !(was.grid.range() == is.grid.range()) ||
      was.element_size != is.element_size)
    refuse(fmt::format("the {} is given a buffer of {}; it takes buffers of its own shape",
                       name_of(b), elements_of(is)));
  if (!(was.grid.page() == is.grid.page()))
    refuse(
        fmt::format("the {} has pages of {} elements, the buffer that it is given of {}; make the "
                    "parameter with the page size of its buffers",
                    name_of(b), formats::extent_text(was.grid.page(), was.dimensions),
                    formats::extent_text(is.grid.page(), is.dimensions)));
  if (is.temporary != was.temporary || is.evictable != was.evictable)
    refuse(fmt::format("the {} is given a temporary or evictable buffer", name_of(b)));
}

void generations::check_memory(const process& rt, std::size_t number, const void* pointer) const {
  const memory_parameters::parameter& p = uses().memory()[number];
  if (p.buffer.valid()) return;
  const std::string which =
      fmt::format("the parameter of {} bytes of {} memory ", p.bytes, model::name_of(p.kind));
  const user_allocation found = pointer_registry::instance().find_user(pointer);
  if (found.serial == 0) refuse(which + "is given a pointer into no USM allocation");
  if (found.kind != p.kind)
    refuse(fmt::format("{}is given one into {} memory", which, model::name_of(found.kind)));
  if (p.kind == usm_kind::device &&
      rt.machine.memory_of(found.device) != rt.machine.memory_of(p.device))
    refuse(which + "is given one into the memory of another device");
  const std::size_t behind = found.bytes - (reinterpret_cast<std::uintptr_t>(pointer) -
                                            reinterpret_cast<std::uintptr_t>(found.base));
  if (behind < p.bytes)
    refuse(fmt::format("{}is given a pointer with {} bytes behind it", which, behind));
}

// The plan orders what commands do to each buffer, and takes two for two.
void generations::check_values(process& rt, const bound_values& values) const {
  std::unordered_map<std::uint32_t, std::uint32_t> at;
  const auto check_pair = [&](model::buffer_id a, model::buffer_id b) {
    if (!uses().changes(a) && !uses().changes(b)) return;
    refuse(
        fmt::format("the same buffer stands for {} and for {} of the graph, which writes or moves "
                    "one of them, and has been ordered for two different buffers; give it two "
                    "buffers, or record it with one",
                    first_->name_of(a), first_->name_of(b)));
  };
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const model::buffer_id plan = buffers_[i].plan;
    // Buffers that were recorded stay with the graph, whether or not the program's have ended.
    if (buffers_[i].parameter || values.buffers[i] != buffers_[i].recorded)
      check_buffer(rt, buffers_[i], values.buffers[i]);
    const std::uint32_t live = buffer_table::id_of(values.buffers[i]).value();
    const auto [other, fresh] = at.emplace(live, plan.value());
    if (!fresh) check_pair(plan, model::buffer_id(other->second));
    const auto fixed = fixed_.find(live);
    if (fixed != fixed_.end()) check_pair(plan, model::buffer_id(fixed->second));
  }
  for (std::size_t i = 0; i < values.memory.size(); ++i) check_memory(rt, i, values.memory[i]);
}

// Values that were checked before.
void generations::check_living(process& rt, const bound_values& values) const {
  for (std::size_t i = 0; i < values.buffers.size(); ++i)
    if (buffers_[i].parameter || values.buffers[i] != buffers_[i].recorded)
      rt.buffers.living(values.buffers[i]);
  for (std::size_t i = 0; i < values.memory.size(); ++i) check_memory(rt, i, values.memory[i]);
}

graph_instance* generations::take(generation& made) noexcept {
  made.taken_for = ++launches_;
  return made.graph.get();
}

graph_instance* generations::choose(const std::shared_ptr<generations>& g, process& rt,
                                    const submission& s, std::unique_lock<runtime_mutex>& lock) {
  const bound_values values = g->values_of(rt, s);
  const std::size_t wanted = g->options_.in_flight;
  generation *same = nullptr, *idle = nullptr, *oldest = nullptr;
  std::size_t as_wanted = 0, fewest = 0;
  const auto older = [](const generation* a, const generation& b) {
    return a == nullptr || b.taken_for < a->taken_for;
  };
  const auto differences = [&](const bound_values& has) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < values.buffers.size(); ++i)
      n += has.buffers[i] != values.buffers[i] ? 1 : 0;
    for (std::size_t i = 0; i < values.memory.size(); ++i)
      n += has.memory[i] != values.memory[i] ? 1 : 0;
    return n;
  };
  for (generation& one : g->all_) {
    const bound_values& has = one.graph->planned().bound;
    // It always works on what was recorded.
    const bool fixed = one.graph == g->first_;
    // Times of nodes are noted for one launch at a time.
    const bool taken = g->options_.node_times && !one.graph->is_idle(rt);
    if (has == values && !taken) {
      ++as_wanted;
      if (older(same, one)) same = &one;
      continue;
    }
    if (has == values || !fixed)
      if (older(oldest, one)) oldest = &one;
    if (fixed || taken || !one.graph->is_idle(rt)) continue;
    const std::size_t n = differences(has);
    if (idle == nullptr || n < fewest) {
      idle = &one;
      fewest = n;
    }
  }
  // The least recently taken one is the first to be idle again.
  if (same != nullptr && (as_wanted >= wanted || same->graph->is_idle(rt))) {
    g->check_living(rt, values);
    return g->take(*same);
  }
  g->check_values(rt, values);
  const std::size_t limit = std::max(most, 2 * wanted);
  // The second one is made in any case: what takes turns with what is there is not exchanged again and again.
  if (idle != nullptr && (g->all_.size() >= limit || g->all_.size() > wanted)) {
    idle->graph->bind(rt, g->buffers_, values);
    return g->take(*idle);
  }
  const bool own = oldest != nullptr && oldest->graph->ends_behind_calling_task(rt);
  if (g->all_.size() < limit || oldest == nullptr || own) {
    // Other threads may end these, and update the graph, before the lock is back.
    std::shared_ptr<generations> kept = g;
    std::shared_ptr<graph_instance> made;
    // What may have the last reference to an instance lets go of it without the lock.
    const auto give_up = [&] {
      lock.unlock();
      made.reset();
      kept.reset();
      lock.lock();
    };
    try {
      made = kept->first_->make_generation(rt, kept->buffers_, values, lock);
    } catch (...) {
      give_up();
      throw;
    }
    if (kept->ended_) {
      give_up();
      return nullptr;
    }
    // What another thread has found to be exchangeable meanwhile is as it was recorded here.
    for (std::size_t i = made->planned().bound.buffers.size(); i < kept->buffers_.size(); ++i)
      made->add_bound(kept->buffers_[i].recorded);
    return kept->take(kept->all_.emplace_back(generation{std::move(made)}));
  }
  if (same != nullptr) return g->take(*same);
  const executors::lane_position end = rt.lanes.position_of(oldest->graph->tail(rt));
  lock.unlock();
  wait_until_reached(rt, {&end, 1});
  lock.lock();
  return nullptr;
}

}  // namespace pianola::runtime
