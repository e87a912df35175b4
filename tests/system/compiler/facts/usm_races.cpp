// SPDX-License-Identifier: Apache-2.0
// usm_races HOW eager|recorded: kernels that work on USM, in the right order or not, within allocations or not.
#include <cstdio>
#include <string>

#include <sycl/sycl.hpp>

namespace graphs = sycl::ext::oneapi::experimental;

int main(int, char** words) {
  const std::string how = words[1];
  const bool recorded = std::string(words[2]) == "recorded";
  sycl::queue q;
  constexpr std::size_t n = 1024;
  float* a = sycl::malloc_device<float>(n, q);
  float* b = sycl::malloc_device<float>(n, q);
  graphs::command_graph graph(q);
  if (recorded) graph.begin_recording(q);
  const sycl::event written = q.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { a[i] = 1; });
  const auto doubled = [&](std::size_t from, std::size_t to, bool ordered) {
    return q.submit([&](sycl::handler& h) {
      if (ordered) h.depends_on(written);
      h.parallel_for(sycl::range<1>(to - from),
                     [=](sycl::id<1> i) { b[i + from] = a[i + from] * 2; });
    });
  };
  if (how == "in_order") {
    const sycl::event first = doubled(0, n, true);
    q.submit([&](sycl::handler& h) {
      h.depends_on(first);
      h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { a[i] = b[i]; });
    });
  }
  if (how == "disjoint_halves" || how == "overlapping_halves") {
    doubled(0, how == "disjoint_halves" ? n / 2 : n / 2 + 1, true);
    doubled(n / 2, n, true);
  }
  if (how == "no_order") doubled(0, n, false);
  // What malloc rounds this up to is there: nothing breaks.
  constexpr std::size_t odd = 1001;
  char* c = sycl::malloc_device<char>(odd, q);
  if (how == "written_behind_its_end")
    q.parallel_for(sycl::range<1>(odd + 2), [=](sycl::id<1> i) { c[i] = 1; });
  if (how == "read_behind_its_end")
    q.submit([&](sycl::handler& h) {
      h.depends_on(written);
      h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { b[i] = a[i] + a[i + 1]; });
    });
  if (how == "read_in_front_of_it")
    q.submit([&](sycl::handler& h) {
      h.depends_on(written);
      const float* before = a + 8;
      h.parallel_for(sycl::range<1>(n),
                     [=](sycl::id<1> i) { b[i] = before[i - 8] - before[i - 10]; });
    });
  if (how == "all_in_front_of_its_end" || how == "in_front_of_its_end_and_no_order") {
    const float* end = a + n;
    q.submit([&](sycl::handler& h) {
      if (how == "all_in_front_of_its_end") h.depends_on(written);
      h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { b[i] = (end - n)[i]; });
    });
  }
  if (how.rfind("buffer", 0) == 0) {
    // What is in others before a graph runs is not known of the graph.
    sycl::property_list kept_by_graph;
    if (recorded) kept_by_graph = {sycl::ext::pianola::property::buffer::temporary()};
    sycl::buffer<float> x{sycl::range<1>(n), kept_by_graph}, y{sycl::range<1>(n), kept_by_graph};
    q.submit([&](sycl::handler& h) {
      sycl::accessor to{x, h, sycl::range<1>(100), sycl::write_only, sycl::no_init};
      h.parallel_for(sycl::range<1>(100), [=](sycl::id<1> i) { to[i] = 1; });
    });
    // Behind what it writes, or all of it.
    const std::size_t count = how == "buffer_read_beyond_what_is_written" ? n - 20 : 90;
    q.submit([&](sycl::handler& h) {
      sycl::accessor from{x, h, sycl::read_only};
      sycl::accessor to{y, h, sycl::write_only, sycl::no_init};
      h.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { to[i] = from[i + 10]; });
    });
    if (!recorded) q.wait();
    if (recorded) graph.end_recording(q);
    if (recorded) graph.finalize();
    return 0;
  }
  if (how == "read_by_a_copy") q.memcpy(b + 1000, a + 1000, sizeof(float));
  if (recorded) {
    graph.end_recording(q);
    q.ext_oneapi_graph(graph.finalize());
  }
  q.wait();
  sycl::free(a, q);
  sycl::free(b, q);
  sycl::free(c, q);
  return 0;
}
