// SPDX-License-Identifier: Apache-2.0
// Local memory as variables (sycl_ext_oneapi_work_group_static), and of a size that the launch says
// (sycl_ext_oneapi_work_group_scratch_memory).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <sycl/detail/mode.hpp>
#include <sycl/ext/oneapi/experimental/kernel_properties.hpp>
#include <sycl/ext/oneapi/local_memory.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/kernel/nd_item.hpp>
#include <sycl/local_accessor.hpp>
#if defined(__PIANOLACC__)
#include <sycl/glue/intrinsics.hpp>
#else
#include <sycl/glue/group_objects.hpp>
#endif

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext {
namespace oneapi {
namespace experimental {

/// A variable that every work-group has its own one of, uninitialised. With clang, of static storage, written or not: in a
/// block all calls of the function have the same one. Where `static` is left out there, function templates that differ in
/// their arguments only, and not in T, have one together. With g++, declare it static in a block.
template <class T>
class work_group_static final {
  static_assert(std::is_trivially_default_constructible<T>::value &&
                    std::is_trivially_destructible<T>::value,
                "work_group_static: nobody would construct or destroy an object of the type");

 public:
#if defined(__clang__)
  /// In a block, without `static`: in library-only mode throws exception (errc::kernel) outside of kernels over an nd_range.
  __attribute__((always_inline)) constexpr work_group_static(
      const char* file = __builtin_FILE(), std::uint32_t line = __builtin_LINE(),
      std::uint32_t column = __builtin_COLUMN())
      : of_block_(__builtin_is_constant_evaluated() ? nullptr
                                                    : find(&sycl::detail::local_object_tag<T>, file,
                                                           std::uint64_t{line} << 32 | column)) {}
#else
  // g++ 12 does not take the other one for a constant where it initialises a variable of static storage.
  constexpr work_group_static() noexcept : of_block_(nullptr) {}
#endif
  work_group_static(const work_group_static&) = delete;
  work_group_static& operator=(const work_group_static&) = delete;

  /// In library-only mode these throw exception (errc::kernel) outside of kernels over an nd_range.
  __attribute__((always_inline)) operator T&() const { return *get(); }
  template <class U = T, std::enable_if_t<!std::is_array<U>::value, int> = 0>
  __attribute__((always_inline)) const work_group_static& operator=(const T& value) const {
    *get() = value;
    return *this;
  }
  __attribute__((always_inline)) T* operator&() const { return get(); }

 private:
  __attribute__((always_inline)) T* get() const {
#if !defined(__PIANOLACC__)
    if (of_block_ != nullptr) return of_block_;
#endif
    return find(this, nullptr, 0);
  }
  __attribute__((always_inline)) static T* find(const void* key, const char* file,
                                                std::uint64_t place) {
#if defined(__PIANOLACC__)
    return static_cast<T*>(__pianola_group_object(key, file, place, sizeof(T), alignof(T)));
#else
    bool fresh = false;
    return static_cast<T*>(
        ::pianola::glue::current_group_object(key, file, place, sizeof(T), alignof(T), fresh));
#endif
  }

  // A variable of static storage stands for the memory with its address, and nobody reads it. One of a block without
  // `static` says where the memory is: pianolacc, which must not read the others, expects that in its first bytes.
  T* of_block_;
};

/// How many bytes get_work_group_scratch_memory points to: a property of a launch_config.
struct work_group_scratch_size {
  constexpr work_group_scratch_size(std::size_t bytes) : value(bytes) {}
  std::size_t value;
};
using work_group_scratch_size_key = work_group_scratch_size;
template <>
struct is_property_key<work_group_scratch_size_key> : std::true_type {};

}  // namespace experimental
}  // namespace oneapi
}  // namespace ext

namespace detail {

inline ext::oneapi::experimental::work_group_static<void*> work_group_scratch;

/// As aligned as any type wants.
struct alignas(64) scratch_block {
  unsigned char bytes[64];
};

/// A kernel that is launched with scratch memory.
template <class Kernel>
struct kernel_with_scratch {
  Kernel kernel;
  local_accessor<scratch_block, 1> scratch;

  template <class Index, class... More,
            class = std::enable_if_t<std::is_invocable_v<const Kernel&, const Index&, More...>>>
  __attribute__((always_inline)) void operator()(const Index& index, More&&... more) const {
    // Every work-item the same.
    work_group_scratch = static_cast<void*>(scratch.get_pointer());
    kernel(index, std::forward<More>(more)...);
  }
  properties_of_kernel_t<Kernel> get(
      ext::oneapi::experimental::properties_tag) const;  // asked for its type only
};

template <class Kernel>
kernel_with_scratch<Kernel> with_scratch(handler& h,
                                         ext::oneapi::experimental::work_group_scratch_size size,
                                         const Kernel& kernel) {
  return {kernel, local_accessor<scratch_block, 1>(
                      range<1>(size.value / sizeof(scratch_block) +
                               (size.value % sizeof(scratch_block) != 0 ? 1 : 0)),
                      h)};
}

}  // namespace detail

namespace ext {
namespace oneapi {
namespace experimental {

/// The work-group's scratch memory, aligned to 64 bytes. In library-only mode throws exception (errc::kernel) if the
/// kernel was launched without work_group_scratch_size; compiled, the pointer means nothing then.
__attribute__((always_inline)) inline void* get_work_group_scratch_memory() {
  void* const memory = sycl::detail::work_group_scratch;
#if !defined(__PIANOLACC__)
  if (memory == nullptr)
    throw ::pianola::model::user_error(
        ::pianola::model::error_code::kernel,
        "get_work_group_scratch_memory: the kernel was launched without scratch memory; give its "
        "launch_config the property work_group_scratch_size");
#endif
  return memory;
}

}  // namespace experimental
}  // namespace oneapi
}  // namespace ext
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
