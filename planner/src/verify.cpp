// SPDX-License-Identifier: Apache-2.0
// Slow and obvious on purpose, and without a line in common with the passes. Every buffer is cut into
// cells by the faces of all boxes that anyone mentions; then the plan is run cell by cell:
//   data   in the order of the plan's steps, every memory's cells carry the number of the write that
//          made their contents; who reads must find the number of the latest write.
//   order  any two steps that touch the same cell of the same memory, one of them writing, and any two
//          commands whose page ranges conflict, must be ordered by waits and lanes, the commands as
//          they were submitted. Then every execution does what the plan's own order does.
#include "pianola/planner/verify.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <pianola/model/error.hpp>

#include "verify_cells.hpp"

namespace pianola::planner {

namespace {

using model::box;
using model::memory_id;

constexpr std::uint32_t nothing = 0xffffffffU;
constexpr std::uint32_t allocations =
    0xfffffffeU;  // in the place of a memory: what commands allocate

std::string text(const box& b) {
  std::string t = "[";
  for (int d = 0; d < 3; ++d)
    t += (d == 0 ? "" : ", ") + std::to_string(b.lo.c[d]) + ".." + std::to_string(b.hi.c[d]);
  return t + ")";
}
std::string name(model::buffer_id b) { return "buffer " + std::to_string(b.value()); }
std::string name(memory_id m) { return "memory " + std::to_string(m.value()); }

struct problem {
  std::uint64_t step;  // index; nothing for the plan as a whole
  std::string reason;
};

// One step must come before another one, and why.
struct must_precede {
  std::uint32_t first, second;
  std::uint32_t buffer;  // nothing: explicit order
  std::uint32_t memory;  // nothing: a conflict of page ranges
};

// Who used a cell last.
struct users {
  std::uint32_t writer = nothing;
  std::vector<std::uint32_t> readers;
};

class checker {
 public:
  checker(model::array_view<const model::command> commands,
          model::array_view<const model::buffer_info> buffers, const model::topology& machine,
          const plan& checked)
      : commands_(commands), buffers_(buffers), machine_(machine), plan_(checked) {}

  std::optional<violation> run() {
    if (!check_shape()) return report();
    cut_into_cells();
    run_through();
    order_commands();
    order_allocations();
    check_order();
    if (problems_.empty()) check_entry_and_exit();
    return report();
  }

 private:
  void complain(std::uint64_t step, std::string reason) {
    problems_.push_back({step, std::move(reason)});
  }
  std::optional<violation> report() const {
    if (problems_.empty()) return std::nullopt;
    const problem& first =
        *std::min_element(problems_.begin(), problems_.end(),
                          [](const problem& a, const problem& b) { return a.step < b.step; });
    violation v;
    if (first.step != nothing) v.step = model::step_id(plan_.first_step + first.step);
    v.reason = first.reason;
    return v;
  }

  [[nodiscard]] std::string describe(std::uint64_t i) const {
    const step& s = plan_.steps[i];
    std::string t = "step " + std::to_string(plan_.first_step + i);
    if (const auto* e = std::get_if<execute_step>(&s.action)) {
      t += " (command " + std::to_string(e->command.value()) + ")";
    } else {
      const auto& m = std::get<transfer_step>(s.action);
      t += " (transfer of " + name(m.buffer) + " " + text(m.elements) + " from " + name(m.from) +
           " to " + name(m.to) + ")";
    }
    return t;
  }

  [[nodiscard]] box pages(const model::requirement& r) const {
    const model::page_grid& g = buffers_[r.buffer.value()].grid;
    return g.elements_of(g.pages_of(r.elements));
  }
  [[nodiscard]] memory_id memory_of(const execute_step& e, const model::requirement& r) const {
    if (r.memory.valid()) return r.memory;
    if (std::holds_alternative<model::host_access_command>(commands_[e.command.value()].payload))
      return model::host_memory;
    return machine_.devices[e.device.value()].memory;
  }
  [[nodiscard]] bool box_fits(model::buffer_id b, const box& e) const {
    return b.valid() && b.value() < buffers_.size() && !e.empty() &&
           contains(box::of(buffers_[b.value()].grid.range()), e);
  }

