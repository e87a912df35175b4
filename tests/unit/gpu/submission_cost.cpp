// SPDX-License-Identifier: Apache-2.0
// What an eager submission of a kernel costs beside the driver's launch: the driver here does nothing at all.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include <pianola/gpu/gpu_backend.hpp>
#include <pianola/host/team.hpp>

#include "fake_driver.hpp"

namespace {

using namespace pianola;

class instant_driver final : public test::fake_driver {
 public:
  using fake_driver::fake_driver;
  using fake_driver::launch;
  gpu::code launch(gpu::stream, const gpu::kernel_launch& l) noexcept override {
    sink = l.parameters;
    return gpu::success;
  }
  void** sink = nullptr;
};

const char image_bytes[] = "image";
const pianola_image image{"fake_1", image_bytes, sizeof image_bytes};
pianola_kernel described{1, "nothing", "nothing", 0, 1, 64, 8, 0, 0, 0, nullptr, 0, nullptr};

}  // namespace

int main() {
  std::atomic<bool> attention{false};
  executors::step_observer observer;
  observer.attention = &attention;
  executors::runtime_services services;
  services.observer = &observer;
  services.find_kernel = [](model::kernel_id) -> const pianola_kernel* { return &described; };
  services.find_images = [](model::kernel_id) -> model::array_view<const pianola_image> {
    return {&image, 1};
  };
  auto made = std::make_unique<instant_driver>();
  test::fake_kernel k;
  k.functor_bytes = 64;
  k.body = [](const void*, const pianola_launch&, const test::fake_item&) {};
  k.preferred_group_size = 256;
  made->kernels["nothing"] = k;
  instant_driver& driver = *made;
  const auto backend = gpu::make_gpu_backend(std::move(made), services, {});
  executors::lane* lane = nullptr;
  if (!backend->make_lane(0, lane).ok()) return 1;

  alignas(16) std::byte functor[64] = {};
  alignas(16) std::byte context[256] = {};
  model::kernel_descriptor descriptor;
  descriptor.id = model::kernel_id(1);
  descriptor.name = "nothing";
  executors::step_submission s;
  s.context = {context, sizeof context};
  executors::resolved_kernel kernel;
  kernel.kernel = &descriptor;
  kernel.geometry.global.c[2] = 1 << 20;
  kernel.arguments = {functor, sizeof functor, 16, nullptr};
  s.action = kernel;

  std::vector<double> ours;
  std::vector<double> drivers;
  std::uint64_t position = 0;
  for (int round = 0; round < 200; ++round) {
    constexpr int n = 1000;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < n; ++i)
      if (!backend->submit(*lane, s).ok()) return 1;
    const auto middle = std::chrono::steady_clock::now();
    gpu::kernel_launch l;
    for (int i = 0; i < n; ++i) static_cast<gpu::driver&>(driver).launch(gpu::stream{}, l);
    const auto end = std::chrono::steady_clock::now();
    ours.push_back(std::chrono::duration<double, std::nano>(middle - begin).count() / n);
    drivers.push_back(std::chrono::duration<double, std::nano>(end - middle).count() / n);
    position += n;
    host::team::instance().wait(lane->completion(), position);
  }
  std::nth_element(ours.begin(), ours.begin() + 100, ours.end());
  std::nth_element(drivers.begin(), drivers.begin() + 100, drivers.end());
  std::printf("submission %.0f ns, of which the driver's call %.0f ns (medians of 200 x 1000)\n",
              ours[100], drivers[100]);
  return 0;
}
