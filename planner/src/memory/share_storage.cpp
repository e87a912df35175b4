// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/share_storage.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "memory/apart_pairs.hpp"
#include "memory/search_layout.hpp"
#include "memory/taken_bytes.hpp"

namespace pianola::planner {

namespace {

// Sums of sizes stay below it: what they are compared with need not be exact beyond.
constexpr std::uint64_t most_counted = std::uint64_t{1} << 62;

// Which requests may share: one has died whenever the other is born. Bits in words of its own: boost::dynamic_bitset goes through
// what is in one set and not in another by way of a copy, which takes ten times as long (of 4096 sets 3.2 us each, not 0.3).
class lifetimes {
 public:
  lifetimes(model::array_view<const storage_request> requests,
            model::array_view<const std::pair<std::uint32_t, std::uint32_t>> edges)
      : words_((requests.size() + 63) / 64), shared_(requests.size() * words_, 0) {
    std::uint32_t commands = 0;
    for (const auto& [from, to] : edges) commands = std::max(commands, to + 1);
    for (const storage_request& r : requests) {
      commands = std::max(commands, r.born + 1);
      if (r.died != storage_request::never) commands = std::max(commands, r.died + 1);
    }
    // A bit for each of 64 requests: whether the command comes after the end of that one.
    std::vector<std::uint64_t> after(commands), ends(commands);
    for (std::size_t w = 0; w < words_; ++w) {
      std::fill(after.begin(), after.end(), 0);
      std::fill(ends.begin(), ends.end(), 0);
      const std::size_t first = 64 * w, end = std::min(first + 64, requests.size());
      for (std::size_t a = first; a < end; ++a)
        if (requests[a].died != storage_request::never)
          ends[requests[a].died] |= std::uint64_t{1} << (a - first);
      // The edges are sorted by their start, and what is reached is reached from smaller numbers only.
      for (const auto& [from, to] : edges) after[to] |= after[from] | ends[from];
      for (std::size_t b = 0; b < requests.size(); ++b) {
        const std::uint64_t gone = after[requests[b].born];
        shared_[b * words_ + w] |= gone;
        for (std::uint64_t bits = gone; bits != 0; bits &= bits - 1)
          set(first + static_cast<std::size_t>(std::countr_zero(bits)), b);
      }
    }
  }
  // Calls f(other) for those of the others, which are bits, that the request may not share with.
  template <class F>
  void for_each_apart(std::size_t a, const std::vector<std::uint64_t>& others, F&& f) const {
    for (std::size_t w = 0; w < words_; ++w)
      for (std::uint64_t bits = others[w] & ~shared_[a * words_ + w]; bits != 0; bits &= bits - 1)
        f(64 * w + static_cast<std::size_t>(std::countr_zero(bits)));
  }
  // Of the bits of all requests.
  [[nodiscard]] std::size_t words() const noexcept { return words_; }

 private:
  void set(std::size_t a, std::size_t b) {
    shared_[a * words_ + b / 64] |= std::uint64_t{1} << b % 64;
  }

