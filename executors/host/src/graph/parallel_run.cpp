// SPDX-License-Identifier: Apache-2.0
#include "graph/parallel_run.hpp"

#include <algorithm>
#include <bit>
#include <thread>
#include <utility>

#include "pianola/host/clock.hpp"
#include "pianola/host/wait_for_others.hpp"

namespace pianola::host {

namespace {
constexpr std::size_t words_of_seats(std::size_t strands) noexcept { return (strands + 63) / 64; }
}  // namespace

host_graph::parallel_run::parallel_run(host_graph& graph, team& home, graph_schedule schedule,
                                       bool owner_only_first)
    : graph_(graph),
      home_(home),
      schedule_(std::move(schedule)),
      count_(schedule_.strands().size()),
      owner_only_first_(owner_only_first),
      strands_(std::make_unique<strand[]>(count_)),
      seats_(std::make_unique<std::atomic<std::uint64_t>[]>(words_of_seats(count_))) {
  assist = [](job& self, unsigned helper) noexcept {
    return static_cast<parallel_run&>(self).take_part(helper, false);
  };
  release = [](job& self) noexcept { static_cast<parallel_run&>(self).let_go(); };
}

void host_graph::parallel_run::begin(unsigned thread, bool timing) noexcept {
  timing_ = timing;
  const std::uint32_t run = run_.load(std::memory_order_relaxed) + 1;
  for (std::size_t s = 0; s < count_; ++s) strands_[s].begin(run);
  const std::size_t own = owner_only_first_ ? 0 : thread % count_;
  for (std::size_t w = 0; w < words_of_seats(count_); ++w)
    seats_[w].store(w == own / 64 ? std::uint64_t{1} << own % 64 : 0, std::memory_order_relaxed);
  run_.store(run, std::memory_order_release);
}

class host_graph::parallel_run::turn {
 public:
  turn(parallel_run& g, std::uint32_t run, std::size_t own, unsigned thread, bool owner) noexcept
      : parallel_(g),
        run_(run),
        own_(own),
        next_(own),
        thread_(thread),
        owner_(owner),
        blocked_(g.home_) {}

  // False if it did nothing.
  bool take() noexcept {
    bool did_something = false;
    for (;;) {
      if (const unsigned done = follow_own(); done != 0) did_something = true;
      if (in_the_way_ != nobody && blocked_.rounds() == 0 && wait_for_a_moment()) continue;
      switch (do_one_of_others()) {
        case found::item:
          did_something = true;
          blocked_.over();
          continue;
        case found::nothing:
          // Whoever has the items that are left may be long at them. Helpers look for something else meanwhile.
          if (!owner_ && blocked_.rounds() >= helpers_rounds()) return did_something;
          blocked_.turn([this] { return longest_item(); });
          continue;
        case found::end:
          blocked_.over();
          return did_something;
      }
    }
  }

 private:
  static constexpr std::size_t nobody = ~std::size_t{0};
  static constexpr unsigned most_pauses = 64;
  static constexpr unsigned few_pauses = 8;
  enum class found : unsigned char { item, nothing, end };

  [[nodiscard]] const std::vector<graph_schedule::item>& items(std::size_t s) const noexcept {
    return parallel_.schedule_.strands()[s];
  }
  // Fewer than it takes until more is looked at than the parallel_run.
  [[nodiscard]] unsigned helpers_rounds() const noexcept {
    return parallel_.home_.risk() != 0 ? 32 : wait_for_others::short_rounds - 1;
  }

  // The strand that the item waits for; `nobody`: it may begin.
  [[nodiscard]] std::size_t waits_for(const graph_schedule::item& it) noexcept {
    const auto* waits = parallel_.schedule_.waits().data() + it.first_wait;
    for (std::uint32_t w = 0; w < it.wait_count; ++w)
      if (!parallel_.strands_[waits[w].strand].reached(run_, waits[w].count)) {
        count_in_the_way_ = waits[w].count;
        return waits[w].strand;
      }
    return nobody;
  }
  // What follows is not this thread's to look at before the claim: the run may be over.
  bool claim_and_run(std::size_t s, std::uint32_t& at) noexcept {
    const graph_schedule::item& it = items(s)[at];
    const std::uint32_t length = it.pieces == 1 ? 1 : it.run_length;
    if (!parallel_.strands_[s].claim(run_, at, length)) return false;
    parallel_.graph_.run_items(&it, thread_, parallel_.timing_);
    at += length;
    parallel_.strands_[s].finish(run_, at);
    return true;
  }

