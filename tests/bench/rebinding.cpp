// SPDX-License-Identifier: Apache-2.0
// Launches of one graph on other buffers, several in flight, times of nodes; and what graphs of many sizes cost.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <sycl/ext/pianola/graph_parameter.hpp>
#include <sycl/sycl.hpp>

#include "comparison.hpp"

namespace bench {

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
namespace pia = sycl::ext::pianola;
using modifiable_graph = graphs::command_graph<graphs::graph_state::modifiable>;
using executable_graph = graphs::command_graph<graphs::graph_state::executable>;
using field = sycl::buffer<float, 2>;

void add_step(modifiable_graph& g, field& from, field& to, std::size_t n) {
  g.add([&](sycl::handler& h) {
    sycl::accessor a{from, h, sycl::read_only};
    sycl::accessor b{to, h, sycl::read_write};
    h.parallel_for(sycl::range<2>(n - 2, n - 2), [=](sycl::id<2> at) {
      const std::size_t i = at[0] + 1, k = at[1] + 1;
      b[i][k] = 0.25F * (a[i - 1][k] + a[i + 1][k] + a[i][k - 1] + a[i][k + 1]);
    });
  });
}

struct two_fields {
  explicit two_fields(std::size_t n) : x{sycl::range<2>(n, n)}, y{sycl::range<2>(n, n)} {
    sycl::host_accessor a{x, sycl::write_only}, b{y, sycl::write_only};
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k) a[i][k] = b[i][k] = static_cast<float>((i * 7 + k) % 13);
  }
  double sum() {
    sycl::host_accessor a{x, sycl::read_only};
    double all = 0;
    for (const float v : a) all += static_cast<double>(v);
    return all;
  }
  sycl::queue q;
  field x, y;
};

subject by_parameters(std::size_t n) {
  auto f = std::make_shared<two_fields>(n);
  modifiable_graph g(f->q);
  pia::graph_parameter<field> from{sycl::range<2>(n, n)}, to{sycl::range<2>(n, n)};
  add_step(g, *from, *to, n);
  const executable_graph e = g.finalize();
  return {[=](std::uint64_t units) mutable {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) {
                f->q.ext_oneapi_graph(e, {from = f->x, to = f->y});
                f->q.ext_oneapi_graph(e, {from = f->y, to = f->x});
              }
              f->q.wait();
            });
          },
          [f] { return f->sum(); }};
}

subject of_two_steps(std::size_t n) {
  auto f = std::make_shared<two_fields>(n);
  modifiable_graph g(f->q);
  add_step(g, f->x, f->y, n);
  add_step(g, f->y, f->x, n);
  const executable_graph e = g.finalize();
  return {[=](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) f->q.ext_oneapi_graph(e);
              f->q.wait();
            });
          },
          [f] { return f->sum(); }};
}

// A chain of kernels on one buffer, and one kernel that reads a parameter. Launched on one buffer, or on three in turns: more
// than there are generations that wait for them.
subject rebound(std::size_t nodes, std::size_t buffers) {
  using floats = sycl::buffer<float>;
  sycl::queue q;
  modifiable_graph g(q);
  pia::graph_parameter<floats> p{sycl::range<1>(64)};
  auto all = std::make_shared<std::vector<floats>>();
  for (std::size_t i = 0; i < buffers; ++i) {
    all->emplace_back(sycl::range<1>(64));
    sycl::host_accessor{all->back()}[0] = 1;
  }
  floats stays{sycl::range<1>(64)};
  for (std::size_t i = 0; i < nodes; ++i)
    g.add([&](sycl::handler& h) {
      sycl::accessor s{stays, h};
      h.parallel_for(64, [=](sycl::id<1> k) { s[k] = s[k] * 0.5F + 1; });
    });
  g.add([&](sycl::handler& h) {
    sycl::accessor s{stays, h};
    sycl::accessor a{*p, h, sycl::read_only};
    h.parallel_for(64, [=](sycl::id<1> k) { s[k] += a[k]; });
  });
  const executable_graph e = g.finalize();
  return {[=](std::uint64_t units) mutable {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i)
                q.ext_oneapi_graph(e, {p = (*all)[i % all->size()]}).wait();
            });
          },
          {}};
}

