// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bitset>
#include <cstddef>

#include <fmt/format.h>

#include "checker.hpp"

namespace pianola::planner::verification {

void checker::order_commands(std::size_t share, std::size_t shares) {
  std::vector<users> used(buffers_.size());
  for (std::size_t c = 0; c < commands_.size(); ++c) {
    const std::uint32_t self = step_of_[c];
    for (const std::uint64_t after : commands_[c].after) {
      if (share != 0) break;
      if (after >= commands_.size())
        complain(self, fmt::format("command {} is to run after command {}, which does not exist", c,
                                   after));
      else
        need(step_of_[after], self, nothing, nothing);
    }
    for (const model::requirement& r : commands_[c].requirements)
      if (!r.elements.empty() && r.buffer.value() % shares == share)
        use(used[r.buffer.value()], self, pages(r), writes(r.mode), r.buffer.value(), nothing);
  }
}

void checker::order_allocations() {
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
        complain(self,
                 fmt::format("command {} frees memory that no command before it allocates", c));
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
        complain(
            self,
            fmt::format(
                "command {} allocates memory that command {} has allocated and nothing has freed",
                c, l.born));
    }
    lives.push_back({a->place, a->place + a->bytes, a->allocation, c, 0});
  }
}

// Reachability in slices: for a few hundred steps at a time, which later steps come after them.
void checker::check_order() {
  thin();
  constexpr std::size_t slice = 512;
  std::vector<std::bitset<slice>> after(plan_.steps.size());
  std::size_t at = 0;
  while (at < needs_.size()) {
    const std::uint32_t base = needs_[at].first / slice * slice;
    std::uint32_t last = base;  // step that anything is asked of
    for (std::size_t n = at; n < needs_.size() && needs_[n].first < base + slice; ++n)
      last = std::max(last, needs_[n].second);
    std::size_t seen = 0;
    std::uint64_t finished = 0;  // all steps below
    for (std::uint32_t i = base; i <= last; ++i) {
      auto& mine = after[i];
      mine.reset();
      for (; seen < plan_.finished.size() &&
             plan_.finished[seen].step.value() - plan_.first_step <= i;
           ++seen)
        finished = plan_.finished[seen].below.value() - plan_.first_step;
      if (finished > base)
        mine = ~std::bitset<slice>() >> (slice - std::min<std::uint64_t>(finished - base, slice));
      auto add = [&](std::uint32_t before) {
        if (before < base) return;
        mine |= after[before];
        if (before < base + slice) mine.set(before - base);
      };
      if (lane_before_[i] != nothing) add(lane_before_[i]);
      for (const model::step_id w : plan_.waits_of(plan_.steps[i]))
        add(static_cast<std::uint32_t>(w.value() - plan_.first_step));
    }
    for (; at < needs_.size() && needs_[at].first < base + slice; ++at) {
      const must_precede& n = needs_[at];
      if (after[n.second][n.first - base]) continue;
      std::string why =
          fmt::format("{} does not wait for {}", describe(n.second), describe(n.first));
      if (n.memory == allocations)
        why += ", which frees the memory that it allocates";
      else if (n.memory == shared_room)
        why += ", which uses the room of its slot for another buffer";
      else if (n.buffer == nothing)
        why += ", though its command is to run after that one";
      else
        why += ", but they conflict on " + name(model::buffer_id(n.buffer));
      if (n.memory != nothing && n.memory != allocations && n.memory != shared_room)
        why += " in " + name(memory_id(static_cast<std::uint16_t>(n.memory)));
      complain(std::max(n.first, n.second), std::move(why));
    }
  }
}

}  // namespace pianola::planner::verification
