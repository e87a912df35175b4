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

namespace {

namespace exp = sycl::ext::oneapi::experimental;
namespace pia = sycl::ext::pianola;
using modifiable = exp::command_graph<exp::graph_state::modifiable>;
using executable = exp::command_graph<exp::graph_state::executable>;

constexpr std::size_t rows = 24, columns = 40;

std::uint64_t hash_of(const void* data, std::size_t bytes, std::uint64_t h = 0xcbf29ce484222325U) {
  const auto* p = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) h = (h ^ p[i]) * 0x100000001b3U;
  return h;
}

void report(std::uint64_t hash) {
  const pia::statistics s = pia::get_statistics();
  std::printf("result %016llx\nplanned %llu stored %llu\n", static_cast<unsigned long long>(hash),
              static_cast<unsigned long long>(s.planned_commands),
              static_cast<unsigned long long>(s.stored_plans));
}

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
    if (what.find("usm") != std::string::npos) return on_memory(what, path, how);
    return on_buffers(what, path, how);
  } catch (const sycl::exception& e) {
    std::printf("error %d: %s\n", e.code().value(), e.what());
    return 3;
  }
}
