// SPDX-License-Identifier: Apache-2.0
// What work-items are told about themselves, in kernels that run in parts on all devices of the context and in the same ones
// that run whole: prints how many numbers differ. PIANOLA_LOG=info tells which of the twelve kernels were cut.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <pianola/runtime/statistics.hpp>

#include <sycl/sycl.hpp>

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
using sycl::ext::pianola::property::graph::place;
using sycl::ext::pianola::property::graph::split;

constexpr std::size_t numbers = 16;
using told = sycl::marray<std::uint64_t, numbers>;

template <int Dimensions>
void add(told& to, std::size_t& at, const sycl::id<Dimensions>& x) {
  for (int d = 0; d < Dimensions; ++d) to[at++] = x[d];
}
template <int Dimensions>
void add(told& to, std::size_t& at, const sycl::range<Dimensions>& x) {
  for (int d = 0; d < Dimensions; ++d) to[at++] = x[d];
}

template <int Dimensions>
sycl::range<Dimensions> space() {
  if constexpr (Dimensions == 1)
    return {60};
  else if constexpr (Dimensions == 2)
    return {20, 12};
  else
    return {10, 4, 10};
}
template <int Dimensions>
sycl::range<Dimensions> group() {
  if constexpr (Dimensions == 1)
    return {5};
  else if constexpr (Dimensions == 2)
    return {2, 3};
  else
    return {1, 2, 5};
}

// The global id, in words that the compiler follows in every dimension.
template <int Dimensions>
sycl::id<Dimensions> place_of(const sycl::nd_item<Dimensions>& it) {
  sycl::id<Dimensions> at;
  for (int d = 0; d < Dimensions; ++d)
    at[d] = it.get_group(d) * group<Dimensions>()[d] + it.get_local_id(d);
  return at;
}

template <int Dimensions>
class items {
 public:
  static constexpr int dimensions = Dimensions;
  static void submit(sycl::queue& q, sycl::buffer<told, Dimensions>& to) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
      h.parallel_for(space<Dimensions>(), [=](sycl::item<Dimensions> it) {
        told t(0);
        std::size_t at = 0;
        add(t, at, it.get_id());
        add(t, at, it.get_range());
        t[at++] = it.get_linear_id();
        out[it.get_id()] = t;
      });
    });
  }
};

// The deprecated form.
template <int Dimensions>
class items_with_offset {
 public:
  static constexpr int dimensions = Dimensions;
  static void submit(sycl::queue& q, sycl::buffer<told, Dimensions>& to) {
    sycl::id<Dimensions> offset;
    for (int d = 0; d < Dimensions; ++d) offset[d] = 1 + static_cast<std::size_t>(d);
    sycl::range<Dimensions> inner = space<Dimensions>();
    for (int d = 0; d < Dimensions; ++d) inner[d] -= offset[d];
    q.submit([&](sycl::handler& h) {
      sycl::accessor out(to, h, sycl::read_write);
      h.parallel_for(inner, offset, [=](sycl::item<Dimensions> it) {
        told t(0);
        std::size_t at = 0;
        add(t, at, it.get_id());
        add(t, at, it.get_range());
        add(t, at, it.get_offset());
        t[at++] = it.get_linear_id();
        out[it.get_id()] = t;
      });
    });
  }
};

template <int Dimensions>
class groups {
 public:
  static constexpr int dimensions = Dimensions;
  static void submit(sycl::queue& q, sycl::buffer<told, Dimensions>& to) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::nd_range<Dimensions>(space<Dimensions>(), group<Dimensions>()),
                     [=](sycl::nd_item<Dimensions> it) {
                       told t(0);
                       std::size_t at = 0;
                       add(t, at, it.get_global_id());
                       add(t, at, it.get_local_id());
                       add(t, at, it.get_group().get_group_id());
                       add(t, at, it.get_group_range());
                       t[at++] = it.get_global_linear_id();
                       t[at++] = it.get_group_linear_id() * 1000 + it.get_local_linear_id();
                       t[at++] = it.get_global_range().size() * 1000 + it.get_local_range().size();
                       out[place_of(it)] = t;
                     });
    });
  }
};

// Asks the compiler for groups itself.
template <int Dimensions>
class group_queries {
 public:
  static constexpr int dimensions = Dimensions;
  static void submit(sycl::queue& q, sycl::buffer<told, Dimensions>& to) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::nd_range<Dimensions>(space<Dimensions>(), group<Dimensions>()),
                     [=](sycl::nd_item<Dimensions> it) {
                       told t(0);
                       std::size_t at = 0;
                       const auto mine = sycl::khr::this_group<Dimensions>();
                       add(t, at, mine.get_group_id());
                       add(t, at, mine.get_group_range());
                       t[at++] = mine.get_group_linear_id();
                       out[place_of(it)] = t;
                     });
    });
  }
};

template <class Kernel>
std::vector<told> result(bool in_parts) {
  constexpr int dimensions = Kernel::dimensions;
  const std::size_t count = space<dimensions>().size();
  std::vector<told> numbers_of_all(count, told(7));
  sycl::buffer<told, dimensions> to(numbers_of_all.data(), space<dimensions>());
  const sycl::context all(sycl::device::get_devices());
  sycl::queue q(all, sycl::device::get_devices()[0]);
  graphs::command_graph graph(
      q, {place(place::anywhere), split(in_parts ? split::always : split::never)});
  graph.begin_recording(q);
  Kernel::submit(q, to);
  graph.end_recording();
  auto made = graph.finalize();
  q.ext_oneapi_graph(made).wait();
  sycl::host_accessor r(to, sycl::read_only);
  return {&*r.begin(), &*r.begin() + count};
}

template <template <int> class... Kernels>
std::size_t differences() {
  std::size_t n = 0;
  const auto count = [&n](const std::vector<told>& a, const std::vector<told>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t k = 0; k < numbers; ++k)
        if (a[i][k] != b[i][k]) ++n;
  };
  (count(result<Kernels<1>>(true), result<Kernels<1>>(false)), ...);
  (count(result<Kernels<2>>(true), result<Kernels<2>>(false)), ...);
  (count(result<Kernels<3>>(true), result<Kernels<3>>(false)), ...);
  return n;
}

}  // namespace

int main() {
  const std::size_t n = differences<items, items_with_offset, groups, group_queries>();
  std::printf("%zu numbers differ\n", n);
  return n == 0 ? 0 : 1;
}
