// SPDX-License-Identifier: Apache-2.0
// Waves in a pond, on all devices of the process: one step is recorded and replayed. What it moves between the devices
// depends on what the program says of its accesses; docs/from-40-transfers-to-2.md goes through it, choice by choice.
#include <cstdint>
#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

#include "common/command_line.hpp"
#include "common/file.hpp"
#include "common/input_error.hpp"
#include "water.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;

constexpr const char* usage =
    "usage: shallow_water [--rows R] [--columns C] [--bands B] [--steps N] [CHOICE...]\n"
    "  --rows R, --columns C  cells of the pond                     (default: 512 x 512)\n"
    "  --bands B              kernels for each part of a step       (default: 6)\n"
    "  --steps N                                                    (default: 60)\n"
    "  --output FOLDER        writes the surface there, as water.pgm\n"
    "Choices, none of which changes the result:\n"
    "  --read-only   what a kernel only reads is accessed so\n"
    "  --pages       a row is a page\n"
    "  --neighbours  bands that touch each other are on one device\n"
    "  --no-init     what a kernel overwrites is accessed so\n"
    "  --late-gauge  the host looks at the water at the end only\n";

/// The same as plain loops.
std::vector<std::int32_t> reference(std::size_t rows, std::size_t columns, std::size_t steps) {
  std::vector<std::int32_t> height;
  for (std::size_t y = 0; y < rows; ++y)
    for (std::size_t x = 0; x < columns; ++x)
      height.push_back(water::pond::initial(rows, columns, y, x));
  std::vector<water::pipes> flow(height.size(), {0, 0});
  const water::constants c{64, 8};
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < height.size(); ++i) {
      if ((i + 1) % columns != 0)
        flow[i].right = water::faster(flow[i].right, height[i], height[i + 1], c);
      if (i + columns < height.size())
        flow[i].down = water::faster(flow[i].down, height[i], height[i + columns], c);
    }
    for (std::size_t i = 0; i < height.size(); ++i) {
      height[i] -= flow[i].right + flow[i].down;
      if (i % columns != 0) height[i] += flow[i - 1].right;
      if (i >= columns) height[i] += flow[i - columns].down;
    }
  }
  return height;
}

void write_surface(const std::string& folder, std::size_t rows, std::size_t columns,
                   const std::vector<std::uint8_t>& shades) {
  samples::make_folder(folder);
  const std::string head =
      "P5\n" + std::to_string(columns) + " " + std::to_string(rows) + "\n255\n";
  samples::write_file(folder + "/water.pgm", head + std::string(shades.begin(), shades.end()));
}

bool run(int argc, char** argv) {
  samples::command_line args(argc, argv);
  if (args.wants_help()) {
    std::fputs(usage, stdout);
    return true;
  }
  const std::size_t rows = args.number("rows", 512, 2, 16384);
  const std::size_t columns = args.number("columns", 512, 1, 16384);
  const std::size_t bands = args.number("bands", 6, 1, 1024);
  const std::size_t steps = args.number("steps", 60, 1, 1000000);
  const std::string output = args.text("output", "");
  water::choices said;
  said.read_only = args.flag("read-only");
  said.pages = args.flag("pages");
  said.neighbours = args.flag("neighbours");
  said.no_init = args.flag("no-init");
  said.late_gauge = args.flag("late-gauge");
  args.finish();
  if (bands > rows) throw samples::input_error("--bands: there are more bands than rows");

  const std::vector<sycl::device> devices = sycl::device::get_devices();
  const sycl::context all(devices);
  std::vector<sycl::queue> queues;
  for (const sycl::device& d : devices) queues.emplace_back(all, d);

  water::pond pond(rows, columns, bands, said);
  exp::command_graph graph(all, devices.front(),
                           {exp::property::graph::assume_buffer_outlives_graph(),
                            sycl::ext::pianola::property::graph::multi_device()});
  graph.begin_recording(queues);
  pond.step(queues);
  graph.end_recording();
  auto step = graph.finalize();

  queues.front().ext_oneapi_graph(step).wait();  // brings the data to where the steps need it
  sycl::ext::pianola::reset_statistics();
  for (std::size_t i = 1; i < steps; ++i) queues.front().ext_oneapi_graph(step);
  queues.front().wait_and_throw();
  const auto moved = sycl::ext::pianola::get_statistics();
  if (steps > 1)
    std::printf(
        "%g transfers and %g KiB per step\n",
        static_cast<double>(moved.transfers) / static_cast<double>(steps - 1),
        static_cast<double>(moved.transferred_bytes) / 1024 / static_cast<double>(steps - 1));
  std::printf("the gauge shows %d\n", static_cast<int>(pond.gauge()));
  if (!output.empty()) write_surface(output, rows, columns, pond.shades());
  return pond.heights() == reference(rows, columns, steps);
}

}  // namespace

int main(int argc, char** argv) {
  return samples::run_sample("shallow_water", [&] { return run(argc, argv); });
}
