// SPDX-License-Identifier: Apache-2.0
#include "candidates.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>

namespace pianola::planner {

using model::box;

namespace {

// Pages cost nothing but the boxes that they are used in; still no buffer needs more of them than this in a coordinate.
constexpr std::uint64_t most_pages = 65536;

bool is_kernel(const model::command& c) noexcept {
  return std::holds_alternative<model::kernel_command>(c.payload);
}
// The program says which access it wants; what a copy or a fill does follows from what it is.
bool says_how(const model::command& c) noexcept {
  switch (kind_of(c.payload)) {
    case model::command_kind::kernel:
    case model::command_kind::host_access:
    case model::command_kind::host_task:
      return true;
    case model::command_kind::empty:
    case model::command_kind::copy:
    case model::command_kind::fill:
    case model::command_kind::barrier:
    case model::command_kind::prefetch:
    case model::command_kind::advise:
    case model::command_kind::acquire:
    case model::command_kind::subgraph:
    case model::command_kind::allocate:
    case model::command_kind::free:
      return false;
  }
  return false;
}
// Works on the host, at a moment that the program chooses.
bool is_of_host(const model::command& c) noexcept {
  switch (kind_of(c.payload)) {
    case model::command_kind::host_access:
    case model::command_kind::host_task:
    case model::command_kind::acquire:
      return true;
    case model::command_kind::empty:
    case model::command_kind::kernel:
    case model::command_kind::copy:
    case model::command_kind::fill:
    case model::command_kind::barrier:
    case model::command_kind::prefetch:
    case model::command_kind::advise:
    case model::command_kind::subgraph:
    case model::command_kind::allocate:
    case model::command_kind::free:
      return false;
  }
  return false;
}

// Whether the compiler has proven that the access does what a change would have it not do.
bool known_to(const model::command& c, std::uint32_t requirement,
              bool model::affine_access::* does) {
  const auto* k = std::get_if<model::kernel_command>(&c.payload);
  if (k == nullptr) return false;
  for (const model::footprint& f : k->footprints)
    if (f.requirement == requirement)
      for (const model::affine_access& a : f.accesses)
        if (a.*does) return true;
  return false;
}

}  // namespace

candidates::candidates(const graph_view& graph, const model::topology& machine,
                       std::size_t most_alone)
    : graph_(graph),
      machine_(machine),
      most_alone_(most_alone),
      natural_pages_(graph.buffers().size()),
      by_host_(graph.buffers().size()) {
  number_places();
  const auto commands = graph.commands();
  for (std::uint32_t i = 0; i < commands.size(); ++i)
    for (std::uint32_t r = 0; r < commands[i].requirements.size(); ++r) {
      const model::requirement& need = commands[i].requirements[r];
      if (need.elements.empty()) continue;
      if (is_of_host(commands[i]))
        by_host_[need.buffer.value()].push_back({model::command_id(i), r});
      const model::extent3& range = graph.buffers()[need.buffer.value()].grid.range();
      model::extent3& page = natural_pages_[need.buffer.value()];
      for (int d = 0; d < 3; ++d)
        for (const std::uint64_t face : {need.elements.lo.c[d], need.elements.hi.c[d]})
          if (face != range.c[d]) page.c[d] = std::gcd(page.c[d], face);
    }
  for (std::size_t b = 0; b < natural_pages_.size(); ++b) {
    const model::extent3& range = graph.buffers()[b].grid.range();
    for (int d = 0; d < 3; ++d) {
      std::uint64_t& page = natural_pages_[b].c[d];
      if (page == 0) page = std::max<std::uint64_t>(range.c[d], 1);
      // Pages of one size are easier to think of than a smaller last one, if that does not make many of few.
      if (const std::uint64_t even = std::gcd(page, range.c[d]); 4 * even >= page) page = even;
      if (range.c[d] / page > most_pages) page *= range.c[d] / page / most_pages + 1;
    }
  }
}

void candidates::number_places() {
  using key = std::tuple<model::command_kind, std::uint64_t, std::string_view, std::uint32_t,
                         model::access_mode, bool>;
  std::map<key, std::uint32_t> numbers;
  const auto commands = graph_.commands();
  for (std::uint32_t i = 0; i < commands.size(); ++i) {
    const model::command& c = commands[i];
    first_requirement_.push_back(place_of_.size());
    const auto* k = std::get_if<model::kernel_command>(&c.payload);
    // Of kernels without a number the label must do.
    const bool numbered = k != nullptr && k->id.valid() && k->id.value() != 0;
    for (std::uint32_t r = 0; r < c.requirements.size(); ++r) {
      const model::requirement& need = c.requirements[r];
      const key place{model::kind_of(c.payload),
                      numbered ? k->id.value() : 0,
                      numbered ? std::string_view() : std::string_view(c.label),
                      k != nullptr ? r : need.buffer.value(),
                      need.mode,
                      need.no_init};
      const auto [at, fresh] =
          numbers.try_emplace(place, static_cast<std::uint32_t>(places_.size()));
      if (fresh) {
        places_.emplace_back();
        facts_.emplace_back();
      }
      places_[at->second].push_back({model::command_id(i), r});
      place_facts& facts = facts_[at->second];
      facts.reads = facts.reads || known_to(c, r, &model::affine_access::read);
      facts.writes = facts.writes || known_to(c, r, &model::affine_access::written) ||
                     writes_nothing_else(model::command_id(i), r);
      place_of_.push_back(at->second);
    }
  }
}

// A kernel is there for what it writes. What it may reach by pointers counts.
bool candidates::writes_nothing_else(model::command_id id, std::uint32_t requirement) const {
  const model::command& c = graph_.commands()[id.value()];
  if (!is_kernel(c) || !writes(c.requirements[requirement].mode) ||
      !graph_.allocations_of(id).empty())
    return false;
  for (std::uint32_t r = 0; r < c.requirements.size(); ++r)
    if (r != requirement && writes(c.requirements[r].mode)) return false;
  return true;
}

void candidates::smaller_pages(model::buffer_id b, output out) const {
  const model::extent3 natural = natural_pages_[b.value()],
                       now = graph_.buffers()[b.value()].grid.page();
  model::extent3 page = now;
  for (int d = 0; d < 3; ++d) page.c[d] = std::min(natural.c[d], now.c[d]);
  if (page != now)
    out.numbers.push_back(
        out.set.add({0, b.value(), 0, 0}, [&] { return graph_change(page_change{b, page}); }));
}

void candidates::changed_access(const access_place& a, access_change::to what, output out) const {
  const std::uint32_t place = place_of(a);
  out.numbers.push_back(out.set.add({1, static_cast<std::uint64_t>(what), place, 0}, [&] {
    return graph_change(access_change{places_[place], what});
  }));
}

void candidates::without_old_data(const access_place& a, output out) const {
  const model::requirement& r = requirement(a);
  const model::command& c = graph_.commands()[a.command.value()];
  if (!says_how(c) || !writes(r.mode) || r.no_init || facts_[place_of(a)].reads) return;
  changed_access(a, access_change::to::no_init, out);
}

void candidates::without_writing(const access_place& a, output out) const {
  const model::requirement& r = requirement(a);
  const model::command& c = graph_.commands()[a.command.value()];
  if (!says_how(c) || r.mode != model::access_mode::read_write || r.no_init ||
      facts_[place_of(a)].writes)
    return;
  changed_access(a, access_change::to::read_only, out);
}

void candidates::elsewhere(model::command_id id, model::memory_id memory, model::memory_id not_from,
                           output out) const {
  const model::command& c = graph_.commands()[id.value()];
  if (!is_kernel(c)) return;
  for (std::uint16_t d = 0; d < machine_.devices.size(); ++d) {
    const model::device_id device(d);
    if (machine_.devices[d].memory != memory || !machine_.devices[d].listed || device == c.device)
      continue;
    const std::size_t like_it = c.requirements.empty() ? 1 : places_[place_of({id, 0})].size();
    if (like_it <= most_alone_)
      out.numbers.push_back(out.set.add({2, id.value(), d, 0},
                                        [&] { return graph_change(device_change{{id}, device}); }));
    if (like_it < 2) return;
    // And all of the same kernel that run where it does.
    const std::uint32_t place = place_of({id, 0});
    out.numbers.push_back(out.set.add({3, place, d, not_from.value()}, [&] {
      std::vector<model::command_id> all;
      for (const access_place& a : places_[place]) {
        const model::command& other = graph_.commands()[a.command.value()];
        if (other.device.valid() && machine_.memory_of(other.device) == not_from)
          all.push_back(a.command);
      }
      if (all.empty()) all.push_back(id);
      return graph_change(device_change{std::move(all), device});
    }));
    return;
  }
}

// To where the host needs the same buffer next, so that one transfer does for both.
void candidates::later(const access_place& a, output out) const {
  const model::command& c = graph_.commands()[a.command.value()];
  if (!is_of_host(c)) return;
  for (const model::requirement& r : c.requirements)
    if (writes(r.mode)) return;
  const std::vector<access_place>& all = by_host_[requirement(a).buffer.value()];
  const auto next = std::upper_bound(
      all.begin(), all.end(), a.command,
      [](model::command_id id, const access_place& other) { return id < other.command; });
  if (next == all.end()) return;
  out.numbers.push_back(out.set.add({4, a.command.value(), next->command.value(), 0}, [&] {
    return graph_change(move_change{a.command, next->command});
  }));
}

void candidates::of_transfer(const plan& plan, const plan_flows& flows, std::size_t index,
                             change_set& set, std::vector<std::uint32_t>& numbers) const {
  const output out{set, numbers};
  const auto& t = std::get<transfer_step>(plan.steps[index].action);
  smaller_pages(t.buffer, out);
  for (const std::uint32_t f : flows.out_of(index)) {
    const auto* e = std::get_if<execute_step>(&plan.steps[flows[f].taker].action);
    if (e == nullptr) continue;
    const access_place a{e->command, flows[f].requirement};
    without_old_data(a, out);
    later(a, out);
    elsewhere(e->command, t.from, t.to, out);
  }
  for (const data_flow& f : flows.into(index)) {
    if (f.maker == data_flow::entry) continue;
    const auto* e = std::get_if<execute_step>(&plan.steps[f.maker].action);
    if (e == nullptr) continue;
    const model::command& maker = graph_.commands()[e->command.value()];
    for (std::uint32_t r = 0; r < maker.requirements.size(); ++r)
      if (maker.requirements[r].buffer == t.buffer) without_writing({e->command, r}, out);
    elsewhere(e->command, t.to, t.from, out);
  }
}

void candidates::of_edge(const access_place& first, const access_place& second, change_set& set,
                         std::vector<std::uint32_t>& numbers) const {
  const output out{set, numbers};
  const model::requirement &a = requirement(first), &b = requirement(second);
  if (!overlap(a.elements, b.elements)) {
    smaller_pages(a.buffer, out);
    return;
  }
  without_writing(first, out);
  without_writing(second, out);
}

}  // namespace pianola::planner
