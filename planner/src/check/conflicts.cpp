// SPDX-License-Identifier: Apache-2.0
#include "conflicts.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace pianola::planner::checking {

conflict_finder::reader::~reader() {
  std::shared_ptr<const reader> rest = std::move(next);
  while (rest != nullptr && rest.use_count() == 1) {
    std::shared_ptr<const reader> behind = std::move(const_cast<reader&>(*rest).next);
    rest = std::move(behind);
  }
}

void conflict_finder::cut(parts& all, std::int64_t at) {
  auto it = all.upper_bound(at);
  if (it == all.begin()) return;
  --it;
  if (it->first == at || it->second.end <= at) return;
  part behind = it->second;
  it->second.end = at;
  all.emplace(at, std::move(behind));
}

void conflict_finder::add(std::uint32_t first, bool writes, std::int64_t begin, std::int64_t end,
                          const model::usm_access& a) {
  const std::uint32_t second = a.command.value();
  if (first == second || first == nobody) return;
  if (!found_.empty()) {
    conflict& last = found_.back();
    if (last.first == first && last.second == second && last.allocation == a.allocation) {
      if (last.end == begin) last.end = end;
      return;
    }
  }
  found_.push_back({first, second, a.allocation, begin, end, writes, a.written});
}

void conflict_finder::add(const part& p, std::int64_t begin, const model::usm_access& a) {
  add(p.writer, true, begin, p.end, a);
  if (!a.written) return;
  for (const reader* r = p.readers.get(); r != nullptr; r = r->next.get())
    add(r->command, false, begin, p.end, a);
}

void conflict_finder::see(const model::usm_access& a) {
  if (a.begin >= a.end) return;
  if (parts_.size() <= a.allocation) parts_.resize(a.allocation + 1);
  parts& all = parts_[a.allocation];
  cut(all, a.begin);
  cut(all, a.end);
  const std::uint32_t command = a.command.value();
  std::int64_t at = a.begin;
  for (auto it = all.lower_bound(a.begin); at < a.end; ++it) {
    if (it == all.end() || it->first != at) {
      // Nobody was here.
      const std::int64_t end = it == all.end() ? a.end : std::min(a.end, it->first);
      it = all.emplace(at, part{end, nobody, nullptr}).first;
    }
    part& p = it->second;
    add(p, at, a);
    if (a.written) {
      p.writer = command;
      p.readers = nullptr;
    } else if (p.readers == nullptr || p.readers->command != command) {
      std::shared_ptr<const reader> before = p.readers;
      if (before != nullptr && follows_(before->command, command)) before = before->next;
      p.readers = std::make_shared<const reader>(command, std::move(before));
    }
    at = p.end;
  }
  // What was overwritten as a whole is one part again.
  if (!a.written) return;
  const auto first = all.find(a.begin);
  first->second.end = a.end;
  all.erase(std::next(first), all.lower_bound(a.end));
}

std::vector<conflict> conflict_finder::take() {
  const auto key = [](const conflict& c) {
    return std::make_tuple(c.second, c.first, c.allocation, c.begin);
  };
  std::sort(found_.begin(), found_.end(),
            [&](const conflict& a, const conflict& b) { return key(a) < key(b); });
  found_.erase(std::unique(found_.begin(), found_.end(),
                           [](const conflict& a, const conflict& b) {
                             return a.first == b.first && a.second == b.second &&
                                    a.allocation == b.allocation;
                           }),
               found_.end());
  return std::move(found_);
}

}  // namespace pianola::planner::checking
