// SPDX-License-Identifier: Apache-2.0
// Values of specialization constants on their way into kernels: with the kernel's function object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/glue/intrinsics.hpp>
#include <sycl/specialization_id.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

struct specialization_access {
  template <class T>
  static constexpr const T& default_of(const specialization_id<T>& id) noexcept {
    return id.default_;
  }
};

template <auto& SpecName>
using specialization_type = typename std::remove_reference_t<decltype(SpecName)>::value_type;

/// Names a constant. In device code it has another address than on the host.
template <auto& SpecName>
std::uint64_t specialization_key() noexcept {
#if defined(__PIANOLACC__)
  return __pianola_name_hash(&SpecName);
#else
  return reinterpret_cast<std::uintptr_t>(&SpecName);
#endif
}

/// What a kernel that takes a kernel_handler carries: the values that differ from the defaults.
class constant_block {
 public:
  static constexpr std::size_t most_values = 16;
  static constexpr std::size_t most_bytes = 704;

  constant_block() noexcept { std::memset(static_cast<void*>(this), 0, sizeof(*this)); }

  /// The last value set. Null if none was.
  const void* find(std::uint64_t key, std::size_t size) const noexcept {
    for (std::uint32_t i = 0; i < count_; ++i)
      if (slots_[i].key == key && slots_[i].size == size) return bytes_ + slots_[i].offset;
    return nullptr;
  }

  /// Throws exception (errc::kernel_argument) if there is no more room.
  void put(std::uint64_t key, const void* value, std::size_t size, std::size_t alignment);

 private:
  struct slot {
    std::uint64_t key;
    std::uint32_t offset;
    std::uint32_t size;
  };
  std::uint32_t count_;
  std::uint32_t used_;
  slot slots_[most_values];
  alignas(64) unsigned char bytes_[most_bytes];
};

/// The value of a constant as a kernel sees it.
template <auto& SpecName>
specialization_type<SpecName> value_of_constant(const constant_block* block) noexcept {
  using type = specialization_type<SpecName>;
  static_assert(alignof(type) <= 64, "a specialization constant is aligned to at most 64 bytes");
  const std::uint64_t key = specialization_key<SpecName>();
  if (block != nullptr)
    if (const void* const found = block->find(key, sizeof(type)))
      return *static_cast<const type*>(found);
  return specialization_access::default_of(SpecName);
}

/// Values that a handler or a kernel bundle was given.
class constant_values {
 public:
  template <auto& SpecName>
  void set(const specialization_type<SpecName>& value) {
    set(specialization_key<SpecName>(), &value, sizeof(value),
        alignof(specialization_type<SpecName>));
  }
  template <auto& SpecName>
  specialization_type<SpecName> get() const {
    const std::uint64_t key = specialization_key<SpecName>();
    for (const entry& e : entries_)
      if (e.key == key && e.bytes.size() == sizeof(specialization_type<SpecName>)) {
        alignas(specialization_type<SpecName>) unsigned char
            copy[sizeof(specialization_type<SpecName>)];
        std::memcpy(copy, e.bytes.data(), sizeof(copy));
        return *reinterpret_cast<const specialization_type<SpecName>*>(copy);
      }
    return specialization_access::default_of(SpecName);
  }
  void copy_to(constant_block& block) const;
  /// The other's values win.
  void merge(const constant_values& other);

 private:
  struct entry {
    std::uint64_t key;
    std::size_t alignment;
    std::vector<unsigned char> bytes;
  };
  void set(std::uint64_t key, const void* value, std::size_t size, std::size_t alignment);
  std::vector<entry> entries_;
};

/// Constants that the program's kernels read: registered before main where kernel_handler's member function is
/// instantiated.
struct used_constants {
  static inline std::size_t count = 0;
};
template <auto& SpecName>
struct constant_use {
  static inline bool used = false;
  struct mark {
    mark() noexcept {
      if (!used) ++used_constants::count;
      used = true;
    }
  };
  static const mark registered;
};
template <auto& SpecName>
const typename constant_use<SpecName>::mark constant_use<SpecName>::registered{};

template <auto Object>
struct referred_to {};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
