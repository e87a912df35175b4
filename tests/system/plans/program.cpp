// SPDX-License-Identifier: Apache-2.0
// plans_program WHAT [PATH [HOW]]: records graphs, or loads what another process of it has saved. Prints
//   result HASH            of what was computed
//   planned N stored M     commands planned here, graphs whose plan came from a file
// or "error CODE: TEXT" for an exception.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

#include "report.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;
namespace pia = sycl::ext::pianola;
using modifiable = exp::command_graph<exp::graph_state::modifiable>;
using executable = exp::command_graph<exp::graph_state::executable>;

constexpr std::size_t rows = 24, columns = 40;

// Buffers of all that the graph works on.
struct field {
  explicit field(std::size_t width = columns, std::size_t page = 8)
      : now(sycl::range<2>(rows, width),
            {pia::property::buffer::page_size<2>(sycl::range<2>(page, width))}),
        next(sycl::range<2>(rows, width)),
        sum(sycl::range<1>(1)),
        copy(sycl::range<2>(rows, width)) {
    {
      sycl::host_accessor a(now, sycl::write_only, sycl::no_init);
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < width; ++j) a[i][j] = static_cast<float>((i * 7 + j * 3) % 11);
    }
    sycl::host_accessor s(sum, sycl::write_only, sycl::no_init);
    s[0] = 0.0F;
  }
  std::uint64_t hash() {
    std::uint64_t h = 0;
    const auto add = [&](auto& buffer) {
      const sycl::host_accessor a(buffer, sycl::read_only);
      h = hash_of(a.get_pointer(), a.byte_size(), h);
    };
    add(now);
    add(next);
    add(sum);
    add(copy);
    return h;
  }
  std::vector<pia::binding> names() {
    return {{"now", now}, {"next", next}, {"sum", sum}, {"copy", copy}};
  }

  sycl::buffer<float, 2> now, next;
  sycl::buffer<float, 1> sum;
  sycl::buffer<float, 2> copy;
};

// Kernels over ranges and groups, local memory, a reduction, a copy and a fill.
void record_field(modifiable& graph, sycl::queue& q, field& f, float factor) {
  graph.begin_recording(q);
  q.submit([&](sycl::handler& h) {
    const sycl::accessor from(f.now, h, sycl::read_only);
    const sycl::accessor to(f.next, h, sycl::write_only, sycl::no_init);
    h.parallel_for(from.get_range(), [=](sycl::id<2> i) {
      const std::size_t up = i[0] == 0 ? 0 : i[0] - 1;
      to[i] = factor * (from[i] + from[sycl::id<2>(up, i[1])]);
    });
  });
  q.submit([&](sycl::handler& h) {
    const sycl::accessor from(f.next, h, sycl::read_only);
    const sycl::accessor to(f.now, h, sycl::write_only, sycl::no_init);
    const sycl::local_accessor<float, 1> row(sycl::range<1>(8), h);
    h.parallel_for(sycl::nd_range<2>(from.get_range(), sycl::range<2>(1, 8)),
                   [=](sycl::nd_item<2> i) {
                     row[i.get_local_id(1)] = from[i.get_global_id()];
                     sycl::group_barrier(i.get_group());
                     to[i.get_global_id()] = row[7 - i.get_local_id(1)] + 0.5F;
                   });
  });
  q.submit([&](sycl::handler& h) {
    const sycl::accessor from(f.now, h, sycl::read_only);
    h.parallel_for(from.get_range(), sycl::reduction(f.sum, h, sycl::plus<>()),
                   [=](sycl::id<2> i, auto& sum) { sum += from[i]; });
  });
  q.submit([&](sycl::handler& h) {
    const sycl::accessor to(f.copy, h, sycl::write_only, sycl::no_init);
    h.fill(to, 3.0F);
  });
  q.submit([&](sycl::handler& h) {
    const sycl::accessor from(f.next, h, sycl::range<2>(8, f.next.get_range()[1]),
                              sycl::id<2>(4, 0), sycl::read_only);
    const sycl::accessor to(f.copy, h, sycl::range<2>(8, f.next.get_range()[1]), sycl::id<2>(0, 0),
                            sycl::write_only);
    h.copy(from, to);
  });
  graph.end_recording(q);
}

void replay(sycl::queue& q, executable& graph, int times = 3) {
  for (int i = 0; i < times; ++i) q.ext_oneapi_graph(graph);
  q.wait();
}

