// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace pianola::test {

// Runs a few small threads in every order in which a machine could: after each operation on shared memory any of them
// may be next, and stores stay in their thread's buffer, in order, for as long as they like (as x86 has it). What sleeps
// has no limit of time: who is not woken sleeps for ever, which is what is looked for.
//
// A thread is a function that does nothing but operations on shared memory, and whatever follows from their results. It
// is run from its beginning for each of its operations, with the results of those before it. It goes in rounds: all it
// knows at the beginning of one is what it has returned at the end of the round before.
class interleavings {
 public:
  using thread = std::function<std::uint64_t(std::uint64_t)>;
  static constexpr std::uint64_t end = ~std::uint64_t{0};  // no further round
  template <class F>
  static thread once(F f) {
    return [f](std::uint64_t) {
      f();
      return end;
    };
  }
  using variable = std::size_t;

  interleavings() { current_ = this; }
  ~interleavings() { current_ = nullptr; }
  interleavings(const interleavings&) = delete;
  interleavings& operator=(const interleavings&) = delete;

  variable add(std::uint64_t value) {
    first_.memory.push_back(value);
    return first_.memory.size() - 1;
  }
  [[nodiscard]] static interleavings& current() { return *current_; }

  // Empty: in each of them `good` holds once no thread can go on. Else what happened in one where it does not.
  // `good`: of the final memory.
  std::string explore(std::vector<thread> threads, std::function<bool(const interleavings&)> good) {
    threads_ = std::move(threads);
    state begin = first_;
    begin.threads.resize(threads_.size());
    seen_.clear();
    std::string trace;
    visit(begin, good, trace);
    return trace;
  }
  [[nodiscard]] std::size_t states() const { return seen_.size(); }
  // For `good`.
  [[nodiscard]] std::uint64_t final(variable v) const { return now_->memory[v]; }
  [[nodiscard]] std::size_t ended() const {
    std::size_t n = 0;
    for (const one_thread& t : now_->threads) n += t.ended ? 1 : 0;
    return n;
  }

  // Operations, for the threads.
  std::uint64_t load(variable v) {
    return next("load", v, [v](state& s, std::size_t t) {
      const auto& stores = s.threads[t].stores;
      for (auto it = stores.rbegin(); it != stores.rend(); ++it)
        if (it->first == v) return it->second;
      return s.memory[v];
    });
  }
  void store(variable v, std::uint64_t value, bool at_once = false) {
    next("store", v, [v, value, at_once](state& s, std::size_t t) {
      s.threads[t].stores.emplace_back(v, value);
      if (at_once) drain(s, t);
      return std::uint64_t{0};
    });
  }
  // Returns what was there before.
  std::uint64_t change(variable v, const std::function<std::uint64_t(std::uint64_t)>& f) {
    return next("change", v, [v, &f](state& s, std::size_t t) {
      drain(s, t);
      return std::exchange(s.memory[v], f(s.memory[v]));
    });
  }
  void fence() {
    next("fence", 0, [](state& s, std::size_t t) {
      drain(s, t);
      return std::uint64_t{0};
    });
  }
  void barrier_of_all() {
    next("barrier", 0, [](state& s, std::size_t) {
      for (std::size_t t = 0; t < s.threads.size(); ++t) drain(s, t);
      return std::uint64_t{0};
    });
  }
  // `wakes_by_itself`: sometime. That is looked at twice in a row for the same contents of the memory.
  void sleep(variable v, std::uint64_t value, bool wakes_by_itself) {
    next("sleep", v, [=](state& s, std::size_t t) {
      drain(s, t);
      if (s.memory[v] == value) {
        s.threads[t].asleep = true;
        s.threads[t].word = v;
        s.threads[t].wakes_by_itself = wakes_by_itself;
      }
      return std::uint64_t{0};
    });
  }
  void wake(variable v, bool all) {
    next("wake", v, [=](state& s, std::size_t t) {
      drain(s, t);
      s.woken_at = v;
      s.wakes = all ? 2 : 1;
      return std::uint64_t{0};
    });
  }

