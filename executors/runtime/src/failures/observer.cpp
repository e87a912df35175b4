// SPDX-License-Identifier: Apache-2.0
#include "failures/observer.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <pianola/host/clock.hpp>
#include <pianola/planner/planning_state.hpp>

#include "data/buffer_table.hpp"
#include "data/failure_registry.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "queues/event_record.hpp"
#include "queues/launch_times.hpp"
#include "queues/queue.hpp"
#include "queues/queue_table.hpp"

namespace pianola::runtime {

namespace {

const context_head& head_of(const void* bytes) noexcept {
  return *static_cast<const context_head*>(bytes);
}

// Of what is no step of a graph.
const step_context& context_of(const void* bytes) noexcept {
  return *static_cast<const step_context*>(bytes);
}

// Of any step, with what it touches. The runtime's lock is held.
class whole_context {
 public:
  whole_context(const process& rt, const void* bytes) : bytes_(bytes) {
    const context_head& head = head_of(bytes);
    if (head.step == context_head::none) return;
    head.replay->graph->describe(rt, head.step, described_);
    bytes_ = described_.data();
  }
  [[nodiscard]] const step_context& get() const noexcept { return context_of(bytes_); }

 private:
  std::vector<std::byte> described_;
  const void* bytes_;
};

// Whether the buffer still exists. If it has ended, its data matters only to commands that were submitted before: the
// second half of a command group, for instance.
bool still_there(const process& rt, const touched_box& t) {
  return rt.buffers.exists(t.buffer, t.generation);
}

// A copy was not made: the destination does not hold the data after all.
void transfer_not_made(process& rt, const step_context& s, const touched_box& t,
                       const std::exception_ptr& cause) {
  if (still_there(rt, t))
    rt.state.take_back_copy(t.buffer, t.elements, s.current_step(), s.transfer_to);
  rt.failures.add(
      {t.buffer, t.generation, t.elements, cause, false, rt.state.next_step(), {}, s.transfer_to});
}

// Reads of the elements see the failure in all memories. `valid_in`: where the old data is, if they are not poisoned.
void fails_everywhere(process& rt, const touched_box& t, const model::box& elements,
                      const std::exception_ptr& cause, bool poisoned,
                      const model::memory_set& valid_in) {
  rt.failures.add({t.buffer, t.generation, elements, cause, poisoned, rt.state.next_step(),
                   valid_in, failure_registry::everywhere});
}

// A command did not run: what it should have written holds the old data, where that was before.
void command_not_run(process& rt, const step_context& s, std::uint32_t number,
                     const std::exception_ptr& cause) {
  const touched_box& t = s.touched()[number];
  if (!still_there(rt, t)) {
    fails_everywhere(rt, t, t.elements, cause, false, {});
    return;
  }
  // In a graph the old data is where the step would have read it, unless it was not brought there.
  const auto not_brought = [&](const failure_registry::entry& f) {
    return s.head.replay != nullptr && !f.poisoned && f.affected == t.memory &&
           s.current_step() < f.known_at;
  };
  if (!t.uniform || rt.failures.any(t.buffer, t.generation, t.elements, not_brought) != nullptr) {
    fails_everywhere(rt, t, t.elements, cause, true, {});
    return;
  }
  std::vector<std::pair<model::box, model::memory_set>> where{{t.elements, before_of(s, number)}};
  // Parts that an earlier command should have written are where they were before that one.
  const auto refine = [&](const failure_registry::entry& f) {
    if (f.poisoned || f.affected != failure_registry::everywhere ||
        !(s.current_step() < f.known_at))
      return;
    std::vector<std::pair<model::box, model::memory_set>> refined;
    for (const auto& [e, valid] : where) {
      for_each_difference(
          e, f.elements, [&, m = valid](const model::box& rest) { refined.emplace_back(rest, m); });
      if (overlap(e, f.elements)) refined.emplace_back(intersection(e, f.elements), f.valid_in);
    }
    where = std::move(refined);
  };
  rt.failures.for_each(t.buffer, t.generation, t.elements, refine);
  const bool several_memories = rt.machine.has_several_memories();
  for (const auto& [e, valid] : where) {
    if (several_memories) rt.state.take_back_write(t.buffer, e, s.current_step(), valid);
    fails_everywhere(rt, t, e, cause, false, valid);
  }
}

std::shared_ptr<queue> report(process& rt, std::uint64_t queue_id,
                              const std::exception_ptr& cause) {
  auto q = rt.queues.find(queue_id);
  if (q != nullptr) q->add_error(cause);
  return q;
}

bool admit(const void* bytes) {
  process* rt = process::started();
  if (rt == nullptr) return true;
  std::shared_ptr<queue> told;  // ends, perhaps, after the lock
  callback_lock lock(rt->mutex);
  if (rt->failures.empty()) return true;
  const whole_context whole(*rt, bytes);
  const step_context& s = whole.get();
  std::exception_ptr cause;
  for (std::uint32_t i = 0; i < s.touched_count && !cause; ++i) {
    const touched_box& t = s.touched()[i];
    if (!t.reads) continue;
    if (const auto* f =
            rt->failures.find(t.buffer, t.generation, t.elements, t.memory, s.current_step()))
      cause = f->cause;
  }
  for (std::uint32_t i = 0; i < s.touched_count; ++i) {
    const touched_box& t = s.touched()[i];
    if (!cause && t.replaces) rt->failures.clear(t.buffer, t.generation, t.elements);
  }
  if (cause) {
    if (s.head.replay != nullptr) s.head.replay->failed.store(true, std::memory_order_relaxed);
    take_back(*rt, s, cause);
    rt->failures.replays_disturbed = true;
    told = report(*rt, s.current_queue(), cause);
  }
  return !cause;
}

void failed(const void* bytes, std::exception_ptr error) {
  process* rt = process::started();
  if (rt == nullptr) return;
  if (const context_head& head = head_of(bytes); head.replay != nullptr)
    head.replay->failed.store(true, std::memory_order_relaxed);
  std::shared_ptr<queue> told;
  callback_lock lock(rt->mutex);
  const whole_context whole(*rt, bytes);
  const step_context& s = whole.get();
  for (std::uint32_t i = 0; i < s.touched_count; ++i) {
    const touched_box& t = s.touched()[i];
    if (s.transfer)
      transfer_not_made(*rt, s, t, error);
    else if (t.writes && !t.for_order)
      fails_everywhere(*rt, t, t.elements, error, still_there(*rt, t), {});
  }
  rt->failures.replays_disturbed = true;
  rt->failures.raise_attention();
  told = report(*rt, s.current_queue(), error);
}

void entering(const void* bytes) {
  const step_context& s = context_of(bytes);
  s.head.replay->step.store(s.step.value(), std::memory_order_relaxed);
  s.head.replay->queue.store(s.queue, std::memory_order_relaxed);
}

void set_started(const step_context& s, std::uint64_t now) {
  if (s.record == nullptr || !s.opens) return;
  auto& time = (*s.record)->started;
  std::uint64_t before = time.load(std::memory_order_relaxed);
  while ((before == 0 || now < before) &&
         !time.compare_exchange_weak(before, now, std::memory_order_release,
                                     std::memory_order_relaxed)) {
  }
}

void set_ended(const step_context& s, std::uint64_t now) {
  if (s.record == nullptr) return;
  if (s.closes) (*s.record)->ended.store(now, std::memory_order_release);
  delete s.record;
}

void started(const void* bytes) { set_started(context_of(bytes), host::nanoseconds_now()); }

void finished(const void* bytes) { set_ended(context_of(bytes), host::nanoseconds_now()); }

void note_times(const context_head& of, std::uint64_t from, std::uint64_t to) {
  if (of.command == context_head::none) return;
  if (launch_times* const all = of.replay->times.load(std::memory_order_acquire))
    all->note(of.command, from, to);
  if (of.replay->least_times == nullptr) return;
  // One replay at a time: nobody else writes. What disturbs only ever adds.
  std::atomic<std::uint64_t>& least = of.replay->least_times[of.command];
  const std::uint64_t before = least.load(std::memory_order_relaxed);
  const std::uint64_t now = std::max<std::uint64_t>(to - from, 1);
  if (before == 0 || now < before) least.store(now, std::memory_order_relaxed);
}

void times(const void* bytes, std::uint64_t from, std::uint64_t to) {
  if (const context_head& head = head_of(bytes); head.step != context_head::none)
    return note_times(head, from, to);
  set_started(context_of(bytes), from);
  set_ended(context_of(bytes), to);
}

}  // namespace

void take_back(process& rt, const step_context& s, const std::exception_ptr& cause) {
  for (std::uint32_t i = 0; i < s.touched_count; ++i) {
    const touched_box& t = s.touched()[i];
    if (s.transfer)
      transfer_not_made(rt, s, t, cause);
    else if (t.writes)
      command_not_run(rt, s, i, cause);
  }
}

executors::step_observer make_observer(const std::atomic<bool>& attention) noexcept {
  executors::step_observer o;
  o.admit = &admit;
  o.failed = &failed;
  o.entering = &entering;
  o.started = &started;
  o.finished = &finished;
  o.times = &times;
  o.attention = &attention;
  return o;
}

}  // namespace pianola::runtime
