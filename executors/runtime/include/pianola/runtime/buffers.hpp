// SPDX-License-Identifier: Apache-2.0
// Buffers as the SYCL interface sees them. All functions are thread-safe and throw model::user_error
// (invalid: a dead or unknown buffer; memory_allocation) unless they say otherwise.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>

#include <pianola/model/geometry.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/model/requirement.hpp>

#include "ids.hpp"

namespace pianola::runtime {

struct external_allocation {
  model::device_id device;
  void* pointer = nullptr;
  bool holds_data = false;  // the buffer's contents are valid there
  bool owned = false;       // freed with the buffer (as USM memory)
};

enum class host_data_use : unsigned char {
  none,      // no host data
  in_place,  // the pointer is the buffer's storage in host memory for as long as the buffer lives
  copied,    // contents are copied now; the pointer is not kept
};

// The program's data on the host where the buffer has storage of its own: of the same layout, brought up to date when the
// program asks for it, with the mutex locked, if there is one. No data: there is none.
struct host_mirror {
  void* data = nullptr;
  std::mutex* mutex = nullptr;
};

struct buffer_description {
  model::buffer_info info;
  void* host_data = nullptr;  // for `copied` it is only read
  host_data_use use = host_data_use::none;
  host_mirror mirror;
  const external_allocation* external = nullptr;  // USM interoperation: allocations to build on
  std::size_t external_count = 0;
  const char* label = "";
  bool own = false;  // the library's, between two commands of a command group: no program names it
};

[[nodiscard]] buffer_key create_buffer(const buffer_description&);

// What happens to the contents when the buffer ends, and with which of the others. Data in place needs neither.
struct write_back {
  enum class kind : unsigned char { none, in_place, pointer, deliver };
  kind what = kind::none;
  void* pointer = nullptr;
  // Called once with the whole contents in row-major order, by who ends the buffer; not if a part of them is poisoned.
  std::function<void(const void* contents, std::uint64_t bytes)> deliver;
};
void set_write_back(buffer_key, write_back);
[[nodiscard]] host_mirror mirror_of(buffer_key);

// Ends the buffer. `blocking`: waits for all work on it. Writes back where that is asked for (in place
// always waits). Otherwise it returns at once and storage goes when the last command on the buffer has
// finished. Poisoned parts are never written back. Does not throw: failures are reported as asynchronous
// errors of the last queue that used it.
void destroy_buffer(buffer_key, bool blocking) noexcept;

[[nodiscard]] bool buffer_alive(buffer_key) noexcept;
/// Whether a buffer has, or had, this name.
[[nodiscard]] bool was_buffer(buffer_key) noexcept;

// Pages of data now or soon (when everything submitted has run) valid on the device; for queries.
[[nodiscard]] bool has_allocation(buffer_key, model::device_id);
// Address of the buffer on a device, allocated now if it was not. Never moves while the buffer lives.
[[nodiscard]] void* device_pointer(buffer_key, model::device_id);
[[nodiscard]] void* host_storage(buffer_key);
// Hands the allocation on the device over to the caller (or back).
void set_allocation_owned(buffer_key, model::device_id, bool owned_by_buffer);
[[nodiscard]] bool is_allocation_owned(buffer_key, model::device_id);

// A host accessor: waits until the pages are valid in host memory and nothing conflicting runs.
// Later conflicting commands wait for the release.
struct host_access {
  void* base = nullptr;  // of the whole buffer
  std::uint64_t ticket = 0;
};
[[nodiscard]] host_access acquire_on_host(buffer_key, const model::box& elements,
                                          model::access_mode mode, bool no_init);
void release_on_host(host_access) noexcept;

}  // namespace pianola::runtime