 private:
  struct one_thread {
    std::uint64_t known = 0;
    std::vector<std::uint64_t> results;  // of this round
    std::vector<std::pair<variable, std::uint64_t>> stores;
    std::vector<std::uint64_t> slept_beside;  // the memory as it woke by itself the last time
    int times = 0;                            // so often
    variable word = 0;
    bool wakes_by_itself = false;
    bool asleep = false;
    bool ended = false;
  };
  struct state {
    std::vector<std::uint64_t> memory;
    std::vector<one_thread> threads;
    variable woken_at = 0;
    int wakes = 0;  // still to be done: 1 one of the sleepers, 2 all
  };
  struct stop {};
  using effect = std::function<std::uint64_t(state&, std::size_t)>;

  static void drain(state& s, std::size_t t) {
    for (const auto& [v, value] : s.threads[t].stores) s.memory[v] = value;
    s.threads[t].stores.clear();
  }

  std::uint64_t next(const char* what, variable v, const effect& f) {
    one_thread& t = now_->threads[running_];
    if (replayed_ < t.results.size()) return t.results[replayed_++];
    if (done_) throw stop();
    done_ = true;
    said_ = std::string(what) + " " + std::to_string(v);
    const std::uint64_t result = f(*now_, running_);
    t.results.push_back(result);
    ++replayed_;
    return result;
  }

  // One operation of the thread.
  void step(state& s, std::size_t t) {
    now_ = &s;
    running_ = t;
    replayed_ = 0;
    done_ = false;
    said_ = "end";
    try {
      one_thread& thread = s.threads[t];
      thread.known = threads_[t](thread.known);
      thread.results.clear();
      thread.ended = thread.known == end;
    } catch (const stop&) {
    }
  }

  [[nodiscard]] static std::uint64_t key(const state& s) {
    std::uint64_t k = 0xcbf29ce484222325;
    const auto put = [&k](std::uint64_t x) { k = (k ^ x) * 0x100000001b3, k ^= k >> 29; };
    const auto put_all = [&put](const std::vector<std::uint64_t>& all) {
      put(all.size());
      for (const std::uint64_t x : all) put(x);
    };
    put_all(s.memory);
    for (const one_thread& t : s.threads) {
      put((t.asleep ? 1 : 0) + (t.ended ? 2 : 0) + 4 * t.word);
      put(t.known);
      put_all(t.results);
      put_all(t.slept_beside);
      put(static_cast<std::uint64_t>(2 * t.times + (t.wakes_by_itself ? 1 : 0)));
      put(t.stores.size());
      for (const auto& [v, value] : t.stores) {
        put(v);
        put(value);
      }
    }
    return k;
  }

