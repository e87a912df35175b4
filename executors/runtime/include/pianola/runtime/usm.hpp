// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include <pianola/model/allocation.hpp>
#include <pianola/model/ids.hpp>

namespace pianola::runtime {

using usm_kind = model::usm_kind;

// Null if there is no memory (SYCL 2020, 4.8.3.2) and for zero bytes. alignment: a power of two, 0
// for the default.
[[nodiscard]] void* usm_allocate(usm_kind, std::size_t bytes, std::size_t alignment,
                                 model::device_id) noexcept;
// Null is ignored. Throws model::user_error (invalid) for a pointer that is not the start of a USM
// allocation. Waits for nothing: freeing memory in use is the caller's error.
void usm_free(void*);

struct pointer_query {
  usm_kind kind = usm_kind::unknown;
  model::device_id device;
  const void* base = nullptr;
  std::size_t bytes = 0;
};
// Any pointer into a USM allocation or a buffer's storage (device allocations).
[[nodiscard]] pointer_query query_pointer(const void*) noexcept;

}  // namespace pianola::runtime
