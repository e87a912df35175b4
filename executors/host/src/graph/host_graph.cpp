// SPDX-License-Identifier: Apache-2.0
#include "pianola/host/host_graph.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include <pianola/planner/cost/thread_costs.hpp>

#include "graph/parallel_run.hpp"
#include "pianola/host/clock.hpp"
#include "pianola/host/kernel_runner.hpp"
#include "steps/run_action.hpp"

namespace pianola::host {

namespace {

constexpr planner::team_costs team_takes;

}  // namespace

void host_graph::summary::add(const graph_node& n) noexcept {
  blocks = blocks || std::holds_alternative<executors::resolved_host_task>(n.action) ||
           n.hooks->blocks(n.action);
  if (n.signal != graph_node::no_signal) ++signals;
  timed = timed || n.timed;
}

host_graph::host_graph(std::vector<graph_node> nodes, std::vector<std::uint32_t> waits,
                       const executors::step_observer& observer, const summary& of_nodes)
    : nodes_(std::move(nodes)),
      waits_(std::move(waits)),
      observer_(observer),
      has_blocking_steps_(of_nodes.blocks),
      timed_(of_nodes.timed),
      signal_count_(of_nodes.signals) {
  if (signal_count_ != 0) signals_ = std::make_unique<signalling_step[]>(signal_count_);
}

host_graph::~host_graph() {
  if (parallel_ != nullptr) parallel_->let_go();
}

// Signals.

executors::lane_position host_graph::signal(std::uint32_t step) const noexcept {
  const std::uint32_t signal = nodes_[step].signal;
  if (signal == graph_node::no_signal) return {};
  return {&signals_[signal].done, launches_.load(std::memory_order_relaxed)};
}

namespace {

void advance(executors::progress& p) noexcept { p.finish(p.finished() + 1); }

// Who sleeps may wait for a signal, and so may the next step of a lane: a worker is to look at that now. Workers of other
// parts look soon by themselves.
void tell_of_signals(team& home) noexcept {
  team& all = team::instance();
  all.work_finished();
  all.work_published();
  if (&home != &all) home.work_published();
}

}  // namespace

inline void host_graph::item_done(const graph_schedule::item& item) noexcept {
  const std::uint32_t signal = nodes_[item.node].signal;
  if (signal != graph_node::no_signal) [[unlikely]]
    part_done(signal, item.whole);
}

void host_graph::part_done(std::uint32_t signal, bool whole) noexcept {
  signalling_step& s = signals_[signal];
  // Who does the last part has seen what the others wrote.
  if (!whole && s.parts_left.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  advance(s.done);
  tell_of_signals(*home_);
}

void host_graph::leave_out(team& home) noexcept {
  if (signal_count_ == 0) return;
  for (std::uint32_t i = 0; i < signal_count_; ++i) advance(signals_[i].done);
  tell_of_signals(home);
}

void host_graph::replace(std::uint32_t index, executors::resolved_action action,
                         const void* context) {
  if (context != nullptr) nodes_[index].context = context;
  const auto* before = std::get_if<executors::resolved_kernel>(&nodes_[index].action);
  const auto* after = std::get_if<executors::resolved_kernel>(&action);
  const bool same_parts = before != nullptr && after != nullptr &&
                          before->geometry.launched() == after->geometry.launched();
  nodes_[index].action = std::move(action);
  // Other arguments may conflict where those before did not, and another index space has other parts.
  if (parallel_ != nullptr && (!same_parts || parallel_->schedule().relies_on_arguments()))
    remake_parallel_ = true;
  remake_serial_ = true;
}

void host_graph::run_item(const graph_schedule::item& item, unsigned thread, bool timing) noexcept {
  const graph_node& node = nodes_[item.node];
  const void* const context = node.context;
  if (observer_.attention->load(std::memory_order_relaxed) && observer_.admit != nullptr &&
      !(item.whole ? observer_.admit(context) : admit_part(item.node, context)))
    return;
  const bool told = node.timed || node.stamped;
  const std::uint64_t begin = told ? nanoseconds_now() : 0;
  try {
    if (const auto* kernel = std::get_if<executors::resolved_kernel>(&node.action)) {
      if (item.whole && (timing || node.timed))
        run_kernel(*kernel, *home_, thread, node.timed);
      else if (item.whole)
        run_part(*kernel, kernel->geometry.launched());
      else if (timing)
        run_part_timed(*kernel, item.part);
      else
        run_part(*kernel, item.part);
    } else {
      run_action(node.action, *node.hooks, *home_, thread);
    }
  } catch (...) {
    if (item.whole || fails_first(item.node)) observer_.failed(context, std::current_exception());
  }
  if (told) [[unlikely]]
    observer_.times(context, begin, nanoseconds_now());
}

std::uint32_t host_graph::run_items(const graph_schedule::item* first, unsigned thread,
                                    bool timing) noexcept {
  if (first->pieces == 1) {
    run_item(*first, thread, timing);
    item_done(*first);
    return 1;
  }
  const std::uint32_t length = first->run_length, pieces = first->pieces;
  for (std::uint32_t p = 0; p < pieces; ++p)
    for (std::uint32_t i = 0; i < length; ++i) {
      graph_schedule::item piece = first[i];
      piece.part = slice_of(piece.part, p, pieces);
      run_item(piece, thread, timing);
      if (p + 1 == pieces) item_done(piece);
    }
  return length;
}

bool host_graph::admit_part(std::uint32_t node, const void* context) noexcept {
  std::lock_guard<std::mutex> lock(fates_mutex_);
  fates_used_ = true;
  fate& f = fates_[node];
  if (f == fate::open) f = observer_.admit(context) ? fate::admitted : fate::skipped;
  return f == fate::admitted;
}

bool host_graph::fails_first(std::uint32_t node) noexcept {
  std::lock_guard<std::mutex> lock(fates_mutex_);
  fates_used_ = true;
  return std::exchange(fates_[node], fate::failed) != fate::failed;
}

void host_graph::prepare_parts(std::size_t strands) {
  for (std::uint32_t i = 0; i < signal_count_; ++i)
    signals_[i].parts_left.store(static_cast<std::uint32_t>(strands), std::memory_order_relaxed);
  if (!fates_used_) return;
  fates_.assign(nodes_.size(), fate::open);
  fates_used_ = false;
}

// One strand is the order of the steps, with what goes piece by piece. Without memory for it steps run whole.
void host_graph::prepare_serial() noexcept {
  remake_serial_ = false;
  const bool some = std::any_of(nodes_.begin(), nodes_.end(), [](const graph_node& n) {
    const auto* kernel = std::get_if<executors::resolved_kernel>(&n.action);
    return kernel != nullptr && kernel->kernel->facts != nullptr;
  });
  serial_.reset();
  if (!some || timed_ || nodes_.size() < 2) return;
  try {
    auto made = std::make_unique<graph_schedule>(graph_schedule::parallel(nodes_, waits_, 1));
    if (made->has_pieces()) serial_ = std::move(made);
  } catch (const std::bad_alloc&) {
    remake_serial_ = true;
  }
}

void host_graph::run_serial(unsigned thread) noexcept {
  // The first runs time each kernel: that is what the parallel schedule is made from.
  const bool timing = choice_.runs() < 2;
  if (!timing && remake_serial_) prepare_serial();
  if (!timing && serial_) {
    prepare_parts(1);
    const auto& items = serial_->strands()[0];
    for (std::size_t at = 0; at < items.size();) at += run_items(&items[at], thread, false);
    return;
  }
  graph_schedule::item item{0, 0, 0, true, model::box{}};
  const auto count = static_cast<std::uint32_t>(nodes_.size());
  for (item.node = 0; item.node < count; ++item.node) {
    run_item(item, thread, timing);
    item_done(item);
  }
}

void host_graph::run_parallel(unsigned thread) noexcept {
  parallel_run& g = *parallel_;
  prepare_parts(g.schedule().strands().size());
  // A schedule from guessed costs is made again from measured ones.
  g.begin(thread, choice_.runs() == 0);
  g.keep();
  const double cost = choice_.parallel_cost() != 0 ? choice_.parallel_cost() : serial_estimate_;
  home_->parallel_section(g, cost > team_takes.wake_from, [&] { g.take_part(thread, true); });
}

void host_graph::make_parallel() {
  auto schedule = graph_schedule::parallel(nodes_, waits_, home_->parallelism());
  // Threads may be late in the one before.
  if (parallel_ != nullptr) std::exchange(parallel_, nullptr)->let_go();
  parallel_ = new parallel_run(*this, *home_, std::move(schedule), has_blocking_steps_);
  remake_parallel_ = false;
}

// Without memory for a schedule steps run one after the other.
bool host_graph::can_make_parallel() noexcept {
  try {
    make_parallel();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

bool host_graph::choose_parallel() noexcept {
  if (timed_ || home_->parallelism() < 2) return false;
  // The second run knows what every kernel costs; a long first run need not wait for that.
  const bool first = choice_.runs() == 0;
  if (first || choice_.runs() == 1) {
    serial_estimate_ = 0;
    for (const graph_node& n : nodes_) serial_estimate_ += expected_cost(n);
    const double from = first ? team_takes.graph_guessed_from : team_takes.graph_spread_from;
    if (serial_estimate_ >= from && can_make_parallel()) choice_.forget_parallel();
  }
  if (parallel_ == nullptr ||
      !choice_.prefers_parallel(serial_estimate_, static_cast<double>(home_->risk())))
    return false;
  return !remake_parallel_ || can_make_parallel();
}

void host_graph::run(team& home, unsigned thread) noexcept {
  home_ = &home;
  for (std::uint32_t i = 0; i < signal_count_; ++i)
    signals_[i].done.begin(signals_[i].done.finished() + 1);
  const bool parallel = choose_parallel();
  const std::uint64_t begin = nanoseconds_now();
  if (parallel)
    run_parallel(thread);
  else
    run_serial(thread);
  choice_.measured(parallel, static_cast<double>(nanoseconds_now() - begin));
}

}  // namespace pianola::host
