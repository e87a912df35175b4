// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

TEST(identity_macros, of_other_implementations_are_not_defined) {
#if defined(__HIPSYCL__) || defined(__OPENSYCL__) || defined(__ADAPTIVECPP__) || \
    defined(__ACPP__) || defined(HIPSYCL_LIBKERNEL_IS_DEVICE_PASS) ||            \
    defined(SYCL_IMPLEMENTATION_ONEAPI) || defined(SYCL_IMPLEMENTATION_INTEL) || \
    defined(SYCL_IMPLEMENTATION_HIPSYCL) || defined(SYCL_IMPLEMENTATION_ACPP) || \
    defined(__LIBSYCL_MAJOR_VERSION) || defined(__INTEL_LLVM_COMPILER) ||        \
    defined(__COMPUTECPP__) || defined(__TRISYCL__) || defined(__SIMSYCL__) ||   \
    defined(SIMSYCL_FEATURE_HALF_TYPE) || defined(TRISYCL_CL_LANGUAGE_VERSION)
  FAIL() << "programs would take another implementation's branch";
#endif
  EXPECT_EQ(SYCL_LANGUAGE_VERSION, 202012L);
}

}  // namespace
