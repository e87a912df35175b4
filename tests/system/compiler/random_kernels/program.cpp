// SPDX-License-Identifier: Apache-2.0
// The frame around the kernels: data, launches, and one line of output per kernel.
#include "generator.hpp"

namespace random_kernels {

namespace {

shape random_shape(random& r, const options& o) {
  shape s;
  static constexpr std::uint32_t sub_group_sizes[] = {8, 8, 16, 32, 64};
  if (o.lanes) s.sub_group_size = sub_group_sizes[r.below(5)];
  s.dimensions = 1 + r.below(3);
  // Multiples of the sub-group and others, also 1.
  static constexpr std::uint32_t one[] = {1, 7, 8, 16, 32, 37, 64, 100};
  static constexpr std::uint32_t two[][2] = {{1, 8}, {8, 1}, {4, 4}, {3, 5}, {2, 16}, {8, 8}};
  static constexpr std::uint32_t three[][3] = {
      {1, 1, 8}, {2, 3, 4}, {4, 2, 2}, {3, 3, 3}, {2, 4, 8}};
  const auto set = [&](const auto& sizes, std::uint32_t count) {
    const std::uint32_t chosen = r.below(count);
    for (unsigned d = 0; d < s.dimensions; ++d) s.local[d] = sizes(chosen, d);
  };
  if (s.dimensions == 1)
    set([](std::uint32_t i, unsigned) { return one[i]; }, 8);
  else if (s.dimensions == 2)
    set([](std::uint32_t i, unsigned d) { return two[i][d]; }, 6);
  else
    set([](std::uint32_t i, unsigned d) { return three[i][d]; }, 5);
  for (unsigned d = 0; d < s.dimensions; ++d) s.groups[d] = 1 + r.below(d == 0 ? 4 : 2);
  return s;
}

std::string list(const shape& s, bool global) {
  std::string text;
  for (unsigned d = 0; d < s.dimensions; ++d)
    text += (d == 0 ? "" : ", ") + std::to_string(s.local[d] * (global ? s.groups[d] : 1));
  return text;
}

// What only statements of `lanes` and `shapes` use.
std::string more_memory(const options& o, const std::string& items) {
  std::string text;
  if (o.lanes) text += "    const local_a l(sycl::range<1>(" + items + "), h);\n";
  if (o.shapes)
    text += "    const local_a e(sycl::range<1>(16), h), f(sycl::range<1>(2 * " + items +
            "), h);\n    const sycl::local_accessor<std::uint8_t, 3> c(sycl::range<3>(" + items +
            ", 2, 3), h);\n";
  return text;
}
std::string group_memory(const std::string& items) {
  return "      auto& d = *sycl::ext::oneapi::group_local_memory_for_overwrite<std::uint16_t[2 * " +
         items + "]>(item.get_group());\n";
}

constexpr const char* beginning = R"(
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <sycl/sycl.hpp>
#if defined(PIANOLA_TEST_ON_DEVICE)
#include "on_device.hpp"
#endif

using u32 = std::uint32_t;

namespace {

struct record {
  u32 first;
  std::uint64_t second;
};

[[maybe_unused]] inline void mix(u32& into, u32 value) {
  into = (into ^ value) * 16777619u + (value >> 7);
}

// As a function: `(u32(float(x))) & 3u` is the address of something.
template <class T>
u32 whole(T value) {
  return static_cast<u32>(static_cast<std::int64_t>(static_cast<double>(value)));
}

struct triple {
  std::uint16_t first;
  u32 value;
  std::uint8_t bytes[3];
};

// By value, with many ways out.
[[maybe_unused]] inline triple turned(triple t, u32 x, const u32* p) {
  if ((x & 3u) == 0u) return {std::uint16_t(x), t.first, {t.bytes[2], t.bytes[0], t.bytes[1]}};
  for (u32 i = 0; i < (x & 7u); ++i) {
    if (p[i] > x) return {t.first, t.value ^ p[i], {std::uint8_t(i), 0, t.bytes[0]}};
    t.value += p[i];
    t.bytes[i % 3u] = std::uint8_t(x >> i);
  }
  if (t.value & 1u) return t;
  t.first = std::uint16_t(t.value);
  return t;
}

[[maybe_unused]] __attribute__((noinline)) u32 found(u32 x, u32 limit, const u32* in, const u32* p) {
  u32 seen[4] = {x, limit, 3u, p[x & 7u]};
  for (u32 i = 0; i < 6u; ++i) {
    switch ((x >> i) & 3u) {
      case 0: continue;
      case 1: seen[i & 3u] += in[(x + i) & 255u]; break;
      case 2: if (seen[(i + limit) & 3u] < limit) return seen[i & 3u]; break;
      default: seen[x & 3u] ^= i;
    }
    if (seen[1] == x) return i;
  }
  return seen[0] ^ seen[1] * 3u ^ seen[2] * 5u ^ seen[3] * 7u;
}

using local_a = sycl::local_accessor<u32, 1>;
using local_b = sycl::local_accessor<std::uint64_t, 2>;

)";

constexpr const char* group_functions = R"(
template <class G>
u32 shifted_left(const G& group, u32 value, u32 by) {
  const u32 got = sycl::shift_group_left(group, value, by);
  return group.get_local_linear_id() + by < group.get_local_linear_range() ? got : 0u;
}
template <class G>
u32 shifted_right(const G& group, u32 value, u32 by) {
  const u32 got = sycl::shift_group_right(group, value, by);
  return group.get_local_linear_id() >= by ? got : 0u;
}
template <class G>
u32 permuted(const G& group, u32 value, u32 mask) {
  const u32 got = sycl::permute_group_by_xor(group, value, mask);
  return (group.get_local_linear_id() ^ mask) < group.get_local_linear_range() ? got : 0u;
}
template <class G>
u32 selected(const G& group, u32 value, u32 from) {
  return sycl::select_from_group(group, value,
                                 typename G::id_type(from % group.get_local_linear_range()));
}
)";

constexpr const char* sub_group_functions = R"(
template <class Item>
u32 sub_group_neighbour(const Item& item) {
  const auto group = item.get_sub_group();
  const u32 lane = group.get_local_linear_id();
  return u32(item.get_local_linear_id()) - lane + (lane + 1u) % group.get_local_linear_range();
}
)";

