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
