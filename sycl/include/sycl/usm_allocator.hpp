// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <sycl/context.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/device.hpp>
#include <sycl/property_list.hpp>
#include <sycl/queue.hpp>
#include <sycl/usm.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// An allocator of the standard library over USM (SYCL 2020, 4.8). Device memory cannot be one: the host
/// may not construct objects there.
template <class T, usm::alloc AllocKind, std::size_t Alignment = 0>
class usm_allocator {
  static_assert(AllocKind == usm::alloc::host || AllocKind == usm::alloc::shared,
                "a usm_allocator is of host or shared memory");
  static_assert((Alignment & (Alignment - 1)) == 0, "an alignment is a power of two, or 0");

 public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  template <class U>
  struct rebind {
    using other = usm_allocator<U, AllocKind, Alignment>;
  };

  usm_allocator() = delete;
  usm_allocator(const context& c, const device& d, const property_list& properties = {})
      : context_(c), device_(d), properties_(properties) {}
  usm_allocator(const queue& q, const property_list& properties = {})
      : usm_allocator(q.get_context(), q.get_device(), properties) {}
  template <class U>
  usm_allocator(const usm_allocator<U, AllocKind, Alignment>& other) noexcept
      : context_(other.context_), device_(other.device_), properties_(other.properties_) {}

  /// Throws exception (errc::memory_allocation) if there is no memory.
  T* allocate(std::size_t count) {
    T* const p = detail::allocate_usm_array<T>(AllocKind, count, Alignment, device_, context_);
    if (p == nullptr && count != 0)
      detail::throw_error(errc::memory_allocation, "usm_allocator: no memory for " +
                                                       std::to_string(count) + " objects of " +
                                                       std::to_string(sizeof(T)) + " bytes");
    return p;
  }
  void deallocate(T* p, std::size_t) { sycl::free(p, context_); }

  template <class Property>
  bool has_property() const noexcept {
    return properties_.template has_property<Property>();
  }
  template <class Property>
  Property get_property() const {
    return properties_.template get_property<Property>();
  }

  /// Allocators of other kinds of memory, or with another alignment, are never equal.
  template <class U, usm::alloc AllocKindU, std::size_t AlignmentU>
  friend bool operator==(const usm_allocator& a,
                         const usm_allocator<U, AllocKindU, AlignmentU>& b) {
    return a.same_memory(b);
  }
  template <class U, usm::alloc AllocKindU, std::size_t AlignmentU>
  friend bool operator!=(const usm_allocator& a,
                         const usm_allocator<U, AllocKindU, AlignmentU>& b) {
    return !a.same_memory(b);
  }

 private:
  template <class, usm::alloc, std::size_t>
  friend class usm_allocator;

  template <class U, usm::alloc AllocKindU, std::size_t AlignmentU>
  bool same_memory(const usm_allocator<U, AllocKindU, AlignmentU>& other) const {
    return AllocKind == AllocKindU && Alignment == AlignmentU && context_ == other.context_ &&
           device_ == other.device_;
  }

  context context_;
  device device_;
  property_list properties_;
};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
