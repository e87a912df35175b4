// SPDX-License-Identifier: Apache-2.0
// Solves the heat or the wave equation on an image: step by step, and by replaying a recorded graph of steps.
// Both must give the same bits.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <sycl/sycl.hpp>

#include "common/command_line.hpp"
#include "common/device_choice.hpp"
#include "common/file.hpp"
#include "common/image.hpp"
#include "common/input_error.hpp"
#include "common/stopwatch.hpp"
#include "solver.hpp"

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
using executable = graphs::command_graph<graphs::graph_state::executable>;

constexpr const char* usage =
    "usage: heat [--image FILE] [--equation heat|wave] [--steps N] [--graph-steps N] [--device "
    "NAME] [--output DIR]\n"
    "  --image FILE      PGM or PNG, the initial field            (default: piano_roll.pgm of the "
    "samples)\n"
    "  --equation NAME   heat or wave                             (default: heat)\n"
    "  --steps N         number of time steps                     (default: 2000)\n"
    "  --graph-steps N   steps that one recorded graph holds      (default: 12; rounded up to full "
    "turns of buffers)\n"
    "  --device NAME     part of a device's or platform's name    (default: the default device)\n"
    "  --output DIR      where images, graph and plan are written (default: heat-output)\n";

struct options {
  std::string image;
  heat::equation equation;
  std::size_t steps;
  std::size_t graph_steps;
  std::string device;
  std::string output;
};

options parse(samples::command_line& args) {
  options o;
  o.image = args.text("image", SAMPLE_DATA "/piano_roll.pgm");
  const std::string name = args.text("equation", "heat");
  if (name != "heat" && name != "wave")
    throw samples::input_error("--equation is '" + samples::printable(name) +
                               "', but must be heat or wave");
  o.equation = name == "heat" ? heat::equation::heat : heat::equation::wave;
  o.steps = args.number("steps", 2000, 1, 100000000);
  o.graph_steps = args.number("graph-steps", 12, 1, 1000);
  const std::size_t period = heat::solver::period(o.equation);
  o.graph_steps = (o.graph_steps + period - 1) / period * period;
  o.device = args.text("device", "");
  o.output = args.text("output", "heat-output");
  args.finish();
  return o;
}

heat::field load(const std::string& path) {
  const samples::gray_image image = samples::read_image(path);
  if (image.width < 3 || image.height < 3)
    throw samples::input_error("'" + samples::printable(path) +
                               "' must have at least 3 x 3 pixels");
  heat::field f{image.height, image.width, {}};
  f.values.reserve(image.pixels.size());
  for (const std::uint16_t v : image.pixels) f.values.push_back(static_cast<float>(v) / 65535.0f);
  return f;
}

void save(const std::string& folder, const heat::field& shape, const std::vector<float>& values) {
  samples::gray_image image{shape.width, shape.height, {}};
  image.pixels.reserve(values.size());
  for (const float v : values)
    image.pixels.push_back(
        static_cast<std::uint16_t>(std::lround(std::clamp(v, 0.0f, 1.0f) * 65535.0f)));
  samples::write_pgm(folder + "/final.pgm", image);
  samples::write_png(folder + "/final.png", image);
}

struct outcome {
  std::vector<float> values;
  double microseconds_per_step;
};

outcome run_eagerly(sycl::queue& q, const options& o, const heat::field& start) {
  heat::solver s(o.equation, start);
  const samples::stopwatch time;
  for (std::size_t i = 0; i < o.steps; ++i) s.step(q);
  q.wait_and_throw();
  const double total = time.microseconds();
  return {s.read(), total / static_cast<double>(o.steps)};
}

executable record(sycl::queue& q, heat::solver& s, std::size_t steps, const std::string& dot) {
  graphs::command_graph graph(q.get_context(), q.get_device());
  graph.begin_recording(q);
  for (std::size_t i = 0; i < steps; ++i) s.step(q);
  graph.end_recording(q);
  if (!dot.empty()) graph.print_graph(dot);
  return graph.finalize();
}

void write_documents(const std::string& folder, const executable& graph) {
  namespace ext = sycl::ext::pianola;
  ext::write_graph(graph, folder + "/graph.json");
  ext::write_plan(graph, folder + "/plan.json");
  try {
    ext::write_svg(graph, folder + "/graph.svg");
  } catch (const sycl::exception& e) {
    std::printf("graph.svg was not written: %s\n", e.what());
  }
}

outcome run_recorded(sycl::queue& q, const options& o, const heat::field& start) {
  heat::solver s(o.equation, start);
  const std::size_t in_graph = std::min(o.graph_steps, o.steps);
  const std::size_t rest = o.steps % in_graph;

  // Full graphs leave every buffer in the role in which they found it, so the rest follows on from there.
  const samples::stopwatch preparation;
  const executable steps = record(q, s, in_graph, o.output + "/graph.dot");
  std::optional<executable> last;
  if (rest != 0) last = record(q, s, rest, "");
  std::printf("recorded %zu + %zu steps in %.0f us\n", in_graph, rest, preparation.microseconds());

  const samples::stopwatch time;
  for (std::size_t i = 0; i < o.steps / in_graph; ++i) q.ext_oneapi_graph(steps);
  if (last) q.ext_oneapi_graph(*last);
  q.wait_and_throw();
  const double total = time.microseconds();
  write_documents(o.output, steps);
  return {s.read(), total / static_cast<double>(o.steps)};
}

/// Largest difference, or NaN if there is one.
double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (std::isnan(d)) return d;
    largest = std::max(largest, d);
  }
  return largest;
}

bool run(int argc, char** argv) {
  samples::command_line args(argc, argv);
  if (args.wants_help()) {
    std::fputs(usage, stdout);
    return true;
  }
  const options o = parse(args);
  const heat::field start = load(o.image);
  samples::make_folder(o.output);
  sycl::queue q(samples::choose_device(o.device));
  std::printf("%s equation, %zu x %zu, %zu steps, on %s\n",
              o.equation == heat::equation::heat ? "heat" : "wave", start.width, start.height,
              o.steps, q.get_device().get_info<sycl::info::device::name>().c_str());

  const outcome eager = run_eagerly(q, o, start);
  std::printf("eager:    %8.3f us per step\n", eager.microseconds_per_step);
  const outcome recorded = run_recorded(q, o, start);
  std::printf("recorded: %8.3f us per step, eager takes %.2f times as long\n",
              recorded.microseconds_per_step,
              eager.microseconds_per_step / recorded.microseconds_per_step);

  const bool same = eager.values.size() == recorded.values.size() &&
                    std::memcmp(eager.values.data(), recorded.values.data(),
                                eager.values.size() * sizeof(float)) == 0;
  std::printf("the two final fields are %s\n", same ? "bit-identical" : "DIFFERENT");
  // A compiler may contract multiply and add in one of the two codes, so this comparison allows for rounding.
  const double off = distance(eager.values, heat::reference(o.equation, start, o.steps));
  std::printf("largest difference from plain loops: %g\n", off);
  save(o.output, start, recorded.values);
  std::printf("wrote final.pgm, final.png, graph.json, plan.json, graph.dot to %s\n",
              o.output.c_str());
  return same && off < 1e-3;
}

}  // namespace

int main(int argc, char** argv) {
  return samples::run_sample("heat", [&] { return run(argc, argv); });
}
