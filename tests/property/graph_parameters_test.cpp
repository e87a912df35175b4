// SPDX-License-Identifier: Apache-2.0
// Random graphs with parameters, launched on random buffers and random memory without waiting between: the bytes of an
// interpreter that does the same step by step.
// compiled alone: others have its short names, too.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sycl/ext/pianola/graph_parameter.hpp>
#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "drawn_device.hpp"

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
namespace pia = sycl::ext::pianola;
using executable_graph = graphs::command_graph<graphs::graph_state::executable>;
using word = std::uint32_t;
using words = sycl::buffer<word>;
using values_of_all = std::vector<std::vector<word>>;

constexpr std::size_t elements = 24, page = 8, in_parameters = 3, staying = 2;
constexpr std::size_t places = in_parameters + staying;  // of a graph: buffers
constexpr std::size_t of_program = 5;                    // buffers that stand for parameters

enum class task : std::uint8_t {
  update,
  overwrite,
  copy,
  on_host,
  memory,
  repeat,
  loop,
  branch,
  count
};
struct step {
  task what;
  std::size_t to, from;      // places
  std::size_t first, count;  // elements of `to`
  word seed;
  std::vector<step>
      inner;  // repeat, loop: so often as the seed says; branch: if the input's first word is odd

  [[nodiscard]] bool is_control() const { return what >= task::repeat; }
  [[nodiscard]] int times() const { return static_cast<int>(seed % 4); }
};

class rebound_program {
 public:
  explicit rebound_program(std::uint64_t seed) : random_(seed) {
    for (std::size_t i = 0; i < of_program + staying; ++i) {
      buffers_.emplace_back(sycl::range<1>(elements), paged());
      expected_.emplace_back(elements);
      sycl::host_accessor a{buffers_.back()};
      for (std::size_t k = 0; k < elements; ++k) a[k] = expected_.back()[k] = next();
    }
    for (std::size_t i = 0; i < in_parameters; ++i)
      parameters_.emplace_back(sycl::range<1>(elements), paged());
    for (auto& m : memory_) {
      m = sycl::malloc_shared<word>(elements, q_);
      in_memory_.emplace_back(elements);
      for (std::size_t k = 0; k < elements; ++k) m[k] = in_memory_.back()[k] = next();
    }
  }
  rebound_program(const rebound_program&) = delete;
  rebound_program& operator=(const rebound_program&) = delete;
  ~rebound_program() {
    q_.wait();
    for (word* m : memory_) sycl::free(m, q_);
    for (int* c : counters_) sycl::free(c, q_);
  }

  void run() {
    for (int graph = 0; graph < 2; ++graph) {
      const std::vector<step> steps = some_steps(8, 2);
      const executable_graph e = recorded(steps);
      const int launches = 1 + static_cast<int>(below(8));
      for (int i = 0; i < launches; ++i) {
        launch(e, steps);
        if (below(4) == 0) eagerly();
        if (below(8) == 0) look();
      }
    }
    for (std::size_t i = 0; i < buffers_.size(); ++i) check(i);
    last_.wait();
    for (std::size_t i = 0; i < in_memory_.size(); ++i)
      RC_ASSERT(std::equal(in_memory_[i].begin(), in_memory_[i].end(), memory_[i]));
  }

