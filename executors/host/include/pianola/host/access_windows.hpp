// SPDX-License-Identifier: Apache-2.0
// What is known on a thread of a running kernel that asks before every access: memory that it may touch, as it mostly touches
// what is beside what it touched before, and the place in the source of its last subscript.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace pianola::host {

class access_windows {
 public:
  [[nodiscard]] static access_windows& here() noexcept { return here_; }

  // As kernels begin and end.
  void clear() noexcept {
    windows_ = {};
    place_ = nullptr;
  }
  void note_place(const char* where) noexcept { place_ = where; }
  // Null: not known.
  [[nodiscard]] const char* place() const noexcept { return place_; }
  void add(std::uintptr_t begin, std::uintptr_t end, bool writes) noexcept {
    windows_[next_++ % windows_.size()] = {begin, end - begin, writes};
  }
  // Whether it is known that these bytes may be read, or also written.
  [[nodiscard]] bool know(std::uintptr_t begin, std::uint64_t bytes, bool writes) const noexcept {
    for (const window& w : windows_)
      if (begin - w.begin < w.bytes && bytes <= w.bytes - (begin - w.begin) &&
          (w.writes || !writes))
        return true;
    return false;
  }

 private:
  struct window {
    std::uintptr_t begin = 0;
    std::uint64_t bytes = 0;
    bool writes = false;
  };
  std::array<window, 8> windows_{};
  std::size_t next_ = 0;
  const char* place_ = nullptr;

  static thread_local constinit access_windows here_;
};

inline thread_local constinit access_windows access_windows::here_{};

}  // namespace pianola::host
