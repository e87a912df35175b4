// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/check/check.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>
#include <variant>

#include "check/conflicts.hpp"
#include "check/intervals.hpp"
#include "check/order.hpp"
#include "check/unwritten_buffers.hpp"
#include "usm/accesses.hpp"

namespace pianola::planner {

namespace {

using checking::command_order;
using checking::conflict;
using checking::intervals;
using pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

class checker {
 public:
  checker(const graph_view& graph, model::array_view<const model::usm_access> listed)
      : graph_(graph), order_(graph), accesses_(all_accesses(graph, listed, outside_)) {
    std::uint32_t last = model::command_id::invalid_value;
    for (const model::usm_access& a : listed) {
      if (a.command.value() != last) known_.insert(a.command.value());
      last = a.command.value();
    }
  }

  void races(bool exact_only) {
    checking::conflict_finder finder([this](std::uint32_t first, std::uint32_t second) {
      return order_.has_edge(first, second);
    });
    for (const model::usm_access& a : accesses_)
      if (a.exact || !exact_only) finder.see(a);
    const std::vector<conflict> all = finder.take();
    pairs to_be_ordered;
    for (const conflict& c : all) to_be_ordered.emplace_back(c.first, c.second);
    const std::vector<bool> ordered = order_.ordered(to_be_ordered);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const conflict& c = all[i];
      if (ordered[i]) continue;
      finding f;
      f.first = model::command_id(c.first);
      f.second = model::command_id(c.second);
      f.allocation = c.allocation;
      f.begin = c.begin;
      f.end = c.end;
      f.first_writes = c.first_writes;
      f.second_writes = c.second_writes;
      f.certain = exact_only;
      put(f);
    }
  }

  void reads_of_empty_buffers(bool suspicions) {
    for (const finding& f : checking::reads_of_unwritten_buffers(graph_, suspicions)) put(f);
  }

  void uses_of_freed(bool exact_only) {
    const std::vector<std::uint32_t> waits = host_waits();
    pairs to_be_ordered;
    std::vector<const model::usm_access*> of;
    for (const model::usm_access& a : accesses_) {
      if (exact_only && !a.exact) continue;
      const std::uint64_t freed = graph_.allocations()[a.allocation].freed;
      if (freed == model::usm_allocation::never) continue;
      const std::uint32_t c = a.command.value();
      if (c >= freed) {
        add(finding::kind::use_after_free, a);
        continue;
      }
      const auto later = std::lower_bound(waits.begin(), waits.end(), freed);
      if (later == waits.begin() || later[-1] < c) {
        add(finding::kind::freed_in_use, a);
      } else if (later[-1] != c) {
        to_be_ordered.emplace_back(c, later[-1]);
        of.push_back(&a);
      }
    }
    const std::vector<bool> ordered = order_.ordered(to_be_ordered);
    for (std::size_t i = 0; i < of.size(); ++i)
      if (!ordered[i]) add(finding::kind::freed_in_use, *of[i]);
  }

  // Only what the host cannot write to itself, of allocations that were made in the recording.
  void reads_of_nothing(bool suspicions) {
    std::vector<intervals> written(graph_.allocations().size());
    std::size_t next = 0;
    std::uint64_t unknown_end = 0;  // behind the last command that may have written anywhere
    for (std::uint32_t c = 0; c < graph_.commands().size(); ++c) {
      const std::size_t first = next;
      while (next < accesses_.size() && accesses_[next].command.value() == c) ++next;
      const auto look = [&](bool certain) {
        for (std::size_t i = first; i < next; ++i) {
          const model::usm_access& a = accesses_[i];
          const model::usm_allocation& of = graph_.allocations()[a.allocation];
          if (!a.read || !a.exact || of.allocated == model::usm_allocation::never ||
              of.what != model::usm_kind::device)
            continue;
          // What was allocated later, nothing before can have written to.
          if (certain && unknown_end > of.allocated) continue;
          const auto [begin, end] = written[a.allocation].gap(a.begin, a.end);
          if (begin >= end) continue;
          finding f;
          f.what = finding::kind::never_written;
          f.first = a.command;
          f.allocation = a.allocation;
          f.begin = begin;
          f.end = end;
          f.certain = certain;
          put(f);
        }
      };
      // What the command writes itself it may have written before it reads it.
      if (suspicions) look(false);
      for (std::size_t i = first; i < next; ++i)
        if (const model::usm_access& a = accesses_[i]; a.written)
          written[a.allocation].cover(a.begin, a.end);
      look(true);
      if (writes_anywhere(c)) unknown_end = c + std::uint64_t{1};
    }
  }

