// SPDX-License-Identifier: Apache-2.0
// A backend, found under the name of cuda, whose device runs kernels only of which there is an image for "test_1"; it
// runs their host entry point.
#include <cstdlib>
#include <string_view>

#include <pianola/executors/backend.hpp>
#include <pianola/host/host_backend.hpp>
#include <pianola/host/memory_steps.hpp>

namespace {

using namespace pianola;
using executors::status;

class image_backend final : public host::host_backend {
 public:
  explicit image_backend(const executors::step_observer& observer)
      : host_backend("cuda", {describe()}, observer) {}

  static model::device_properties describe() {
    model::device_properties p;
    p.name = "Device of images";
    p.vendor = "Pianola";
    p.backend = "cuda";
    p.type = model::device_type::gpu;
    p.max_work_group_size = 256;
    p.global_memory_bytes = p.max_allocation_bytes = std::uint64_t{1} << 30;
    p.local_memory_bytes = 1 << 16;
    p.sub_group_sizes = {32};
    return p;
  }
  void describe_links(model::array_view<const model::memory_id> memories,
                      std::vector<model::link_description>& links) const override {
    links.push_back({model::host_memory, memories[0]});
    links.push_back({memories[0], model::host_memory});
  }
  status allocate(std::uint32_t, executors::memory_kind, std::size_t bytes, std::size_t,
                  void*& out) noexcept override {
    out = std::malloc(bytes);
    if (out == nullptr) return {model::error_code::memory_allocation, "no memory"};
    return {};
  }
  void deallocate(std::uint32_t, executors::memory_kind, void* pointer) noexcept override {
    std::free(pointer);
  }
  void copy(const executors::resolved_copy& c) override { host::copy_bytes(c); }
  void fill(const executors::resolved_fill& f) override { host::fill_bytes(f); }
  [[nodiscard]] bool blocks(const executors::resolved_action&) const noexcept override {
    return false;
  }
  [[nodiscard]] bool parallel_kernels() const noexcept override { return true; }

  [[nodiscard]] bool needs_images() const noexcept override { return true; }
  [[nodiscard]] int choose_image(
      std::uint32_t, model::array_view<const pianola_image> images) const noexcept override {
    for (std::size_t i = 0; i < images.size(); ++i)
      if (std::string_view(images[i].architecture) == "test_1") return static_cast<int>(i);
    return -1;
  }
};

executors::backend* create(const char*, const executors::runtime_services* services, char*,
                           std::size_t, int*) noexcept {
  return new image_backend(*services->observer);
}

}  // namespace

extern "C" __attribute__((visibility("default")))
const executors::backend_factory pianola_backend_v1;
const executors::backend_factory pianola_backend_v1{executors::backend_interface_version, &create};
