// SPDX-License-Identifier: Apache-2.0
// Graphs of several parts of which the runtime learns late what one part did, since a call of the driver takes long.
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <sycl/ext/pianola/node_times.hpp>
#include <sycl/sycl.hpp>

#include "in_a_process.hpp"
#include "test_driver.hpp"

namespace pianola::test {
namespace {

namespace late {

namespace graphs = sycl::ext::oneapi::experimental;
using modifiable = graphs::command_graph<graphs::graph_state::modifiable>;
using executable = graphs::command_graph<graphs::graph_state::executable>;

// Kernels before and beside a host task, which another kernel waits for: two parts for the device, in two lanes.
class program {
 public:
  ~program() { sycl::free(a_, q_); }

  executable record() {
    modifiable g(q_);
    nodes_.clear();
    const auto kernel = [&](std::size_t at) {
      return g.add([&](sycl::handler& h) {
        h.parallel_for(sycl::range<1>(16), [a = a_ + at](sycl::id<1> i) { a[i] += 1; });
      });
    };
    nodes_.push_back(kernel(0));
    nodes_.push_back(g.add([](sycl::handler& h) { h.host_task([] {}); }));
    nodes_.push_back(kernel(16));
    nodes_.push_back(kernel(0));
    g.make_edge(nodes_[0], nodes_[1]);
    g.make_edge(nodes_[0], nodes_[2]);
    g.make_edge(nodes_[1], nodes_[3]);
    g.make_edge(nodes_[2], nodes_[3]);
    return g.finalize({graphs::property::graph::enable_profiling()});
  }

  // Launches; one call of the driver that tells of times is late. What the program has to say.
  std::string run(
      int round, const std::function<std::string(const program&, const sycl::event&)>& afterwards) {
    const executable e = record();
    control().linger(on_cuda() ? "cuEventElapsedTime" : "hipEventElapsedTime",
                     static_cast<unsigned>(1 + round % 8 * 10));
    const sycl::event launch = q_.ext_oneapi_graph(e);
    q_.wait_and_throw();
    return afterwards(*this, launch);
  }

  sycl::queue q_{sycl::gpu_selector_v, {sycl::property::queue::enable_profiling()}};
  int* a_ = sycl::malloc_device<int>(32, q_);
  std::vector<graphs::node> nodes_;
};

}  // namespace late

std::string late_programs(
    const std::function<std::string(const late::program&, const sycl::event&)>& afterwards) {
  const process_end end = in_a_process({}, [&] {
    late::program p;
    for (int i = 0; i < 40; ++i)
      if (std::string wrong = p.run(i, afterwards); !wrong.empty()) return wrong;
    return std::string();
  });
  return end.text + end.how;
}

TEST(a_graph_told_of_late, is_over_when_all_has_been_told) {
  EXPECT_EQ(late_programs([](const late::program&, const sycl::event&) {
              return control().lingers() ? "a call of the driver is under way" : "";
            }),
            "");
}

TEST(a_graph_told_of_late, has_the_times_of_all_nodes_when_it_is_over) {
  EXPECT_EQ(late_programs([](const late::program& p, const sycl::event& launch) {
              std::string wrong;
              for (std::size_t i = 0; i < p.nodes_.size(); ++i)
                if (sycl::ext::pianola::node_times(launch, p.nodes_[i]).start == 0)
                  wrong += std::to_string(i) + " has no times; ";
              if (launch.get_profiling_info<sycl::info::event_profiling::command_start>() == 0)
                wrong += "the launch has no start; ";
              return wrong;
            }),
            "");
}

// By the host task, for the part before it, and by the program.
TEST(a_graph_of_several_parts, is_waited_for_once) {
  const process_end end = in_a_process({}, [] {
    late::program p;
    const late::executable e = p.record();
    const char* const wait = on_cuda() ? "cuEventSynchronize" : "hipEventSynchronize";
    const std::uint64_t before = control().calls(wait);
    constexpr int launches = 20;
    for (int i = 0; i < launches; ++i) p.q_.ext_oneapi_graph(e).wait();
    const std::uint64_t waits = control().calls(wait) - before;
    return waits > 2 * launches + 4 ? std::to_string(waits) : std::string();
  });
  EXPECT_EQ(end.text + end.how, "");
}

}  // namespace
}  // namespace pianola::test
