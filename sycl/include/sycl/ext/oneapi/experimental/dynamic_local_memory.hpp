// SPDX-License-Identifier: Apache-2.0
// Local memory of kernels in recorded graphs whose size can be changed (sycl_ext_oneapi_graph).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include <pianola/runtime/cookie.hpp>
#include <pianola/runtime/graphs.hpp>

#include <sycl/command_graph.hpp>
#include <sycl/detail/graph_registry.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/ext/oneapi/experimental/local_work_group_memory.hpp>
#include <sycl/local_accessor.hpp>
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// What kernels capture: trivially copyable. The runtime finds it in their bytes and gives it its place.
template <class T, int Dimensions>
class dynamic_local_memory {
 public:
  dynamic_local_memory(const std::shared_ptr<pianola::runtime::graph>& graph,
                       const range<Dimensions>& extent)
      : extent_(extent) {
    memory_.cookie = pianola::runtime::create_parameter(graph, true);
    memory_.bytes = bytes_of(extent);
    memory_.alignment = alignof(T);
  }

  void update(const range<Dimensions>& extent) {
    const std::uint64_t bytes = bytes_of(extent);
    for (const auto& graph : graph_registry::instance().living())
      translate([&] {
        return pianola::runtime::set_dynamic_memory(*graph, memory_.cookie, bytes, &extent,
                                                    static_cast<std::uint32_t>(sizeof extent));
      });
    // For what is recorded from now on: copies are the same memory.
    translate([&] {
      pianola::runtime::note_parameter(memory_.cookie, &extent,
                                       static_cast<std::uint32_t>(sizeof extent), bytes);
    });
    extent_ = extent;
    memory_.bytes = bytes;
  }

  local_accessor<T, Dimensions> get() const noexcept {
    return local_accessor<T, Dimensions>(reinterpret_cast<void*>(memory_.pointer), extent_);
  }

  /// Copies are the same memory, and so are what kernels have captured.
  std::uint64_t cookie() const noexcept { return memory_.cookie; }

  /// As an argument of a function, whose parameter is a Memory.
  template <class Memory>
  local_memory_slot<Memory> slot(const Memory& value) const noexcept {
    static_assert(sizeof(local_memory_slot<Memory>) ==
                      sizeof(pianola::runtime::dynamic_memory) + sizeof(range<Dimensions>),
                  "the extent is to lie where the runtime writes it");
    return {memory_.cookie, memory_.bytes, memory_.alignment, memory_.behind, value};
  }

 private:
  static std::uint64_t bytes_of(const range<Dimensions>& extent) {
    std::uint64_t bytes = sizeof(T);
    for (int d = 0; d < Dimensions; ++d)
      if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent[d]), &bytes))
        throw_error(errc::memory_allocation, "a range of local memory has more than 2^64 bytes");
    return bytes;
  }

  pianola::runtime::dynamic_memory memory_;
  range<Dimensions> extent_;  // right behind it, where the runtime finds it
};

}  // namespace detail

namespace ext::oneapi::experimental {

/// A local_accessor for kernels of recorded graphs, which capture it and call get(); kernels that are functions have a
/// local_accessor as parameter, and get it from handler::set_arg. Its size can be changed later; then
/// graphs that are finalized or updated from now on have the new one. Commands that are not recorded cannot use it.
template <class DataT, int Dimensions>
class dynamic_local_accessor {
  static_assert(Dimensions > 0 && Dimensions <= 3, "only an array has a size that can be changed");

 public:
  explicit dynamic_local_accessor(range<Dimensions> extent, const property_list& = {})
      : memory_(nullptr, extent) {}
  /// For this graph: adding a command that uses it to another one throws exception (errc::invalid).
  dynamic_local_accessor(const command_graph<graph_state::modifiable>& graph,
                         range<Dimensions> extent, const property_list& = {})
      : memory_(sycl::detail::recorded_graph_of(graph), extent) {}

  /// In all recorded graphs that use it. Throws exception (errc::memory_allocation) if a device has less local memory.
  void update(range<Dimensions> extent) { memory_.update(extent); }

