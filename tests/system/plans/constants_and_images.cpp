// SPDX-License-Identifier: Apache-2.0
// Graphs whose kernels have specialization constants, also such as are in memory, and images.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <sycl/sycl.hpp>
#include <utility>
#include <vector>

#include "report.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;
namespace pia = sycl::ext::pianola;
using modifiable = exp::command_graph<exp::graph_state::modifiable>;
using executable = exp::command_graph<exp::graph_state::executable>;

// Larger than what a kernel's function object has room for.
struct weights {
  std::array<int, 400> of{};
};
constexpr sycl::specialization_id<weights> large_weights{};
constexpr sycl::specialization_id<int> small_factor(2);

constexpr std::size_t many = 400;

weights weights_from(int first) {
  weights w;
  for (std::size_t i = 0; i < many; ++i) w.of[i] = first + static_cast<int>(i * i % 37);
  return w;
}

// Two kernels with other constants, one of them in a loop as well.
void record_constants(modifiable& graph, sycl::queue& q, sycl::buffer<int>& to) {
  const auto add = [&](sycl::handler& h, int first) {
    h.set_specialization_constant<large_weights>(weights_from(first));
    h.set_specialization_constant<small_factor>(first);
    const sycl::accessor a(to, h);
    h.parallel_for(sycl::range<1>(many), [=](sycl::id<1> i, sycl::kernel_handler k) {
      const weights w = k.get_specialization_constant<large_weights>();
      a[i] = a[i] * k.get_specialization_constant<small_factor>() + w.of[i[0]];
    });
  };
  modifiable body(q);
  body.add([&](sycl::handler& h) { add(h, 5); });
  graph.add([&](sycl::handler& h) { add(h, 3); });
  graph.add_repeat(2, body.finalize());
  graph.add([&](sycl::handler& h) { add(h, 7); });
}

struct pictures {
  explicit pictures(std::size_t width) : texels(texels_of(width)) {}
  static std::vector<float> texels_of(std::size_t width) {
    std::vector<float> all(width * height * 4);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(i % 29) * 0.25F;
    return all;
  }
  std::uint64_t hash() {
    const sycl::host_unsampled_image_accessor<sycl::float4, 2, sycl::access_mode::read> a(result);
    std::uint64_t h = 0;
    for (int y = 0; y < int(height); ++y)
      for (int x = 0; x < 10; ++x) {
        const sycl::float4 color = a.read(sycl::int2(x, y));
        h = hash_of(&color, sizeof color, h);
      }
    return h;
  }

  static constexpr std::size_t height = 6;
  std::vector<float> texels;
  sycl::sampled_image<2> picture{
      texels.data(), sycl::image_format::r32g32b32a32_sfloat,
      sycl::image_sampler{sycl::addressing_mode::clamp_to_edge,
                          sycl::coordinate_normalization_mode::unnormalized,
                          sycl::filtering_mode::nearest},
      sycl::range<2>(texels.size() / 4 / height, height)};
  sycl::unsampled_image<2> result{sycl::image_format::r32g32b32a32_sfloat,
                                  sycl::range<2>(10, height)};
};

void record_images(modifiable& graph, pictures& p) {
  graph.add([&](sycl::handler& h) {
    const sycl::sampled_image_accessor<sycl::float4, 2> from(p.picture, h);
    const sycl::unsampled_image_accessor<sycl::float4, 2, sycl::access_mode::write> to(p.result, h);
    h.parallel_for(sycl::range<2>(10, pictures::height), [=](sycl::id<2> i) {
      const int x = static_cast<int>(i[0]), y = static_cast<int>(i[1]);
      const sycl::float2 at(static_cast<float>(x) + 1.5F, static_cast<float>(y) - 0.5F);
      to.write(sycl::int2(x, y), from.read(at) + sycl::float4(1.0F));
    });
  });
}

executable made(const std::string& what, const std::string& path, const std::string& how,
                sycl::queue& q, modifiable& recorded, const std::vector<pia::binding>& names) {
  if (what.find("load") == 0) {
    sycl::property_list properties;
    if (how == "verify") properties = {pia::property::executable::verify()};
    return pia::load(path, q, names, properties);
  }
  executable graph = recorded.finalize();
  if (what.find("save") == 0) pia::save(graph, path, names);
  return graph;
}

}  // namespace

int with_constants(const std::string& what, const std::string& path, const std::string& how) {
  sycl::queue q;
  sycl::buffer<int> to{sycl::range<1>(many)};
  {
    const sycl::host_accessor a(to, sycl::write_only, sycl::no_init);
    for (std::size_t i = 0; i < many; ++i) a[i] = static_cast<int>(i);
  }
  modifiable recorded(q);
  if (what.find("load") != 0) record_constants(recorded, q, to);
  executable graph = made(what, path, how, q, recorded, {{"to", to}});
  if (how == "again") pia::save(graph, path + ".again", {{"to", to}});
  for (int i = 0; i < 2; ++i) q.ext_oneapi_graph(graph);
  q.wait();
  const sycl::host_accessor a(to, sycl::read_only);
  report(hash_of(a.get_pointer(), a.byte_size()));
  return 0;
}

int with_images(const std::string& what, const std::string& path, const std::string& how) {
  sycl::queue q;
  pictures p(how == "small" ? 5 : 10);
  modifiable recorded(q);
  if (what.find("load") != 0) record_images(recorded, p);
  std::vector<pia::binding> names{{"picture", p.picture}, {"result", p.result}};
  if (how == "numbers" && what.find("load") == 0)
    names = {{"picture", p.picture}, {std::size_t{1}, p.result}};
  executable graph = made(what, path, how, q, recorded, names);
  for (int i = 0; i < 2; ++i) q.ext_oneapi_graph(graph);
  q.wait();
  report(p.hash());
  return 0;
}
