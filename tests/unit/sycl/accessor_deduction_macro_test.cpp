// SPDX-License-Identifier: Apache-2.0
// compiled alone: the macro changes what the headers declare.
#define ACPP_EXT_ACCESSOR_VARIANT_DEDUCTION
#include <type_traits>

#include "accessor_deduction_cases.hpp"

namespace {

template <sycl::accessor_variant V, sycl::access_mode M, class Accessor>
bool is(const Accessor&) {
  return std::is_same<sycl::accessor<int, 1, M, sycl::target::device, V>, Accessor>::value;
}

}  // namespace

std::string deduction_cases::with_macro(sycl::buffer<int>& b, sycl::handler& g) {
  using V = sycl::accessor_variant;
  using sycl::access_mode;
  const sycl::range r{4};
  const sycl::id o{2};
  std::string wrong;
  const auto expect = [&](bool right, const char* name) {
    if (!right) wrong += std::string(name) + "; ";
  };
  expect(is<V::unranged_placeholder, access_mode::read_write>(
             sycl::accessor{b, sycl::read_write, sycl::no_init}),
         "placeholder");
  expect(is<V::ranged_placeholder, access_mode::read_write>(
             sycl::accessor{b, r, o, sycl::read_write, sycl::no_init}),
         "ranged placeholder");
  expect(is<V::unranged, access_mode::read>(sycl::accessor{b, g, sycl::read_only}), "bound");
  expect(is<V::ranged, access_mode::read>(sycl::accessor{b, g, r, sycl::read_only}), "ranged");
  expect(is<V::ranged, access_mode::write>(sycl::accessor{b, g, r, o, sycl::write_only}),
         "ranged with offset");
  expect(is<V::unranged, access_mode::read_write>(sycl::accessor{b, g}), "without tag");
  expect(is<V::raw, access_mode::read>(sycl::accessor{b, g, sycl::read_only_raw}), "raw");
  expect(is<V::unranged, access_mode::read>(b.get_access<access_mode::read>(g)), "get_access");
  expect(is<V::ranged, access_mode::read_write>(b.get_access(g, r, o)), "ranged get_access");
  expect(is<V::unranged, access_mode::read>(b.get_access(g, sycl::read_only)),
         "get_access with tag");
  return wrong;
}
