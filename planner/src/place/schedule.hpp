// SPDX-License-Identifier: Apache-2.0
// What a placement comes to, by the model: THE evaluator, which every pass of this folder and its tests ask.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "pianola/planner/options.hpp"
#include "pianola/planner/placement.hpp"
#include "place/problem.hpp"
#include "place/timeline.hpp"

namespace pianola::planner::place {

// Where each cell is valid: problem::mask_words for each; see schedule::entry_of.
using entry_masks = std::vector<std::uint64_t>;

// A machine on which commands are started one by one, each on a device of its own choice: when each runs, what moves
// and when, what memory is taken. Devices run one command at a time, links move one thing at a time, as does a bus with
// everything on it; who comes later may go into a gap. Data moves as insert_transfers says: whole pages, nothing for
// no_init, once to each memory until it is written again.
class schedule {
 public:
  explicit schedule(const problem& p);
  schedule(const schedule&) = delete;
  schedule& operator=(const schedule&) = delete;

  // How many commands ahead it is worth to `expect` one.
  static constexpr std::size_t expected = 6;

  // Whether memory is to be counted, for `peak`; that takes a while. An evaluation has it counted from then on.
  void tell_peaks(bool wanted) noexcept { tells_peaks_ = wanted; }

  // From the start. `entry`: where data is; null: wherever it is first looked for.
  void start(const entry_masks* entry);

  // When the command would end if it were started now on this choice; what it would have to move and allocate.
  struct attempt {
    double end = 0;
    std::uint64_t bytes = 0;
    std::uint64_t peak = 0;  // of the memories of devices, afterwards; see tell_peaks
  };
  [[nodiscard]] attempt try_choice(std::uint32_t command, std::uint32_t choice) {
    return try_choice(command, choice, after_predecessors(command));
  }
  // The same with what after_predecessors says of the command, which is that of all its choices.
  [[nodiscard]] attempt try_choice(std::uint32_t command, std::uint32_t choice, double ready);
  [[nodiscard]] double after_predecessors(std::uint32_t command) const {
    double ready = 0;
    for (const predecessor& b : problem_.before(command))
      if (ends_[b.command] > ready) ready = ends_[b.command];
    return ready;
  }
  // Does it; commands must come in an order that respects every edge. Returns its end.
  double take(std::uint32_t command, std::uint32_t choice);

  // The command will be looked at soon: has what is known of its data brought into the cache.
  void expect(std::uint32_t command) const {
    for (const auto& uses : {problem_.reads(command), problem_.writes(command)})
      for (const data_use& u : uses) {
        if (u.count != 0) __builtin_prefetch(row(problem_.cells(u)[0]));
        __builtin_prefetch(&allocated_[u.buffer * mask_words_]);
      }
  }

  // From here on what `take` does can be undone, all at once.
  void begin_trial();
  void undo_trial();
  void keep_trial();

  // 0 if it was not started yet.
  [[nodiscard]] double ends_so_far(std::uint32_t command) const { return ends_[command]; }
  // Of all commands, once all have been taken.
  [[nodiscard]] const std::vector<double>& starts() const noexcept { return starts_; }
  // Since when the cell is valid in a memory where it is.
  [[nodiscard]] double since(std::uint32_t cell, std::size_t memory) const {
    return since<false>(cell, memory);
  }
  // As bits of problem::mask_words.
  [[nodiscard]] const std::uint64_t* valid(std::uint32_t cell) const { return row(cell); }
  [[nodiscard]] bool is_valid(std::uint32_t cell, std::size_t memory) const {
    return is_valid<false>(cell, memory);
  }
  // Of a cell that is valid anywhere.
  [[nodiscard]] std::size_t lowest_valid(std::uint32_t cell) const {
    const std::uint64_t* word = row(cell);
    std::size_t w = 0;
    while (word[w] == 0) ++w;
    return 64 * w + static_cast<std::size_t>(__builtin_ctzll(word[w]));
  }
  [[nodiscard]] const timeline& device(std::size_t d) const { return devices_[d]; }
  [[nodiscard]] placement_figures figures() const noexcept { return {makespan_, moved_, peak_, 0}; }

  // The state of data that a recorded plan with this placement starts from, as choose_entry finds it: what one replay
  // leaves behind is what the next one needs.
  [[nodiscard]] entry_masks entry_of(const placing_of_all& places,
                                     const std::vector<std::uint32_t>& order) const;

