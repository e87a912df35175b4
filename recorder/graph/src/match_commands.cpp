// SPDX-License-Identifier: Apache-2.0
#include "pianola/recorder/match_commands.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

namespace pianola::recorder {

namespace {

constexpr std::uint32_t none = command_match::none;

bool same_place(const model::command& a, const model::command& b) {
  if (a.payload.index() != b.payload.index() || a.after.size() != b.after.size()) return false;
  std::vector<std::uint64_t> before(a.after.begin(), a.after.end()),
      other(b.after.begin(), b.after.end());
  std::sort(before.begin(), before.end());
  std::sort(other.begin(), other.end());
  return before == other;
}

std::uint64_t kernel_of(const model::command& c) {
  const auto* k = std::get_if<model::kernel_command>(&c.payload);
  return k != nullptr ? k->id.value() : 0;
}

// The commands of both graphs side by side, those of the other one behind those of the first, in classes that no difference
// has been found between. Classes are split until all commands of a class have neighbours of the same classes.
class refinement {
 public:
  refinement(model::array_view<const model::command> first,
             model::array_view<const model::command> other, bool by_kernel)
      : half_(static_cast<std::uint32_t>(first.size())), class_(2 * first.size()) {
    before_.resize(class_.size());
    behind_.resize(class_.size());
    std::map<std::pair<std::size_t, std::uint64_t>, std::uint32_t> kinds;
    for (std::uint32_t i = 0; i < class_.size(); ++i) {
      const model::command& c = i < half_ ? first[i] : other[i - half_];
      const std::uint32_t start = i < half_ ? 0 : half_;
      for (const std::uint64_t a : c.after) {
        const auto from = start + static_cast<std::uint32_t>(a);
        before_[i].push_back(from);
        behind_[from].push_back(i);
      }
      const auto kind = std::pair(c.payload.index(), by_kernel ? kernel_of(c) : 0);
      const auto next = static_cast<std::uint32_t>(members_.size());
      const auto [known, fresh] = kinds.try_emplace(kind, next);
      if (fresh) {
        members_.emplace_back();
        fresh_.push_back(next);
      }
      put(i, known->second);
      touch(i);
    }
  }

  // A command of the first graph, of a class that has fewer of the other one; none if all classes are even.
  [[nodiscard]] std::uint32_t refine() {
    std::uint32_t uneven = uneven_member();
    while (!touched_.empty() && uneven == none) {
      std::vector<std::uint32_t> now;
      now.swap(touched_);
      std::map<std::uint32_t, std::map<neighbours, std::vector<std::uint32_t>>> by_class;
      for (const std::uint32_t i : now) {
        is_touched_[i] = 0;
        by_class[class_[i]][neighbours_of(i)].push_back(i);
      }
      // Classes are renamed only when all of a round has been looked at.
      for (auto& [old, groups] : by_class) {
        std::size_t in_groups = 0;
        for (const auto& group : groups) in_groups += group.second.size();
        const std::vector<std::uint32_t>* stays = nullptr;
        // Those that nothing has touched stay; else the largest group does.
        if (in_groups == count_[old])
          for (const auto& group : groups)
            if (stays == nullptr || group.second.size() > stays->size()) stays = &group.second;
        for (const auto& group : groups) {
          if (&group.second == stays) continue;
          split_off(group.second);
        }
        fresh_.push_back(old);
        uneven = std::min(uneven, uneven_member());
      }
    }
    return uneven;
  }

  // The two are one from now on.
  void pair_up(std::uint32_t of_first, std::uint32_t of_other) {
    split_off({of_first, half_ + of_other});
  }

  // Commands of the other graph that look like that one, ascending.
  [[nodiscard]] std::vector<std::uint32_t> alike(std::uint32_t of_first) const {
    std::vector<std::uint32_t> found;
    for (const std::uint32_t i : members_[class_[of_first]])
      if (i >= half_ && class_[i] == class_[of_first]) found.push_back(i - half_);
    std::sort(found.begin(), found.end());
    return found;
  }
  // The only one.
  [[nodiscard]] bool is_alone(std::uint32_t of_first) const {
    return count_[class_[of_first]] == 2;
  }

