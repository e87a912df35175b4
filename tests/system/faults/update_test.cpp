// SPDX-License-Identifier: Apache-2.0
// Updates of a recorded graph of which every call of the driver fails once: what fails changes nothing.
#include <cstdlib>
#include <string>
#include <vector>

#include <sycl/sycl.hpp>

#include "in_a_process.hpp"
#include "test_driver.hpp"

namespace pianola::test {
namespace {

namespace graphs = sycl::ext::oneapi::experimental;

// A graph of two parts, with something of each kind in it, and what is there when it has run.
class program {
 public:
  static constexpr std::size_t side = 16, size = side * side;

  ~program() {
    q_.wait();
    for (int* p : {a_, b_}) sycl::free(p, q_);
  }

  graphs::command_graph<graphs::graph_state::modifiable> record(int kind) {
    graphs::command_graph g(q_);
    g.begin_recording(q_);
    q_.fill(a_, 0, size);
    q_.fill(b_, 0, size);
    q_.parallel_for(sycl::range<1>(8), [a = a_, kind](sycl::id<1> i) { a[i] += 1 + kind; });
    const std::size_t rows = kind == 0 ? 2 : 5;
    q_.ext_oneapi_fill2d(a_ + 2 * side, side, 3 + kind, 4 + kind, rows);
    q_.ext_oneapi_memcpy2d(b_, sizeof(int) * side, a_, sizeof(int) * side,
                           kind == 2 ? sizeof(int) * side : sizeof(int) * 6, 4);
    q_.submit([&](sycl::handler& h) { h.host_task([kind, this] { called_ = kind; }); });
    q_.copy(b_, a_ + 8 * side, kind == 1 ? 6 : 10);
    q_.parallel_for(sycl::range<1>(4 + kind), [b = b_, kind](sycl::id<1> i) { b[i] += 7 * kind; });
    g.end_recording(q_);
    return g;
  }
  // What is there when it has run.
  std::vector<int> run(const graphs::command_graph<graphs::graph_state::executable>& e) {
    q_.ext_oneapi_graph(e);
    std::vector<int> all(2 * size + 1);
    q_.copy(a_, all.data(), size);
    q_.copy(b_, all.data() + size, size);
    q_.wait_and_throw();
    all.back() = called_;
    return all;
  }

  // Updates from `from` to `to` of which the n-th call fails. Empty, or what is wrong.
  std::string sweep(int from, int to, int code) {
    auto e = record(from).finalize({graphs::property::graph::updatable()});
    const std::vector<int> old = run(record(from).finalize()), fresh = run(record(to).finalize());
    if (old == fresh) return "they do the same";
    std::size_t failed = 0;
    for (std::uint64_t n = 1;; ++n) {
      const std::string where =
          std::to_string(from) + " to " + std::to_string(to) + ", call " + std::to_string(n) + ": ";
      control().reset();
      control().fail("any", n, code);
      std::string error;
      try {
        e.update(record(to));
      } catch (const sycl::exception& x) {
        error = x.what();
      }
      const bool made = control().calls("any") >= n;
      control().reset();
      if (!error.empty()) {
        ++failed;
        if (error.find(std::to_string(code) + ")") == std::string::npos)
          return where + "not the driver's text: " + error;
        if (run(e) != old) return where + "changed, and yet: " + error;
        e.update(record(to));
      }
      if (run(e) != fresh) return where + "not changed, " + error;
      e.update(record(from));
      if (run(e) != old) return where + "not changed back";
      if (!made) break;
    }
    return failed >= 3 ? "" : "only " + std::to_string(failed) + " updates failed";
  }

  std::string sweep_all(int code) {
    std::string wrong;
    for (int from = 0; from < 3; ++from)
      for (int to = 0; to < 3 && wrong.empty(); ++to)
        if (from != to) wrong = sweep(from, to, code);
    return wrong.empty() && !errors_.empty() ? "asynchronous: " + errors_ : wrong;
  }

 private:
  std::string errors_;
  sycl::queue q_{sycl::gpu_selector_v,
                 [this](const sycl::exception_list& list) {
                   for (const std::exception_ptr& e : list) {
                     try {
                       std::rethrow_exception(e);
                     } catch (const std::exception& x) {
                       errors_ += x.what();
                     }
                   }
                 },
                 {sycl::property::queue::in_order()}};
  int* a_ = sycl::malloc_device<int>(size, q_);
  int* b_ = sycl::malloc_device<int>(size, q_);
  int called_ = -1;
};

void expect_nothing_wrong(int code) {
  const process_end end = in_a_process({}, [code] { return program().sweep_all(code); });
  EXPECT_EQ(end.text, "");
  EXPECT_EQ(end.how, "");
}

TEST(an_update, that_fails_for_want_of_memory_changes_nothing) { expect_nothing_wrong(2); }

TEST(an_update, that_fails_for_unknown_reasons_changes_nothing) { expect_nothing_wrong(999); }

}  // namespace
}  // namespace pianola::test
