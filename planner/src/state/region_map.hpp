// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <pianola/model/geometry.hpp>

namespace pianola::planner {

// A value for every point of a box, kept as a partition of the box into disjoint boxes: the leaves of
// a binary tree whose inner nodes are planes. Boxes are not stored: they follow from the planes on
// the way down.
//
// While one value covers everything, the map is that value: no allocation, no tree. An update splits
// leaves along the faces of its box; on the way up, siblings with equal values become one leaf again,
// so what is written as a whole collapses to a whole. A path that has become too long is repaired in
// the manner of scapegoat trees: the lowest subtree that is too deep for its size is built again from
// the most even planes that cut no leaf. How much may be built is earned by splits, so the cost of an update
// that touches b leaves stays O(b log leaves), amortised, whatever the order of updates.
template <class T>
class region_map {
 public:
  region_map() = default;
  explicit region_map(const model::box& domain, T value = T())
      : domain_(domain), root_value_(std::move(value)) {}

  [[nodiscard]] const model::box& domain() const noexcept { return domain_; }
  [[nodiscard]] std::size_t leaf_count() const noexcept { return leaves_of(root_); }
  // The value of everything; null if there are several.
  [[nodiscard]] T* uniform() noexcept { return root_ == inline_leaf ? &root_value_ : nullptr; }
  [[nodiscard]] const T* uniform() const noexcept {
    return root_ == inline_leaf ? &root_value_ : nullptr;
  }

  // Calls f(box, const T&) for disjoint boxes that together are the query (cut at the domain), in
  // an order that depends on the history of updates only.
  template <class F>
  void visit(const model::box& query, F&& f) const {
    const model::box q = intersection(query, domain_);
    if (q.empty()) return;
    model::box region = domain_;
    visit_below(root_, region, q, f);
  }

  // Calls f(box, T&) -> bool for disjoint boxes that together are the query; f changes the value and
  // returns true, or leaves it alone and returns false. `box` may lie in a larger box with
  // this value: the value is split off only if f changes it. f must not use the map.
  template <class F>
  void update(const model::box& query, F&& f) {
    if (root_ == inline_leaf && contains(query, domain_)) {
      if (!domain_.empty()) f(domain_, root_value_);
      return;
    }
    const model::box q = intersection(query, domain_);
    if (q.empty()) return;
    model::box region = domain_;
    too_deep_ = false;
    root_ = update_below(root_, region, q, f, 0);
    settle_root();
  }

  // One value for everything.
  void assign(T v) noexcept {
    root_value_ = std::move(v);
    make_uniform();
  }

  // Calls f(T&) once for every leaf, then joins siblings that have become equal.
  template <class F>
  void transform(F&& f) {
    root_ = transform_below(root_, f);
    settle_root();
  }

  // Longest path from the root to a leaf; what balancing is about.
  [[nodiscard]] std::size_t depth() const { return depth_of(root_); }

 private:
  using reference = std::uint32_t;  // an inner node, or a leaf if the top bit is set
  static constexpr reference leaf_bit = 0x80000000U;
  static constexpr reference inline_leaf = 0xffffffffU;  // the root's own value

  struct inner_node {
    std::uint64_t coordinate;  // child[0]: below, child[1]: from here on
    reference child[2];
    std::uint32_t leaves;
    std::uint32_t axis;
  };
  struct placed_leaf {
    model::box where;
    reference leaf;
  };

  static bool is_leaf(reference r) noexcept { return (r & leaf_bit) != 0; }
  [[nodiscard]] std::uint32_t leaves_of(reference r) const noexcept {
    return is_leaf(r) ? 1 : inner_[r].leaves;
  }
  [[nodiscard]] T& value(reference r) noexcept {
    return r == inline_leaf ? root_value_ : leaves_[r & ~leaf_bit];
  }
  [[nodiscard]] const T& value(reference r) const noexcept {
    return r == inline_leaf ? root_value_ : leaves_[r & ~leaf_bit];
  }

  // Freeing what was made never allocates: an update that throws leaves a map that holds together, with some of its boxes
  // as they were.
  template <class E>
  static void make_room(std::vector<E>& all, std::vector<std::uint32_t>& unused) {
    if (all.size() < all.capacity()) return;
    const std::size_t more = 2 * all.size() + 8;
    unused.reserve(more);
    all.reserve(more);
  }
  reference new_leaf(T v) {
    if (!free_leaves_.empty()) {
      const std::uint32_t at = free_leaves_.back();
      free_leaves_.pop_back();
      leaves_[at] = std::move(v);
      return at | leaf_bit;
    }
    make_room(leaves_, free_leaves_);
    leaves_.push_back(std::move(v));
    return static_cast<reference>(leaves_.size() - 1) | leaf_bit;
  }
  void free_leaf(reference r) noexcept {
    leaves_[r & ~leaf_bit] = T();
    free_leaves_.push_back(r & ~leaf_bit);
  }
  reference new_inner(std::uint32_t axis, std::uint64_t coordinate, reference a, reference b) {
    const inner_node n{coordinate, {a, b}, leaves_of(a) + leaves_of(b), axis};
    if (!free_inner_.empty()) {
      const std::uint32_t at = free_inner_.back();
      free_inner_.pop_back();
      inner_[at] = n;
      return at;
    }
    make_room(inner_, free_inner_);
    inner_.push_back(n);
    return static_cast<reference>(inner_.size() - 1);
  }

