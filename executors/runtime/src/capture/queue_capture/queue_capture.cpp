// SPDX-License-Identifier: Apache-2.0
// What is held back, and what becomes of it.
#include "capture/queue_capture.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <utility>

#include <pianola/host/clock.hpp>
#include <pianola/model/error.hpp>

#include "data/held_accesses.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "queues/queue.hpp"
#include "queues/queue_table.hpp"
#include "replay/executable/executable_graph.hpp"
#include "submit/submit.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

using model::user_error;

bool queue_capture::may_capture(const queue& q, const submission& s) {
  if (q.lane.valid() || !can_be_captured(s, q.description().device)) return false;
  if (q.has_recorded.load(std::memory_order_acquire) && is_recording(q)) return false;
  return std::none_of(s.after.begin(), s.after.end(),
                      [](const event& e) { return is_recorded(e); });
}

bool queue_capture::holds_use_of(buffer_key buffer) const noexcept {
  return current_ != nullptr && current_->uses(shared_.names.find(buffer));
}

bool queue_capture::conflicts_with(const submission& s) const noexcept {
  if (current_ == nullptr) return false;
  for (const submission* next = &s; next != nullptr; next = next->next.get()) {
    if (next->graph != nullptr || next->control != nullptr) return true;
    for (const accessor_request& a : next->accessors)
      if (current_->uses(shared_.names.find(a.buffer))) return true;
  }
  return false;
}

void queue_capture::settle(submission& s) const {
  for (submission* next = &s; next != nullptr; next = next->next.get())
    for (event& e : next->after) {
      if (e.record == nullptr || e.record->held == nullptr || !e.record->held->are_submitted())
        continue;
      event now = e.record->held->event_of(e.position);
      e = std::move(now);
    }
}

event queue_capture::submit(queue& q, submission& s) {
  if (!may_capture(q, s)) {
    flush();
    settle(s);
    cut();
    return submit_now(q, s);
  }
  event out;
  if (current_ != nullptr) {
    if (hold(q, s, out)) return out;
    flush();
  }
  settle(s);
  return submit_one_more(q, s);
}

bool queue_capture::same_predecessors(const captured_command& next, const submission& s) const {
  std::size_t inside = 0;
  for (const event& e : s.after) {
    if (e.record == nullptr || e.record.get() != held_.get()) continue;
    const std::uint64_t distance = count_ - e.position;
    if (!std::binary_search(next.before.begin(), next.before.end(), distance)) return false;
    ++inside;
  }
  std::size_t wanted = 0;
  for (const std::uint32_t d : next.before) {
    if (d > count_) break;
    ++wanted;
    if (std::none_of(s.after.begin(), s.after.end(), [&](const event& e) {
          return e.record.get() == held_.get() && e.position == count_ - d;
        }))
      return false;
  }
  return inside >= wanted;
}

bool queue_capture::hold(queue& q, submission& s, event& out) {
  process& rt = process::instance();
  const captured_command& next = (*current_)[count_];
  const likeness found = next.compare(rt, shared_.names, s, q.description().device);
  if (found == likeness::different || !same_predecessors(next, s)) return false;
  for (const event& e : s.after) {
    if (e.record.get() == held_.get()) continue;
    if (e.lane != nullptr && !e.lane->reached(e.position)) outside_.push_back({count_, e});
  }
  if (found == likeness::other_values) current_->take_values(count_, s);
  if (next.has_other_buffers(s)) current_->take_buffers(count_, s);
  if (q.description().profiling) held_->note_submission(host::nanoseconds_now());
  out.position = count_;
  out.record = held_;
  if (++count_ != current_->size()) return true;
  try {
    launch(q);
  } catch (...) {
    // Nothing has become of what is held back, and the program is told that this one was not submitted.
    if (current_ != nullptr) --count_;
    throw;
  }
  return true;
}

bool queue_capture::hold_same(const queue& q, const submission& s, event& out) {
  if (current_ == nullptr || count_ + 1 >= current_->size() || !s.after.empty() || q.lane.valid() ||
      q.has_recorded.load(std::memory_order_acquire))
    return false;
  if (!current_->is_repeated_by(count_, s, q.description().device)) return false;
  if (q.description().profiling) held_->note_submission(host::nanoseconds_now());
  out.position = count_;
  out.record = held_;
  ++count_;
  return true;
}

void queue_capture::set_current(captured_sequence* sequence) noexcept {
  if ((current_ == nullptr) != (sequence == nullptr)) {
    if (sequence != nullptr)
      ++shared_.holding;
    else
      --shared_.holding;
  }
  current_ = sequence;
}

event queue_capture::replay(queue& q, std::shared_ptr<executable_graph> graph) {
  process& rt = process::instance();
  submission s;
  s.payload = model::subgraph_command{};
  s.has_payload = true;
  s.graph = std::move(graph);
  for (outside_event& o : outside_) s.after.push_back(std::move(o.e));
  const bool orders_others = current_->has_barrier() && !q.description().in_order;
  if (orders_others) {
    const std::lock_guard lock(rt.mutex);
    for (event& e : q.unfinished_tails()) s.after.push_back(std::move(e));
  }
  event all = submit_now(q, s);
  if (orders_others) {
    const std::lock_guard lock(rt.mutex);
    q.barrier_step = all.step;
  }
  return all;
}