constexpr const char* running = R"(
u32 random_input(u32 i) {
  i = (i + 1u) * 2654435761u;
  i ^= i >> 15;
  i *= 2246822519u;
  return i ^ (i >> 13);
}

// As handler::parallel_for, or by the device's code under the test driver, with the host's sub-groups.
template <int SubGroupSize, int D, class Kernel>
void launch(sycl::handler& h, const sycl::nd_range<D>& space, const Kernel& kernel) {
#if defined(PIANOLA_TEST_ON_DEVICE)
  (void)h;
  auto where = pianola::test::launch_of(space.get_global_range(), space.get_local_range());
  where.sub_group_size = SubGroupSize;
  where.seed = 5;
  pianola::test::on_device<pianola::test::form::nd_range, D>(kernel, where);
#else
  namespace experimental = sycl::ext::oneapi::experimental;
  if constexpr (SubGroupSize == 8)
    h.parallel_for(space, kernel);
  else
    h.parallel_for(space, experimental::properties{experimental::sub_group_size<SubGroupSize>}, kernel);
#endif
}

// Runs `submit(handler, in, out, g)` on fresh memory and prints what came out of it.
template <class Submit>
void run(sycl::queue& queue, const char* name, std::size_t items, Submit submit) {
  u32* const in = sycl::malloc_shared<u32>(256, queue);
  u32* const out = sycl::malloc_shared<u32>(items, queue);
  u32* const g = sycl::malloc_shared<u32>(items, queue);
  for (u32 i = 0; i < 256u; ++i) in[i] = random_input(i);
  for (std::size_t i = 0; i < items; ++i) out[i] = g[i] = 0;
  queue.submit([&](sycl::handler& h) { submit(h, in, out, g); });
  queue.wait_and_throw();
  std::uint64_t hash = 14695981039346656037u;
  for (std::size_t i = 0; i < items; ++i) hash = (hash ^ out[i]) * 1099511628211u;
  std::printf("%s %016llx first %08x last %08x\n", name, static_cast<unsigned long long>(hash),
              static_cast<unsigned>(out[0]), static_cast<unsigned>(out[items - 1]));
  std::fflush(stdout);
  sycl::free(in, queue);
  sycl::free(out, queue);
  sycl::free(g, queue);
}

)";

}  // namespace

