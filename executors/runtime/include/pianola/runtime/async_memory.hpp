// SPDX-License-Identifier: Apache-2.0
// Memory that is allocated and freed by commands (sycl_ext_oneapi_async_memory_alloc).
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include <pianola/model/ids.hpp>

#include "queues.hpp"
#include "submission.hpp"
#include "usm.hpp"

namespace pianola::runtime {

// Memory of one device and kind, from which commands allocate and to which it goes back.
class memory_pool;

struct pool_description {
  model::device_id device;
  usm_kind kind = usm_kind::device;
  std::uint64_t threshold = 0;  // bytes that are kept when the program waits
  std::uint64_t maximum = 0;    // bytes that the pool may hold; 0: as many as there are
  bool zero = false;            // allocations are filled with zeroes
  // Compared only: memory is freed by queues of the context that it was allocated in.
  std::shared_ptr<const void> context;
};

[[nodiscard]] std::shared_ptr<memory_pool> create_pool(const pool_description&);
// The one of this device, kind and context.
[[nodiscard]] std::shared_ptr<memory_pool> default_pool(model::device_id, usm_kind,
                                                        const std::shared_ptr<const void>& context);

struct pool_figures {
  std::uint64_t threshold = 0;
  std::uint64_t reserved = 0, reserved_high = 0;  // bytes, now and at most
  std::uint64_t used = 0, used_high = 0;
};
[[nodiscard]] pool_figures figures_of(const memory_pool&);
// Does nothing if the threshold is as high already.
void raise_threshold(memory_pool&, std::uint64_t bytes);
void reset_high_mark(memory_pool&, bool of_reserved);

// Both set the submission's command, which must be there to be set. `q`: the queue it will be submitted to; null for a
// graph's node. What was done is undone if the submission ends without having been submitted.
//
// The memory may be used by commands that come after this one. In a queue, or a graph, that records the memory is the
// graph's, and so is its address in every replay. Zero bytes: null, and no memory. Throws model::user_error:
// memory_allocation if there is no memory or the pool is full; invalid if neither queue nor graph is there.
[[nodiscard]] void* allocate_asynchronously(submission&, queue* q,
                                            const std::shared_ptr<memory_pool>&, std::size_t bytes);
// Null is ignored. Throws model::user_error (invalid) if the pointer is not what allocate_asynchronously gave in this
// context (in this graph) or was freed already.
void free_asynchronously(submission&, queue* q, const void* context, void* pointer);

}  // namespace pianola::runtime
