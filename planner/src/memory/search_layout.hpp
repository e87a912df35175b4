// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <pianola/model/saturating.hpp>

#include "pianola/planner/share_storage.hpp"

namespace pianola::planner {

// The order in which requests are placed, each at the lowest offset that is free, decides how well they fit. Two orders are
// tried: the largest first, so that small ones find room between them, and as they come. If neither is within a hundredth
// of the bound, which no layout is below, others are, one step from the best so far: something that lies over the bound is
// placed earlier. The same requests always get the same places.
class layout_search {
 public:
  // `budget`: of places of others to look at. Two orders are tried in any case.
  layout_search(std::uint64_t bound, std::uint64_t budget)
      : enough_(model::saturating_add(bound, bound / 100)), bound_(bound), budget_(budget) {}

  // `place_all(order)` gives the layout (storage_layout) for an order.
  template <class Requests, class F>
  storage_layout run(const Requests& requests, F&& place_all) {
    std::vector<std::size_t> order(requests.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    storage_layout best = look(place_all, order);
    std::vector<std::size_t> by_size = order;
    std::sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
      return requests[a].bytes != requests[b].bytes ? requests[a].bytes > requests[b].bytes : a < b;
    });
    storage_layout other = look(place_all, by_size);
    if (other.bytes <= best.bytes) {
      best = std::move(other);
      order.swap(by_size);
    }
    storage_layout here = best;
    std::vector<std::size_t> next;
    while (best.bytes > enough_ && looked_at_ < budget_ && requests.size() > 2) {
      next = order;
      change(requests, here, next);
      other = look(place_all, next);
      // Sometimes a step back, or there would be no way out of where no single step is better.
      if (other.bytes > here.bytes && below(50) != 0) continue;
      order.swap(next);
      here = std::move(other);
      if (here.bytes < best.bytes) best = here;
    }
    best.looked_at = looked_at_;
    return best;
  }

 private:
  template <class F>
  storage_layout look(F& place_all, const std::vector<std::size_t>& order) {
    storage_layout layout = place_all(order);
    looked_at_ += layout.looked_at;
    return layout;
  }
  template <class Requests>
  void change(const Requests& requests, const storage_layout& here,
              std::vector<std::size_t>& order) {
    over_.clear();
    for (std::size_t at = 0; at < order.size(); ++at)
      if (model::saturating_add(here.offsets[order[at]], requests[order[at]].bytes) > bound_)
        over_.push_back(at);
    if (!over_.empty()) {
      const auto from = order.begin() + static_cast<std::ptrdiff_t>(over_[below(over_.size())]);
      std::rotate(order.begin() + static_cast<std::ptrdiff_t>(
                                      below(static_cast<std::size_t>(from - order.begin()) + 1)),
                  from, from + 1);
    }
    if (over_.empty() || below(3) == 0)
      std::swap(order[below(order.size())], order[below(order.size())]);
  }
  std::size_t below(std::size_t n) { return random_() % n; }

  std::uint64_t enough_, bound_, budget_, looked_at_ = 0;
  std::vector<std::size_t> over_;
  std::minstd_rand random_;
};

}  // namespace pianola::planner
