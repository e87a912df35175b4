// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Found in front of what a program calls so; the others are found by their types.
void destroy(const void*) = delete;

/// An object on the heap that few have, or none: its type is known only where destroy(T*) is defined. What a
/// std::unique_ptr and a known type would cost is paid by every program that includes the header.
template <class T>
class owned {
 public:
  owned() = default;
  owned(const owned&) = delete;
  owned& operator=(const owned&) = delete;
  ~owned() {
    if (object_ != nullptr) destroy(object_);
  }

  /// Takes an object from new.
  void set(T* object) noexcept {
    T* const old = object_;
    object_ = object;
    if (old != nullptr) destroy(old);
  }

  T* get() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
