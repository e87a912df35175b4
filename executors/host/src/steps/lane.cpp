// SPDX-License-Identifier: Apache-2.0
#include "pianola/host/lane.hpp"

#include <cstring>
#include <new>
#include <utility>

#include "pianola/host/function_objects.hpp"
#include "pianola/host/host_graph.hpp"
#include "pianola/host/kernel_runner.hpp"
#include "pianola/host/running_task.hpp"
#include "pianola/host/team.hpp"
#include "steps/run_action.hpp"

namespace pianola::host {

using executors::lane_position;
using executors::resolved_action;
using executors::resolved_fill;
using executors::resolved_host_task;
using executors::resolved_kernel;

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 16;
constexpr unsigned kept_blocks = 64;

constexpr std::size_t round_up(std::size_t n, std::size_t to) noexcept {
  return (n + to - 1) / to * to;
}

}  // namespace

// Header of a step in a lane's memory; followed by waits, context and what the action refers to.
struct record {
  std::uint32_t bytes;
  std::uint32_t wait_count;
  bool timed;
  bool detached;  // runs on a thread of its own
  std::uint32_t context_offset;
  host_graph* graph;
  resolved_action action;

  [[nodiscard]] const lane_position* waits() const noexcept {
    return reinterpret_cast<const lane_position*>(this + 1);
  }
  [[nodiscard]] const void* context() const noexcept {
    return reinterpret_cast<const unsigned char*>(this) + context_offset;
  }
};

struct lane::block {
  block* next = nullptr;
  std::size_t capacity = 0;
  // Where the last record ends, once the block is full; zero before.
  std::atomic<std::size_t> end{0};
  [[nodiscard]] unsigned char* data() noexcept {
    return reinterpret_cast<unsigned char*>(this) + round_up(sizeof(block), 64);
  }
};

lane::~lane() {
  // Only a lane that is idle is destroyed.
  for (block* b : {read_block_, free_blocks_})
    while (b != nullptr) {
      block* next = b->next;
      ::operator delete(b, std::align_val_t(64));
      b = next;
    }
}

void* lane::reserve(std::size_t bytes) {
  if (write_block_ == nullptr || write_offset_ + bytes > write_block_->capacity) {
    block* fresh = nullptr;
    if (bytes <= block_bytes) {
      std::lock_guard<std::mutex> lock(free_mutex_);
      if (free_blocks_ != nullptr) {
        fresh = free_blocks_;
        free_blocks_ = fresh->next;
        --free_count_;
      }
    }
    if (fresh == nullptr) {
      const std::size_t capacity = bytes > block_bytes ? bytes : block_bytes;
      fresh = new (::operator new(round_up(sizeof(block), 64) + capacity, std::align_val_t(64)))
          block();
      fresh->capacity = capacity;
    }
    fresh->next = nullptr;
    fresh->end.store(0, std::memory_order_relaxed);
    if (write_block_ == nullptr)
      read_block_ = fresh;  // nothing was ever published: no reader yet
    else {
      write_block_->end.store(write_offset_, std::memory_order_relaxed);
      write_block_->next = fresh;
    }
    write_block_ = fresh;
    write_offset_ = 0;
  }
  return write_block_->data() + write_offset_;
}

void lane::submit(const executors::step_submission& step, host_graph* graph) {
  std::size_t bytes = sizeof(record) + step.waits.size() * sizeof(lane_position);
  const std::size_t context_offset = bytes;
  bytes = round_up(bytes + step.context.size(), alignof(std::max_align_t));
  const std::size_t extra_offset = bytes;
  const auto* kernel = std::get_if<resolved_kernel>(&step.action);
  const auto* task = std::get_if<resolved_host_task>(&step.action);
  const auto* fill = std::get_if<resolved_fill>(&step.action);
  std::size_t slots_offset = 0, boxes_offset = 0;
  if (kernel != nullptr) {
    if (!kernel->owns_arguments)
      bytes += round_up(kernel->arguments.size, alignof(std::max_align_t));
    slots_offset = bytes;
    bytes += kernel->local_slots.size() * sizeof(model::argument_slot);
    static_assert(alignof(model::accessible_box) <= alignof(model::argument_slot));
    boxes_offset = bytes;
    bytes += kernel->accessible.size() * sizeof(model::accessible_box);
  } else if (task != nullptr && !task->owns_arguments) {
    bytes += task->arguments.size;
  } else if (fill != nullptr && fill->large_pattern != nullptr) {
    bytes += fill->pattern_bytes;
  }
  bytes = round_up(bytes, 64);

  auto* at = static_cast<unsigned char*>(reserve(bytes));
  auto* r = new (at) record{static_cast<std::uint32_t>(bytes),
                            static_cast<std::uint32_t>(step.waits.size()),
                            step.timed,
                            task != nullptr || hooks_.blocks(step.action) ||
                                (graph != nullptr && graph->has_blocking_steps()),
                            static_cast<std::uint32_t>(context_offset),
                            graph,
                            step.action};
  if (!step.waits.empty())
    std::memcpy(at + sizeof(record), step.waits.data(), step.waits.size() * sizeof(lane_position));
  if (!step.context.empty())
    std::memcpy(at + context_offset, step.context.data(), step.context.size());
  if (kernel != nullptr) {
    auto& own = *std::get_if<resolved_kernel>(&r->action);
    if (!kernel->owns_arguments && kernel->arguments.size != 0) {
      std::memcpy(at + extra_offset, kernel->arguments.bytes, kernel->arguments.size);
      own.arguments.bytes = at + extra_offset;
    }
    if (!kernel->local_slots.empty()) {
      std::memcpy(at + slots_offset, kernel->local_slots.data(),
                  kernel->local_slots.size() * sizeof(model::argument_slot));
      own.local_slots = {reinterpret_cast<const model::argument_slot*>(at + slots_offset),
                         kernel->local_slots.size()};
    }
    if (!kernel->accessible.empty()) [[unlikely]] {
      std::memcpy(at + boxes_offset, kernel->accessible.data(),
                  kernel->accessible.size() * sizeof(model::accessible_box));
      own.accessible = {reinterpret_cast<const model::accessible_box*>(at + boxes_offset),
                        kernel->accessible.size()};
    }
  } else if (task != nullptr) {
    if (!task->owns_arguments && task->arguments.size != 0) {
      std::memcpy(at + extra_offset, task->arguments.bytes, task->arguments.size);
      std::get_if<resolved_host_task>(&r->action)->arguments.bytes = at + extra_offset;
    }
  } else if (fill != nullptr && fill->large_pattern != nullptr) {
    std::memcpy(at + extra_offset, fill->large_pattern, fill->pattern_bytes);
    std::get_if<resolved_fill>(&r->action)->large_pattern = at + extra_offset;
  }
  write_offset_ += bytes;
  if (graph != nullptr) graph->count_launch();
  published_.store(++submitted_, std::memory_order_release);
  // The look at `active` may be early; whoever takes the lane off the list looks again after making all stores
  // visible, like who goes to sleep.
  home_.order_stores();
  if (!active.load(std::memory_order_relaxed)) home_.activate(*this);
  home_.work_published();
}