  // Of each command what it reads, and what it writes, in front of an allocation, and behind it.
  void uses_outside(bool exact_only) {
    using place = std::tuple<std::uint32_t, std::uint32_t, bool, bool>;
    std::map<place, intervals> all;
    for (const model::usm_access& a : outside_)
      if (a.exact || !exact_only)
        all[{a.command.value(), a.allocation, a.begin >= 0, a.written}].cover(a.begin, a.end);
    for (const auto& [where, bytes] : all) {
      const auto& [command, allocation, behind, writes] = where;
      finding f;
      f.what = finding::kind::out_of_bounds;
      f.first = model::command_id(command);
      f.allocation = allocation;
      std::tie(f.begin, f.end) = bytes.first();
      f.first_writes = writes;
      f.certain = exact_only;
      put(f);
    }
  }

  std::vector<finding> take() {
    const auto key = [](const finding& f) {
      return std::make_tuple(f.first.value(), f.second.value(), f.buffer.value(), f.allocation,
                             f.what, f.begin, f.end, f.first_writes, !f.certain);
    };
    // Of what is certain it is not told that it may be, too.
    found_.erase(std::remove_if(found_.begin(), found_.end(),
                                [&](const finding& f) {
                                  return !f.certain && certain_.count(key_of(f)) != 0;
                                }),
                 found_.end());
    std::sort(found_.begin(), found_.end(),
              [&](const finding& a, const finding& b) { return key(a) < key(b); });
    found_.erase(
        std::unique(found_.begin(), found_.end(),
                    [](const finding& a, const finding& b) { return key_of(a) == key_of(b); }),
        found_.end());
    return std::move(found_);
  }

 private:
  // What may reach memory by ways that nobody tells of.
  [[nodiscard]] bool writes_anywhere(std::uint32_t c) const {
    switch (kind_of(graph_.commands()[c].payload)) {
      case model::command_kind::subgraph:
      case model::command_kind::host_task:
        return true;
      case model::command_kind::kernel:
        return known_.count(c) == 0;
      case model::command_kind::empty:
      case model::command_kind::copy:
      case model::command_kind::fill:
      case model::command_kind::barrier:
      case model::command_kind::prefetch:
      case model::command_kind::advise:
      case model::command_kind::host_access:
      case model::command_kind::acquire:
      case model::command_kind::allocate:
      case model::command_kind::free:
        return false;
    }
    return true;
  }
  [[nodiscard]] std::vector<std::uint32_t> host_waits() const {
    std::vector<std::uint32_t> waits;
    for (std::uint32_t c = 0; c < graph_.commands().size(); ++c)
      if (std::holds_alternative<model::host_access_command>(graph_.commands()[c].payload))
        waits.push_back(c);
    return waits;
  }
  void add(finding::kind what, const model::usm_access& a) {
    finding f;
    f.what = what;
    f.first = a.command;
    f.allocation = a.allocation;
    f.begin = a.begin;
    f.end = a.end;
    f.first_writes = a.written;
    f.certain = a.exact;
    put(f);
  }

  // What is told once; out of bounds, for both ends, and for reads and writes.
  using key = std::tuple<finding::kind, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                         bool, bool>;
  static key key_of(const finding& f) {
    const bool outside = f.what == finding::kind::out_of_bounds;
    return {f.what,       f.first.value(),         f.second.value(),         f.buffer.value(),
            f.allocation, outside && f.begin >= 0, outside && f.first_writes};
  }
  void put(const finding& f) {
    if (f.certain) certain_.insert(key_of(f));
    found_.push_back(f);
  }

  const graph_view& graph_;
  const command_order order_;
  std::vector<model::usm_access> outside_;  // of the allocations
  const std::vector<model::usm_access> accesses_;
  std::unordered_set<std::uint32_t> known_;  // kernels of which is listed what they do
  std::vector<finding> found_;
  std::set<key> certain_;
};

}  // namespace

std::vector<finding> check(const graph_view& graph,
                           model::array_view<const model::usm_access> accesses,
                           const check_options& options) {
  checker c(graph, accesses);
  c.reads_of_empty_buffers(options.suspicions);
  if (graph.allocations().empty()) return c.take();
  c.races(true);
  c.uses_of_freed(true);
  c.reads_of_nothing(options.suspicions);
  c.uses_outside(true);
  if (options.suspicions) {
    c.races(false);
    c.uses_of_freed(false);
    c.uses_outside(false);
  }
  return c.take();
}

std::size_t kernels_not_known(const graph_view& graph,
                              model::array_view<const model::usm_access> accesses) {
  std::size_t n = 0;
  const model::usm_access* next = accesses.begin();
  for (std::uint32_t c = 0; c < graph.commands().size(); ++c) {
    const model::command_id id(c);
    const bool listed = next != accesses.end() && next->command == id;
    while (next != accesses.end() && next->command == id) ++next;
    if (listed || !std::holds_alternative<model::kernel_command>(graph.commands()[c].payload))
      continue;
    const auto used = graph.allocations_of(id);
    if (std::any_of(used.begin(), used.end(),
                    [](std::uint32_t a) { return a != model::no_allocation; }))
      ++n;
  }
  return n;
}

}  // namespace pianola::planner
