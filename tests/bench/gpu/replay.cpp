// SPDX-License-Identifier: Apache-2.0
// Recorded graphs and eager launches through SYCL.
#include <memory>
#include <sycl/ext/pianola/dependent_launch.hpp>
#include <sycl/sycl.hpp>
#include <vector>

#include "node_kernel.hpp"
#include "programs.hpp"

namespace bench::gpu::ours {

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
using executable = graphs::command_graph<graphs::graph_state::executable>;

struct node_kernel {
  node_values values;
  void operator()(sycl::nd_item<1> item) const {
    float& x = values.data[item.get_local_id(0)];
    x = x * values.factor + values.summand;
  }
};

// The same, begun while the kernel in front of it is still at work.
struct overlapping_kernel {
  node_values values;
  void operator()(sycl::nd_item<1> item) const {
    sycl::ext::pianola::launch_dependents();
    const float factor = values.factor, summand = values.summand;
    float& x = values.data[item.get_local_id(0)];
    sycl::ext::pianola::wait_for_prerequisites();
    x = x * factor + summand;
  }
  auto get(graphs::properties_tag) const {
    return graphs::properties{sycl::ext::pianola::programmatic_dependent_launch};
  }
};

const sycl::nd_range<1>& one_group() {
  static const sycl::nd_range<1> range(node_items, node_items);
  return range;
}

struct data {
  data(const sycl::queue& q, std::size_t nodes)
      : queue(q), count(nodes * node_items), all(sycl::malloc_device<float>(count, queue)) {
    if (all == nullptr) throw std::bad_alloc();
    std::vector<float> start(count);
    for (std::size_t i = 0; i < count; ++i) start[i] = node_start(i);
    queue.memcpy(all, start.data(), count * sizeof(float)).wait();
  }
  data(const data&) = delete;
  data& operator=(const data&) = delete;
  ~data() {
    queue.wait();
    sycl::free(all, queue);
  }
  double checksum() {
    std::vector<float> now(count);
    queue.memcpy(now.data(), all, count * sizeof(float)).wait();
    return checksum_of(now.data(), count);
  }
  template <class Kernel>
  Kernel kernel(std::size_t node) const {
    Kernel k{};
    k.values.data = all + node * node_items;
    return k;
  }

  sycl::queue queue;
  std::size_t count;
  float* all;
};

template <class Kernel>
executable record(data& d, const graph_edges& edges) {
  // Out of order: nothing but the edges orders the nodes.
  sycl::queue recording(d.queue.get_context(), d.queue.get_device());
  graphs::command_graph graph(recording);
  graph.begin_recording(recording);
  std::vector<sycl::event> events;
  for (std::size_t i = 0; i < edges.size(); ++i)
    events.push_back(recording.submit([&](sycl::handler& h) {
      for (const std::uint32_t w : edges[i]) h.depends_on(events[w]);
      h.parallel_for(one_group(), d.kernel<Kernel>(i));
    }));
  graph.end_recording();
  return graph.finalize();
}

template <class Kernel>
struct replayed {
  explicit replayed(const graph_edges& edges)
      : d(sycl::queue(sycl::property::queue::in_order{}), edges.size()),
        graph(record<Kernel>(d, edges)) {}
  data d;
  executable graph;
};

template <class Kernel>
subject replay_of(shape s, std::size_t nodes, replay_time what) {
  auto r = std::make_shared<replayed<Kernel>>(edges_of(s, nodes));
  return {[r, what](std::uint64_t units) {
            if (what == replay_time::whole)
              return nanoseconds_of([&] {
                for (std::uint64_t i = 0; i < units; ++i) r->d.queue.ext_oneapi_graph(r->graph);
                r->d.queue.wait();
              });
            double sum = 0;
            for (std::uint64_t i = 0; i < units; ++i) {
              sum += nanoseconds_of([&] { r->d.queue.ext_oneapi_graph(r->graph); });
              r->d.queue.wait();
            }
            return sum;
          },
          [r] { return r->d.checksum(); }};
}

template <class Kernel>
subject submission_of() {
  auto d = std::make_shared<data>(sycl::queue(sycl::property::queue::in_order{}), 1);
  return {[d, kernel = d->kernel<Kernel>(0)](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) d->queue.parallel_for(one_group(), kernel);
              d->queue.wait();
            });
          },
          [d] { return d->checksum(); }};
}

}  // namespace

std::string device_name() {
  return sycl::queue().get_device().get_info<sycl::info::device::name>();
}

subject replay(shape s, std::size_t nodes, replay_time what) {
  return replay_of<node_kernel>(s, nodes, what);
}
subject replay_overlapping(std::size_t nodes) {
  return replay_of<overlapping_kernel>(shape::chain, nodes, replay_time::whole);
}

subject replay_with_host_tasks(std::size_t tasks) {
  struct alternating {
    explicit alternating(std::size_t tasks)
        : d(sycl::queue(sycl::property::queue::in_order{}), 1), graph(make(tasks)) {}
    executable make(std::size_t tasks) {
      graphs::command_graph recorded(d.queue);
      recorded.begin_recording(d.queue);
      for (std::size_t i = 0; i < tasks; ++i) {
        d.queue.parallel_for(one_group(), d.kernel<node_kernel>(0));
        d.queue.submit([&](sycl::handler& h) { h.host_task([this] { ++called; }); });
      }
      recorded.end_recording();
      return recorded.finalize();
    }
    std::uint64_t called = 0;
    data d;
    executable graph;
  };
  auto r = std::make_shared<alternating>(tasks);
  return {[r](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) r->d.queue.ext_oneapi_graph(r->graph);
              r->d.queue.wait();
            });
          },
          [r] { return r->d.checksum() + static_cast<double>(r->called); }};
}

subject submission() { return submission_of<node_kernel>(); }
subject submission_overlapping() { return submission_of<overlapping_kernel>(); }

}  // namespace bench::gpu::ours