std::string program(const options& o) {
  random r(o.seed);
  std::string text = "// Generated: --seed=" + std::to_string(o.seed) +
                     " --kernels=" + std::to_string(o.kernels) + (o.groups ? " --groups" : "") +
                     (o.sub_groups ? " --sub-groups" : "") + (o.ways ? " --ways" : "") +
                     (o.apart ? " --apart" : "") + (o.lanes ? " --lanes" : "") +
                     (o.shapes ? " --shapes" : "") + (o.parting ? " --parting" : "") +
                     (o.jumps ? " --jumps" : "") + "\n";
  text += beginning;
  if (o.groups) text += group_functions;
  if (o.sub_groups) text += sub_group_functions;
  text += running;
  std::string kernels, helper_functions;
  for (unsigned k = 0; k < o.kernels; ++k) {
    const std::string number = std::to_string(k);
    const shape s = random_shape(r, o);
    const std::string dimensions = std::to_string(s.dimensions);
    const std::string items = std::to_string(s.items());
    // Helpers of this kernel, in a namespace of its own: their code depends on the number of items.
    const std::uint32_t helpers = r.below(3);
    kernels += "namespace kernel" + number + " {\n\n";
    for (std::uint32_t h = 0; h < helpers; ++h) {
      body b(r, o, s, 1);
      b.write_helper(h);
      kernels += "template <int D>\n";
      kernels += r.one_in(2) ? "inline " : r.one_in(2) ? "__attribute__((noinline)) " : "";
      kernels +=
          "u32 helper" + std::to_string(h) +
          "([[maybe_unused]] const sycl::nd_item<D>& item, [[maybe_unused]] const local_a& a,\n"
          "    [[maybe_unused]] const local_b& b, [[maybe_unused]] u32* g, [[maybe_unused]] "
          "const u32* in,\n    [[maybe_unused]] u32 x0, [[maybe_unused]] u32 x1, u32& y0, "
          "u32& y1, [[maybe_unused]] u32* p, [[maybe_unused]] record& s) {\n"
          "  [[maybe_unused]] const u32 k0 = x0 + 1u, k1 = x1 ^ 3u;\n" +
          b.text() + "}\n\n";
    }
    body b(r, o, s, r.one_in(3) ? 2U : 3U);
    b.write_kernel(helpers);
    kernels += "void launch(sycl::queue& queue) {\n  run(queue, \"kernel " + number + " (" +
               list(s, true) + " in groups of " + list(s, false) + ")\", " +
               std::to_string(s.global()) +
               ", [](sycl::handler& h, const u32* in, u32* out, u32* g) {\n"
               "    const local_a a(sycl::range<1>(" +
               items + "), h);\n    const local_b b(sycl::range<2>(" + items + ", 2), h);\n" +
               more_memory(o, items) + "    const u32 k0 = " + std::to_string(r.below(1000)) +
               "u, k1 = " + std::to_string(r.below(100000)) + "u;\n    ::launch<" +
               std::to_string(s.sub_group_size) + ">(h, sycl::nd_range<" + dimensions +
               ">(sycl::range<" + dimensions + ">(" + list(s, true) + "), sycl::range<" +
               dimensions + ">(" + list(s, false) + ")),\n                   [=](sycl::nd_item<" +
               dimensions + "> item) {\n" + (o.shapes ? group_memory(items) : "") + b.text() +
               "    });\n  });\n}\n\n}  // namespace kernel" + number + "\n\n";
  }
  text += kernels;
  text += "}  // namespace\n\nint main() {\n  sycl::queue queue;\n";
  for (unsigned k = 0; k < o.kernels; ++k)
    text += "  kernel" + std::to_string(k) + "::launch(queue);\n";
  text += "}\n";
  return text;
}

}  // namespace random_kernels
