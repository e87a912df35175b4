// SPDX-License-Identifier: Apache-2.0
// A stream of commands on some buffers and a machine, and two ways to run it: one after the other on
// one memory, and step by step as a plan says on memories of their own.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <pianola/model/command.hpp>
#include <pianola/model/geometry.hpp>
#include <pianola/model/requirement.hpp>
#include <pianola/model/topology.hpp>
#include <pianola/planner/plan.hpp>

namespace pianola::test {

// Commands together with the lists that they refer to.
class command_list {
 public:
  std::uint64_t add(model::device_id device, std::vector<model::requirement> requirements,
                    std::vector<std::uint64_t> after = {},
                    model::command_payload payload = model::kernel_command{}) {
    requirements_.push_back(std::move(requirements));
    after_.push_back(std::move(after));
    model::command c;
    c.payload = std::move(payload);
    c.requirements = {requirements_.back().data(), requirements_.back().size()};
    c.after = {after_.back().data(), after_.back().size()};
    c.device = device;
    commands_.push_back(c);
    return commands_.size() - 1;
  }
  [[nodiscard]] std::vector<model::command>& all() noexcept { return commands_; }
  [[nodiscard]] const std::vector<model::command>& all() const noexcept { return commands_; }
  [[nodiscard]] std::size_t size() const noexcept { return commands_.size(); }
  [[nodiscard]] const model::command& operator[](std::size_t i) const { return commands_[i]; }

 private:
  std::deque<std::vector<model::requirement>> requirements_;
  std::deque<std::vector<std::uint64_t>> after_;
  std::vector<model::command> commands_;
};

struct scenario {
  model::topology machine;
  std::vector<model::buffer_info> buffers;
  std::vector<bool> initialised;  // index: buffer; true: the host has its data at the start
  command_list commands;
};

// Contents of one buffer in one memory: a number per element of the range.
using contents = std::vector<std::uint64_t>;

// What nobody ever wrote, and what a no_init access left unwritten.
inline constexpr std::uint64_t undefined = 0xdeaddeaddeaddeadULL;

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15ULL + b + 0x7f4a7c15;
  x ^= x >> 31;
  x *= 0xbf58476d1ce4e5b9ULL;
  return x ^ (x >> 29);
}

template <class F>
void for_each_element(const model::extent3& range, const model::box& b, F&& f) {
  for (std::uint64_t i = b.lo.c[0]; i < b.hi.c[0]; ++i)
    for (std::uint64_t j = b.lo.c[1]; j < b.hi.c[1]; ++j)
      for (std::uint64_t k = b.lo.c[2]; k < b.hi.c[2]; ++k)
        f((i * range.c[1] + j) * range.c[2] + k);
}

inline model::box pages_of(const model::buffer_info& info, const model::box& elements) {
  return info.grid.elements_of(info.grid.pages_of(elements));
}

inline contents initial_contents(const scenario& s, std::size_t buffer) {
  contents c(model::volume(s.buffers[buffer].grid.range()), undefined);
  if (s.initialised[buffer])
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = mix(buffer + 1, i);
  return c;
}

// Does what command number `id` does, wherever `place(buffer, requirement)` says its buffers are: the
// result depends on every element of the page ranges that it may rely on. Writes some elements of
// what it may write; under no_init the others become undefined.
template <class Place>
void run_command(const scenario& s, const model::command& c, std::uint64_t id, Place&& place) {
  std::uint64_t seen = mix(id, 17);
  for (const model::requirement& r : c.requirements) {
    if (!r.needs_data() || r.elements.empty()) continue;
    const model::buffer_info& info = s.buffers[r.buffer.value()];
    const contents& from = place(r);
    for_each_element(info.grid.range(), pages_of(info, r.elements),
                     [&](std::size_t i) { seen = mix(seen, from[i]); });
  }
  for (const model::requirement& r : c.requirements) {
    if (!model::writes(r.mode) || r.elements.empty()) continue;
    contents& to = place(r);
    for_each_element(s.buffers[r.buffer.value()].grid.range(), r.elements, [&](std::size_t i) {
      const std::uint64_t fresh = mix(seen, i);
      if (fresh % 5 != 0)
        to[i] = fresh;
      else if (r.no_init)
        to[i] = undefined;
    });
  }
}

