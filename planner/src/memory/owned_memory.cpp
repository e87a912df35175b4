// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/owned_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <tuple>
#include <variant>

#include <fmt/format.h>

namespace pianola::planner {

namespace {

using edge = std::pair<std::uint32_t, std::uint32_t>;
constexpr std::uint32_t never = 0xffffffffU;

struct owned_life {
  const unsigned char* from;
  const unsigned char* to;
  std::uint32_t born;
  std::uint32_t died;
};

struct use {
  std::uint32_t command;
  const unsigned char* pointer;
  bool certain;
  bool fine = false;
  std::string wrong;
};

std::vector<owned_life> lives_of(model::array_view<const model::command> commands) {
  std::vector<owned_life> lives;
  std::vector<std::uint64_t> names;
  for (std::uint32_t i = 0; i < commands.size(); ++i) {
    if (const auto* a = std::get_if<model::allocate_command>(&commands[i].payload)) {
      const auto* p = static_cast<const unsigned char*>(a->pointer);
      lives.push_back({p, p + std::max<std::uint64_t>(a->bytes, 1), i, never});
      names.push_back(a->allocation);
    } else if (const auto* f = std::get_if<model::free_command>(&commands[i].payload)) {
      // A nested graph may be there several times: each time with commands of the same names.
      for (std::size_t l = lives.size(); l-- > 0;)
        if (names[l] == f->allocation && lives[l].died == never) {
          lives[l].died = i;
          break;
        }
    }
  }
  return lives;
}

std::vector<use> uses_of(model::array_view<const model::command> commands) {
  std::vector<use> uses;
  const auto add = [&](std::uint32_t i, const void* p, bool certain) {
    if (p != nullptr) uses.push_back({i, static_cast<const unsigned char*>(p), certain, false, {}});
  };
  const auto add_operand = [&](std::uint32_t i, const model::memory_operand& o) {
    if (o.requirement == model::memory_operand::no_requirement && o.pointer != nullptr)
      add(i, static_cast<const unsigned char*>(o.pointer) + o.byte_offset, true);
  };
  for (std::uint32_t i = 0; i < commands.size(); ++i) {
    const model::command_payload& payload = commands[i].payload;
    if (const auto* c = std::get_if<model::copy_command>(&payload)) {
      add_operand(i, c->source);
      add_operand(i, c->destination);
    } else if (const auto* f = std::get_if<model::fill_command>(&payload)) {
      add_operand(i, f->destination);
    } else if (const auto* p = std::get_if<model::prefetch_command>(&payload)) {
      add(i, p->pointer, true);
    } else if (const auto* v = std::get_if<model::advise_command>(&payload)) {
      add(i, v->pointer, true);
    } else if (const auto* k = std::get_if<model::kernel_command>(&payload)) {
      const auto* bytes = static_cast<const unsigned char*>(k->arguments.bytes);
      for (std::uint32_t at = 0; bytes != nullptr && at + 8 <= k->arguments.size; at += 8) {
        const void* word;
        std::memcpy(&word, bytes + at, sizeof word);
        add(i, word, false);
      }
    }
  }
  return uses;
}

// Which commands come after `start`, or before it.
class reach {
 public:
  reach(std::size_t commands, model::array_view<const edge> edges)
      : edges_(edges), after_(commands), before_(commands) {}

  const std::vector<char>& after(std::uint32_t start) {
    std::fill(after_.begin(), after_.end(), 0);
    const edge* e = std::lower_bound(edges_.begin(), edges_.end(), edge(start, 0));
    for (; e != edges_.end(); ++e)
      if (e->first == start || after_[e->first] != 0) after_[e->second] = 1;
    return after_;
  }
  const std::vector<char>& before(std::uint32_t end) {
    std::fill(before_.begin(), before_.end(), 0);
    // Edges lead to larger numbers, so those with a larger start have been seen when a command's own turn comes.
    for (std::size_t i = edges_.size(); i-- > 0;)
      if (edges_[i].second == end || before_[edges_[i].second] != 0) before_[edges_[i].first] = 1;
    return before_;
  }

 private:
  model::array_view<const edge> edges_;
  std::vector<char> after_, before_;
};

}  // namespace

std::vector<memory_misuse> misuses_of_owned_memory(
    model::array_view<const model::command> commands,
    model::array_view<const std::pair<std::uint32_t, std::uint32_t>> edges) {
  std::vector<memory_misuse> found;
  const std::vector<owned_life> lives = lives_of(commands);
  if (lives.empty()) return found;
  std::vector<use> uses = uses_of(commands);
  reach order(commands.size(), edges);
  for (const owned_life& l : lives) {
    const std::vector<char>& after_birth = order.after(l.born);
    static const std::vector<char> none;
    const std::vector<char>& before_death = l.died == never ? none : order.before(l.died);
    if (l.died != never && after_birth[l.died] == 0)
      found.push_back(
          {l.died, fmt::format("frees memory without coming after command {}, which allocates it",
                               l.born)});
    for (use& u : uses) {
      if (u.fine || u.pointer < l.from || u.pointer >= l.to) continue;
      const bool born = after_birth[u.command] != 0;
      if (born && (l.died == never || before_death[u.command] != 0)) {
        u.fine = true;
      } else if (!born) {
        // Where memory is shared, what was there before or comes later is no reason.
        if (u.wrong.empty())
          u.wrong = fmt::format("uses memory without coming after command {}, which allocates it",
                                l.born);
      } else {
        u.wrong = u.command > l.died
                      ? fmt::format("uses memory after command {} has freed it", l.died)
                      : fmt::format(
                            "uses memory that command {} frees, without coming before that command",
                            l.died);
      }
    }
  }
  for (const use& u : uses)
    if (!u.fine && !u.wrong.empty()) found.push_back({u.command, u.wrong, u.certain});
  std::sort(found.begin(), found.end(), [](const memory_misuse& x, const memory_misuse& y) {
    return std::tie(x.command, x.what) < std::tie(y.command, y.what);
  });
  return found;
}

}  // namespace pianola::planner
