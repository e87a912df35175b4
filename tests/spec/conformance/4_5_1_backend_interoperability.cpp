// SPDX-License-Identifier: Apache-2.0
// 4.5.1: backend interoperability: a backend's native types, and the way to native handles and back. (With drivers: the tests
// of GPUs.)
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <type_traits>
#include <vector>

#include "errors.hpp"

namespace {

using sycl::backend;

template <class, backend, class, class = void>
inline constexpr bool has_native_type = false;
template <class Tag, backend B, class Object>
inline constexpr bool
    has_native_type<Tag, B, Object, std::void_t<sycl::backend_return_t<B, Object>>> = true;

template <backend B>
constexpr bool has_the_native_types() {
  return has_native_type<void, B, sycl::device> && has_native_type<void, B, sycl::context> &&
         has_native_type<void, B, sycl::queue> && has_native_type<void, B, sycl::event>;
}

TEST(backend_traits, name_the_native_types_of_backends_with_a_driver) {
  static_assert(has_the_native_types<backend::cuda>() && has_the_native_types<backend::hip>());
  static_assert(!has_native_type<void, backend::openmp, sycl::queue>);
  static_assert(!has_native_type<void, backend::simulated, sycl::device>);
  static_assert(std::is_same_v<sycl::backend_input_t<backend::cuda, sycl::queue>,
                               sycl::backend_traits<backend::cuda>::input_type<sycl::queue>>);
  static_assert(std::is_same_v<sycl::backend_return_t<backend::hip, sycl::event>,
                               sycl::backend_traits<backend::hip>::return_type<sycl::event>>);
  static_assert(std::is_same_v<sycl::backend_return_t<backend::cuda, sycl::device>, int>);
  static_assert(std::is_pointer_v<sycl::backend_return_t<backend::cuda, sycl::queue>>);
}

template <backend B>
void goes_there_and_back(const sycl::device& d) {
  // A context has one native context for each device.
  sycl::queue q(sycl::context(d), d);
  EXPECT_EQ(sycl::make_device<B>(sycl::get_native<B>(d)), d);
  const auto context = sycl::get_native<B>(q.get_context());
  // HIP has contexts only for the sake of older programs, and devices may share one.
  const sycl::device found = sycl::make_context<B>(context).get_devices().front();
  EXPECT_EQ(found.get_backend(), B);
  if (B != backend::hip) {
    EXPECT_EQ(found, d);
  }
  sycl::queue adopted = sycl::make_queue<B>(sycl::get_native<B>(q), q.get_context());
  int* const value = sycl::malloc_shared<int>(1, q);
  adopted.single_task([=] { *value = 7; }).wait();
  EXPECT_EQ(*value, 7);
  const sycl::event e = q.single_task([=] { *value += 1; });
  sycl::make_event<B>(sycl::get_native<B>(e), q.get_context()).wait();
  EXPECT_EQ(*value, 8);
  sycl::free(value, q);
}

// Of several devices, the one whose stream it is.
template <backend B>
void finds_the_device_of_a_stream() {
  std::vector<sycl::device> devices;
  for (const sycl::device& d : sycl::device::get_devices())
    if (d.get_backend() == B) devices.push_back(d);
  if (devices.empty()) return;
  const sycl::context all(devices);
  EXPECT_EQ(code_of([&] { (void)sycl::make_queue<B>(nullptr, all); }), sycl::errc::invalid);
  for (const sycl::device& d : devices) {
    sycl::queue q(all, d);
    const auto stream = sycl::get_native<B>(q);
    sycl::queue adopted = sycl::make_queue<B>(stream, all);
    EXPECT_EQ(adopted.get_device(), d);
    EXPECT_TRUE(adopted.is_in_order());
    int* const value = sycl::malloc_device<int>(1, adopted);
    int result = 0;
    adopted.single_task([=] { *value = 7; });
    adopted.copy(value, &result, 1).wait();
    EXPECT_EQ(result, 7);
    sycl::free(value, adopted);
    for (const sycl::device& other : devices) {
      if (other == d) continue;
      EXPECT_EQ(code_of([&] { (void)sycl::make_queue<B>(stream, sycl::context(other)); }),
                sycl::errc::invalid);
    }
  }
}

TEST(native_handles, of_streams_make_queues_of_their_devices) {
  finds_the_device_of_a_stream<backend::cuda>();
  finds_the_device_of_a_stream<backend::hip>();
}

template <backend B>
void is_refused(const sycl::device& d) {
  sycl::queue q(d);
  EXPECT_EQ(code_of([&] { (void)sycl::get_native<B>(d); }), sycl::errc::backend_mismatch);
  EXPECT_EQ(code_of([&] { (void)sycl::get_native<B>(q.get_context()); }),
            sycl::errc::backend_mismatch);
  EXPECT_EQ(code_of([&] { (void)sycl::get_native<B>(q); }), sycl::errc::backend_mismatch);
  EXPECT_EQ(code_of([&] { (void)sycl::get_native<B>(q.single_task([] {})); }),
            sycl::errc::backend_mismatch);
  q.wait();
}

TEST(native_handles, go_there_and_back_and_are_refused_for_another_backend) {
  for (const sycl::device& d : sycl::device::get_devices()) {
    if (d.get_backend() == backend::cuda)
      goes_there_and_back<backend::cuda>(d);
    else
      is_refused<backend::cuda>(d);
    if (d.get_backend() == backend::hip)
      goes_there_and_back<backend::hip>(d);
    else
      is_refused<backend::hip>(d);
  }
}

}  // namespace
