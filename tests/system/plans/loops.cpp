// SPDX-License-Identifier: Apache-2.0
// Graphs with loops and branches, on buffers and memory that only what they run works on, and loops in loops.
#include <cstdint>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

#include "report.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;
namespace pia = sycl::ext::pianola;
using modifiable = exp::command_graph<exp::graph_state::modifiable>;
using executable = exp::command_graph<exp::graph_state::executable>;

struct numbers {
  static constexpr std::size_t count = 64;
  explicit numbers(const sycl::queue& q)
      : queue(q),
        x(sycl::range<1>(count)),
        y(sycl::range<1>(count)),
        left(sycl::range<1>(1)),
        chosen(sycl::range<1>(1)),
        seen(sycl::malloc_shared<int>(count, q)),
        odd(sycl::malloc_host<int>(1, q)) {
    *odd = 0;
    for (std::size_t i = 0; i < count; ++i) seen[i] = 0;
  }
  numbers(const numbers&) = delete;
  numbers& operator=(const numbers&) = delete;
  ~numbers() {
    sycl::free(seen, queue);
    sycl::free(odd, queue);
  }
  std::vector<pia::binding> names() {
    return {{"x", x}, {"y", y}, {"left", left}, {"chosen", chosen}, {"seen", seen}, {"odd", odd}};
  }
  std::uint64_t hash() {
    std::uint64_t h = hash_of(seen, count * sizeof(int));
    for (auto* b : {&x, &y}) {
      const sycl::host_accessor a(*b, sycl::read_only);
      h = hash_of(a.get_pointer(), a.byte_size(), h);
    }
    return h;
  }

  sycl::queue queue;
  sycl::buffer<float> x, y;
  sycl::buffer<int> left;
  sycl::buffer<std::int16_t> chosen;
  int *seen, *odd;
};

// x = by * x + plus, in a graph of its own.
executable scaled(numbers& n, float by, float plus) {
  modifiable g(n.queue);
  g.add([&](sycl::handler& h) {
    const sycl::accessor a(n.x, h);
    h.parallel_for(sycl::range<1>(numbers::count), [=](sycl::id<1> i) { a[i] = by * a[i] + plus; });
  });
  return g.finalize();
}

// As often as `left` says, and in each iteration two runs of a graph of its own, and one where `odd` is set.
executable counted_down(numbers& n) {
  modifiable g(n.queue);
  const exp::node inner =
      g.add([&](sycl::handler& h) { pia::add_repeat(h, 2, scaled(n, 0.5F, 3)); });
  int *const odd = n.odd, *const seen = n.seen;
  const exp::node down = g.add(
      [&](sycl::handler& h) {
        const sycl::accessor left(n.left, h);
        h.single_task([=] {
          *odd = left[0] & 1;
          left[0] -= 1;
        });
      },
      {exp::property::node::depends_on(inner)});
  modifiable noted(n.queue);
  noted.add([&](sycl::handler& h) {
    const sycl::accessor left(n.left, h, sycl::read_only);
    const sycl::accessor y(n.y, h, sycl::write_only);
    h.single_task([=] {
      seen[left[0]] += 1;
      y[left[0]] = 0.25F;
    });
  });
  g.add([&](sycl::handler& h) { pia::add_if(h, odd, noted.finalize()); },
        {exp::property::node::depends_on(down)});
  return g.finalize();
}

executable recorded(numbers& n) {
  modifiable g(n.queue);
  g.begin_recording(n.queue);
  const sycl::event begun = n.queue.submit([&](sycl::handler& h) {
    const sycl::accessor x(n.x, h, sycl::write_only);
    const sycl::accessor y(n.y, h, sycl::write_only);
    const sycl::accessor left(n.left, h, sycl::write_only);
    const sycl::accessor chosen(n.chosen, h, sycl::write_only);
    h.parallel_for(sycl::range<1>(numbers::count), [=](sycl::id<1> i) {
      x[i] = static_cast<float>(i[0]);
      y[i] = -1;
      if (i[0] != 0) return;
      left[0] = 7;
      chosen[0] = 1;
    });
  });
  const auto after = [&](const sycl::event& e, auto&& add) {
    return n.queue.submit([&](sycl::handler& h) {
      h.depends_on(e);
      add(h);
    });
  };
  sycl::event last =
      after(begun, [&](sycl::handler& h) { pia::add_repeat(h, 3, scaled(n, 1.5F, 1)); });
  last = after(last, [&](sycl::handler& h) { pia::add_while(h, n.left, counted_down(n)); });
  after(last, [&](sycl::handler& h) {
    pia::add_switch(h, n.chosen, {scaled(n, 2, 0), scaled(n, 2, 5), scaled(n, 2, 9)});
  });
  g.end_recording(n.queue);
  return g.finalize();
}

}  // namespace

int with_loops(const std::string& what, const std::string& path, const std::string& how) {
  sycl::queue q;
  numbers n(q);
  const auto replayed = [&](executable graph) {
    for (int i = 0; i < 3; ++i) q.ext_oneapi_graph(graph).wait();
    report(n.hash());
    return 0;
  };
  if (what == "load-loops") {
    sycl::property_list properties;
    if (how == "verify") properties = {pia::property::executable::verify()};
    executable graph = pia::load(path, q, n.names(), properties);
    if (how == "again") pia::save(graph, path + ".again", {{"seen", n.seen}, {"odd", n.odd}});
    return replayed(graph);
  }
  executable graph = recorded(n);
  if (what == "save-loops") pia::save(graph, path, n.names());
  return replayed(graph);
}
