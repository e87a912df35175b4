// SPDX-License-Identifier: Apache-2.0
// What it costs to load an executable graph from a file, beside recording and planning it again.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <pianola/executable/file.hpp>
#include <pianola/planner/make_plan.hpp>
#include <set>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

#include "comparison.hpp"
#include "recorded_stream.hpp"

namespace bench {

namespace {

using namespace pianola;
namespace graphs = sycl::ext::oneapi::experimental;
namespace pia = sycl::ext::pianola;

// A name for a file that goes away.
class temporary_path {
 public:
  temporary_path() {
    std::string pattern = std::filesystem::temp_directory_path() / "pianola-XXXXXX";
    const int file = ::mkstemp(pattern.data());
    if (file >= 0) ::close(file);
    path_ = pattern;
  }
  temporary_path(const temporary_path&) = delete;
  temporary_path& operator=(const temporary_path&) = delete;
  ~temporary_path() { std::remove(path_.c_str()); }
  [[nodiscard]] const std::string& get() const noexcept { return path_; }

 private:
  std::string path_;
};

// Kernels as of a stream, on one device in host memory.
struct stream_graph {
  explicit stream_graph(std::size_t count) {
    kernel.id = model::kernel_id(1);
    kernel.name = "kernel";
    kernel.argument_bytes = stream_argument_bytes;
    kernel.argument_alignment = 16;
    machine.memories.push_back({"host", 0});
    model::device_description device;
    device.name = "device";
    device.backend = "bench";
    device.memory = model::host_memory;
    machine.devices.push_back(device);
    add_stream_buffers(graph);
    record_stream(graph, command_stream(count), count);
    commands.assign(graph.commands().begin(), graph.commands().end());
    for (model::command& c : commands) std::get<model::kernel_command>(c.payload).kernel = &kernel;
  }
  void write(const std::string& path) {
    const planner::plan plan = planner::make_plan(commands, graph.buffers(), machine);
    executable::contents what;
    what.device = model::device_id(0);
    what.machine = &machine;
    what.plan = &plan;
    what.commands = commands;
    for (const model::buffer_info& b : graph.buffers())
      what.buffers.push_back({b, "buffer " + std::to_string(what.buffers.size()), false});
    executable::write(path, what);
  }

  model::kernel_descriptor kernel;
  model::topology machine;
  recorder::command_graph graph;
  std::vector<model::command> commands;
};

enum class part { check, all };

// The file read and checked; and, with `all`, commands and plan as the runtime instantiates them.
subject from_file(std::size_t count, part how_far) {
  struct state {
    temporary_path path;
    model::kernel_descriptor kernel;
  };
  auto s = std::make_shared<state>();
  stream_graph(count).write(s->path.get());
  return {[s, how_far](std::uint64_t) {
            std::shared_ptr<executable::file> file;
            std::vector<model::command> commands;
            planner::plan plan;
            return nanoseconds_of([&] {
              file = executable::file::load(s->path.get());
              if (how_far == part::check) return;
              const model::kernel_descriptor* const kernels[] = {&s->kernel};
              commands = file->take_commands(kernels, {});
              plan = file->plan();
            });
          },
          {}};
}

// The same written down and planned by a program that has no file.
subject made_again(std::size_t count) {
  return {[count](std::uint64_t) {
            return nanoseconds_of([&] {
              stream_graph g(count);
              const planner::plan plan =
                  planner::make_plan(g.commands, g.graph.buffers(), g.machine);
              if (plan.steps.size() < count) std::abort();
            });
          },
          {}};
}

struct program {
  explicit program(std::size_t n) : stream(n), count(n) {
    for (std::size_t i = 0; i < command_stream::buffers; ++i)
      buffers.emplace_back(sycl::range<1>(1024));
    // Few commands do not use all of them.
    std::set<std::size_t> used;
    for (std::size_t i = 0; i < count; ++i)
      for (const std::size_t b : {stream[i][0], stream[i][1], stream[i][2]}) used.insert(b);
    for (const std::size_t b : used) bindings.emplace_back(std::to_string(b), buffers[b]);
  }
  auto record_and_finalize() {
    graphs::command_graph<graphs::graph_state::modifiable> graph(queue);
    graph.begin_recording(queue);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto& at = stream[i];
      queue.submit([&](sycl::handler& h) {
        sycl::accessor a{buffers[at[0]], h, sycl::read_only};
        sycl::accessor b{buffers[at[1]], h, sycl::read_only};
        sycl::accessor c{buffers[at[2]], h, sycl::read_write};
        h.parallel_for(sycl::range<1>(1024), [=](sycl::id<1> x) { c[x] += a[x] * b[x]; });
      });
    }
    graph.end_recording();
    return graph.finalize();
  }

  command_stream stream;
  std::size_t count;
  sycl::queue queue;
  std::vector<sycl::buffer<float, 1>> buffers;
  std::vector<pia::binding> bindings;
  temporary_path path;
};

subject loaded(std::size_t count) {
  auto s = std::make_shared<program>(count);
  pia::save(s->record_and_finalize(), s->path.get(), s->bindings);
  return {[s](std::uint64_t) {
            return nanoseconds_of(
                [&] { auto graph = pia::load(s->path.get(), s->queue, s->bindings); });
          },
          {}};
}

subject recorded_and_finalized(std::size_t count) {
  auto s = std::make_shared<program>(count);
  return {
      [s](std::uint64_t) { return nanoseconds_of([&] { auto graph = s->record_and_finalize(); }); },
      {}};
}

}  // namespace

void add_executables(std::vector<comparison>& all) {
  const auto add = [&](const std::string& name, unsigned rounds, std::function<subject()> ours,
                       std::function<subject()> reference, const char* reference_name,
                       target goal) {
    comparison c;
    c.name = "executables/" + name;
    c.unit = "ms";
    c.per_nanosecond = 1e-6;
    c.rounds = rounds;
    c.ours = std::move(ours);
    c.reference = std::move(reference);
    c.reference_name = reference_name;
    c.goal = goal;
    all.push_back(std::move(c));
  };
  for (const std::size_t count : {1'000, 10'000, 100'000, 1'000'000}) {
    const std::string nodes = std::to_string(count) + "_nodes";
    const unsigned rounds = count > 100'000 ? 5 : 11;
    // 50 ms for 100,000.
    const target goal = ours_at_most(static_cast<double>(count) * 5e-4);
    add(
        "checked_" + nodes, rounds, [count] { return from_file(count, part::check); },
        [count] { return made_again(count); }, "recorded and planned again", goal);
    add(
        "ready_" + nodes, rounds, [count] { return from_file(count, part::all); },
        [count] { return made_again(count); }, "recorded and planned again", goal);
    // With the native graph, which both make; of a million that takes half a minute each time.
    const bool large = count > 100'000;
    add(
        "loaded_" + nodes, rounds, [count] { return loaded(count); },
        [=] { return large ? made_again(count) : recorded_and_finalized(count); },
        large ? "recorded and planned again" : "recorded and finalized again", goal);
  }
}

}  // namespace bench
