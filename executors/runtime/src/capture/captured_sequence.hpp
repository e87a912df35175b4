// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <pianola/runtime/ids.hpp>

#include "capture/captured_command.hpp"
#include "capture/expected_kernels.hpp"

namespace pianola::runtime {

class executable_graph;
class process;
class queue;

// Commands that a queue was given again and again, one after the other, and graphs that replay them with the values that they
// had last.
class captured_sequence {
 public:
  // Of which it was found; it may hold them several times.
  captured_sequence(std::vector<std::unique_ptr<captured_command>> commands, std::size_t times);
  captured_sequence(const captured_sequence&) = delete;
  captured_sequence& operator=(const captured_sequence&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return commands_.size(); }
  // With those of its beginning that is replayed by itself.
  [[nodiscard]] std::size_t copies() const noexcept {
    return size() + (beginning_ == nullptr ? 0 : beginning_->size());
  }
  // Of what is repeated in it.
  [[nodiscard]] std::size_t unit() const noexcept { return unit_; }
  [[nodiscard]] const captured_command& operator[](std::size_t i) const noexcept {
    return *commands_[i];
  }
  // The buffer of this name.
  [[nodiscard]] bool uses(std::uint64_t buffer) const noexcept;
  // A barrier is among them: the queue's later commands, or earlier ones, are ordered by it.
  [[nodiscard]] bool has_barrier() const noexcept { return has_barrier_; }

  // As expected_kernels says.
  [[nodiscard]] bool is_repeated_by(std::size_t i, const submission& s,
                                    model::device_id of_queue) const noexcept {
    return expected_.is_repeated_by(i, s, of_queue);
  }

  void take_values(std::size_t i, const submission& s);
  void take_buffers(std::size_t i, const submission& s);
  // The buffer of this name ends: its storage goes, whatever graphs there are.
  void let_go(process& rt, std::uint64_t buffer, buffer_key key);
  // A graph with the values of all commands. Null if all that there may be are busy with others. Throws
  // model::user_error as `finalize`. Takes the runtime's lock.
  std::shared_ptr<executable_graph> graph_with_values(process& rt, const queue& q,
                                                      std::uint64_t& changed,
                                                      std::vector<std::shared_ptr<void>>& ended);
  // It was left after so many commands, less than all. If that was so again and again, what replays these from now on, with
  // the values that they have now; else null.
  [[nodiscard]] captured_sequence* left_after(std::size_t count,
                                              std::vector<std::shared_ptr<void>>& ended);
  // Holds that many repetitions from now on, no more than before.
  void shorten(std::size_t times, std::vector<std::shared_ptr<void>>& ended);
  // What ends with the sequence, and may have to be waited for.
  void give_up(std::vector<std::shared_ptr<void>>& ended);

  unsigned failures = 0;  // in a row: held back in part and submitted by itself
  std::uint64_t last_use = 0;

 private:
  struct generation {
    std::shared_ptr<executable_graph> graph;
    std::vector<std::uint64_t> versions;        // index: command
    std::vector<buffer_key> recorded, buffers;  // index: as buffers_; those that it works on now
    std::uint64_t changes = 0;                  // it has all of them up to here
  };
  static constexpr std::size_t most_generations = 4;
  static constexpr unsigned often = 3;

  captured_sequence(const captured_sequence& of, std::size_t count);
  void take_values_of(const captured_sequence& whole);

  [[nodiscard]] std::shared_ptr<executable_graph> make_graph(const queue& q) const;
  void summarize();
  void note_keys(const captured_command& c);
  [[nodiscard]] std::size_t place_of(std::uint64_t buffer) const noexcept;

  std::size_t unit_;
  std::vector<std::unique_ptr<captured_command>> commands_;
  expected_kernels expected_;  // index: as commands_
  std::vector<std::uint64_t> versions_;
  std::uint64_t changes_ = 0;
  std::vector<std::uint64_t> buffers_;  // names, ascending
  std::vector<buffer_key> keys_;        // of those that have them now
  bool has_barrier_ = false;
  // Graphs rely on what kernels are known to touch with the values that they have.
  bool narrows_ = true;
  bool outdated_ = false;                // those that are there do, and must not
  std::vector<generation> generations_;  // the one used last comes first
  // Where it was left last, and how often in a row.
  std::size_t left_at_ = 0;
  unsigned times_left_ = 0;
  std::unique_ptr<captured_sequence> beginning_;
  std::vector<std::uint64_t> versions_of_whole_;  // of a beginning: those whose values it has
};

}  // namespace pianola::runtime
