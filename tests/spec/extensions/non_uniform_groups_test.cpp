// SPDX-License-Identifier: Apache-2.0
// sycl_ext_oneapi_non_uniform_groups. Where not all of a sub-group come by: in library-only mode.
// compiled alone: others have its short names, too.
#include <gtest/gtest.h>
#include <pianola/test/collect_errors.hpp>

#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace {

namespace oneapi = sycl::ext::oneapi::experimental;

static_assert(sycl::is_group_v<sycl::sub_group> &&
              oneapi::is_fixed_topology_group_v<sycl::sub_group>);
static_assert(oneapi::is_fixed_topology_group_v<sycl::group<2>>);
static_assert(!oneapi::is_user_constructed_group_v<sycl::sub_group>);
static_assert(oneapi::is_user_constructed_group_v<oneapi::fragment<sycl::sub_group>>);
static_assert(oneapi::is_user_constructed_group_v<oneapi::chunk<4, sycl::sub_group>>);
static_assert(!oneapi::is_fixed_topology_group_v<oneapi::fragment<sycl::sub_group>>);

static_assert(sycl::is_group_v<oneapi::fragment<sycl::sub_group>> &&
              sycl::is_group_v<oneapi::chunk<2, sycl::sub_group>>);
static_assert(oneapi::fragment<sycl::sub_group>::fence_scope == sycl::memory_scope::sub_group);

constexpr std::size_t items = 29;  // the last sub-group is smaller
/// Work-items in a sub-group that is not the last one.
std::size_t width() {
  return sycl::queue().get_device().get_info<sycl::info::device::sub_group_sizes>().front();
}
std::size_t size_of_sub_group_at(std::size_t i) {
  return std::min(width(), items - i / width() * width());
}

template <class T, class F>
std::vector<T> run(std::size_t count, F f) {
  sycl::queue q;
  T* const out = sycl::malloc_device<T>(count, q);
  q.parallel_for(sycl::nd_range<1>(count, count), [=](sycl::nd_item<1> i) {
     out[i.get_local_id(0)] = f(i, i.get_sub_group());
   }).wait();
  std::vector<T> all(count);
  q.copy(out, all.data(), count).wait();
  sycl::free(out, q);
  return all;
}

struct place {
  std::uint32_t rank, size, id, range;
  bool leader;
};
template <class Group>
place place_in(const Group& g) {
  return {g.get_local_linear_id(), g.get_local_linear_range(), g.get_group_linear_id(),
          g.get_group_linear_range(), g.leader()};
}

bool is_third(std::size_t lane) { return lane % 3 == 0; }

TEST(non_uniform_groups, of_two_halves_know_their_members) {
  const auto got = run<place>(items, [](sycl::nd_item<1>, sycl::sub_group g) {
    const auto part = oneapi::binary_partition(g, is_third(g.get_local_linear_id()));
    return place_in(part);
  });
  for (std::size_t i = 0; i < items; ++i) {
    const std::size_t lane = i % width(), size = size_of_sub_group_at(i);
    std::uint32_t rank = 0, count = 0;
    for (std::size_t k = 0; k < size; ++k)
      if (is_third(k) == is_third(lane)) {
        ++count;
        if (k < lane) ++rank;
      }
    EXPECT_EQ(got[i].rank, rank);
    EXPECT_EQ(got[i].size, count);
    EXPECT_EQ(got[i].id, is_third(lane) ? 1u : 0u);
    EXPECT_EQ(got[i].range, 2u);
    EXPECT_EQ(got[i].leader, rank == 0);
  }
}

