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

[[noreturn]] void throw_error(errc code, const std::string& text);
[[noreturn]] void throw_error(errc code, const char* text);
[[noreturn]] void throw_translated(const pianola::model::user_error&);
[[noreturn]] void throw_translated(const pianola::model::internal_error&);

/// Calls f at the border to the runtime: its errors come out as sycl::exception, everything else
/// (an exception of the user's own code) passes unchanged. Costs nothing while nothing throws.
template <class F>
decltype(auto) translate(F&& f) {
  try {
    return std::forward<F>(f)();
  } catch (const pianola::model::user_error& e) {
    throw_translated(e);
  } catch (const pianola::model::internal_error& e) {
    throw_translated(e);
  }
}

/// The same for an asynchronous error that is about to be handed to the user.
std::exception_ptr translate(const std::exception_ptr& error) noexcept;

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
