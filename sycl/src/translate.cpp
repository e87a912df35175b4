// SPDX-License-Identifier: Apache-2.0
#include <sycl/detail/translate.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

static constexpr errc to_errc(pianola::model::error_code code) noexcept {
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

void throw_error(errc code, const std::string& text) {
  throw exception(make_error_code(code), text);
}
void throw_error(errc code, const char* text) { throw exception(make_error_code(code), text); }

void throw_translated(const pianola::model::user_error& e) {
  throw exception(make_error_code(to_errc(e.code())), e.what());
}
void throw_translated(const pianola::model::internal_error& e) {
  throw exception(make_error_code(errc::runtime), e.what());
}

std::exception_ptr translate(const std::exception_ptr& error) noexcept {
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