  std::size_t words_;
  std::vector<std::uint64_t> shared_;  // a row of bits for each request
};

// The lowest multiple of the alignment from which on so many bytes are free.
std::uint64_t first_gap(std::vector<std::pair<std::uint64_t, std::uint64_t>>& taken,
                        std::uint64_t bytes) {
  std::sort(taken.begin(), taken.end());
  std::uint64_t at = 0;
  for (const auto& [from, to] : taken) {
    if (model::saturating_add(at, bytes) <= from) break;
    at = std::max(at, to);
  }
  return at;
}

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t alignment) {
  return model::saturating_round_up(std::max<std::uint64_t>(bytes, 1), alignment);
}

// What is there at once in the order of the commands, which is one of those that they may run in.
std::uint64_t most_at_once(model::array_view<const storage_request> requests,
                           std::uint64_t alignment) {
  std::vector<std::pair<std::uint64_t, std::int64_t>> changes;  // when, and which way
  for (const storage_request& r : requests) {
    const auto bytes = static_cast<std::int64_t>(
        std::min(rounded(r.bytes, alignment), most_counted / (requests.size() + 1)));
    changes.emplace_back(2 * std::uint64_t{r.born}, bytes);
    // It is still there while the command that ends it runs.
    changes.emplace_back(2 * std::uint64_t{r.died} + 1, -bytes);
  }
  std::sort(changes.begin(), changes.end());
  std::int64_t now = 0, most = 0;
  for (const auto& [when, bytes] : changes) most = std::max(most, now += bytes);
  return static_cast<std::uint64_t>(most);
}

// Who takes a point of a line and lets nobody else have it there is apart from everybody else who does. Index: line.
std::uint64_t most_at_once(model::array_view<const timed_request> requests,
                           const std::vector<std::uint32_t>& points, std::uint64_t alignment) {
  std::vector<std::vector<std::int64_t>> changes;
  for (const std::uint32_t n : points) changes.emplace_back(std::size_t{n} + 1, 0);
  for (const timed_request& r : requests) {
    const auto bytes = static_cast<std::int64_t>(
        std::min(rounded(r.bytes, alignment), most_counted / (requests.size() + 1)));
    for (const timed_request::span& t : r.takes)
      for (const timed_request::span& a : r.avoids) {
        const std::uint32_t first = std::max(t.first, a.first), last = std::min(t.last, a.last);
        if (t.line != a.line || first > last) continue;
        changes[t.line][first] += bytes;
        changes[t.line][std::size_t{last} + 1] -= bytes;
      }
  }
  std::int64_t most = 0;
  for (const std::vector<std::int64_t>& line : changes) {
    std::int64_t now = 0;
    for (const std::int64_t change : line) most = std::max(most, now += change);
  }
  return static_cast<std::uint64_t>(most);
}

// Places of others to look at for so many requests: some hundredths of a second for many.
std::uint64_t budget_for(std::size_t requests) {
  return std::min<std::uint64_t>(8'000'000, 40'000 * requests);
}

// What lists may hold. Beyond, two orders are tried, with sets of bytes that are taken.
constexpr std::size_t most_pairs = 2'000'000;

storage_layout place_apart(model::array_view<const timed_request> requests,
                           const apart_pairs& apart, const std::vector<std::size_t>& order,
                           std::uint64_t alignment) {
  storage_layout layout;
  layout.offsets.assign(requests.size(), storage_request::anywhere);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
  for (const std::size_t i : order) {
    taken.clear();
    for (const std::uint32_t other : apart.of_request(i))
      if (const std::uint64_t at = layout.offsets[other]; at != storage_request::anywhere)
        taken.emplace_back(at,
                           model::saturating_add(at, rounded(requests[other].bytes, alignment)));
    layout.looked_at += 1 + apart.of_request(i).size();
    const std::uint64_t bytes = rounded(requests[i].bytes, alignment);
    const std::uint64_t at = first_gap(taken, bytes);
    layout.offsets[i] = at;
    layout.bytes = std::max(layout.bytes, model::saturating_add(at, bytes));
  }
  return layout;
}

storage_layout place_on_lines(model::array_view<const timed_request> requests,
                              const std::vector<std::uint32_t>& points,
                              const std::vector<std::size_t>& order, std::uint64_t alignment) {
  storage_layout layout;
  layout.offsets.resize(requests.size());
  std::vector<taken_bytes> lines(points.begin(), points.end());
  std::vector<const byte_ranges*> taken;
  for (const std::size_t i : order) {
    const timed_request& r = requests[i];
    taken.clear();
    for (const timed_request::span& s : r.avoids) lines[s.line].find(s.first, s.last, taken);
    const std::uint64_t bytes = rounded(r.bytes, alignment);
    const std::uint64_t at = lowest_gap(taken, bytes, layout.looked_at);
    const std::uint64_t end = model::saturating_add(at, bytes);
    for (const timed_request::span& s : r.takes) lines[s.line].take(s.first, s.last, at, end);
    layout.offsets[i] = at;
    layout.bytes = std::max(layout.bytes, end);
  }
  return layout;
}

}  // namespace

storage_layout share_storage(model::array_view<const storage_request> requests,
                             model::array_view<const std::pair<std::uint32_t, std::uint32_t>> edges,
                             std::uint64_t alignment,
                             model::array_view<const std::uint64_t> fixed) {
  const lifetimes lives(requests, edges);
  storage_layout begin;
  begin.offsets.assign(requests.size(), 0);
  std::vector<std::uint64_t> placed_before(lives.words(), 0);  // a bit for each request
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    if (fixed[i] == storage_request::anywhere) continue;
    begin.offsets[i] = fixed[i];
    begin.bytes = std::max(begin.bytes,
                           model::saturating_add(fixed[i], rounded(requests[i].bytes, alignment)));
    placed_before[i / 64] |= std::uint64_t{1} << i % 64;
  }
  std::vector<std::uint64_t> placed;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
  layout_search search(std::max(begin.bytes, most_at_once(requests, alignment)),
                       budget_for(requests.size()));
  return search.run(requests, [&](const std::vector<std::size_t>& order) {
    storage_layout layout = begin;
    placed = placed_before;
    for (const std::size_t i : order) {
      if ((placed_before[i / 64] >> i % 64 & 1) != 0) continue;
      taken.clear();
      lives.for_each_apart(i, placed, [&](std::size_t other) {
        taken.emplace_back(layout.offsets[other],
                           model::saturating_add(layout.offsets[other],
                                                 rounded(requests[other].bytes, alignment)));
      });
      layout.looked_at += 1 + lives.words() / 16 + taken.size();
      const std::uint64_t bytes = rounded(requests[i].bytes, alignment);
      const std::uint64_t at = first_gap(taken, bytes);
      layout.offsets[i] = at;
      layout.bytes = std::max(layout.bytes, model::saturating_add(at, bytes));
      placed[i / 64] |= std::uint64_t{1} << i % 64;
    }
    return layout;
  });
}

