// SPDX-License-Identifier: Apache-2.0
// Work-groups of several shapes, and where each work-item is in its work-group and sub-group, for the tests of
// group functions.
#pragma once

#include <sycl/sycl.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace group_shapes {

struct shape {
  std::size_t groups, y, x;  // work-items of a group in two dimensions
};
inline constexpr shape all[] = {{3, 1, 1}, {2, 1, 7}, {2, 1, 8}, {3, 3, 5}, {2, 4, 16}, {1, 8, 25}};

inline sycl::nd_range<2> range_of(const shape& s) {
  return {sycl::range<2>(s.groups * s.y, s.x), sycl::range<2>(s.y, s.x)};
}

struct place {
  std::uint32_t group, rank, size;  // of the group that the function is given
};

/// Which of the two a kernel calls a group function with.
struct use_work_group {
  auto operator()(const sycl::nd_item<2>& i) const { return i.get_group(); }
};
struct use_sub_group {
  auto operator()(const sycl::nd_item<2>& i) const { return i.get_sub_group(); }
};

/// Runs f(nd_item, group) for all work-items of the shape and returns its results and places, in the order of
/// work-groups and of their linear ids. Groups are numbered through all work-groups.
template <class Result>
struct outcome {
  std::vector<Result> results;
  std::vector<place> places;

  /// Position of the work-item of that rank in the same group.
  std::size_t mate(std::size_t item, std::size_t rank) const {
    return item - places[item].rank + rank;
  }
};

template <class Result, class Which, class F>
outcome<Result> run(sycl::queue q, const shape& s, Which which, F f) {
  const std::size_t items = s.groups * s.y * s.x;
  Result* const results = sycl::malloc_device<Result>(items, q);
  place* const places = sycl::malloc_device<place>(items, q);
  q.parallel_for(range_of(s), [=](sycl::nd_item<2> i) {
     const auto g = which(i);
     const std::size_t at =
         i.get_group_linear_id() * i.get_local_range().size() + i.get_local_linear_id();
     places[at] = {static_cast<std::uint32_t>(g.get_group_linear_id()),
                   static_cast<std::uint32_t>(g.get_local_linear_id()),
                   static_cast<std::uint32_t>(g.get_local_linear_range())};
     results[at] = f(i, g);
   }).wait();
  outcome<Result> all{std::vector<Result>(items), std::vector<place>(items)};
  q.copy(results, all.results.data(), items).wait();
  q.copy(places, all.places.data(), items).wait();
  sycl::free(results, q);
  sycl::free(places, q);
  return all;
}

/// What the kernels and the checks give the work-items for values.
template <class Group>
inline int value_at(const sycl::nd_item<2>& i, const Group&) {
  return static_cast<int>((i.get_group_linear_id() * 31 + i.get_local_linear_id() * 7) % 23);
}
inline int value_of(std::size_t item, const shape& s) {
  const std::size_t per_group = s.y * s.x;
  return static_cast<int>((item / per_group * 31 + item % per_group * 7) % 23);
}

}  // namespace group_shapes
