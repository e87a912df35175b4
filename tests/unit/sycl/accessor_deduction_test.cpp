// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sycl/sycl.hpp>
#include <type_traits>

#include "accessor_deduction_cases.hpp"

namespace {

using sycl::access_mode;
using V = sycl::accessor_variant;

template <class Expected, class Accessor>
void is(const Accessor&) {
  static_assert(std::is_same<Expected, Accessor>::value);
}

template <access_mode M, sycl::target G = sycl::target::device, V Variant = V::false_t>
using line = sycl::accessor<int, 1, M, G, Variant>;

TEST(accessor_deduction, follows_tags) {
  sycl::queue q;
  sycl::buffer<int> b{8};
  q.submit([&](sycl::handler& g) {
    const sycl::range r{4};
    const sycl::id o{2};
    is<line<access_mode::read_write>>(sycl::accessor{b, g});
    is<line<access_mode::read>>(sycl::accessor{b, g, sycl::read_only});
    is<line<access_mode::write>>(sycl::accessor{b, g, sycl::write_only, sycl::no_init});
    is<line<access_mode::read_write>>(sycl::accessor{b, g, r});
    is<line<access_mode::read>>(sycl::accessor{b, g, r, o, sycl::read_only});
    is<line<access_mode::read_write>>(sycl::accessor{b, r, o});
    is<line<access_mode::read, sycl::target::host_task>>(
        sycl::accessor{b, g, sycl::read_only_host_task});
    is<line<access_mode::write, sycl::target::host_task>>(
        sycl::accessor{b, g, r, sycl::write_only_host_task});
    is<line<access_mode::read, sycl::target::device, V::raw>>(
        sycl::accessor{b, g, sycl::read_only_raw});
    is<line<access_mode::write, sycl::target::device, V::raw>>(
        sycl::accessor{b, g, r, o, sycl::write_only_raw});
    is<line<access_mode::read>>(b.get_access(g, sycl::read_only));
    is<line<access_mode::read>>(b.get_access<access_mode::read>(g));
    is<line<access_mode::read_write>>(b.get_access(g, 4, 2));
    is<line<access_mode::write>>(b.get_access<access_mode::write>(g, 4));
    is<line<access_mode::read_write>>(b.get_access());
    g.host_task([] {});
  });
  sycl::buffer<const int> constant{8};
  is<sycl::accessor<const int, 1, access_mode::read>>(sycl::accessor{constant});
}

TEST(accessor_deduction, with_the_macro_gives_the_smallest_variant) {
  // Compiled in a unit that defines the macro; both kinds of units link into one program.
  sycl::buffer<int> b{8};
  sycl::queue q;
  q.submit([&](sycl::handler& g) {
    EXPECT_EQ(deduction_cases::with_macro(b, g), "");
    g.host_task([] {});
  });
}

}  // namespace
