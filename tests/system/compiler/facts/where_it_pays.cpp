// SPDX-License-Identifier: Apache-2.0
// where_it_pays machine LATENCY BANDWIDTH   prints this machine with such links, and devices of which all are alike
// where_it_pays run|bytes FILE              says of kernels of two sizes whether a graph runs them whole or in parts, so that
//                                           it takes little time, or moves little; FILE is where plans are written to
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <pianola/runtime/topology.hpp>

#include <sycl/sycl.hpp>

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
using sycl::ext::pianola::property::graph::objective;
using sycl::ext::pianola::property::graph::place;

void print_machine(double latency, double bandwidth) {
  const pianola::model::topology here = pianola::runtime::topology();
  std::printf("{\"format\":\"pianola.topology/1\",\"memories\":[");
  const char* comma = "";
  for (const auto& m : here.memories) {
    std::printf("%s{\"name\":\"%s\",\"bytes\":%llu}", comma, m.name.c_str(),
                static_cast<unsigned long long>(m.bytes));
    comma = ",";
  }
  std::printf("],\"devices\":[");
  comma = "";
  for (const auto& d : here.devices) {
    std::printf(
        "%s{\"name\":\"%s\",\"backend\":\"%s\",\"memory\":%u,\"maximum_lanes\":%u,"
        "\"speed\":{\"launch\":1e-5,\"bandwidth\":1e9,\"operations\":1e9,\"host_task\":1e-5}}",
        comma, d.name.c_str(), d.backend.c_str(), static_cast<unsigned>(d.memory.value()),
        static_cast<unsigned>(d.maximum_lanes));
    comma = ",";
  }
  std::printf("],\"links\":[");
  comma = "";
  for (const auto& l : here.links) {
    std::printf("%s{\"from\":%u,\"to\":%u,\"bandwidth\":%g,\"latency\":%g}", comma,
                static_cast<unsigned>(l.from.value()), static_cast<unsigned>(l.to.value()),
                bandwidth, latency);
    comma = ",";
  }
  std::printf("]}\n");
}

void step(sycl::queue& q, sycl::buffer<float, 2>& from, sycl::buffer<float, 2>& to) {
  const std::size_t n = from.get_range()[0];
  q.submit([&](sycl::handler& h) {
    sycl::accessor x(from, h, sycl::read_only);
    sycl::accessor y(to, h, sycl::write_only);
    h.parallel_for(from.get_range(), [=](sycl::id<2> i) {
      const std::size_t r = i[0], c = i[1];
      y[i] = r > 0 && r < n - 1 ? 0.5F * (x[r - 1][c] + x[r + 1][c]) : x[i];
    });
  });
}

// How many commands the plan of two steps of a heat equation has.
int commands_for(std::size_t n, bool few_bytes, const std::string& path) {
  const sycl::context all(sycl::device::get_devices());
  sycl::queue q(all, sycl::device::get_devices()[0]);
  sycl::buffer<float, 2> a({n, n}), b({n, n});
  graphs::command_graph graph(
      q, {place(place::anywhere), objective(few_bytes ? objective::bytes : objective::makespan),
          graphs::property::graph::assume_buffer_outlives_graph()});
  graph.begin_recording(q);
  step(q, a, b);
  step(q, b, a);
  graph.end_recording();
  sycl::ext::pianola::write_plan(graph.finalize(), path);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  int count = 0;
  const std::string key = "\"command\":";
  for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1))
    ++count;
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 3 && std::string(argv[1]) == "machine") {
    print_machine(std::atof(argv[2]), std::atof(argv[3]));
    return 0;
  }
  for (const auto& [name, n] : {std::pair("tiny", 16), std::pair("large", 1024)}) {
    const bool few_bytes = argc > 1 && std::string(argv[1]) == "bytes";
    const int count = commands_for(static_cast<std::size_t>(n), few_bytes, argv[argc - 1]);
    std::printf("%s: %s\n", name, count == 2 ? "whole" : count == 8 ? "in parts" : "what is this?");
  }
  return 0;
}