struct usm_memory {
  static constexpr std::size_t count = 256;
  explicit usm_memory(const sycl::queue& q)
      : queue(q),
        in(sycl::malloc_host<int>(count, q)),
        work(sycl::malloc_device<int>(count, q)),
        out(sycl::malloc_shared<int>(count, q)) {
    for (std::size_t i = 0; i < count; ++i) {
      in[i] = static_cast<int>(i * i % 101);
      out[i] = -1;
    }
  }
  usm_memory(const usm_memory&) = delete;
  usm_memory& operator=(const usm_memory&) = delete;
  ~usm_memory() {
    sycl::free(in, queue);
    sycl::free(work, queue);
    sycl::free(out, queue);
  }
  std::uint64_t hash() const { return hash_of(out, count * sizeof(int)); }
  std::vector<pia::binding> names() const { return {{"in", in}, {"work", work}, {"out", out}}; }

  sycl::queue queue;
  int *in, *work, *out;
};

// A structure of the program with pointers in it, offsets and ends.
struct span_of_ints {
  int *begin, *end;
};

void record_usm(modifiable& graph, sycl::queue& q, const usm_memory& m) {
  graph.begin_recording(q);
  const std::size_t n = usm_memory::count;
  const sycl::event copied = q.memcpy(m.work, m.in, n * sizeof(int));
  const sycl::event filled = q.fill(m.out, 7, n / 2);
  const span_of_ints upper{m.out + n / 2, m.out + n};
  int* const work = m.work;
  q.submit([&](sycl::handler& h) {
    h.depends_on({copied, filled});
    h.parallel_for(sycl::range<1>(n / 2), [=](sycl::id<1> i) {
      if (upper.begin + i[0] < upper.end) upper.begin[i[0]] = work[i[0]] * 2 + 1;
    });
  });
  graph.end_recording(q);
}

int on_buffers(const std::string& what, const std::string& path, const std::string& how) {
  sycl::queue q;
  const std::size_t width = how == "wide" ? columns * 2 : columns;
  field f(width, how == "pages" ? 12 : 8);
  if (what == "load") {
    auto names = f.names();
    if (how == "unbound") names.pop_back();
    if (how == "unknown") names.emplace_back("other", f.sum);
    if (how == "twice") names[1] = {"next", f.copy};
    if (how == "numbers") names = {{0, f.now}, {1, f.next}, {2, f.sum}, {3, f.copy}};
    sycl::property_list properties;
    if (how == "verify") properties = {pia::property::executable::verify()};
    executable graph = pia::load(path, q, names, properties);
    replay(q, graph);
    report(f.hash());
    return 0;
  }
  modifiable recorded(q);
  record_field(recorded, q, f, how == "factor" ? 0.25F : 0.5F);
  sycl::property_list properties{exp::property::graph::updatable()};
  if (what == "plan") properties = {pia::property::graph::plan(path)};
  executable graph = recorded.finalize(properties);
  if (what == "update") {
    // Other buffers: the plan that was stored is another graph's.
    field other(width, 12);
    modifiable second(q);
    record_field(second, q, other, 0.5F);
    graph.update(second);
    replay(q, graph);
    report(other.hash());
    return 0;
  }
  if (what == "write-plan") pia::write_plan(graph, path);
  if (what == "save")
    pia::save(graph, path, how == "unnamed" ? std::vector<pia::binding>() : f.names());
  replay(q, graph);
  report(f.hash());
  return 0;
}

int on_memory(const std::string& what, const std::string& path, const std::string& how) {
  sycl::queue q;
  const usm_memory m(q);
  if (what == "load-usm") {
    auto names = m.names();
    if (how == "kind") names[0] = {"in", m.work};
    if (how == "overlap") names[0] = {"in", m.out};
    int* const more = sycl::malloc_host<int>(usm_memory::count + 8, q);
    std::memcpy(more + 8, m.in, usm_memory::count * sizeof(int));
    if (how == "inside") names[0] = {"in", more + 8};
    if (how == "short") names[0] = {"in", more + 16};
    executable graph = pia::load(path, q, names);
    replay(q, graph);
    sycl::free(more, q);
    report(m.hash());
    return 0;
  }
  modifiable recorded(q);
  record_usm(recorded, q, m);
  executable graph = recorded.finalize();
  if (what == "save-usm") pia::save(graph, path, m.names());
  replay(q, graph);
  report(m.hash());
  return 0;
}