 private:
  static sycl::property_list paged() {
    return {pia::property::buffer::page_size<1>(sycl::range<1>(page))};
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  word next() { return static_cast<word>(random_()); }

  std::vector<step> some_steps(std::size_t most, int depth) {
    std::vector<step> steps(1 + below(most));
    for (step& s : steps) {
      s.what = static_cast<task>(
          below(static_cast<std::size_t>(depth > 0 ? task::count : task::repeat)));
      s.to = below(places);
      s.from = (s.to + 1 + below(places - 1)) % places;
      s.first = below(elements);
      s.count = 1 + below(elements - s.first);
      s.seed = next();
      if (s.is_control()) s.inner = some_steps(3, depth - 1);
    }
    return steps;
  }

  words& at(std::size_t place) {
    return place < in_parameters ? *parameters_[place]
                                 : buffers_[of_program + place - in_parameters];
  }

  using modifiable = graphs::command_graph<graphs::graph_state::modifiable>;
  using nodes = std::vector<graphs::node>;

  // Behind what used memory before.
  template <class Group>
  static void add_in_order(modifiable& graph, nodes& order, const Group& group) {
    order.assign(1, order.empty()
                        ? graph.add(group)
                        : graph.add(group, {graphs::property::node::depends_on(order[0])}));
  }

  void add_control(modifiable& graph, nodes& order, const step& s) {
    modifiable body(q_);
    nodes in_body;
    add_steps(body, in_body, s.inner);
    if (s.what == task::repeat)
      return add_in_order(
          graph, order, [&](sycl::handler& h) { pia::add_repeat(h, s.times(), body.finalize()); });
    word* const x = input_.get();
    int* const c = counters_.emplace_back(sycl::malloc_device<int>(1, q_));
    if (s.what == task::branch) {
      add_in_order(graph, order, [&](sycl::handler& h) {
        h.single_task([=] { *c = static_cast<int>(*x & 1U); });
      });
      return add_in_order(graph, order,
                          [&](sycl::handler& h) { pia::add_if(h, c, body.finalize()); });
    }
    const int times = s.times();
    add_in_order(graph, order, [&](sycl::handler& h) { h.single_task([=] { *c = times; }); });
    add_in_order(body, in_body, [&](sycl::handler& h) { h.single_task([=] { --*c; }); });
    add_in_order(graph, order, [&](sycl::handler& h) { pia::add_while(h, c, body.finalize()); });
  }

  // Memory is ordered by events, all else by the buffers.
  void add_steps(modifiable& graph, nodes& order, const std::vector<step>& steps) {
    for (const step& s : steps) {
      if (s.is_control()) {
        add_control(graph, order, s);
        continue;
      }
      const auto [to, from, first, count, seed] =
          std::tuple(s.to, s.from, s.first, s.count, s.seed);
      const sycl::range<1> range(count);
      const sycl::id<1> offset(first);
      if (s.what == task::memory) {
        word* const x = input_.get();
        word* const y = output_.get();
        add_in_order(graph, order, [&](sycl::handler& h) {
          sycl::accessor a{at(to), h, range, offset};
          h.parallel_for(range, [=](sycl::id<1> i) {
            y[i[0]] = y[i[0]] * 3 + x[i[0]] + a[i];
            a[i] += x[i[0]] ^ seed;
          });
        });
        continue;
      }
      graph.add([&](sycl::handler& h) {
        if (s.what == task::update) {
          sycl::accessor a{at(to), h, range, offset};
          sycl::accessor b{at(from), h, range, offset, sycl::read_only};
          h.parallel_for(range, [=](sycl::id<1> i) { a[i] += b[i] * seed; });
        } else if (s.what == task::overwrite) {
          sycl::accessor a{at(to), h, range, offset, sycl::write_only, sycl::no_init};
          h.parallel_for(range, [=](sycl::id<1> i) { a[i] = seed + static_cast<word>(i[0]); });
        } else if (s.what == task::copy) {
          sycl::accessor b{at(from), h, range, offset, sycl::read_only};
          sycl::accessor a{at(to), h, range, offset, sycl::write_only, sycl::no_init};
          h.copy(b, a);
        } else {
          sycl::accessor a{at(to), h, range, offset, sycl::read_write_host_task};
          h.host_task([=] {
            for (std::size_t i = 0; i < count; ++i) a[i] ^= seed;
          });
        }
      });
    }
  }

  executable_graph recorded(const std::vector<step>& steps) {
    modifiable graph(q_);
    nodes order;
    add_steps(graph, order, steps);
    // Every parameter is used.
    graph.add([&](sycl::handler& h) {
      for (auto& p : parameters_) sycl::accessor used{*p, h, sycl::range<1>(1), sycl::read_only};
      word* const y = output_.get();
      word* const x = input_.get();
      h.single_task([=] { static_cast<void>(x), static_cast<void>(y); });
    });
    const auto in_flight = static_cast<std::uint32_t>(1 + below(3));
    uses_memory_ = !order.empty();
    return graph.finalize({pia::property::graph::in_flight(in_flight)});
  }

  void launch(const executable_graph& e, const std::vector<step>& steps) {
    std::vector<std::size_t> chosen(of_program);
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    std::shuffle(chosen.begin(), chosen.end(), random_);
    const std::size_t x = below(memory_.size()),
                      y = (x + 1 + below(memory_.size() - 1)) % memory_.size();
    std::vector<pia::graph_argument> arguments;
    for (std::size_t i = 0; i < in_parameters; ++i)
      arguments.push_back(parameters_[i] = buffers_[chosen[i]]);
    if (below(2) == 0) std::reverse(arguments.begin(), arguments.end());
    arguments.push_back(input_ = memory_[x]);
    arguments.push_back(output_ = memory_[y]);
    if (uses_memory_)
      last_ = q_.ext_oneapi_graph(e, arguments, std::vector<sycl::event>{last_});
    else
      q_.ext_oneapi_graph(e, arguments);
    interpret(steps, chosen, x, y);
  }

  void interpret(const std::vector<step>& steps, const std::vector<std::size_t>& chosen,
                 std::size_t x, std::size_t y) {
    const auto buffer = [&](std::size_t place) -> std::vector<word>& {
      return expected_[place < in_parameters ? chosen[place] : of_program + place - in_parameters];
    };
    for (const step& s : steps) {
      if (s.is_control()) {
        const int times =
            s.what == task::branch ? static_cast<int>(in_memory_[x][0] & 1U) : s.times();
        for (int k = 0; k < times; ++k) interpret(s.inner, chosen, x, y);
        continue;
      }
      std::vector<word>&a = buffer(s.to), &b = buffer(s.from);
      for (std::size_t i = 0; i < s.count; ++i) {
        word& to = a[s.first + i];
        switch (s.what) {
          case task::update:
            to += b[s.first + i] * s.seed;
            break;
          case task::overwrite:
            to = s.seed + static_cast<word>(i);
            break;
          case task::copy:
            to = b[s.first + i];
            break;
          case task::on_host:
            to ^= s.seed;
            break;
          default:
            in_memory_[y][i] = in_memory_[y][i] * 3 + in_memory_[x][i] + to;
            to += in_memory_[x][i] ^ s.seed;
            break;
        }
      }
    }
  }

  void eagerly() {
    const std::size_t to = below(buffers_.size());
    const word seed = next();
    sycl::queue q(pianola::testing::drawn_device(random_));
    q.submit([&](sycl::handler& h) {
      sycl::accessor a{buffers_[to], h};
      h.parallel_for(elements, [=](sycl::id<1> i) { a[i] = a[i] * 5 + seed; });
    });
    for (word& w : expected_[to]) w = w * 5 + seed;
  }

  void look() {
    const std::size_t to = below(buffers_.size());
    sycl::host_accessor a{buffers_[to]};
    const std::size_t i = below(elements);
    RC_ASSERT(a[i] == expected_[to][i]);
    a[i] = expected_[to][i] = next();
  }

  void check(std::size_t buffer) {
    sycl::host_accessor a{buffers_[buffer], sycl::read_only};
    for (std::size_t i = 0; i < elements; ++i) RC_ASSERT(a[i] == expected_[buffer][i]);
  }

  std::mt19937_64 random_;
  sycl::queue q_{pianola::testing::drawn_device(random_)};
  std::deque<words> buffers_;
  values_of_all expected_, in_memory_;
  std::vector<pia::graph_parameter<words>> parameters_;
  std::vector<word*> memory_ = std::vector<word*>(3);  // takes turns as well
  pia::graph_parameter<word*> input_{elements, q_, sycl::usm::alloc::shared};
  pia::graph_parameter<word*> output_{elements, q_, sycl::usm::alloc::shared};
  std::vector<int*> counters_;
  bool uses_memory_ = false;
  sycl::event last_;
};

TEST(GraphParameters, RandomLaunchesGiveTheBytesOfAnInterpreter) {
  EXPECT_TRUE(
      rc::check("launches with random values for parameters give the bytes of an interpreter",
                [](std::uint64_t seed) {
                  rebound_program program(seed);
                  program.run();
                }));
}

}  // namespace
