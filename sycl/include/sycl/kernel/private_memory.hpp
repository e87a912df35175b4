// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>

#include <sycl/detail/mode.hpp>
#include <sycl/glue/intrinsics.hpp>
#include <sycl/kernel/group.hpp>
#include <sycl/kernel/h_item.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// An object for each work-item of a group that one thread runs. Devices have room for 256 of them and
/// stop the kernel if there are more.
template <class T>
class private_storage {
 public:
  static constexpr std::size_t capacity = 256;

  explicit private_storage(std::size_t items) : items_(items) {
    if (items > capacity) {
#if defined(__PIANOLACC__)
      if (__pianola_is_device()) __builtin_trap();
#endif
      many_ = static_cast<T*>(::operator new(items * sizeof(T), std::align_val_t(alignof(T))));
    }
    for (std::size_t i = 0; i < items; ++i) new (first() + i) T;
  }
  private_storage(const private_storage&) = delete;
  private_storage& operator=(const private_storage&) = delete;
  ~private_storage() {
    for (std::size_t i = 0; i < items_; ++i) first()[i].~T();
    if (items_ > capacity) {
#if defined(__PIANOLACC__)
      if (__pianola_is_device()) __builtin_trap();
#endif
      ::operator delete(many_, std::align_val_t(alignof(T)));
    }
  }

  T& operator[](std::size_t item) { return first()[item]; }

 private:
  T* first() { return items_ > capacity ? many_ : reinterpret_cast<T*>(few_); }

  std::size_t items_;
  T* many_ = nullptr;
  alignas(T) unsigned char few_[capacity * sizeof(T)];
};

}  // namespace detail

/// A variable of a hierarchical kernel that lives across parallel_for_work_item calls, one per
/// physical work-item (SYCL 2020, 4.9.1.10). On devices with work-groups of at most 256 work-items.
template <typename T, int Dimensions = 1>
class private_memory {
 public:
  explicit private_memory(const group<Dimensions>& work_group)
      : values_(work_group.get_local_range().size()) {}
  private_memory(const private_memory&) = delete;
  private_memory& operator=(const private_memory&) = delete;

  T& operator()(const h_item<Dimensions>& work_item) {
    return values_[work_item.get_physical_local().get_linear_id()];
  }

 private:
  detail::private_storage<T> values_;
};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
