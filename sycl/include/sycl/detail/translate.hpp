// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <utility>

#include <pianola/model/error.hpp>

#include <sycl/detail/mode.hpp>
#include <sycl/exception.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

constexpr errc to_errc(pianola::model::error_code code) noexcept {
  using from = pianola::model::error_code;
  switch (code) {
    case from::success:
      return errc::success;
    case from::runtime:
      return errc::runtime;
    case from::kernel:
      return errc::kernel;
    case from::accessor:
      return errc::accessor;
    case from::nd_range:
      return errc::nd_range;
    case from::event:
      return errc::event;
    case from::kernel_argument:
      return errc::kernel_argument;
    case from::build:
      return errc::build;
    case from::invalid:
      return errc::invalid;
    case from::memory_allocation:
      return errc::memory_allocation;
    case from::platform:
      return errc::platform;
    case from::profiling:
      return errc::profiling;
    case from::feature_not_supported:
      return errc::feature_not_supported;
    case from::kernel_not_supported:
      return errc::kernel_not_supported;
    case from::backend_mismatch:
      return errc::backend_mismatch;
  }
  return errc::runtime;
}

[[noreturn]] inline void throw_error(errc code, const std::string& text) {
  throw exception(make_error_code(code), text);
}

/// Calls f at the border to the runtime: its errors come out as sycl::exception, everything else
/// (an exception of the user's own code) passes unchanged. Costs nothing while nothing throws.
template <class F>
decltype(auto) translate(F&& f) {
  try {
    return std::forward<F>(f)();
  } catch (const pianola::model::user_error& e) {
    throw exception(make_error_code(to_errc(e.code())), e.what());
  } catch (const pianola::model::internal_error& e) {
    throw exception(make_error_code(errc::runtime), e.what());
  }
}

/// The same for an asynchronous error that is about to be handed to the user.
inline std::exception_ptr translate(const std::exception_ptr& error) noexcept {
  try {
    translate([&] { std::rethrow_exception(error); });
  } catch (...) {
    return std::current_exception();
  }
  return error;
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
