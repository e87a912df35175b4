// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/compare/align.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <unordered_set>

namespace pianola::planner {

namespace {

// A stretch of both sequences.
struct stretch {
  std::int64_t a, a_end, b, b_end;
};
// Two points of a stretch, counted from its beginning; what is before and behind them is to be aligned on its own, and so is
// what is between them, unless all values there are equal.
struct cut {
  std::int64_t x, y, x_end, y_end;
  bool equal = true;
};

class aligner {
 public:
  aligner(model::array_view<const std::uint64_t> a, model::array_view<const std::uint64_t> b,
          std::int64_t limit)
      : a_(a), b_(b), limit_(std::max<std::int64_t>(limit, 1)) {}

  std::vector<std::pair<std::uint32_t, std::uint32_t>> run() {
    std::vector<stretch> stack{
        {0, static_cast<std::int64_t>(a_.size()), 0, static_cast<std::int64_t>(b_.size())}};
    while (!stack.empty()) {
      stretch p = stack.back();
      stack.pop_back();
      while (p.a < p.a_end && p.b < p.b_end && equal(p.a, p.b)) match(p.a++, p.b++);
      while (p.a < p.a_end && p.b < p.b_end && equal(p.a_end - 1, p.b_end - 1))
        match(--p.a_end, --p.b_end);
      if (p.a == p.a_end || p.b == p.b_end) continue;
      const cut c = halves(p);
      if (!c.equal) stack.push_back({p.a + c.x, p.a + c.x_end, p.b + c.y, p.b + c.y_end});
      for (std::int64_t i = 0; c.equal && i < c.x_end - c.x; ++i)
        match(p.a + c.x + i, p.b + c.y + i);
      stack.push_back({p.a, p.a + c.x, p.b, p.b + c.y});
      stack.push_back({p.a + c.x_end, p.a_end, p.b + c.y_end, p.b_end});
    }
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool equal(std::int64_t i, std::int64_t j) const noexcept {
    return a_[static_cast<std::size_t>(i)] == b_[static_cast<std::size_t>(j)];
  }
  void match(std::int64_t i, std::int64_t j) {
    found_.emplace_back(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j));
  }

  // How far a path gets on each diagonal x - y = k with d differences; nowhere: it cannot be there.
  class front {
   public:
    static constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::min() / 4;
    void start(std::int64_t limit) {
      middle_ = limit + 1;
      reach_.assign(static_cast<std::size_t>(2 * limit + 3), nowhere);
    }
    std::int64_t& at(std::int64_t k) { return reach_[static_cast<std::size_t>(k + middle_)]; }

   private:
    std::int64_t middle_ = 0;
    std::vector<std::int64_t> reach_;
  };

  // Where a path of d differences begins on diagonal k: to the right of the one below, or down from the one above. Less than 0: it
  // cannot. Two diagonals with less differences have been nowhere.
  static std::int64_t begin_on(front& f, std::int64_t d, std::int64_t k, std::int64_t n,
                               std::int64_t m) {
    if (d == 0) return 0;
    const std::int64_t above = f.at(k + 1), below = f.at(k - 1);
    return std::max(above - k <= m ? above : front::nowhere,
                    below < n ? below + 1 : front::nowhere);
  }

