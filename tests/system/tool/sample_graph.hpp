// SPDX-License-Identifier: Apache-2.0
// A small graph for two devices with memories of their own, and a plan for it made by hand: one
// device fills u, each blurs its half into v (the right half needs u's pages from the left device),
// the first sums up.
#pragma once
#include <pianola/model/topology.hpp>
#include <pianola/planner/plan.hpp>
#include <pianola/recorder/command_graph.hpp>

namespace pianola::testing {

inline model::topology two_devices() {
  model::topology t;
  t.memories = {{"host", std::uint64_t{1} << 34}, {"sim0", 1 << 30}, {"sim1", 1 << 30}};
  t.devices = {{"simulated device 0", "simulated", model::memory_id(1), 8},
               {"simulated device 1", "simulated", model::memory_id(2), 8}};
  for (std::uint16_t from = 0; from < 3; ++from)
    for (std::uint16_t to = 0; to < 3; ++to)
      if (from != to)
        t.links.push_back({model::memory_id(from), model::memory_id(to), 1.25e10, 1e-5});
  return t;
}

// The same, measured: all that a file can hold of a machine.
inline model::topology measured_devices() {
  model::topology t = two_devices();
  t.devices[0].speed = {4e-6, 1e10, 2e10, 3e-6};
  t.links[0].bus = t.links[2].bus = 0;
  t.kernel_times = {{model::kernel_id(0x1001), model::device_id(1), 1e-6, 2e-8}};
  return t;
}

inline model::box linear(std::uint64_t first, std::uint64_t last) {
  return {{{0, 0, first}}, {{1, 1, last}}};
}

inline model::requirement need(std::uint32_t buffer, model::access_mode mode, const model::box& b,
                               bool no_init = false) {
  model::requirement r;
  r.buffer = model::buffer_id(buffer);
  r.mode = mode;
  r.no_init = no_init;
  r.elements = b;
  return r;
}

inline void add_kernel(recorder::command_graph& graph, const char* label, std::uint64_t items,
                       std::uint16_t device, std::vector<model::requirement> requirements,
                       std::vector<std::uint64_t> after = {}) {
  model::kernel_command kernel;
  kernel.id = model::kernel_id(0x1000 + graph.size());
  kernel.geometry.global = {{1, 1, items}};
  model::command c;
  c.payload = kernel;
  c.requirements = requirements;
  c.after = after;
  c.device = model::device_id(device);
  c.label = label;
  graph.append(c);
}

inline recorder::command_graph halo_graph() {
  using model::access_mode;
  recorder::command_graph graph;
  const model::buffer_info info{model::page_grid({{1, 1, 16}}, {{1, 1, 4}}), 4, 1};
  graph.add_buffer(info, 1, "u");
  graph.add_buffer(info, 2, "v");
  add_kernel(graph, "start", 16, 0, {need(0, access_mode::write, linear(0, 16), true)});
  add_kernel(
      graph, "blur left", 8, 0,
      {need(0, access_mode::read, linear(0, 10)), need(1, access_mode::write, linear(0, 8), true)});
  add_kernel(graph, "blur right", 8, 1,
             {need(0, access_mode::read, linear(6, 16)),
              need(1, access_mode::write, linear(8, 16), true)});
  add_kernel(graph, "sum", 1, 0, {need(1, access_mode::read, linear(0, 16))}, {1});
  return graph;
}

inline planner::plan halo_plan() {
  using planner::execute_step;
  using planner::transfer_step;
  const model::memory_id left(1), right(2);
  planner::plan p;
  const auto add = [&p](std::uint32_t lane, std::vector<std::uint64_t> waits, auto action) {
    planner::step s;
    s.lane = model::lane_id(lane);
    s.first_wait = static_cast<std::uint32_t>(p.waits.size());
    s.wait_count = static_cast<std::uint32_t>(waits.size());
    for (const std::uint64_t w : waits) p.waits.push_back(model::step_id(w));
    s.action = action;
    p.steps.push_back(s);
  };
  p.lanes = {{model::device_id(0)}, {model::device_id(1)}};
  add(0, {}, execute_step{model::command_id(0), model::device_id(0)});
  add(0, {}, execute_step{model::command_id(1), model::device_id(0)});
  add(1, {0}, transfer_step{model::buffer_id(0), left, right, linear(4, 16)});
  add(1, {}, execute_step{model::command_id(2), model::device_id(1)});
  add(0, {3}, transfer_step{model::buffer_id(1), right, left, linear(8, 16)});
  add(0, {}, execute_step{model::command_id(3), model::device_id(0)});
  const model::memory_set both = model::memory_set(left) | model::memory_set(right);
  p.exit = {{model::buffer_id(0), linear(0, 4), model::memory_set(left)},
            {model::buffer_id(0), linear(4, 16), both},
            {model::buffer_id(1), linear(0, 8), model::memory_set(left)},
            {model::buffer_id(1), linear(8, 16), both}};
  p.accesses = {{model::buffer_id(0), linear(0, 16), true},
                {model::buffer_id(1), linear(0, 16), true}};
  p.graph_hash = halo_graph().structural_hash();
  return p;
}

// One command of every kind, odd labels, all that a file can hold.
inline recorder::command_graph graph_of_every_kind() {
  using model::access_mode;
  recorder::command_graph graph;
  graph.add_buffer({model::page_grid({{1, 8, 8}}, {{1, 4, 8}}), 4, 2}, 1,
                   "tab\t\"quoted\" \\ \xFF");
  graph.add_buffer({model::page_grid(model::extent3{{4, 3, 2}}), 8, 3}, 2);
  const auto append = [&graph](model::command_payload payload,
                               std::vector<model::requirement> requirements = {}) {
    model::command c;
    c.payload = std::move(payload);
    c.requirements = requirements;
    std::vector<std::uint64_t> after;
    if (!graph.empty()) after.push_back(graph.size() - 1);
    c.after = after;
    c.device = model::device_id(0);
    graph.append(c);
  };
  const model::box all = model::box::of({{1, 8, 8}});
  append(model::empty_command{});
  static const model::kernel_descriptor descriptor{
      model::kernel_id(7), "N4demo7stencilIfEE", nullptr, 0, 1, nullptr, nullptr};
  model::kernel_command kernel;
  kernel.kernel = &descriptor;
  kernel.id = descriptor.id;
  kernel.geometry = {{{1, 8, 8}}, {{1, 4, 4}}, {{0, 0, 0}}, 2, true};
  kernel.local_memory_bytes = 256;
  append(kernel, {need(0, access_mode::read_write, all)});
  model::copy_command copy;
  copy.source.requirement = 0;
  copy.destination.pointer = &copy;
  copy.destination.memory = model::host_memory;
  copy.width = 32;
  copy.height = 8;
  append(copy, {need(0, access_mode::read, all)});
  model::fill_command fill;
  fill.destination.requirement = 0;
  fill.width = 192;
  fill.pattern_bytes = 4;
  fill.pattern[1] = 255;
  append(fill, {need(1, access_mode::write, model::box::of({{4, 3, 2}}), true)});
  append(model::host_task_command{}, {need(1, access_mode::read, model::box::of({{2, 3, 2}}))});
  append(model::barrier_command{});
  append(model::prefetch_command{nullptr, 4096});
  append(model::advise_command{nullptr, 4096, -2});
  append(model::host_access_command{}, {need(0, access_mode::read, all)});
  model::requirement elsewhere = need(0, access_mode::read, all);
  elsewhere.memory = model::memory_id(2);
  append(model::acquire_command{}, {elsewhere});
  append(model::subgraph_command{nullptr, 12}, {elsewhere});
  model::allocate_command allocation;
  allocation.bytes = 4096;
  allocation.allocation = 1;
  allocation.zero = true;
  append(allocation);
  append(model::free_command{nullptr, allocation.bytes, allocation.allocation});
  return graph;
}

// What the compiler tells of kernels: one over groups that reads rows around its own and combines what it finds with a
// number in front.
inline recorder::command_graph graph_with_footprints() {
  using model::access_mode;
  recorder::command_graph graph;
  graph.add_buffer({model::page_grid({{1, 8, 8}}, {{1, 4, 8}}), 4, 2}, 1, "rows");
  graph.add_buffer({model::page_grid(model::extent3{{1, 1, 4}}), 4, 1}, 2, "sums");
  model::affine_access rows, inner, sum;
  rows.read = inner.written = sum.read = sum.written = true;
  rows.start = -32;
  rows.stride[1] = 32;
  rows.length = 32;
  rows.loops[0] = {32, 3};
  rows.ids = inner.ids = sum.ids = model::box::of({{1, 8, 8}});
  inner.start = 4;
  inner.stride[1] = 32;
  inner.stride[2] = 4;
  inner.length = 4;
  inner.ids.hi[2] = 7;
  sum.group_stride[1] = 4;
  sum.length = 4;
  sum.locals = model::box::of({{1, 1, 1}});
  sum.reduction = model::reduction_operation::float_add;
  const model::affine_access of_rows[] = {rows, inner};
  model::footprint footprints[2];
  footprints[0].accesses = of_rows;
  footprints[1].requirement = 1;
  footprints[1].writes_all = true;
  footprints[1].accesses = {&sum, 1};
  for (model::footprint& f : footprints) f.group = {{1, 4, 4}};
  model::kernel_command kernel;
  kernel.id = model::kernel_id(0x1000);
  kernel.geometry = {{{1, 8, 8}}, {{1, 4, 4}}, {{0, 0, 0}}, 2, true};
  kernel.work = {2048, 96};
  kernel.footprints = footprints;
  const model::requirement needed[] = {
      need(0, access_mode::read_write, model::box::of({{1, 8, 8}})),
      need(1, access_mode::read_write, linear(0, 2))};
  model::command c;
  c.payload = kernel;
  c.requirements = needed;
  c.device = model::device_id(0);
  c.label = "sum of rows";
  graph.append(c);
  return graph;
}

}  // namespace pianola::testing
