// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "checker.hpp"

namespace pianola::planner::verification {

void checker::check_entry_and_exit() {
  std::vector<box_index> listed(buffers_.size());
  const auto start = [&] {
    for (box_index& l : listed) l.clear();
  };
  const auto once = [&](model::buffer_id b, const box& e, const char* list, std::uint32_t value) {
    if (buffers_[b.value()].temporary)
      complain(nothing,
               fmt::format("{} names {}, which is temporary: nobody outside of the plan sees it",
                           list, name(b)));
    box_index& l = listed[b.value()];
    if (const auto met = meeting(l, e); !met.empty())
      complain(nothing, fmt::format("{} has two entries for {} {}", list, name(b),
                                    text(intersection(met.front().where, e))));
    l.add(e, value);
  };
  for (const validity_entry& e : plan_.contract)
    once(e.buffer, e.elements, "the entry contract", 0);
  start();
  for (const validity_entry& e : plan_.exit) {
    once(e.buffer, e.elements, "the exit state", 0);
    if (e.memories.empty())
      for (const auto& c : meeting(contents_[e.buffer.value()].current, e.elements))
        if (c.value != 0)
          complain(nothing, fmt::format("the exit state says of no memory that {} {} is valid "
                                        "there, which the plan writes",
                                        name(e.buffer), text(intersection(c.where, e.elements))));
    e.memories.for_each([&](memory_id m) {
      if (const auto wrong = outdated(e.buffer.value(), m, e.elements))
        complain(nothing,
                 fmt::format("the exit state says that {} {} is valid in {}, which it is not",
                             name(e.buffer), text(wrong->where), name(m)));
    });
  }
  for (std::uint32_t b = 0; b < buffers_.size(); ++b)
    for (const auto& c : meeting(contents_[b].current, box::of(buffers_[b].grid.range())))
      if (buffers_[b].temporary)
        continue;
      else if (const auto forgotten = listed[b].gap(c.where); forgotten && c.value != 0)
        complain(nothing, fmt::format("the exit state leaves out {} {}, which the plan writes",
                                      name(model::buffer_id(b)), text(*forgotten)));
  start();
  for (const access_entry& e : plan_.accesses)
    once(e.buffer, e.elements, "the list of accesses", e.written ? 1 : 0);
  const auto complain_of_access = [&](std::size_t c, const model::requirement& r,
                                      const box& where) {
    complain(nothing,
             fmt::format("the list of accesses leaves out that command {}{}{} {}", c,
                         writes(r.mode) ? " writes " : " reads ", name(r.buffer), text(where)));
  };
  for (std::size_t c = 0; c < commands_.size(); ++c)
    for (const model::requirement& r : commands_[c].requirements) {
      if (r.elements.empty() || buffers_[r.buffer.value()].temporary) continue;
      const box accessed = pages(r);
      const box_index& l = listed[r.buffer.value()];
      if (const auto forgotten = l.gap(accessed)) complain_of_access(c, r, *forgotten);
      if (!writes(r.mode)) continue;
      for (const auto& e : meeting(l, accessed))
        if (e.value == 0) complain_of_access(c, r, intersection(e.where, accessed));
    }
}

}  // namespace pianola::planner::verification
