// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <pianola/journal/words.hpp>
#include <pianola/model/array_view.hpp>

namespace pianola::runtime {

// Records on their way from the threads that submit, of which one at a time writes, to the thread that writes them to
// the disk. Bounded: who writes waits while there is no room. Whoever holds no lock puts single records beside it,
// where they keep their place in the order.
class record_ring {
 public:
  static constexpr std::size_t capacity = std::size_t{1} << 19;  // words
  static constexpr std::size_t most_words = capacity / 8;  // of a record that is written in place

  record_ring() : words_(new std::uint64_t[capacity]) {}

  // Room for a record of so many words or fewer, until `commit`. Longer ones than most_words get room elsewhere.
  [[nodiscard]] std::uint64_t* reserve(std::size_t words) {
    const std::uint64_t end = end_.load(std::memory_order_relaxed);
    const std::size_t at = end % capacity;
    if (words <= most_words && at + words <= capacity && end + words <= free_below_) [[likely]]
      return words_.get() + at;
    return reserve_slowly(words);
  }
  // The record at its first word has this head, with the number of its words.
  void commit(std::uint64_t* record) noexcept {
    if (elsewhere_ != nullptr) [[unlikely]]
      return commit_elsewhere();
    const std::uint64_t end = end_.load(std::memory_order_relaxed) + journal::words_of(record[0]);
    end_.store(end, std::memory_order_release);
    if (end >= wake_at_) [[unlikely]]
      wake(end);
  }
  // By any thread.
  void put_beside(std::vector<std::uint64_t> record);

  // Of the reader: waits a little, or until there is much or an end. False after the end.
  [[nodiscard]] bool wait();
  // Calls f(record) for each that is there now, in order, and gives their room back.
  template <class F>
  void take(F&& f) {
    std::uint64_t begin = begin_.load(std::memory_order_relaxed);
    const std::uint64_t end = end_.load(std::memory_order_acquire);
    std::vector<beside> single;
    {
      const std::lock_guard lock(mutex_);
      single.swap(beside_);
    }
    std::size_t next = 0;
    while (begin < end) {
      for (; next < single.size() && single[next].at <= begin; ++next) see(single[next].record, f);
      const std::uint64_t* const record = words_.get() + begin % capacity;
      see_one(record, f);
      begin += journal::words_of(record[0]);
      // Others go on before all of it is done.
      begin_.store(begin, std::memory_order_release);
    }
    for (; next < single.size(); ++next) see(single[next].record, f);
  }
  void close();

 private:
  struct beside {
    std::uint64_t at;  // comes before the records from here on
    std::vector<std::uint64_t> record;
  };
  template <class F>
  static void see(const std::vector<std::uint64_t>& record, F& f) {
    f(model::array_view<const std::uint64_t>(record));
  }
  template <class F>
  static void see_one(const std::uint64_t* record, F& f) {
    const auto kind = journal::kind_of(record[0]);
    if (kind == journal::record_kind::elsewhere) [[unlikely]] {
      const std::unique_ptr<std::vector<std::uint64_t>> all(
          reinterpret_cast<std::vector<std::uint64_t>*>(record[1]));
      return see(*all, f);
    }
    if (kind != journal::record_kind::skip)
      f(model::array_view<const std::uint64_t>(record, journal::words_of(record[0])));
  }

  std::uint64_t* reserve_slowly(std::size_t words);
  void commit_elsewhere() noexcept;
  void wake(std::uint64_t end) noexcept;

  const std::unique_ptr<std::uint64_t[]> words_;
  // Of who writes. Words are counted from the start; those below begin_ have been read.
  alignas(64) std::atomic<std::uint64_t> end_{0};
  std::uint64_t free_below_ = capacity;
  std::uint64_t wake_at_ = capacity / 2;
  std::vector<std::uint64_t>* elsewhere_ = nullptr;
  alignas(64) std::atomic<std::uint64_t> begin_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<beside> beside_;
  bool woken_ = false, closed_ = false;
};

}  // namespace pianola::runtime
