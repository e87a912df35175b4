// SPDX-License-Identifier: Apache-2.0
// sycl_khr_group_interface, sycl_ext_oneapi_sub_group_mask and what is left of sycl_ext_oneapi_sub_group.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <cstdint>
#include <vector>

namespace {

template <class T>
std::vector<T> read(sycl::queue q, const T* data, std::size_t count) {
  std::vector<T> all(count);
  q.copy(data, all.data(), count).wait();
  return all;
}

TEST(khr_group_interface, says_what_the_classes_of_the_specification_say) {
  sycl::queue q;
  const sycl::nd_range<2> extent({6, 10}, {3, 5});
  int* const right = sycl::malloc_device<int>(60, q);
  int* const leaders = sycl::malloc_device<int>(2, q);
  q.fill(leaders, 0, 2).wait();
  q.parallel_for(extent, [=](sycl::nd_item<2> i) {
     const sycl::khr::work_group<2> g = i.get_group();
     const sycl::khr::sub_group s = i.get_sub_group();
     const sycl::khr::member_item it = get_member_item(g);
     const auto lane = get_member_item(s);
     static_assert(decltype(it)::fence_scope == sycl::memory_scope::work_item);
     right[i.get_global_linear_id()] =
         g.id() == i.get_group().get_group_id() && g.linear_id() == i.get_group_linear_id() &&
         g.range() == sycl::range<2>(2, 2) && g.size() == 15 && it.id() == i.get_local_id() &&
         it.linear_id() == i.get_local_linear_id() && it.range() == sycl::range<2>(3, 5) &&
         it.size() == 1 && s.size() == i.get_sub_group().get_local_linear_range() &&
         s.size() <= s.max_size() && s.range() == i.get_sub_group().get_group_range() &&
         s.linear_id() == i.get_sub_group().get_group_linear_id() &&
         lane.linear_id() == i.get_sub_group().get_local_linear_id() &&
         sycl::group<2>(g) == i.get_group() && g == sycl::khr::work_group<2>(i.get_group()) &&
         leader_of(g) == i.get_group().leader() && leader_of(s) == i.get_sub_group().leader();
   }).wait();
  EXPECT_EQ(read(q, right, 60), std::vector<int>(60, 1));
  sycl::free(right, q);
  sycl::free(leaders, q);
}

struct mask_facts {
  std::uint32_t size, count, low, high, after_low, after_high, shifted, extracted, inserted;
  int any, all, none, own, inverse, algebra;
};

TEST(sub_group_mask, has_a_bit_for_each_work_item) {
  namespace oneapi = sycl::ext::oneapi;
  sycl::queue q;
  constexpr std::size_t items = 32;
  mask_facts* const facts = sycl::malloc_device<mask_facts>(items, q);
  std::uint32_t* const sizes = sycl::malloc_device<std::uint32_t>(items, q);
  q.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> i) {
     const sycl::sub_group g = i.get_sub_group();
     const std::uint32_t lane = g.get_local_linear_id();
     const auto odd = oneapi::group_ballot(g, lane % 2 == 1);
     const auto everybody = oneapi::group_ballot(g);
     auto low = odd, high = odd;
     low.reset_low();
     high.reset_high();
     std::uint8_t byte = 0;
     odd.extract_bits(byte, 1);
     auto changed = odd;
     changed.insert_bits(std::uint8_t{0xf}, 2);
     std::uint8_t inserted = 0;
     changed.extract_bits(inserted);
     const auto even = ~odd;
     auto flipped = odd;
     flipped[0] = true;
     flipped.flip(1);
     const std::size_t at = i.get_global_id(0);
     sizes[at] = static_cast<std::uint32_t>(g.get_max_local_range()[0]);
     facts[at] = {odd.size(),
                  odd.count(),
                  static_cast<std::uint32_t>(odd.find_low()[0]),
                  static_cast<std::uint32_t>(odd.find_high()[0]),
                  low.count(),
                  high.count(),
                  (odd << 1).count(),
                  byte,
                  inserted,
                  odd.any(),
                  everybody.all(),
                  (odd & even).none(),
                  odd.test(lane) == (lane % 2 == 1) && odd[lane] == odd.test(lane),
                  even.test(lane) != odd.test(lane),
                  (odd | even) == everybody && (odd ^ everybody) == even && flipped != odd &&
                      flipped.test(0) && !flipped.test(1)};
   }).wait();
  const auto all = read(q, facts, items);
  const auto widths = read(q, sizes, items);
  for (std::size_t i = 0; i < items; ++i) {
    const std::uint32_t n = widths[i];
    if (n > items) GTEST_SKIP() << "sub-groups are larger than the work-group";
    EXPECT_EQ(all[i].size, n);
    EXPECT_EQ(all[i].count, n / 2);
    EXPECT_EQ(all[i].low, 1u);
    EXPECT_EQ(all[i].high, n - 1);
    EXPECT_EQ(all[i].after_low, n / 2 - 1);
    EXPECT_EQ(all[i].after_high, n / 2 - 1);
    EXPECT_EQ(all[i].shifted, n / 2 - 1);
    EXPECT_EQ(all[i].extracted, 0x55u);
    EXPECT_EQ(all[i].inserted, n > 8 ? 0x3eu : 0x3eu);
    EXPECT_TRUE(all[i].any && all[i].all && all[i].none && all[i].own && all[i].inverse &&
                all[i].algebra);
  }
  sycl::free(facts, q);
  sycl::free(sizes, q);
}

TEST(sub_group_members, exchange_load_and_store) {
  sycl::queue q;
  constexpr std::size_t items = 64;
  unsigned* const data = sycl::malloc_device<unsigned>(items, q);
  int* const right = sycl::malloc_device<int>(items, q);
  q.parallel_for(items, [=](sycl::id<1> i) { data[i] = 100 + static_cast<unsigned>(i[0]); }).wait();
  q.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> it) {
     const sycl::sub_group g = it.get_sub_group();
     const unsigned me = static_cast<unsigned>(it.get_local_id(0));
     const unsigned lane = g.get_local_linear_id(), lanes = g.get_local_linear_range();
     const unsigned first = me - lane;
     bool good = g.shuffle(me, 2) == first + 2 && g.shuffle(me, g.get_local_id()) == me &&
                 g.shuffle_xor(me, 1) == first + (lane ^ 1U);
     const unsigned down = g.shuffle_down(me, 3), up = g.shuffle_up(me, 3);
     good = good && (lane + 3 >= lanes || down == me + 3) && (lane < 3 || up == me - 3);
     const sycl::global_ptr<unsigned> block(data + first);
     good = good && g.load(data + first) == 100 + me &&
            g.load<unsigned>(data + first) == 100 + me &&
            g.load(const_cast<const unsigned*>(data) + first) == 100 + me;
     const unsigned loaded = g.load(block);
     g.barrier();
     g.store<unsigned>(block, loaded + 1);
     right[me] = good ? 1 : 0;
   }).wait();
  EXPECT_EQ(read(q, right, items), std::vector<int>(items, 1));
  std::vector<unsigned> stored(items);
  for (std::size_t i = 0; i < items; ++i) stored[i] = 101 + static_cast<unsigned>(i);
  EXPECT_EQ(read(q, data, items), stored);
  sycl::free(data, q);
  sycl::free(right, q);
}

}  // namespace