  // Everything that is named exists, every command runs once, every wait points backwards. False if
  // nothing else can be checked.
  bool check_shape() {
    for (std::size_t c = 0; c < commands_.size(); ++c)
      for (const model::requirement& r : commands_[c].requirements)
        if (!r.elements.empty() && !box_fits(r.buffer, r.elements)) {
          complain(nothing, "command " + std::to_string(c) +
                                " needs elements that its buffer does not have");
          return false;
        }
    step_of_.assign(commands_.size(), nothing);
    lane_before_.assign(plan_.steps.size(), nothing);
    std::map<std::uint32_t, std::uint32_t> tails;
    for (std::uint32_t i = 0; i < plan_.steps.size(); ++i) {
      const step& s = plan_.steps[i];
      if (std::size_t{s.first_wait} + s.wait_count > plan_.waits.size()) {
        complain(i, "step " + std::to_string(i) + " has waits beyond the plan's list of waits");
        return false;
      }
      model::device_id device;
      if (const auto* e = std::get_if<execute_step>(&s.action)) {
        if (!e->command.valid() || e->command.value() >= commands_.size()) {
          complain(i, "step " + std::to_string(i) + " runs a command that does not exist");
          return false;
        }
        const model::command& c = commands_[e->command.value()];
        if (step_of_[e->command.value()] != nothing)
          complain(i, describe(i) + " runs a command that has already run");
        step_of_[e->command.value()] = i;
        if (!e->device.valid() || e->device.value() >= machine_.devices.size()) {
          complain(i, describe(i) + " runs on a device that does not exist");
          return false;
        }
        if (c.device.valid() && c.device != e->device)
          complain(i, describe(i) + " runs on device " + std::to_string(e->device.value()) +
                          ", but the command asks for device " + std::to_string(c.device.value()));
        device = e->device;
      } else {
        const auto& t = std::get<transfer_step>(s.action);
        if (!box_fits(t.buffer, t.elements)) {
          complain(i, "step " + std::to_string(i) +
                          " moves elements that its buffer does not have: " + text(t.elements));
          return false;
        }
        if (!t.from.valid() || !t.to.valid() || t.from == t.to ||
            t.from.value() >= machine_.memories.size() ||
            t.to.value() >= machine_.memories.size() || machine_.link(t.from, t.to) == nullptr) {
          complain(i, describe(i) + " goes between memories that are not connected");
          return false;
        }
      }
      if (!plan_.lanes.empty()) {
        if (!s.lane.valid() || s.lane.value() >= plan_.lanes.size())
          complain(i, describe(i) + " runs on a lane that does not exist");
        else if (device.valid() && plan_.lanes[s.lane.value()].device != device)
          complain(i, describe(i) + " runs on a lane of another device");
      }
      for (const model::step_id w : plan_.waits_of(s)) {
        if (w.value() < plan_.first_step) {
          complain(i, describe(i) + " waits for a step outside of the plan");
          return false;
        }
        if (w.value() - plan_.first_step >= i) {
          complain(i, describe(i) + " waits for step " + std::to_string(w.value()) +
                          ", which does not come before it");
          return false;
        }
      }
      const auto tail = tails.find(s.lane.value());
      if (tail != tails.end()) lane_before_[i] = tail->second;
      tails[s.lane.value()] = i;
    }
    for (std::size_t c = 0; c < commands_.size(); ++c)
      if (step_of_[c] == nothing)
        complain(nothing, "command " + std::to_string(c) + " is never run");
    for (const auto* list : {&plan_.contract, &plan_.exit})
      for (const validity_entry& e : *list)
        if (!box_fits(e.buffer, e.elements) || (machine_.memories.size() < max_memories &&
                                                (e.memories >> machine_.memories.size()) != 0))
          complain(nothing,
                   std::string(list == &plan_.contract ? "the entry contract" : "the exit state") +
                       " names elements or memories that do not exist");
    for (const access_entry& e : plan_.accesses)
      if (!box_fits(e.buffer, e.elements))
        complain(nothing, "the list of accesses names elements that do not exist");
    return problems_.empty();
  }

