// SPDX-License-Identifier: Apache-2.0
// Clusters of points by k-means: vectors of shared memory by usm_allocator, floating-point atomics, events between
// kernels and host tasks.
#include <sycl/sycl.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace sycl;

template <typename T>
using shared_vector = std::vector<T, usm_allocator<T, usm::alloc::shared>>;

struct cluster {
  float2 center;
  float sum_x, sum_y;
  int count;
};

template <typename T>
using relaxed =
    atomic_ref<T, memory_order::relaxed, memory_scope::device, access::address_space::global_space>;

int main() {
  constexpr int n = 600, k = 3;
  queue q([](exception_list errors) {
    for (auto& e : errors) std::rethrow_exception(e);
  });
  const usm_allocator<float2, usm::alloc::shared> of_points(q);
  shared_vector<float2> points(n, of_points);
  shared_vector<cluster> clusters(k, of_points);
  shared_vector<int> owner(n, -1, of_points);
  shared_vector<int> moved(1, of_points);
  const float2 middles[k] = {{0, 0}, {10, 1}, {4, 9}};
  for (int i = 0; i < n; ++i) {
    const auto f = static_cast<float>(i);
    points[static_cast<size_t>(i)] = middles[i % k] + float2{std::sin(f), std::cos(f * 1.7f)};
  }
  for (size_t c = 0; c < k; ++c) clusters[c].center = points[c];

  int rounds = 0;
  do {
    auto* cs = clusters.data();
    auto* ps = points.data();
    auto *os = owner.data(), *m = moved.data();
    const event cleared = q.submit([&](handler& h) {
      h.single_task([=] {
        *m = 0;
        for (int c = 0; c < k; ++c) cs[c].sum_x = cs[c].sum_y = 0, cs[c].count = 0;
      });
    });
    event assigned = q.parallel_for(range<1>(n), cleared, [=](id<1> i) {
      int best = 0;
      for (int c = 1; c < k; ++c)
        if (fast_distance(ps[i], cs[c].center) < fast_distance(ps[i], cs[best].center)) best = c;
      if (best != os[i]) relaxed<int>{*m}.fetch_add(1);
      os[i] = best;
      relaxed<float>(cs[best].sum_x) += ps[i].x();
      relaxed<float>(cs[best].sum_y) += ps[i].y();
      relaxed<int>(cs[best].count)++;
    });
    const event updated = q.parallel_for<class update>(k, {assigned}, [cs](auto i) {
      auto& [center, x, y, count] = cs[i];
      if (count > 0) center = float2(x, y) / static_cast<float>(count);
    });
    bool checked = false;
    event::wait({q.submit([&](handler& h) {
      h.depends_on(std::vector<event>{assigned, updated});
      h.host_task([&] {
        checked = moved[0] >= 0 && updated.get_info<info::event::command_execution_status>() ==
                                       info::event_command_status::complete;
      });
    })});
    if (!checked) {
      std::puts("kmeans: a host task ran before the kernels that it depends on");
      return 1;
    }
  } while (moved[0] != 0 && ++rounds < 50);

  int wrong = 0;
  for (size_t i = 0; i < n; ++i) wrong += owner[i] != static_cast<int>(i % k);
  for (size_t c = 0; c < k; ++c)
    wrong += distance(clusters[c].center, middles[c]) > 0.2f || clusters[c].count != n / k;
  if (wrong || rounds >= 50) {
    std::printf("kmeans: %d points or clusters wrong after %d rounds\n", wrong, rounds);
    return 1;
  }
  q.throw_asynchronous();
  return 0;
}
