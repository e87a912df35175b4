// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sycl/detail/mode.hpp>
#include <sycl/device.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// USM interoperation of buffers; see docs/buffer-extensions.md.
namespace buffer_allocation {

/// One of a buffer's allocations.
template <class T>
struct descriptor {
  T* ptr;
  device dev;
  bool is_owned;  // freed with the buffer
};

/// An allocation to build a buffer on. Made by view() and empty_view().
template <class T>
struct tracked_descriptor {
  descriptor<T> desc;
  bool is_recent;  // it holds the buffer's contents
};

enum class management_mode { owning, non_owning };

inline constexpr management_mode take_ownership = management_mode::owning;
inline constexpr management_mode no_ownership = management_mode::non_owning;

/// Memory whose contents do not matter.
template <class T>
tracked_descriptor<T> empty_view(T* ptr, device dev, management_mode m = no_ownership) {
  return {{ptr, dev, m == take_ownership}, false};
}

/// Memory that holds the buffer's contents. Several such allocations must hold the same.
template <class T>
tracked_descriptor<T> view(T* ptr, device dev, management_mode m = no_ownership) {
  return {{ptr, dev, m == take_ownership}, true};
}

}  // namespace buffer_allocation
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
