// SPDX-License-Identifier: Apache-2.0
#include "replay/executable/control_runner.hpp"

#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include <pianola/host/clock.hpp>

#include "process.hpp"
#include "queues/launch_times.hpp"
#include "replay/executable/graph_instance.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

namespace {

// Iterations that are handed over before the first of them has finished.
constexpr std::uint64_t iterations_ahead = 16;

// A loop whose condition stays as it is for long: perhaps nothing writes it. Nobody can know, so a line in the log.
class unchanged_condition {
 public:
  void look(std::uint64_t value) {
    ++runs_;
    if (value != last_) {
      last_ = value;
      since_ = 0;
      return;
    }
    const std::optional<std::uint64_t>& after = process::instance().hint_after;
    if (told_ || !after || runs_ % 64 != 0) return;
    const std::uint64_t now = host::nanoseconds_now();
    if (since_ == 0) since_ = now;
    if (now - since_ < *after) return;
    told_ = true;
    log_warn(
        "a loop of a recorded graph has run {} times, and its condition has been {} for {} s: it "
        "ends when a command of its body, or another thread, makes that 0",
        runs_, value, (now - since_) / 1'000'000'000);
  }

 private:
  std::uint64_t runs_ = 0, last_ = 0, since_ = 0;
  bool told_ = false;
};

}  // namespace

control_runner::control_runner(const control& what, step_context::replay_state& of,
                               std::size_t command, bool node_times)
    : control_step(what), of_(of), command_(command) {
  process& rt = process::instance();
  bodies_.reserve(what.bodies.size());
  for (const control::body& b : what.bodies) {
    auto made = graph_instance::make_body(b.recorded.copy(), what.device, b.plan,
                                          graph_instance::role::body, node_times);
    const std::lock_guard lock(rt.mutex);
    bodies_.push_back({std::move(made), {}});
    take_lane(rt, bodies_.back());
  }
}

// One with parameters has none before it is known what these stand for.
void control_runner::take_lane(process& rt, body& b) {
  if (b.lane.native == nullptr && b.graph->lane_device().valid())
    b.lane = rt.lanes.take_side_lane(b.graph->lane_device());
}

void control_runner::bind(process& rt, const planned_graph& holder) {
  for (body& b : bodies_) {
    b.graph->bind_as_body(rt, holder);
    take_lane(rt, b);
  }
}

void control_runner::check_addresses(process& rt) {
  for (const body& b : bodies_) b.graph->check_addresses(rt);
}

control_runner::~control_runner() {
  process* const rt = process::started();
  if (rt == nullptr) return;
  const std::lock_guard lock(rt->mutex);
  for (const body& b : bodies_)
    if (b.lane.native != nullptr) rt->lanes.give_back({b.lane});
}

executors::resolved_action control_runner::action() noexcept {
  executors::resolved_host_task task;
  task.arguments.bytes = this;
  task.invoke = [](void* runner) { static_cast<control_runner*>(runner)->run(); };
  return task;
}

bool control_runner::holds() const noexcept { return number() != 0; }

// Negative ones, which number nothing, become too large for that.
std::uint64_t control_runner::number() const noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, condition_, what_.bytes);
  const unsigned bits = 8 * what_.bytes;
  const bool negative = what_.is_signed && (value >> (bits - 1) & 1U) != 0;
  return negative ? std::numeric_limits<std::uint64_t>::max() : value;
}

bool control_runner::run_here(const body& b) {
  return b.graph->run_as_body(b.lane, queue(), step());
}

void control_runner::launch(body& b) {
  try {
    b.graph->launch_as_body(b.lane, queue(), step());
  } catch (...) {
    // What some backends have taken ends before the command does.
    b.graph->wait_as_body(b.lane);
    throw;
  }
}

bool control_runner::succeeded(const body& b) noexcept {
  if (!b.graph->failed_as_body()) return true;
  // So that what this command is a part of ends as well.
  of_.failed.store(true, std::memory_order_relaxed);
  return false;
}

bool control_runner::run_once(body& b) {
  ++runs_;
  if (!run_here(b)) {
    launch(b);
    b.graph->wait_as_body(b.lane);
  }
  end_round(b);
  return succeeded(b);
}

void control_runner::repeat() {
  body& b = bodies_.front();
  for (std::uint64_t i = 1; i <= what_.count; ++i) {
    ++runs_;
    if (!run_here(b)) {
      launch(b);
      // The next round notes its times where this one has.
      if (times_ == nullptr && i % iterations_ahead != 0 && i != what_.count) continue;
      b.graph->wait_as_body(b.lane);
    }
    end_round(b);
    if (!succeeded(b)) return;
  }
}

void control_runner::note_times_in(body_times* of_bodies) noexcept {
  times_ = of_bodies;
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    bodies_[i].graph->note_times_as_body(of_bodies == nullptr ? nullptr : &of_bodies[i].round);
}

void control_runner::end_round(const body& b) noexcept {
  if (times_ != nullptr) times_[&b - bodies_.data()].add_round();
}

void control_runner::run() {
  runs_ = 0;
  launch_times* const times = of_.times.load(std::memory_order_acquire);
  if (times == nullptr || command_ >= times->count) return run_bodies();
  struct noting {
    control_runner& of;
    ~noting() { of.note_times_in(nullptr); }
  };
  note_times_in(times->of_bodies(command_));
  const noting until_then{*this};
  run_bodies();
  // In a loop itself it runs more than once in a launch.
  times->runs[command_].fetch_add(runs_, std::memory_order_relaxed);
}

void control_runner::run_bodies() {
  for (const body& b : bodies_) static_cast<void>(b.graph->failed_as_body());
  switch (what_.what) {
    case model::control_kind::once:
      break;
    case model::control_kind::repeat:
      repeat();
      break;
    case model::control_kind::loop: {
      unchanged_condition condition;
      while (holds() && run_once(bodies_.front())) condition.look(number());
      break;
    }
    case model::control_kind::branch:
    case model::control_kind::choice: {
      std::uint64_t chosen = number();
      if (what_.what == model::control_kind::branch) chosen = chosen != 0 ? 0 : 1;
      if (chosen < bodies_.size()) static_cast<void>(run_once(bodies_[chosen]));
      break;
    }
  }
}

}  // namespace pianola::runtime
