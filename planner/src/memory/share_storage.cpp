// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/share_storage.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace pianola::planner {

namespace {

// gone_before(a, b): request a has died whenever b is born.
class lifetimes {
 public:
  lifetimes(model::array_view<const storage_request> requests,
            model::array_view<const std::pair<std::uint32_t, std::uint32_t>> edges)
      : count_(requests.size()), gone_(count_ * count_, 0) {
    std::uint32_t commands = 0;
    for (const auto& [from, to] : edges) commands = std::max(commands, to + 1);
    for (const storage_request& r : requests) commands = std::max(commands, r.born + 1);
    std::vector<char> after(commands);
    for (std::size_t a = 0; a < count_; ++a) {
      const std::uint32_t died = requests[a].died;
      if (died == storage_request::never) continue;
      std::fill(after.begin(), after.end(), 0);
      // The edges are sorted by their start, and what is reached is reached from smaller numbers only.
      const auto* e = std::lower_bound(edges.begin(), edges.end(), std::make_pair(died, 0U));
      for (; e != edges.end(); ++e)
        if (e->first == died || after[e->first] != 0) after[e->second] = 1;
      for (std::size_t b = 0; b < count_; ++b) gone_[a * count_ + b] = after[requests[b].born];
    }
  }
  [[nodiscard]] bool may_share(std::size_t a, std::size_t b) const {
    return gone_[a * count_ + b] != 0 || gone_[b * count_ + a] != 0;
  }

 private:
  std::size_t count_;
  std::vector<char> gone_;
};

// The lowest multiple of the alignment from which on so many bytes are free.
std::uint64_t first_gap(std::vector<std::pair<std::uint64_t, std::uint64_t>>& taken,
                        std::uint64_t bytes) {
  std::sort(taken.begin(), taken.end());
  std::uint64_t at = 0;
  for (const auto& [from, to] : taken) {
    if (at + bytes <= from) break;
    at = std::max(at, to);
  }
  return at;
}

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t alignment) {
  return (std::max<std::uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment;
}

}  // namespace

storage_layout share_storage(model::array_view<const storage_request> requests,
                             model::array_view<const std::pair<std::uint32_t, std::uint32_t>> edges,
                             std::uint64_t alignment) {
  const lifetimes lives(requests, edges);
  std::vector<std::uint64_t> sizes;
  for (const storage_request& r : requests) sizes.push_back(r.bytes);
  return share_storage(
      sizes, [&](std::size_t a, std::size_t b) { return lives.may_share(a, b); }, alignment);
}

storage_layout share_storage(model::array_view<const std::uint64_t> sizes,
                             const std::function<bool(std::size_t, std::size_t)>& may_share,
                             std::uint64_t alignment) {
  const std::size_t n = sizes.size();
  // In which order they are placed decides how well they fit: the largest first, so that small ones find room between
  // them, or as they come. Beyond so many, one try has to do.
  constexpr std::size_t few = 2000;
  std::vector<std::size_t> as_they_come(n);
  std::iota(as_they_come.begin(), as_they_come.end(), std::size_t{0});
  std::vector<std::size_t> by_size = as_they_come;
  std::sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
    return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : a < b;
  });
  storage_layout best;
  std::vector<std::size_t> placed;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
  for (const std::vector<std::size_t>* order : {&by_size, &as_they_come}) {
    if (order != &by_size && n > few) break;
    storage_layout layout;
    layout.offsets.resize(n);
    placed.clear();
    for (const std::size_t i : *order) {
      taken.clear();
      for (const std::size_t other : placed)
        if (!may_share(i, other))
          taken.emplace_back(layout.offsets[other],
                             layout.offsets[other] + rounded(sizes[other], alignment));
      const std::uint64_t bytes = rounded(sizes[i], alignment), at = first_gap(taken, bytes);
      layout.offsets[i] = at;
      layout.bytes = std::max(layout.bytes, at + bytes);
      placed.push_back(i);
    }
    if (order == &by_size || layout.bytes < best.bytes) best = std::move(layout);
  }
  return best;
}

std::uint64_t growing_storage::space(std::uint64_t bytes) const noexcept {
  return rounded(bytes, alignment_);
}

growing_storage::place growing_storage::find(std::uint64_t bytes,
                                             const std::vector<char>& gone) const {
  const std::uint64_t wanted = space(bytes);
  place best;
  best.block = static_cast<std::uint32_t>(blocks_.size());
  best.new_block = true;
  best.block_bytes = wanted;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> in_use;
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
    // The smallest block that has room: large ones stay free for large requests.
    if (blocks_[b] < wanted || (!best.new_block && blocks_[b] >= best.block_bytes)) continue;
    in_use.clear();
    for (std::size_t i = 0; i < placed_.size(); ++i)
      if (placed_[i].block == b && gone[i] == 0)
        in_use.emplace_back(placed_[i].from, placed_[i].to);
    const std::uint64_t at = first_gap(in_use, wanted);
    if (at + wanted <= blocks_[b]) best = {b, at, false, blocks_[b]};
  }
  return best;
}

void growing_storage::add(std::uint64_t bytes, const place& where) {
  if (where.new_block) blocks_.push_back(where.block_bytes);
  placed_.push_back({where.block, where.offset, where.offset + space(bytes)});
}

std::uint64_t growing_storage::start_of(std::uint32_t block) const noexcept {
  std::uint64_t sum = 0;
  for (std::uint32_t b = 0; b < block; ++b) sum += blocks_[b];
  return sum;
}

std::uint64_t growing_storage::bytes() const noexcept {
  return start_of(static_cast<std::uint32_t>(blocks_.size()));
}

}  // namespace pianola::planner