  // True if something is wrong; then `trace` says how it came to that.
  bool visit(state& s, const std::function<bool(const interleavings&)>& good, std::string& trace) {
    if (!seen_.insert(key(s)).second) return false;
    if (seen_.size() > 5'000'000) throw std::logic_error("too many states");
    bool any = false;
    const auto go = [&](state after, const std::string& said) {
      any = true;
      if (!visit(after, good, trace)) return false;
      trace.insert(0, said + "; ");
      return true;
    };
    for (std::size_t t = 0; t < s.threads.size(); ++t) {
      const std::string name = "thread " + std::to_string(t) + " ";
      if (!s.threads[t].stores.empty()) {
        state after = s;
        const auto [v, value] = after.threads[t].stores.front();
        after.threads[t].stores.erase(after.threads[t].stores.begin());
        after.memory[v] = value;
        if (go(std::move(after), name + "'s store to " + std::to_string(v) + " is seen"))
          return true;
      }
      if (s.threads[t].ended) continue;
      if (s.threads[t].asleep) {
        const bool same = s.threads[t].slept_beside == s.memory;
        if (!s.threads[t].wakes_by_itself || (same && s.threads[t].times == 2)) continue;
        state after = s;
        after.threads[t].asleep = false;
        after.threads[t].slept_beside = s.memory;
        after.threads[t].times = same ? s.threads[t].times + 1 : 1;
        if (go(std::move(after), name + "has slept enough")) return true;
        continue;
      }
      state after = s;
      step(after, t);
      const std::string said = name + said_;
      // Which of the sleepers is woken is up to the system.
      const int wakes = std::exchange(after.wakes, 0);
      bool woke = false;
      if (wakes == 2)
        for (one_thread& sleeper : after.threads)
          if (sleeper.word == after.woken_at) sleeper.asleep = false;
      if (wakes == 1)
        for (std::size_t w = 0; w < after.threads.size(); ++w) {
          if (!after.threads[w].asleep || after.threads[w].word != after.woken_at) continue;
          woke = true;
          state chosen = after;
          chosen.threads[w].asleep = false;
          if (go(std::move(chosen), said + " wakes " + std::to_string(w))) return true;
        }
      if (!woke && go(std::move(after), said)) return true;
    }
    if (any) return false;
    now_ = &s;
    if (good(*this)) return false;
    trace = "and there it stays";
    return true;
  }

  inline static interleavings* current_ = nullptr;
  std::vector<thread> threads_;
  state first_;
  std::unordered_set<std::uint64_t> seen_;
  state* now_ = nullptr;
  std::size_t running_ = 0;
  std::size_t replayed_ = 0;
  bool done_ = false;
  std::string said_;
};

// In the place of std::atomic<T>. Acquiring and releasing is all that this machine does anyway; a sequentially
// consistent store goes through at once.
template <class T>
class explored_atomic {
 public:
  explicit explored_atomic(T value) : variable_(interleavings::current().add(value)) {}
  explored_atomic(const explored_atomic&) = delete;
  explored_atomic& operator=(const explored_atomic&) = delete;

  [[nodiscard]] interleavings::variable variable() const { return variable_; }
  T load(std::memory_order = std::memory_order_seq_cst) const {
    return static_cast<T>(interleavings::current().load(variable_));
  }
  void store(T value, std::memory_order order = std::memory_order_seq_cst) {
    interleavings::current().store(variable_, value, order == std::memory_order_seq_cst);
  }
  T fetch_add(T n, std::memory_order = std::memory_order_seq_cst) {
    return change([n](std::uint64_t x) { return static_cast<T>(x + n); });
  }
  T fetch_sub(T n, std::memory_order = std::memory_order_seq_cst) {
    return change([n](std::uint64_t x) { return static_cast<T>(x - n); });
  }
  bool compare_exchange_strong(T& expected, T wanted, std::memory_order, std::memory_order) {
    const T before = change([=](std::uint64_t x) { return x == expected ? wanted : x; });
    return std::exchange(expected, before) == before;
  }

 private:
  T change(const std::function<std::uint64_t(std::uint64_t)>& f) {
    return static_cast<T>(interleavings::current().change(variable_, f));
  }
  interleavings::variable variable_;
};

// In the place of host::operating_system. Where it has no barrier, that is a fence.
struct explored_system {
  template <class T>
  using atomic = explored_atomic<T>;

  static void make_stores_visible(bool barrier) {
    if (barrier)
      interleavings::current().barrier_of_all();
    else
      interleavings::current().fence();
  }
  static void fence() { interleavings::current().fence(); }
  // Short sleeps end by themselves.
  static void wait(explored_atomic<std::uint32_t>& word, std::uint32_t value,
                   std::uint64_t nanoseconds) {
    interleavings::current().sleep(word.variable(), value, nanoseconds < 1'000'000);
  }
  static void wake(explored_atomic<std::uint32_t>& word, int count) {
    interleavings::current().wake(word.variable(), count > 1);
  }
};

}  // namespace pianola::test
