// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace pianola::runtime {

inline constexpr std::size_t maximum_devices = 1024;  // sub-devices included

// One T per device. Grows while others read it without a lock: what is there never moves.
template <class T>
class device_table {
 public:
  device_table() : items_(std::allocator<T>().allocate(maximum_devices)) {}
  ~device_table() {
    for (std::size_t i = 0; i < size(); ++i) items_[i].~T();
    std::allocator<T>().deallocate(items_, maximum_devices);
  }
  device_table(const device_table&) = delete;
  device_table& operator=(const device_table&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return items_[i]; }
  // One thread at a time; there must be room.
  void push_back(T item) {
    const std::size_t n = size_.load(std::memory_order_relaxed);
    new (items_ + n) T(std::move(item));
    size_.store(n + 1, std::memory_order_release);
  }

 private:
  T* items_;
  std::atomic<std::size_t> size_{0};
};

}  // namespace pianola::runtime
