// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <pianola/runtime/submission.hpp>
#include <pianola/runtime/usm.hpp>

#include "capture/buffer_names.hpp"
#include "commands/argument_slots.hpp"

namespace pianola::runtime {

class machine;

// What a submission asks for, without the values that may be others each time: bytes of arguments, addresses, index spaces,
// buffers of one name. Equal for those that `compare` does not call different. Takes the runtime's lock.
[[nodiscard]] std::uint64_t shape_of(process& rt, buffer_names& names, const submission& s);
// Equal where shapes are, for less.
[[nodiscard]] std::uint8_t key_of(const submission& s) noexcept;

// Whether commands like this one can be captured at all, as far as the submission tells.
[[nodiscard]] bool can_be_captured(const submission& s, model::device_id of_queue) noexcept;

// One command that asks for nothing that other ones of its kind have not.
[[nodiscard]] bool is_plain(const submission& s, model::device_id of_queue) noexcept;

enum class likeness : unsigned char { same, other_values, different };

// A copy of what the program has asked a queue for: others are compared with it, and it can be submitted.
class captured_command {
 public:
  // `shape`: as shape_of. The submission can be captured, and its buffers have names.
  captured_command(const submission& s, const found_slots& slots, std::uint64_t shape,
                   const buffer_names& names);
  // The same once more.
  captured_command(const captured_command& other);
  captured_command& operator=(const captured_command&) = delete;

  [[nodiscard]] std::uint64_t shape() const noexcept { return shape_; }
  [[nodiscard]] const submission& asked() const noexcept { return asked_; }
  // Throws model::user_error where submitting would, because of other values.
  [[nodiscard]] likeness compare(process& rt, buffer_names& names, submission& s,
                                 model::device_id device) const;
  // A command that is not like this one in this is different.
  [[nodiscard]] bool may_be_like(const submission& s) const noexcept;
  // From now on with the values of this one, which `compare` has said has others.
  void take_values(const submission& s);

  // The names of the buffers of its accessors.
  [[nodiscard]] const std::vector<std::uint64_t>& buffers() const noexcept { return buffers_; }
  // Whether the submission has other buffers, of the same names.
  [[nodiscard]] bool has_other_buffers(const submission& s) const noexcept;
  void take_buffers(const submission& s);

  // Fills an empty submission with the same.
  void copy_to(submission& s) const;
  [[nodiscard]] found_slots slots() const noexcept {
    return {buffer_slots_, local_slots_, {}, false};
  }
  // What native graphs are told of it.
  [[nodiscard]] model::command_payload payload() const;

  // It was told to wait for events, of whatever commands.
  [[nodiscard]] bool names_events() const noexcept { return names_events_; }

  // How many commands earlier those were that it depends on by events, ascending.
  std::vector<std::uint32_t> before;

 private:
  [[nodiscard]] likeness compare_arguments(submission& s) const;
  // The bytes are the same, but for cookies, which are those of the submission's accessors.
  [[nodiscard]] bool has_same_arguments(const submission& s) const noexcept;
  void locate();

  submission asked_;
  std::string label_;
  std::vector<model::argument_slot> buffer_slots_, local_slots_;
  // For each word of the arguments: all bits, or none where there is a cookie, which is another one each time.
  std::vector<std::uint64_t> compared_;
  std::vector<std::uint64_t> buffers_;
  std::uint64_t shape_;
  bool names_events_;
  pointer_query from_, to_;  // where plain pointers of copies and fills point
};

}  // namespace pianola::runtime