// 100 kernels of about 10 us, one after the other.
subject of_ten_microseconds(const sycl::property_list& properties) {
  using floats = sycl::buffer<float>;
  sycl::queue q;
  modifiable_graph g(q);
  floats x{sycl::range<1>(4096)};
  {
    sycl::host_accessor a{x};
    for (float& v : a) v = 1;
  }
  for (int i = 0; i < 100; ++i)
    g.add([&](sycl::handler& h) {
      sycl::accessor a{x, h};
      h.parallel_for(4096, [=](sycl::id<1> k) {
        float v = a[k];
        for (int n = 0; n < 32; ++n) v = v * 0.75F + 0.25F;
        a[k] = v;
      });
    });
  const executable_graph e = g.finalize(properties);
  return {[=](std::uint64_t units) mutable {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) q.ext_oneapi_graph(e).wait();
            });
          },
          {}};
}

// Launches that share nothing, through one executable graph or through several.
subject in_flight(std::uint32_t count, bool clones) {
  using floats = sycl::buffer<float>;
  sycl::queue q;
  modifiable_graph g(q);
  pia::graph_parameter<floats> p{sycl::range<1>(1 << 14)};
  auto all = std::make_shared<std::vector<floats>>();
  for (std::uint32_t i = 0; i < count; ++i) {
    all->emplace_back(sycl::range<1>(1 << 14));
    sycl::host_accessor{all->back()}[0] = 1;
  }
  for (int i = 0; i < 10; ++i)
    g.add([&](sycl::handler& h) {
      sycl::accessor a{*p, h};
      h.parallel_for(1 << 14, [=](sycl::id<1> k) { a[k] = a[k] * 0.5F + 1; });
    });
  std::vector<executable_graph> made;
  for (std::uint32_t i = 0; i < (clones ? count : 1); ++i)
    made.push_back(clones ? g.finalize() : g.finalize({pia::property::graph::in_flight(count)}));
  return {[=](std::uint64_t units) mutable {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i)
                q.ext_oneapi_graph(made[i % made.size()], {p = (*all)[i % all->size()]});
              q.wait();
            });
          },
          {}};
}

// Nanoseconds for each node of a chain of so many over 16 buffers.
enum class part : unsigned char { record, finalize, first_launch, launch, update, rebind };

