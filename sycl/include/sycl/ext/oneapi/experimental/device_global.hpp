// SPDX-License-Identifier: Apache-2.0
// Variables of a device (sycl_ext_oneapi_device_global), one for all contexts. The object itself is the one of the
// processor and its parts. Devices with code of their own, compiled by pianolacc, have one each; simulated devices, whose kernels
// are the processor's, have none, and the commands that copy to and from them refuse that.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <sycl/detail/mode.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/kernel/memory_enums.hpp>
#include <sycl/kernel/multi_ptr.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
class device;
namespace detail {
template <class T, class PropertyListT>
struct device_global_memory;
}  // namespace detail

namespace ext::oneapi::experimental {

struct device_image_scope_key {
  using value_t = property_value<device_image_scope_key>;
};
struct device_constant_key {
  using value_t = property_value<device_constant_key>;
};
enum class host_access_enum { read, write, read_write, none };
struct host_access_key {
  template <host_access_enum Access>
  using value_t = property_value<host_access_key, std::integral_constant<host_access_enum, Access>>;
};
enum class init_mode_enum { reprogram, reset };
struct init_mode_key {
  template <init_mode_enum Trigger>
  using value_t = property_value<init_mode_key, std::integral_constant<init_mode_enum, Trigger>>;
};
struct implement_in_csr_key {
  template <bool Enable>
  using value_t = property_value<implement_in_csr_key, std::bool_constant<Enable>>;
};

/// Accepted: one object is what the program has anyway.
inline constexpr device_image_scope_key::value_t device_image_scope{};
/// Accepted: kernels do not write it.
inline constexpr device_constant_key::value_t device_constant{};
/// What the program's commands do with the variable: others do not compile.
template <host_access_enum Access>
inline constexpr host_access_key::value_t<Access> host_access{};
inline constexpr host_access_key::value_t<host_access_enum::read> host_access_read{};
inline constexpr host_access_key::value_t<host_access_enum::write> host_access_write{};
inline constexpr host_access_key::value_t<host_access_enum::read_write> host_access_read_write{};
inline constexpr host_access_key::value_t<host_access_enum::none> host_access_none{};
/// Accepted: for devices that there are none of.
template <init_mode_enum Trigger>
inline constexpr init_mode_key::value_t<Trigger> init_mode{};
inline constexpr init_mode_key::value_t<init_mode_enum::reprogram> init_mode_reprogram{};
inline constexpr init_mode_key::value_t<init_mode_enum::reset> init_mode_reset{};
template <bool Enable>
inline constexpr implement_in_csr_key::value_t<Enable> implement_in_csr{};
inline constexpr implement_in_csr_key::value_t<true> implement_in_csr_on{};
inline constexpr implement_in_csr_key::value_t<false> implement_in_csr_off{};

template <class T, class PropertyListT = empty_properties_t>
class device_global;

template <>
struct is_property_key<device_image_scope_key> : std::true_type {};
template <>
struct is_property_key<device_constant_key> : std::true_type {};
template <>
struct is_property_key<host_access_key> : std::true_type {};
template <>
struct is_property_key<init_mode_key> : std::true_type {};
template <>
struct is_property_key<implement_in_csr_key> : std::true_type {};
template <class T, class PropertyListT>
struct is_property_key_of<device_image_scope_key, device_global<T, PropertyListT>>
    : std::true_type {};
template <class T, class PropertyListT>
struct is_property_key_of<device_constant_key, device_global<T, PropertyListT>> : std::true_type {};
template <class T, class PropertyListT>
struct is_property_key_of<host_access_key, device_global<T, PropertyListT>> : std::true_type {};
template <class T, class PropertyListT>
struct is_property_key_of<init_mode_key, device_global<T, PropertyListT>> : std::true_type {};
template <class T, class PropertyListT>
struct is_property_key_of<implement_in_csr_key, device_global<T, PropertyListT>> : std::true_type {
};

/// A variable at namespace scope, or a public static member. Kernels use it as they would a T; the host copies to and from it
/// with commands. Zero, or what its constructor was given (from C++20 on), until it is written.
template <class T, class PropertyListT>
class device_global {
  static_assert(std::is_trivially_destructible_v<T>,
                "device_global: nobody would call the destructor of the type");
  static_assert(is_property_list_v<PropertyListT>,
                "device_global: its second parameter is decltype(properties(...))");

  template <class>
  struct is_variable_type : std::false_type {};
  template <class U, class P>
  struct is_variable_type<device_global<U, P>> : std::true_type {};
  template <class Arg>
  static constexpr bool is_variable =
      is_variable_type<std::remove_cv_t<std::remove_reference_t<Arg>>>::value;

