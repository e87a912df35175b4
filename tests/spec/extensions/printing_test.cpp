// SPDX-License-Identifier: Apache-2.0
// What programs write to streams of the standard library: enumerators, ids, ranges and vectors. The specification has no such
// operators, so programs may bring their own.
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace a_program {
// It prints these in its own way.
inline std::ostream& operator<<(std::ostream& out, const sycl::range<3>& r) {
  return out << r[0] << "x" << r[1] << "x" << r[2];
}
template <int D>
std::ostream& operator<<(std::ostream& out, const sycl::id<D>& i) {
  return out << "id of " << D << " from " << i[0];
}
inline std::ostream& operator<<(std::ostream& out, const sycl::float4& v) {
  return out << "(" << v.x() << ")";
}
inline std::ostream& operator<<(std::ostream& out, sycl::backend) { return out << "some backend"; }

template <class T>
std::string text_of(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}
}  // namespace a_program

namespace {

template <class T>
std::string text_of(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

TEST(printing, gives_the_names_of_enumerators) {
  EXPECT_EQ(text_of(sycl::backend::openmp), "openmp");
  EXPECT_EQ(text_of(sycl::backend::cuda), "ext_oneapi_cuda");
  EXPECT_EQ(text_of(sycl::backend::hip), "ext_oneapi_hip");
  EXPECT_EQ(text_of(sycl::backend::level_zero), "ext_oneapi_level_zero");
  EXPECT_EQ(text_of(sycl::backend::opencl), "opencl");
  EXPECT_EQ(text_of(sycl::backend::other), "other");
  EXPECT_EQ(text_of(sycl::aspect::fp64), "fp64");
  EXPECT_EQ(text_of(sycl::aspect::usm_shared_allocations), "usm_shared_allocations");
  EXPECT_EQ(text_of(sycl::errc::nd_range), "nd_range");
  EXPECT_EQ(text_of(sycl::errc::backend_mismatch), "backend_mismatch");
  EXPECT_EQ(text_of(sycl::info::device_type::gpu), "gpu");
  EXPECT_EQ(text_of(sycl::info::device_type::all), "all");
  EXPECT_EQ(text_of(sycl::info::event_command_status::running), "running");
  EXPECT_EQ(text_of(sycl::info::partition_property::partition_equally), "partition_equally");
  EXPECT_EQ(text_of(sycl::info::partition_affinity_domain::L3_cache), "L3_cache");
  EXPECT_EQ(text_of(sycl::info::local_mem_type::local), "local");
  EXPECT_EQ(text_of(sycl::info::global_mem_cache_type::read_write), "read_write");
  EXPECT_EQ(text_of(sycl::info::fp_config::inf_nan), "inf_nan");
  EXPECT_EQ(text_of(sycl::info::execution_capability::exec_kernel), "exec_kernel");
  EXPECT_EQ(text_of(sycl::bundle_state::executable), "executable");
  EXPECT_EQ(text_of(sycl::usm::alloc::shared), "shared");
  EXPECT_EQ(text_of(sycl::memory_order::acq_rel), "acq_rel");
  EXPECT_EQ(text_of(sycl::memory_scope::work_group), "work_group");
  EXPECT_EQ(text_of(sycl::access_mode::read_write), "read_write");
  EXPECT_EQ(text_of(sycl::access::mode::discard_write), "discard_write");
  EXPECT_EQ(text_of(sycl::target::host_task), "host_task");
  EXPECT_EQ(text_of(sycl::access::target::global_buffer), "device");
  EXPECT_EQ(text_of(sycl::access::target::image), "image");
  EXPECT_EQ(text_of(sycl::access::target::host_image), "host_image");
  EXPECT_EQ(text_of(sycl::access::target::image_array), "image_array");
  EXPECT_EQ(text_of(sycl::access::address_space::local_space), "local_space");
  EXPECT_EQ(text_of(sycl::access::decorated::legacy), "legacy");
  EXPECT_EQ(text_of(sycl::rounding_mode::rtz), "rtz");
  EXPECT_EQ(text_of(sycl::addressing_mode::clamp_to_edge), "clamp_to_edge");
  EXPECT_EQ(text_of(sycl::filtering_mode::linear), "linear");
  EXPECT_EQ(text_of(sycl::coordinate_normalization_mode::unnormalized), "unnormalized");
  EXPECT_EQ(text_of(static_cast<sycl::errc>(12345)), "unknown");
}

TEST(printing, gives_ids_and_ranges_in_braces_and_the_id_of_one_dimension_as_a_number) {
  EXPECT_EQ(text_of(sycl::id<1>(7)), "7");
  EXPECT_EQ(text_of(sycl::id<2>(7, 8)), "{7, 8}");
  EXPECT_EQ(text_of(sycl::id<3>(7, 8, 9)), "{7, 8, 9}");
  EXPECT_EQ(text_of(sycl::range<1>(7)), "{7}");
  EXPECT_EQ(text_of(sycl::range<3>(1, 2, 3)), "{1, 2, 3}");
}

TEST(printing, gives_the_elements_of_vectors_and_arrays) {
  const sycl::int4 v(1, -2, 3, 4);
  EXPECT_EQ(text_of(v), "1, -2, 3, 4");
  EXPECT_EQ(text_of(v.swizzle<3, 0>()), "4, 1");
  EXPECT_EQ(text_of(v.lo()), "1, -2");
  EXPECT_EQ(text_of(sycl::vec<unsigned char, 2>(65, 66)), "65, 66");
  EXPECT_EQ(text_of(sycl::vec<sycl::half, 2>(0.5f, 2.0f)), "0.5, 2");
  EXPECT_EQ(text_of(sycl::vec<float, 1>(0.5f)), "0.5");
  EXPECT_EQ(text_of(sycl::marray<double, 3>(1.5, 2.0, 3.0)), "1.5, 2, 3");
  EXPECT_EQ(text_of(sycl::marray<bool, 2>(true, false)), "1, 0");
  EXPECT_EQ(text_of(sycl::half(1.5f)), "1.5");
}

TEST(printing, leaves_programs_their_own_operators) {
  EXPECT_EQ(a_program::text_of(sycl::range<3>(1, 2, 3)), "1x2x3");
  EXPECT_EQ(a_program::text_of(sycl::range<2>(1, 2)), "{1, 2}");
  EXPECT_EQ(a_program::text_of(sycl::id<2>(5, 6)), "id of 2 from 5");
  EXPECT_EQ(a_program::text_of(sycl::float4(2.5f)), "(2.5)");
  EXPECT_EQ(a_program::text_of(sycl::backend::hip), "some backend");
}

}  // namespace
