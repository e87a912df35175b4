// SPDX-License-Identifier: Apache-2.0
#include <pianola/planner/simulate/simulate.hpp>

#include <chrono>

#include "planning_fixture.hpp"

namespace pianola::planner {
namespace {

using test::cpu;
using test::device1;
using test::device2;
using test::device3;
using test::host;
using test::memory1;
using test::memory2;
using test::memory3;

// Plans made by hand, on a machine on which a kernel of n items takes n seconds, a host task one, and a transfer of n
// bytes n / 4 seconds and half of one besides.
class simulated_plan : public ::testing::Test {
 protected:
  simulated_plan() {
    machine_ = test::four_devices();
    for (model::device_description& d : machine_.devices) d.speed = {0, 1e30, 1, 1};
    for (std::uint16_t d = 0; d < 4; ++d)
      machine_.kernel_times.push_back({model::kernel_id(1), model::device_id(d), 0, 1});
    for (model::link_description& l : machine_.links) l.bandwidth = 4, l.latency = 0.5;
    buffers_ = {test::row(4), test::row(4)};  // of 16 bytes
  }

  std::uint64_t add(std::uint32_t lane, std::vector<std::uint64_t> waits,
                    std::variant<execute_step, transfer_step> action) {
    step s;
    s.action = action;
    s.lane = model::lane_id(lane);
    s.first_wait = static_cast<std::uint32_t>(plan_.waits.size());
    s.wait_count = static_cast<std::uint32_t>(waits.size());
    for (const std::uint64_t w : waits) plan_.waits.emplace_back(w);
    plan_.steps.push_back(s);
    return plan_.steps.size() - 1;
  }
  std::uint64_t kernel(model::device_id device, std::uint32_t lane, std::uint64_t seconds,
                       std::vector<std::uint64_t> waits = {},
                       std::vector<model::requirement> requirements = {}) {
    model::kernel_command k;
    k.id = model::kernel_id(1);
    k.geometry.global = {{1, 1, seconds}};
    return command(device, lane, k, std::move(waits), std::move(requirements));
  }
  std::uint64_t command(model::device_id device, std::uint32_t lane, model::command_payload payload,
                        std::vector<std::uint64_t> waits = {},
                        std::vector<model::requirement> requirements = {}) {
    const std::uint64_t id = commands_.add(device, std::move(requirements), {}, std::move(payload));
    return add(lane, std::move(waits),
               execute_step{model::command_id(static_cast<std::uint32_t>(id)), device});
  }
  std::uint64_t transfer(std::uint32_t lane, model::memory_id from, model::memory_id to,
                         std::vector<std::uint64_t> waits = {}, std::uint32_t buffer = 0) {
    return add(lane, std::move(waits),
               transfer_step{model::buffer_id(buffer), from, to, test::span(0, 4)});
  }
  [[nodiscard]] simulation run() const {
    return simulate(graph_view(commands_.all(), buffers_, 0), plan_, machine_);
  }
  void expect_times(const simulation& s, std::uint64_t step, double start, double end) {
    EXPECT_DOUBLE_EQ(s.steps[step].start, start) << "step " << step;
    EXPECT_DOUBLE_EQ(s.steps[step].end, end) << "step " << step;
  }
  static std::vector<std::uint64_t> path(const simulation& s) {
    std::vector<std::uint64_t> steps;
    for (const model::step_id p : s.critical_path) steps.push_back(p.value());
    return steps;
  }

