// SPDX-License-Identifier: Apache-2.0
// A program that submits for ever must not grow for ever.
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <sycl/sycl.hpp>

#include "comparison.hpp"

namespace bench {

namespace {

namespace graphs = sycl::ext::oneapi::experimental;

// Kibibytes; zero where the system does not tell.
double resident_size() {
  long total = 0, resident = 0;
  if (std::FILE* f = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(f, "%ld %ld", &total, &resident) != 2) resident = 0;
    std::fclose(f);
  }
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1024;
}

// How much the process has grown by submitting so often. In batches: what waits to run needs memory, of
// course.
template <class SubmitOne, class Wait>
double growth(std::uint64_t submissions, SubmitOne&& submit_one, Wait&& wait) {
  constexpr std::uint64_t batch = 10'000;
  const auto run = [&](std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i) {
      submit_one();
      if (i % batch == batch - 1) wait();
    }
    wait();
  };
  run(submissions / 10);
  const double before = resident_size();
  run(submissions);
  return resident_size() - before;
}

class counters {
 public:
  void submit(std::size_t i) {
    queue_.submit([&](sycl::handler& h) {
      sycl::accessor a{i % 2 == 0 ? first_ : second_, h, sycl::read_write};
      h.single_task([=] { a[0] += 1; });
    });
  }
  void record() {
    graphs::command_graph<graphs::graph_state::modifiable> graph(queue_);
    graph.begin_recording(queue_);
    submit(0);
    submit(1);
    graph.end_recording();
    graph_.emplace(graph.finalize());
  }
  void replay() { queue_.ext_oneapi_graph(*graph_); }
  void wait() { queue_.wait(); }

 private:
  sycl::queue queue_;
  sycl::buffer<int, 1> first_{sycl::range<1>(1)}, second_{sycl::range<1>(1)};
  std::optional<graphs::command_graph<graphs::graph_state::executable>> graph_;
};

subject eager_with_buffers() {
  auto c = std::make_shared<counters>();
  return {[c](std::uint64_t units) {
            std::size_t i = 0;
            return growth(units, [&] { c->submit(i++); }, [&] { c->wait(); });
          },
          {}};
}

subject eager_with_events() {
  auto q = std::make_shared<sycl::queue>();
  return {[q](std::uint64_t units) {
            sycl::event last;
            return growth(units, [&] { last = q->single_task(last, [] {}); }, [&] { q->wait(); });
          },
          {}};
}

subject replays() {
  auto c = std::make_shared<counters>();
  c->record();
  return {
      [c](std::uint64_t units) { return growth(units, [&] { c->replay(); }, [&] { c->wait(); }); },
      {}};
}

// Nothing but replays leaves everything as it was; a look by the host in between does not.
subject replays_and_eager_commands() {
  auto c = std::make_shared<counters>();
  c->record();
  return {[c](std::uint64_t units) {
            std::size_t i = 0;
            return growth(
                units,
                [&] {
                  if (++i % 2 == 0)
                    c->replay();
                  else
                    c->submit(0);
                },
                [&] { c->wait(); });
          },
          {}};
}

}  // namespace

void add_memory_growth(std::vector<comparison>& all) {
  const auto add = [&](const char* name, std::function<subject()> ours) {
    comparison c;
    c.name = std::string("memory_growth/million_") + name;
    c.unit = "KiB";
    c.units = 1'000'000;
    c.per_nanosecond = static_cast<double>(c.units);  // the growth in all, not per submission
    // Enough for the median to pass over rounds with a larger backlog than ever before, for which blocks
    // are made that stay in use; a leak is in all of them.
    c.rounds = 9;
    c.ours = std::move(ours);
    c.reference_name = "resident size before";
    // Some pages of the allocator's.
    c.goal = ours_at_most(256);
    all.push_back(std::move(c));
  };
  add("eager_commands_on_buffers", eager_with_buffers);
  add("eager_commands_with_events", eager_with_events);
  add("replays", replays);
  add("replays_and_eager_commands", replays_and_eager_commands);
}

}  // namespace bench