  // From both ends, until the two meet.
  cut halves(const stretch& p) {
    const std::int64_t n = p.a_end - p.a, m = p.b_end - p.b, delta = n - m;
    const std::int64_t most = std::min((n + m + 1) / 2, limit_);
    const bool odd = (delta & 1) != 0;
    ahead_.start(most);
    back_.start(most);
    const std::uint64_t* const a = a_.data() + p.a;
    const std::uint64_t* const b = b_.data() + p.b;
    for (std::int64_t d = 0; d <= most; ++d) {
      // Beyond these diagonals there is nothing.
      const std::int64_t lowest = -d + (d > m ? (d - m + 1) / 2 * 2 : 0),
                         highest = d - (d > n ? (d - n + 1) / 2 * 2 : 0);
      for (std::int64_t k = lowest; k <= highest; k += 2) {
        std::int64_t x = begin_on(ahead_, d, k, n, m);
        const std::int64_t from = x;
        if (x >= 0)
          while (x < n && x - k < m && a[x] == b[x - k]) ++x;
        ahead_.at(k) = x;
        const std::int64_t other = delta - k;
        if (odd && other >= -(d - 1) && other <= d - 1 && x + back_.at(other) >= n)
          return {from, from - k, x, x - k};
      }
      for (std::int64_t k = lowest; k <= highest; k += 2) {
        std::int64_t x = begin_on(back_, d, k, n, m);
        const std::int64_t from = x;
        if (x >= 0)
          while (x < n && x - k < m && a[n - 1 - x] == b[m - 1 - (x - k)]) ++x;
        back_.at(k) = x;
        const std::int64_t other = delta - k;
        if (!odd && other >= -d && other <= d && x + ahead_.at(other) >= n)
          return {n - x, m - (x - k), n - from, m - (from - k)};
      }
    }
    // Too many differences. From the beginning to here there are few enough, and so there are from there to the end.
    const auto [x, y] = farthest(ahead_, most);
    const auto [x_left, y_left] = farthest(back_, most);
    if (x <= n - x_left && y <= m - y_left) return {x, y, n - x_left, m - y_left, false};
    return {x, y, x, y};
  }

  static std::pair<std::int64_t, std::int64_t> farthest(front& f, std::int64_t most) {
    std::pair<std::int64_t, std::int64_t> best{0, 0};
    for (std::int64_t k = -most; k <= most; k += 2)
      if (const std::int64_t x = f.at(k); x >= 0 && 2 * x - k > best.first + best.second)
        best = {x, x - k};
    return best;
  }

  model::array_view<const std::uint64_t> a_, b_;
  std::int64_t limit_;
  front ahead_, back_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found_;
};

// Those values of a stretch of a sequence that a stretch of another one has as well.
class shared_values {
 public:
  shared_values(model::array_view<const std::uint64_t> all, std::uint32_t first, std::uint32_t last,
                model::array_view<const std::uint64_t> others, std::uint32_t first_other,
                std::uint32_t last_other) {
    const std::unordered_set<std::uint64_t> there(others.begin() + first_other,
                                                  others.begin() + last_other);
    for (std::uint32_t i = first; i < last; ++i)
      if (there.count(all[i]) != 0) {
        values_.push_back(all[i]);
        places_.push_back(i);
      }
  }
  [[nodiscard]] model::array_view<const std::uint64_t> values() const noexcept {
    return {values_.data(), values_.size()};
  }
  [[nodiscard]] std::uint32_t place_of(std::uint32_t shared) const noexcept {
    return places_[shared];
  }

 private:
  std::vector<std::uint64_t> values_;
  std::vector<std::uint32_t> places_;
};

}  // namespace

std::vector<std::pair<std::uint32_t, std::uint32_t>> align(model::array_view<const std::uint64_t> a,
                                                           model::array_view<const std::uint64_t> b,
                                                           std::uint32_t most_differences) {
  // Half of them from each end.
  const std::int64_t limit = (std::int64_t{most_differences} + 1) / 2;
  if (a.size() + b.size() <= most_differences) return aligner(a, b, limit).run();
  // What the other one has nowhere is matched with nothing, and searching for it is what takes long: two recordings of
  // different programs have little else. Ends are matched first, since they belong to each other wherever there is a choice.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  std::uint32_t first = 0, last_a = static_cast<std::uint32_t>(a.size()),
                last_b = static_cast<std::uint32_t>(b.size());
  for (; first < last_a && first < last_b && a[first] == b[first]; ++first)
    found.emplace_back(first, first);
  for (; last_a > first && last_b > first && a[last_a - 1] == b[last_b - 1]; --last_a, --last_b)
    found.emplace_back(last_a - 1, last_b - 1);
  const shared_values in_a(a, first, last_a, b, first, last_b),
      in_b(b, first, last_b, a, first, last_a);
  for (const auto& [x, y] : aligner(in_a.values(), in_b.values(), limit).run())
    found.emplace_back(in_a.place_of(x), in_b.place_of(y));
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace pianola::planner
