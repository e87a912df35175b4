// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <sycl/detail/handler/access.hpp>
#include <sycl/detail/handler/memory_operand.hpp>
#include <sycl/detail/kernels/function_kernels.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/owned.hpp>
#include <sycl/detail/queue/state.hpp>
#include <sycl/exception.hpp>
#include <sycl/ext/oneapi/raw_kernel_arg.hpp>
#include <sycl/kernel/nd_range.hpp>
#include <sycl/kernel_bundle.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Those that were set, by number.
struct kernel_arguments;
void destroy(kernel_arguments*) noexcept;

/// The arguments of a handler for a kernel object, which is a function's (SYCL 2020, 4.9.4.2.2).
class handler_arguments {
 public:
  template <class T>
  void set_arg(int index, T&& value) {
    using object = std::decay_t<T>;
    if constexpr (std::is_same_v<object, ext::oneapi::raw_kernel_arg>) {
      argument(index) = raw_argument(value.data(), value.size());
    } else if constexpr (is_dynamic_parameter<object>) {
      using parameter = dynamic_parameter_value<object>;
      using type = typename parameter::type;
      if constexpr (std::is_same_v<type, ext::oneapi::raw_kernel_arg>) {
        const auto bytes = parameter::value(value);
        argument(index) = raw_argument(bytes.data(), bytes.size());
        argument(index).cookie = parameter::cookie(value);
      } else {
        argument(index) = {std::make_shared<type>(parameter::value(value)), &argument_type<type>,
                           sizeof(type), parameter::cookie(value)};
      }
    } else if constexpr (is_dynamic_memory<object>) {
      using memory = dynamic_memory_value<object>;
      using held = function_argument<typename memory::type>;
      auto kept = std::make_shared<held>(held{memory::slot(value)});
      const std::uint64_t cookie = kept->cookie;
      argument(index) = {std::move(kept), &argument_type<held>, sizeof(held), cookie};
    } else {
      argument(index) = {std::make_shared<object>(std::forward<T>(value)), &argument_type<object>,
                         sizeof(object)};
    }
  }
  template <class... Arguments>
  void set_args(Arguments&&... arguments) {
    [[maybe_unused]] int index = 0;
    (set_arg(index++, std::forward<Arguments>(arguments)), ...);
  }

 protected:
  handler_arguments() = default;

  [[noreturn]] static void refuse_kernel_object(const char* function);

  kernel_argument& argument(int index);
  static kernel_argument raw_argument(const void* bytes, std::size_t count);

  /// Dimensions 0: as a single task.
  void launch_object(handler& group, const context* of_context, const kernel& k, int dimensions,
                     const pianola::model::launch_geometry& extent, const char* function);

  /// What set_arg has given reaches only kernel objects. A dynamic_parameter that reaches no kernel would be updated in
  /// vain.
  void refuse_unused_parameters() const {
    if (arguments_) refuse_parameters();
  }

 private:
  void refuse_parameters() const;

  owned<kernel_arguments> arguments_;
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
