// SPDX-License-Identifier: Apache-2.0
// 4.7.6: accessors for commands, for host code, and local ones.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <vector>

#include "errors.hpp"

namespace {

constexpr sycl::access_mode read = sycl::access_mode::read, write = sycl::access_mode::write,
                            read_write = sycl::access_mode::read_write;

// 4.7.6.3, 4.7.6.9
TEST(accessor, follows_deduction_tags) {
  sycl::buffer<int, 2> b(sycl::range<2>(2, 3));
  sycl::queue q;
  q.submit([&](sycl::handler& h) {
    using sycl::target;
    sycl::accessor plain(b, h);
    sycl::accessor reads(b, h, sycl::read_only);
    sycl::accessor writes(b, h, sycl::write_only);
    sycl::accessor both(b, h, sycl::read_write, sycl::property_list{sycl::no_init});
    static_assert(
        std::is_same_v<decltype(plain), sycl::accessor<int, 2, read_write, target::device>>);
    static_assert(
        std::is_same_v<decltype(reads), sycl::accessor<int, 2, read, target::device>> ||
        std::is_same_v<decltype(reads), sycl::accessor<const int, 2, read, target::device>>);
    static_assert(std::is_same_v<decltype(writes), sycl::accessor<int, 2, write, target::device>>);
    static_assert(
        std::is_same_v<decltype(both), sycl::accessor<int, 2, read_write, target::device>>);
    h.parallel_for(b.get_range(), [=](sycl::id<2> i) { both[i] = 1; });
  });
  q.submit([&](sycl::handler& h) {
    sycl::accessor reads(b, h, sycl::read_only_host_task);
    sycl::accessor writes(b, h, sycl::read_write_host_task);
    static_assert(std::is_same_v<decltype(writes),
                                 sycl::accessor<int, 2, read_write, sycl::target::host_task>>);
    h.host_task([=] { writes[1][2] = reads[0][0] + 1; });
  });
  EXPECT_EQ((b.get_host_access()[1][2]), 2);
}

// 4.7.6.5
TEST(accessor, of_constant_data_converts_from_and_to_read_only) {
  sycl::buffer<int, 1> b(sycl::range<1>(4));
  sycl::queue q;
  q.submit([&](sycl::handler& h) {
    sycl::accessor<int, 1, read_write> both(b, h);
    sycl::accessor<const int, 1, read> constant = both;
    sycl::accessor<int, 1, read> reads(b, h);
    sycl::accessor<const int, 1, read> from_reads = reads;
    static_assert(std::is_same_v<decltype(constant[sycl::id<1>(0)]), const int&>);
    static_assert(std::is_same_v<decltype(reads[0]), const int&>);
    static_assert(std::is_same_v<decltype(both[0]), int&>);
    EXPECT_TRUE(constant == constant);
    EXPECT_EQ(from_reads.size(), 4u);
    h.single_task([] {});
  });
}

template <class T, int Dimensions>
sycl::range<Dimensions> cube(size_t n) {
  if constexpr (Dimensions == 1) {
    return sycl::range<1>(n);
  } else if constexpr (Dimensions == 2) {
    return sycl::range<2>(n, n + 1);
  } else {
    return sycl::range<3>(n, n + 1, n + 2);
  }
}

// 4.7.6.6: by id, by subscripts, and by iterating, in row-major order.
template <int Dimensions>
void check_elements() {
  sycl::queue q;
  const auto range = cube<int, Dimensions>(3);
  sycl::buffer<int, Dimensions> b(range);
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
    h.parallel_for(range, [=](sycl::item<Dimensions> it) {
      a[it.get_id()] = static_cast<int>(it.get_linear_id());
    });
  });
  sycl::host_accessor host(b, sycl::read_only);
  int expected = 0;
  for (const int x : host) EXPECT_EQ(x, expected++);
  EXPECT_EQ(static_cast<size_t>(expected), range.size());
  if constexpr (Dimensions == 2) {
    EXPECT_EQ(host[2][1], 9);
  }
  if constexpr (Dimensions == 3) {
    EXPECT_EQ(host[2][1][4], 49);
  }
}

TEST(accessor, gives_elements_in_row_major_order) {
  check_elements<1>();
  check_elements<2>();
  check_elements<3>();
}

