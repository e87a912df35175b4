// SPDX-License-Identifier: Apache-2.0
// Kernels that are submitted before main and from the destructors of static objects, where the main thread's
// thread_local objects have gone and the runtime's threads have ended.
#include <optional>

#include <sycl/sycl.hpp>

#include "print.hpp"

namespace {

constexpr std::size_t n = 1000, group = 50;

struct player {
  explicit player(const char* n) : name(n) {}
  ~player() {
    play(name);
    sycl::free(numbers, *queue);
  }
  player(const player&) = delete;
  player& operator=(const player&) = delete;

  void prepare() {
    queue.emplace(sycl::property::queue::in_order());
    buffer.emplace(sycl::range<1>(n));
    numbers = sycl::malloc_shared<int>(n, *queue);
    queue->fill(numbers, 1, n);
    queue->submit([&](sycl::handler& h) {
      sycl::accessor a{*buffer, h, sycl::write_only, sycl::no_init};
      h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { a[i] = static_cast<int>(i[0]); });
    });
  }
  void play(const char* when) {
    if (!queue) prepare();
    int* p = numbers;
    queue->submit([&](sycl::handler& h) {
      sycl::accessor a{*buffer, h};
      h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { p[i] += a[i]; });
    });
    queue->submit([&](sycl::handler& h) {
      sycl::accessor a{*buffer, h};
      sycl::local_accessor<int> tile{group, h};
      h.parallel_for(sycl::nd_range<1>(n, group), [=](sycl::nd_item<1> it) {
        const std::size_t here = it.get_local_id(0);
        tile[here] = p[it.get_global_id(0)];
        sycl::group_barrier(it.get_group());
        int next = tile[(here + 1) % group];
        sycl::group_barrier(it.get_group());
        next += sycl::reduce_over_group(it.get_group(), tile[here], sycl::plus<>());
        a[it.get_global_id(0)] = next % 1000;
      });
    });
    queue->wait();
    sycl::host_accessor a{*buffer};
    std::vector<int> both(numbers, numbers + n);
    for (std::size_t i = 0; i < n; ++i) both.push_back(a[i]);
    print(when, both);
    std::fflush(stdout);
  }

  const char* name;
  std::optional<sycl::queue> queue;
  std::optional<sycl::buffer<int>> buffer;
  int* numbers = nullptr;
};

player first("first");    // its destructor is the last of all, and uses what main has made
player unused("unused");  // everything it has is made in its destructor

struct early {
  early() {
    player p("before main, at the end of a scope");
    p.play("before main");
  }
} before_main;

}  // namespace

int main() {
  static player local("in main");
  local.play("main");
  first.play("main");
}