// The commands one after the other on one memory.
class sequential_machine {
 public:
  explicit sequential_machine(const scenario& s) : scenario_(s) {
    for (std::size_t b = 0; b < s.buffers.size(); ++b) memory_.push_back(initial_contents(s, b));
  }
  void run(const model::command& c, std::uint64_t id) {
    run_command(scenario_, c, id, [&](const model::requirement& r) -> contents& {
      return memory_[r.buffer.value()];
    });
  }
  [[nodiscard]] const contents& buffer(std::size_t b) const { return memory_[b]; }

 private:
  const scenario& scenario_;
  std::vector<contents> memory_;
};

// Steps of plans on separate memories. Copies that were never made hold garbage.
class distributed_machine {
 public:
  explicit distributed_machine(const scenario& s) : scenario_(s) {
    for (std::size_t m = 0; m < s.machine.memories.size(); ++m) {
      memory_.emplace_back();
      for (std::size_t b = 0; b < s.buffers.size(); ++b) {
        memory_[m].push_back(initial_contents(s, b));
        if (m > 0 && s.initialised[b])
          for (std::size_t i = 0; i < memory_[m][b].size(); ++i)
            memory_[m][b][i] = mix(mix(m, 0xbad), i);
      }
    }
  }

  void transfer(const planner::transfer_step& t) {
    const contents& from = memory_[t.from.value()][t.buffer.value()];
    contents& to = memory_[t.to.value()][t.buffer.value()];
    const model::extent3& range = scenario_.buffers[t.buffer.value()].grid.range();
    for_each_element(range, t.elements, [&](std::size_t i) { to[i] = from[i]; });
  }
  void execute(const model::command& c, std::uint64_t id, model::device_id device) {
    const model::memory_id here = std::holds_alternative<model::host_access_command>(c.payload)
                                      ? model::host_memory
                                      : scenario_.machine.memory_of(device);
    run_command(scenario_, c, id, [&](const model::requirement& r) -> contents& {
      return memory_[(r.memory.valid() ? r.memory : here).value()][r.buffer.value()];
    });
  }
  [[nodiscard]] const contents& buffer(std::size_t memory, std::size_t b) const {
    return memory_[memory][b];
  }

 private:
  const scenario& scenario_;
  std::vector<std::vector<contents>> memory_;  // index: memory, buffer
};

// Calls f(index) for every step, in a random order that waits and lanes allow. Waits for steps before
// plan.first_step count as done.
template <class F>
void in_random_order(const planner::plan& p, std::uint64_t seed, F&& f) {
  std::mt19937_64 random(seed);
  const std::size_t n = p.steps.size();
  std::vector<std::vector<std::size_t>> next(n);
  std::vector<std::size_t> open(n, 0);
  std::vector<std::size_t> lane_tail;
  constexpr std::size_t none = ~std::size_t{0};
  for (std::size_t i = 0; i < n; ++i) {
    auto after = [&](std::size_t before) {
      next[before].push_back(i);
      ++open[i];
    };
    for (const model::step_id w : p.waits_of(p.steps[i]))
      if (w.value() >= p.first_step) after(w.value() - p.first_step);
    const std::size_t lane = p.steps[i].lane.value();
    if (lane_tail.size() <= lane) lane_tail.resize(lane + 1, none);
    if (lane_tail[lane] != none) after(lane_tail[lane]);
    lane_tail[lane] = i;
  }
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < n; ++i)
    if (open[i] == 0) ready.push_back(i);
  std::size_t done = 0;
  while (!ready.empty()) {
    std::swap(ready[random() % ready.size()], ready.back());
    const std::size_t i = ready.back();
    ready.pop_back();
    f(i);
    ++done;
    for (const std::size_t s : next[i])
      if (--open[s] == 0) ready.push_back(s);
  }
  if (done != n) throw std::logic_error("the plan's waits close a cycle");
}

// Appends a window's plan to the plan of everything so far: `first_command` is the number of the
// window's first command among all commands.
inline void append(planner::plan& all, const planner::plan& window, std::uint32_t first_command) {
  for (const planner::step& s : window.steps) {
    planner::step copy = s;
    if (auto* e = std::get_if<planner::execute_step>(&copy.action))
      e->command = model::command_id(e->command.value() + first_command);
    copy.first_wait = static_cast<std::uint32_t>(all.waits.size());
    for (const model::step_id w : window.waits_of(s)) all.waits.push_back(w);
    all.steps.push_back(copy);
  }
}

}  // namespace pianola::test