// Values of kernels that can be changed: a number, and a pointer.
struct changing_values {
  static constexpr std::size_t count = 64;
  explicit changing_values(const sycl::queue& q, float by)
      : queue(q),
        added(sycl::malloc_shared<int>(count, q)),
        other(sycl::malloc_shared<int>(count, q)),
        x(sycl::range<1>(count)),
        y(sycl::range<1>(count)),
        factor(by),
        from(added) {
    sycl::host_accessor a(x, sycl::write_only, sycl::no_init);
    for (std::size_t i = 0; i < count; ++i) {
      a[i] = static_cast<float>(i % 7);
      added[i] = static_cast<int>(i % 5);
      other[i] = -added[i];
    }
  }
  changing_values(const changing_values&) = delete;
  changing_values& operator=(const changing_values&) = delete;
  ~changing_values() {
    sycl::free(added, queue);
    sycl::free(other, queue);
  }
  void record(modifiable& graph, sycl::queue& q) {
    graph.begin_recording(q);
    for (int i = 0; i < 2; ++i)
      q.submit([&](sycl::handler& h) {
        const sycl::accessor a(x, h, sycl::read_only);
        const sycl::accessor b(y, h, sycl::read_write);
        const pia::dynamic_argument by(factor);
        const pia::dynamic_argument plus(from);
        h.parallel_for(sycl::range<1>(count), [=](sycl::id<1> k) {
          b[k] = 0.5F * b[k] + by.get() * a[k] + static_cast<float>(plus.get()[k[0]]);
        });
      });
    graph.end_recording(q);
  }
  std::vector<pia::binding> names() {
    return {{"x", x}, {"y", y}, {"added", added}, {"factor", factor}, {"from", from}};
  }
  // Replays from the same start, whatever was replayed before.
  void run(sycl::queue& q, executable& graph) {
    {
      const sycl::host_accessor b(y, sycl::write_only, sycl::no_init);
      for (std::size_t i = 0; i < count; ++i) b[i] = 0.0F;
    }
    replay(q, graph);
    const sycl::host_accessor b(y, sycl::read_only);
    report(hash_of(b.get_pointer(), b.byte_size()));
  }

  sycl::queue queue;
  int *added, *other;
  sycl::buffer<float> x, y;
  exp::dynamic_parameter<float> factor;
  exp::dynamic_parameter<int*> from;
};

int with_values(const std::string& what, const std::string& path, const std::string& how) {
  sycl::queue q;
  changing_values v(q, how == "quarter" ? 0.25F : 0.5F);
  if (what != "load-values") {
    modifiable recorded(q);
    v.record(recorded, q);
    executable graph = recorded.finalize();
    auto names = v.names();
    if (how == "twice") names.emplace_back("again", v.factor);
    const exp::dynamic_parameter<float> unused(1.0F);
    if (how == "unused") names.emplace_back("unused", unused);
    if (what == "save-values") pia::save(graph, path, names);
    if (how == "other") {
      for (std::size_t i = 0; i < changing_values::count; ++i) v.added[i] = v.other[i];
    }
    v.run(q, graph);
    return 0;
  }
  std::vector<pia::binding> names{{"x", v.x}, {"y", v.y}, {"added", v.added}};
  v.factor.update(0.25F);
  if (how == "bound") names.emplace_back("factor", v.factor);
  sycl::property_list properties{exp::property::graph::updatable()};
  if (how == "fixed") properties = {};
  executable graph = pia::load(path, q, names, properties);
  const exp::dynamic_parameter<double> large(0.25);
  if (how == "update" || how == "fixed" || how == "again") {
    replay(q, graph);  // under way while the value changes
    pia::update(graph, {{"factor", v.factor}});
  }
  if (how == "number") pia::update(graph, {{0, v.factor}});
  if (how == "size") pia::update(graph, {{"factor", large}});
  if (how == "unknown") pia::update(graph, {{"factor", v.factor}, {"other", v.factor}});
  if (how == "memory") pia::update(graph, {{"added", v.other}});
  if (how == "pointer") {
    v.from.update(v.other);
    pia::update(graph, {{"from", v.from}});
  }
  if (how == "whole") {
    modifiable recorded(q);
    v.record(recorded, q);
    graph.update(recorded);
  }
  if (how == "again") pia::save(graph, path + ".again", {{"added", v.added}});
  v.run(q, graph);
  return 0;
}

