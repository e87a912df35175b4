// SPDX-License-Identifier: Apache-2.0
// How steps of a lane get to the driver.
#include <utility>

#include <pianola/host/clock.hpp>
#include <pianola/host/host_backend.hpp>
#include <pianola/model/error.hpp>

#include "engine/engine.hpp"
#include "graph/gpu_graph.hpp"
#include "issue/lane.hpp"
#include "issue/pending_step.hpp"

namespace pianola::gpu {

using executors::resolved_host_task;
using executors::resolved_kernel;
using executors::status;
using model::error_code;

status lane::submit(const executors::step_submission& step, gpu_graph* graph) {
  if (!engine_.state.usable()) [[unlikely]] {
    if (!engine_.state.gone()) return engine_.state.why();
    guard lock(mutex_);
    progress_.finish(++submitted_);
    if (graph != nullptr) {
      graph->links().submitted();
      graph->links().abandon();
    }
    tell_hosts();
    return {};
  }
  const auto* task = std::get_if<resolved_host_task>(&step.action);
  if (task != nullptr && !task->enqueues)
    return {error_code::runtime,
            "internal error of Pianola, please report it: a host task was "
            "given to a graphics processor"};
  held_markers held;
  // Functions of the program are not called here.
  readiness state =
      engine_.observer.attention->load(std::memory_order_relaxed) ||
              deferred_.load(std::memory_order_relaxed) != 0 || task != nullptr ||
              (graph == nullptr && engine_.blocks(step.action)) ||
              (graph != nullptr && (graph->only_stepwise(device_) || graph->launch_blocks()))
          ? readiness::not_yet
          : readiness::ready;
  code why = success;
  if (state == readiness::ready && (!step.waits.empty() || !step.begun.empty()))
    state = hold_waits(step.waits, step.begun, held, why);

  guard lock(mutex_);
  if (state == readiness::ready && !held.empty()) state = wait_natively(held, why);
  if (graph == nullptr) {
    // Also where it cannot be issued yet: what is wrong with it is told who submits it.
    if (status s = prepare(step.action); !s.ok()) return s;
  } else {
    operations_.clear();
  }
  if (state == readiness::not_yet) return defer(step, graph, {});
  record& r = records_.push(step.context);
  try {
    r.timed = step.timed;
    note_ends(r, step);
    if (state == readiness::ready) {
      if (graph != nullptr && engine_.observer.entering != nullptr)
        engine_.observer.entering(r.context());
      why = issue(r, graph, operations_);
    }
    if (why == success) {
      const bool native =
          graph != nullptr || !held.empty() || operations_.what() != step_operations::kind::nothing;
      engine_.counters.issued.fetch_add(1, std::memory_order_relaxed);
      commit(r, step);
      count_issued(native, graph != nullptr || operations_.what() == step_operations::kind::kernel);
      if (graph != nullptr) {
        graph->links().submitted();
        watch_signals(*graph);
      }
      if (!native) retire(lock, false);
      return {};
    }
  } catch (...) {
    records_.unpush(r);
    throw;
  }
  records_.unpush(r);
  return defer(step, graph,
               engine_.failure(why, graph != nullptr ? graph->describe() : describe(step.action)));
}

// What other backends are waited for has finished before the step is issued.
void lane::note_ends(record& r, const executors::step_submission& step) const {
  for (const executors::lane_position& p : step.ends_after)
    if (lane_of(*p.lane) != nullptr) r.ends_after.push_back(p);
}

// From here on nothing fails, and the step counts.
void lane::commit(record& r, const executors::step_submission& step) {
  if (!served_) {
    engine_.helper.add(*this);
    served_ = true;
  }
  if (const auto* k = std::get_if<resolved_kernel>(&step.action);
      k != nullptr && k->owns_arguments) {
    r.owns_arguments = true;
    r.arguments = k->arguments;
  } else if (const auto* t = std::get_if<resolved_host_task>(&step.action);
             t != nullptr && t->owns_arguments) {
    r.owns_arguments = true;
    r.arguments = t->arguments;
  }
  ++submitted_;
}

void lane::count_issued(bool native, bool may_print) noexcept {
  const std::uint64_t position = issued_.load(std::memory_order_relaxed) + 1;
  if (may_print) may_print_ = position;
  if (native || gated_)
    native_ = position;
  else if (reached_ >= native_)
    reached_ = position;
  gated_ = false;
  progress_.begin(position);
  issued_.store(position, std::memory_order_release);
}

status lane::defer(const executors::step_submission& step, gpu_graph* graph, status failure) {
  record& r = records_.push(step.context);
  r.timed = step.timed;
  try {
    note_ends(r, step);
    pending_.push_back(std::make_unique<pending_step>(step, graph, std::move(failure), r));
    pending_.back()->blocks =
        graph == nullptr ? engine_.blocks(step.action) : graph->launch_blocks();
  } catch (...) {
    records_.unpush(r);
    throw;
  }
  try {
    commit(r, step);
  } catch (...) {
    pending_.pop_back();
    records_.unpush(r);
    throw;
  }
  if (graph != nullptr) graph->links().submitted();
  deferred_.fetch_add(1, std::memory_order_relaxed);
  engine_.counters.deferred.fetch_add(1, std::memory_order_relaxed);
  engine_.helper.kick();
  if (pending_.size() == 1 && pending_.front()->blocks) patient_.kick();
  return {};
}

// A step that cannot run any more ends no sooner than what it waits for: others take its end for theirs.
lane::readiness lane::all_reached(model::array_view<const executors::lane_position> waits) const {
  for (const executors::lane_position& w : waits) {
    if (w.lane == &progress_ || w.lane->reached(w.position)) continue;
    if (executors::progress_source* source = w.lane->source()) source->look(*w.lane);
    if (!w.lane->reached(w.position)) return readiness::not_yet;
  }
  return readiness::ready;
}

lane::readiness lane::hold_waits(model::array_view<const executors::lane_position> waits,
                                 model::array_view<const executors::lane_position> begun,
                                 held_markers& held, code& why) {
  for (const executors::lane_position& w : begun)
    if (const lane* other = lane_of(*w.lane); other->issued() < w.position)
      return readiness::not_yet;
  for (const executors::lane_position& w : waits) {
    if (w.lane == &progress_ || w.lane->reached(w.position)) continue;
    lane* other = lane_of(*w.lane);
    if (other == nullptr) {
      // Another backend's device tells how far it has come only when asked.
      if (executors::progress_source* source = w.lane->source()) source->look(*w.lane);
      if (!w.lane->reached(w.position)) return readiness::not_yet;
      continue;
    }
    if (other->issued() < w.position) return readiness::not_yet;
  }
  for (const executors::lane_position& w : waits) {
    if (w.lane == &progress_ || w.lane->reached(w.position)) continue;
    lane* other = lane_of(*w.lane);
    marker* m = nullptr;
    if (const code c = other->hold(w.position, m); c != success) return not_ordered(c, why);
    held.add(*other, m);
  }
  return readiness::ready;
}

status lane::prepare(const executors::resolved_action& action) {
  const auto* k = std::get_if<resolved_kernel>(&action);
  if (k == nullptr) return engine_.prepare(device_, action, nullptr, operations_);
  if (k->geometry.part != nullptr) [[unlikely]] {
    if (status s = engine_.images.find(device_, *k->kernel, true, part_kernel_); !s.ok()) return s;
    return engine_.prepare(device_, *k, *part_kernel_, operations_);
  }
  cached_kernel& known = kernels_[k->kernel->id.value() % kernels_.size()];
  if (known.kernel == nullptr || known.id != k->kernel->id) [[unlikely]] {
    known = {};
    if (status s = engine_.images.find(device_, *k->kernel, false, known.kernel); !s.ok()) return s;
    known.id = k->kernel->id;
  }
  return engine_.prepare(device_, *k, *known.kernel, operations_);
}

code lane::begin_times(record& r) {
  device_resources& resources = engine_.resources(device_);
  r.times = std::make_unique<step_times>();
  r.times->issued_at = host::nanoseconds_now();
  if (const code c = resources.base(r.times->issued_at, r.times->base); c != success) return c;
  if (const code c = resources.events.take(true, r.times->started); c != success) return c;
  return engine_.drv.record(device_, stream_, r.times->started);
}

code lane::end_times(record& r) {
  event ended;
  if (const code c = engine_.resources(device_).events.take(true, ended); c != success) return c;
  const code c = engine_.drv.record(device_, stream_, ended);
  if (c == success)
    r.times->ended = ended;
  else
    engine_.resources(device_).events.give(true, ended);
  return c;
}

lane::readiness lane::wait_natively(const held_markers& held, code& why) noexcept {
  const code c = held.for_each([this](event e) { return engine_.drv.wait(device_, stream_, e); });
  return c == success ? readiness::ready : not_ordered(c, why);
}

// Where the driver does not take an order between streams, what it is for has not been issued: it is tried again, until
// what is to be waited for is known to have finished.
lane::readiness lane::not_ordered(code c, code& why) const noexcept {
  if (!engine_.drv.is_fatal(c)) return readiness::not_yet;
  why = c;
  return readiness::broken;
}

code lane::watch_range(record& r, step_operations& operations) {
  auto made = std::make_unique<read_range>();
  made->kernel = *operations.reads_its_range();
  if (const code c = engine_.resources(device_).ranges.take(made->word); c != success) return c;
  r.range = std::move(made);
  operations.set_range_word(r.range->word);
  return success;
}

code lane::issue(record& r, gpu_graph* graph, step_operations& operations) {
  if (graph != nullptr && graph->reads_ranges()) r.ranges = graph;
  if (graph != nullptr && !in_call_)
    if (const code c = graph->prepare_launch(); c != success) return c;
  if (graph == nullptr && operations.reads_its_range() != nullptr) [[unlikely]]
    if (const code c = watch_range(r, operations); c != success) return c;
  const bool timed =
      r.timed && (graph != nullptr || operations.what() != step_operations::kind::nothing);
  if (timed)
    if (const code c = begin_times(r); c != success) {
      if (r.times != nullptr) engine_.resources(device_).events.give(true, r.times->started);
      r.times.reset();
      return c;
    }
  code c = graph != nullptr ? graph->launch(device_, stream_) : engine_.issue(stream_, operations);
  if (timed) {
    if (c == success && graph != nullptr && !graph->stamps().empty()) r.times->graph = graph;
    if (c == success) c = end_times(r);
    if (c != success) {
      engine_.resources(device_).events.give(true, r.times->started);
      r.times.reset();
    }
  }
  return c;
}

code lane::issue_unlocked(guard& lock, record& r, gpu_graph* graph, step_operations& operations) {
  // Others may want to wait for what is in front of it.
  marker* m = nullptr;
  if (const std::uint64_t issued = issued_.load(std::memory_order_relaxed); reached_ < issued)
    if (const code c = cover(issued, m); c != success && engine_.drv.is_fatal(c)) return c;
  if (graph != nullptr)
    if (const code c = graph->prepare_launch(); c != success) return c;
  in_call_ = true;
  lock.unlock();
  code c = success;
  std::exception_ptr thrown;
  try {
    c = issue(r, graph, operations);
  } catch (...) {
    thrown = std::current_exception();
  }
  lock.lock();
  in_call_ = false;
  changed_.notify_all();
  if (thrown != nullptr) std::rethrow_exception(thrown);
  return c;
}

void lane::wait_for_stream(guard& lock) {
  changed_.wait(lock, [this] { return !in_call_; });
}

// Deferred steps.

bool lane::blocks(const pending_step& p) const noexcept {
  return p.failure.ok() &&
         (p.blocks || (p.graph != nullptr && p.graph->blocks_stepwise() &&
                       (p.graph->only_stepwise(device_) ||
                        engine_.observer.attention->load(std::memory_order_relaxed))));
}

void lane::issue_patiently() noexcept {
  if (issue_pending(~std::uint64_t{0})) engine_.helper.kick();
}

bool lane::issue_pending(std::uint64_t may_block_through) noexcept {
  bool any = false;
  guard lock(mutex_);
  while (!pending_.empty() && !issuing_ && !engine_.state.gone()) {
    pending_step& p = *pending_.front();
    const bool for_others =
        issued_.load(std::memory_order_relaxed) >= may_block_through && blocks(p);
    issuing_ = true;
    lock.unlock();
    {
      held_markers held;
      readiness state = readiness::ready;
      try {
        code why = success;
        if (p.failure.ok())
          state = engine_.state.usable() ? hold_waits(p.waits, p.begun, held, why)
                                         : all_reached(p.waits);
        if (state == readiness::ready && for_others) {
          patient_.kick();
          state = readiness::not_yet;
        }
        if (state == readiness::ready && !held.empty()) {
          const guard in_order(mutex_);
          state = wait_natively(held, why);
        }
        if (state == readiness::broken) p.failure = engine_.failure(why, "ordering steps");
      } catch (...) {
        state = readiness::not_yet;  // host memory has run out; perhaps there is some later
      }
      lock.lock();
      if (state == readiness::not_yet) {
        issuing_ = false;
        changed_.notify_all();
        lock.unlock();
        held.clear();
        return any;
      }
      run_pending(lock, p, held);
      pending_.pop_front();
      deferred_.fetch_sub(1, std::memory_order_relaxed);
      issuing_ = false;
      any = true;
      changed_.notify_all();
      lock.unlock();
    }
    lock.lock();
  }
  retire(lock, true);
  return any;
}

void lane::run_pending(guard& lock, pending_step& p, const held_markers& held) {
  const executors::step_observer& o = engine_.observer;
  const auto attention = [&o] { return o.attention->load(std::memory_order_relaxed); };
  auto* const task = std::get_if<resolved_host_task>(&p.action);
  status failure = p.failure;
  if (failure.ok() && !engine_.state.usable()) failure = engine_.state.why();
  bool run = failure.ok();
  if (run && attention() && o.admit != nullptr) {
    lock.unlock();
    run = o.admit(p.of.context());
    lock.lock();
  }
  // Its waits are in the stream, also where the step itself is left out: steps behind it rely on the order.
  bool native = !held.empty();
  std::exception_ptr error;
  if (failure.ok()) {
    try {
      // Those that are issued without the mutex must be nobody else's.
      step_operations own;
      step_operations& operations = p.blocks ? own : operations_;
      operations.clear();
      if (run && p.graph == nullptr && task == nullptr)
        failure = p.blocks ? engine_.prepare(device_, p.action, nullptr, own) : prepare(p.action);
      const bool something = run && failure.ok() &&
                             (p.graph != nullptr || task != nullptr ||
                              operations.what() != step_operations::kind::nothing);
      const bool stepwise =
          something && p.graph != nullptr && (attention() || p.graph->only_stepwise(device_));
      native = native || something;
      if (something && p.graph != nullptr && o.entering != nullptr) o.entering(p.of.context());
      const code c = !something || stepwise || task != nullptr ? success
                     : p.blocks ? issue_unlocked(lock, p.of, p.graph, operations)
                                : issue(p.of, p.graph, operations);
      if (c != success)
        failure = engine_.failure(c, p.graph != nullptr ? p.graph->describe() : describe(p.action));
      else if (stepwise) {
        if (p.graph->reads_ranges()) p.of.ranges = p.graph;
        run_steps(lock, *p.graph);
      } else if (something && task != nullptr)
        error = run_task(lock, *task, device_, stream_);
    } catch (...) {
      failure = host::current_exception_status();
    }
  }
  if (!failure.ok()) error = exception_of(failure);
  p.of.told = error != nullptr;
  if (error != nullptr && o.failed != nullptr && !engine_.state.closing()) {
    lock.unlock();
    o.failed(p.of.context(), error);
    lock.lock();
  }
  count_issued(native, !std::holds_alternative<executors::resolved_copy>(p.action) &&
                           !std::holds_alternative<executors::resolved_fill>(p.action));
  if (p.graph != nullptr) watch_signals(*p.graph);
}

void lane::watch_signals(gpu_graph& graph) noexcept {
  if (!graph.links().any_signals()) return;
  graph.links().issued(progress_, issued_.load(std::memory_order_relaxed));
  if (graph.watched_by.load(std::memory_order_relaxed) != nullptr) return;
  graph.watched_by.store(this, std::memory_order_relaxed);
  graph.next_watched = signalling_;
  signalling_ = &graph;
}

}  // namespace pianola::gpu
