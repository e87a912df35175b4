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

namespace pianola::runtime {
struct submission;
}

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

/// What a kernel that takes a kernel_handler carries: the values that differ from the defaults. Those for which there is no
/// room are in a buffer that the command reads.
class constant_block {
 public:
  static constexpr std::size_t most_values = 16;
  static constexpr std::size_t most_bytes = 704;
  static constexpr std::size_t most_alignment = 64;

  constant_block() noexcept { std::memset(static_cast<void*>(this), 0, sizeof(*this)); }

  /// The last value set. Null if none was.
  const void* find(std::uint64_t key, std::size_t size) const noexcept {
    if (const void* const here = find(slots_, count_, bytes_, key, size)) return here;
    if (more_count_ == 0) return nullptr;
    return find(reinterpret_cast<const slot*>(more_), more_count_, more_, key, size);
  }

 private:
  friend class constant_values;
  struct slot {
    std::uint64_t key;
    std::uint32_t offset;
    std::uint32_t size;
  };
  static const void* find(const slot* slots, std::uint32_t count, const unsigned char* bytes,
                          std::uint64_t key, std::size_t size) noexcept {
    for (std::uint32_t i = 0; i < count; ++i)
      if (slots[i].key == key && slots[i].size == size) return bytes + slots[i].offset;
    return nullptr;
  }

  std::uint32_t count_;
  std::uint32_t more_count_;
  const unsigned char* more_;  // slots and bytes of the others; an accessor's cookie on the host
  slot slots_[most_values];
  alignas(most_alignment) unsigned char bytes_[most_bytes];
};

/// The value of a constant as a kernel sees it.
template <auto& SpecName>
specialization_type<SpecName> value_of_constant(const constant_block* block) noexcept {
  using type = specialization_type<SpecName>;
  static_assert(alignof(type) <= constant_block::most_alignment,
                "a specialization constant is aligned to at most 64 bytes");
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
  /// `block` is in the function object of that submission's kernel; what it has not room for, the submission reads.
  void copy_to(constant_block& block, pianola::runtime::submission& of) const;
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
