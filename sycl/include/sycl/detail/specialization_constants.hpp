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
  void put(std::uint64_t key, const void* value, std::size_t size, std::size_t alignment) {
    if (const void* const known = find(key, size)) {
      std::memcpy(const_cast<void*>(known), value, size);
      return;
    }
    const std::size_t at = (used_ + alignment - 1) / alignment * alignment;
    if (count_ == most_values || at + size > most_bytes)
      throw_error(errc::kernel_argument,
                  "a kernel's specialization constants that were given values are more than " +
                      std::to_string(most_values) + " or larger than " +
                      std::to_string(most_bytes) + " bytes: pass the data in a buffer");
    std::memcpy(bytes_ + at, value, size);
    slots_[count_].key = key;
    slots_[count_].offset = static_cast<std::uint32_t>(at);
    slots_[count_].size = static_cast<std::uint32_t>(size);
    ++count_;
    used_ = static_cast<std::uint32_t>(at + size);
  }

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
  void copy_to(constant_block& block) const {
    for (const entry& e : entries_) block.put(e.key, e.bytes.data(), e.bytes.size(), e.alignment);
  }
  /// The other's values win.
  void merge(const constant_values& other) {
    for (const entry& e : other.entries_) set(e.key, e.bytes.data(), e.bytes.size(), e.alignment);
  }

 private:
  struct entry {
    std::uint64_t key;
    std::size_t alignment;
    std::vector<unsigned char> bytes;
  };
  void set(std::uint64_t key, const void* value, std::size_t size, std::size_t alignment) {
    const auto* const from = static_cast<const unsigned char*>(value);
    for (entry& e : entries_)
      if (e.key == key && e.bytes.size() == size) {
        std::memcpy(e.bytes.data(), value, size);
        return;
      }
    entries_.push_back(entry{key, alignment, std::vector<unsigned char>(from, from + size)});
  }
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
