// SPDX-License-Identifier: Apache-2.0
// 5.6: preprocessor directives and macros; 4.1: those of the backends.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <string>

namespace {

TEST(macros, tell_the_version_of_the_specification) {
  EXPECT_EQ(SYCL_LANGUAGE_VERSION, 202012L);
#if SYCL_LANGUAGE_VERSION < 202001
  ADD_FAILURE() << "of no use to the preprocessor";
#endif
}

TEST(macros, tell_that_programs_may_specialise_is_device_copyable) {
#if !defined(SYCL_DEVICE_COPYABLE)
  ADD_FAILURE();
#endif
}

TEST(macros, tell_the_feature_set) {
#if defined(SYCL_FEATURE_SET_FULL) && defined(SYCL_FEATURE_SET_REDUCED)
  ADD_FAILURE() << "both feature sets";
#elif !defined(SYCL_FEATURE_SET_FULL) && !defined(SYCL_FEATURE_SET_REDUCED)
  ADD_FAILURE() << "no feature set";
#endif
}

TEST(macros, tell_that_a_single_pass_compiles_host_and_device) {
#if !defined(__SYCL_SINGLE_SOURCE__)
  ADD_FAILURE() << "the compiler sees host and device code in one go, and must say so";
#endif
#if defined(__SYCL_DEVICE_ONLY__)
  ADD_FAILURE() << "there is no pass for devices alone";
#endif
}

TEST(macros, for_external_functions_are_there_where_they_work) {
#if defined(SYCL_EXTERNAL)
  EXPECT_TRUE(true);
#endif
#if defined(SYCL_EXT_ONEAPI_NO_SUCH_THING) || defined(SYCL_KHR_NO_SUCH_THING)
  ADD_FAILURE();
#endif
}

TEST(macros, of_backends_go_with_the_backends_of_the_devices) {
  for (const sycl::platform& platform : sycl::platform::get_platforms()) {
    const sycl::backend backend = platform.get_backend();
    for (const sycl::device& device : platform.get_devices())
      EXPECT_EQ(device.get_backend(), backend);
  }
}

}  // namespace
