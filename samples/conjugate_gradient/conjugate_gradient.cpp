// SPDX-License-Identifier: Apache-2.0
// Solves A x = b for a symmetric, positive definite matrix from a Matrix Market file: one iteration is recorded as a
// graph and replayed until the residual is small; and then all of it is one launch of a graph with a loop.
#include <cmath>
#include <cstdio>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

#include "common/command_line.hpp"
#include "common/device_choice.hpp"
#include "common/file.hpp"
#include "common/input_error.hpp"
#include "common/stopwatch.hpp"
#include "matrix_market.hpp"
#include "solver.hpp"

namespace {

namespace graphs = sycl::ext::oneapi::experimental;

constexpr const char* usage =
    "usage: conjugate_gradient [--matrix FILE] [--tolerance T] [--check-every K] [--iterations N] "
    "[--device NAME]\n"
    "                          [--output DIR]\n"
    "  --matrix FILE     Matrix Market, coordinate, real, general or symmetric (default: "
    "laplacian_32x32.mtx)\n"
    "  --tolerance T     largest |b - A x| / |b| that is good enough           (default: 1e-10)\n"
    "  --check-every K   iterations between two looks at the residual          (default: 10)\n"
    "  --iterations N    gives up after so many                                (default: 10000)\n"
    "  --device NAME     part of a device's or platform's name                 (default: the "
    "default device)\n"
    "  --output DIR      also writes graph.json, plan.json, graph.dot and loop.dot there\n";

struct options {
  std::string matrix;
  double tolerance;
  std::size_t check_every;
  std::size_t iterations;
  std::string device;
  std::string output;
};

options parse(samples::command_line& args) {
  options o;
  o.matrix = args.text("matrix", SAMPLE_DATA "/laplacian_32x32.mtx");
  o.tolerance = args.real("tolerance", 1e-10, 1e-14, 1.0);
  o.check_every = args.number("check-every", 10, 1, 1000000);
  o.iterations = args.number("iterations", 10000, 1, 100000000);
  o.device = args.text("device", "");
  o.output = args.text("output", "");
  args.finish();
  return o;
}

double norm(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

/// |b - A x| / |b|, in plain loops.
double true_residual(const cg::sparse_matrix& a, const std::vector<double>& x,
                     const std::vector<double>& b) {
  std::vector<double> r = b;
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::uint32_t k = a.first[i]; k < a.first[i + 1]; ++k) r[i] -= a.value[k] * x[a.column[k]];
  return norm(r) / norm(b);
}

struct outcome {
  std::vector<double> x;
  std::size_t iterations;
  bool converged;
  double microseconds;
};

/// Calls `submit()` for every iteration until the solver's residual is below `goal`.
template <class Submit>
outcome iterate(cg::solver& s, const options& o, double goal, Submit submit) {
  outcome result{{}, 0, false, 0};
  const samples::stopwatch time;
  while (!result.converged && result.iterations < o.iterations) {
    for (std::size_t k = 0; k < o.check_every && result.iterations < o.iterations;
         ++k, ++result.iterations)
      submit();
    const double now = s.residual_squared();
    if (std::isnan(now)) break;
    result.converged = now <= goal * goal;
  }
  result.microseconds = time.microseconds() / static_cast<double>(result.iterations);
  result.x = s.solution();
  return result;
}

outcome solve_eagerly(sycl::queue& q, const cg::sparse_matrix& a, const std::vector<double>& b,
                      const options& o, double goal) {
  cg::solver s(a, b);
  s.start(q);
  return iterate(s, o, goal, [&] { s.iterate(q); });
}

outcome solve_recorded(sycl::queue& q, const cg::sparse_matrix& a, const std::vector<double>& b,
                       const options& o, double goal) {
  cg::solver s(a, b);
  s.start(q);
  graphs::command_graph recording(q.get_context(), q.get_device());
  recording.begin_recording(q);
  s.iterate(q);
  recording.end_recording(q);
  const auto iteration = recording.finalize();
  if (!o.output.empty()) {
    samples::make_folder(o.output);
    recording.print_graph(o.output + "/graph.dot");
    sycl::ext::pianola::write_graph(iteration, o.output + "/graph.json");
    sycl::ext::pianola::write_plan(iteration, o.output + "/plan.json");
  }
  return iterate(s, o, goal, [&] { q.ext_oneapi_graph(iteration); });
}

/// The loop is a command of the graph: the device decides when it is over, and the host waits once.
outcome solve_in_one_launch(sycl::queue& q, const cg::sparse_matrix& a,
                            const std::vector<double>& b, const options& o, double goal) {
  cg::solver s(a, b);
  s.start(q);
  graphs::command_graph recording(q.get_context(), q.get_device());
  recording.begin_recording(q);
  for (std::size_t k = 0; k < o.check_every; ++k) s.iterate(q);
  s.decide(q, o.check_every, goal * goal, o.iterations);
  recording.end_recording(q);
  const auto body = recording.finalize();

  graphs::command_graph all(q.get_context(), q.get_device());
  all.begin_recording(q);
  s.begin_loop(q);
  all.end_recording(q);
  all.add_while(s.going_on(), body);
  const auto loop = all.finalize();
  if (!o.output.empty()) {
    samples::make_folder(o.output);
    all.print_graph(o.output + "/loop.dot", true);
  }
  outcome result{{}, 0, false, 0};
  const samples::stopwatch time;
  q.ext_oneapi_graph(loop);
  result.iterations = s.iterations_done();
  result.converged = s.residual_squared() <= goal * goal;
  result.microseconds = time.microseconds() / static_cast<double>(result.iterations);
  result.x = s.solution();
  return result;
}

bool run(int argc, char** argv) {
  samples::command_line args(argc, argv);
  if (args.wants_help()) {
    std::fputs(usage, stdout);
    return true;
  }
  const options o = parse(args);
  const cg::sparse_matrix a = cg::read_matrix_market(o.matrix);
  std::vector<double> b(a.rows());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = 1.0 + static_cast<double>(i % 7);
  // The method's own residual drifts away from the true one, so it goes somewhat below the tolerance.
  const double goal = 0.1 * o.tolerance * norm(b);

  sycl::queue q(samples::choose_device(o.device));
  std::printf("%zu rows, %zu entries, on %s\n", a.rows(), a.value.size(),
              q.get_device().get_info<sycl::info::device::name>().c_str());
  const outcome eager = solve_eagerly(q, a, b, o, goal);
  std::printf("eager:    %zu iterations, %8.2f us each\n", eager.iterations, eager.microseconds);
  const outcome recorded = solve_recorded(q, a, b, o, goal);
  std::printf("recorded: %zu iterations, %8.2f us each, eager takes %.2f times as long\n",
              recorded.iterations, recorded.microseconds,
              eager.microseconds / recorded.microseconds);
  const outcome launched = solve_in_one_launch(q, a, b, o, goal);
  std::printf("launched: %zu iterations, %8.2f us each, all of them in one launch\n",
              launched.iterations, launched.microseconds);
  if (!recorded.converged) {
    std::printf(
        "no convergence after %zu iterations; is the matrix symmetric and positive definite?\n",
        recorded.iterations);
    return false;
  }
  const double off = true_residual(a, recorded.x, b);
  std::printf("|b - A x| / |b| = %g\n", off);
  const bool equal = eager.x == recorded.x && launched.x == recorded.x;
  std::printf("eager, recorded and launched solutions are %s\n", equal ? "equal" : "DIFFERENT");
  return off <= o.tolerance && equal;
}

}  // namespace

int main(int argc, char** argv) {
  return samples::run_sample("conjugate_gradient", [&] { return run(argc, argv); });
}