// 4.7.6.7: the members of a container.
TEST(host_accessor, is_a_container) {
  sycl::buffer<int, 1> b(sycl::range<1>(6));
  sycl::host_accessor a(b);
  using type = decltype(a);
  static_assert(std::is_same_v<type::value_type, int>);
  static_assert(std::is_same_v<type::reference, int&>);
  static_assert(std::is_same_v<type::const_reference, const int&>);
  static_assert(std::is_signed_v<type::difference_type> && std::is_unsigned_v<type::size_type>);
  static_assert(std::is_base_of_v<std::random_access_iterator_tag,
                                  std::iterator_traits<type::iterator>::iterator_category>);
  std::iota(a.begin(), a.end(), 1);
  EXPECT_EQ(a[5], 6);
  EXPECT_EQ(*a.cbegin(), 1);
  EXPECT_EQ(*a.rbegin(), 6);
  EXPECT_EQ(*a.crbegin(), 6);
  EXPECT_EQ(std::distance(a.begin(), a.end()), 6);
  EXPECT_EQ(std::accumulate(a.crbegin(), a.crend(), 0), 21);
  EXPECT_EQ(a.size(), 6u);
  EXPECT_EQ(a.byte_size(), 6 * sizeof(int));
  EXPECT_GE(a.max_size(), a.size());
  EXPECT_FALSE(a.empty());
  EXPECT_EQ(a.get_range(), sycl::range<1>(6));
  EXPECT_EQ(a.get_offset(), sycl::id<1>(0));
  std::sort(a.begin(), a.end(), [](int x, int y) { return x > y; });
  EXPECT_EQ(a[0], 6);
  sycl::buffer<int, 1> c(sycl::range<1>(6));
  sycl::host_accessor other(c);
  other[0] = 99;
  a.swap(other);
  EXPECT_EQ(a[0], 99);
  EXPECT_EQ(other[0], 6);
}

// 4.7.6.8: indices count from the beginning of the part.
TEST(accessor, of_a_part_counts_from_its_offset) {
  sycl::queue q;
  std::vector<int> data(6 * 8, 0);
  {
    sycl::buffer<int, 2> b(data.data(), sycl::range<2>(6, 8));
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::range<2>(2, 3), sycl::id<2>(3, 4), sycl::read_write);
      EXPECT_EQ(a.get_range(), sycl::range<2>(2, 3));
      EXPECT_EQ(a.get_offset(), sycl::id<2>(3, 4));
      EXPECT_EQ(a.size(), 6u);
      h.parallel_for(a.get_range(), [=](sycl::id<2> i) { a[i] += 1; });
    });
    sycl::host_accessor part(b, sycl::range<2>(2, 3), sycl::id<2>(3, 4), sycl::read_only);
    EXPECT_EQ(std::count(part.begin(), part.end(), 1), 6);
  }
  for (int row = 0; row < 6; ++row) {
    for (int column = 0; column < 8; ++column) {
      const bool inside = row >= 3 && row < 5 && column >= 4 && column < 7;
      EXPECT_EQ(data[row * 8 + column], inside ? 1 : 0) << row << ' ' << column;
    }
  }
}

TEST(accessor, of_more_than_the_buffer_is_refused) {
  sycl::queue q;
  sycl::buffer<int, 1> b(sycl::range<1>(10));
  EXPECT_EQ(code_of([&] { sycl::host_accessor a(b, sycl::range<1>(4), sycl::id<1>(7)); }),
            sycl::errc::invalid);
  q.submit([&](sycl::handler& h) {
    EXPECT_EQ(code_of([&] { sycl::accessor a(b, h, sycl::range<1>(11), sycl::read_only); }),
              sycl::errc::invalid);
    h.single_task([] {});
  });
}

TEST(accessor, of_no_dimension_is_the_first_element) {
  sycl::queue q;
  sycl::buffer<int, 1> b(sycl::range<1>(1));
  q.submit([&](sycl::handler& h) {
    sycl::accessor<int, 0, write> a(b, h, sycl::no_init);
    EXPECT_EQ(a.size(), 1u);
    h.single_task([=] { a = 7; });
  });
  q.submit([&](sycl::handler& h) {
    sycl::accessor<int, 0> a(b, h);
    h.single_task([=] {
      int& reference = a;
      reference += 1;
    });
  });
  sycl::host_accessor<int, 0> host(b);
  const int seen = host;
  EXPECT_EQ(seen, 8);
}

// 4.7.6.9: placeholders get their command group later.
TEST(accessor, that_is_a_placeholder_is_required_by_a_command_group) {
  sycl::queue q;
  sycl::buffer<int, 1> b(sycl::range<1>(8));
  sycl::accessor<int, 1, write> placeholder(b, sycl::no_init);
  EXPECT_TRUE(placeholder.is_placeholder());
  q.submit([&](sycl::handler& h) {
    h.require(placeholder);
    sycl::accessor bound(b, h);
    EXPECT_FALSE(bound.is_placeholder());
    h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { placeholder[i] = 3; });
  });
  EXPECT_EQ(b.get_host_access(sycl::read_only)[7], 3);
  // As SYCL 1.2.1 has it, by a template argument; of a part of the buffer as well.
  using by_type = sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::device,
                                 sycl::access::placeholder::true_t>;
  const by_type whole(b), part(b, sycl::range<1>(2), sycl::id<1>(6));
  EXPECT_TRUE(whole.is_placeholder());
  q.submit([&](sycl::handler& h) {
    h.require(whole);
    h.require(part);
    const sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::device,
                         sycl::access::placeholder::false_t>
        bound(b, h);
    EXPECT_FALSE(bound.is_placeholder());
    h.single_task([=] { whole[5] += part[1] + bound[4]; });
  });
  EXPECT_EQ(b.get_host_access(sycl::read_only)[5], 9);
}

