// SPDX-License-Identifier: Apache-2.0
// Random graphs that allocate, work and free, against an oracle in which every allocation has memory of its own. A failure
// prints its seed.
#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

namespace exp = sycl::ext::oneapi::experimental;

struct living {
  int* pointer;
  std::size_t count;
  std::vector<int> oracle;       // what is there after the commands so far
  std::vector<exp::node> after;  // who comes next comes after these
};

class random_graph {
 public:
  random_graph(sycl::queue& q, unsigned seed) : queue_(q), random_(seed), graph_(q) {
    results_.resize(most_checks);
    expected_.resize(most_checks);
    for (int i = 0; i < 60; ++i) step();
    while (!alive_.empty()) check_and_free(alive_.size() - 1, below(4) != 0);
  }

  void replay_and_compare() {
    const auto made = graph_.finalize();
    EXPECT_GE(made.get_required_mem_size(), largest_);
    EXPECT_LE(made.get_required_mem_size(), sum_);
    for (int i = 0; i < 3; ++i) {
      for (auto& r : results_) std::fill(r.begin(), r.end(), -1);
      queue_.ext_oneapi_graph(made);
      queue_.wait();
      for (std::size_t k = 0; k < checks_; ++k) ASSERT_EQ(results_[k], expected_[k]) << k;
    }
  }

 private:
  static constexpr std::size_t most_checks = 100;

  std::size_t below(std::size_t bound) { return random_() % bound; }

  template <class F>
  exp::node add(const std::vector<exp::node>& after, const F& group) {
    const exp::node made = graph_.add(group);
    for (exp::node before : after) {
      exp::node to = made;
      graph_.make_edge(before, to);
    }
    return made;
  }

  void step() {
    const std::size_t what = below(10);
    if (alive_.empty() || what < 3)
      allocate();
    else if (what < 5)
      check_and_free(below(alive_.size()), true);
    else if (what < 8)
      write(alive_[below(alive_.size())]);
    else
      mix(below(alive_.size()), below(alive_.size()));
  }

  void allocate() {
    living a;
    a.count = 1 + below(5) * 100;
    // After an end of another life, or several, or of none.
    sycl::property_list list;
    const std::size_t from = ends_.size() < 3 ? 0 : ends_.size() - 3;
    if (!ends_.empty() && below(4) != 0)
      list = {exp::property::node::depends_on(ends_[from + below(ends_.size() - from)])};
    if (below(4) == 0) list = {exp::property::node::depends_on_all_leaves()};
    a.after = {graph_.add(
        [&](sycl::handler& h) {
          a.pointer = static_cast<int*>(
              exp::async_malloc(h, sycl::usm::alloc::device, a.count * sizeof(int)));
        },
        list)};
    const std::size_t space = (a.count * sizeof(int) + 255) / 256 * 256;
    sum_ += space;
    now_ += space;
    largest_ = std::max(largest_, space);
    alive_.push_back(std::move(a));
    write(alive_.back());
  }

  void write(living& a) {
    int* const p = a.pointer;
    const int value = static_cast<int>(below(1000));
    a.oracle.resize(a.count);
    for (std::size_t i = 0; i < a.count; ++i) a.oracle[i] = value + static_cast<int>(i);
    a.after = {add(a.after, [&](sycl::handler& h) {
      h.parallel_for(a.count, [=](sycl::id<1> i) { p[i] = value + static_cast<int>(i[0]); });
    })};
  }

  void mix(std::size_t x, std::size_t y) {
    if (x == y) return;
    living &a = alive_[x], &b = alive_[y];
    int* const p = a.pointer;
    int* const other = b.pointer;
    const std::size_t count = std::min(a.count, b.count);
    for (std::size_t i = 0; i < count; ++i)
      a.oracle[i] = static_cast<int>(3U * static_cast<unsigned>(a.oracle[i]) +
                                     static_cast<unsigned>(b.oracle[i]));
    std::vector<exp::node> after = a.after;
    after.insert(after.end(), b.after.begin(), b.after.end());
    const exp::node made = add(after, [&](sycl::handler& h) {
      h.parallel_for(count, [=](sycl::id<1> i) {
        p[i] = static_cast<int>(3U * static_cast<unsigned>(p[i]) + static_cast<unsigned>(other[i]));
      });
    });
    a.after = b.after = {made};
  }

  void check_and_free(std::size_t index, bool and_free) {
    living a = std::move(alive_[index]);
    alive_.erase(alive_.begin() + static_cast<std::ptrdiff_t>(index));
    if (checks_ < most_checks) {
      results_[checks_].resize(a.count);
      expected_[checks_] = a.oracle;
      int* const to = results_[checks_].data();
      a.after = {
          add(a.after, [&](sycl::handler& h) { h.memcpy(to, a.pointer, a.count * sizeof(int)); })};
      ++checks_;
    }
    if (and_free)
      ends_.push_back(add(a.after, [&](sycl::handler& h) { exp::async_free(h, a.pointer); }));
  }

  sycl::queue& queue_;
  std::mt19937 random_;
  exp::command_graph<exp::graph_state::modifiable> graph_;
  std::vector<living> alive_;
  std::vector<exp::node> ends_;
  std::vector<std::vector<int>> results_, expected_;
  std::size_t checks_ = 0, sum_ = 0, now_ = 0, largest_ = 0;
};

TEST(async_alloc_random, no_graph_ever_clobbers_what_is_still_in_use) {
  sycl::queue q;
  for (unsigned seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_graph(q, seed).replay_and_compare();
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
