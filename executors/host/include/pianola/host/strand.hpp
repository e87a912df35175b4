// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>

namespace pianola::host {

// How far a list of items has come that is gone through again and again, in order, by whoever takes the next one. No
// thread owns it between two items: where the one that did the last item has no processor, another one does the next.
//
//   begin(run)            by one thread, when all items of the run before have finished
//   at = finished(run)    `at` items of this run have finished; acquires what was done in them
//   claim(run, at, n)     true for one thread: the items from `at` on, n of them, are its own
//   finish(run, at + n)   they have finished; releases what was done in them
//
// Both words only ever grow, and hold the run beside the number of items. `claimed_` is where `finished_` is, or ahead
// by what some thread is doing. So a claim of item `at` that succeeds, by a thread that has seen `at` items finished, is
// a claim of an item that nobody has begun and before which nobody does one; and a thread that was held up since an
// earlier run cannot claim anything, whatever it has seen.
template <class System>
class basic_strand {
 public:
  static constexpr std::uint32_t run_is_over = ~std::uint32_t{0};

  void begin(std::uint32_t run) {
    claimed_.store(word(run, 0), std::memory_order_release);
    finished_.store(word(run, 0), std::memory_order_release);
  }
  [[nodiscard]] std::uint32_t finished(std::uint32_t run) const {
    const std::uint64_t now = finished_.load(std::memory_order_acquire);
    return now >> 32 == run ? static_cast<std::uint32_t>(now) : run_is_over;
  }
  // So many items have finished; all have, of a run that is over.
  [[nodiscard]] bool reached(std::uint32_t run, std::uint32_t count) const {
    return finished_.load(std::memory_order_acquire) >= word(run, count);
  }
  [[nodiscard]] bool claim(std::uint32_t run, std::uint32_t at, std::uint32_t count) {
    std::uint64_t expected = word(run, at);
    return claimed_.load(std::memory_order_relaxed) == expected &&
           claimed_.compare_exchange_strong(expected, word(run, at + count),
                                            std::memory_order_acquire, std::memory_order_relaxed);
  }
  void finish(std::uint32_t run, std::uint32_t at) {
    finished_.store(word(run, at), std::memory_order_release);
  }

 private:
  static constexpr std::uint64_t word(std::uint32_t run, std::uint32_t count) noexcept {
    return std::uint64_t{run} << 32 | count;
  }
  // Who waits for the strand reads the one and not the other.
  alignas(64) typename System::template atomic<std::uint64_t> finished_{0};
  alignas(64) typename System::template atomic<std::uint64_t> claimed_{0};
};

}  // namespace pianola::host
