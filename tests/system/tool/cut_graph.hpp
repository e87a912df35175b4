// SPDX-License-Identifier: Apache-2.0
// A small graph for two devices, which planning can cut.
#pragma once
#include <pianola/recorder/command_graph.hpp>

#include "sample_graph.hpp"

namespace pianola::testing {

// A kernel over 8 rows of 8 that may run on either device, and of which is known that each work-item writes its own element.
inline recorder::command_graph graph_that_can_be_cut() {
  recorder::command_graph graph;
  graph.add_buffer({model::page_grid(model::extent3{{1, 8, 8}}), 4, 2}, 1, "rows");
  model::affine_access own;
  own.written = true;
  own.stride[1] = 32;
  own.stride[2] = 4;
  own.length = 4;
  own.ids = model::box::of({{1, 8, 8}});
  model::footprint print;
  print.writes_all = true;
  print.accesses = {&own, 1};
  model::kernel_command kernel;
  kernel.id = model::kernel_id(0x1000);
  kernel.geometry.global = {{1, 8, 8}};
  kernel.geometry.dimensions = 2;
  kernel.footprints = {&print, 1};
  const model::requirement needed =
      need(0, model::access_mode::write, model::box::of({{1, 8, 8}}), true);
  const model::device_id devices[] = {model::device_id(0), model::device_id(1)};
  model::command c;
  c.payload = kernel;
  c.requirements = {&needed, 1};
  c.device = devices[0];
  c.candidates = devices;
  c.label = "start";
  graph.append(c);
  return graph;
}

}  // namespace pianola::testing
