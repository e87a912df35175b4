// SPDX-License-Identifier: Apache-2.0
// Conjugate gradient to its end: all of it in one launch, and by launches of an iteration with a look by the host behind each.
#include "conjugate_gradient.hpp"

#include <memory>
#include <sycl/sycl.hpp>
#include <vector>

#include "programs.hpp"

namespace bench::gpu::ours {

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
using executable = graphs::command_graph<graphs::graph_state::executable>;

// What is on the device.
struct system_data {
  float *x, *r, *p, *q;
  float *pq_sums, *rr_sums, *rr;
  unsigned *more, *done;
};

// In each work-item, the sum of `mine` over the group.
float sum_in_group(const sycl::nd_item<1>& item, const sycl::local_accessor<float, 1>& local,
                   float mine) {
  const std::size_t id = item.get_local_id(0);
  local[id] = mine;
  for (std::size_t half = cg_group / 2; half > 0; half /= 2) {
    sycl::group_barrier(item.get_group());
    if (id < half) local[id] += local[id + half];
  }
  sycl::group_barrier(item.get_group());
  return local[0];
}
float sum_of_groups(const sycl::nd_item<1>& item, const sycl::local_accessor<float, 1>& local,
                    const float* sums, std::size_t groups) {
  const std::size_t id = item.get_local_id(0);
  const float all = sum_in_group(item, local, id < groups ? sums[id] : 0.0F);
  sycl::group_barrier(item.get_group());
  return all;
}

struct solver {
  explicit solver(std::size_t size) : n(size), groups(cg_groups(size)) {
    {
      graphs::command_graph recording(queue);
      recording.begin_recording(queue);
      iterate();
      recording.end_recording();
      body.push_back(recording.finalize());
    }
    {
      graphs::command_graph recording(queue);
      recording.begin_recording(queue);
      const sycl::event begun = begin();
      recording.end_recording();
      begin_alone.push_back(recording.finalize());
      recording.add_while(
          s.more, body[0],
          {graphs::property::node::depends_on(graphs::node::get_node_from_event(begun))});
      whole.push_back(recording.finalize());
    }
  }
  solver(const solver&) = delete;
  solver& operator=(const solver&) = delete;
  ~solver() {
    queue.wait();
    for (float* m : {s.x, s.r, s.p, s.q, s.pq_sums, s.rr_sums, s.rr}) sycl::free(m, queue);
    for (unsigned* m : {s.more, s.done}) sycl::free(m, queue);
  }

  sycl::event begin() {
    const system_data d = s;
    const std::size_t points = n * n;
    return queue.parallel_for(
        sycl::nd_range<1>(groups * cg_group, cg_group), [=](sycl::nd_item<1> item) {
          const std::size_t first = item.get_global_id(0), all = item.get_global_range(0);
          for (std::size_t i = first; i < points; i += all) {
            d.x[i] = 0;
            d.r[i] = d.p[i] = 1;
          }
          if (first != 0) return;
          d.rr[0] = static_cast<float>(points);
          d.more[0] = 1;
          d.done[0] = 0;
        });
  }
  void iterate() {
    const system_data d = s;
    const std::size_t side = n, points = n * n, sums = groups;
    const sycl::nd_range<1> range(groups * cg_group, cg_group);
    queue.submit([&](sycl::handler& h) {
      const sycl::local_accessor<float, 1> local(cg_group, h);
      h.parallel_for(range, [=](sycl::nd_item<1> item) {
        float mine = 0;
        for (std::size_t i = item.get_global_id(0); i < points; i += item.get_global_range(0)) {
          const std::size_t row = i / side, column = i % side;
          float sum = 4.01F * d.p[i];
          if (row > 0) sum -= d.p[i - side];
          if (row + 1 < side) sum -= d.p[i + side];
          if (column > 0) sum -= d.p[i - 1];
          if (column + 1 < side) sum -= d.p[i + 1];
          d.q[i] = sum;
          mine += d.p[i] * sum;
        }
        const float all = sum_in_group(item, local, mine);
        if (item.get_local_id(0) == 0) d.pq_sums[item.get_group(0)] = all;
      });
    });
    queue.submit([&](sycl::handler& h) {
      const sycl::local_accessor<float, 1> local(cg_group, h);
      h.parallel_for(range, [=](sycl::nd_item<1> item) {
        const float alpha = d.rr[0] / (sum_of_groups(item, local, d.pq_sums, sums) + 1e-30F);
        float mine = 0;
        for (std::size_t i = item.get_global_id(0); i < points; i += item.get_global_range(0)) {
          d.x[i] += alpha * d.p[i];
          const float rest = d.r[i] - alpha * d.q[i];
          d.r[i] = rest;
          mine += rest * rest;
        }
        const float all = sum_in_group(item, local, mine);
        if (item.get_local_id(0) == 0) d.rr_sums[item.get_group(0)] = all;
      });
    });
    queue.submit([&](sycl::handler& h) {
      const sycl::local_accessor<float, 1> local(cg_group, h);
      h.parallel_for(range, [=](sycl::nd_item<1> item) {
        const float beta = sum_of_groups(item, local, d.rr_sums, sums) / (d.rr[0] + 1e-30F);
        for (std::size_t i = item.get_global_id(0); i < points; i += item.get_global_range(0))
          d.p[i] = d.r[i] + beta * d.p[i];
      });
    });
    const float goal = cg_goal(n);
    queue.submit([&](sycl::handler& h) {
      const sycl::local_accessor<float, 1> local(cg_group, h);
      h.parallel_for(sycl::nd_range<1>(cg_group, cg_group), [=](sycl::nd_item<1> item) {
        const float rr = sum_of_groups(item, local, d.rr_sums, sums);
        if (item.get_local_id(0) != 0) return;
        d.rr[0] = rr;
        d.done[0] += 1;
        d.more[0] = rr > goal && d.done[0] < cg_most_iterations ? 1 : 0;
      });
    });
  }
  void solve() { queue.ext_oneapi_graph(whole[0]); }
  void solve_by_the_host() {
    queue.ext_oneapi_graph(begin_alone[0]);
    unsigned more = 1;
    do {
      queue.ext_oneapi_graph(body[0]);
      queue.memcpy(&more, s.more, sizeof more).wait();
    } while (more != 0);
  }
  double checksum() {
    std::vector<float> now(n * n);
    queue.memcpy(now.data(), s.x, now.size() * sizeof(float)).wait();
    return checksum_of(now.data(), now.size());
  }

  std::size_t n, groups;
  sycl::queue queue{sycl::property::queue::in_order{}};
  float* floats(std::size_t count) { return sycl::malloc_device<float>(count, queue); }
  system_data s{floats(n * n),
                floats(n* n),
                floats(n* n),
                floats(n* n),
                floats(groups),
                floats(groups),
                floats(1),
                sycl::malloc_device<unsigned>(1, queue),
                sycl::malloc_device<unsigned>(1, queue)};
  std::vector<executable> body, begin_alone, whole;
};

template <class Solve>
subject solutions(std::size_t n, Solve solve) {
  auto s = std::make_shared<solver>(n);
  return {[s, solve](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) solve(*s);
              s->queue.wait();
            });
          },
          [s] { return s->checksum(); }};
}

}  // namespace

subject conjugate_gradient(std::size_t n) {
  return solutions(n, [](solver& s) { s.solve(); });
}
subject conjugate_gradient_by_the_host(std::size_t n) {
  return solutions(n, [](solver& s) { s.solve_by_the_host(); });
}

}  // namespace bench::gpu::ours