  void settle_root() {
    if (root_ == inline_leaf || !is_leaf(root_)) return;
    root_value_ = std::move(value(root_));
    make_uniform();
  }
  void make_uniform() noexcept {
    root_ = inline_leaf;
    leaves_.clear();
    inner_.clear();
    free_leaves_.clear();
    free_inner_.clear();
    credit_ = 0;
  }

  template <class F>
  void visit_below(reference r, model::box& region, const model::box& query, F& f) const {
    if (is_leaf(r)) {
      f(intersection(region, query), value(r));
      return;
    }
    const inner_node& n = inner_[r];
    if (query.lo.c[n.axis] < n.coordinate) {
      const std::uint64_t old = std::exchange(region.hi.c[n.axis], n.coordinate);
      visit_below(n.child[0], region, query, f);
      region.hi.c[n.axis] = old;
    }
    if (query.hi.c[n.axis] > n.coordinate) {
      const std::uint64_t old = std::exchange(region.lo.c[n.axis], n.coordinate);
      visit_below(n.child[1], region, query, f);
      region.lo.c[n.axis] = old;
    }
  }

  template <class F>
  reference update_below(reference r, model::box& region, const model::box& query, F& f,
                         std::uint32_t depth) {
    if (is_leaf(r)) {
      const model::box common = intersection(region, query);
      if (common == region) {
        f(region, value(r));
        return r;
      }
      T fresh = value(r);
      if (!f(common, fresh)) return r;
      return split(r, region, common, std::move(fresh), depth);
    }
    const std::uint32_t axis = inner_[r].axis;
    const std::uint64_t coordinate = inner_[r].coordinate;
    if (query.lo.c[axis] < coordinate) {
      const std::uint64_t old = std::exchange(region.hi.c[axis], coordinate);
      const reference child = update_below(inner_[r].child[0], region, query, f, depth + 1);
      inner_[r].child[0] = child;
      region.hi.c[axis] = old;
    }
    if (query.hi.c[axis] > coordinate) {
      const std::uint64_t old = std::exchange(region.lo.c[axis], coordinate);
      const reference child = update_below(inner_[r].child[1], region, query, f, depth + 1);
      inner_[r].child[1] = child;
      region.lo.c[axis] = old;
    }
    r = joined(r);
    if (too_deep_ && !is_leaf(r) && deepest_ > depth) {
      const std::uint32_t below = deepest_ - depth;
      if (below > depth_limit(inner_[r].leaves)) {
        too_deep_ = false;
        if (credit_ >= inner_[r].leaves) {
          credit_ -= inner_[r].leaves;
          return rebuilt(r, region);
        }
      }
    }
    return r;
  }

  // The node after its children have changed: one leaf if they are leaves with equal values.
  reference joined(reference r) {
    inner_node& n = inner_[r];
    const reference a = n.child[0], b = n.child[1];
    if (is_leaf(a) && is_leaf(b) && value(a) == value(b)) {
      free_leaf(b);
      free_inner_.push_back(r);
      return a;
    }
    n.leaves = leaves_of(a) + leaves_of(b);
    return r;
  }

  // Cuts `inner` out of a leaf that covers `region`: a chain of at most six planes.
  reference split(reference r, const model::box& region, const model::box& inner, T fresh,
                  std::uint32_t depth) {
    struct cut {
      std::uint32_t axis;
      std::uint64_t coordinate;
      bool rest_is_lower;
    };
    cut cuts[6];
    std::uint32_t n = 0;
    for (std::uint32_t d = 0; d < 3; ++d) {
      if (region.lo.c[d] < inner.lo.c[d]) cuts[n++] = {d, inner.lo.c[d], true};
      if (inner.hi.c[d] < region.hi.c[d]) cuts[n++] = {d, inner.hi.c[d], false};
    }
    if (r == inline_leaf) r = new_leaf(root_value_);
    reference at = new_leaf(std::move(fresh));
    for (std::uint32_t i = n; i-- > 0;) {
      const reference rest = i == 0 ? r : new_leaf(T(value(r)));
      at = cuts[i].rest_is_lower ? new_inner(cuts[i].axis, cuts[i].coordinate, rest, at)
                                 : new_inner(cuts[i].axis, cuts[i].coordinate, at, rest);
    }
    const std::uint32_t leaves = leaves_of(root_) + n;
    const std::uint32_t limit = depth_limit(leaves);
    credit_ += std::uint64_t{limit} * n;
    if (depth + n > limit) {
      too_deep_ = true;
      deepest_ = depth + n;
    }
    return at;
  }

  static std::uint32_t depth_limit(std::uint32_t leaves) noexcept {
    std::uint32_t log = 0;
    while (leaves > 1) {
      leaves >>= 1;
      ++log;
    }
    return 2 * log + 6;
  }