struct results {
  int sum, before, upto, first, left, right, swapped, last, any, all, none, joint, joint_scan;
};
/// Every function on the group, from which the caller gets the values of all.
template <class Group>
results of_all_functions(const Group& g, int x, const int* data, int* scanned) {
  const auto size = g.get_local_linear_range();
  results r{};
  r.sum = sycl::reduce_over_group(g, x, sycl::plus<>());
  r.before = sycl::exclusive_scan_over_group(g, x, sycl::plus<>());
  r.upto = sycl::inclusive_scan_over_group(g, x, sycl::maximum<>());
  r.first = sycl::group_broadcast(g, x);
  r.left = sycl::shift_group_left(g, x);
  r.right = sycl::shift_group_right(g, x);
  r.swapped = sycl::permute_group_by_xor(g, x, 1);
  r.last = sycl::select_from_group(g, x, size - 1);
  r.any = sycl::any_of_group(g, x == 3);
  r.all = sycl::all_of_group(g, x < 100);
  r.none = sycl::none_of_group(g, x > 20);
  r.joint = sycl::joint_reduce(g, data, data + 10, sycl::plus<>());
  sycl::joint_inclusive_scan(g, data, data + 10, scanned, sycl::plus<>());
  sycl::group_barrier(g);
  r.joint_scan = scanned[9] + scanned[3];
  return r;
}
void expect_results(const results& r, const std::vector<int>& members, std::size_t rank) {
  int sum = 0, before = 0, most = members[0], any = 0, none = 1;
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (k < rank) before += members[k];
    if (k <= rank) most = std::max(most, members[k]);
    sum += members[k];
    any |= members[k] == 3;
    none &= members[k] <= 20;
  }
  EXPECT_EQ(r.sum, sum);
  EXPECT_EQ(r.before, before);
  EXPECT_EQ(r.upto, most);
  EXPECT_EQ(r.first, members.front());
  EXPECT_EQ(r.left, rank + 1 < members.size() ? members[rank + 1] : members[rank]);
  EXPECT_EQ(r.right, rank > 0 ? members[rank - 1] : members[rank]);
  EXPECT_EQ(r.swapped, (rank ^ 1) < members.size() ? members[rank ^ 1] : members[rank]);
  EXPECT_EQ(r.last, members.back());
  EXPECT_EQ(r.any, any);
  EXPECT_EQ(r.all, 1);
  EXPECT_EQ(r.none, none);
  EXPECT_EQ(r.joint, 45);
  EXPECT_EQ(r.joint_scan, 45 + 6);
}

struct memory {
  sycl::queue q;
  int* data = sycl::malloc_shared<int>(10, q);
  int* scanned = sycl::malloc_shared<int>(10 * 2 * items, q);
  memory() {
    for (int i = 0; i < 10; ++i) data[i] = i;
  }
  ~memory() {
    sycl::free(data, q);
    sycl::free(scanned, q);
  }
};

TEST(non_uniform_groups, of_two_halves_take_part_in_every_function_side_by_side) {
  const memory m;
  const auto got = run<results>(
      items, [data = m.data, scanned = m.scanned](sycl::nd_item<1> i, sycl::sub_group g) {
        const auto part = oneapi::get_ballot_group(g, is_third(g.get_local_linear_id()));
        const int own = static_cast<int>(i.get_local_id(0));
        const auto to = 2 * g.get_group_linear_id() + part.get_group_linear_id();
        return of_all_functions(part, own, data, scanned + 10 * to);
      });
  for (std::size_t i = 0; i < items; ++i) {
    std::vector<int> members;
    std::size_t rank = 0;
    for (std::size_t k = i / width() * width(); k < items && k / width() == i / width(); ++k)
      if (is_third(k % width()) == is_third(i % width())) {
        if (k == i) rank = members.size();
        members.push_back(static_cast<int>(k));
      }
    expect_results(got[i], members, rank);
  }
}

TEST(non_uniform_groups, of_neighbours_take_part_in_every_function_side_by_side) {
  constexpr std::size_t whole = 24;
  const memory m;
  const auto places = run<place>(whole, [](sycl::nd_item<1>, sycl::sub_group g) {
    return place_in(oneapi::chunked_partition<2>(oneapi::chunked_partition<4>(g)));
  });
  const auto of = [&](auto part_of) {
    return run<results>(whole, [part_of, data = m.data, scanned = m.scanned](sycl::nd_item<1> i,
                                                                             sycl::sub_group g) {
      const auto part = part_of(g);
      sycl::group_barrier(part);
      const auto own = static_cast<std::size_t>(i.get_local_id(0));
      return of_all_functions(part, static_cast<int>(own), data,
                              scanned + 10 * (own / part.get_local_linear_range()));
    });
  };
  const auto fours = of([](sycl::sub_group g) { return oneapi::get_fixed_size_group<4>(g); });
  const auto pairs = of([](sycl::sub_group g) {
    return oneapi::chunked_partition<2>(oneapi::chunked_partition<4>(g));
  });
  const auto eights = of([](sycl::sub_group g) {
    return oneapi::fragment<sycl::sub_group>(oneapi::chunked_partition<8>(g));
  });
  for (std::size_t i = 0; i < whole; ++i) {
    EXPECT_EQ(places[i].rank, i % 2);
    EXPECT_EQ(places[i].size, 2u);
    EXPECT_EQ(places[i].id, i % 4 / 2);
    EXPECT_EQ(places[i].range, 2u);
    const auto neighbours = [&](std::size_t count) {
      std::vector<int> members(count);
      for (std::size_t k = 0; k < count; ++k) members[k] = static_cast<int>(i / count * count + k);
      return members;
    };
    expect_results(pairs[i], neighbours(2), i % 2);
    expect_results(fours[i], neighbours(4), i % 4);
    expect_results(eights[i], neighbours(8), i % 8);
  }
}