 public:
  using element_type = std::remove_extent_t<T>;

#if defined(__cpp_consteval)
  template <class... Args,
            std::enable_if_t<sizeof...(Args) != 1 || !(is_variable<Args> || ...), int> = 0>
  consteval explicit device_global(Args&&... args) : value_{initial<Args>(args)...} {}
#else
  static_assert(std::is_trivially_default_constructible_v<std::remove_const_t<T>>,
                "device_global: before C++20 the type has to be trivially default constructible");
  device_global() = default;
#endif

  // What the other one holds, with other properties or of a type that converts, when the program starts.
  constexpr device_global(const device_global&) = default;
  template <class U, class P, std::enable_if_t<std::is_convertible_v<const U&, T>, int> = 0>
  constexpr explicit device_global(const device_global<U, P>& other)
      : value_(static_cast<std::remove_const_t<T>>(other.get())) {}
  device_global(const device_global&&) = delete;
  device_global& operator=(const device_global&) = delete;
  device_global& operator=(const device_global&&) = delete;

  // Of kernels.
  T& get() noexcept { return value_; }
  const T& get() const noexcept { return value_; }
  operator T&() noexcept { return value_; }
  operator const T&() const noexcept { return value_; }
  template <access::decorated IsDecorated>
  multi_ptr<T, access::address_space::global_space, IsDecorated> get_multi_ptr() noexcept {
    return multi_ptr<T, access::address_space::global_space, IsDecorated>(&value_);
  }
  template <access::decorated IsDecorated>
  multi_ptr<const T, access::address_space::global_space, IsDecorated> get_multi_ptr()
      const noexcept {
    return multi_ptr<const T, access::address_space::global_space, IsDecorated>(&value_);
  }
  device_global& operator=(const T& value) noexcept {
    static_assert(!std::is_const_v<T>, "device_global: for kernels the variable is constant");
    value_ = value;
    return *this;
  }
  template <class U = T>
  auto operator[](std::ptrdiff_t index) noexcept -> decltype((std::declval<U&>()[index])) {
    return value_[index];
  }
  template <class U = T>
  auto operator[](std::ptrdiff_t index) const noexcept
      -> decltype((std::declval<const U&>()[index])) {
    return value_[index];
  }
  T& operator->() noexcept { return value_; }
  const T& operator->() const noexcept { return value_; }

  template <class Property>
  static constexpr bool has_property() {
    return PropertyListT::template has_property<Property>();
  }
  template <class Property>
  static constexpr auto get_property() {
    return PropertyListT::template get_property<Property>();
  }

 private:
  template <class U, class P>
  friend struct sycl::detail::device_global_memory;

#if defined(__cpp_consteval)
  // Numbers are converted, as those of other types in braces would not be.
  template <class Arg>
  static constexpr decltype(auto) initial(std::remove_reference_t<Arg>& arg) {
    using number = std::remove_cv_t<std::remove_all_extents_t<T>>;
    if constexpr (std::is_arithmetic_v<number> && std::is_convertible_v<Arg, number>)
      return static_cast<number>(arg);
    else
      return static_cast<Arg&&>(arg);
  }
#endif

  // Constant for kernels alone.
  std::remove_const_t<T> value_
#if !defined(__cpp_consteval)
      {}
#endif
  ;
};

}  // namespace ext::oneapi::experimental

namespace detail {

/// Where a device has its object for a device_global of `size` bytes, from byte `offset` on. `where`: null for a command group of
/// no queue and no graph. Throws exception: errc::invalid for bytes that it does not have, errc::feature_not_supported for a device
/// that does not have the variable.
void* device_global_bytes(const device* where, void* variable, std::size_t size, std::size_t bytes,
                          std::size_t offset);

/// The memory of a device_global for a command, see device_global_bytes.
template <class T, class PropertyListT>
struct device_global_memory {
  using variable = ext::oneapi::experimental::device_global<T, PropertyListT>;
  using access = ext::oneapi::experimental::host_access_enum;

  static void* written(variable& v, std::size_t bytes, std::size_t offset, const device* where) {
    static_assert(allows<access::write>(),
                  "device_global: by its property host_access the host does not write it");
    return device_global_bytes(where, &v, sizeof(T), bytes, offset);
  }
  static const void* read(const variable& v, std::size_t bytes, std::size_t offset,
                          const device* where) {
    static_assert(allows<access::read>(),
                  "device_global: by its property host_access the host does not read it");
    return device_global_bytes(where, const_cast<variable*>(&v), sizeof(T), bytes, offset);
  }

 private:
  // The value is all that there is.
  static_assert(sizeof(variable) == sizeof(T));
  template <access Wanted>
  static constexpr bool allows() {
    namespace exp = ext::oneapi::experimental;
    if constexpr (PropertyListT::template has_property<exp::host_access_key>()) {
      using given =
          std::remove_cv_t<decltype(PropertyListT::template get_property<exp::host_access_key>())>;
      return std::is_same_v<given, exp::host_access_key::value_t<access::read_write>> ||
             std::is_same_v<given, exp::host_access_key::value_t<Wanted>>;
    } else {
      return true;
    }
  }
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