subject of_size(std::size_t nodes, part what) {
  struct made_graph {
    std::unique_ptr<modifiable_graph> g;
    std::vector<sycl::buffer<float>> buffers, others;
    std::unique_ptr<pia::graph_parameter<sycl::buffer<float>>> p;
    std::unique_ptr<graphs::dynamic_parameter<float>> by;  // of all nodes
    std::uint64_t updates = 0;
    std::vector<executable_graph> e;
  };
  auto m = std::make_shared<made_graph>();
  sycl::queue q;
  for (int i = 0; i < 16; ++i) m->buffers.emplace_back(sycl::range<1>(64));
  for (int i = 0; i < 3; ++i) {
    m->others.emplace_back(sycl::range<1>(64));
    sycl::host_accessor{m->others.back()}[0] = 1;
  }
  if (what == part::rebind)
    m->p = std::make_unique<pia::graph_parameter<sycl::buffer<float>>>(sycl::range<1>(64));
  auto record = [m, q, nodes, what]() mutable {
    m->g = std::make_unique<modifiable_graph>(q);
    if (what == part::update)
      m->by = std::make_unique<graphs::dynamic_parameter<float>>(*m->g, 0.5F);
    m->g->begin_recording(q);
    for (std::size_t i = 0; i < nodes; ++i)
      q.submit([&](sycl::handler& h) {
        sycl::accessor a{m->buffers[i % 16], h, sycl::read_only};
        sycl::accessor b{m->p != nullptr && i == 0 ? **m->p : m->buffers[(i + 1) % 16], h};
        if (what != part::update)
          return h.parallel_for(64, [=](sycl::id<1> k) { b[k] += 0.5F * a[k]; });
        const pia::dynamic_argument by(*m->by);
        h.parallel_for(64, [=](sycl::id<1> k) { b[k] += by * a[k]; });
      });
    m->g->end_recording();
  };
  if (what != part::record) record();
  if (what == part::launch || what == part::rebind) m->e.push_back(m->g->finalize());
  if (what == part::update) m->e.push_back(m->g->finalize({graphs::property::graph::updatable()}));
  return {[=](std::uint64_t units) mutable {
            double all = 0;
            for (std::uint64_t i = 0; i < units; ++i) {
              if (what == part::first_launch) m->e.assign(1, m->g->finalize());
              if (what == part::update) m->by->update(static_cast<float>(++m->updates % 7));
              all += nanoseconds_of([&] {
                if (what == part::record)
                  record();
                else if (what == part::finalize)
                  m->e.assign(1, m->g->finalize());
                else if (what == part::update)
                  m->e[0].update(*m->g);
                else if (what == part::rebind)
                  q.ext_oneapi_graph(m->e[0], {* m->p = m->others[i % 3]}).wait();
                else
                  q.ext_oneapi_graph(m->e[0]).wait();
              });
            }
            return all / static_cast<double>(nodes);
          },
          {}};
}

}  // namespace

void add_rebinding(std::vector<comparison>& all) {
  const auto add = [&](std::string name, const char* unit, double per_nanosecond,
                       std::uint64_t units, std::function<subject()> ours,
                       const char* reference_name, std::function<subject()> reference,
                       target goal) {
    comparison c;
    c.name = std::move(name);
    c.unit = unit;
    c.per_nanosecond = per_nanosecond;
    c.units = units;
    c.warm_up = units;
    c.rounds = 11;
    c.ours = std::move(ours);
    c.reference_name = reference_name;
    c.reference = std::move(reference);
    c.goal = goal;
    all.push_back(std::move(c));
  };
  for (const std::size_t n : {256, 1024})
    add(
        "rebind/ping_pong_" + std::to_string(n), "us/pair", 1e-3, 40,
        [n] { return by_parameters(n); }, "graph of both steps", [n] { return of_two_steps(n); },
        ratio_at_most(1.05));
  for (const std::size_t n : {10, 1000})
    add(
        "rebind/1_of_" + std::to_string(n) + "_nodes", "us/launch", 1e-3, 50,
        [n] { return rebound(n, 3); }, "the same buffer each time", [n] { return rebound(n, 1); },
        difference_at_most(5));
  add(
      "rebind/4_in_flight", "us/launch", 1e-3, 64, [] { return in_flight(4, false); },
      "4 executable graphs", [] { return in_flight(4, true); }, ratio_at_most(1.1));
  add(
      "node_times/kernels_of_10us", "us/launch", 1e-3, 10,
      [] { return of_ten_microseconds({graphs::property::graph::enable_profiling()}); },
      "without times", [] { return of_ten_microseconds({}); }, ratio_at_most(1.05));
  const struct {
    const char* name;
    part what;
  } parts[] = {
      {"record", part::record}, {"finalize", part::finalize}, {"first_launch", part::first_launch},
      {"launch", part::launch}, {"update", part::update},     {"rebind", part::rebind}};
  for (const auto& p : parts)
    for (const std::size_t n : {10, 100, 10000, 100000})
      add(
          "graph_size/" + std::string(p.name) + "_" + std::to_string(n), "ns/node", 1,
          n > 1000 ? 1 : 20, [n, what = p.what] { return of_size(n, what); }, "1000 nodes",
          [what = p.what] { return of_size(1000, what); }, n > 1000 ? ratio_at_most(2) : target{});
}

}  // namespace bench