void lane::run_now(host_graph& graph, const void* context) noexcept {
  graph.count_launch();
  if (observer_.entering != nullptr) observer_.entering(context);
  const team::visit kernels_stay_there(home_);
  graph.run(home_, team::current_thread());
}

void lane::execute(record& r, unsigned thread) noexcept {
  const auto& observer = observer_;
  const bool admitted = !observer.attention->load(std::memory_order_relaxed) ||
                        observer.admit == nullptr || observer.admit(r.context());
  if (r.timed) observer.started(r.context());
  if (admitted) {
    if (r.graph != nullptr) {
      if (observer.entering != nullptr) observer.entering(r.context());
      r.graph->run(home_, thread);
    } else {
      try {
        run_action(r.action, hooks_, home_, thread);
      } catch (...) {
        observer.failed(r.context(), std::current_exception());
      }
    }
  } else if (r.graph != nullptr) {
    r.graph->leave_out(home_);
  }
  if (r.timed) observer.finished(r.context());
}

void lane::advance(const record& r) noexcept {
  read_offset_ += r.bytes;
  const std::uint64_t position = progress_.finished() + 1;
  progress_.finish(position);
  team::instance().work_finished();
}

record& lane::first_record() noexcept {
  if (const std::size_t end = read_block_->end.load(std::memory_order_relaxed);
      end != 0 && read_offset_ == end) {
    block* finished = read_block_;
    read_block_ = finished->next;
    read_offset_ = 0;
    std::unique_lock<std::mutex> lock(free_mutex_);
    if (free_count_ < kept_blocks && finished->capacity == block_bytes) {
      finished->next = free_blocks_;
      free_blocks_ = finished;
      ++free_count_;
    } else {
      lock.unlock();
      ::operator delete(finished, std::align_val_t(64));
    }
  }
  return *std::launder(reinterpret_cast<record*>(read_block_->data() + read_offset_));
}

bool lane::may_begin(const record& r) noexcept {
  for (std::uint32_t i = 0; i < r.wait_count; ++i) {
    const lane_position& w = r.waits()[i];
    if (w.lane->reached(w.position)) continue;
    // A lane that tells how far it has come only when asked.
    executors::progress_source* source = w.lane->source();
    if (source == nullptr) return false;
    source->look(*w.lane);
    if (!w.lane->reached(w.position)) return false;
  }
  return true;
}

bool lane::ready() noexcept { return has_steps() && may_begin(first_record()); }

lane::outcome lane::run(unsigned thread, unsigned limit, const executors::progress* target,
                        std::uint64_t position) noexcept {
  std::uint64_t done = progress_.finished();
  std::uint64_t published = done;
  unsigned count = 0;
  for (;;) {
    if (published == done) {
      published = published_.load(std::memory_order_acquire);
      if (published == done) return count != 0 ? outcome::ran : outcome::empty;
    }
    record& r = first_record();
    if (!may_begin(r)) return count != 0 ? outcome::ran : outcome::blocked;
    progress_.begin(done + 1);
    if (r.detached) {
      team::instance().run_detached(&lane::run_detached_step, this);
      return outcome::handed_over;
    }
    execute(r, thread);
    const model::argument_block owned = owned_by(r.action);
    advance(r);
    if (owned.bytes != nullptr) end_function_object_elsewhere(owned);
    ++done;
    if (++count >= limit || (target != nullptr && target->reached(position))) return outcome::ran;
  }
}

// Continues where `run` handed over: same record, claim inherited.
void lane::run_detached_step(void* self) noexcept {
  auto& l = *static_cast<lane*>(self);
  auto& r = *std::launder(reinterpret_cast<record*>(l.read_block_->data() + l.read_offset_));
  {
    const team::visit kernels_stay_there(l.home_);
    const running_task_scope task({&l.progress_, l.progress_.finished() + 1});
    l.execute(r, team::current_thread());
  }
  const model::argument_block owned = owned_by(r.action);
  l.advance(r);
  l.home_.give_back(l);
  end_function_object(owned);
  run_what_comes_after_task();
}

}  // namespace pianola::host
