// SPDX-License-Identifier: Apache-2.0
// Local memory that a kernel asks for itself (sycl_ext_oneapi_local_memory). Each call in the source is one object
// per work-group, also where it stands in a function that is called from several places, or in a template. With g++ before
// C++20, calls for one type in one line are one object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>
#if !defined(__clang__) && __cplusplus >= 202002L
#include <source_location>
#endif

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/group.hpp>
#include <sycl/kernel/memory_enums.hpp>
#include <sycl/kernel/multi_ptr.hpp>
#if defined(__PIANOLACC__)
#include <sycl/glue/intrinsics.hpp>
#else
#include <sycl/glue/group_objects.hpp>
#endif

#if defined(__clang__)
#define PIANOLA_COLUMN __builtin_COLUMN()
#elif __cplusplus >= 202002L
#define PIANOLA_COLUMN std::source_location::current().column()
#else
#define PIANOLA_COLUMN 0
#endif

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// A work-group, and where in the source it was given.
struct placed_group {
  template <int Dimensions>
  __attribute__((always_inline)) placed_group(const group<Dimensions>& g,
                                              const char* in_file = __builtin_FILE(),
                                              std::uint32_t line = __builtin_LINE(),
                                              std::uint32_t column = PIANOLA_COLUMN)
      : file(in_file), place(std::uint64_t{line} << 32 | column), leader(g.leader()) {}

  const char* file;
  std::uint64_t place;
  bool leader;
};

template <class T>
inline constexpr char local_object_tag = 0;

template <class T, class... Arguments>
__attribute__((always_inline)) inline void construct_local(void* memory, Arguments&&... arguments) {
  if constexpr (std::is_array<T>::value || !std::is_constructible<T, Arguments...>::value)
    new (memory) T{std::forward<Arguments>(arguments)...};
  else
    new (memory) T(std::forward<Arguments>(arguments)...);
}

/// `construct`(memory) is called by one work-item, and has been before any goes on. Needed: it does something.
template <bool Needed, class T, class Construct>
__attribute__((always_inline)) inline multi_ptr<T, access::address_space::local_space> local_object(
    const placed_group& g, const Construct& construct) {
  static_assert(std::is_trivially_destructible<T>::value,
                "group_local_memory: nobody would call the destructor of the type");
#if defined(__PIANOLACC__)
  void* const memory =
      __pianola_group_object(&local_object_tag<T>, g.file, g.place, sizeof(T), alignof(T));
  if constexpr (Needed) {
    if (g.leader) construct(memory);
    __pianola_group_barrier(static_cast<std::uint32_t>(memory_scope::work_group));
  }
#else
  // Work-items of a group take turns on one thread: the first one constructs.
  bool fresh = false;
  void* const memory = pianola::glue::current_group_object(&local_object_tag<T>, g.file, g.place,
                                                           sizeof(T), alignof(T), fresh);
  if (Needed && fresh) construct(memory);
#endif
  return multi_ptr<T, access::address_space::local_space>(static_cast<T*>(memory));
}

}  // namespace detail

namespace ext {
namespace oneapi {

/// An object of the work-group, made with these arguments; all work-items call it, with the same ones. Compiled, every call
/// constructs it anew: call it once, not in a loop.
template <class T, class Group = void, class... Arguments>
__attribute__((always_inline)) inline multi_ptr<T, access::address_space::local_space>
group_local_memory(sycl::detail::placed_group g, Arguments&&... arguments) {
  return sycl::detail::local_object<true, T>(g, [&](void* memory) {
    sycl::detail::construct_local<T>(memory, std::forward<Arguments>(arguments)...);
  });
}

/// The same, default-initialised: numbers have any value.
template <class T, class Group = void>
__attribute__((always_inline)) inline multi_ptr<T, access::address_space::local_space>
group_local_memory_for_overwrite(sycl::detail::placed_group g) {
  return sycl::detail::local_object<!std::is_trivially_default_constructible<T>::value, T>(
      g, [](void* memory) { new (memory) T; });
}

}  // namespace oneapi
}  // namespace ext
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
#undef PIANOLA_COLUMN
