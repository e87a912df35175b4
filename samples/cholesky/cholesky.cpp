// SPDX-License-Identifier: Apache-2.0
// Tiled Cholesky factorisation: tasks on tiles become a DAG through nothing but the tiles they name. Run eagerly,
// then recorded once and replayed.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

#include "common/command_line.hpp"
#include "common/device_choice.hpp"
#include "common/file.hpp"
#include "common/input_error.hpp"
#include "common/stopwatch.hpp"
#include "factorisation.hpp"

namespace {

namespace graphs = sycl::ext::oneapi::experimental;

constexpr const char* usage =
    "usage: cholesky [--size N] [--tile T] [--repeat R] [--device NAME] [--output DIR]\n"
    "  --size N       rows of the matrix                      (default: 500)\n"
    "  --tile T       rows of a tile, need not divide N       (default: 64)\n"
    "  --repeat R     factorisations in each mode             (default: 5)\n"
    "  --device NAME  part of a device's or platform's name   (default: the default device)\n"
    "  --output DIR   also writes graph.json, plan.json and graph.dot there\n";

struct options {
  std::size_t size;
  std::size_t tile;
  std::size_t repeat;
  std::string device;
  std::string output;
};

options parse(samples::command_line& args) {
  options o;
  o.size = args.number("size", 500, 1, 20000);
  o.tile = args.number("tile", 64, 1, 20000);
  o.repeat = args.number("repeat", 5, 1, 1000000);
  o.device = args.text("device", "");
  o.output = args.text("output", "");
  args.finish();
  if ((o.size + o.tile - 1) / o.tile > 64)
    throw samples::input_error("--size " + std::to_string(o.size) + " with --tile " +
                               std::to_string(o.tile) +
                               " makes more than 64 tiles a side; use larger tiles");
  return o;
}

/// Symmetric, entries in [0, 1), with a diagonal large enough to be positive definite; always the same.
std::vector<double> make_matrix(std::size_t n) {
  std::vector<double> a(n * n);
  std::uint64_t state = 88172645463325252u;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      a[i * n + j] = a[j * n + i] = static_cast<double>(state >> 11) * 0x1p-53;
    }
    a[i * n + i] = static_cast<double>(n);
  }
  return a;
}

/// |A - L transpose(L)| / |A| in the Frobenius norm, over the lower triangle.
double relative_error(const std::vector<double>& a, const std::vector<double>& l, std::size_t n) {
  double error = 0, size = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k <= j; ++k) sum += l[i * n + k] * l[j * n + k];
      const double off = a[i * n + j] - sum;
      error += off * off;
      size += a[i * n + j] * a[i * n + j];
    }
  return std::sqrt(error / size);
}

struct outcome {
  std::vector<double> factor;
  double milliseconds;
};

outcome run_eagerly(sycl::queue& q, const options& o, const std::vector<double>& matrix) {
  cholesky::factorisation f(matrix, o.size, o.tile);
  const samples::stopwatch time;
  std::size_t tasks = 0;
  for (std::size_t i = 0; i < o.repeat; ++i) tasks = f.submit(q);
  q.wait_and_throw();
  const double total = time.microseconds();
  std::printf("%zu tasks per factorisation\n", tasks);
  return {f.read(), total / 1e3 / static_cast<double>(o.repeat)};
}

outcome run_recorded(sycl::queue& q, const options& o, const std::vector<double>& matrix) {
  cholesky::factorisation f(matrix, o.size, o.tile);
  const samples::stopwatch preparation;
  graphs::command_graph recording(q.get_context(), q.get_device());
  recording.begin_recording(q);
  f.submit(q);
  recording.end_recording(q);
  const auto graph = recording.finalize();
  std::printf("recorded in %.2f ms\n", preparation.microseconds() / 1e3);
  if (!o.output.empty()) {
    samples::make_folder(o.output);
    recording.print_graph(o.output + "/graph.dot");
    sycl::ext::pianola::write_graph(graph, o.output + "/graph.json");
    sycl::ext::pianola::write_plan(graph, o.output + "/plan.json");
  }
  const samples::stopwatch time;
  for (std::size_t i = 0; i < o.repeat; ++i) q.ext_oneapi_graph(graph);
  q.wait_and_throw();
  const double total = time.microseconds();
  return {f.read(), total / 1e3 / static_cast<double>(o.repeat)};
}

bool run(int argc, char** argv) {
  samples::command_line args(argc, argv);
  if (args.wants_help()) {
    std::fputs(usage, stdout);
    return true;
  }
  const options o = parse(args);
  const std::vector<double> matrix = make_matrix(o.size);
  sycl::queue q(samples::choose_device(o.device));
  std::printf("%zu x %zu in tiles of %zu, on %s\n", o.size, o.size, o.tile,
              q.get_device().get_info<sycl::info::device::name>().c_str());

  const outcome eager = run_eagerly(q, o, matrix);
  std::printf("eager:    %8.3f ms per factorisation\n", eager.milliseconds);
  const outcome recorded = run_recorded(q, o, matrix);
  std::printf("recorded: %8.3f ms per factorisation, eager takes %.2f times as long\n",
              recorded.milliseconds, eager.milliseconds / recorded.milliseconds);

  const double error = relative_error(matrix, recorded.factor, o.size);
  const double allowed = 10 * static_cast<double>(o.size) * std::numeric_limits<double>::epsilon();
  std::printf("|A - L L'| / |A| = %g\n", error);
  std::printf("eager and recorded factors are %s\n",
              eager.factor == recorded.factor ? "equal" : "DIFFERENT");
  return error <= allowed && eager.factor == recorded.factor;
}

}  // namespace

int main(int argc, char** argv) {
  return samples::run_sample("cholesky", [&] { return run(argc, argv); });
}
