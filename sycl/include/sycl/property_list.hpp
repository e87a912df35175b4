// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <sycl/detail/mode.hpp>
#include <sycl/detail/property_alias.hpp>
#include <sycl/exception.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// Whether T is a property. Specialise for a property of your own (SYCL 2020, 4.5.4.1).
template <class T>
struct is_property : std::false_type {};
template <class T>
inline constexpr bool is_property_v = is_property<T>::value;

/// Whether objects of class Syclobject may be constructed with property T.
template <class T, class Syclobject>
struct is_property_of : std::false_type {};
template <class T, class Syclobject>
inline constexpr bool is_property_of_v = is_property_of<T, Syclobject>::value;

namespace detail {

/// Of a property that the library knows: the same in every object file of the process, whatever it hides, since the library
/// and programs ask for it. `variant` tells instances of a template apart.
constexpr std::uint64_t property_key(const char* name, int variant = 0) noexcept {
  std::uint64_t key = 0xcbf29ce484222325U + static_cast<std::uint64_t>(variant);
  for (; *name != 0; ++name) key = (key ^ static_cast<unsigned char>(*name)) * 0x100000001b3U;
  return key | std::uint64_t{1} << 63;  // no address is like this
}
/// What is_property derives from for those.
template <std::uint64_t Key>
struct known_property : std::true_type {
  static constexpr std::uint64_t key = Key;
};

/// Identifies a property without run-time type information; one of the program's own by an address.
template <class T, class = void>
struct property_identity {
  static constexpr char anchor = 0;
  static std::uint64_t get() noexcept { return reinterpret_cast<std::uintptr_t>(&anchor); }
};
template <class T>
struct property_identity<T, std::enable_if_t<(is_property<T>::key != 0)>> {
  static constexpr std::uint64_t get() noexcept { return is_property<T>::key; }
};

/// no_init is asked for on every accessor: a bit instead of a stored object.
struct no_init_property {};

}  // namespace detail

/// Properties given at construction, found again by type (SYCL 2020, 4.5.4.2). A list that is
/// empty or holds only no_init allocates nothing. Copies share the properties, which cannot be
/// changed.
class property_list {
 public:
  property_list() noexcept = default;

  template <class First, class... Rest,
            class = std::enable_if_t<(is_property<std::decay_t<First>>::value && ... &&
                                      is_property<std::decay_t<Rest>>::value)>>
  property_list(First&& first, Rest&&... rest) {
    add(std::forward<First>(first));
    (add(std::forward<Rest>(rest)), ...);
  }

  template <class Property>
  bool has_property() const noexcept {
    if constexpr (is_flag<Property>)
      return no_init_;
    else
      return find<Property>() != nullptr;
  }

  /// Throws exception (errc::invalid) if the list has no such property.
  template <class Property>
  Property get_property() const {
    if constexpr (is_flag<Property>) {
      if (no_init_) return Property();
    } else if (const void* found = find<Property>()) {
      return Property(*static_cast<const detail::canonical_property_t<Property>*>(found));
    }
    throw exception(make_error_code(errc::invalid),
                    "property_list::get_property: no such property was given; ask has_property()");
  }

  /// Pianola's own: whether there is nothing in the list.
  bool empty() const noexcept { return !no_init_ && entries_ == nullptr; }

 private:
  struct entry {
    std::uint64_t key;
    std::shared_ptr<const void> value;
  };

  template <class Property>
  static constexpr bool is_flag = std::is_base_of<detail::no_init_property, Property>::value;

  template <class Property>
  const void* find() const noexcept {
    if (entries_ == nullptr) return nullptr;
    return find(detail::property_identity<detail::canonical_property_t<Property>>::get());
  }
  const void* find(std::uint64_t key) const noexcept;

  template <class Property>
  void add(Property&& property) {
    using stored = detail::canonical_property_t<std::decay_t<Property>>;
    if constexpr (is_flag<stored>) {
      no_init_ = true;
    } else {
      add(detail::property_identity<stored>::get(),
          std::make_shared<const stored>(std::forward<Property>(property)));
    }
  }
  void add(std::uint64_t key, std::shared_ptr<const void> value);

  std::shared_ptr<std::vector<entry>> entries_;
  bool no_init_ = false;
};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
