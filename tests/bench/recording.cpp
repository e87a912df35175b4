// SPDX-License-Identifier: Apache-2.0
// What it costs to write a command down, through the recorder and through SYCL.
#include <memory>
#include <optional>
#include <sycl/sycl.hpp>
#include <vector>

#include "comparison.hpp"
#include "recorded_stream.hpp"

namespace bench {

namespace {

namespace graphs = sycl::ext::oneapi::experimental;

subject through_recorder(std::size_t longest) {
  auto stream = std::make_shared<command_stream>(longest);
  return {[stream](std::uint64_t units) {
            pianola::recorder::command_graph graph;
            add_stream_buffers(graph);
            return nanoseconds_of([&] { record_stream(graph, *stream, units); });
          },
          {}};
}

subject through_sycl(std::size_t longest) {
  struct state {
    explicit state(std::size_t n) : stream(n) {
      for (std::size_t i = 0; i < command_stream::buffers; ++i)
        buffers.emplace_back(sycl::range<1>(1024));
    }
    command_stream stream;
    sycl::queue queue;
    std::vector<sycl::buffer<float, 1>> buffers;
  };
  auto s = std::make_shared<state>(longest);
  return {[s](std::uint64_t units) {
            graphs::command_graph<graphs::graph_state::modifiable> graph(s->queue);
            return nanoseconds_of([&] {
              graph.begin_recording(s->queue);
              for (std::uint64_t i = 0; i < units; ++i) {
                const auto& at = s->stream[i];
                s->queue.submit([&](sycl::handler& h) {
                  sycl::accessor a{s->buffers[at[0]], h, sycl::read_only};
                  sycl::accessor b{s->buffers[at[1]], h, sycl::read_only};
                  sycl::accessor c{s->buffers[at[2]], h, sycl::read_write};
                  h.parallel_for(sycl::range<1>(1024), [=](sycl::id<1> x) { c[x] += a[x] * b[x]; });
                });
              }
              graph.end_recording();
            });
          },
          {}};
}

// The same bytes put into vectors: what writing them down costs at least.
subject into_vectors(std::size_t longest) {
  using namespace pianola::model;
  auto stream = std::make_shared<command_stream>(longest);
  return {[stream](std::uint64_t units) {
            std::vector<command> commands;
            std::vector<requirement> requirements;
            std::vector<argument_slot> slots;
            std::vector<std::array<unsigned char, stream_argument_bytes>> arguments;
            return nanoseconds_of([&] {
              const box whole = box::of(stream_buffer().grid.range());
              for (std::uint64_t i = 0; i < units; ++i) {
                for (std::uint32_t r = 0; r < 3; ++r) {
                  requirement& need = requirements.emplace_back();
                  need.buffer = buffer_id((*stream)[i][r]);
                  need.mode = r == 2 ? access_mode::read_write : access_mode::read;
                  need.elements = whole;
                  slots.push_back({8 * r, argument_slot::kind::buffer, r, 0});
                }
                arguments.emplace_back();
                commands.emplace_back().payload.emplace<kernel_command>().id = kernel_id(1);
              }
            });
          },
          {}};
}

}  // namespace

void add_recording(std::vector<comparison>& all) {
  const auto add = [&](const char* name, std::uint64_t commands, unsigned rounds,
                       std::function<subject()> ours, std::function<subject()> reference,
                       const char* reference_name, target goal) {
    comparison c;
    c.name = std::string("record/") + name;
    c.unit = "us/command";
    c.units = commands;
    c.rounds = rounds;
    c.warm_up = 10'000;
    c.ours = std::move(ours);
    c.reference = std::move(reference);
    c.reference_name = reference_name;
    c.goal = goal;
    all.push_back(std::move(c));
  };
  constexpr std::uint64_t many = 100'000, most = 1'000'000;
  add(
      "recorder_100000_commands", many, 15, [] { return through_recorder(many); },
      [] { return into_vectors(many); }, "the same data in vectors", ours_at_most(0.3));
  add(
      "recorder_1000000_commands", most, 7, [] { return through_recorder(most); },
      [] { return into_vectors(most); }, "the same data in vectors", ours_at_most(0.3));
  add(
      "sycl_100000_commands", many, 15, [] { return through_sycl(many); },
      [] { return into_vectors(many); }, "the same data in vectors", ours_at_most(0.6));
}

}  // namespace bench