  void cut_into_cells() {
    grids_.resize(buffers_.size());
    for (std::size_t b = 0; b < buffers_.size(); ++b)
      grids_[b].add_faces(box::of(buffers_[b].grid.range()));
    for (const model::command& c : commands_)
      for (const model::requirement& r : c.requirements)
        if (!r.elements.empty()) {
          grids_[r.buffer.value()].add_faces(r.elements);
          grids_[r.buffer.value()].add_faces(pages(r));
        }
    for (const step& s : plan_.steps)
      if (const auto* t = std::get_if<transfer_step>(&s.action))
        grids_[t->buffer.value()].add_faces(t->elements);
    for (const auto* list : {&plan_.contract, &plan_.exit})
      for (const validity_entry& e : *list) grids_[e.buffer.value()].add_faces(e.elements);
    for (const access_entry& e : plan_.accesses) grids_[e.buffer.value()].add_faces(e.elements);
    std::size_t total = 0;
    for (cell_grid& g : grids_) total = std::min(most_cells + 1, total + g.fix());
    if (total > most_cells)
      throw model::user_error(model::error_code::invalid,
                              "the buffers are cut into too many different boxes to be verified");
  }

  // --- data, in the order of the plan ---

  struct contents {
    std::vector<std::uint32_t> current;            // per cell: latest write; 0: from before
    std::vector<std::vector<std::uint32_t>> held;  // per memory and cell: whose write is there
    std::vector<std::vector<users>> used;          // per memory and cell
  };

  void run_through() {
    const std::size_t memories = machine_.memories.size();
    contents_.resize(buffers_.size());
    for (std::size_t b = 0; b < buffers_.size(); ++b) {
      contents& c = contents_[b];
      c.current.assign(grids_[b].size(), 0);
      c.held.assign(memories, std::vector<std::uint32_t>(grids_[b].size(), nothing));
      c.used.assign(memories, std::vector<users>(grids_[b].size()));
    }
    for (const validity_entry& e : plan_.contract)
      for (std::size_t m = 0; m < memories; ++m)
        if ((e.memories >> m & 1) != 0)
          grids_[e.buffer.value()].each(
              e.elements, [&](std::size_t cell) { contents_[e.buffer.value()].held[m][cell] = 0; });
    for (std::uint32_t i = 0; i < plan_.steps.size(); ++i) {
      if (const auto* e = std::get_if<execute_step>(&plan_.steps[i].action))
        run_command(i, *e);
      else
        run_transfer(i, std::get<transfer_step>(plan_.steps[i].action));
    }
  }

  // Whether a step finds the latest contents; complains once per step.
  bool finds(std::uint32_t i, std::size_t buffer, memory_id m, std::size_t cell) {
    const contents& c = contents_[buffer];
    const std::uint32_t there = c.held[m.value()][cell];
    if (there == c.current[cell]) return true;
    const model::buffer_id id(static_cast<std::uint32_t>(buffer));
    std::string why = describe(i) + " reads " + name(id) + " " + text(grids_[buffer].where(cell)) +
                      " in " + name(m) + ", ";
    if (c.current[cell] == 0)
      why += "where the entry contract does not promise it";
    else
      why += "where command " + std::to_string(c.current[cell] - 1) +
             "'s data has not been brought" + (there == nothing ? "" : ": it is outdated");
    complain(i, std::move(why));
    return false;
  }

  void run_transfer(std::uint32_t i, const transfer_step& t) {
    const std::size_t b = t.buffer.value();
    contents& c = contents_[b];
    bool sound = true;
    grids_[b].each(t.elements, [&](std::size_t cell) {
      if (!sound) return;
      sound = finds(i, b, t.from, cell);
      if (sound && c.held[t.to.value()][cell] == c.current[cell]) {
        complain(i, describe(i) + " moves " + text(grids_[b].where(cell)) +
                        ", which is up to date there already");
        sound = false;
      }
    });
    grids_[b].each(t.elements, [&](std::size_t cell) {
      note_read(i, b, t.from, cell);
      note_write(i, b, t.to, cell);
      c.held[t.to.value()][cell] = c.current[cell];
    });
  }