storage_layout share_storage(model::array_view<const timed_request> requests,
                             std::uint64_t alignment) {
  std::vector<std::uint32_t> points;  // index: line
  for (const timed_request& r : requests)
    for (const auto* spans : {&r.takes, &r.avoids})
      for (const timed_request::span& s : *spans) {
        if (points.size() <= s.line) points.resize(s.line + 1, 0);
        points[s.line] = std::max(points[s.line], s.last + 1);
      }
  const std::uint64_t bound = most_at_once(requests, points, alignment);
  if (const auto apart = apart_pairs::of(requests, most_pairs))
    return layout_search(bound, budget_for(requests.size()))
        .run(requests, [&](const std::vector<std::size_t>& order) {
          return place_apart(requests, *apart, order, alignment);
        });
  return layout_search(bound, 0).run(requests, [&](const std::vector<std::size_t>& order) {
    return place_on_lines(requests, points, order, alignment);
  });
}

std::uint64_t growing_storage::space(std::uint64_t bytes) const noexcept {
  return rounded(bytes, alignment_);
}

std::uint64_t growing_storage::gap_in(const block& b, std::uint64_t bytes,
                                      const std::vector<char>& gone) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> in_use;
  for (const taken& t : b.placed)
    if (gone[t.request] == 0) in_use.emplace_back(t.from, t.to);
  return first_gap(in_use, bytes);
}

growing_storage::place growing_storage::find(std::uint64_t bytes,
                                             const std::vector<char>& gone) const {
  const std::uint64_t wanted = space(bytes);
  place best{static_cast<std::uint32_t>(blocks_.size()), 0, true, wanted};
  if (growth_ == growth::in_place && !blocks_.empty()) {
    const std::uint64_t at = gap_in(blocks_[0], wanted, gone);
    return {0, at, false, std::max(this->bytes(), model::saturating_add(at, wanted)), requests_};
  }
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
    const block& here = blocks_[b];
    // The smallest block that has room: large ones stay free for large requests.
    if (here.bytes < wanted || (!best.new_block && here.bytes >= best.block_bytes)) continue;
    best.looked_at += here.placed.size();
    const std::uint64_t at = gap_in(here, wanted, gone);
    if (model::saturating_add(at, wanted) <= here.bytes)
      best = {b, at, false, here.bytes, best.looked_at};
  }
  return best;
}

void growing_storage::add(std::uint64_t bytes, const place& where) {
  if (where.new_block) blocks_.push_back({});
  block& b = blocks_[where.block];
  b.bytes = where.block_bytes;
  b.placed.push_back({requests_++, where.offset, where.offset + space(bytes)});
}

std::uint64_t growing_storage::start_of(std::uint32_t block) const noexcept {
  std::uint64_t sum = 0;
  for (std::uint32_t b = 0; b < block; ++b) sum += blocks_[b].bytes;
  return sum;
}

std::uint64_t growing_storage::bytes() const noexcept {
  return start_of(static_cast<std::uint32_t>(blocks_.size()));
}

}  // namespace pianola::planner
