// SPDX-License-Identifier: Apache-2.0
#include "memory/apart_pairs.hpp"

#include <algorithm>
#include <utility>

namespace pianola::planner {

namespace {

using starts = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // point, request; sorted
using spans = std::vector<timed_request::span>;

std::vector<starts> starts_by_line(model::array_view<const timed_request> requests,
                                   const spans timed_request::* of) {
  std::vector<starts> lines;
  for (std::uint32_t i = 0; i < requests.size(); ++i)
    for (const timed_request::span& s : requests[i].*of) {
      if (lines.size() <= s.line) lines.resize(std::size_t{s.line} + 1);
      lines[s.line].emplace_back(s.first, i);
    }
  for (starts& line : lines) std::sort(line.begin(), line.end());
  return lines;
}

}  // namespace

std::optional<apart_pairs> apart_pairs::of(model::array_view<const timed_request> requests,
                                           std::size_t most) {
  // Where two spans meet, one begins in the other.
  const std::vector<starts> takes = starts_by_line(requests, &timed_request::takes),
                            avoids = starts_by_line(requests, &timed_request::avoids);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  const auto add = [&](std::uint32_t i, const spans& of, const std::vector<starts>& others) {
    for (const timed_request::span& s : of) {
      if (s.line >= others.size()) continue;
      const starts& line = others[s.line];
      for (auto o = std::lower_bound(line.begin(), line.end(), std::pair{s.first, 0U});
           o != line.end() && o->first <= s.last; ++o) {
        if (o->second == i) continue;
        if (pairs.size() + 2 > 2 * most) return false;
        pairs.emplace_back(i, o->second);
        pairs.emplace_back(o->second, i);
      }
    }
    return true;
  };
  for (std::uint32_t i = 0; i < requests.size(); ++i)
    if (!add(i, requests[i].avoids, takes) || !add(i, requests[i].takes, avoids))
      return std::nullopt;
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());

  apart_pairs made;
  made.first_.assign(requests.size() + 1, 0);
  for (const auto& [one, other] : pairs) {
    ++made.first_[std::size_t{one} + 1];
    made.others_.push_back(other);
  }
  for (std::size_t i = 0; i < requests.size(); ++i) made.first_[i + 1] += made.first_[i];
  return made;
}

}  // namespace pianola::planner
