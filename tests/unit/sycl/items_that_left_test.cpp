// SPDX-License-Identifier: Apache-2.0
// Group functions behind an early return of some work-items, as programs have them that were written for GPUs: who has
// left takes no part.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <pianola/test/collect_errors.hpp>

#include <sycl/sycl.hpp>

namespace {

constexpr std::uint32_t items = 44, groups = 3, sub_group_size = 8;

/// What one work-item got.
struct results {
  std::uint32_t total, upto, before, before_from, any, all, first, third, next, crossed, picked;

  friend bool operator==(const results& a, const results& b) {
    return a.total == b.total && a.upto == b.upto && a.before == b.before &&
           a.before_from == b.before_from && a.any == b.any && a.all == b.all &&
           a.first == b.first && a.third == b.third && a.next == b.next && a.crossed == b.crossed &&
           a.picked == b.picked;
  }
};

template <class Group>
results ask_all(Group g, std::uint32_t value) {
  const sycl::plus<std::uint32_t> plus;
  results r{};
  r.total = sycl::reduce_over_group(g, value, plus);
  r.upto = sycl::inclusive_scan_over_group(g, value, plus);
  r.before = sycl::exclusive_scan_over_group(g, value, plus);
  r.before_from = sycl::exclusive_scan_over_group(g, value, 1000u, plus);
  r.any = sycl::any_of_group(g, value % 5 == 2) ? 1 : 0;
  r.all = sycl::all_of_group(g, value % 7 != 3) ? 1 : 0;
  r.first = sycl::group_broadcast(g, value);
  r.third = sycl::group_broadcast(g, value, 2);
  r.next = sycl::shift_group_left(g, value, 1);
  r.crossed = sycl::permute_group_by_xor(g, value, 3);
  r.picked = sycl::select_from_group(g, value, g.get_local_linear_range() - 1);
  return r;
}

/// The same by hand, for the work-item at `own` of a group of `values`; 0: it has left.
results expect_all(const std::vector<std::uint32_t>& values, std::size_t own) {
  results r{};
  r.all = 1;
  r.before_from = 1000;
  const auto or_own = [&](std::size_t i) {
    return i < values.size() && values[i] != 0 ? values[i] : values[own];
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t value = values[i];
    if (value == 0) continue;
    if (r.first == 0) r.first = value;
    r.total += value;
    if (i <= own) r.upto += value;
    if (i < own) r.before += value;
    if (i < own) r.before_from += value;
    if (value % 5 == 2) r.any = 1;
    if (value % 7 == 3) r.all = 0;
  }
  r.third = values.size() > 2 && values[2] != 0 ? values[2] : r.first;
  if (values[0] != 0) r.first = values[0];
  r.next = or_own(own + 1);
  r.crossed = or_own(own ^ 3);
  r.picked = or_own(values.size() - 1);
  return r;
}

std::uint32_t value_of(std::size_t item) { return static_cast<std::uint32_t>(item * 37 % 101 + 1); }

using who_stays = std::vector<std::uint8_t>;

const std::vector<who_stays>& cases() {
  static const std::vector<who_stays> all = [] {
    std::vector<who_stays> made;
    const std::vector<std::function<bool(std::uint32_t)>> rules{
        [](std::uint32_t) { return true; },
        [](std::uint32_t i) { return i < 12; },
        [](std::uint32_t i) { return i >= 3; },
        [](std::uint32_t i) { return i >= 17 && i < 38; },
        [](std::uint32_t i) { return i % 3 == 1; },
        [](std::uint32_t i) { return i % 8 == 7 || i == 40; },
        [](std::uint32_t i) { return i == 0; },
        [](std::uint32_t i) { return i + 1 == items; },
        [](std::uint32_t) { return false; },
    };
    for (const auto& rule : rules) {
      who_stays stays;
      for (std::uint32_t i = 0; i < items; ++i) stays.push_back(rule(i) ? 1 : 0);
      made.push_back(stays);
    }
    return made;
  }();
  return all;
}

/// Runs `body(item, value)` for those that stay. What it gave, with 0 for the others.
template <class Result, class Body>
std::vector<Result> run(const who_stays& stays, const Body& body) {
  sycl::queue q;
  auto* out = sycl::malloc_shared<Result>(items * groups, q);
  auto* stay = sycl::malloc_shared<std::uint8_t>(items, q);
  for (std::size_t i = 0; i < items; ++i) stay[i] = stays[i];
  for (std::size_t i = 0; i < items * groups; ++i) out[i] = Result{};
  q.parallel_for(sycl::nd_range<1>(items * groups, items), [=](sycl::nd_item<1> item) {
     if (stay[item.get_local_linear_id()] == 0) return;
     const std::size_t at = item.get_global_linear_id();
     out[at] = body(item, value_of(at));
   }).wait_and_throw();
  std::vector<Result> results(out, out + items * groups);
  sycl::free(out, q);
  sycl::free(stay, q);
  return results;
}

/// Of those of the group or sub-group that has `size` work-items at most.
void expect_groups(const std::vector<results>& got, const who_stays& stays, std::uint32_t size) {
  for (std::uint32_t group = 0; group < groups; ++group)
    for (std::uint32_t begin = 0; begin < items; begin += size) {
      const std::uint32_t count = begin + size < items ? size : items - begin;
      std::vector<std::uint32_t> values;
      for (std::uint32_t i = begin; i < begin + count; ++i)
        values.push_back(stays[i] != 0 ? value_of(group * items + i) : 0);
      for (std::uint32_t i = 0; i < count; ++i) {
        const results expected = values[i] == 0 ? results{} : expect_all(values, i);
        EXPECT_TRUE(got[group * items + begin + i] == expected)
            << "group " << group << ", work-item " << begin + i;
      }
    }
}

TEST(items_that_left, take_no_part_in_functions_of_the_work_group) {
  for (const who_stays& stays : cases())
    expect_groups(
        run<results>(stays, [](const sycl::nd_item<1>& item,
                               std::uint32_t value) { return ask_all(item.get_group(), value); }),
        stays, items);
}

TEST(items_that_left, take_no_part_in_functions_of_sub_groups_of_a_group_that_waits) {
  for (const who_stays& stays : cases())
    expect_groups(run<results>(stays,
                               [](const sycl::nd_item<1>& item, std::uint32_t value) {
                                 sycl::group_barrier(item.get_group());
                                 const results r = ask_all(item.get_sub_group(), value);
                                 sycl::group_barrier(item.get_group());
                                 return r;
                               }),
                  stays, sub_group_size);
}

TEST(items_that_left, leave_their_share_of_joint_functions_to_the_others) {
  std::vector<std::uint32_t> elements;
  for (std::uint32_t i = 0; i < 200; ++i) elements.push_back(value_of(i));
  std::uint32_t total = 0;
  for (const std::uint32_t e : elements) total += e;
  for (const who_stays& stays : cases()) {
    sycl::queue q;
    auto* from = sycl::malloc_shared<std::uint32_t>(elements.size(), q);
    auto* to = sycl::malloc_shared<std::uint32_t>(elements.size() * groups, q);
    for (std::size_t i = 0; i < elements.size(); ++i) from[i] = elements[i];
    const std::size_t count = elements.size();
    const auto got = run<std::uint32_t>(stays, [=](const sycl::nd_item<1>& item, std::uint32_t) {
      const auto g = item.get_group();
      sycl::joint_inclusive_scan(g, from, from + count, to + g.get_group_linear_id() * count,
                                 sycl::plus<std::uint32_t>());
      const bool has_last = sycl::joint_any_of(
          g, from, from + count, [=](const std::uint32_t& e) { return &e == from + count - 1; });
      return sycl::joint_reduce(g, from, from + count, sycl::plus<std::uint32_t>()) +
             (has_last ? 0U : 1U);
    });
    bool any = false;
    for (std::size_t i = 0; i < got.size(); ++i) {
      any |= stays[i % items] != 0;
      EXPECT_EQ(got[i], stays[i % items] != 0 ? total : 0) << i;
    }
    for (std::size_t group = 0; any && group < groups; ++group) {
      std::uint32_t upto = 0;
      for (std::size_t i = 0; i < count; ++i)
        EXPECT_EQ(to[group * count + i], upto += elements[i]) << i;
    }
    sycl::free(from, q);
    sycl::free(to, q);
  }
}

TEST(items_that_left, count_as_arrived_if_the_first_one_is_among_them) {
  sycl::queue q;
  const sycl::range<3> local(2, 3, 4);
  auto* out = sycl::malloc_shared<std::uint32_t>(4 * local.size(), q);
  for (std::uint32_t first = 0; first <= local.size(); ++first) {
    for (std::size_t i = 0; i < 4 * local.size(); ++i) out[i] = 0;
    q.submit([&](sycl::handler& h) {
      const sycl::local_accessor<std::uint32_t, 1> tile(sycl::range<1>(local.size()), h);
      h.parallel_for(sycl::nd_range<3>({4, 3, 8}, local), [=](sycl::nd_item<3> item) {
        const std::size_t l = item.get_local_linear_id();
        tile[l] = static_cast<std::uint32_t>(l + 1);
        if (l < first) return;
        std::uint32_t sum = 0;
        // The work-items leave one after the other.
        for (std::size_t round = first; round <= l; ++round) {
          sycl::group_barrier(item.get_group());
          sum += tile[round];
        }
        out[item.get_group_linear_id() * 24 + l] = sum;
      });
    });
    q.wait_and_throw();
    for (std::size_t i = 0; i < 4 * local.size(); ++i) {
      std::uint32_t sum = 0;
      for (std::size_t round = first; round <= i % 24; ++round)
        sum += static_cast<std::uint32_t>(round + 1);
      EXPECT_EQ(out[i], sum) << "the first " << first << " left, work-item " << i;
    }
  }
  sycl::free(out, q);
}

#if !defined(__PIANOLACC__)
TEST(items_that_left, do_not_hide_what_the_others_throw) {
  // One on the thread's stack, one on a fiber, and one before anybody waits.
  for (const std::size_t thrower : {5U, 9U, 2U}) {
    std::string said;
    sycl::queue q(pianola::test::collect_errors(said));
    q.parallel_for(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1> item) {
      const std::size_t l = item.get_local_linear_id();
      if (l == 2 && thrower == 2) throw std::runtime_error("from a work-item");
      if (l < 5) return;
      sycl::group_barrier(item.get_group());
      if (l == thrower) throw std::runtime_error("from a work-item");
      sycl::group_barrier(item.get_group());
    });
    q.wait_and_throw();
    EXPECT_NE(said.find("from a work-item"), std::string::npos) << thrower;
    // The thread's fibers are as good as new.
    const who_stays stays(items, 1);
    expect_groups(
        run<results>(stays, [](const sycl::nd_item<1>& item,
                               std::uint32_t value) { return ask_all(item.get_group(), value); }),
        stays, items);
  }
}
#endif

}  // namespace
