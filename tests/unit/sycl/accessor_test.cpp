// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <sycl/sycl.hpp>
#include <vector>

#include "expect_error.hpp"

namespace {

using ::testing::HasSubstr;
using ints = std::vector<int>;

ints counted(std::size_t n) {
  ints v(n);
  std::iota(v.begin(), v.end(), 0);
  return v;
}

class accessor : public ::testing::Test {
 protected:
  sycl::queue q;
};

// Every variant is used in a kernel and gives the same result.
template <class Accessor>
void doubles_what_it_covers(sycl::queue& q, sycl::range<2> part, sycl::id<2> offset, ints& v,
                            sycl::range<2> whole) {
  sycl::buffer<int, 2> b(v.data(), whole);
  q.submit([&](sycl::handler& g) {
    Accessor a{b, g, part, offset};
    g.parallel_for(part, [=](sycl::id<2> i) { a[i] += a[i[0]][i[1]]; });
  });
}

TEST_F(accessor, ranged_in_two_dimensions_counts_from_its_offset) {
  for (int variant = 0; variant < 3; ++variant) {
    ints v = counted(12), expected = v;
    for (int i : {5, 6, 9, 10}) expected[i] *= 2;
    const sycl::range<2> part{2, 2}, whole{3, 4};
    const sycl::id<2> offset{1, 1};
    if (variant == 0)
      doubles_what_it_covers<sycl::accessor<int, 2>>(q, part, offset, v, whole);
    else if (variant == 1)
      doubles_what_it_covers<sycl::ranged_accessor<int, 2>>(q, part, offset, v, whole);
    else
      doubles_what_it_covers<sycl::ranged_placeholder_accessor<int, 2>>(q, part, offset, v, whole);
    EXPECT_EQ(v, expected) << variant;
  }
}

TEST_F(accessor, in_three_dimensions_is_row_major) {
  ints v(24);
  {
    sycl::buffer<int, 3> b(v.data(), {2, 3, 4});
    q.submit([&](sycl::handler& g) {
      sycl::unranged_accessor<int, 3> a{b, g};
      g.parallel_for(sycl::range{2, 3, 4}, [=](sycl::item<3> i) {
        a[i] = static_cast<int>(100 * i[0] + 10 * i[1] + i[2]);
        a[i[0]][i[1]][i[2]] += 1;
      });
    });
  }
  EXPECT_EQ(v[0], 1);
  EXPECT_EQ(v[23], 124);
  EXPECT_EQ(v[1 * 12 + 2 * 4 + 1], 122);
}

TEST_F(accessor, ranged_in_three_dimensions_reads_the_right_elements) {
  ints v = counted(60);
  std::vector<int> seen(8);
  {
    sycl::buffer<int, 3> b(v.data(), {3, 4, 5});
    sycl::buffer<int, 3> out(seen.data(), {2, 2, 2});
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::range{2, 2, 2}, sycl::id{1, 2, 3}, sycl::read_only};
      sycl::accessor o{out, g, sycl::write_only, sycl::no_init};
      g.parallel_for(sycl::range{2, 2, 2},
                     [=](sycl::id<3> i) { o[i] = a[i] == a[i[0]][i[1]][i[2]] ? a[i] : -1; });
    });
  }
  EXPECT_EQ(seen, (ints{33, 34, 38, 39, 53, 54, 58, 59}));
}

TEST_F(accessor, iterates_over_its_range_in_row_major_order) {
  ints v = counted(12);
  ints forward, backward;
  {
    sycl::buffer<int, 2> b(v.data(), {3, 4});
    const sycl::host_accessor a{b, sycl::range{2, 3}, sycl::id{1, 1}, sycl::read_only};
    forward.assign(a.begin(), a.end());
    backward.assign(a.crbegin(), a.crend());
    EXPECT_EQ(a.end() - a.begin(), 6);
    EXPECT_EQ(a.begin()[4], 10);
    EXPECT_EQ(*(a.cbegin() + 3), 9);
    EXPECT_EQ(a.get_offset(), sycl::id<2>(1, 1));
    EXPECT_EQ(a.size(), 6U);
    EXPECT_EQ(a.byte_size(), 6 * sizeof(int));
    EXPECT_EQ(a.get_pointer(), v.data());
  }
  EXPECT_EQ(forward, (ints{5, 6, 7, 9, 10, 11}));
  EXPECT_EQ(backward, (ints{11, 10, 9, 7, 6, 5}));
}

