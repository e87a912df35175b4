// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/owned_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <tuple>
#include <unordered_map>
#include <variant>

#include <fmt/format.h>

#include <pianola/model/payload_members.hpp>

#include "memory/taken_bytes.hpp"

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
  // A nested graph may be there several times: each time with commands of the same names.
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> open;
  for (std::uint32_t i = 0; i < commands.size(); ++i) {
    if (const auto* a = std::get_if<model::allocate_command>(&commands[i].payload)) {
      const auto* p = static_cast<const unsigned char*>(a->pointer);
      open[a->allocation].push_back(lives.size());
      lives.push_back({p, p + std::max<std::uint64_t>(a->bytes, 1), i, never});
    } else if (const auto* f = std::get_if<model::free_command>(&commands[i].payload)) {
      std::vector<std::size_t>& of_name = open[f->allocation];
      if (of_name.empty()) continue;
      lives[of_name.back()].died = i;
      of_name.pop_back();
    }
  }
  return lives;
}

std::vector<use> uses_of(model::array_view<const model::command> commands) {
  std::vector<use> uses;
  const auto add = [&](std::uint32_t i, const void* p, bool certain) {
    if (p != nullptr) uses.push_back({i, static_cast<const unsigned char*>(p), certain, false, {}});
  };
  for (std::uint32_t i = 0; i < commands.size(); ++i) {
    const model::command_payload& payload = commands[i].payload;
    model::for_each_memory(
        payload,
        [&](const model::memory_operand& o, const auto&) {
          if (o.requirement == model::memory_operand::no_requirement && o.pointer != nullptr)
            add(i, static_cast<const unsigned char*>(o.pointer) + o.byte_offset, true);
        },
        [&](const void* pointer) { add(i, pointer, true); });
    // Addresses in host tasks are not looked at: they may be kept for later.
    if (std::holds_alternative<model::host_task_command>(payload)) continue;
    if (const model::argument_block* const a = model::arguments_of(payload)) {
      const auto* bytes = static_cast<const unsigned char*>(a->bytes);
      for (std::uint32_t at = 0; bytes != nullptr && at + 8 <= a->size; at += 8) {
        const void* word;
        std::memcpy(&word, bytes + at, sizeof word);
        add(i, word, false);
      }
    }
  }
  return uses;
}

// Which commands come after the births of some lives, and before their deaths: a bit for each life, in one word for each command.
// With a boost::dynamic_bitset for each, 100,000 commands of three edges take 25 ms at a time instead of 0.4.
class reach {
 public:
  static constexpr std::size_t lives_at_a_time = 64;

  reach(std::size_t commands, model::array_view<const edge> edges)
      : edges_(edges), births_(commands), deaths_(commands), after_(commands), before_(commands) {}

  void look_from(model::array_view<const owned_life> lives) {
    for (auto* bits : {&births_, &deaths_, &after_, &before_})
      std::fill(bits->begin(), bits->end(), 0);
    for (std::size_t l = 0; l < lives.size(); ++l) {
      births_[lives[l].born] |= std::uint64_t{1} << l;
      if (lives[l].died != never) deaths_[lives[l].died] |= std::uint64_t{1} << l;
    }
    // Edges lead to larger numbers, and are sorted by their start.
    for (const auto& [from, to] : edges_) after_[to] |= after_[from] | births_[from];
    for (std::size_t i = edges_.size(); i-- > 0;) {
      const auto& [from, to] = edges_[i];
      before_[from] |= before_[to] | deaths_[to];
    }
  }
  [[nodiscard]] bool after_birth(std::size_t life, std::uint32_t command) const {
    return (after_[command] >> life & 1) != 0;
  }
  [[nodiscard]] bool before_death(std::size_t life, std::uint32_t command) const {
    return (before_[command] >> life & 1) != 0;
  }

 private:
  model::array_view<const edge> edges_;
  std::vector<std::uint64_t> births_, deaths_, after_, before_;  // index: command
};

class misuse_finder {
 public:
  misuse_finder(model::array_view<const model::command> commands,
                model::array_view<const edge> edges)
      : lives_(lives_of(commands)), uses_(uses_of(commands)), order_(commands.size(), edges) {
    if (!lives_.empty()) find_likely_uses(commands.size());
  }