  reference rebuilt(reference r, const model::box& region) {
    std::vector<placed_leaf> leaves;
    leaves.reserve(inner_[r].leaves);
    model::box at = region;
    gather(r, at, leaves);
    std::vector<placed_leaf> scratch(leaves.size());
    dissolve(r);
    return build(leaves.data(), scratch.data(), leaves.size());
  }

  void gather(reference r, model::box& region, std::vector<placed_leaf>& leaves) const {
    if (is_leaf(r)) {
      leaves.push_back({region, r});
      return;
    }
    const inner_node& n = inner_[r];
    const std::uint64_t hi = std::exchange(region.hi.c[n.axis], n.coordinate);
    gather(n.child[0], region, leaves);
    region.hi.c[n.axis] = hi;
    const std::uint64_t lo = std::exchange(region.lo.c[n.axis], n.coordinate);
    gather(n.child[1], region, leaves);
    region.lo.c[n.axis] = lo;
  }

  // Its leaves stay.
  void dissolve(reference r) noexcept {
    if (is_leaf(r)) return;
    free_inner_.push_back(r);
    dissolve(inner_[r].child[0]);
    dissolve(inner_[r].child[1]);
  }

  // A tree for leaves that a tree has held before: there always is a plane that cuts none of them.
  // The one that divides them most evenly becomes the root.
  reference build(placed_leaf* leaves, placed_leaf* scratch, std::size_t n) {
    if (n == 1) return leaves[0].leaf;
    bool varies[3] = {}, sorted[3] = {true, true, true};
    for (std::size_t i = 1; i < n; ++i)
      for (std::uint32_t d = 0; d < 3; ++d) {
        varies[d] |= leaves[i - 1].where.lo.c[d] != leaves[i].where.lo.c[d];
        sorted[d] &= leaves[i - 1].where.lo.c[d] <= leaves[i].where.lo.c[d];
      }
    std::size_t best_lower = 0;
    std::uint32_t best_axis = 0;
    std::uint64_t best_coordinate = 0;
    for (std::uint32_t d = 0; d < 3; ++d) {
      if (!varies[d]) continue;
      if (sorted[d] && varies[0] + varies[1] + varies[2] == 1) return build_row(leaves, n, d);
      const placed_leaf* in_order = leaves;
      if (!sorted[d]) {
        std::copy(leaves, leaves + n, scratch);
        std::sort(scratch, scratch + n, [d](const placed_leaf& a, const placed_leaf& b) {
          return a.where.lo.c[d] < b.where.lo.c[d];
        });
        in_order = scratch;
      }
      std::uint64_t reach = 0;
      for (std::size_t i = 1; i < n; ++i) {
        reach = std::max(reach, in_order[i - 1].where.hi.c[d]);
        const std::uint64_t c = in_order[i].where.lo.c[d];
        if (reach > c || std::min(i, n - i) <= std::min(best_lower, n - best_lower)) continue;
        best_lower = i;
        best_axis = d;
        best_coordinate = c;
      }
      if (std::min(best_lower, n - best_lower) > n / 3) break;
    }
    std::size_t lower = 0, upper = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (leaves[i].where.lo.c[best_axis] < best_coordinate)
        leaves[lower++] = leaves[i];
      else
        scratch[upper++] = leaves[i];
    std::copy(scratch, scratch + upper, leaves + lower);
    const reference a = build(leaves, scratch, lower);
    const reference b = build(leaves + lower, scratch, upper);
    return new_inner(best_axis, best_coordinate, a, b);
  }

  // The same for leaves that lie in a row and in order.
  reference build_row(const placed_leaf* leaves, std::size_t n, std::uint32_t axis) {
    if (n == 1) return leaves[0].leaf;
    const std::size_t lower = n / 2;
    const reference a = build_row(leaves, lower, axis);
    const reference b = build_row(leaves + lower, n - lower, axis);
    return new_inner(axis, leaves[lower].where.lo.c[axis], a, b);
  }

  template <class F>
  reference transform_below(reference r, F& f) {
    if (is_leaf(r)) {
      f(value(r));
      return r;
    }
    const reference a = transform_below(inner_[r].child[0], f);
    inner_[r].child[0] = a;
    const reference b = transform_below(inner_[r].child[1], f);
    inner_[r].child[1] = b;
    return joined(r);
  }

  [[nodiscard]] std::size_t depth_of(reference r) const {
    if (is_leaf(r)) return 0;
    return 1 + std::max(depth_of(inner_[r].child[0]), depth_of(inner_[r].child[1]));
  }

  model::box domain_{};
  T root_value_{};
  reference root_ = inline_leaf;
  bool too_deep_ = false;
  std::uint32_t deepest_ = 0;
  std::uint64_t credit_ = 0;
  std::vector<inner_node> inner_;
  std::vector<T> leaves_;
  std::vector<std::uint32_t> free_inner_;
  std::vector<std::uint32_t> free_leaves_;
};

}  // namespace pianola::planner
