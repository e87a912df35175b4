// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <pianola/recorder/repeat_finder.hpp>
#include <pianola/runtime/auto_capture.hpp>
#include <pianola/runtime/events.hpp>
#include <pianola/runtime/ids.hpp>
#include <pianola/runtime/submission.hpp>

#include "capture/captured_sequence.hpp"
#include "capture/held_commands.hpp"
#include "capture/search_pace.hpp"
#include "support/periodic_watch.hpp"

namespace pianola::runtime {

class process;
class queue;

// What all queues that capture share.
struct capture_shared {
  auto_capture_statistics counted;
  buffer_names names;
  periodic_watch* watch = nullptr;
  std::size_t holding = 0;  // queues that hold something back
  // Graphs that nobody needs any more: their ends may wait for replays, and so come when the lock is free.
  std::vector<std::shared_ptr<void>> ended;
};

// One queue that captures. Commands are submitted as they come while what repeats itself is looked for; a sequence that has
// repeated itself is copied in passing when it comes again; from then on, commands that are the next ones of a known sequence
// are held back until it is complete, and become one replay. Nothing that is held back has run, so there is nothing to undo: if
// the program goes on in another way, or wants to see something, it is submitted as if it came only now.
//
// All of it expects the lock of capturing to be held, and the runtime's not to be.
class queue_capture {
 public:
  explicit queue_capture(capture_shared& shared) : shared_(shared) {}
  queue_capture(const queue_capture&) = delete;
  queue_capture& operator=(const queue_capture&) = delete;

  // Events in `s` that are not submitted are of what this queue holds back. Throws model::user_error as submitting does.
  event submit(queue& q, submission& s);
  // Holds the command back if it is the next one as it was the last time, in all, and not the last one of the sequence. False
  // says nothing of it, and nothing has changed.
  bool hold_same(const queue& q, const submission& s, event& out);
  // Whether the next command is neither searched nor the beginning of what is known; it is not what the one after it follows,
  // either. Then it can be submitted without any of this.
  bool passes_over(const submission& s) noexcept {
    if (pace_.is_searching() || !sequences_.empty()) return false;
    pace_.advance(false, key_of(s));
    if (pace_.is_searching()) return false;
    after_cut_ = false;  // the rest was forgotten when the first one was not searched
    return true;
  }
  // Submits what is held back.
  void flush() { flush(true); }
  // If it has been held back too long.
  void flush_if_late(std::uint64_t now);
  // The program waits for what the queue was given, or does something else that comes between its commands: no sequence goes
  // on over it.
  void cut();

  [[nodiscard]] const std::shared_ptr<held_commands>& held() const noexcept { return held_; }
  [[nodiscard]] bool is_holding() const noexcept { return current_ != nullptr; }
  // Where its last command went.
  [[nodiscard]] const executors::progress* last_lane() const noexcept { return last_lane_; }
  // Whether what is held back, and what it is about to become, uses one of the submission's buffers.
  [[nodiscard]] bool conflicts_with(const submission& s) const noexcept;
  [[nodiscard]] bool holds_use_of(buffer_key buffer) const noexcept;
  // It ends: sequences that use it go on with the next one of its name.
  void ends(buffer_key buffer);
  void forget_all();

 private:
  using shapes = std::vector<std::uint64_t>;
  struct outside_event {
    std::size_t command;
    event e;
  };

  [[nodiscard]] static bool may_capture(const queue& q, const submission& s);
  event submit_one_more(queue& q, submission& s);
  event submit_unsearched(queue& q, submission& s);
  // What comes next is not compared with it.
  void forget_what_came() noexcept {
    expected_.clear();
    finder_.forget();
    steps_.clear();
    after_cut_ = false;
  }
  // `held_` are of this sequence from now on, null: nothing is held back.
  void set_current(captured_sequence* sequence) noexcept;
  // False if the command is not the next one of the sequence; nothing has changed then.
  bool hold(queue& q, submission& s, event& out);
  [[nodiscard]] bool same_predecessors(const captured_command& next, const submission& s) const;
  // Whether a command of the queue may wait for what the program does next, a host task or a host accessor, that one before
  // it does not wait for. The events of a replay's commands come about together: the program would wait for both.
  [[nodiscard]] static bool may_wait_for_host(process& rt, const queue& q);
  void launch(queue& q);
  // `failed`: the sequence is not what the program does.
  void flush(bool has_failed);
  [[nodiscard]] event replay(queue& q, std::shared_ptr<executable_graph> graph);
  void settle(submission& s) const;

  // What was submitted is one more of the numbers in which repetitions are looked for.
  void look(std::uint64_t shape) noexcept;
  void expect(std::uint32_t period);
  void copy_next(submission& s, std::uint64_t shape);
  void copied(const event& e) noexcept;
  void forget_search() noexcept;
  void capture();
  void give_up(std::size_t sequence);
  void failed();
  void make_room(std::size_t commands);
  void refuse(const shapes& unwanted);
  [[nodiscard]] bool is_refused(const shapes& wanted) const noexcept;
  [[nodiscard]] bool is_known(const shapes& wanted) const noexcept;

  capture_shared& shared_;
  recorder::repeat_finder finder_;
  search_pace pace_;
  bool after_cut_ = true;
  std::uint32_t asked_for_ = 0;

  // Those that are expected to come again. One is copied while it does.
  struct expected_sequence {
    shapes commands;
    bool follows_cut;
  };
  std::vector<expected_sequence> expected_;
  // The next command has to be the first one: a few commands come twice in a row by chance.
  bool expects_at_once_ = false;
  std::size_t copying_ = none;  // which of them
  std::vector<std::unique_ptr<captured_command>> copies_;
  std::vector<model::step_id> steps_;  // of what was submitted lately, ascending
  bool knows_predecessors_ = true;
  std::vector<std::uint64_t> refused_;  // hashes of sequences that were given up

  std::vector<std::unique_ptr<captured_sequence>> sequences_;
  std::uint64_t uses_ = 0;
  captured_sequence* current_ = nullptr;  // of which `held_` are the first `count_`
  std::shared_ptr<held_commands> held_;
  std::size_t count_ = 0;
  std::uint64_t held_since_ = 0;  // nanoseconds
  std::vector<outside_event> outside_;
  const executors::progress* last_lane_ = nullptr;

  static constexpr std::size_t none = ~std::size_t{0};
  static constexpr std::size_t most_sequences = 8, most_commands = 8192, most_refused = 64,
                               most_steps = 8192, worth_a_graph = 16;
  static constexpr unsigned most_failures = 3;
  static constexpr std::uint32_t few = 4;
  static constexpr std::uint64_t longest_hold = 10'000'000;  // nanoseconds
};

}  // namespace pianola::runtime
