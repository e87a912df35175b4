// SPDX-License-Identifier: Apache-2.0
// 4.15.2: device_event, by which a work-group waits for its copies. (The copies themselves: see 4.17.2.)
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <type_traits>
#include <vector>

namespace {

static_assert(!std::is_default_constructible_v<sycl::device_event>);
static_assert(std::is_copy_constructible_v<sycl::device_event> &&
              std::is_copy_assignable_v<sycl::device_event> &&
              std::is_move_constructible_v<sycl::device_event> &&
              std::is_move_assignable_v<sycl::device_event> &&
              std::is_destructible_v<sycl::device_event>);
static_assert(noexcept(std::declval<const sycl::device_event&>().wait()));

constexpr std::size_t items = 16, groups = 3;

/// Every group fetches its elements, turned around, and waits by wait(group, event).
template <class Wait>
std::vector<int> reversed(Wait wait) {
  std::vector<int> in(items * groups), out(items * groups, -1);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i);
  {
    sycl::buffer<int, 1> from(in), to(out);
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor a(from, h, sycl::read_only);
      sycl::accessor b(to, h, sycl::write_only, sycl::no_init);
      sycl::local_accessor<int> local(items, h);
      h.parallel_for(sycl::nd_range<1>(items * groups, items), [=](sycl::nd_item<1> i) {
        const sycl::group<1> g = i.get_group();
        const auto global =
            sycl::address_space_cast<sycl::access::address_space::global_space,
                                     sycl::access::decorated::no>(&a[g.get_group_id(0) * items]);
        wait(g, g.async_work_group_copy(local.get_multi_ptr<sycl::access::decorated::no>(), global,
                                        items));
        b[i.get_global_id(0)] = local[items - 1 - i.get_local_id(0)];
      });
    });
  }
  return out;
}

std::vector<int> expected() {
  std::vector<int> v(items * groups);
  for (std::size_t i = 0; i < v.size(); ++i)
    v[i] = static_cast<int>(i / items * items + items - 1 - i % items);
  return v;
}

TEST(device_event, is_waited_for_by_each_item_or_by_the_group) {
  EXPECT_EQ(reversed([](const auto&, const sycl::device_event& e) { e.wait(); }), expected());
  EXPECT_EQ(reversed([](const auto& g, const sycl::device_event& e) { g.wait_for(e); }),
            expected());
}

TEST(device_event, can_be_copied_and_waited_for_again) {
  EXPECT_EQ(reversed([](const auto& g, sycl::device_event e) {
              sycl::device_event copy = e;
              e = copy;
              copy.wait();
              g.wait_for(e, copy);
            }),
            expected());
}

}  // namespace
