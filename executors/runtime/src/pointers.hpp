// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>
#include <shared_mutex>

#include <pianola/runtime/usm.hpp>

namespace pianola::runtime {

// Every allocation that pointer queries know: USM allocations and storage of buffers. Thread-safe.
class pointer_registry {
 public:
  static pointer_registry& instance();

  void add(void* base, std::size_t bytes, usm_kind, model::device_id, bool user_owned);
  // Memory of the program that a buffer works on in place; a USM allocation there stays what it is.
  void add_borrowed(void* base, std::size_t bytes, model::device_id host);
  void remove_borrowed(void* base) noexcept;
  // What was there; kind unknown if nothing.
  pointer_query remove(void* base) noexcept;
  [[nodiscard]] pointer_query find(const void* pointer) const noexcept;
  [[nodiscard]] bool is_user_allocation(void* base) const noexcept;

 private:
  struct entry {
    std::size_t bytes;
    usm_kind kind;
    model::device_id device;
    bool user_owned;
  };
  mutable std::shared_mutex mutex_;
  std::map<const void*, entry> entries_;
};

// For allocations made by usm_allocate. Must be known.
void free_usm_allocation(void* base) noexcept;

}  // namespace pianola::runtime
