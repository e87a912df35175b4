// SPDX-License-Identifier: Apache-2.0
#include "accesses.hpp"

#include <algorithm>
#include <variant>

#include <pianola/model/command.hpp>
#include <pianola/model/payload_members.hpp>

namespace pianola::planner {

namespace {

// More rows count as everything between the first and the last.
constexpr std::uint64_t most_rows = 1024;

class collector {
 public:
  collector(const graph_view& graph, std::vector<model::usm_access>& to,
            std::vector<model::usm_access>& outside)
      : graph_(graph), to_(to), outside_(outside) {}

  // What is listed, cut where its allocation begins and ends.
  void listed(const model::usm_access& a) {
    const std::int64_t size = graph_.allocations()[a.allocation].end();
    model::usm_access part = a;
    part.end = std::min<std::int64_t>(a.end, 0);
    if (part.begin < part.end) outside_.push_back(part);
    part.begin = std::max<std::int64_t>(a.begin, 0);
    part.end = std::min(a.end, size);
    if (part.begin < part.end) to_.push_back(part);
    part.begin = std::max(a.begin, size);
    part.end = a.end;
    if (part.begin < part.end) outside_.push_back(part);
  }
  void operands(model::command_id id) {
    const model::command_payload& payload = graph_.commands()[id.value()].payload;
    const auto used = graph_.allocations_of(id);
    command_ = id;
    std::size_t operands = 0;
    model::for_each_operand(payload, [&](const auto&, const auto&) { ++operands; });
    if (used.size() != operands) return;
    model::for_each_operand(payload, [&, at = used.data()](const model::memory_operand& o,
                                                           const model::operand_use& use) mutable {
      rows(*at++, o, use);
    });
  }
  // Of a kernel that points to allocations of which nothing is listed.
  void unknown(model::command_id id, std::size_t first_listed) {
    if (!std::holds_alternative<model::kernel_command>(graph_.commands()[id.value()].payload))
      return;
    const std::size_t end = to_.size();
    for (const std::uint32_t a : graph_.allocations_of(id)) {
      if (a == model::no_allocation || graph_.allocations()[a].end() <= 0) continue;
      const auto from = to_.begin() + static_cast<std::ptrdiff_t>(first_listed),
                 to = to_.begin() + static_cast<std::ptrdiff_t>(end);
      if (std::any_of(from, to, [a](const model::usm_access& l) { return l.allocation == a; }))
        continue;
      to_.push_back({id, a, 0, graph_.allocations()[a].end(), true, true, false});
    }
  }

 private:
  void rows(std::uint32_t allocation, const model::memory_operand& o, const model::operand_use& s) {
    const bool writes = s.written;
    if (allocation == model::no_allocation || s.width == 0 || s.height == 0 || s.depth == 0) return;
    using wide = unsigned __int128;
    const auto add = [&](wide begin, wide length, bool exact) {
      const auto at = [](wide w) {
        return static_cast<std::int64_t>(std::min<wide>(w, INT64_MAX));
      };
      listed({command_, allocation, at(begin), at(begin + length), !writes, writes, exact});
    };
    const std::uint64_t row = s.height == 1 ? s.width : o.row_pitch;
    const wide slice = s.depth == 1 ? wide{row} * s.height : wide{o.slice_pitch};
    const wide width = s.width, height = s.height, depth = s.depth;
    if (row == s.width && slice == width * height)
      return add(o.byte_offset, width * height * depth, true);
    if (s.height > most_rows || s.depth > most_rows || s.height * s.depth > most_rows) {
      const wide last = o.byte_offset + (depth - 1) * slice + (height - 1) * row;
      add(o.byte_offset, last + width - o.byte_offset, false);
      // If any is behind the end, this one is.
      return add(last, width, true);
    }
    for (std::uint64_t z = 0; z < s.depth; ++z)
      for (std::uint64_t y = 0; y < s.height; ++y)
        add(o.byte_offset + z * slice + wide{y} * row, width, true);
  }

  const graph_view& graph_;
  std::vector<model::usm_access>& to_;
  std::vector<model::usm_access>& outside_;
  model::command_id command_;
};

}  // namespace

std::vector<model::usm_access> all_accesses(const graph_view& graph,
                                            model::array_view<const model::usm_access> listed,
                                            std::vector<model::usm_access>& outside) {
  std::vector<model::usm_access> all;
  all.reserve(listed.size() + graph.commands().size());
  collector collect(graph, all, outside);
  std::size_t next = 0;
  for (std::uint32_t c = 0; c < graph.commands().size(); ++c) {
    const model::command_id id(c);
    const std::size_t first = all.size();
    while (next < listed.size() && listed[next].command == id) collect.listed(listed[next++]);
    collect.operands(id);
    collect.unknown(id, first);
  }
  return all;
}

}  // namespace pianola::planner
