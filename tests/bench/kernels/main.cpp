// SPDX-License-Identifier: Apache-2.0
// pianola_kernel_bench [--report[=text]]  one table: ours, reference, ratio, target (names that contain the text)
//                      [--effort=factor]  so many times the usual number of rounds
//                      [--list]           only the names
//                      [--small]          small problems, one round each: whether everything computes the same
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../report_program.hpp"
#include "built_ins.hpp"
#include "kernels.hpp"

namespace {

using bench::comparison;
using bench::ratio_at_most;
using bench::stream_kernel;
using bench::subject;

// The libraries read these before main().
void restart_with_settings(char** arguments) {
  if (std::getenv("OMP_PROC_BIND") != nullptr) return;
  setenv("OMP_PROC_BIND", "true", 1);
  setenv("OMP_PLACES", "cores", 0);
  // Milliseconds for which the threads of one side spin before they leave the cores to the other; no gap
  // within a round is as long.
  setenv("KMP_BLOCKTIME", "2", 0);
  execv("/proc/self/exe", arguments);
  std::perror("pianola_kernel_bench: cannot restart with OMP_PROC_BIND=true; set it by hand");
}

void add_stream(std::vector<comparison>& all, bool small) {
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
  const std::size_t n = std::size_t{1} << (small ? 18 : 25);
  // At least 0.98 times the bandwidth.
  constexpr double limit = 1 / 0.98;
  for (const named& k : kernels)
    for (const bool usm : {true, false}) {
      comparison c;
      c.name = std::string("stream/") + k.name + (usm ? "/usm" : "/buffers");
      c.unit = "ps/byte";
      c.per_nanosecond = 1e3 / (k.bytes_per_element * static_cast<double>(n));
      c.units = 4;
      c.warm_up = 1;
      c.rounds = 25;
      c.ours = [=] {
        return usm ? bench::compiled::stream_usm(k.kernel, n)
                   : bench::compiled::stream_buffers(k.kernel, n);
      };
      c.reference = [=] { return bench::openmp::stream_usm(k.kernel, n); };
      c.reference_name = "OpenMP";
      c.goal = ratio_at_most(limit);
      all.push_back(std::move(c));
    }
}

void add_blocks(std::vector<comparison>& all, bool small) {
  struct program {
    const char* name;
    std::size_t size, small_size;  // also what fibers are given where the whole takes them too long
    std::size_t fiber_size;
    std::uint64_t units, fiber_units;
    subject (*ours)(std::size_t);
    subject (*plain)(std::size_t);
    subject (*fibers)(std::size_t);
    bench::target goal;
    const char* published;
  };
  namespace compiled = bench::compiled;
  namespace openmp = bench::openmp;
  namespace fibers = bench::fibers;
  // 100 GFLOP/s where the reference has 176.
  constexpr double product_limit = 1.76, tree_limit = 1.2;
  const program programs[] = {
      {"matmul_512", 512, 64, 256, 10, 2, compiled::matmul, openmp::matmul, fibers::matmul,
       ratio_at_most(product_limit), "AdaptiveCpp 4.6x"},
      {"tree_reduction_2^24", std::size_t{1} << 24, std::size_t{1} << 14, std::size_t{1} << 20, 10,
       4, compiled::tree_reduction, openmp::tree_reduction, fibers::tree_reduction,
       ratio_at_most(tree_limit), "AdaptiveCpp 3.1x"},
      {"stencil_128^3",
       128,
       32,
       64,
       10,
       4,
       compiled::stencil,
       openmp::stencil,
       fibers::stencil,
       {},
       ""},
      {"bitonic_sort_2^20",
       std::size_t{1} << 20,
       std::size_t{1} << 12,
       std::size_t{1} << 17,
       2,
       1,
       compiled::bitonic_sort,
       openmp::bitonic_sort,
       fibers::bitonic_sort,
       {},
       ""},
      {"bitonic_steps_2^20",
       std::size_t{1} << 20,
       std::size_t{1} << 12,
       {},
       1,
       {},
       compiled::bitonic_steps,
       openmp::bitonic_steps,
       nullptr,
       {},
       ""},
      {"fdtd_4096_lines", 4096, 16, 512, 4, 2, compiled::fdtd, openmp::fdtd, fibers::fdtd, {}, ""}};
  constexpr double fiber_limit = 1.0 / 20;
  for (const program& p : programs) {
    const std::size_t size = small ? p.small_size : p.size;
    const std::size_t fiber_size = small ? p.small_size : p.fiber_size;
    comparison c;
    c.name = std::string(p.name) + "/openmp";
    c.unit = "us";
    c.units = p.units;
    c.warm_up = 1;
    c.rounds = 21;
    c.ours = [=] { return p.ours(size); };
    c.reference = [=] { return p.plain(size); };
    c.reference_name = "OpenMP, the same blocks";
    c.goal = p.goal;
    c.published = p.published;
    all.push_back(c);
    if (p.fibers == nullptr) continue;
    c.name = std::string(p.name) + "/fibers";
    c.units = p.fiber_units;
    c.rounds = 7;
    c.ours = [=] { return p.ours(fiber_size); };
    c.reference = [=] { return p.fibers(fiber_size); };
    c.reference_name = "library-only, size " + std::to_string(fiber_size);
    c.goal = ratio_at_most(fiber_limit);
    c.published.clear();
    all.push_back(std::move(c));
  }
}

// Arrays that fit into a core's cache, into the processor's, and into neither.
void add_chains(std::vector<comparison>& all, bool small) {
  struct size {
    const char* name;
    std::size_t elements;
    std::uint64_t units;
  };
  constexpr size sizes[] = {{"chain_2^13", std::size_t{1} << 13, 400},
                            {"chain_2^20", std::size_t{1} << 20, 10},
                            {"chain_2^24", std::size_t{1} << 24, 1}};
  for (const size& s : sizes)
    for (const bool plain : {true, false}) {
      const std::size_t n = small ? std::size_t{1} << 12 : s.elements;
      comparison c;
      c.name = std::string(s.name) + (plain ? "/openmp" : "/without_facts");
      c.unit = "us";
      c.units = s.units;
      c.warm_up = 10;  // the graph has tried its schedules
      c.rounds = 15;
      c.ours = [=] { return bench::compiled::chain(n); };
      c.reference = [=] { return plain ? bench::openmp::chain(n) : bench::fibers::chain(n); };
      c.reference_name = plain ? "OpenMP, a loop for each" : "library-only";
      all.push_back(std::move(c));
    }
}

// What it costs that two sub-devices run a part each instead of one team the whole.
void add_parts(std::vector<comparison>& all, bool small) {
  struct program {
    const char* name;
    std::size_t size, small_size;
    std::uint64_t units;
    subject (*run)(std::size_t, bool);
  };
  const program programs[] = {{"heat_256^2", 256, 32, 200, bench::compiled::recorded_heat},
                              {"heat_1024^2", 1024, 64, 10, bench::compiled::recorded_heat},
                              {"product_512", 512, 48, 4, bench::compiled::recorded_product}};
  constexpr double limit = 1.1;
  for (const program& p : programs) {
    const std::size_t n = small ? p.small_size : p.size;
    comparison c;
    c.name = std::string(p.name) + "/in_two_parts";
    c.unit = "us";
    c.units = p.units;
    c.warm_up = 10;  // the graph has tried its schedules
    c.rounds = 21;
    c.ours = [=] { return p.run(n, true); };
    c.reference = [=] { return p.run(n, false); };
    c.reference_name = "one team";
    c.goal = ratio_at_most(limit);
    all.push_back(std::move(c));
  }
}

void add_sums(std::vector<comparison>& all, bool small) {
  struct program {
    const char* name;
    subject (*compiled)(std::size_t);
    subject (*fibers)(std::size_t);
    subject (*plain)(std::size_t);
  };
  const program programs[] = {
      {"sum_2^26", bench::compiled::sum, bench::fibers::sum, bench::openmp::sum},
      {"inclusive_scan_2^26", bench::compiled::inclusive_scan, bench::fibers::inclusive_scan,
       bench::openmp::inclusive_scan}};
  const std::size_t n = std::size_t{1} << (small ? 16 : 26);
  // At least 0.9 times the bandwidth.
  constexpr double limit = 1 / 0.9;
  for (const program& p : programs)
    for (const bool compiled : {true, false}) {
      comparison c;
      c.name = std::string(p.name) + (compiled ? "/compiled" : "/library_only");
      c.unit = "us";
      c.units = 4;
      c.warm_up = 1;
      c.rounds = 21;
      c.ours = [=] { return compiled ? p.compiled(n) : p.fibers(n); };
      c.reference = [=] { return p.plain(n); };
      c.reference_name = "OpenMP";
      c.goal = ratio_at_most(limit);
      all.push_back(std::move(c));
    }
}

}  // namespace

int main(int argc, char** argv) {
  restart_with_settings(argv);
  const bench::report_request request =
      bench::read_report_request("pianola_kernel_bench", argc, argv);
  const bool small = request.small;
  std::vector<comparison> all;
  add_stream(all, small);
  add_blocks(all, small);
  add_chains(all, small);
  add_parts(all, small);
  add_sums(all, small);
  bench::add_built_ins(all, small);
  return bench::report_on(std::move(all), request, [](comparison& c) {
    c.rounds = 1;
    c.units = 2;
    c.goal = {};
  });
}
