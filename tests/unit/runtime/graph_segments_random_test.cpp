// SPDX-License-Identifier: Apache-2.0
// Random graphs of kernels on several devices and of host tasks, replayed one behind the other: no command may begin
// before those that it depends on have ended in the same replay, and none may be left out.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <pianola/test/all_devices.hpp>
#include <random>
#include <string>
#include <vector>

namespace pianola::test {
namespace {

namespace exp = sycl::ext::oneapi::experimental;

constexpr int most_before = 4;

// What a command sees and leaves, in memory that everybody reaches.
struct record {
  int rounds;  // in which it has run
  int early;   // times that it was begun too early, or again
};
struct work {
  record* all;
  int self;
  int before[most_before];
  int before_count;
  int delay;

  void operator()() const {
    const auto seen = [](int& where) {
      return sycl::atomic_ref<int, sycl::memory_order::acq_rel, sycl::memory_scope::system>(where);
    };
    const int round = seen(all[self].rounds).load() + 1;
    for (int i = 0; i < before_count; ++i)
      if (seen(all[before[i]].rounds).load() != round) seen(all[self].early).fetch_add(1);
    volatile int spent = 0;
    for (int i = 0; i < delay; ++i) spent = i;
    static_cast<void>(spent);
    seen(all[self].rounds).store(round);
  }
};

bool has_driver(const sycl::queue& q) {
  const sycl::backend b = q.get_backend();
  return b == sycl::backend::cuda || b == sycl::backend::hip;
}

// Devices that reach the same memory of the host: that of one driver's, and the processor. Its own first.
std::vector<sycl::queue> queues_with_common_memory() {
  std::vector<sycl::queue> found;
  for (const sycl::queue& q : queues_on_all_devices())
    if (has_driver(q)) {
      if (found.empty() || found[0].get_backend() == q.get_backend()) found.push_back(q);
    }
  for (const sycl::queue& q : queues_on_all_devices())
    if (!has_driver(q) && q.get_device().has(sycl::aspect::usm_host_allocations))
      found.push_back(q);
  return found;
}

class random_graph {
 public:
  random_graph(std::uint64_t seed, std::vector<sycl::queue>& queues)
      : random_(seed), count_(2 + below(40)), queues_(queues) {
    all_ = sycl::malloc_host<record>(static_cast<std::size_t>(count_), queues[0]);
    std::fill_n(all_, count_, record{});
    exp::command_graph graph(queues[0], sycl::ext::pianola::property::graph::multi_device{});
    for (auto& q : queues) graph.begin_recording(q);
    std::vector<sycl::event> events;
    const int kernels = 1 + below(4);  // of five
    // Chains make long segments; what is far back makes segments wait for the middle of others.
    for (int i = 0; i < count_; ++i) {
      work w{all_, i, {}, 0, below(3) == 0 ? below(20000) : 0};
      std::vector<sycl::event> before;
      for (int k = below(most_before); k > 0 && i > 0; --k) {
        const int other = below(2) == 0 ? i - 1 : below(i);
        if (std::find(w.before, w.before + w.before_count, other) != w.before + w.before_count)
          continue;
        w.before[w.before_count++] = other;
        before.push_back(events[static_cast<std::size_t>(other)]);
      }
      sycl::queue& q = queues[static_cast<std::size_t>(below(static_cast<int>(queues.size())))];
      const bool kernel = below(5) < kernels;
      events.push_back(q.submit([&](sycl::handler& h) {
        h.depends_on(before);
        if (kernel)
          h.single_task(w);
        else
          h.host_task(w);
      }));
    }
    graph.end_recording();
    made_.emplace(graph.finalize());
  }
  ~random_graph() {
    made_.reset();
    sycl::free(all_, queues_[0]);
  }
  random_graph(const random_graph&) = delete;
  random_graph& operator=(const random_graph&) = delete;

  void replay() {
    int rounds = 0;
    for (int burst = 0; burst < 4; ++burst) {
      for (int k = 1 + below(12); k > 0; --k, ++rounds) queues_[0].ext_oneapi_graph(*made_);
      queues_[0].wait_and_throw();
      for (int i = 0; i < count_; ++i) {
        ASSERT_EQ(all_[i].rounds, rounds) << "command " << i;
        ASSERT_EQ(all_[i].early, 0) << "command " << i;
      }
    }
  }

 private:
  int below(int n) {
    return static_cast<int>(random_() % static_cast<std::uint64_t>(std::max(n, 1)));
  }

  std::mt19937_64 random_;
  int count_;
  std::vector<sycl::queue>& queues_;
  record* all_ = nullptr;
  std::optional<exp::command_graph<exp::graph_state::executable>> made_;
};

// PIANOLA_TEST_SEED: another one, PIANOLA_TEST_ROUNDS: more.
TEST(graph_segments, of_random_graphs_keep_the_order) {
  const char* const seed_text = std::getenv("PIANOLA_TEST_SEED");
  const char* const rounds_text = std::getenv("PIANOLA_TEST_ROUNDS");
  const std::uint64_t seed =
      seed_text != nullptr ? std::strtoull(seed_text, nullptr, 0) : std::random_device{}();
  const int rounds = rounds_text != nullptr ? std::atoi(rounds_text) : 40;
  std::vector<sycl::queue> queues = queues_with_common_memory();
  for (int i = 0; i < rounds; ++i) {
    random_graph(seed + static_cast<std::uint64_t>(i), queues).replay();
    if (HasFailure())
      FAIL() << "PIANOLA_TEST_SEED=" << seed + static_cast<std::uint64_t>(i)
             << " PIANOLA_TEST_ROUNDS=1";
  }
}

}  // namespace
}  // namespace pianola::test