TEST(accessor, made_by_default_is_empty) {
  const sycl::accessor<int, 1> a;
  const sycl::host_accessor<int, 2> b;
  const sycl::local_accessor<int, 1> c;
  EXPECT_TRUE(a.empty() && b.empty() && c.empty());
  EXPECT_EQ(a.size(), 0u);
  EXPECT_EQ(a.byte_size(), 0u);
  EXPECT_TRUE(a.max_size() == 0 && b.max_size() == 0 && c.max_size() == 0);
  EXPECT_TRUE(a.begin() == a.end());
  // Nor does it wait for a command group.
  EXPECT_FALSE(a.is_placeholder());
}

TEST(accessor, gives_pointers_to_its_data) {
  sycl::queue q;
  sycl::buffer<int, 1> b(sycl::range<1>(8));
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
    h.single_task([=] {
      sycl::multi_ptr<int, sycl::access::address_space::global_space, sycl::access::decorated::no>
          p = a.get_multi_ptr<sycl::access::decorated::no>();
      p[0] = 1;
      a.get_multi_ptr<sycl::access::decorated::yes>()[1] = 2;
      *(a.begin() + 2) = 3;
    });
  });
  sycl::host_accessor host(b, sycl::read_only);
  EXPECT_EQ(host.get_pointer()[0], 1);
  EXPECT_EQ(host[1], 2);
  EXPECT_EQ(host[2], 3);
}

// 4.7.6.10
TEST(accessor, tells_the_properties_that_it_was_given) {
  using sycl::property::no_init;
  sycl::buffer<int, 1> b{sycl::range<1>(4)};
  sycl::queue().submit([&](sycl::handler& h) {
    const sycl::accessor with(b, h, sycl::write_only, sycl::no_init);
    const sycl::accessor without(b, h, sycl::read_only);
    EXPECT_TRUE(with.has_property<no_init>());
    EXPECT_FALSE(without.has_property<no_init>());
    static_assert(std::is_same_v<decltype(with.get_property<no_init>()), no_init>);
    EXPECT_THROW(without.get_property<no_init>(), sycl::exception);
  });
  const sycl::host_accessor discards(b, sycl::property_list{sycl::no_init});
  EXPECT_TRUE(discards.has_property<no_init>());
  EXPECT_NO_THROW(discards.get_property<no_init>());
  const sycl::host_accessor<int> nothing;
  EXPECT_FALSE(nothing.has_property<no_init>());
  EXPECT_THROW(nothing.get_property<no_init>(), sycl::exception);
  const sycl::local_accessor<int> local;
  EXPECT_FALSE(local.has_property<no_init>());
  EXPECT_THROW(local.get_property<no_init>(), sycl::exception);
}

// SYCL 1.2.1's accessors to local memory and of the host.
TEST(accessor, of_older_targets_has_modes_and_a_hash) {
  using sycl::access_mode, sycl::target;
  using local = sycl::accessor<int, 1, access_mode::read, target::local>;
  using host = sycl::accessor<int, 1, access_mode::read_write, target::host_buffer>;
  using counter = sycl::accessor<int, 1, access_mode::atomic, target::local>;
  using counters = sycl::accessor<int, 2, access_mode::atomic, target::device>;
  static_assert(std::is_same_v<counter::reference, int&> &&
                std::is_same_v<counters::reference, int&>);
  sycl::buffer<int, 1> b{sycl::range<1>(4)};
  sycl::queue().submit([&](sycl::handler& h) {
    const local a(sycl::range<1>(4), h), other(sycl::range<1>(4), h);
    EXPECT_EQ(std::hash<local>()(a), std::hash<local>()(local(a)));
    EXPECT_TRUE(a == local(a) && a != other);
  });
  // Of no dimensions: one element for each work-group, constructed from the handler alone.
  using one = sycl::accessor<int, 0, access_mode::read_write, target::local>;
  sycl::queue().submit([&](sycl::handler& h) {
    const one shared(h);
    const sycl::accessor results(b, h, sycl::write_only, sycl::no_init);
    h.parallel_for(sycl::nd_range<1>(4, 2), [=](sycl::nd_item<1> i) {
      if (i.get_local_id(0) == 0) shared = 10 + static_cast<int>(i.get_group(0));
      i.barrier(sycl::access::fence_space::local_space);
      const int& seen = shared;
      results[i.get_global_id()] = seen;
    });
  });
  EXPECT_EQ(b.get_host_access(sycl::read_only)[1], 10);
  EXPECT_EQ(b.get_host_access(sycl::read_only)[3], 11);
  const host a(b);
  EXPECT_EQ(std::hash<host>()(a), std::hash<host>()(host(a)));
  EXPECT_TRUE(a == host(a));
}

