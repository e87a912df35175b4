// SPDX-License-Identifier: Apache-2.0
// The restrictions of docs/accessor-variants.md.
// EXPECT-ERROR: no match|no matching|no viable|conversion from|no known conversion|cannot convert|could not convert|deduction failed
// CASE a_raw_accessor_has_no_size: no matching
// CASE a_raw_accessor_has_no_range: no matching
// CASE iterating_over_a_raw_accessor: a raw accessor knows no range|no matching
// CASE atomic_mode: access_mode::atomic is deprecated
// CASE writing_through_a_read_accessor: read-only|not assignable|const value
// CASE require_of_a_bound_variant: raw, ranged and unranged accessors are bound at construction
// CASE writing_accessor_of_const_elements: an accessor of const elements has access_mode::read
#include <sycl/sycl.hpp>

using buffer = sycl::buffer<int, 2>;
using standard = sycl::accessor<int, 2>;
using raw = sycl::raw_accessor<int, 2>;
using ranged = sycl::ranged_accessor<int, 2>;
using unranged = sycl::unranged_accessor<int, 2>;
using ranged_placeholder = sycl::ranged_placeholder_accessor<int, 2>;
using unranged_placeholder = sycl::unranged_placeholder_accessor<int, 2>;

void right(buffer& b, sycl::buffer<int>& line, sycl::handler& h) {
  raw r{b, h, sycl::range<2>{1, 1}};
  unranged u{b, h};
  ranged_placeholder p{b, sycl::range<2>{1, 1}, sycl::id<2>{0, 1}};
  h.require(p);
  ranged converted = u;
  r = converted;
  sycl::raw_accessor<int> one{line, h};
  one[3] = 1;
}

#ifdef CASE_raw_to_standard
standard wrong(raw a) { return a; }
#endif
#ifdef CASE_raw_to_unranged
unranged wrong(raw a) { return a; }
#endif
#ifdef CASE_ranged_to_unranged
unranged wrong(ranged a) { return a; }
#endif
#ifdef CASE_ranged_placeholder_to_unranged_placeholder
unranged_placeholder wrong(ranged_placeholder a) { return a; }
#endif
#ifdef CASE_standard_to_unranged
unranged wrong(standard a) { return a; }
#endif
#ifdef CASE_unranged_to_placeholder
unranged_placeholder wrong(unranged a) { return a; }
#endif
#ifdef CASE_ranged_to_placeholder
ranged_placeholder wrong(ranged a) { return a; }
#endif
#ifdef CASE_standard_to_placeholder
ranged_placeholder wrong(standard a) { return a; }
#endif
#ifdef CASE_raw_without_handler
raw wrong(buffer& b) { return raw{b}; }
#endif
#ifdef CASE_raw_tag_without_handler
void wrong(buffer& b) { sycl::accessor a{b, sycl::read_only_raw}; }
#endif
#ifdef CASE_unranged_without_handler
unranged wrong(buffer& b) { return unranged{b}; }
#endif
#ifdef CASE_unranged_with_a_range
unranged wrong(buffer& b, sycl::handler& h) { return unranged{b, h, sycl::range<2>{1, 1}}; }
#endif
#ifdef CASE_unranged_placeholder_with_a_range
unranged_placeholder wrong(buffer& b) { return unranged_placeholder{b, sycl::range<2>{1, 1}}; }
#endif
#ifdef CASE_ranged_without_handler
ranged wrong(buffer& b) { return ranged{b, sycl::range<2>{1, 1}}; }
#endif
#ifdef CASE_a_raw_accessor_has_no_size
auto wrong(raw a) { return a.size(); }
#endif
#ifdef CASE_a_raw_accessor_has_no_range
auto wrong(raw a) { return a.get_range(); }
#endif
#ifdef CASE_subscript_of_a_2d_raw_accessor
auto wrong(raw a) { return a[sycl::id<2>{0, 0}]; }
#endif
#ifdef CASE_iterating_over_a_raw_accessor
auto wrong(raw a) { return a.begin(); }
#endif
#ifdef CASE_atomic_mode
sycl::accessor<int, 1, sycl::access_mode::atomic, sycl::target::host_task> wrong;
#endif
#ifdef CASE_writing_through_a_read_accessor
void wrong(sycl::accessor<int, 1, sycl::access_mode::read> a) { a[0] = 1; }
#endif
#ifdef CASE_a_tag_of_another_mode
void wrong(buffer& b, sycl::handler& h) { standard a{b, h, sycl::read_only}; }
#endif
#ifdef CASE_require_of_a_bound_variant
void wrong(sycl::handler& h, unranged a) { h.require(a); }
#endif
#ifdef CASE_writing_accessor_of_const_elements
sycl::accessor<const int, 1, sycl::access_mode::write> wrong;
#endif
#ifdef CASE_buffer_of_other_elements
void wrong(sycl::buffer<float, 2>& b, sycl::handler& h) { standard a{b, h}; }
#endif
#ifdef CASE_buffer_of_other_dimensions
void wrong(sycl::buffer<int, 1>& b, sycl::handler& h) { standard a{b, h}; }
#endif
#ifdef CASE_writing_to_a_buffer_of_const_elements
void wrong(sycl::buffer<const int, 2>& b, sycl::handler& h) { standard a{b, h}; }
#endif
