// SPDX-License-Identifier: Apache-2.0
// Executable graphs that are updated while their replays are under way: every launch works with the values that the graph
// had when it was submitted.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sycl/sycl.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
using executable = graphs::command_graph<graphs::graph_state::executable>;
using modifiable = graphs::command_graph<graphs::graph_state::modifiable>;
using number = std::uint32_t;

constexpr std::size_t updated_arrays = 3, updated_length = 40;
using contents = std::array<std::array<number, updated_length>, updated_arrays>;

// to[i] = 3 to[i] + from[i + 1] + value, of the first `range` elements.
struct updated_node {
  std::size_t to, from, range;
  number value;

  void run(contents& data) const {
    const auto old = data[from];
    for (std::size_t i = 0; i < range; ++i)
      data[to][i] = 3 * data[to][i] + old[(i + 1) % updated_length] + value;
  }
};

struct updated_program {
  std::vector<updated_node> nodes;
  bool with_host_task = false;  // behind the first node
  std::size_t host_array = 0;
};

struct recorded_program {
  modifiable graph;
  std::deque<graphs::dynamic_parameter<number>> values;
  std::vector<graphs::node> nodes;

  recorded_program(sycl::queue& q, const updated_program& p,
                   std::vector<sycl::buffer<number>>& data)
      : graph(q) {
    for (const updated_node& n : p.nodes) {
      graphs::dynamic_parameter<number>& value = values.emplace_back(graph, n.value);
      nodes.push_back(graph.add([&](sycl::handler& h) {
        const sycl::accessor to(data[n.to], h, sycl::read_write);
        const sycl::accessor from(data[n.from], h, sycl::read_only);
        const sycl::ext::pianola::dynamic_argument v(value);
        h.parallel_for(sycl::range<1>(n.range), [=](sycl::id<1> i) {
          to[i] = 3 * to[i] + from[(i[0] + 1) % updated_length] + v;
        });
      }));
      if (p.with_host_task && nodes.size() == 1)
        graph.add([&](sycl::handler& h) {
          const sycl::accessor t(data[p.host_array], h, sycl::read_write_host_task);
          h.host_task([=] {
            for (std::size_t i = 0; i < 7; ++i) t[i] ^= 1;
          });
        });
    }
  }
};

updated_program random_program(std::mt19937& rng) {
  updated_program p;
  p.with_host_task = rng() % 3 == 0;
  p.host_array = rng() % updated_arrays;
  for (std::size_t k = 1 + rng() % 6; k != 0; --k) {
    updated_node n{};
    n.to = rng() % updated_arrays;
    n.from = (n.to + 1 + rng() % (updated_arrays - 1)) % updated_arrays;
    n.range = 1 + rng() % updated_length;
    n.value = static_cast<number>(rng());
    p.nodes.push_back(n);
  }
  return p;
}

void run(const updated_program& p, contents& data) {
  for (std::size_t k = 0; k < p.nodes.size(); ++k) {
    p.nodes[k].run(data);
    if (k == 0 && p.with_host_task)
      for (std::size_t i = 0; i < 7; ++i) data[p.host_array][i] ^= 1;
  }
}

void check_updates(std::uint32_t seed) {
  std::mt19937 rng(seed);
  const auto devices = sycl::device::get_devices();
  sycl::queue q(devices[rng() % devices.size()]);
  std::vector<sycl::buffer<number>> data;
  contents expected{};
  for (std::size_t a = 0; a < updated_arrays; ++a) {
    data.emplace_back(sycl::range<1>(updated_length));
    sycl::host_accessor all(data[a], sycl::write_only, sycl::no_init);
    for (number& x : all) x = 0;
  }
  updated_program now = random_program(rng);
  recorded_program recorded(q, now, data);
  updated_program of_recorded = now;
  sycl::property_list how{graphs::property::graph::updatable()};
  if (rng() % 4 == 0)
    how = {graphs::property::graph::updatable(), graphs::property::graph::enable_profiling()};
  executable made = recorded.graph.finalize(how);
  for (int step = 0; step < 30; ++step) {
    switch (rng() % 8) {
      case 0: {  // everything, from another recording; perhaps with another plan
        updated_program next = now;
        const bool other_plan = rng() % 4 == 0;
        for (updated_node& n : next.nodes) {
          n.value = static_cast<number>(rng());
          if (rng() % 2 == 0) n.range = 1 + rng() % updated_length;
          if (other_plan && rng() % 2 == 0) std::swap(n.from, n.to);
        }
        try {
          recorded_program other(q, next, data);
          made.update(other.graph);
          now = next;
        } catch (const sycl::exception& e) {
          // Other edges.
          RC_ASSERT(other_plan);
          RC_ASSERT(e.code() == sycl::errc::invalid);
        }
        break;
      }
      case 1:
      case 2:
      case 3: {  // some nodes
        std::vector<graphs::node> some;
        for (std::size_t k = 0; k < now.nodes.size(); ++k) {
          if (rng() % 2 == 0) continue;
          updated_node& n = of_recorded.nodes[k];
          n.value = static_cast<number>(rng());
          recorded.values[k].update(n.value);
          if (rng() % 3 == 0) {
            n.range = 1 + rng() % updated_length;
            recorded.nodes[k].update_range(sycl::range<1>(n.range));
          }
          some.push_back(recorded.nodes[k]);
          now.nodes[k] = n;
        }
        if (!some.empty()) made.update(some);
        break;
      }
      case 4: {
        const std::size_t a = rng() % updated_arrays;
        sycl::host_accessor all(data[a], sycl::read_write);
        for (std::size_t i = 0; i < updated_length; ++i) RC_ASSERT(all[i] == expected[a][i]);
        all[3] += 5;
        expected[a][3] += 5;
        break;
      }
      default:
        q.ext_oneapi_graph(made);
        run(now, expected);
    }
  }
  for (std::size_t a = 0; a < updated_arrays; ++a) {
    sycl::host_accessor all(data[a], sycl::read_only);
    for (std::size_t i = 0; i < updated_length; ++i) RC_ASSERT(all[i] == expected[a][i]);
  }
}

TEST(graph_updates, of_graphs_under_way_change_only_what_is_launched_later) {
  EXPECT_TRUE(rc::check([] {
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    RC_LOG() << "seed " << seed << "\n";
    check_updates(seed);
  }));
}

}  // namespace
