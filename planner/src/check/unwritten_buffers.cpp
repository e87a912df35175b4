// SPDX-License-Identifier: Apache-2.0
#include "unwritten_buffers.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <variant>

#include "check/intervals.hpp"

namespace pianola::planner::checking {

namespace {

using interval = intervals::interval;

// Of boxes with more rows everything between the first and the last is written, and the first ones are read.
constexpr std::uint64_t most_rows_of_box = 256;

// Calls f(begin, end) for the bytes of a box, in pieces without gaps, and returns whether these are all.
template <class F>
bool for_each_row(const model::box& b, const model::buffer_info& buffer, F&& f) {
  const model::extent3 range = buffer.grid.range();
  const std::uint64_t element = buffer.element_size;
  std::uint64_t length[3] = {element * range[1] * range[2], element * range[2], element};
  // What is whole in the faster coordinates is one piece.
  int d = 2;
  while (d > 0 && b.lo[d] == 0 && b.hi[d] == range[d]) --d;
  const std::uint64_t piece = (b.hi[d] - b.lo[d]) * length[d];
  std::uint64_t n = 0;
  const std::uint64_t last_y = d > 1 ? b.hi[1] : b.lo[1] + 1,
                      last_x = d > 0 ? b.hi[0] : b.lo[0] + 1;
  for (std::uint64_t x = b.lo[0]; x < last_x; ++x)
    for (std::uint64_t y = b.lo[1]; y < last_y; ++y) {
      if (++n > most_rows_of_box) return false;
      const std::uint64_t begin = x * length[0] + y * length[1] + b.lo[2] * length[2];
      f(static_cast<std::int64_t>(begin), static_cast<std::int64_t>(begin + piece));
    }
  return true;
}

interval hull_of(const model::box& b, const model::buffer_info& buffer) {
  const model::extent3 range = buffer.grid.range();
  const auto at = [&](const model::point3& p) {
    return static_cast<std::int64_t>(((p[0] * range[1] + p[1]) * range[2] + p[2]) *
                                     buffer.element_size);
  };
  return {at(b.lo), at({{b.hi[0] - 1, b.hi[1] - 1, b.hi[2] - 1}}) + buffer.element_size};
}

class unwritten_reads {
 public:
  unwritten_reads(const graph_view& graph, bool suspicions)
      : graph_(graph), suspicions_(suspicions) {
    for (std::uint32_t b = 0; b < graph.buffers().size(); ++b)
      if (graph.is_unwritten(model::buffer_id(b))) states_.try_emplace(b);
  }

  std::vector<finding> take() {
    if (states_.empty()) return {};
    auto listed = graph_.buffer_reads();
    for (std::uint32_t c = 0; c < graph_.commands().size(); ++c) {
      const model::command& command = graph_.commands()[c];
      std::size_t mine = 0;
      while (mine < listed.size() && listed[mine].command.value() == c) ++mine;
      if (suspicions_) {
        for (const model::requirement& r : command.requirements)
          if (r.mode == model::access_mode::read) read_box(c, r, false);
        for (std::size_t i = 0; i < mine; ++i) read_listed(listed[i], false);
      }
      for (const model::requirement& r : command.requirements)
        if (writes(r.mode)) write(r);
      for (std::size_t i = 0; i < mine; ++i) read_listed(listed[i], true);
      if (const auto* copy = std::get_if<model::copy_command>(&command.payload))
        read_operand(c, command, *copy);
      listed = {listed.data() + mine, listed.size() - mine};
    }
    return std::move(found_);
  }

 private:
  struct state {
    intervals written;
    // Boxes that were written: programs name the same ones again and again.
    std::set<std::array<std::uint64_t, 6>> boxes;
  };
  static constexpr std::size_t most_boxes = 64;

  state* state_of(model::buffer_id buffer) {
    const auto s = states_.find(buffer.value());
    return s == states_.end() ? nullptr : &s->second;
  }
  static std::array<std::uint64_t, 6> key_of(const model::box& b) {
    return {b.lo[0], b.lo[1], b.lo[2], b.hi[0], b.hi[1], b.hi[2]};
  }

  void write(const model::requirement& r) {
    state* const s = state_of(r.buffer);
    if (s == nullptr || r.elements.empty() || s->boxes.count(key_of(r.elements)) != 0) return;
    if (s->boxes.size() < most_boxes) s->boxes.insert(key_of(r.elements));
    const model::buffer_info& buffer = graph_.buffers()[r.buffer.value()];
    const auto cover = [&](std::int64_t begin, std::int64_t end) { s->written.cover(begin, end); };
    std::vector<interval> rows;
    if (for_each_row(r.elements, buffer, [&](std::int64_t begin, std::int64_t end) {
          rows.emplace_back(begin, end);
        })) {
      for (const auto& [begin, end] : rows) cover(begin, end);
    } else {
      const auto [begin, end] = hull_of(r.elements, buffer);
      cover(begin, end);
    }
  }

  void read_box(std::uint32_t c, const model::requirement& r, bool certain) {
    state* const s = state_of(r.buffer);
    if (s == nullptr || r.elements.empty() || s->boxes.count(key_of(r.elements)) != 0) return;
    bool told = false;
    for_each_row(r.elements, graph_.buffers()[r.buffer.value()],
                 [&](std::int64_t begin, std::int64_t end) {
                   if (!told) told = read(c, r.buffer, begin, end, certain);
                 });
  }
  void read_listed(const model::buffer_read& r, bool certain) {
    read(r.command.value(), r.buffer, static_cast<std::int64_t>(r.begin),
         static_cast<std::int64_t>(r.end), certain);
  }
  // Its source, if that is a buffer.
  void read_operand(std::uint32_t c, const model::command& command,
                    const model::copy_command& copy) {
    const model::memory_operand& o = copy.source;
    if (o.requirement >= command.requirements.size()) return;
    const model::buffer_id buffer = command.requirements[o.requirement].buffer;
    if (state_of(buffer) == nullptr) return;
    __extension__ using wide = unsigned __int128;
    const wide size = graph_.buffers()[buffer.value()].bytes();
    std::uint64_t rows = 0;
    for (std::uint64_t z = 0; z < copy.depth; ++z)
      for (std::uint64_t y = 0; y < copy.height; ++y) {
        const wide begin = o.byte_offset + wide{z} * o.slice_pitch + wide{y} * o.row_pitch;
        const wide end = std::min(size, begin + copy.width);
        if (begin >= end || ++rows > most_rows_of_box) return;
        if (read(c, buffer, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end), true))
          return;
      }
  }

  // Whether something of it was not written.
  bool read(std::uint32_t c, model::buffer_id buffer, std::int64_t begin, std::int64_t end,
            bool certain) {
    const state* const s = state_of(buffer);
    if (s == nullptr) return false;
    const auto [first, last] = s->written.gap(begin, end);
    if (first >= last) return false;
    finding f;
    f.what = finding::kind::never_written;
    f.first = model::command_id(c);
    f.buffer = buffer;
    f.begin = first;
    f.end = last;
    f.certain = certain;
    found_.push_back(f);
    return true;
  }

  const graph_view& graph_;
  const bool suspicions_;
  std::map<std::uint32_t, state> states_;  // by buffer; of those that began with nothing
  std::vector<finding> found_;
};

}  // namespace

std::vector<finding> reads_of_unwritten_buffers(const graph_view& graph, bool suspicions) {
  return unwritten_reads(graph, suspicions).take();
}

}  // namespace pianola::planner::checking