  /// In kernels.
  local_accessor<DataT, Dimensions> get() const noexcept { return memory_.get(); }

  friend bool operator==(const dynamic_local_accessor& a,
                         const dynamic_local_accessor& b) noexcept {
    return a.memory_.cookie() == b.memory_.cookie();
  }
  friend bool operator!=(const dynamic_local_accessor& a,
                         const dynamic_local_accessor& b) noexcept {
    return !(a == b);
  }

 private:
  friend struct std::hash<dynamic_local_accessor>;
  friend struct sycl::detail::dynamic_memory_value<dynamic_local_accessor>;

  sycl::detail::dynamic_local_memory<DataT, Dimensions> memory_;
};

template <class DataT, class PropertyListT = empty_properties_t>
class dynamic_work_group_memory;

/// The same by the name of work_group_memory: an array of unknown bound.
template <class DataT, class PropertyListT>
class dynamic_work_group_memory<DataT[], PropertyListT> {
  using element = std::remove_all_extents_t<DataT>;

 public:
  /// `count` elements of the array.
  explicit dynamic_work_group_memory(std::size_t count, const property_list& = {})
      : memory_(nullptr, extent_of(count)) {}
  dynamic_work_group_memory(const command_graph<graph_state::modifiable>& graph, std::size_t count,
                            const property_list& = {})
      : memory_(sycl::detail::recorded_graph_of(graph), extent_of(count)) {}

  void update(std::size_t count) { memory_.update(extent_of(count)); }

  /// In kernels.
  work_group_memory<DataT[], PropertyListT> get() const noexcept {
    return work_group_memory<DataT[], PropertyListT>(memory_.get());
  }

  friend bool operator==(const dynamic_work_group_memory& a,
                         const dynamic_work_group_memory& b) noexcept {
    return a.memory_.cookie() == b.memory_.cookie();
  }
  friend bool operator!=(const dynamic_work_group_memory& a,
                         const dynamic_work_group_memory& b) noexcept {
    return !(a == b);
  }

 private:
  static range<1> extent_of(std::size_t count) {
    return range<1>(sycl::detail::local_elements(count, sizeof(DataT), sizeof(element)));
  }

  friend struct std::hash<dynamic_work_group_memory>;
  friend struct sycl::detail::dynamic_memory_value<dynamic_work_group_memory>;

  sycl::detail::dynamic_local_memory<element, 1> memory_;
};

}  // namespace ext::oneapi::experimental

namespace detail {
/// Lets handler::set_arg look into it.
template <class T, int Dimensions>
struct dynamic_memory_value<ext::oneapi::experimental::dynamic_local_accessor<T, Dimensions>> {
  using type = local_accessor<T, Dimensions>;
  static local_memory_slot<type> slot(
      const ext::oneapi::experimental::dynamic_local_accessor<T, Dimensions>& a) noexcept {
    return a.memory_.slot(a.get());
  }
};
template <class T, class Properties>
struct dynamic_memory_value<ext::oneapi::experimental::dynamic_work_group_memory<T[], Properties>> {
  using type = ext::oneapi::experimental::work_group_memory<T[], Properties>;
  static local_memory_slot<type> slot(
      const ext::oneapi::experimental::dynamic_work_group_memory<T[], Properties>& m) noexcept {
    return m.memory_.slot(m.get());
  }
};
}  // namespace detail

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <class T, int Dimensions>
struct std::hash<sycl::ext::oneapi::experimental::dynamic_local_accessor<T, Dimensions>> {
  std::size_t operator()(
      const sycl::ext::oneapi::experimental::dynamic_local_accessor<T, Dimensions>& a)
      const noexcept {
    return std::hash<std::uint64_t>()(a.memory_.cookie());
  }
};

template <class T, class Properties>
struct std::hash<sycl::ext::oneapi::experimental::dynamic_work_group_memory<T[], Properties>> {
  std::size_t operator()(
      const sycl::ext::oneapi::experimental::dynamic_work_group_memory<T[], Properties>& m)
      const noexcept {
    return std::hash<std::uint64_t>()(m.memory_.cookie());
  }
};