  void run_command(std::uint32_t i, const execute_step& e) {
    const model::command& command = commands_[e.command.value()];
    for (const model::requirement& r : command.requirements) {
      if (r.no_init || r.elements.empty()) continue;
      const std::size_t b = r.buffer.value();
      const memory_id m = memory_of(e, r);
      bool sound = true;
      const bool launch = std::holds_alternative<model::subgraph_command>(command.payload);
      grids_[b].each(launch ? r.elements : pages(r), [&](std::size_t cell) {
        sound = sound && finds(i, b, m, cell);
        note_read(i, b, m, cell);
      });
    }
    for (const model::requirement& r : command.requirements) {
      if (!writes(r.mode) || r.elements.empty()) continue;
      const std::size_t b = r.buffer.value();
      const memory_id m = memory_of(e, r);
      contents& c = contents_[b];
      grids_[b].each(r.no_init ? r.elements : pages(r), [&](std::size_t cell) {
        note_write(i, b, m, cell);
        c.current[cell] = e.command.value() + 1;
        c.held[m.value()][cell] = c.current[cell];
      });
    }
  }

  void note_read(std::uint32_t i, std::size_t b, memory_id m, std::size_t cell) {
    users& u = contents_[b].used[m.value()][cell];
    need(u.writer, i, static_cast<std::uint32_t>(b), m.value());
    if (u.readers.empty() || u.readers.back() != i) u.readers.push_back(i);
  }
  void note_write(std::uint32_t i, std::size_t b, memory_id m, std::size_t cell) {
    users& u = contents_[b].used[m.value()][cell];
    need(u.writer, i, static_cast<std::uint32_t>(b), m.value());
    for (const std::uint32_t r : u.readers) need(r, i, static_cast<std::uint32_t>(b), m.value());
    u.writer = i;
    u.readers.clear();
  }

  void need(std::uint32_t first, std::uint32_t second, std::uint32_t buffer, std::uint32_t memory) {
    if (first == nothing || first == second) return;
    if (!needs_.empty() && needs_.back().first == first && needs_.back().second == second) return;
    needs_.push_back({first, second, buffer, memory});
    if (needs_.size() >= thin_at_) {
      thin();
      thin_at_ = std::max(thin_at_, 2 * needs_.size());
    }
  }
  void thin() {
    std::sort(needs_.begin(), needs_.end(), [](const auto& a, const auto& b) {
      return std::tie(a.first, a.second, a.buffer, a.memory) <
             std::tie(b.first, b.second, b.buffer, b.memory);
    });
    needs_.erase(std::unique(needs_.begin(), needs_.end(),
                             [](const auto& a, const auto& b) {
                               return a.first == b.first && a.second == b.second;
                             }),
                 needs_.end());
  }

  // --- order ---

  void order_commands() {
    std::vector<std::vector<users>> used(buffers_.size());
    for (std::size_t b = 0; b < buffers_.size(); ++b) used[b].resize(grids_[b].size());
    for (std::size_t c = 0; c < commands_.size(); ++c) {
      const std::uint32_t self = step_of_[c];
      for (const std::uint64_t after : commands_[c].after) {
        if (after >= commands_.size())
          complain(self, "command " + std::to_string(c) + " is to run after command " +
                             std::to_string(after) + ", which does not exist");
        else
          need(step_of_[after], self, nothing, nothing);
      }
      for (const model::requirement& r : commands_[c].requirements) {
        if (r.elements.empty()) continue;
        const std::uint32_t b = r.buffer.value();
        grids_[b].each(pages(r), [&](std::size_t cell) {
          users& u = used[b][cell];
          need(u.writer, self, b, nothing);
          if (writes(r.mode)) {
            for (const std::uint32_t reader : u.readers) need(reader, self, b, nothing);
            u.writer = self;
            u.readers.clear();
          } else if (u.readers.empty() || u.readers.back() != self) {
            u.readers.push_back(self);
          }
        });
      }
    }
  }

