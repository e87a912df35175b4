// SPDX-License-Identifier: Apache-2.0
// The suite runs once per backend. A new backend adds its name here (and its kernels to
// test_kernels.hpp if it does not run host code).
#pragma once
#include <gtest/gtest.h>

#include <pianola/test/backend_rig.hpp>
#include <pianola/test/test_kernels.hpp>
#include <string>

namespace pianola::test {

class conformance : public ::testing::TestWithParam<std::string> {
 protected:
  rig r{GetParam()};
};

inline const auto every_backend =
    ::testing::Values(std::string("openmp"), std::string("simulated"));

inline std::string backend_suffix(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}

#define PIANOLA_FOR_EVERY_BACKEND(suite)                              \
  INSTANTIATE_TEST_SUITE_P(on, suite, ::pianola::test::every_backend, \
                           ::pianola::test::backend_suffix)

}  // namespace pianola::test
