// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sycl/exception.hpp>

/// The code of the sycl::exception that f() throws; success if it throws none.
template <class F>
sycl::errc code_of(F&& f) {
  try {
    f();
  } catch (const sycl::exception& e) {
    return static_cast<sycl::errc>(e.code().value());
  }
  return sycl::errc::success;
}