  std::vector<memory_misuse> run() {
    if (lives_.empty()) return {};
    for_each_life([&](std::size_t l, std::size_t bit) {
      const owned_life& life = lives_[l];
      if (life.died != never && !order_.after_birth(bit, life.died))
        found_.push_back({life.died, fmt::format("frees memory without coming after command {}, "
                                                 "which allocates it",
                                                 life.born)});
      for (const std::size_t u : likely_[l]) judge(uses_[u], life, bit);
    });
    // What is wrong with one life may be right with another that has the same room.
    std::erase_if(uses_, [&](const use& u) { return u.fine || !is_owned(u.pointer); });
    if (!uses_.empty()) {
      for (use& u : uses_) u.wrong.clear();
      for_each_life([&](std::size_t l, std::size_t bit) {
        for (use& u : uses_)
          if (!u.fine && u.pointer >= lives_[l].from && u.pointer < lives_[l].to)
            judge(u, lives_[l], bit);
      });
    }
    for (const use& u : uses_)
      if (!u.fine && !u.wrong.empty()) found_.push_back({u.command, u.wrong, u.certain});
    std::sort(found_.begin(), found_.end(), [](const memory_misuse& x, const memory_misuse& y) {
      return std::tie(x.command, x.what) < std::tie(y.command, y.what);
    });
    return std::move(found_);
  }

 private:
  // Those of whoever lives there when the use is recorded: mostly nothing else has to be looked at.
  void find_likely_uses(std::size_t commands) {
    likely_.resize(lives_.size());
    std::vector<std::uint32_t> born(commands, never), died(commands, never);
    for (std::uint32_t l = 0; l < lives_.size(); ++l) {
      born[lives_[l].born] = l;
      if (lives_[l].died != never) died[lives_[l].died] = l;
      owned_.add({reinterpret_cast<std::uintptr_t>(lives_[l].from),
                  reinterpret_cast<std::uintptr_t>(lives_[l].to)});
    }
    std::map<const unsigned char*, std::uint32_t> there;
    std::size_t u = 0;
    for (std::uint32_t i = 0; i < commands; ++i) {
      if (born[i] != never) there[lives_[born[i]].from] = born[i];
      for (; u < uses_.size() && uses_[u].command == i; ++u) {
        auto at = there.upper_bound(uses_[u].pointer);
        if (at == there.begin()) continue;
        --at;
        if (uses_[u].pointer < lives_[at->second].to) likely_[at->second].push_back(u);
      }
      if (died[i] == never) continue;
      const auto at = there.find(lives_[died[i]].from);
      if (at != there.end() && at->second == died[i]) there.erase(at);
    }
  }

  template <class F>
  void for_each_life(F&& f) {
    for (std::size_t first = 0; first < lives_.size(); first += reach::lives_at_a_time) {
      const std::size_t n = std::min(reach::lives_at_a_time, lives_.size() - first);
      order_.look_from({lives_.data() + first, n});
      for (std::size_t bit = 0; bit < n; ++bit) f(first + bit, bit);
    }
  }

  void judge(use& u, const owned_life& l, std::size_t bit) const {
    const bool born = order_.after_birth(bit, u.command);
    if (born && (l.died == never || order_.before_death(bit, u.command))) {
      u.fine = true;
    } else if (!born) {
      // Where memory is shared, what was there before or comes later is no reason.
      if (u.wrong.empty())
        u.wrong =
            fmt::format("uses memory without coming after command {}, which allocates it", l.born);
    } else {
      u.wrong =
          u.command > l.died
              ? fmt::format("uses memory after command {} has freed it", l.died)
              : fmt::format("uses memory that command {} frees, without coming before that command",
                            l.died);
    }
  }

  [[nodiscard]] bool is_owned(const unsigned char* p) const {
    return boost::icl::contains(owned_, reinterpret_cast<std::uintptr_t>(p));
  }

  std::vector<owned_life> lives_;
  std::vector<use> uses_;
  reach order_;
  std::vector<std::vector<std::size_t>> likely_;  // index: life; uses
  byte_ranges owned_;
  std::vector<memory_misuse> found_;
};

}  // namespace

std::vector<memory_misuse> misuses_of_owned_memory(
    model::array_view<const model::command> commands,
    model::array_view<const std::pair<std::uint32_t, std::uint32_t>> edges) {
  return misuse_finder(commands, edges).run();
}

}  // namespace pianola::planner