// Buffers that are not in a memory all the time: one that no replay leaves anything in, or three of which two have room.
int with_storage(const std::string& what, const std::string& path, const std::string& how) {
  sycl::queue q;
  constexpr std::size_t count = 4096;
  constexpr std::size_t bytes = count * sizeof(int);
  const bool evicts = what.find("evicted") != std::string::npos;
  sycl::property_list kind{pia::property::buffer::temporary()};
  if (evicts) kind = {pia::property::buffer::evictable()};
  if (how == "ordinary") kind = {};
  std::vector<sycl::buffer<int>> all;
  for (int i = 0; i < 3; ++i)
    all.emplace_back(sycl::range<1>(count), evicts || i == 1 ? kind : sycl::property_list());
  std::vector<pia::binding> names{{"a", all[0]}, {"b", all[1]}, {"c", all[2]}};
  const auto finish = [&](executable& graph) {
    replay(q, graph);
    std::uint64_t h = 0;
    for (const int i : {0, 2}) {
      const sycl::host_accessor a(all[static_cast<std::size_t>(i)], sycl::read_only);
      h = hash_of(a.get_pointer(), a.byte_size(), h);
    }
    report(h);
    const pia::graph_memory_use use = pia::get_memory_use(graph, q.get_device());
    std::printf("block %zu\npeak %zu\n", static_cast<std::size_t>(use.shared),
                static_cast<std::size_t>(use.peak));
    return 0;
  };
  if (what.find("load") == 0) {
    executable graph = pia::load(path, q, names, {pia::property::executable::verify()});
    return finish(graph);
  }
  sycl::property_list properties;
  if (evicts)
    properties = {
        pia::property::graph::memory_budget(how == "large" ? 4 * bytes : 2 * bytes + 1024)};
  modifiable recorded(q, properties);
  recorded.begin_recording(q);
  const auto step = [&](std::size_t from, std::size_t to, int plus) {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor a(all[from], h, sycl::read_only);
      const sycl::accessor b(all[to], h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { b[i] = 3 * a[i] + plus; });
    });
  };
  q.submit([&](sycl::handler& h) {
    const sycl::accessor a(all[0], h, sycl::write_only, sycl::no_init);
    h.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { a[i] = static_cast<int>(i[0]); });
  });
  step(0, 1, 1);
  step(1, 2, 2);
  step(2, 0, 3);
  recorded.end_recording(q);
  executable graph = recorded.finalize();
  pia::save(graph, path, names);
  return finish(graph);
}

// A loaded graph inside of another one, and saved again.
int nested(const std::string& path) {
  sycl::queue q;
  field f;
  executable loaded = pia::load(path, q, f.names());
  pia::save(loaded, path + ".again");
  modifiable outer(q);
  outer.add([&](sycl::handler& h) { h.ext_oneapi_graph(loaded); });
  executable graph = outer.finalize();
  replay(q, graph);
  report(f.hash());
  return 0;
}

// What cannot be saved, each for a reason of its own.
int refused(const std::string& path, const std::string& how) {
  sycl::queue q;
  sycl::buffer<int> b(sycl::range<1>(16));
  modifiable graph(q);
  std::vector<int> own(16, 1);
  const auto shared = std::make_shared<int>(5);
  graph.begin_recording(q);
  q.submit([&](sycl::handler& h) {
    const sycl::accessor a(b, h, sycl::write_only);
    if (how == "host-task") {
      h.host_task([=] { a[0] = 1; });
    } else if (how == "object") {
      h.parallel_for(sycl::range<1>(16), [=](sycl::id<1> i) { a[i] = *shared; });
    } else if (how == "pointer" || how == "any") {
      const int* const p = own.data();
      h.parallel_for(sycl::range<1>(16), [=](sycl::id<1> i) { a[i] = p[i[0]]; });
    } else {
      h.copy(own.data(), a);
    }
  });
  graph.end_recording(q);
  sycl::property_list properties;
  if (how == "any") properties = {pia::property::executable::any_arguments()};
  pia::save(graph.finalize(), path, {}, properties);
  std::printf("saved\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "run", path = argc > 2 ? argv[2] : "",
                    how = argc > 3 ? argv[3] : "";
  try {
    if (what == "nested") return nested(path);
    if (what == "refused") return refused(path, how);
    if (what.find("constants") != std::string::npos) return with_constants(what, path, how);
    if (what.find("image") != std::string::npos) return with_images(what, path, how);
    if (what.find("loops") != std::string::npos) return with_loops(what, path, how);
    if (what.find("values") != std::string::npos) return with_values(what, path, how);
    if (what.find("temporary") != std::string::npos || what.find("evicted") != std::string::npos)
      return with_storage(what, path, how);
    if (what.find("usm") != std::string::npos) return on_memory(what, path, how);
    return on_buffers(what, path, how);
  } catch (const sycl::exception& e) {
    std::printf("error %d: %s\n", e.code().value(), e.what());
    return 3;
  }
}
