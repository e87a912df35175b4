// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <sycl/detail/mode.hpp>
#include <sycl/detail/shared_state.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

class context;

/// SYCL 2020, 4.13.2, table "values of the SYCL errc enum".
enum class errc : int {
  success = 0,
  runtime = 1,
  kernel = 2,
  accessor = 3,
  nd_range = 4,
  event = 5,
  kernel_argument = 6,
  build = 7,
  invalid = 8,
  memory_allocation = 9,
  platform = 10,
  profiling = 11,
  feature_not_supported = 12,
  kernel_not_supported = 13,
  backend_mismatch = 14
};

/// The category of every errc value.
const std::error_category& sycl_category() noexcept;

std::error_code make_error_code(errc e) noexcept;

/// Every error of the SYCL interface (SYCL 2020, 4.13.2). Copying does not throw.
class exception : public virtual std::exception {
 public:
  exception(std::error_code ec, const std::string& what_arg);
  exception(std::error_code ec, const char* what_arg);
  explicit exception(std::error_code ec);
  exception(int ev, const std::error_category& ecat, const std::string& what_arg);
  exception(int ev, const std::error_category& ecat, const char* what_arg);
  exception(int ev, const std::error_category& ecat);

  // Templates, because context is complete only where they are called.
  template <class Context, class = std::enable_if_t<std::is_same<Context, context>::value>>
  exception(const Context& ctx, std::error_code ec, const std::string& what_arg)
      : exception(ec, std::make_shared<Context>(ctx), &what_arg) {}
  template <class Context, class = std::enable_if_t<std::is_same<Context, context>::value>>
  exception(const Context& ctx, std::error_code ec, const char* what_arg)
      : exception(ctx, ec, std::string(what_arg)) {}
  template <class Context, class = std::enable_if_t<std::is_same<Context, context>::value>>
  exception(const Context& ctx, std::error_code ec)
      : exception(ec, std::make_shared<Context>(ctx), nullptr) {}
  template <class Context, class = std::enable_if_t<std::is_same<Context, context>::value>>
  exception(const Context& ctx, int ev, const std::error_category& ecat,
            const std::string& what_arg)
      : exception(ctx, std::error_code(ev, ecat), what_arg) {}
  template <class Context, class = std::enable_if_t<std::is_same<Context, context>::value>>
  exception(const Context& ctx, int ev, const std::error_category& ecat, const char* what_arg)
      : exception(ctx, std::error_code(ev, ecat), what_arg) {}
  template <class Context, class = std::enable_if_t<std::is_same<Context, context>::value>>
  exception(const Context& ctx, int ev, const std::error_category& ecat)
      : exception(ctx, std::error_code(ev, ecat)) {}

  // Declared, so that there is no move and a moved-from exception still has its text.
  exception(const exception&) noexcept = default;
  exception& operator=(const exception&) noexcept = default;
  ~exception() override = default;

  const std::error_code& code() const noexcept { return state_->code; }
  const std::error_category& category() const noexcept { return state_->code.category(); }
  const char* what() const noexcept override { return state_->text.c_str(); }
  bool has_context() const noexcept { return state_->associated != nullptr; }
  /// Throws exception (errc::invalid) if has_context() is false.
  template <class Context = context>
  Context get_context() const {
    return require_context();
  }

 private:
  struct state {
    std::error_code code;
    std::string text;
    std::shared_ptr<const context> associated;
  };

  exception(std::error_code ec, std::shared_ptr<const context> associated, const std::string* text);

  const context& require_context() const;

  detail::shared_state<const state> state_;
};

/// Asynchronous errors as an async_handler receives them (SYCL 2020, 4.13.2).
class exception_list {
 public:
  using value_type = std::exception_ptr;
  using reference = value_type&;
  using const_reference = const value_type&;
  using size_type = std::size_t;
  using iterator = std::vector<std::exception_ptr>::const_iterator;
  using const_iterator = std::vector<std::exception_ptr>::const_iterator;

  exception_list() = default;
  /// Pianola's own: how a queue makes one.
  explicit exception_list(std::vector<std::exception_ptr> errors) : errors_(std::move(errors)) {}

  size_type size() const { return errors_.size(); }
  iterator begin() const { return errors_.begin(); }
  iterator end() const { return errors_.end(); }

 private:
  std::vector<std::exception_ptr> errors_;
};

using async_handler = std::function<void(exception_list)>;

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <>
struct std::is_error_code_enum<sycl::errc> : std::true_type {};
