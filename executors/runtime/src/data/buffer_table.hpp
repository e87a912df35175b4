// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <pianola/executors/resolved_step.hpp>
#include <pianola/model/geometry.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/planner/planning_state.hpp>
#include <pianola/runtime/buffers.hpp>

#include "data/failure_registry.hpp"

namespace pianola::runtime {

class failure_registry;
class machine;
class queue;

struct allocation {
  void* pointer = nullptr;
  bool owned = false;             // freed with the buffer
  bool from_usm = false;          // came from, and goes back to, USM allocation
  model::device_id device;        // through which it was allocated
  model::device_id locked_for{};  // host memory: the device whose driver has locked its pages
};

// A buffer, at the index that the live data state gave it. Stays for as long as a graph refers to it,
// also after the user's buffer has ended.
struct buffer_entry {
  std::uint32_t generation = 1;  // never 0: small numbers are no keys
  bool exists = false;           // the slot is in use
  bool alive = false;            // the user's buffer has not ended
  bool in_place_host = false;
  bool moved = false;                 // when it ended, out of the program's memory
  bool lost = false;                  // the same, and there was no memory for its contents
  bool unwritten = false;             // nothing was in it when it was made
  bool own = false;                   // buffer_description::own
  bool parameter = false;             // of graphs; it has no storage (graph_parameters.hpp)
  void* parameter_on_host = nullptr;  // what accessors of host tasks hold of it
  model::buffer_info info;
  std::vector<allocation> allocations;  // index: memory_id
  host_mirror mirror;
  write_back on_end;
  std::weak_ptr<queue> last_queue;
  std::uint32_t graph_uses = 0;
  std::string label;
};

// The buffers of the live planning state and their storage. All functions expect the runtime's lock to be held.
class buffer_table {
 public:
  buffer_table(const machine& m, planner::planning_state& state, failure_registry& failures)
      : machine_(m), state_(state), failures_(failures) {}
  buffer_table(const buffer_table&) = delete;
  buffer_table& operator=(const buffer_table&) = delete;

  [[nodiscard]] static model::buffer_id id_of(buffer_key k) noexcept {
    return model::buffer_id(static_cast<std::uint32_t>(k.value()));
  }
  [[nodiscard]] static buffer_key key_of(model::buffer_id id, const buffer_entry& b) noexcept {
    return buffer_key(std::uint64_t{b.generation} << 32 | id.value());
  }

  [[nodiscard]] buffer_entry& operator[](model::buffer_id id) noexcept {
    return buffers_[id.value()];
  }
  [[nodiscard]] const buffer_entry& operator[](model::buffer_id id) const noexcept {
    return buffers_[id.value()];
  }
  // The buffer of this name, if the program's has not ended; else null.
  [[nodiscard]] buffer_entry* find_living(buffer_key) noexcept;
  // The same. Throws model::user_error (invalid) if there is none.
  buffer_entry& living(buffer_key);
  // The buffer has this name still, whether or not the program's has ended.
  [[nodiscard]] bool exists(model::buffer_id id, std::uint32_t generation) const noexcept {
    return id.value() < buffers_.size() && buffers_[id.value()].generation == generation &&
           buffers_[id.value()].exists;
  }
  // A buffer has this name, or had it.
  [[nodiscard]] bool existed(buffer_key k) const noexcept {
    const std::uint64_t generation = k.value() >> 32;
    const std::uint32_t at = id_of(k).value();
    return generation != 0 && at < buffers_.size() && generation <= buffers_[at].generation;
  }

  // A slot for one more, living, of which only that and `info` are set.
  model::buffer_id add(const model::buffer_info& info, model::memory_set initially_valid);
  // The slot is free again. Storage is the caller's business; failures matter to what was submitted before only.
  void release(model::buffer_id) noexcept;

  // Address of the buffer in a memory; allocates. Throws model::user_error (memory_allocation).
  void* ensure_allocation(model::buffer_id id, model::memory_id memory) {
    const std::vector<allocation>& known = buffers_[id.value()].allocations;
    if (memory.value() < known.size() && known[memory.value()].pointer != nullptr)
      return known[memory.value()].pointer;
    return allocate(id, memory);
  }
  // Has it work in memory of its own, with the contents that it has, in the place of the program's. If there is none, they
  // are lost.
  void move_out_of_program(model::buffer_id) noexcept;
  void free(const allocation&) noexcept;
  // Freed when the last of the users has finished.
  void retire(std::vector<executors::lane_position> users, std::vector<allocation> allocations) {
    retired_.push_back({std::move(users), std::move(allocations)});
  }
  [[nodiscard]] bool any_retired() const noexcept { return !retired_.empty(); }
  void collect_retired() noexcept;

 private:
  void* allocate(model::buffer_id, model::memory_id);
  // Has the pages of the buffer's host memory locked, if a device has a copy of it and that is wanted.
  void lock_host_storage(buffer_entry& b);

  struct retired_storage {
    std::vector<executors::lane_position> users;
    std::vector<allocation> allocations;
  };

  const machine& machine_;
  planner::planning_state& state_;
  failure_registry& failures_;
  std::deque<buffer_entry> buffers_;  // index: buffer_id
  std::vector<retired_storage> retired_;
};

}  // namespace pianola::runtime