// As programs that add up rows of a matrix do.
TEST(non_uniform_groups, meet_in_loops_that_all_of_the_sub_group_run) {
  const auto got = run<double>(32, [](sycl::nd_item<1> i, sycl::sub_group g) {
    const auto row = oneapi::chunked_partition<4>(g);
    double sum = 0;
    for (std::size_t round = 0; round < i.get_local_range(0) / 4; ++round)
      if (g.get_group_linear_id() != 1)
        sum += sycl::reduce_over_group(row, static_cast<double>(round + i.get_local_id(0)),
                                       sycl::plus<>());
    return sum;
  });
  for (std::size_t i = 0; i < 32; ++i)
    EXPECT_EQ(got[i],
              i / width() == 1 ? 0 : 4 * 28 + 8 * (4. * static_cast<double>(i / 4 * 4) + 6));
}

TEST(non_uniform_groups, are_parted_again) {
  const auto got = run<std::uint32_t>(16, [](sycl::nd_item<1>, sycl::sub_group g) {
    const auto lane = g.get_local_linear_id();
    const auto odd = oneapi::binary_partition(g, lane % 2 == 1);
    const auto low = oneapi::binary_partition(odd, odd.get_local_linear_id() < 1);
    return sycl::reduce_over_group(low, std::uint32_t{1} << lane, sycl::bit_or<>());
  });
  for (std::size_t i = 0; i < 16; ++i) {
    const std::size_t lane = i % width(), size = std::min<std::size_t>(width(), 16);
    std::uint32_t members = 0;
    for (std::size_t k = lane % 2; k < size; k += 2)
      if ((k < 2) == (lane < 2)) members |= std::uint32_t{1} << k;
    EXPECT_EQ(got[i], members);
  }
}

#if !defined(__PIANOLACC__)

TEST(non_uniform_groups, take_part_in_every_function_where_others_do_not) {
  const memory m;
  const auto got = run<results>(
      items, [data = m.data, scanned = m.scanned](sycl::nd_item<1> i, sycl::sub_group g) {
        const bool third = is_third(g.get_local_linear_id());
        const auto part = oneapi::get_ballot_group(g, third);
        const int own = static_cast<int>(i.get_local_id(0));
        if (!third) return results{};
        int* const out = scanned + 10 * (own / 8);
        return of_all_functions(part, own, data, out);
      });
  for (std::size_t i = 0; i < items; ++i) {
    if (!is_third(i % width())) continue;
    std::vector<int> members;
    std::size_t rank = 0;
    for (std::size_t k = i / width() * width(); k < items && k / width() == i / width(); ++k)
      if (is_third(k % width())) {
        if (k == i) rank = members.size();
        members.push_back(static_cast<int>(k));
      }
    expect_results(got[i], members, rank);
  }
}

TEST(non_uniform_groups, of_both_sides_of_a_branch_do_not_wait_for_each_other) {
  // The sides meet different numbers of times.
  const auto got = run<int>(items, [](sycl::nd_item<1> i, sycl::sub_group g) {
    const bool third = is_third(g.get_local_linear_id());
    const auto part = oneapi::binary_partition(g, third);
    int x = static_cast<int>(i.get_local_id(0));
    if (third)
      for (int k = 0; k < 5; ++k) x = sycl::shift_group_left(part, x);
    else
      x = sycl::reduce_over_group(part, x, sycl::minimum<>());
    sycl::group_barrier(g);
    return sycl::reduce_over_group(i.get_group(), x, sycl::maximum<>()) * 0 + x;
  });
  for (std::size_t i = 0; i < items; ++i) {
    const std::size_t first = i / width() * width();
    if (is_third(i % width()))
      // All have the last third's.
      EXPECT_EQ(got[i], static_cast<int>(first + (first + 6 < items ? 6 : 3)));
    else
      EXPECT_EQ(got[i], static_cast<int>(first + 1));
  }
}

