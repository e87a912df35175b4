// SPDX-License-Identifier: Apache-2.0
#include "dag.hpp"

#include <memory>
#include <optional>
#include <sycl/sycl.hpp>

namespace bench {

namespace {

namespace graphs = sycl::ext::oneapi::experimental;

class with_buffers {
 public:
  explicit with_buffers(const sycl::property_list& of_queue = {}) : queue_(of_queue) {
    for (std::size_t k = 0; k < dag::nodes; ++k) buffers_.emplace_back(sycl::range<1>(dag::length));
  }
  void submit_all() {
    for (std::size_t k = 0; k < dag::nodes; ++k)
      if (dag::is_source(k)) {
        queue_.submit([&](sycl::handler& h) {
          sycl::accessor to{buffers_[k], h, sycl::write_only, sycl::no_init};
          h.parallel_for(sycl::range<1>(dag::length),
                         [=](sycl::id<1> i) { to[i] = source_value(k, i[0]); });
        });
      } else {
        queue_.submit([&](sycl::handler& h) {
          sycl::accessor a{buffers_[graph_.predecessors(k)[0]], h, sycl::read_only};
          sycl::accessor b{buffers_[graph_.predecessors(k)[1]], h, sycl::read_only};
          sycl::accessor to{buffers_[k], h, sycl::write_only, sycl::no_init};
          h.parallel_for(sycl::range<1>(dag::length),
                         [=](sycl::id<1> i) { to[i] = combine(a[i], b[i]); });
        });
      }
  }
  void record() {
    graphs::command_graph<graphs::graph_state::modifiable> graph(queue_);
    graph.begin_recording(queue_);
    submit_all();
    graph.end_recording();
    executable_.emplace(graph.finalize());
  }
  void replay() { queue_.ext_oneapi_graph(*executable_); }
  void wait() { queue_.wait(); }
  [[nodiscard]] double checksum() {
    double sum = 0;
    for (std::size_t k = dag::nodes - dag::width; k < dag::nodes; ++k) {
      sycl::host_accessor a{buffers_[k], sycl::read_only};
      for (std::size_t i = 0; i < dag::length; ++i) sum += a[i];
    }
    return sum;
  }

 private:
  dag graph_;
  sycl::queue queue_;
  std::vector<sycl::buffer<float, 1>> buffers_;
  std::optional<graphs::command_graph<graphs::graph_state::executable>> executable_;
};

subject in_commands(const sycl::property_list& of_queue) {
  auto s = std::make_shared<with_buffers>(of_queue);
  return {[s](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) {
                s->submit_all();
                s->wait();
              }
            });
          },
          [s] { return s->checksum(); }};
}

subject eager() { return in_commands({}); }

subject replayed() {
  auto s = std::make_shared<with_buffers>();
  s->record();
  return {[s](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) {
                s->replay();
                s->wait();
              }
            });
          },
          [s] { return s->checksum(); }};
}

}  // namespace

subject dag_captured() {
  return in_commands({sycl::ext::pianola::property::queue::auto_capture{}});
}
subject dag_replayed() { return replayed(); }
subject dag_eager() { return eager(); }

void add_dag(std::vector<comparison>& all) {
  const auto add = [&](const char* name, std::uint64_t runs, std::function<subject()> ours,
                       std::function<subject()> reference, const char* reference_name, target goal,
                       const char* published) {
    comparison c;
    c.name = std::string("dag/") + name;
    c.unit = "us/run";
    c.units = runs;
    c.warm_up = runs / 2;
    c.ours = std::move(ours);
    c.reference = std::move(reference);
    c.reference_name = reference_name;
    c.goal = goal;
    c.published = published;
    all.push_back(std::move(c));
  };
  // The limits were set where the sequential loop takes 21.4 us.
  constexpr double loop = 21.4;
  add("replay", 200, replayed, dag_in_sequence, "sequential loop", ratio_at_most(45 / loop),
      "Taskflow 90 us where the loop takes 21 us");
  add("replay_or_tasks", 20, replayed, dag_as_tasks, "OpenMP tasks", {}, "");
  add("eager", 10, eager, dag_in_sequence, "sequential loop", ours_at_most(1000),
      "AdaptiveCpp 5200 fast, 12400 slow");
  add("eager_or_tasks", 10, eager, dag_as_tasks, "OpenMP tasks", {}, "");
}

}  // namespace bench
