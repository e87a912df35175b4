// SPDX-License-Identifier: Apache-2.0
// Pi from random points by two queues with profiling, an own generator of random numbers in functions of a template,
// an average in half, and a histogram in local memory that native code on the host reads.
#include <sycl/sycl.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

using namespace sycl;

class xorshift {
 public:
  explicit xorshift(std::uint32_t seed) : state_(seed * 2654435761u + 1) {}
  std::uint32_t operator()() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    return state_ ^= state_ << 5;
  }
  template <typename T>
  T uniform() {
    return static_cast<T>((*this)() >> 8) / static_cast<T>(1 << 24);
  }

 private:
  std::uint32_t state_;
};

template <int Points>
int inside(std::uint32_t seed) {
  xorshift random(seed);
  int count = 0;
  for (int i = 0; i < Points; ++i) {
    const float x = random.uniform<float>(), y = random.uniform<float>();
    if (x * x + y * y < 1.0f) ++count;
  }
  return count;
}

int main() {
  constexpr unsigned n = 512;
  const device dev;
  const context ctx(dev);
  std::array<queue, 2> queues{
      queue(ctx, dev, property::queue::enable_profiling{}),
      queue(ctx, dev, {property::queue::enable_profiling(), property::queue::in_order()})};
  int* counts = malloc_device<int>(2 * n, queues[0]);
  std::array<event, 2> events;
  for (unsigned k = 0; k < 2; ++k)
    events[k] = queues[k].parallel_for(range(n), [=](id<1> i) {
      counts[k * n + i] = inside<100>(k * n + static_cast<unsigned>(i) + 1);
    });
  std::vector<int> host(2 * n);
  queues[1].memcpy(host.data(), counts, sizeof(int) * 2 * n, {events[0], events[1]}).wait();
  int hits = 0, expected = 0;
  for (unsigned i = 0; i < 2 * n; ++i) {
    hits += host[i];
    expected += inside<100>(i + 1);
  }
  const double pi = 4.0 * hits / (2 * n * 100);
  bool right = hits == expected && std::abs(pi - 3.14159) < 0.05;
  for (const event& e : events) {
    using namespace info::event_profiling;
    right &= e.get_profiling_info<command_submit>() <= e.get_profiling_info<command_start>() &&
             e.get_profiling_info<command_start>() <= e.get_profiling_info<command_end>();
  }
  if (!right)
    std::printf("monte_carlo: pi is %g with %d hits of %d, or times are out of order\n", pi, hits,
                expected);

  // The hits' histogram, one copy in local memory for each work-group.
  constexpr unsigned bins = 16;
  buffer<unsigned> histogram{range{bins}};
  queues[0].submit([&](handler& h) { h.fill(accessor{histogram, h, write_only, no_init}, 0u); });
  queues[0].submit([&](handler& h) {
    accessor all{histogram, h, read_write};
    local_accessor<unsigned> mine{bins, h};
    h.parallel_for(nd_range<1>{2 * n, 64}, [=](nd_item<1> it) {
      const auto group = it.get_group();
      for (unsigned b = static_cast<unsigned>(it.get_local_id(0)); b < bins; b += 64) mine[b] = 0;
      group_barrier(group);
      using counter = atomic_ref<unsigned, memory_order::relaxed, memory_scope::work_group,
                                 access::address_space::local_space>;
      counter(mine[static_cast<unsigned>(counts[it.get_global_linear_id()] / 7)]) += 1u;
      group_barrier(group);
      if (it.get_local_linear_id() < bins) {
        atomic_ref<unsigned, memory_order::relaxed, memory_scope::device> total{
            all[it.get_local_id()]};
        total.fetch_add(mine[it.get_local_id()]);
      }
    });
  });
  std::array<unsigned, bins> bins_expected{}, bins_got{};
  for (int count : host) ++bins_expected[static_cast<size_t>(count / 7)];
  queues[0]
      .submit([&](handler& h) {
        accessor all{histogram, h, read_only_host_task};
        h.host_task(
            [=, &bins_got](interop_handle) { std::copy_n(all.begin(), bins, bins_got.begin()); });
      })
      .wait();
  if (bins_got != bins_expected) {
    std::puts("monte_carlo: the histogram is wrong");
    right = false;
  }

  if (dev.has(aspect::fp16)) {
    half* mean = malloc_shared<half>(2, queues[0]);
    queues[0]
        .single_task([=] {
          half sum = 0;
          xorshift random(5);
          for (int i = 0; i < 64; ++i) sum += static_cast<half>(random.uniform<float>());
          mean[0] = sum / half(64);
          mean[1] = fmin(half{1.5f}, static_cast<half>(static_cast<float>(mean[0]) * 2));
        })
        .wait();
    const float got = mean[0];
    if (got < 0.3f || got > 0.7f || std::abs(static_cast<float>(mean[1]) - 2 * got) > 0.01f) {
      std::printf("monte_carlo: the mean is %g, twice that %g\n", double{got},
                  static_cast<double>(mean[1]));
      right = false;
    }
    free(mean, ctx);
  }
  free(counts, ctx);
  return right ? 0 : 1;
}