  // Whoever gets memory comes after the end of everybody who had some of it.
  void order_allocations() {
    struct life {
      std::uint64_t from, to, name;
      std::size_t born, died;
    };
    std::vector<life> lives;
    for (std::size_t c = 0; c < commands_.size(); ++c) {
      const std::uint32_t self = step_of_[c];
      if (const auto* f = std::get_if<model::free_command>(&commands_[c].payload)) {
        std::size_t l = lives.size();
        while (l != 0 && (lives[l - 1].name != f->allocation || lives[l - 1].died != 0)) --l;
        if (l == 0) {
          complain(self, "command " + std::to_string(c) +
                             " frees memory that no command before it allocates");
          continue;
        }
        lives[l - 1].died = c;
      }
      const auto* a = std::get_if<model::allocate_command>(&commands_[c].payload);
      if (a == nullptr) continue;
      for (const life& l : lives) {
        if (a->place >= l.to || l.from >= a->place + a->bytes) continue;
        if (l.died != 0)
          need(step_of_[l.died], self, nothing, allocations);
        else
          complain(self, "command " + std::to_string(c) + " allocates memory that command " +
                             std::to_string(l.born) + " has allocated and nothing has freed");
      }
      lives.push_back({a->place, a->place + a->bytes, a->allocation, c, 0});
    }
  }

  // Reachability in slices: for a few hundred steps at a time, which later steps come after them.
  void check_order() {
    thin();
    constexpr std::size_t words = 8, slice = words * 64;
    std::vector<std::array<std::uint64_t, words>> after(plan_.steps.size());
    std::size_t at = 0;
    while (at < needs_.size()) {
      const std::uint32_t base = needs_[at].first / slice * slice;
      for (std::uint32_t i = base; i < plan_.steps.size(); ++i) {
        auto& mine = after[i];
        mine.fill(0);
        auto add = [&](std::uint32_t before) {
          if (before < base) return;
          for (std::size_t w = 0; w < words; ++w) mine[w] |= after[before][w];
          if (before < base + slice)
            mine[(before - base) / 64] |= std::uint64_t{1} << ((before - base) % 64);
        };
        if (lane_before_[i] != nothing) add(lane_before_[i]);
        for (const model::step_id w : plan_.waits_of(plan_.steps[i]))
          add(static_cast<std::uint32_t>(w.value() - plan_.first_step));
      }
      for (; at < needs_.size() && needs_[at].first < base + slice; ++at) {
        const must_precede& n = needs_[at];
        const std::uint32_t bit = n.first - base;
        if ((after[n.second][bit / 64] >> (bit % 64) & 1) != 0) continue;
        std::string why = describe(n.second) + " does not wait for " + describe(n.first);
        if (n.memory == allocations)
          why += ", which frees the memory that it allocates";
        else if (n.buffer == nothing)
          why += ", though its command is to run after that one";
        else
          why += ", but they conflict on " + name(model::buffer_id(n.buffer));
        if (n.memory != nothing && n.memory != allocations)
          why += " in " + name(memory_id(static_cast<std::uint16_t>(n.memory)));
        complain(std::max(n.first, n.second), std::move(why));
      }
    }
  }

  // --- what the plan says about itself ---

  void check_entry_and_exit() {
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
              complain(nothing, "the list of accesses leaves out that command " +
                                    std::to_string(c) + (writes(r.mode) ? " writes " : " reads ") +
                                    name(r.buffer) + " " +
                                    text(grids_[r.buffer.value()].where(cell)));
          });
  }

  model::array_view<const model::command> commands_;
  model::array_view<const model::buffer_info> buffers_;
  const model::topology& machine_;
  const plan& plan_;
  std::vector<std::uint32_t> step_of_;      // index: command
  std::vector<std::uint32_t> lane_before_;  // index: step
  std::vector<cell_grid> grids_;            // index: buffer
  std::vector<contents> contents_;          // index: buffer
  std::vector<must_precede> needs_;
  std::size_t thin_at_ = std::size_t{1} << 20;
  std::vector<problem> problems_;
};

}  // namespace

std::optional<violation> verify(model::array_view<const model::command> commands,
                                model::array_view<const model::buffer_info> buffers,
                                const model::topology& topology, const plan& plan) {
  return checker(commands, buffers, topology, plan).run();
}

}  // namespace pianola::planner
