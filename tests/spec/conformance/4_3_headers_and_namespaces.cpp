// SPDX-License-Identifier: Apache-2.0
// 4.3: header files and namespaces; 4.4: which classes there are, on the host and in kernels.
// also tests: 4.4
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <type_traits>

// What programs may add to the namespace: specialisations for their own types.
struct handle_without_trivial_copies {
  handle_without_trivial_copies() = default;
  handle_without_trivial_copies(const handle_without_trivial_copies& other) : value(other.value) {}
  handle_without_trivial_copies& operator=(const handle_without_trivial_copies&) = default;
  int value = 0;
};
template <>
struct sycl::is_device_copyable<handle_without_trivial_copies> : std::true_type {};

struct another_handle : handle_without_trivial_copies {};
namespace sycl {
template <>
struct is_device_copyable<another_handle> : std::true_type {};
}  // namespace sycl

namespace {

TEST(namespaces, take_specialisations_of_programs) {
  static_assert(sycl::is_device_copyable_v<handle_without_trivial_copies>);
  static_assert(sycl::is_device_copyable_v<another_handle>);
  static_assert(sycl::is_device_copyable_v<const handle_without_trivial_copies[3]>);
  sycl::queue q;
  int* const out = sycl::malloc_shared<int>(2, q);
  handle_without_trivial_copies a;
  another_handle b;
  a.value = 5;
  b.value = 6;
  q.single_task([=] {
     out[0] = a.value;
     out[1] = b.value;
   }).wait();
  EXPECT_EQ(out[0], 5);
  EXPECT_EQ(out[1], 6);
  sycl::free(out, q);
}

// 4.4: every class by its name.
TEST(classes, are_there_for_the_host) {
  using namespace sycl;
  EXPECT_GT(sizeof(buffer<int>) + sizeof(context) + sizeof(device) + sizeof(event) +
                sizeof(exception) + sizeof(host_accessor<int>) + sizeof(id<1>) + sizeof(kernel_id) +
                sizeof(kernel_bundle<bundle_state::executable>) + sizeof(marray<int, 2>) +
                sizeof(nd_range<1>) + sizeof(platform) + sizeof(queue) + sizeof(range<1>) +
                sizeof(vec<int, 2>) + sizeof(stream) + sizeof(image_sampler) +
                sizeof(sampled_image<2>) + sizeof(unsampled_image<2>) +
                sizeof(device_image<bundle_state::executable>) + sizeof(kernel),
            0u);
  static_assert(std::is_class_v<buffer_allocator<int>> && std::is_class_v<image_allocator>);
}

TEST(classes, are_there_for_kernels) {
  using namespace sycl;
  EXPECT_GT(sizeof(accessor<int>) + sizeof(local_accessor<int>) +
                sizeof(atomic_ref<int, memory_order::relaxed, memory_scope::device>) +
                sizeof(device_event) + sizeof(group<1>) + sizeof(h_item<1>) + sizeof(item<1>) +
                sizeof(multi_ptr<int, access::address_space::global_space>) + sizeof(nd_item<1>) +
                sizeof(sub_group) + sizeof(sampled_image_accessor<float4, 2>) +
                sizeof(unsampled_image_accessor<float4, 2, access_mode::read>),
            0u);
}

}  // namespace