bool queue_capture::may_wait_for_host(process& rt, const queue& q) {
  const std::lock_guard lock(rt.mutex);
  // All commands of a queue in order come after its own host tasks. No queue has the number 0.
  const std::uint64_t own = q.description().in_order ? q.id() : 0;
  return rt.held.any() || rt.queues.unfinished_host_tasks.any_beside(own, rt.lanes);
}

void queue_capture::launch(queue& q) {
  if (may_wait_for_host(process::instance(), q)) return flush(false);
  std::shared_ptr<executable_graph> graph;
  try {
    graph = current_->graph_with_values(process::instance(), q, shared_.counted.changed_commands,
                                        shared_.ended);
  } catch (const std::exception& e) {
    log_info("a captured sequence is not replayed: {}", e.what());
    current_->failures = most_failures;
  }
  if (graph == nullptr) return flush(current_->failures == most_failures);
  const std::shared_ptr<held_commands> done = std::exchange(held_, nullptr);
  captured_sequence& sequence = *current_;
  event all;
  try {
    all = replay(q, std::move(graph));
  } catch (...) {
    // As of a command that fails when it runs.
    q.add_error(std::current_exception());
  }
  shared_.counted.replays += 1;
  shared_.counted.replayed_commands += sequence.size();
  sequence.failures = 0;
  sequence.last_use = ++uses_;
  last_lane_ = all.lane;
  asked_for_ = 0;
  finder_.ask_for(0);
  finder_.forget();
  steps_.clear();
  after_cut_ = false;
  pace_.start_over();
  set_current(nullptr);
  count_ = 0;
  outside_.clear();
  done->become(std::move(all));
}

// The sequence may well be what the program does, only slowly.
void queue_capture::flush_if_late(std::uint64_t now) {
  if (current_ != nullptr && now > held_since_ + longest_hold) flush(false);
}

void queue_capture::flush(bool has_failed) {
  if (current_ == nullptr) return;
  captured_sequence& sequence = *current_;
  // Not where it has not come to its end for long: it will be shorter.
  if (has_failed && count_ != 0 && count_ < sequence.size() &&
      sequence.failures + 1 < most_failures) {
    if (captured_sequence* const beginning = sequence.left_after(count_, shared_.ended)) {
      const std::shared_ptr<queue> q = held_->of();
      current_ = beginning;
      try {
        return launch(*q);
      } catch (...) {
        if (current_ == beginning) current_ = &sequence;
        throw;
      }
    }
  }
  std::vector<event> each;
  each.reserve(count_);
  // From here on nothing is thrown: all that was held back has events, which somebody may wait for.
  set_current(nullptr);
  const std::shared_ptr<held_commands> done = std::exchange(held_, nullptr);
  const std::shared_ptr<queue> q = done->of();
  const std::size_t count = std::exchange(count_, 0);
  const std::vector<outside_event> outside = std::exchange(outside_, {});
  auto before = outside.begin();
  for (std::size_t i = 0; i < count; ++i) {
    event now;
    try {
      submission s;
      sequence[i].copy_to(s);
      for (const std::uint32_t d : sequence[i].before)
        if (d <= i) s.after.push_back(each[i - d]);
      for (; before != outside.end() && before->command == i; ++before)
        s.after.push_back(before->e);
      // A barrier that was told to wait for what is over by now must not wait for everything.
      if (sequence[i].names_events() && s.after.empty()) s.after.push_back({});
      now = submit_now(*q, s);
    } catch (...) {
      q->add_error(std::current_exception());
      while (before != outside.end() && before->command == i) ++before;
    }
    if (now.lane != nullptr) copied(now);
    each.push_back(std::move(now));
  }
  if (count != 0) {
    shared_.counted.flushes += 1;
    shared_.counted.flushed_commands += count;
  }
  done->become(std::move(each));
  for (std::size_t i = 0; i < count; ++i) look(sequence[i].shape());
  if (count == 0 || !has_failed) return;
  if (++sequence.failures < most_failures) return;
  const std::size_t whole = count / sequence.unit();
  const auto at = std::find_if(sequences_.begin(), sequences_.end(),
                               [&](const auto& known) { return known.get() == &sequence; });
  if (at == sequences_.end()) return;  // the beginning of one, which is not replayed any more
  try {
    if (whole != 0 && whole * sequence.unit() > 1 && whole * sequence.unit() < sequence.size()) {
      sequence.shorten(whole, shared_.ended);
      sequence.failures = 0;
      return;
    }
    give_up(static_cast<std::size_t>(at - sequences_.begin()));
  } catch (const std::bad_alloc&) {
    // It is tried again when it fails again.
  }
}

}  // namespace pianola::runtime