  // All of the commands, from the entry that belongs to the placement.
  placement_figures evaluate(const placing_of_all& places, const std::vector<std::uint32_t>& order);

 private:
  // `few`: memories are bits of one word, as in most machines. It is known once for all of a graph, and what works on each
  // cell takes a tenth longer if it does not know.
  template <bool few>
  [[nodiscard]] std::size_t words() const noexcept {
    if constexpr (few)
      return 1;
    else
      return mask_words_;
  }
  template <bool few>
  [[nodiscard]] static std::size_t word_of(std::size_t memory) noexcept {
    return few ? 0 : memory / 64;
  }
  [[nodiscard]] static std::uint64_t bit_of(std::size_t memory) noexcept {
    return std::uint64_t{1} << memory % 64;
  }
  template <bool few>
  [[nodiscard]] double since(std::uint32_t cell, std::size_t memory) const {
    return std::bit_cast<double>(row(cell)[words<few>() + memory]);
  }
  template <bool few>
  [[nodiscard]] bool is_valid(std::uint32_t cell, std::size_t memory) const {
    return (row(cell)[word_of<few>(memory)] & bit_of(memory)) != 0;
  }
  template <bool few>
  [[nodiscard]] entry_masks entry_with(const placing_of_all& places,
                                       const std::vector<std::uint32_t>& order) const;
  template <bool commit, bool few>
  attempt run(std::uint32_t command, const choice& where, double ready);
  template <bool commit, bool few>
  double bring(const data_use& use, std::size_t memory, attempt& result);
  template <bool commit>
  double move(std::size_t from, std::size_t to, std::uint64_t bytes, double ready);
  template <bool commit, bool few>
  void allocate(std::uint32_t buffer, std::size_t memory, attempt& result);
  template <bool few>
  void set_valid(std::uint32_t cell, std::size_t memory);  // there, too
  template <bool few>
  void set_valid_alone(std::uint32_t cell, std::size_t memory);  // there, and nowhere else
  void set_word(std::uint64_t& word, std::uint64_t to);
  [[nodiscard]] std::uint64_t* row(std::uint32_t cell) {
    return rows_.data() + first_row_ + cell * row_size_;
  }
  [[nodiscard]] const std::uint64_t* row(std::uint32_t cell) const {
    return rows_.data() + first_row_ + cell * row_size_;
  }
  template <bool few>
  void set_time(std::uint32_t cell, std::size_t memory, double t);
  void occupy(timeline& t, double start, double length);

  const problem& problem_;
  std::size_t memories_;
  std::size_t mask_words_;
  std::vector<double> starts_, ends_;  // index: command
  // Of each cell in which memories it is valid, then for each memory since when: who asks for one asks for the others,
  // and in a large graph each is a line that is not in the cache.
  std::vector<std::uint64_t> rows_;
  std::size_t row_size_;
  std::size_t first_row_;  // where a line begins
  std::vector<timeline> devices_;
  std::vector<timeline> resources_;
  std::vector<std::uint64_t> allocated_;   // mask_words for each buffer: in which memories
  std::vector<std::uint64_t> used_bytes_;  // index: memory
  double makespan_ = 0;
  std::uint64_t moved_ = 0;
  std::uint64_t peak_ = 0;

  // Of one attempt: until when links are taken by it.
  std::vector<double> taken_until_;
  std::vector<std::uint32_t> taken_in_;
  std::uint32_t attempts_ = 0;
  // From which memory what is gathered.
  struct gathering {
    std::uint64_t bytes;
    double ready, end;
    bool over_host;
  };
  std::vector<gathering> gathered_;     // index: memory
  std::vector<std::uint32_t> sources_;  // of them, ascending
  std::vector<std::uint64_t>
      pending_;  // of an attempt: buffer and memory, of which each counts once

  // What a trial has changed.
  template <class T>
  struct change {
    T* at;
    T before;
  };
  bool trial_ = false;
  bool tells_peaks_ = false;
  std::vector<change<std::uint64_t>> words_changed_;
  std::vector<change<timeline>> timelines_changed_;
  double makespan_before_ = 0;
  std::uint64_t moved_before_ = 0, peak_before_ = 0;
};

}  // namespace pianola::planner::place