TEST(host_accessor, waits_for_commands_and_they_wait_for_it) {
  sycl::queue q;
  sycl::buffer<int, 1> b(sycl::range<1>(1));
  for (int round = 0; round < 3; ++round) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
      h.single_task([=] { a[0] = round; });
    });
    sycl::host_accessor host(b, sycl::read_write);
    EXPECT_EQ(host[0], round);
    host[0] = 100 + round;
  }
  EXPECT_EQ(b.get_host_access(sycl::read_only)[0], 102);
}

TEST(host_accessor, follows_deduction_tags) {
  sycl::buffer<int, 1> b(sycl::range<1>(1));
  {
    sycl::host_accessor reads(b, sycl::read_only);
    static_assert(std::is_same_v<decltype(reads[0]), const int&>);
  }
  {
    sycl::host_accessor writes(b, sycl::write_only, sycl::no_init);
    static_assert(std::is_same_v<decltype(writes), sycl::host_accessor<int, 1, write>>);
    writes[0] = 4;
  }
  EXPECT_EQ(b.get_host_access()[0], 4);
}

// An item of one dimension converts to the number of a row.
template <class Accessor>
using element_at_items = decltype(std::declval<const Accessor&>()[std::declval<sycl::item<1>>()]
                                                                 [std::declval<sycl::item<1>>()]);
static_assert(std::is_same_v<element_at_items<sycl::accessor<int, 2>>, int&>);
static_assert(std::is_same_v<element_at_items<sycl::local_accessor<int, 2>>, int&>);

// 4.7.6.11
TEST(local_accessor, is_shared_by_a_work_group) {
  sycl::queue q;
  constexpr size_t groups = 4, items = 8;
  int* const out = sycl::malloc_shared<int>(groups * items, q);
  q.submit([&](sycl::handler& h) {
    sycl::local_accessor<int, 2> local(sycl::range<2>(2, 4), h);
    sycl::local_accessor<int, 0> one(h);
    static_assert(std::is_same_v<decltype(local)::value_type, int>);
    EXPECT_EQ(local.get_range(), sycl::range<2>(2, 4));
    EXPECT_EQ(local.byte_size(), 8 * sizeof(int));
    h.parallel_for(sycl::nd_range<1>(groups * items, items), [=](sycl::nd_item<1> it) {
      const size_t i = it.get_local_id(0);
      local[i / 4][i % 4] = static_cast<int>(it.get_global_id(0));
      if (i == 0) {
        int& first = one;
        first = 1000;
      }
      sycl::group_barrier(it.get_group());
      const int& first = one;
      const auto flat = local.get_multi_ptr<sycl::access::decorated::no>();
      out[it.get_global_id(0)] = first + flat[items - 1 - i] + 0 * local[sycl::id<2>(1, 3)];
    });
  });
  q.wait();
  for (size_t g = 0; g < groups; ++g) {
    for (size_t i = 0; i < items; ++i)
      EXPECT_EQ(out[g * items + i], static_cast<int>(1000 + g * items + items - 1 - i));
  }
  sycl::free(out, q);
}

TEST(local_accessor, without_work_groups_is_an_error) {
  sycl::queue q;
  EXPECT_EQ(code_of([&] {
              q.submit([&](sycl::handler& h) {
                sycl::local_accessor<int, 1> local(4, h);
                h.single_task([=] { local[0] = 1; });
              });
            }),
            sycl::errc::kernel_argument);
  EXPECT_EQ(code_of([&] {
              q.submit([&](sycl::handler& h) {
                sycl::local_accessor<int, 1> local(4, h);
                h.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) { local[i] = 1; });
              });
            }),
            sycl::errc::kernel_argument);
  // One that the kernel does not use is none of its business.
  int* const out = sycl::malloc_shared<int>(4, q);
  q.submit([&](sycl::handler& h) {
    const sycl::local_accessor<int, 1> unused(4, h);
    h.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) { out[i] = static_cast<int>(i[0]); });
  });
  q.wait();
  q.submit([&](sycl::handler& h) {
    const sycl::local_accessor<int, 1> unused(4, h);
    h.single_task([=] { out[0] = 5; });
  });
  q.wait();
  EXPECT_EQ(out[0] + out[3], 8);
  sycl::free(out, q);
}

}  // namespace
