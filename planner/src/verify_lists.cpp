// SPDX-License-Identifier: Apache-2.0
#include "verify_checker.hpp"

namespace pianola::planner::verification {

void checker::check_entry_and_exit() {
  std::vector<std::vector<char>> seen(buffers_.size());
  auto start = [&] {
    for (std::size_t b = 0; b < buffers_.size(); ++b) seen[b].assign(grids_[b].size(), 0);
  };
  auto once = [&](model::buffer_id b, const box& e, const char* list) {
    grids_[b.value()].each(e, [&](std::size_t cell) {
      if (seen[b.value()][cell]++ == 1)
        complain(nothing, std::string(list) + " has two entries for " + name(b) + " " +
                              text(grids_[b.value()].where(cell)));
    });
  };
  start();
  for (const validity_entry& e : plan_.contract) once(e.buffer, e.elements, "the entry contract");
  start();
  for (const validity_entry& e : plan_.exit) {
    once(e.buffer, e.elements, "the exit state");
    const contents& c = contents_[e.buffer.value()];
    for (std::size_t m = 0; m < machine_.memories.size(); ++m)
      if ((e.memories >> m & 1) != 0)
        grids_[e.buffer.value()].each(e.elements, [&](std::size_t cell) {
          if (c.held[m][cell] != c.current[cell])
            complain(nothing, "the exit state says that " + name(e.buffer) + " " +
                                  text(grids_[e.buffer.value()].where(cell)) + " is valid in " +
                                  name(memory_id(static_cast<std::uint16_t>(m))) +
                                  ", which it is not");
        });
  }
  for (std::size_t b = 0; b < buffers_.size(); ++b)
    for (std::size_t cell = 0; cell < grids_[b].size(); ++cell)
      if (contents_[b].current[cell] != 0 && seen[b][cell] == 0)
        complain(nothing, "the exit state leaves out " +
                              name(model::buffer_id(static_cast<std::uint32_t>(b))) + " " +
                              text(grids_[b].where(cell)) + ", which the plan writes");
  start();
  for (const access_entry& e : plan_.accesses) {
    once(e.buffer, e.elements, "the list of accesses");
    if (e.written)
      grids_[e.buffer.value()].each(e.elements,
                                    [&](std::size_t cell) { seen[e.buffer.value()][cell] = 2; });
  }
  for (std::size_t c = 0; c < commands_.size(); ++c)
    for (const model::requirement& r : commands_[c].requirements)
      if (!r.elements.empty())
        grids_[r.buffer.value()].each(pages(r), [&](std::size_t cell) {
          if (seen[r.buffer.value()][cell] < (writes(r.mode) ? 2 : 1))
            complain(nothing, "the list of accesses leaves out that command " + std::to_string(c) +
                                  (writes(r.mode) ? " writes " : " reads ") + name(r.buffer) + " " +
                                  text(grids_[r.buffer.value()].where(cell)));
        });
}

}  // namespace pianola::planner::verification
