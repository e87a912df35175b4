// SPDX-License-Identifier: Apache-2.0
// Spheres above a plane: structs with member functions, float3 with its swizzles, shapes without virtual functions,
// a function object as kernel.
#define SYCL_SIMPLE_SWIZZLES
#include <sycl/sycl.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace sycl;

struct ray {
  float3 origin;
  float3 direction;
  float3 at(float t) const { return origin + direction * t; }
};

struct hit {
  float t = INFINITY;
  float3 normal{0.0f};
  float3 color{0.0f};
  explicit operator bool() const { return std::isfinite(t); }
};

template <class Shape>
struct shape_base {
  float3 color;
  void intersect(const ray& r, hit& nearest) const {
    const float t = static_cast<const Shape*>(this)->distance(r);
    if (t > 1e-3f && t < nearest.t) {
      nearest.t = t;
      nearest.normal = static_cast<const Shape*>(this)->normal(r.at(t));
      nearest.color = color;
    }
  }
};

struct sphere : shape_base<sphere> {
  float4 place;  // centre and radius
  sphere(float3 c, float radius, float3 col) : shape_base{col}, place(c, radius) {}
  float distance(const ray& r) const {
    const float3 to = r.origin - place.xyz();
    const float b = dot(to, r.direction);
    const float c = dot(to, to) - place.w() * place.w();
    const float d = b * b - c;
    if (d < 0) return -1.0f;
    const float root = sycl::sqrt(d);
    return -b - root > 1e-3f ? -b - root : -b + root;
  }
  float3 normal(float3 p) const { return normalize(p - place.xyz()); }
};

struct ground : shape_base<ground> {
  ground() : shape_base{float3{0.5f, 0.5f, 0.5f}} {}
  float distance(const ray& r) const { return -(r.origin.y() + 1.0f) / r.direction.y(); }
  float3 normal(float3) const { return {0.0f, 1.0f, 0.0f}; }
};

template <class Spheres>
float3 trace(ray r, const Spheres& spheres, size_t count) {
  const float3 light = normalize(float3(1.0f, 2.0f, -1.5f));
  float3 color(0.0f);
  float weight = 1.0f;
  for (int bounce = 0; bounce < 4; ++bounce) {
    hit nearest;
    ground{}.intersect(r, nearest);
    for (size_t i = 0; i < count; ++i) spheres[i].intersect(r, nearest);
    if (!nearest) {
      color += weight *
               mix(float3{1.0f}, float3{0.5f, 0.7f, 1.0f}, float3{0.5f * (r.direction.y() + 1.0f)});
      break;
    }
    const float3 p = r.at(nearest.t);
    hit shadow;
    for (size_t i = 0; i < count; ++i) spheres[i].intersect(ray{p, light}, shadow);
    const float lit = shadow ? 0.1f : sycl::max(dot(nearest.normal, light), 0.1f);
    color += weight * 0.6f * lit * nearest.color;
    weight *= 0.4f;
    r = {p, normalize(r.direction - 2.0f * dot(r.direction, nearest.normal) * nearest.normal)};
  }
  return clamp(color, 0.0f, 1.0f);
}

uchar4 pixel(float3 color) {
  const float3 scaled = sycl::sqrt(color) * 255.0f;
  return uchar4{scaled.convert<uchar, rounding_mode::rte>(), 255};
}

ray camera(size_t x, size_t y, range<2> size) {
  const float u = (static_cast<float>(x) + 0.5f) / static_cast<float>(size[1]) * 2 - 1;
  const float v = 1 - (static_cast<float>(y) + 0.5f) / static_cast<float>(size[0]) * 2;
  return {float3{0, 0.3f, -4}, normalize(float3{u * 1.6f, v, 2})};
}

template <class Spheres, class Image>
class render {
 public:
  render(Spheres spheres, Image image) : spheres_(spheres), image_(image) {}
  void operator()(item<2> it) const {
    const auto [y, x] = std::pair{it[0], it[1]};
    image_[it] = pixel(trace(camera(x, y, it.get_range()), spheres_, spheres_.size()));
  }

 private:
  Spheres spheres_;
  Image image_;
};

int main() {
  const range<2> size{48, 64};
  std::vector<sphere> scene;
  for (int i = 0; i < 5; ++i)
    scene.emplace_back(
        float3(static_cast<float>(i - 2) * 1.1f, std::sin(static_cast<float>(i)) * 0.4f,
               0.3f * static_cast<float>(i)),
        0.5f, float3(0.2f * static_cast<float>(i), 1.0f - 0.2f * static_cast<float>(i), 0.6f));
  std::vector<uchar4> image(size.size());
  queue q;
  {
    buffer spheres{scene};
    buffer<uchar4, 2> pixels{image.data(), size};
    q.submit([&](handler& h) {
      accessor in{spheres, h, read_only};
      accessor out{pixels, h, write_only, no_init};
      h.parallel_for(size, render{in, out});
    });
  }
  int wrong = 0, colors = 0;
  for (size_t y = 0; y < size[0]; ++y)
    for (size_t x = 0; x < size[1]; ++x) {
      const uchar4 expected = pixel(trace(camera(x, y, size), scene, scene.size()));
      const uchar4 got = image[y * size[1] + x];
      // A ray that grazes an edge may fall to its other side.
      if (any(abs_diff(expected, got) > uchar4{2})) ++wrong;
      colors += got.x() != got.y();
    }
  if (wrong > 6 || colors < 500) {
    std::printf("ray_tracer: %d wrong pixels, %d with a colour\n", wrong, colors);
    return 1;
  }
  return 0;
}
