// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/verify.hpp"

#include <algorithm>
#include <future>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "checker.hpp"

namespace pianola::planner {

namespace verification {

std::string text(const box& b) {
  std::string t = "[";
  for (int d = 0; d < 3; ++d)
    t += fmt::format("{}{}..{}", d == 0 ? "" : ", ", b.lo.c[d], b.hi.c[d]);
  return t + ")";
}
std::string name(model::buffer_id b) { return fmt::format("buffer {}", b.value()); }
std::string name(memory_id m) { return fmt::format("memory {}", m.value()); }

std::optional<violation> checker::run() {
  if (!check_shape() || !check_slots()) return report();
  run_through_beside_order_of_commands();
  order_allocations();
  order_slots();
  check_order();
  if (problems_.empty()) check_entry_and_exit();
  if (problems_.empty()) check_peaks();
  return report();
}

// None looks at what the others do: commands come after others for the sake of one buffer or another.
void checker::run_through_beside_order_of_commands() {
  constexpr std::size_t worth_a_thread = 4096;
  if (commands_.size() < worth_a_thread) {
    run_through();
    order_commands(0, 1);
    return;
  }
  constexpr std::size_t shares = 2;
  std::vector<checker> others;
  others.reserve(shares);
  std::vector<std::future<void>> ordered;
  for (std::size_t share = 0; share < shares; ++share) {
    checker& other = others.emplace_back(commands_, buffers_, machine_, plan_);
    other.step_of_ = step_of_;
    ordered.push_back(std::async(std::launch::async, [&other, share] {
      other.order_commands(share, shares);
      other.thin();
    }));
  }
  run_through();
  thin();
  for (std::size_t share = 0; share < shares; ++share) {
    ordered[share].get();
    add(std::move(others[share]));
  }
}

// Both have been thinned.
void checker::add(checker&& other) {
  std::vector<must_precede> all;
  all.reserve(needs_.size() + other.needs_.size());
  std::merge(needs_.begin(), needs_.end(), other.needs_.begin(), other.needs_.end(),
             std::back_inserter(all), comes_first);
  needs_ = std::move(all);
  problems_.insert(problems_.end(), std::make_move_iterator(other.problems_.begin()),
                   std::make_move_iterator(other.problems_.end()));
  boxes_met_ += other.boxes_met_;
}

std::optional<violation> checker::report() const {
  if (problems_.empty()) return std::nullopt;
  const problem& first =
      *std::min_element(problems_.begin(), problems_.end(),
                        [](const problem& a, const problem& b) { return a.step < b.step; });
  violation v;
  if (first.step != nothing) v.step = model::step_id(plan_.first_step + first.step);
  v.reason = first.reason;
  return v;
}

std::string checker::describe(std::uint64_t i) const {
  const step& s = plan_.steps[i];
  std::string t = fmt::format("step {}", plan_.first_step + i);
  if (const auto* e = std::get_if<execute_step>(&s.action)) {
    t += fmt::format(" (command {})", e->command.value());
  } else {
    const auto& m = std::get<transfer_step>(s.action);
    t += fmt::format(" (transfer of {} {} from {} to {})", name(m.buffer), text(m.elements),
                     name(m.from), name(m.to));
  }
  return t;
}

box checker::pages(const model::requirement& r) const {
  const model::page_grid& g = buffers_[r.buffer.value()].grid;
  return g.elements_of(g.pages_of(r.elements));
}
memory_id checker::memory_of(const execute_step& e, const model::requirement& r) const {
  if (r.memory.valid()) return r.memory;
  if (std::holds_alternative<model::host_access_command>(commands_[e.command.value()].payload))
    return model::host_memory;
  return machine_.devices[e.device.value()].memory;
}
bool checker::box_fits(model::buffer_id b, const box& e) const {
  return b.valid() && b.value() < buffers_.size() && !e.empty() &&
         contains(box::of(buffers_[b.value()].grid.range()), e);
}

}  // namespace verification

std::optional<violation> verify(model::array_view<const model::command> commands,
                                model::array_view<const model::buffer_info> buffers,
                                const model::topology& topology, const plan& plan) {
  return verification::checker(commands, buffers, topology, plan).run();
}

}  // namespace pianola::planner
