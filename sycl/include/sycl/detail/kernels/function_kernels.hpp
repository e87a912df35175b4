// SPDX-License-Identifier: Apache-2.0
// Functions as kernels (sycl_ext_oneapi_free_function_kernels): one kernel for each function, over any nd_range or of a single
// task, with the function's parameters as its numbered arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <pianola/model/geometry.hpp>

#include <sycl/detail/kernels/parameter_slot.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/reduction/parts.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/ext/oneapi/free_function_kernel_properties.hpp>
#include <sycl/glue/kernel_launcher.hpp>
#include <sycl/glue/kernel_registrar.hpp>
#include <sycl/kernel/nd_item.hpp>
#include <sycl/kernel_id.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
class handler;

namespace ext::oneapi::experimental {
template <class ValueT>
class dynamic_parameter;
}

namespace detail {

/// Its address stands for a type of arguments.
template <class T>
inline constexpr char argument_type = 0;

/// What handler::set_arg was given.
struct kernel_argument {
  std::shared_ptr<void> value;  // null: nothing yet
  const void* type = nullptr;   // null: bytes of an object of any type
  std::size_t bytes = 0;
  std::uint64_t cookie = 0;  // of the dynamic_parameter that it is the value of
};

/// In the function object of the kernel. The runtime finds and changes the values of dynamic parameters by the cookies in
/// front of them, as those of dynamic_argument.
template <class T, bool = std::is_trivially_copyable<T>::value, bool = is_local_memory<T>>
struct function_argument {
  T value;
  static function_argument make(const T& value, std::uint64_t) { return {value}; }
};
template <class T>
struct function_argument<T, true, false> : parameter_slot<T> {
  static function_argument make(const T& value, std::uint64_t cookie) {
    return {parameter_slot<T>::make(cookie, value)};
  }
};
template <class T>
struct function_argument<T, true, true> : local_memory_slot<T> {
  static function_argument make(const T& value, std::uint64_t) { return {{0, 0, 0, 0, value}}; }
};

/// Of a dynamic_local_accessor and a dynamic_work_group_memory.
template <class T>
struct dynamic_memory_value {};
template <class T, class = void>
inline constexpr bool is_dynamic_memory = false;
template <class T>
inline constexpr bool is_dynamic_memory<T, std::void_t<typename dynamic_memory_value<T>::type>> =
    true;

template <class T>
struct dynamic_parameter_value {};
/// Lets handler::set_arg look into it.
template <class T>
struct dynamic_parameter_value<ext::oneapi::experimental::dynamic_parameter<T>> {
  using parameter = ext::oneapi::experimental::dynamic_parameter<T>;
  using type = T;
  static auto value(const parameter& p) { return p.value(); }
  static std::uint64_t cookie(const parameter& p) { return p.cookie(); }
};
template <class T, class = void>
inline constexpr bool is_dynamic_parameter = false;
template <class T>
inline constexpr bool
    is_dynamic_parameter<T, std::void_t<typename dynamic_parameter_value<T>::type>> = true;

/// One for each function that the program uses as a kernel, in static storage of the object file that does.
class function_entry {
 public:
  using launch_function = void (*)(handler&, const pianola::model::launch_geometry&,
                                   const kernel_argument*);
  static constexpr int unknown_kind = -1;

  /// dimensions: of the ranges that it may be launched over, 0 for a single task; unknown_kind: any of them.
  function_entry(const void* name, int dimensions, std::uint32_t arguments,
                 launch_function launched_by) noexcept;
  function_entry(const function_entry&) = delete;
  function_entry& operator=(const function_entry&) = delete;
  ~function_entry();

  /// Null if the kernel of this name is no function.
  static const function_entry* find(const void* name) noexcept;

  std::uint32_t arguments() const noexcept { return arguments_; }
  bool may_be_launched_over(int dimensions) const noexcept {
    return dimensions_ == unknown_kind || dimensions_ == dimensions;
  }
  int dimensions() const noexcept { return dimensions_; }
  /// Throws exception (errc::kernel_argument) if an argument is not of the parameter's type.
  void launch(handler& h, const pianola::model::launch_geometry& geometry,
              const kernel_argument* arguments) const {
    launch_(h, geometry, arguments);
  }

