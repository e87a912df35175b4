// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <sycl/exception.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {
namespace {

class sycl_error_category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "sycl"; }
  std::string message(int value) const override {
    switch (static_cast<errc>(value)) {
      case errc::success:
        return "success";
      case errc::runtime:
        return "runtime error";
      case errc::kernel:
        return "error in a kernel";
      case errc::accessor:
        return "wrong use of an accessor";
      case errc::nd_range:
        return "wrong nd_range";
      case errc::event:
        return "wrong use of an event";
      case errc::kernel_argument:
        return "wrong kernel argument";
      case errc::build:
        return "a kernel could not be built";
      case errc::invalid:
        return "invalid argument or operation";
      case errc::memory_allocation:
        return "memory could not be allocated";
      case errc::platform:
        return "error of the platform";
      case errc::profiling:
        return "profiling information is not available";
      case errc::feature_not_supported:
        return "feature not supported";
      case errc::kernel_not_supported:
        return "kernel not supported by the device";
      case errc::backend_mismatch:
        return "backend does not match";
    }
    return fmt::format("unknown error {}", value);
  }
};

}  // namespace
}  // namespace detail

const std::error_category& sycl_category() noexcept {
  static const detail::sycl_error_category category;
  return category;
}

std::error_code make_error_code(errc e) noexcept { return {static_cast<int>(e), sycl_category()}; }

exception::exception(std::error_code ec, const std::string& what_arg)
    : exception(ec, nullptr, &what_arg) {}

exception::exception(std::error_code ec, const char* what_arg)
    : exception(ec, std::string(what_arg)) {}

exception::exception(std::error_code ec) : exception(ec, nullptr, nullptr) {}

exception::exception(int ev, const std::error_category& ecat, const std::string& what_arg)
    : exception(std::error_code(ev, ecat), what_arg) {}

exception::exception(int ev, const std::error_category& ecat, const char* what_arg)
    : exception(std::error_code(ev, ecat), what_arg) {}

exception::exception(int ev, const std::error_category& ecat)
    : exception(std::error_code(ev, ecat)) {}

exception::exception(std::error_code ec, std::shared_ptr<const context> associated,
                     const std::string* text)
    : state_(std::make_shared<const state>(
          state{ec, text != nullptr ? *text : ec.message(), std::move(associated)})) {}

const context& exception::require_context() const {
  if (state_->associated == nullptr)
    throw exception(make_error_code(errc::invalid),
                    "exception::get_context: this exception has no context; ask has_context()");
  return *state_->associated;
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
