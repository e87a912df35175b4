// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <string>

#include <sycl/sycl.hpp>

namespace pianola::test {

// The code of the sycl::exception that f() throws, whose text must say something; success if it throws none.
template <class F>
sycl::errc code_of(F&& f) {
  try {
    f();
  } catch (const sycl::exception& e) {
    EXPECT_GT(std::string(e.what()).size(), 20U) << "says too little: " << e.what();
    return static_cast<sycl::errc>(e.code().value());
  }
  return sycl::errc::success;
}

}  // namespace pianola::test