 private:
  using neighbours = std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>;

  [[nodiscard]] neighbours neighbours_of(std::uint32_t i) const {
    neighbours n;
    for (const std::uint32_t b : before_[i]) n.first.push_back(class_[b]);
    for (const std::uint32_t b : behind_[i]) n.second.push_back(class_[b]);
    std::sort(n.first.begin(), n.first.end());
    std::sort(n.second.begin(), n.second.end());
    return n;
  }
  void put(std::uint32_t i, std::uint32_t into) {
    class_[i] = into;
    members_[into].push_back(i);
    count_.resize(members_.size());
    balance_.resize(members_.size());
    ++count_[into];
    balance_[into] += i < half_ ? 1 : -1;
  }
  void split_off(const std::vector<std::uint32_t>& group) {
    const auto into = static_cast<std::uint32_t>(members_.size());
    members_.emplace_back();
    for (const std::uint32_t i : group) {
      --count_[class_[i]];
      balance_[class_[i]] -= i < half_ ? 1 : -1;
      put(i, into);
    }
    for (const std::uint32_t i : group) {
      for (const std::uint32_t b : before_[i]) touch(b);
      for (const std::uint32_t b : behind_[i]) touch(b);
    }
    fresh_.push_back(into);
  }
  void touch(std::uint32_t i) {
    is_touched_.resize(class_.size());
    if (is_touched_[i] != 0) return;
    is_touched_[i] = 1;
    touched_.push_back(i);
  }
  // Of the classes that are new or have lost members since the last question.
  [[nodiscard]] std::uint32_t uneven_member() {
    std::uint32_t found = none;
    for (const std::uint32_t c : fresh_) {
      if (balance_[c] <= 0) continue;
      for (const std::uint32_t i : members_[c])
        if (class_[i] == c && i < half_) found = std::min(found, i);
    }
    fresh_.clear();
    return found;
  }

  std::uint32_t half_;
  std::vector<std::uint32_t> class_;  // index: command
  std::vector<std::vector<std::uint32_t>> before_, behind_;
  // Index: class. Members may have left it again.
  std::vector<std::vector<std::uint32_t>> members_;
  std::vector<std::size_t> count_;
  std::vector<std::ptrdiff_t> balance_;
  std::vector<std::uint32_t> touched_, fresh_;
  std::vector<char> is_touched_;
};

command_match match(model::array_view<const model::command> first,
                    model::array_view<const model::command> other, bool by_kernel) {
  command_match found;
  refinement classes(first, other, by_kernel);
  found.differs = classes.refine();
  for (std::uint32_t i = 0; i < first.size() && found.differs == none; ++i) {
    if (classes.is_alone(i)) continue;
    const std::vector<std::uint32_t> alike = classes.alike(i);
    const bool here = std::binary_search(alike.begin(), alike.end(), i);
    classes.pair_up(i, here ? i : alike.front());
    found.differs = classes.refine();
  }
  for (std::uint32_t i = 0; i < first.size() && found.differs == none; ++i)
    found.counterpart.push_back(classes.alike(i).front());
  return found;
}

}  // namespace

command_match match_commands(model::array_view<const model::command> first,
                             model::array_view<const model::command> other) {
  command_match found;
  for (std::uint32_t i = 0; i < first.size() && found.differs == none; ++i) {
    if (!same_place(first[i], other[i])) found.differs = i;
    found.counterpart.push_back(i);
  }
  if (found.differs == none) return found;
  command_match matched = match(first, other, true);
  if (!matched) matched = match(first, other, false);
  if (!matched) matched.counterpart.clear();
  return matched;
}

}  // namespace pianola::recorder