TEST(non_uniform_groups, of_neighbours_are_chunks) {
  constexpr std::size_t whole = 24;
  const memory m;
  const auto places = run<place>(whole, [](sycl::nd_item<1>, sycl::sub_group g) {
    return place_in(oneapi::chunked_partition<2>(oneapi::chunked_partition<4>(g)));
  });
  const auto got = run<results>(
      whole, [data = m.data, scanned = m.scanned](sycl::nd_item<1> i, sycl::sub_group g) {
        const auto part = oneapi::get_fixed_size_group<4>(g);
        const int own = static_cast<int>(i.get_local_id(0));
        if (part.get_group_linear_id() != 1) return results{};
        const oneapi::fragment<sycl::sub_group> same = part;
        sycl::group_barrier(same);
        return of_all_functions(part, own, data, scanned + 10 * (own / 8));
      });
  for (std::size_t i = 0; i < whole; ++i) {
    EXPECT_EQ(places[i].rank, i % 2);
    EXPECT_EQ(places[i].size, 2u);
    EXPECT_EQ(places[i].id, i % 4 / 2);
    EXPECT_EQ(places[i].range, 2u);
    if (i % 8 < 4) continue;
    const int first = static_cast<int>(i / 4 * 4);
    expect_results(got[i], {first, first + 1, first + 2, first + 3}, i % 4);
  }
}

TEST(non_uniform_groups, are_made_of_those_that_come_by) {
  const auto got = run<int>(items, [](sycl::nd_item<1> i, sycl::sub_group g) {
    const auto lane = g.get_local_linear_id();
    int x = static_cast<int>(lane);
    if (lane % 2 == 0) {
      const auto even = oneapi::get_tangle_group(g);
      x = sycl::reduce_over_group(even, x, sycl::plus<>());
      if (lane < 4) {
        const auto low = oneapi::get_tangle_group(g);
        x += 1000 * static_cast<int>(low.get_local_linear_range());
      }
    } else {
      const auto odd = oneapi::get_tangle_group(g);
      x = sycl::reduce_over_group(odd, x, sycl::plus<>());
    }
    sycl::group_barrier(i.get_group());
    return x;
  });
  for (std::size_t i = 0; i < items; ++i) {
    const std::size_t lane = i % width(), size = size_of_sub_group_at(i);
    int sum = 0;
    for (std::size_t k = lane % 2; k < size; k += 2) sum += static_cast<int>(k);
    EXPECT_EQ(got[i], sum + (lane % 2 == 0 && lane < 4 ? 2000 : 0));
  }
}

TEST(non_uniform_groups, let_a_leader_act_for_all_that_are_there) {
  sycl::queue q;
  int* const counter = sycl::malloc_shared<int>(1, q);
  int* const seen = sycl::malloc_shared<int>(items, q);
  *counter = 0;
  q.fill(seen, -1, items).wait();
  q.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> i) {
     static_cast<void>(i.get_sub_group());
     if (i.get_local_id(0) % 3 == 1) {
       const auto active = oneapi::this_kernel::get_opportunistic_group();
       sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device> ref(*counter);
       int old = 0;
       if (active.leader()) old = ref.fetch_add(static_cast<int>(active.get_local_linear_range()));
       const int base = sycl::group_broadcast(active, old);
       seen[base + static_cast<int>(active.get_local_linear_id())] = 1;
     }
   }).wait();
  EXPECT_EQ(*counter, 10);
  for (std::size_t i = 0; i < items; ++i) EXPECT_EQ(seen[i], i < 10 ? 1 : -1);
  sycl::free(counter, q);
  sycl::free(seen, q);
}

std::string error_of(std::size_t count, void (*f)(sycl::sub_group)) {
  std::string what;
  sycl::queue q(pianola::test::collect_errors(what));
  q.parallel_for(sycl::nd_range<1>(count, count), [=](sycl::nd_item<1> i) {
     f(i.get_sub_group());
   }).wait_and_throw();
  return what;
}

TEST(non_uniform_groups, report_what_cannot_be) {
  const std::string uneven =
      error_of(6, [](sycl::sub_group g) { oneapi::chunked_partition<4>(g); });
  EXPECT_NE(uneven.find("chunks of 4"), std::string::npos) << uneven;
  const std::string alone = error_of(8, [](sycl::sub_group g) {
    const auto part = oneapi::binary_partition(g, g.get_local_linear_id() < 4);
    if (g.get_local_linear_id() == 0)
      sycl::group_barrier(part);
    else
      sycl::group_barrier(g);
  });
  EXPECT_NE(alone.find("barrier"), std::string::npos) << alone;
  const std::string left = error_of(8, [](sycl::sub_group g) {
    const auto part = oneapi::binary_partition(g, g.get_local_linear_id() < 4);
    if (g.get_local_linear_id() == 0) sycl::group_barrier(part);
  });
  EXPECT_EQ(left, "") << "who has left counts as arrived";
}

#endif

}  // namespace