  model::topology machine_;
  std::vector<model::buffer_info> buffers_;
  test::command_list commands_;
  plan plan_;
};

using path_of = std::vector<std::uint64_t>;

TEST_F(simulated_plan, without_steps_takes_no_time) {
  const simulation s = run();
  EXPECT_EQ(s.makespan, 0);
  EXPECT_TRUE(s.critical_path.empty());
}

TEST_F(simulated_plan, runs_a_lane_in_order_and_lanes_side_by_side) {
  kernel(device1, 0, 2);
  kernel(device1, 0, 3);
  kernel(device2, 1, 4);
  const simulation s = run();
  expect_times(s, 0, 0, 2);
  expect_times(s, 1, 2, 5);
  expect_times(s, 2, 0, 4);
  EXPECT_DOUBLE_EQ(s.makespan, 5);
  EXPECT_EQ(path(s), (path_of{0, 1}));
  EXPECT_DOUBLE_EQ(s.work, 9);
  EXPECT_DOUBLE_EQ(s.span, 4) << "the lane is no need of the commands";
  EXPECT_DOUBLE_EQ(s.devices[1].busy, 5);
  EXPECT_DOUBLE_EQ(s.devices[2].busy, 4);
  EXPECT_EQ(s.devices[1].steps, 2U);
  EXPECT_DOUBLE_EQ(s.devices[3].busy, 0);
}

TEST_F(simulated_plan, begins_what_waits_when_the_last_of_them_has_ended) {
  kernel(device1, 0, 2);
  kernel(device2, 1, 5);
  kernel(device3, 2, 1, {0, 1});
  const simulation s = run();
  expect_times(s, 2, 5, 6);
  EXPECT_EQ(path(s), (path_of{1, 2}));
}

TEST_F(simulated_plan, shares_a_device_evenly_between_its_lanes) {
  kernel(device1, 0, 2);
  kernel(device1, 1, 3);
  kernel(device1, 0, 4);
  const simulation s = run();
  expect_times(s, 0, 0, 4);
  expect_times(s, 1, 0, 6);  // 2 of 3 by then, and the last one at half the speed again
  expect_times(s, 2, 4, 9);
  EXPECT_DOUBLE_EQ(s.devices[1].busy, 9);
  EXPECT_DOUBLE_EQ(s.devices[1].work, 9);
}

TEST_F(simulated_plan, lets_host_tasks_share_nothing) {
  kernel(cpu, 0, 2);
  command(cpu, 1, model::host_task_command{});
  const simulation s = run();
  expect_times(s, 0, 0, 2);
  expect_times(s, 1, 0, 1);
  EXPECT_EQ(s.devices[0].steps, 1U);
}

TEST_F(simulated_plan, moves_data_over_its_link) {
  kernel(device1, 0, 1, {},
         {test::needs(model::buffer_id(0), model::access_mode::write, test::span(0, 4), true)});
  transfer(1, memory1, memory2, {0});
  kernel(device2, 1, 1, {},
         {test::needs(model::buffer_id(0), model::access_mode::read, test::span(0, 4))});
  const simulation s = run();
  expect_times(s, 1, 1, 1 + 0.5 + 4);
  EXPECT_DOUBLE_EQ(s.makespan, 6.5);
  EXPECT_DOUBLE_EQ(s.span, 2) << "nothing is moved in it";
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < s.links.size(); ++i) {
    bytes += s.links[i].bytes;
    if (s.links[i].transfers != 0) {
      EXPECT_EQ(machine_.links[i].to, memory2);
    }
  }
  EXPECT_EQ(bytes, 16U);
  EXPECT_EQ(s.peak_memory, (std::vector<std::uint64_t>{0, 16, 16, 0}));
}

TEST_F(simulated_plan, shares_a_link_and_a_bus_but_not_latencies) {
  transfer(0, memory1, memory2);
  transfer(1, memory1, memory2, {}, 1);
  transfer(2, memory1, memory3);
  simulation s = run();
  expect_times(s, 0, 0, 0.5 + 8);
  expect_times(s, 1, 0, 0.5 + 8);
  expect_times(s, 2, 0, 0.5 + 4);
  for (model::link_description& l : machine_.links) l.bus = l.from == memory1 ? 0 : 1;
  s = run();
  for (const std::uint64_t i : {0, 1, 2}) expect_times(s, i, 0, 0.5 + 12);
}

TEST_F(simulated_plan, counts_a_copy_between_two_memories_as_a_transfer) {
  model::copy_command copy;
  copy.source.memory = host;
  copy.destination.memory = memory1;
  copy.width = 8;
  command(device1, 0, copy);
  const simulation s = run();
  expect_times(s, 0, 0, 0.5 + 2);
  EXPECT_DOUBLE_EQ(s.work, 2.5);
  EXPECT_EQ(s.devices[1].steps, 0U);
}

TEST_F(simulated_plan, of_a_run_begins_nothing_before_what_had_finished_by_then) {
  kernel(device1, 0, 2);
  kernel(device2, 1, 5);
  kernel(device3, 2, 1);
  kernel(device3, 3, 1);
  plan_.finished = {{model::step_id(2), model::step_id(1)}, {model::step_id(3), model::step_id(2)}};
  const simulation s = run();
  expect_times(s, 2, 2, 3);
  expect_times(s, 3, 5, 6);
  EXPECT_EQ(path(s), (path_of{1, 3}));
}

TEST_F(simulated_plan, takes_steps_without_time_in_any_number_and_order) {
  kernel(device1, 0, 1);
  for (std::uint64_t i = 0; i < 100000; ++i)
    command(device1, static_cast<std::uint32_t>(i % 7), model::empty_command{}, {i});
  const simulation s = run();
  EXPECT_DOUBLE_EQ(s.makespan, 1);
  EXPECT_EQ(s.critical_path.size(), 100001U);
}

TEST_F(simulated_plan, for_another_machine_is_refused) {
  const auto complaint = [this] {
    try {
      (void)run();
    } catch (const model::user_error& e) {
      EXPECT_EQ(e.code(), model::error_code::invalid);
      return std::string(e.what());
    }
    return std::string();
  };
  transfer(0, memory1, memory2);
  machine_.links.clear();
  EXPECT_EQ(complaint(),
            "step 0 of the plan moves data from memory 1 to 2, which the topology does not link; "
            "the plan was made for another machine");
  plan_ = {};
  kernel(device3, 0, 1);
  machine_.devices.pop_back();
  machine_.kernel_times.pop_back();
  EXPECT_EQ(complaint(),
            "step 0 of the plan runs on device 3, which the topology lacks; the plan was made for "
            "another machine");
  plan_ = {};
  kernel(device1, 0, 1, {1});
  kernel(device2, 1, 1, {0});
  EXPECT_EQ(complaint(), "steps of the plan wait for each other: it would never end");
}

// Not how long it takes but that it takes no power of the size: 300 devices, all lanes in use.
TEST_F(simulated_plan, of_a_hundred_thousand_steps_on_hundreds_of_devices_ends) {
  model::topology large;
  large.memories = {{"host", 0}};
  for (std::uint16_t d = 0; d < 300; ++d) {
    large.devices.push_back({"device", "test", host, 8, {0, 1e30, 1, 1}});
    large.kernel_times.push_back({model::kernel_id(1), model::device_id(d), 0, 1});
  }
  machine_ = large;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const auto lane = static_cast<std::uint32_t>(i * 7919 % 2400);
    kernel(model::device_id(static_cast<std::uint16_t>(lane / 8)), lane, 1 + i % 5,
           i < 300 ? path_of{} : path_of{i - 1 - i % 299});
  }
  const simulation s = run();
  double busiest = 0;
  for (const device_use& d : s.devices) {
    EXPECT_NEAR(d.busy, d.work, 1e-6 * d.work) << "even shares lose nothing";
    busiest = std::max(busiest, d.busy);
  }
  EXPECT_GE(s.makespan, busiest);
}

}  // namespace
}  // namespace pianola::planner
