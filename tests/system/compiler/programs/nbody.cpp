// SPDX-License-Identifier: Apache-2.0
// Bodies attract each other: tiles of bodies in local memory, structures, std::array and std::pair in
// kernels, mathematics of the standard library.
#include <array>
#include <cmath>
#include <sycl/sycl.hpp>
#include <utility>

#include "print.hpp"

struct vector3 {
  std::array<float, 3> of{};
  friend vector3 operator+(vector3 a, const vector3& b) {
    for (std::size_t d = 0; d < 3; ++d) a.of[d] += b.of[d];
    return a;
  }
  friend vector3 operator*(float f, vector3 a) {
    for (float& x : a.of) x *= f;
    return a;
  }
};

struct body {
  vector3 place, speed;
  float mass = 0;
};

// How strongly, and where to.
std::pair<float, vector3> attraction(const body& to, const vector3& from) {
  const vector3 way = to.place + -1.0F * from;
  float square = 0.01F;
  for (const float x : way.of) square += x * x;
  return {to.mass / (square * std::sqrt(square)), way};
}

int main() {
  constexpr std::size_t n = 192, tile = 48, steps = 3;
  sycl::queue queue(sycl::property::queue::in_order{});
  auto* const bodies = sycl::malloc_shared<body>(n, queue);
  for (std::size_t i = 0; i < n; ++i) {
    const auto f = static_cast<float>(i);
    bodies[i] = {{{f / 7, std::fmod(f, 11.0F), std::fmod(f, 5.0F)}}, {}, 1 + std::fmod(f, 3.0F)};
  }
  const std::pair<float, std::size_t> settings(0.125F, n);
  for (std::size_t s = 0; s < steps; ++s) {
    auto* const next = sycl::malloc_device<body>(n, queue);
    queue.submit([&](sycl::handler& h) {
      const sycl::local_accessor<body, 1> near(sycl::range<1>(tile), h);
      h.parallel_for(sycl::nd_range<1>(n, tile), [=](sycl::nd_item<1> item) {
        body self = bodies[item.get_global_id(0)];
        vector3 force;
        for (std::size_t t = 0; t < settings.second; t += tile) {
          near[item.get_local_id(0)] = bodies[t + item.get_local_id(0)];
          sycl::group_barrier(item.get_group());
          for (const body& other : near) {
            const auto [strength, way] = attraction(other, self.place);
            force = force + strength * way;
          }
          sycl::group_barrier(item.get_group());
        }
        self.speed = self.speed + settings.first * force;
        self.place = self.place + settings.first * self.speed;
        next[item.get_global_id(0)] = self;
      });
    });
    queue.memcpy(bodies, next, n * sizeof(body)).wait();
    sycl::free(next, queue);
  }
  std::vector<float> places;
  for (std::size_t i = 0; i < n; ++i)
    for (const float x : bodies[i].place.of) places.push_back(x);
  print("places", places);
  sycl::free(bodies, queue);
}
