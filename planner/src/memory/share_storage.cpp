// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/share_storage.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>

#include "memory/taken_bytes.hpp"

namespace pianola::planner {

namespace {

// Which requests may share: one has died whenever the other is born.
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
  [[nodiscard]] bool may_share(std::size_t a, std::size_t b) const {
    return (shared_[a * words_ + b / 64] >> b % 64 & 1) != 0;
  }

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

// Calls place_all(order) for orders in which requests may be placed, which decide how well they fit: the largest first,
// so that small ones find room between them, or as they come. The better layout of the two.
template <class Requests, class F>
storage_layout better_of_two_orders(const Requests& requests, F&& place_all) {
  std::vector<std::size_t> as_they_come(requests.size());
  std::iota(as_they_come.begin(), as_they_come.end(), std::size_t{0});
  std::vector<std::size_t> by_size = as_they_come;
  std::sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
    return requests[a].bytes != requests[b].bytes ? requests[a].bytes > requests[b].bytes : a < b;
  });
  storage_layout best = place_all(by_size), other = place_all(as_they_come);
  const std::uint64_t looked_at = best.looked_at + other.looked_at;
  if (other.bytes < best.bytes) best = std::move(other);
  best.looked_at = looked_at;
  return best;
}

}  // namespace

storage_layout share_storage(model::array_view<const storage_request> requests,
                             model::array_view<const std::pair<std::uint32_t, std::uint32_t>> edges,
                             std::uint64_t alignment) {
  const lifetimes lives(requests, edges);
  return better_of_two_orders(requests, [&](const std::vector<std::size_t>& order) {
    storage_layout layout;
    layout.offsets.resize(requests.size());
    std::vector<std::size_t> placed;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
    for (const std::size_t i : order) {
      taken.clear();
      for (const std::size_t other : placed)
        if (!lives.may_share(i, other))
          taken.emplace_back(layout.offsets[other],
                             model::saturating_add(layout.offsets[other],
                                                   rounded(requests[other].bytes, alignment)));
      layout.looked_at += placed.size();
      const std::uint64_t bytes = rounded(requests[i].bytes, alignment);
      const std::uint64_t at = first_gap(taken, bytes);
      layout.offsets[i] = at;
      layout.bytes = std::max(layout.bytes, model::saturating_add(at, bytes));
      placed.push_back(i);
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
  return better_of_two_orders(requests, [&](const std::vector<std::size_t>& order) {
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
