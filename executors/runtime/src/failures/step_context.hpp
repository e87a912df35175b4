// SPDX-License-Identifier: Apache-2.0
// What travels with a step through the executors and comes back to the runtime when something is to
// be said about it: plain bytes.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include <pianola/model/memory_set.hpp>
#include <pianola/model/requirement.hpp>

namespace pianola::runtime {

struct event_record;
struct launch_times;
class process;

// One requirement of a step, or one end of a transfer.
struct touched_box {
  model::buffer_id buffer;
  std::uint32_t generation = 0;
  model::memory_id memory;  // where the step touches it
  bool reads = false;
  bool writes = false;
  bool replaces = false;   // all of the box is overwritten without a look at it
  bool uniform = true;     // `before` holds for the whole box
  bool for_order = false;  // reads and writes it only as far as others must wait for the step
  // How many words of `before` are behind the boxes.
  std::uint8_t more_words = 0;
  model::box elements;
  // Where the data was valid before the step was planned: what holds again if it never runs. The first word of the
  // memory_set; see before_of.
  std::uint64_t before = 0;
};
static_assert(std::is_trivially_copyable_v<touched_box>, "contexts are copied as bytes");

// `more`: of all boxes of the context, in their order, and at the end of it.
inline void set_before(touched_box& t, const model::memory_set& before,
                       std::vector<std::uint64_t>& more) {
  t.before = before.word(0);
  const std::size_t words = before.word_count();
  t.more_words = static_cast<std::uint8_t>(words < 2 ? 0 : words - 1);
  for (std::size_t w = 1; w < words; ++w) more.push_back(before.word(w));
}

// A graph of many steps, few of which ever have something to be said about.
class described_steps {
 public:
  // Writes the step_context of a step, and what it touches. The runtime's lock is held.
  virtual void describe(const process& rt, std::uint32_t step,
                        std::vector<std::byte>& context) const = 0;

 protected:
  ~described_steps() = default;
};

// What every context begins with; of a step of a graph there is nothing else, as the graph says the rest.
struct context_head {
  struct replay_state {
    std::atomic<std::uint64_t> step{0};
    std::atomic<std::uint64_t> queue{0};
    // A step has failed, or was left out because of that. Who wants to know lowers it.
    std::atomic<bool> failed{false};
    // Of this launch; null: nobody asked.
    std::atomic<launch_times*> times{nullptr};
    // Whose steps these are. Changes under the runtime's lock.
    const described_steps* graph = nullptr;
    // Index: command; nanoseconds that it took at least, 0 before it has run; the graph's. Null: nobody asked.
    std::atomic<std::uint64_t>* least_times = nullptr;
  };
  // Steps of a recorded graph, and its launch: which replay is running; else null.
  replay_state* replay = nullptr;
  static constexpr std::uint32_t none = 0xffffffffU;
  std::uint32_t step = none;     // of the graph; none: no step of a graph, and the rest follows
  std::uint32_t command = none;  // of the graph, that the step runs
};

struct step_context {
  using replay_state = context_head::replay_state;
  context_head head;
  std::uint64_t queue = 0;  // 0: none
  model::step_id step;
  const char* what = "";  // for messages: kernel name, "copy", ... ; lives as long as the process
  std::shared_ptr<event_record>* record = nullptr;  // owned by the step; null if not timed
  // Several steps may share one record: the first of those that open it sets its start.
  bool opens = true;
  bool closes = true;
  std::uint32_t touched_count = 0;
  bool transfer = false;
  model::memory_id transfer_to;

  [[nodiscard]] model::step_id current_step() const noexcept {
    return head.replay != nullptr
               ? model::step_id(head.replay->step.load(std::memory_order_relaxed))
               : step;
  }
  [[nodiscard]] std::uint64_t current_queue() const noexcept {
    return head.replay != nullptr ? head.replay->queue.load(std::memory_order_relaxed) : queue;
  }
  [[nodiscard]] const touched_box* touched() const noexcept {
    return reinterpret_cast<const touched_box*>(this + 1);
  }
};

// Of its `number`th box.
[[nodiscard]] inline model::memory_set before_of(const step_context& s, std::uint32_t number) {
  const touched_box* const boxes = s.touched();
  const auto* more = reinterpret_cast<const std::uint64_t*>(boxes + s.touched_count);
  for (std::uint32_t i = 0; i < number; ++i) more += boxes[i].more_words;
  std::array<std::uint64_t, model::max_memories / 64> words{boxes[number].before};
  std::copy_n(more, boxes[number].more_words, words.begin() + 1);
  return model::memory_set::of_words(words.data(), 1U + boxes[number].more_words);
}

}  // namespace pianola::runtime