 private:
  const void* name_;
  int dimensions_;
  std::uint32_t arguments_;
  launch_function launch_;
  function_entry* next_ = nullptr;
};

/// The name of a function's kernel.
template <auto* Func>
struct function_name;

template <auto* Func, class... Parameters>
struct function_kernel {
  using without_dimensions = void;

  pack<function_argument<std::decay_t<Parameters>>...> arguments;

  // The function may change its parameters.
  __attribute__((always_inline)) void operator()(const nd_item<3>&) const {
    call(std::index_sequence_for<Parameters...>());
  }

 private:
  template <std::size_t... At>
  __attribute__((always_inline)) void call(std::index_sequence<At...>) const {
    Func(std::decay_t<Parameters>(at<At>(arguments).value)...);
  }
};

[[noreturn]] inline void refuse_argument(std::size_t index, const char* reason) {
  throw_error(errc::kernel_argument,
              "handler::set_arg: argument " + std::to_string(index) + " of the function " + reason);
}

template <class T>
function_argument<T> argument_as(const kernel_argument& given, std::size_t index) {
  if (given.value == nullptr) refuse_argument(index, "has not been set");
  if constexpr (is_local_memory<T>)
    if (given.type == &argument_type<function_argument<T>>)
      return *static_cast<const function_argument<T>*>(given.value.get());
  if constexpr (is_dynamic_memory<T>) {
    using held = function_argument<typename dynamic_memory_value<T>::type>;
    static_assert(sizeof(held) == sizeof(T), "set_arg keeps the bytes of the memory's object");
    if (given.type == &argument_type<held>)
      return function_argument<T>::make(
          __builtin_bit_cast(T, *static_cast<const held*>(given.value.get())), 0);
  }
  const bool same = given.type == &argument_type<T>;
  const bool raw =
      given.type == nullptr && std::is_trivially_copyable<T>::value && given.bytes == sizeof(T);
  if (!same && !raw)
    refuse_argument(index, given.type == nullptr
                               ? "was set with bytes that are not one of its parameter's"
                               : "was set with a value of another type than its parameter's");
  return function_argument<T>::make(*static_cast<const T*>(given.value.get()), given.cookie);
}

/// Of the ranges that its decoration allows, as function_entry counts.
template <auto* Func>
constexpr int dimensions_of_function() {
#if defined(__clang__)
  namespace exp = ext::oneapi::experimental;
  if (exp::is_single_task_kernel_v<Func>) return 0;
  for (int d = 1; d <= 3; ++d)
    if (d == 1   ? exp::is_nd_range_kernel_v<Func, 1>
        : d == 2 ? exp::is_nd_range_kernel_v<Func, 2>
                 : exp::is_nd_range_kernel_v<Func, 3>)
      return d;
#endif
  return function_entry::unknown_kind;
}

/// Everything about a function as a kernel.
template <auto* Func, class Signature = decltype(Func)>
struct function_traits;
template <auto* Func, class... Parameters>
struct function_traits<Func, void (*)(Parameters...)> {
  using kernel = function_kernel<Func, Parameters...>;
  static constexpr std::uint32_t parameters = sizeof...(Parameters);

  static void launch(handler& h, const pianola::model::launch_geometry& geometry,
                     const kernel_argument* given) {
    launch_with(h, geometry, given, std::index_sequence_for<Parameters...>());
  }
  static const function_entry entry;

 private:
  template <std::size_t... At>
  static void launch_with(handler& h, const pianola::model::launch_geometry& geometry,
                          [[maybe_unused]] const kernel_argument* given,
                          std::index_sequence<At...>);
};
template <auto* Func, class... Parameters>
struct function_traits<Func, void (*)(Parameters...) noexcept>
    : function_traits<Func, void (*)(Parameters...)> {};

template <auto* Func, class... Parameters>
const function_entry function_traits<Func, void (*)(Parameters...)>::entry{
    &pianola::glue::kernel_name_tag<function_name<Func>>, dimensions_of_function<Func>(),
    parameters, &launch};

/// Makes the function known as a kernel.
template <auto* Func>
void register_function() {
  using traits = function_traits<Func>;
  static_cast<void>(&traits::entry);
  static_cast<void>(&pianola::glue::kernel_registrar<function_name<Func>, typename traits::kernel,
                                                     pianola::glue::nd_range_shape<3>>::entry);
}

template <auto* Func>
kernel_id function_id() {
  register_function<Func>();
  return get_kernel_id<function_name<Func>>();
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
