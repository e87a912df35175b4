// SPDX-License-Identifier: Apache-2.0
// What vec, its swizzles and pointers with address spaces do not do, and what the compiler says then.
// CASE a_vec_of_five: a vec has 1, 2, 3, 4, 8 or 16 elements
// CASE too_few_elements: no matching function|no matching constructor
// CASE assigning_to_an_element_twice: names an element twice cannot be assigned to
// CASE assigning_to_a_swizzle_of_a_const_vec: a swizzle of a const vec cannot be assigned to
// CASE an_element_that_is_not_there: names elements that the vec has
// CASE as_another_size: the other type must be as large
// CASE remainder_of_floats: no match for .operator%|invalid operands to binary
// CASE incrementing_bools: bool elements cannot be incremented
// CASE adding_different_vecs: no match for .operator\+|invalid operands to binary
// CASE a_local_pointer_as_a_global_one: deleted
// CASE a_pointer_to_the_constant_space: no cast to the constant address space
// CASE atomic_of_a_short: atomic refers to numbers of 4 or 8 bytes
#include <sycl/kernel/atomic.hpp>
#include <sycl/kernel/vec_aliases.hpp>
#include <sycl/khr/static_addrspace_cast.hpp>

using namespace sycl;

void right(float4 v, const float4& c) {
  v.swizzle<1, 0>() = c.lo();
  v += c * 2;
  float8 wide(v, c);
  static_cast<void>(wide.as<double4>());
}

#ifdef CASE_a_vec_of_five
vec<int, 5> wrong;
#endif

#ifdef CASE_too_few_elements
float4 wrong(1, 2, 3);
#endif

#ifdef CASE_assigning_to_an_element_twice
void wrong(float4 v) { v.swizzle<0, 0>() = float2(1, 2); }
#endif

#ifdef CASE_assigning_to_a_swizzle_of_a_const_vec
void wrong(const float4& v) { v.lo() = float2(1, 2); }
#endif

#ifdef CASE_an_element_that_is_not_there
void wrong(float4 v) { v.swizzle<4>(); }
#endif

#ifdef CASE_as_another_size
void wrong(float4 v) { v.as<double4>(); }
#endif

#ifdef CASE_remainder_of_floats
float4 wrong(float4 v) { return v % v; }
#endif

#ifdef CASE_incrementing_bools
void wrong(vec<bool, 4> v) { ++v; }
#endif

#ifdef CASE_adding_different_vecs
float4 wrong(float4 v, int4 w) { return v + w; }
#endif

#ifdef CASE_a_local_pointer_as_a_global_one
raw_global_ptr<int> wrong(raw_local_ptr<int> p) { return raw_global_ptr<int>(p); }
#endif

#ifdef CASE_a_pointer_to_the_constant_space
auto wrong(int* p) { return khr::static_addrspace_cast<access::address_space::constant_space>(p); }
#endif

#ifdef CASE_atomic_of_a_short
void wrong(atomic<short>& a) { a.load(); }
#endif