TEST_F(accessor, iterates_in_a_kernel_too) {
  ints v = counted(12);
  int sum = 0;
  {
    sycl::buffer<int, 2> b(v.data(), {3, 4});
    sycl::buffer<int> result(&sum, 1);
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::range{2, 3}, sycl::id{1, 1}, sycl::read_only};
      sycl::accessor<int, 0> s{result, g};
      g.single_task([=] {
        int total = 0;
        for (int x : a) total += x;
        s = total;
      });
    });
  }
  EXPECT_EQ(sum, 48);
}

TEST_F(accessor, raw_ignores_the_access_offset) {
  ints v = counted(6);
  {
    sycl::buffer<int> b(v);
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::range{2}, sycl::id{3}, sycl::read_write_raw};
      g.single_task([=] { a[3] = 30; });
    });
    q.submit([&](sycl::handler& g) {
      sycl::ranged_accessor<int> ranged{b, g, sycl::range{2}, sycl::id{3}};
      const sycl::raw_accessor<int> a = ranged;
      g.single_task([=] {
        a[4] = 40;
        ranged[0] += 1;
      });
    });
  }
  EXPECT_EQ(v, (ints{0, 1, 2, 31, 40, 5}));
}

TEST_F(accessor, of_zero_dimensions_is_a_single_element) {
  ints v{5, 7};
  {
    sycl::buffer<int> b(v);
    q.submit([&](sycl::handler& g) {
      sycl::accessor<int, 0> a{b, g};
      sycl::raw_accessor<int, 0> r{b, g};
      EXPECT_EQ(a.size(), 1U);
      g.single_task([=] {
        const int old = a;
        r = old * 2;
      });
    });
  }
  EXPECT_EQ(v, (ints{10, 7}));
}

TEST_F(accessor, placeholder_is_bound_by_require) {
  ints v = counted(4);
  {
    sycl::buffer<int> b(v);
    const sycl::accessor<int> standard{b};
    const sycl::unranged_placeholder_accessor<int> unranged{b};
    const sycl::ranged_placeholder_accessor<int> ranged{b, sycl::range{2}, sycl::id{2}};
    EXPECT_TRUE(standard.is_placeholder());
    for (int i = 0; i < 2; ++i)
      q.submit([&](sycl::handler& g) {
        g.require(standard);
        g.parallel_for(4, [=](sycl::id<1> k) { standard[k] += 1; });
      });
    q.submit([&](sycl::handler& g) {
      g.require(unranged);
      g.require(ranged);
      g.single_task([=] {
        unranged[0] = 100;
        ranged[1] = 200;
      });
    });
  }
  EXPECT_EQ(v, (ints{100, 3, 4, 200}));
}

TEST_F(accessor, bound_by_its_constructor_is_no_placeholder) {
  sycl::buffer<int> b{4};
  q.submit([&](sycl::handler& g) {
    sycl::accessor<int> a{b, g};
    EXPECT_FALSE(a.is_placeholder());
    const sycl::unranged_accessor<int> u{b, g};
    EXPECT_FALSE(u.is_placeholder());
    const sycl::accessor<int> from_variant = u;
    EXPECT_FALSE(from_variant.is_placeholder());
    g.single_task([=] { static_cast<void>(a.size()); });
  });
}

TEST_F(accessor, placeholder_of_a_dead_buffer_cannot_be_required) {
  auto b = std::make_unique<sycl::buffer<int>>(4);
  const sycl::accessor<int> a{*b};
  b.reset();
  sycl::buffer<int> successor{4};
  q.submit([&](sycl::handler& g) {
    EXPECT_EQ(error_code_of([&] { g.require(a); }), sycl::errc::invalid);
    EXPECT_THAT(error_text_of([&] { g.require(a); }), HasSubstr("has ended"));
    g.single_task([] {});
  });
}

TEST_F(accessor, that_was_default_constructed_cannot_be_required) {
  q.submit([&](sycl::handler& g) {
    EXPECT_EQ(error_code_of([&] { g.require(sycl::accessor<int>()); }), sycl::errc::invalid);
    const sycl::accessor<int, 2, sycl::access_mode::read> none;
    EXPECT_EQ(error_code_of([&] { g.require(none); }), sycl::errc::invalid);
    g.single_task([] {});
  });
}

