// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "completion/health.hpp"
#include "images/variable_store.hpp"
#include "pianola/gpu/driver.hpp"

namespace pianola::gpu {

// An image that the driver has. Goes when the last kernel of it goes.
class loaded_module {
 public:
  loaded_module(driver& d, const health& state, std::uint32_t device, module native) noexcept
      : driver_(d), state_(state), device_(device), native_(native) {}
  ~loaded_module();
  loaded_module(const loaded_module&) = delete;
  loaded_module& operator=(const loaded_module&) = delete;
  [[nodiscard]] module native() const noexcept { return native_; }

 private:
  driver& driver_;
  const health& state_;
  std::uint32_t device_;
  module native_;
};

struct loaded_kernel {
  std::shared_ptr<const loaded_module> from;
  kernel native;
  kernel_limits limits;
  std::uint32_t preferred_group_size = 1;
  bool dependent_launch = false;  // see driver::dependent_launch
  // Dynamic local memory that its launches may ask for, and why it is not all that there is, if it is not.
  std::uint32_t dynamic_local_bytes = 0;
  code local_memory_refused = success;
};

// The kernels that have been used, by device and id, and the images they came from.
class image_store {
 public:
  image_store(driver& d, const health& state, const executors::runtime_services& services,
              variable_store& variables, std::atomic<std::uint64_t>& modules_loaded) noexcept
      : driver_(d),
        state_(state),
        services_(services),
        variables_(variables),
        modules_loaded_(modules_loaded) {}
  image_store(const image_store&) = delete;
  image_store& operator=(const image_store&) = delete;

  // Index of the image that suits the device best; -1: none does.
  [[nodiscard]] int choose(std::uint32_t device,
                           model::array_view<const pianola_image> images) const noexcept;

  // Says so, with what there is.
  [[nodiscard]] executors::status no_image(std::uint32_t device,
                                           const model::kernel_descriptor& wanted,
                                           model::array_view<const pianola_image> images) const;

  // In the best image that the driver takes and that has the kernel. `part`: its entry point for parts.
  executors::status find(std::uint32_t device, const model::kernel_descriptor& wanted, bool part,
                         std::shared_ptr<loaded_kernel>& out);

  // What was made of these is not found any more.
  void forget(const pianola_image_set& images);
  void clear();

 private:
  struct on_device {
    using by_id = std::unordered_map<model::kernel_id, std::shared_ptr<loaded_kernel>>;
    by_id kernels;
    by_id parts;  // their entry points for parts
    std::unordered_map<const void*, std::shared_ptr<const loaded_module>> modules;
    // Images that the driver does not take.
    std::unordered_map<const void*, executors::status> refused;
  };
  // Indices of the images that suit the device, best first.
  [[nodiscard]] std::vector<std::size_t> suitable(
      std::uint32_t device, model::array_view<const pianola_image> images) const;
  // `another`: this image will not do, others may.
  executors::status load(std::uint32_t device, const model::kernel_descriptor& wanted,
                         const pianola_image& image, std::shared_ptr<const loaded_module>& out,
                         bool& another);
  executors::status find_in(std::uint32_t device, const model::kernel_descriptor& wanted,
                            const char* symbol, const pianola_image& image, loaded_kernel& out,
                            bool& another);
  executors::status allow_local_memory(std::uint32_t device, const model::kernel_descriptor& wanted,
                                       loaded_kernel& kernel);

  driver& driver_;
  const health& state_;
  const executors::runtime_services& services_;
  variable_store& variables_;
  std::atomic<std::uint64_t>& modules_loaded_;
  std::mutex mutex_;
  std::unordered_map<std::uint32_t, on_device> devices_;
};

}  // namespace pianola::gpu