  // As many items of the own strand as go; returns how many. `in_the_way_`: the strand that the next one waits for,
  // the own one if another thread is at it, `nobody` at the end.
  unsigned follow_own() noexcept {
    unsigned done = 0;
    in_the_way_ = nobody;
    std::uint32_t at = parallel_.strands_[own_].finished(run_);
    while (at < items(own_).size()) {
      in_the_way_ = waits_for(items(own_)[at]);
      if (in_the_way_ != nobody) break;
      if (!claim_and_run(own_, at)) {
        in_the_way_ = own_;
        count_in_the_way_ = at + 1;
        break;
      }
      ++done;
    }
    if (done != 0 && blocked_.rounds() != 0) {
      // Somebody was there, and has come on.
      pauses_ = std::max(pauses_, few_pauses);
      blocked_.over();
    }
    return done;
  }

  // Edges open soon if the thread on the other side has its processor. Where it seems to have none that is not waited
  // for again and again.
  bool wait_for_a_moment() noexcept {
    for (unsigned i = 0; i < pauses_; ++i) {
      pause();
      if (parallel_.strands_[in_the_way_].reached(run_, count_in_the_way_)) {
        pauses_ = std::min(2 * pauses_, most_pauses);
        return true;
      }
    }
    return false;
  }

  // The next item of a strand that nobody is at; the one that is waited for first.
  found do_one_of_others() noexcept {
    bool all_ended = true;
    std::size_t s = in_the_way_ != nobody ? in_the_way_ : next_;
    for (std::size_t k = 0; k < parallel_.count_; ++k, s = s + 1 < parallel_.count_ ? s + 1 : 0) {
      std::uint32_t at = parallel_.strands_[s].finished(run_);
      if (at >= items(s).size()) continue;
      all_ended = false;
      if (s == 0 && parallel_.owner_only_first_ && !owner_) continue;
      if (waits_for(items(s)[at]) != nobody || !claim_and_run(s, at)) continue;
      next_ = s;
      // There was nobody to wait for.
      pauses_ /= 2;
      return found::item;
    }
    return all_ended ? found::end : found::nothing;
  }

  // Of those that others may be at; nanoseconds. By the owner, while the run goes on.
  [[nodiscard]] double longest_item() const noexcept {
    double longest = 0;
    for (std::size_t s = 0; s < parallel_.count_; ++s)
      if (const std::uint32_t at = parallel_.strands_[s].finished(run_); at < items(s).size())
        longest = std::max(longest, expected_cost(parallel_.graph_.nodes_[items(s)[at].node]));
    return longest;
  }

  parallel_run& parallel_;
  const std::uint32_t run_;
  const std::size_t own_;
  std::size_t next_;
  const unsigned thread_;
  const bool owner_;
  std::size_t in_the_way_ = nobody;
  std::uint32_t count_in_the_way_ = 0;
  unsigned pauses_ = most_pauses;
  wait_for_others blocked_;
};

std::optional<std::size_t> host_graph::parallel_run::take_seat(std::size_t wanted) noexcept {
  const std::size_t words = words_of_seats(count_);
  for (std::size_t i = 0; i < words; ++i) {
    const std::size_t word = (wanted / 64 + i) % words;
    const std::size_t here = std::min<std::size_t>(count_ - word * 64, 64);
    std::uint64_t taken = seats_[word].load(std::memory_order_relaxed);
    for (;;) {
      std::size_t seat = i == 0 ? wanted % 64 : 0;
      if ((taken >> seat & 1) != 0) seat = static_cast<std::size_t>(std::countr_one(taken));
      if (seat >= here) break;
      if (seats_[word].compare_exchange_weak(taken, taken | std::uint64_t{1} << seat,
                                             std::memory_order_relaxed))
        return word * 64 + seat;
    }
  }
  return std::nullopt;
}

bool host_graph::parallel_run::take_part(unsigned thread, bool owner) noexcept {
  const std::uint32_t run = run_.load(std::memory_order_acquire);
  const std::size_t own = owner && owner_only_first_ ? 0 : thread % count_;
  if (owner) return turn(*this, run, own, thread, true).take();
  // A seat of a thread that is late from the run before may be given twice: that is no mistake, only slower.
  const auto seat = take_seat(own);
  if (!seat) return false;
  const bool did_something = turn(*this, run, *seat, thread, false).take();
  seats_[*seat / 64].fetch_and(~(std::uint64_t{1} << *seat % 64), std::memory_order_relaxed);
  return did_something;
}

}  // namespace pianola::host