TEST_F(accessor, out_of_bounds_says_where) {
  sycl::buffer<int, 2> b{{4, 8}};
  q.submit([&](sycl::handler& g) {
    const auto far = [&] { sycl::accessor a{b, g, sycl::range{2, 3}, sycl::id{1, 6}}; };
    EXPECT_EQ(error_code_of(far), sycl::errc::invalid);
    EXPECT_EQ(error_text_of(far),
              "accessor: out of the buffer's range in dimension 1: offset {1, 6}, range {2, 3}, "
              "buffer range {4, 8}");
    // No wrap-around.
    EXPECT_EQ(error_code_of([&] {
                sycl::accessor a{b, g, sycl::range{2, static_cast<std::size_t>(-1)},
                                 sycl::id{1, 2}};
              }),
              sycl::errc::invalid);
    g.single_task([] {});
  });
  EXPECT_THAT(error_text_of([&] { sycl::host_accessor a{b, sycl::range{5, 1}}; }),
              HasSubstr("host_accessor: out of the buffer's range in dimension 0"));
}

TEST_F(accessor, no_init_contradicts_reading) {
  sycl::buffer<int> b{4};
  EXPECT_EQ(error_code_of([&] { sycl::accessor a{b, sycl::read_only, sycl::no_init}; }),
            sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { sycl::host_accessor a{b, sycl::read_only, sycl::no_init}; }),
            sycl::errc::invalid);
}

TEST_F(accessor, equality_and_hash_follow_copies) {
  sycl::buffer<int> b{4};
  const sycl::accessor<int> x{b}, y{b};
  const sycl::accessor<int> copy = x;
  EXPECT_TRUE(x == copy);
  EXPECT_TRUE(x != y);
  EXPECT_EQ(std::hash<sycl::accessor<int>>()(x), std::hash<sycl::accessor<int>>()(copy));
  sycl::accessor<int> s = x, t = y;
  swap(s, t);
  EXPECT_TRUE(s == y);
  EXPECT_TRUE(t == x);
}

TEST_F(accessor, of_a_sub_buffer_in_a_kernel) {
  ints v = counted(12);
  {
    sycl::buffer<int, 2> b(v.data(), {3, 4});
    sycl::buffer<int, 2> row(b, {1, 0}, {1, 4});
    auto line = row.reinterpret<int, 1>(sycl::range<1>(4));
    const sycl::accessor<int> placeholder{line};
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{row, g};
      g.parallel_for(4, [=](sycl::id<1> i) { a[0][i] *= 10; });
    });
    q.submit([&](sycl::handler& g) {
      g.require(placeholder);
      g.parallel_for(4, [=](sycl::id<1> i) { placeholder[i] += 1; });
    });
  }
  EXPECT_EQ(v, (ints{0, 1, 2, 3, 41, 51, 61, 71, 8, 9, 10, 11}));
}

TEST_F(accessor, to_a_host_task_holds_an_address) {
  ints v{1, 2};
  {
    sycl::buffer<int> b(v);
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::read_write_host_task};
      EXPECT_EQ(a.get_pointer(), v.data());
      g.host_task([=] { a[1] = 3; });
    });
  }
  EXPECT_EQ(v[1], 3);
}

TEST_F(accessor, legacy_forms_still_work) {
  ints v{1, 2, 3};
  {
    sycl::buffer<int> b(v);
    q.submit([&](sycl::handler& g) {
      auto in = b.get_access<sycl::access::mode::read, sycl::target::constant_buffer>(g);
      g.single_task([=] { static_cast<void>(in[0]); });
    });
    q.submit([&](sycl::handler& g) {
      auto a = b.get_access<sycl::access::mode::discard_write>(g);
      sycl::accessor<int, 1, sycl::access::mode::read_write, sycl::access::target::local> l(3, g);
      g.parallel_for(sycl::nd_range<1>(3, 3), [=](sycl::nd_item<1> i) {
        l[i.get_local_id()] = 5;
        a[i.get_global_id()] = l[i.get_local_id()];
      });
    });
    auto host = b.get_access<sycl::access::mode::read_write>();
    EXPECT_EQ(host[2], 5);
    host[0] = 9;
  }
  EXPECT_EQ(v, (ints{9, 5, 5}));
}

}  // namespace
