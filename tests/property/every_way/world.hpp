// SPDX-License-Identifier: Apache-2.0
// The data of a program, and the ways to run one on it.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <sycl/sycl.hpp>

#include "drawn_device.hpp"
#include "every_way/interpreter.hpp"
#include "every_way/program.hpp"
#include "every_way/uses_of_memory.hpp"

namespace every_way {

namespace graphs = sycl::ext::oneapi::experimental;
namespace pia = sycl::ext::pianola;
using executable = graphs::command_graph<graphs::graph_state::executable>;
using modifiable = graphs::command_graph<graphs::graph_state::modifiable>;
using words = sycl::buffer<word>;

class world {
 public:
  explicit world(std::uint64_t seed);
  world(const world&) = delete;
  world& operator=(const world&) = delete;
  ~world();

  // Once, where programs launch on other data.
  void make_parameters();
  // Draws a program and a way, and runs it so.
  void act(std::uint64_t seed);
  // Throws where a number is not the interpreter's.
  void check();

 private:
  // What one recording has of what changes.
  struct changing {
    std::function<void(std::size_t iteration)> change;
    graphs::node node;
    const modifiable* graph;  // the leg's, or a body's
  };
  // What the commands of a program work on.
  struct places {
    std::vector<words*> data;
    std::vector<word*> memory;
  };
  // Where they go: to queues, which may record.
  struct target {
    std::vector<sycl::queue>& queues;
    places at;
    uses_of_memory uses;
    modifiable* graph = nullptr;  // into which the queues record
    std::deque<changing>* changes = nullptr;
    std::size_t iteration = 0;
  };

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  word next() { return static_cast<word>(random_()); }
  numbers random_numbers() {
    numbers all(n_);
    for (word& w : all) w = next();
    return all;
  }
  static void same(const char* what, std::size_t which, std::size_t i, word got, word wanted) {
    if (got != wanted)
      throw std::runtime_error(std::string(what) + ' ' + std::to_string(which) + '[' +
                               std::to_string(i) + "] is " + std::to_string(got) + " instead of " +
                               std::to_string(wanted));
  }

  sycl::queue some_queue(bool captures);
  static bool has_kernel(task what) {
    return what <= task::sized || what == task::failing || what == task::memory ||
           what == task::scratch;
  }

  block some_steps(std::size_t most, int depth);
  places real() {
    places p;
    for (words& b : buffers_) p.data.push_back(&b);
    p.memory = memory_;
    return p;
  }
  static binding identity() {
    binding b{std::vector<std::size_t>(buffers), std::vector<std::size_t>(memories)};
    std::iota(b.data.begin(), b.data.end(), std::size_t{0});
    std::iota(b.memory.begin(), b.memory.end(), std::size_t{0});
    return b;
  }
  void wait_for_memory() {
    for (sycl::event& e : outside_.all()) e.wait();
    outside_ = {};
  }

  void do_share(const share& s);
  // Something from elsewhere between iterations.
  void disturb();

  // Each way. In world/runs.cpp.
  void run_by_commands(const std::vector<leg>& legs, std::size_t iterations);
  void run_as_graphs(const std::vector<leg>& legs, std::size_t iterations);

  struct recorded_leg {
    std::optional<modifiable> graph;
    std::deque<changing> changes;
    std::optional<executable> made;
  };
  void run_leg(const block& steps, recorded_leg& r, std::size_t iteration);
  sycl::property_list properties(const block& steps);
  void record(const block& steps, recorded_leg& r, std::size_t iteration);
  void put_parameters(places& at);
  binding drawn_binding();
  std::vector<pia::graph_argument> values_for(const binding& at);
  // Each is used.
  void use_parameters();
  void launch(const block& steps, recorded_leg& r, std::size_t iteration);
  void run_cut(const std::vector<leg>& legs, std::size_t iterations);

  // Commands of the program. In world/submit.cpp.
  void submit(const block& steps, target& t);
  void submit(const step& s, target& t);
  // With the step's number for this iteration, or a parameter that has it, where a recording is to be given others.
  template <class Put>
  sycl::event with_salt(const step& s, target& t, sycl::queue& q, const Put& f);
  template <class Salt>
  void put(const step& s, const target& t, sycl::handler& h, const Salt& salt);
  template <class Salt>
  void put_in_memory(const step& s, const target& t, sycl::handler& h, const Salt& salt);
  void submit_scratch(const step& s, target& t, sycl::queue& q);
  void submit_failing(const step& s, target& t, sycl::queue& q);
  void submit_redirected(const step& s, target& t, sycl::queue& q);
  void submit_sized(const step& s, target& t, sycl::queue& q);
  // The host decides.
  void decide(const step& s, target& t);
  // The graph decides.
  void record_control(const step& s, target& t, sycl::queue& q);

  std::mt19937_64 random_;
  std::atomic<std::size_t> errors_{0};
  sycl::queue home_{pianola::testing::drawn_device(random_)};
  sycl::usm::alloc kind_ =
      pianola::testing::drawn_usm(random_, home_.get_device(), /*device_only=*/true);
  way how_ = way::eager;
  std::size_t n_ = 0;
  sycl::property_list paged_;
  data_of_all is_;
  std::vector<numbers> kept_;
  std::deque<words> buffers_;
  words victim_{sycl::range<1>(16)};
  std::vector<word*> memory_;
  std::vector<sycl::queue> queues_;
  std::deque<sycl::buffer<int>> sizes_;
  std::deque<recorded_leg> made_;
  std::deque<modifiable> bodies_;
  uses_of_memory outside_;
  std::deque<pia::graph_parameter<words>> data_parameters_;
  std::deque<pia::graph_parameter<word*>> memory_parameters_;
};

}  // namespace every_way
