// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include <pianola/runtime/submission.hpp>

#include "core.hpp"

namespace pianola::runtime {

// Finds the cookies in the bytes of a function object. Throws model::user_error (kernel_argument) if
// it holds an accessor that the command group does not require. Results are valid until the next call
// on this thread.
struct found_slots {
  model::array_view<const model::argument_slot> buffers;
  model::array_view<const model::argument_slot> local;
  model::array_view<const model::argument_slot> textures;
  bool dynamic_memory = false;  // there is local memory that only a graph can lay out
};
[[nodiscard]] found_slots find_slots(const submission& s);

// Translates the accessors to requirements of the model. `index_of(key)` gives the buffer id in the
// space that the command lives in.
void check_request(const accessor_request& r, const buffer_entry& b);

// Checks that do not depend on the mode: work-group sizes, local memory.
void check_launch(const model::kernel_command& k, const model::device_properties& device);

/// Whether the device has work-groups of this size.
bool can_run_group(const model::extent3& size, const model::device_properties& device) noexcept;

// The same, and whether the device can run the kernel.
void check_command(const core& c, submission& s, model::device_id device);

// All commands of a command group: what can be known to be wrong is said before the first of them is submitted, and
// what they need of memory is allocated, if that is asked for. Takes the lock.
void check_group(core& c, submission& first, model::device_id device, bool allocate);

// Which of its command group's commands this one is, and what they share.
struct place_in_group {
  bool first = true;
  bool last = true;
  std::shared_ptr<event_record> record{};  // of queues that profile
};
event submit_one(queue& q, submission& s, place_in_group& place);
event copy_over_host(queue& q, submission& s, place_in_group& place);

// Notes in the accessors of a command, before another one of its command group, what they came to require.
void note_requirements(submission& s, const std::vector<model::requirement>& requirements,
                       model::memory_id memory);
// Adds to `next` what the command before it, with what it carries itself, has noted.
void carry_requirements(const core& c, const submission& before, submission& next,
                        model::device_id device);

// A step's action with addresses, from a command and where its buffers are.
class address_book {
 public:
  virtual ~address_book() = default;
  // Base address of the buffer of the command's requirement.
  [[nodiscard]] virtual void* address(std::uint32_t requirement) const = 0;
  [[nodiscard]] virtual model::memory_id memory(std::uint32_t requirement) const = 0;
};
[[nodiscard]] executors::resolved_copy resolve_copy(const model::copy_command& c,
                                                    const address_book& book);
[[nodiscard]] executors::resolved_fill resolve_fill(const model::fill_command& f,
                                                    const address_book& book);

// True if the command is an allocation that is filled with zeroes; `fill` then does that.
[[nodiscard]] bool zeroes(const model::command_payload& payload, executors::resolved_fill& fill);

// Notes in each plain pointer of a copy or fill which memory it points into.
void locate_pointers(const core& c, model::command_payload& payload);

// Where a command of a queue of `device` runs, and where its accessors want their data. Commands of the host run on
// a device of the host's domain; copies and fills where both sides can be reached.
struct placement {
  model::device_id device;  // invalid: a copy between memories that no device reaches both of
  model::memory_id memory;  // of the accessors
  model::memory_id
      device_memory;  // of those with target::device, where that differs (interoperation)

  [[nodiscard]] model::memory_id memory_of(const accessor_request& a) const noexcept {
    if (a.memory.valid()) return a.memory;
    // Accessors to a host task have no cookie.
    return device_memory.valid() && a.cookie != 0 ? device_memory : memory;
  }
};
[[nodiscard]] placement place_command(const core& c, const model::command_payload& payload,
                                      model::device_id device);

// What a host task for the driver's own interface gets: the queue's device and, where its backend has such things, a
// stream that nothing else uses. The runtime's lock is held.
void give_access(core& c, model::device_id device, executors::resolved_action& action);

// Name of a command for messages and files.
[[nodiscard]] const char* kind_name(const model::command_payload& p) noexcept;
[[nodiscard]] const char* display_name(const model::command& c) noexcept;

}  // namespace pianola::runtime
