// SPDX-License-Identifier: Apache-2.0
// saved_parts save FILE             runs a graph with kernels in parts, and saves it
// saved_parts whole                 runs it with whole kernels
// saved_parts run                   runs it in parts where that pays
// saved_parts load FILE [HOW]       runs what was saved; HOW: bound, update (another weight), count (for other elements)
// Prints whether the bytes are those of the same commands submitted eagerly to one device, and what was planned.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <sycl/sycl.hpp>

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
namespace pia = sycl::ext::pianola;
using pia::property::graph::place;
using pia::property::graph::split;

constexpr std::size_t n = 96;
constexpr int replays = 3;

std::vector<float> some_numbers() {
  std::vector<float> v(n * n);
  for (std::size_t i = 0; i < v.size(); ++i)
    v[i] = static_cast<float>((i * 2654435761U >> 8) % 1000) / 997.0F;
  return v;
}

struct heat {
  std::vector<float> in = some_numbers();
  sycl::buffer<float, 2> a{in.data(), {n, n}}, b{{n, n}};
  sycl::buffer<float, 2> sum{{n, n}};
  graphs::dynamic_parameter<float> weight{0.25F};
  graphs::dynamic_parameter<std::size_t> rows{n};

  void step(sycl::queue& q, sycl::buffer<float, 2>& from, sycl::buffer<float, 2>& to) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(from, h, sycl::read_only);
      sycl::accessor y(to, h, sycl::write_only);
      const pia::dynamic_argument w(weight);
      h.parallel_for(sycl::range<2>(n, n), [=](sycl::id<2> i) {
        const std::size_t r = i[0], c = i[1];
        if (r > 0 && r < n - 1 && c > 0 && c < n - 1)
          y[r][c] = w.get() * (x[r - 1][c] + x[r + 1][c] + x[r][c - 1] + x[r][c + 1]);
        else
          y[r][c] = x[r][c];
      });
    });
  }
  void submit(sycl::queue& q) {
    step(q, a, b);
    step(q, b, a);
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(a, h, sycl::read_only);
      sycl::accessor y(sum, h, sycl::read_write);
      const pia::dynamic_argument some(rows);
      h.parallel_for(sycl::range<2>(n, n), [=](sycl::id<2> i) {
        if (i[0] < some.get()) y[i] += x[i];
      });
    });
  }
  void clear() {
    sycl::host_accessor s(sum, sycl::write_only, sycl::no_init);
    std::memset(&s[0][0], 0, n * n * sizeof(float));
  }
  std::vector<float> result() {
    sycl::host_accessor r(a, sycl::read_only), s(sum, sycl::read_only);
    std::vector<float> all(&r[0][0], &r[0][0] + n * n);
    all.insert(all.end(), &s[0][0], &s[0][0] + n * n);
    return all;
  }
  std::vector<pia::binding> names() {
    return {{"a", a}, {"b", b}, {"sum", sum}, {"weight", weight}, {"rows", rows}};
  }
};

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "", path = argc > 2 ? argv[2] : "",
                    how = argc > 3 ? argv[3] : "";
  heat eager, here;
  for (heat* const one : {&eager, &here}) one->clear();
  const float weight = how == "bound" || how == "update" ? 0.125F : 0.25F;
  eager.weight.update(weight);
  sycl::queue one{sycl::device::get_devices()[0]};
  for (int i = 0; i < replays; ++i) eager.submit(one);

  const sycl::context all(sycl::device::get_devices());
  sycl::queue q(all, sycl::device::get_devices()[0]);
  const auto finish = [&](auto graph) {
    for (int i = 0; i < replays; ++i) q.ext_oneapi_graph(graph).wait();
    const auto counted = pia::get_statistics();
    const std::vector<float> a = eager.result(), b = here.result();
    const bool same = std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
    std::printf("%s, %s\n", same ? "same bytes" : "OTHER BYTES",
                counted.planned_commands != 0 ? "planned" : "nothing planned");
    return same ? 0 : 1;
  };
  if (what != "load") {
    const split how_much(what == "save"    ? split::always
                         : what == "whole" ? split::never
                                           : split::where_it_pays);
    graphs::command_graph graph(q, {place(place::anywhere), how_much});
    graph.begin_recording(q);
    here.submit(q);
    graph.end_recording();
    auto made = graph.finalize();
    if (what == "save") pia::save(made, path, here.names());
    return finish(made);
  }
  std::vector<pia::binding> names{{"a", here.a}, {"b", here.b}, {"sum", here.sum}};
  here.weight.update(weight);
  if (how == "bound") names.emplace_back("weight", here.weight);
  auto loaded = pia::load(
      path, q, names, {graphs::property::graph::updatable(), pia::property::executable::verify()});
  if (how == "update") pia::update(loaded, {{"weight", here.weight}});
  if (how == "count") {
    try {
      here.rows.update(n / 2);
      pia::update(loaded, {{"weight", here.weight}, {"rows", here.rows}});
      std::printf("taken\n");
    } catch (const sycl::exception& e) {
      std::printf("%s\n", e.what());
    }
  }
  if (how == "whole") {
    try {
      graphs::command_graph graph(q);
      graph.begin_recording(q);
      here.submit(q);
      graph.end_recording();
      loaded.update(graph);
      std::printf("taken\n");
    } catch (const sycl::exception& e) {
      std::printf("%s\n", e.what());
    }
  }
  return finish(loaded);
}
