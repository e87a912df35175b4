// SPDX-License-Identifier: Apache-2.0
#include <sycl/detail/buffer/view_table.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

buffer_view_table& buffer_view_table::instance() {
  static buffer_view_table& table = *new buffer_view_table;
  return table;
}

std::uint32_t buffer_view_table::add(const entry& added) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::uint32_t index;
  if (free_.empty()) {
    index = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back(added);
  } else {
    index = free_.back();
    free_.pop_back();
    entries_[index] = added;
  }
  entries_[index].view.index = index;
  return index;
}

void buffer_view_table::remove(std::uint32_t index) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  // Kept within the capacity that add() saw to; giving up a number is better than throwing.
  try {
    free_.push_back(index);
  } catch (...) {
  }
}

buffer_view_table::entry buffer_view_table::at(std::uint32_t index) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return entries_.at(index);
}

buffer_view_table::buffer_view_table() : entries_(1) {}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
