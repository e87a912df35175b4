// SPDX-License-Identifier: Apache-2.0
// pianola_gpu_bench [--report[=text]]  one table: ours, reference, ratio, target (names that contain the text)
//                   [--effort=factor]  so many times the usual number of rounds
//                   [--list]           only the names
//                   [--small]          small problems, one round each: whether everything computes the same
//                   [--rivals=FILE]    a cubin of rivals.cu instead of the one that was built in
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "../report_program.hpp"
#include "programs.hpp"

namespace {

using bench::comparison;
using bench::difference_at_most;
using bench::ours_at_most;
using bench::ratio_at_most;
using bench::stream_kernel;
using bench::subject;
using namespace bench::gpu;

void add_replays(std::vector<comparison>& all, bool small) {
  const std::vector<std::size_t> sizes = small ? std::vector<std::size_t>{1, 10, 40}
                                               : std::vector<std::size_t>{1, 10, 100, 1000, 10000};
  for (const shape s : {shape::chain, shape::fork_join, shape::layered})
    for (const std::size_t n : sizes) {
      comparison c;
      const std::string name = std::string("graph/") + name_of(s) + "/" + std::to_string(n);
      c.name = name + "/replay";
      c.unit = "us/replay";
      c.units = std::max<std::uint64_t>(4, 4000 / n);
      c.warm_up = 2;
      c.reference_name = "CUDA graph by hand";
      c.ours = [=] { return ours::replay(s, n, replay_time::whole); };
      c.reference = [=] { return raw::replay(s, n, replay_time::whole); };
      if (n >= 10) c.goal = ratio_at_most(1.02);
      all.push_back(c);

      c.name = name + "/host_time";
      c.unit = "us/launch";
      c.units = std::max<std::uint64_t>(4, 400 / n);
      c.ours = [=] { return ours::replay(s, n, replay_time::host); };
      c.reference = [=] { return raw::replay(s, n, replay_time::host); };
      c.reference_name = "cuGraphLaunch";
      c.goal = difference_at_most(1.0);
      all.push_back(c);

      c.name = name + "/instantiate";
      c.unit = "us";
      c.units = std::max<std::uint64_t>(1, 100 / n);
      c.warm_up = 1;
      c.ours = [=] { return backend::instantiate(s, n); };
      c.reference = [=] { return raw::instantiate(s, n); };
      c.reference_name = "nodes, instantiate and upload by hand";
      c.goal = ratio_at_most(1.1);
      all.push_back(std::move(c));
    }
  const std::size_t n = small ? 20 : 1000;
  for (std::size_t k = 1; k <= n; k *= 10) {
    comparison c;
    c.name = "graph/chain/" + std::to_string(n) + "/update_" + std::to_string(k);
    c.unit = "us/changed node";
    c.per_nanosecond = 1e-3 / static_cast<double>(k);
    c.units = std::max<std::uint64_t>(2, 20 / k);
    c.warm_up = 1;
    c.ours = [=] { return backend::update(n, k); };
    c.reference = [=] { return raw::update(n, k); };
    c.reference_name = "cuGraphExecKernelNodeSetParams";
    all.push_back(std::move(c));
  }
  for (const std::size_t tasks : {1, 10, 100}) {
    comparison c;
    c.name = "graph/host_tasks/" + std::to_string(tasks);
    c.unit = "us/host task";
    c.per_nanosecond = 1e-3 / static_cast<double>(tasks);
    c.units = std::max<std::uint64_t>(2, 100 / tasks);
    c.warm_up = 1;
    c.ours = [=] { return ours::replay_with_host_tasks(tasks); };
    c.reference = [=] { return raw::kernels_and_functions(tasks); };
    c.reference_name = "launch, cuStreamSynchronize and call by hand";
    all.push_back(std::move(c));
  }
  comparison c;
  c.name = "graph/chain/" + std::to_string(n) + "/dependent_launch";
  c.unit = "us/replay";
  c.units = 4;
  c.warm_up = 2;
  c.ours = [=] { return ours::replay_overlapping(n); };
  c.reference = [=] { return ours::replay(shape::chain, n, replay_time::whole); };
  c.reference_name = "ours without programmatic dependent launch";
  all.push_back(std::move(c));
}

void add_submission(std::vector<comparison>& all, bool small) {
  comparison c;
  c.name = "submit/in_order";
  c.unit = "us/launch";
  c.units = small ? 50 : 10000;
  c.warm_up = small ? 5 : 1000;
  c.ours = ours::submission;
  c.reference = raw::submission;
  c.reference_name = "cuLaunchKernel";
  c.goal = ratio_at_most(1.3);
  all.push_back(c);
  c.name = "submit/dependent_launch";
  c.ours = ours::submission_overlapping;
  c.goal = {};
  all.push_back(std::move(c));
}

void add_device_loops(std::vector<comparison>& all) {
  for (const std::size_t kernels : {1, 16}) {
    comparison c;
    const std::string name = "graph/while/" + std::to_string(kernels) + "_kernels";
    c.name = name + "/by_the_host";
    c.unit = "us/iteration";
    c.per_nanosecond = 1e-3 / loop_iterations;
    c.units = 20;
    c.warm_up = 2;
    c.ours = [=] { return ours::loop(kernels); };
    c.reference = [=] { return ours::loop_of_the_host(kernels); };
    c.reference_name = "replays, and a look at the condition by the host";
    c.goal = ratio_at_most(1.0);
    all.push_back(c);
    if (!raw::loops_in_graphs()) continue;
    c.name = name;
    c.reference = [=] { return raw::loop(kernels); };
    c.reference_name = "conditional node by hand, with a kernel less";
    all.push_back(std::move(c));
  }
}

void add_conjugate_gradient(std::vector<comparison>& all, bool small) {
  const std::vector<std::size_t> sizes =
      small ? std::vector<std::size_t>{32} : std::vector<std::size_t>{64, 256, 1024};
  for (const std::size_t n : sizes) {
    comparison c;
    const std::string name = "graph/conjugate_gradient_" + std::to_string(n);
    c.name = name + "/by_the_host";
    c.unit = "us/solution";
    c.units = n > 500 ? 4 : 10;
    c.warm_up = 2;
    c.rounds = 11;
    c.ours = [=] { return ours::conjugate_gradient(n); };
    c.reference = [=] { return ours::conjugate_gradient_by_the_host(n); };
    c.reference_name = "replays of an iteration, and a look at the condition by the host";
    c.goal = ratio_at_most(1.0);
    all.push_back(c);
    if (!raw::have_conjugate_gradient()) continue;
    c.name = name;
    c.reference = [=] { return raw::conjugate_gradient(n); };
    c.reference_name = "conditional node by hand, with a kernel less in each iteration";
    // The compilers choose which products they add without rounding, so one may go on an iteration longer.
    c.tolerance = 1e-3;
    all.push_back(std::move(c));
  }
}

// On a test double there is nothing of nvcc's to compare with: the processor computes the same.
void add_kernels(std::vector<comparison>& all, bool small, bool rivals) {
  struct named {
    const char* name;
    stream_kernel kernel;
    double bytes_per_element;
  };
  constexpr named kernels[] = {{"copy", stream_kernel::copy, 16},
                               {"mul", stream_kernel::mul, 16},
                               {"add", stream_kernel::add, 24},
                               {"triad", stream_kernel::triad, 24},
                               {"dot", stream_kernel::dot, 16}};
  const std::size_t n = std::size_t{1} << (small ? 15 : 27);
  const char* const reference_name = rivals ? "nvcc" : "OpenMP";
  for (const named& k : kernels)
    for (const bool usm : {true, false}) {
      comparison c;
      c.name = std::string("stream/") + k.name + (usm ? "/usm" : "/buffers");
      c.unit = "ps/byte";
      c.per_nanosecond = 1e3 / (k.bytes_per_element * static_cast<double>(n));
      c.units = 10;
      c.warm_up = 2;
      c.rounds = 11;
      c.ours = [=] {
        return usm ? ours::stream_usm(k.kernel, n) : ours::stream_buffers(k.kernel, n);
      };
      c.reference = [=]() -> subject {
        if (rivals) return raw::stream(k.kernel, n);
        return bench::openmp::stream_usm(k.kernel, n);
      };
      c.reference_name = reference_name;
      c.tolerance = 1e-12;
      if (rivals) c.goal = ratio_at_most(1 / 0.99);
      all.push_back(std::move(c));
    }

  struct program {
    const char* name;
    std::size_t size, small_size;
    subject (*ours)(std::size_t);
    subject (*nvcc)(std::size_t);
    subject (*openmp)(std::size_t);
  };
  const program programs[] = {
      {"matmul_2048", 2048, 32, bench::compiled::matmul, raw::matmul, bench::openmp::matmul},
      {"tree_reduction_2^26", std::size_t{1} << 26, std::size_t{1} << 12,
       bench::compiled::tree_reduction, raw::tree_reduction, bench::openmp::tree_reduction},
      {"stencil_384^3", 384, 32, bench::compiled::stencil, raw::stencil, bench::openmp::stencil}};
  for (const program& p : programs) {
    comparison c;
    c.name = p.name;
    c.unit = "us";
    c.units = 10;
    c.warm_up = 2;
    c.rounds = 15;
    const std::size_t size = small ? p.small_size : p.size;
    c.ours = [=] { return p.ours(size); };
    c.reference = [=] { return rivals ? p.nvcc(size) : p.openmp(size); };
    c.reference_name = reference_name;
    // The compilers choose which products they add without rounding.
    c.tolerance = 1e-5;
    if (rivals) c.goal = ratio_at_most(1 / 0.95);
    all.push_back(std::move(c));
  }
}

void add_transfers(std::vector<comparison>& all, bool small) {
  const std::size_t n = small ? 64 : 1024;
  const auto add = [&](const char* name, const char* unit, subject (*what)(std::size_t)) {
    comparison c;
    c.name = name;
    c.unit = unit;
    c.per_nanosecond = 1;  // no time
    c.units = 10;
    c.rounds = 3;
    c.goal = ours_at_most(0);
    c.ours = [=] { return what(n); };
    all.push_back(c);
    if (!raw::counts_bytes()) return;
    c.name += "/by_the_driver";
    c.ours = [=] { return raw::counted_bytes(what(n)); };
    all.push_back(std::move(c));
  };
  add("transfers/heat/eager_step", "bytes/step", ours::bytes_per_eager_step);
  add("transfers/heat/replay_of_2_steps", "bytes/replay", ours::bytes_per_replayed_step);

  comparison c;
  c.name = "transfers/heat/nodes_that_are_no_kernels";
  c.unit = "nodes";
  c.per_nanosecond = 1;
  c.rounds = 3;
  c.goal = ours_at_most(0);
  c.ours = [=] { return ours::other_nodes(n, 12); };
  all.push_back(c);

  // There: both fields, of which a step keeps the border. Back: one.
  const double field = static_cast<double>(n) * static_cast<double>(n) * sizeof(float);
  c.name = "transfers/heat/program_of_100_steps";
  c.unit = "bytes";
  c.goal = ours_at_most(3 * field);
  c.ours = [=] { return ours::bytes_of_program(n, 100); };
  c.reference_name = "two fields there, one back";
  c.reference = [=] {
    return subject{[=](std::uint64_t units) { return 3 * field * static_cast<double>(units); }, {}};
  };
  all.push_back(c);
  if (!raw::counts_bytes()) return;
  c.name += "/by_the_driver";
  c.ours = [=] { return raw::counted_bytes(ours::bytes_of_program(n, 100)); };
  all.push_back(std::move(c));
}

void add_host_memory(std::vector<comparison>& all, bool small) {
  for (const bool fresh : {false, true})
    for (const std::size_t kib : {256, 16384, 262144}) {
      if (small && kib > 256) continue;
      comparison c;
      c.name = std::string("host_storage/") + (fresh ? "fresh/" : "kept/") + std::to_string(kib) +
               "_KiB";
      c.unit = "us";
      c.units = small ? 2 : std::max<std::size_t>(2, 65536 / kib);
      c.warm_up = 1;
      c.rounds = 11;
      c.ours = [=] { return ours::host_round_trip(kib << 10, true, fresh); };
      c.reference = [=] { return ours::host_round_trip(kib << 10, false, fresh); };
      c.reference_name = "ours with pageable storage; ours: registered";
      all.push_back(std::move(c));
    }
}

int run(int argc, char** argv) {
  const bench::report_request request =
      bench::read_report_request("pianola_gpu_bench", argc, argv, true);
  const bool small = request.small;
  // Both sides are on the driver's first device.
  setenv("PIANOLA_DEVICES", "cuda:0", 1);
  std::printf("device: %s\n", ours::device_name().c_str());
  std::string why_not;
  const bool rivals = raw::have_rivals(request.rivals, why_not);
  if (!rivals) {
    std::printf("no kernels of nvcc: %s\n", why_not.c_str());
    if (!request.rivals.empty()) return 2;
  }

  std::vector<comparison> all;
  add_submission(all, small);
  add_replays(all, small);
  add_device_loops(all);
  add_conjugate_gradient(all, small);
  if (rivals || small) add_kernels(all, small, rivals);
  add_transfers(all, small);
  add_host_memory(all, small);
  return bench::report_on(std::move(all), request, [](comparison& c) {
    c.rounds = 1;
    c.units = std::min<std::uint64_t>(c.units, 3);
    c.warm_up = std::min<std::uint64_t>(c.warm_up, 1);
    // Figures that are no times are right on small problems, too.
    if (c.goal.what != bench::target::kind::ours) c.goal = {};
  });
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "pianola_gpu_bench: %s\n", e.what());
    return 2;
  }
}
