// SPDX-License-Identifier: Apache-2.0
#include "capture/captured_sequence.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <variant>

#include <pianola/model/error.hpp>
#include <pianola/runtime/graphs.hpp>
#include <pianola/runtime/replay_options.hpp>

#include "commands/reaching_device.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "queues/queue.hpp"
#include "replay/executable/executable_graph.hpp"
#include "replay/graphs/graph.hpp"

namespace pianola::runtime {

namespace {

bool is_barrier(const captured_command& c) {
  return std::holds_alternative<model::barrier_command>(c.asked().payload);
}

// What a command of an out-of-order queue comes after because of barriers, and one that is a barrier.
class barrier_order {
 public:
  void add_predecessors(bool barrier, bool has_events, std::vector<std::uint64_t>& after) const {
    if (last_ != none) after.push_back(last_);
    if (barrier && !has_events) after.insert(after.end(), since_.begin(), since_.end());
  }
  void note(std::uint64_t command, bool barrier) {
    if (barrier) {
      last_ = command;
      since_.clear();
    } else {
      since_.push_back(command);
    }
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  std::uint64_t last_ = none;
  std::vector<std::uint64_t> since_;
};

}  // namespace

captured_sequence::captured_sequence(std::vector<std::unique_ptr<captured_command>> commands,
                                     std::size_t times)
    : unit_(commands.size()), commands_(std::move(commands)) {
  commands_.reserve(unit_ * times);
  for (std::size_t i = unit_; i < unit_ * times; ++i)
    commands_.push_back(std::make_unique<captured_command>(*commands_[i % unit_]));
  summarize();
}

captured_sequence::captured_sequence(const captured_sequence& of, std::size_t count)
    : unit_(count) {
  for (std::size_t i = 0; i < count; ++i)
    commands_.push_back(std::make_unique<captured_command>(*of.commands_[i]));
  summarize();
  narrows_ = of.narrows_;
  versions_of_whole_ = of.versions_;
}

void captured_sequence::take_values_of(const captured_sequence& whole) {
  for (std::size_t i = 0; i < size(); ++i) {
    const submission& now = whole[i].asked();
    if (versions_of_whole_[i] != whole.versions_[i]) {
      take_values(i, now);
      versions_of_whole_[i] = whole.versions_[i];  // last: what stops in the middle is taken again
    }
    if (commands_[i]->has_other_buffers(now)) take_buffers(i, now);
  }
}

captured_sequence* captured_sequence::left_after(std::size_t count,
                                                 std::vector<std::shared_ptr<void>>& ended) {
  if (beginning_ != nullptr && beginning_->size() == count) {
    beginning_->take_values_of(*this);
    return beginning_->failures == 0 ? beginning_.get() : nullptr;
  }
  times_left_ = count == left_at_ ? times_left_ + 1 : 1;
  left_at_ = count;
  if (count < 2 || times_left_ < often) return nullptr;
  if (beginning_ != nullptr) beginning_->give_up(ended);
  beginning_.reset(new captured_sequence(*this, count));
  return beginning_.get();
}

void captured_sequence::summarize() {
  expected_.assign(commands_);
  versions_.assign(commands_.size(), 0);
  buffers_.clear();
  has_barrier_ = false;
  for (const auto& c : commands_) {
    has_barrier_ = has_barrier_ || is_barrier(*c);
    buffers_.insert(buffers_.end(), c->buffers().begin(), c->buffers().end());
  }
  std::sort(buffers_.begin(), buffers_.end());
  buffers_.erase(std::unique(buffers_.begin(), buffers_.end()), buffers_.end());
  keys_.assign(buffers_.size(), {});
  for (const auto& c : commands_) note_keys(*c);
}

void captured_sequence::note_keys(const captured_command& c) {
  for (std::size_t i = 0; i < c.buffers().size(); ++i) {
    buffer_key& known = keys_[place_of(c.buffers()[i])];
    const buffer_key now = c.asked().accessors[i].buffer;
    if (known == now) continue;
    known = now;
    ++changes_;
  }
}

std::size_t captured_sequence::place_of(std::uint64_t buffer) const noexcept {
  return static_cast<std::size_t>(std::lower_bound(buffers_.begin(), buffers_.end(), buffer) -
                                  buffers_.begin());
}

bool captured_sequence::uses(std::uint64_t buffer) const noexcept {
  return std::binary_search(buffers_.begin(), buffers_.end(), buffer);
}

void captured_sequence::take_buffers(std::size_t i, const submission& s) {
  commands_[i]->take_buffers(s);
  expected_.change(i, *commands_[i]);
  note_keys(*commands_[i]);
}

void captured_sequence::let_go(process& rt, std::uint64_t buffer, buffer_key key) {
  if (!uses(buffer)) return;
  if (beginning_ != nullptr) beginning_->let_go(rt, buffer, key);
  const std::size_t at = place_of(buffer);
  const std::lock_guard lock(rt.mutex);
  for (generation& g : generations_) {
    if (g.buffers[at] != key) continue;
    g.graph->let_go(rt, g.recorded[at]);
    g.buffers[at] = {};
    g.changes = ~std::uint64_t{0};
  }
}

void captured_sequence::take_values(std::size_t i, const submission& s) {
  // First, as who stops in the middle has changed it.
  versions_[i] = ++changes_;
  commands_[i]->take_values(s);
  expected_.change(i, *commands_[i]);
  // What was narrowed may be touched with the new values.
  const auto* kernel = std::get_if<model::kernel_command>(&s.payload);
  if (kernel != nullptr && kernel->kernel->facts != nullptr && narrows_) {
    narrows_ = false;
    outdated_ = true;
  }
}

std::shared_ptr<executable_graph> captured_sequence::make_graph(const queue& q) const {
  const std::shared_ptr<graph> made = create_graph(q.description().device);
  if (!narrows_) made->set_narrowing(false);
  const bool in_order = q.description().in_order;
  barrier_order order;
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    const captured_command& c = *commands_[i];
    std::vector<std::uint64_t> after;
    for (const std::uint32_t d : c.before)
      if (d <= i) after.push_back(i - d);
    const bool barrier = is_barrier(c);
    if (in_order) {
      if (i != 0) after.push_back(i - 1);
    } else {
      order.add_predecessors(barrier, c.names_events(), after);
      order.note(i, barrier);
    }
    std::sort(after.begin(), after.end());
    after.erase(std::unique(after.begin(), after.end()), after.end());
    submission s;
    c.copy_to(s);
    static_cast<void>(made->add_captured(s, c.slots(), std::move(after)));
  }
  replay_options options;
  options.node_times = q.description().profiling;
  return finalize(*made, made->placing(), options);
}

std::shared_ptr<executable_graph> captured_sequence::graph_with_values(
    process& rt, const queue& q, std::uint64_t& changed,
    std::vector<std::shared_ptr<void>>& ended) {
  if (std::exchange(outdated_, false)) give_up(ended);
  const auto use = [&](std::size_t i) {
    std::rotate(generations_.begin(), generations_.begin() + static_cast<std::ptrdiff_t>(i),
                generations_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return generations_[0].graph;
  };
  // Times are noted for one launch of a graph at a time.
  const auto may_use = [&](const generation& g) {
    if (!q.description().profiling) return true;
    const std::lock_guard lock(rt.mutex);
    return g.graph->is_idle(rt);
  };
  for (std::size_t i = 0; i < generations_.size(); ++i)
    if (generations_[i].changes == changes_ && may_use(generations_[i])) return use(i);
  for (std::size_t i = 0; i < generations_.size(); ++i) {
    generation& g = generations_[i];
    if (g.changes == changes_) continue;
    std::vector<executable_graph::value_change> changes;
    std::vector<model::command_payload> payloads;
    for (std::size_t k = 0; k < commands_.size(); ++k)
      if (g.versions[k] != versions_[k]) {
        payloads.push_back(commands_[k]->payload());
        locate_pointers(rt.machine, payloads.back());
        changes.push_back({static_cast<std::uint32_t>(k), nullptr});
      }
    for (std::size_t k = 0; k < changes.size(); ++k) changes[k].payload = &payloads[k];
    std::vector<executable_graph::buffer_change> others;
    for (std::size_t k = 0; k < keys_.size(); ++k)
      if (g.buffers[k] != keys_[k]) others.push_back({g.recorded[k], keys_[k]});
    const std::lock_guard lock(rt.mutex);
    if (!g.graph->exchange_values(rt, changes, others)) continue;
    changed += changes.size();
    g.versions = versions_;
    g.buffers = keys_;
    g.changes = changes_;
    return use(i);
  }
  if (generations_.size() == most_generations) return nullptr;
  generation& g = generations_.emplace_back();
  try {
    g.graph = make_graph(q);
  } catch (...) {
    generations_.pop_back();
    throw;
  }
  g.versions = versions_;
  g.recorded = g.buffers = keys_;
  g.changes = changes_;
  return use(generations_.size() - 1);
}

void captured_sequence::give_up(std::vector<std::shared_ptr<void>>& ended) {
  ended.reserve(ended.size() + generations_.size());
  for (generation& g : generations_) ended.push_back(std::move(g.graph));
  generations_.clear();
  if (beginning_ == nullptr) return;
  beginning_->give_up(ended);
  beginning_ = nullptr;
}

void captured_sequence::shorten(std::size_t times, std::vector<std::shared_ptr<void>>& ended) {
  give_up(ended);
  commands_.resize(times * unit_);
  summarize();
}

}  // namespace pianola::runtime
