// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include <sycl/detail/buffer/view.hpp>
#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// The views that placeholder accessors name by number, because a trivially copyable accessor of a
/// few words cannot hold them. Entries live as long as their buffer; a placeholder of a dead
/// buffer is recognised by its buffer key before it comes here. Thread-safe.
class buffer_view_table {
 public:
  struct entry {
    buffer_view view;
    storage_shape storage;
  };

  // Never destroyed: buffers with static storage duration end after any static object of ours.
  static buffer_view_table& instance();

  /// Never 0.
  std::uint32_t add(const entry& added);

  void remove(std::uint32_t index) noexcept;

  entry at(std::uint32_t index) const;

 private:
  buffer_view_table();

  mutable std::mutex mutex_;
  std::vector<entry> entries_;
  std::vector<std::uint32_t> free_;
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
