// SPDX-License-Identifier: Apache-2.0
#include "image_store.hpp"

#include <utility>

namespace pianola::gpu {

using executors::status;
using model::error_code;

loaded_module::~loaded_module() {
  if (!state_.gone()) driver_.unload(device_, native_);
}

int image_store::choose(std::uint32_t device,
                        model::array_view<const pianola_image> images) const noexcept {
  int best = -1;
  int suits = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (images[i].architecture == nullptr) continue;
    const int s = driver_.suitability(device, images[i].architecture);
    if (s > suits) {
      suits = s;
      best = static_cast<int>(i);
    }
  }
  return best;
}

status image_store::no_image(std::uint32_t device, const model::kernel_descriptor& wanted,
                             model::array_view<const pianola_image> images) const {
  const std::string& architecture = driver_.devices()[device].architecture;
  std::string text = "kernel '" + std::string(wanted.name) + "' was not compiled for '" +
                     architecture + "' ('" + driver_.devices()[device].properties.name + "')";
  if (images.empty()) {
    text += ": it has no image for any device";
  } else {
    text += "; images of it: ";
    for (std::size_t i = 0; i < images.size(); ++i) {
      if (i != 0) text += ", ";
      text += images[i].architecture == nullptr ? "?" : images[i].architecture;
    }
  }
  text += "; compile with pianolacc --pianola-targets=";
  text += architecture == "pianola-sim" ? "simulated"
                                        : std::string(driver_.backend_name()) + ":" + architecture;
  return {error_code::kernel_not_supported, std::move(text)};
}

status image_store::load(std::uint32_t device, const model::kernel_descriptor& wanted,
                         const pianola_image& image, std::shared_ptr<const loaded_module>& out) {
  auto& known = devices_[device].modules[image.bytes];
  if (known == nullptr) {
    module native;
    std::string log;
    const code c = driver_.load(device, image.bytes, image.size, native, log);
    if (c != success) {
      devices_[device].modules.erase(image.bytes);
      status s = driver_.explain(c, "loading the image '" + std::string(image.architecture) +
                                        "' of kernel '" + wanted.name + "'");
      if (!log.empty()) s.reason += "\n" + log;
      return s;
    }
    try {
      known = std::make_shared<const loaded_module>(driver_, state_, device, native);
    } catch (...) {
      driver_.unload(device, native);
      devices_[device].modules.erase(image.bytes);
      throw;
    }
    modules_loaded_.fetch_add(1, std::memory_order_relaxed);
  }
  out = known;
  return {};
}

status image_store::find(std::uint32_t device, const model::kernel_descriptor& wanted,
                         std::shared_ptr<loaded_kernel>& out) {
  std::lock_guard<std::mutex> lock(mutex_);
  on_device& here = devices_[device];
  if (const auto it = here.kernels.find(wanted.id); it != here.kernels.end()) {
    out = it->second;
    return {};
  }
  model::array_view<const pianola_image> images;
  const pianola_kernel* described = nullptr;
  if (services_.find_images != nullptr) images = services_.find_images(wanted.id);
  if (services_.find_kernel != nullptr) described = services_.find_kernel(wanted.id);
  const int best = choose(device, images);
  if (best < 0 || described == nullptr) return no_image(device, wanted, images);

  auto made = std::make_shared<loaded_kernel>();
  if (status s = load(device, wanted, images[static_cast<std::size_t>(best)], made->from); !s.ok())
    return s;
  const code c =
      driver_.find(device, made->from->native(), described->symbol, made->native, made->limits);
  if (c != success)
    return driver_.explain(c, "looking for kernel '" + std::string(wanted.name) + "' (" +
                                  described->symbol + ") in its image");
  made->preferred_group_size = driver_.preferred_group_size(device, made->native);
  made->dependent_launch =
      driver_.dependent_launch(device, images[static_cast<std::size_t>(best)].architecture);
  here.kernels.emplace(wanted.id, made);
  out = std::move(made);
  return {};
}

void image_store::forget(const pianola_image_set& images) {
  // What goes is destroyed after the lock is released.
  std::vector<std::shared_ptr<const void>> going;
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [device, here] : devices_) {
    for (std::uint64_t i = 0; i < images.kernel_count; ++i) {
      const auto it = here.kernels.find(model::kernel_id(images.kernels[i].id));
      if (it == here.kernels.end()) continue;
      going.push_back(std::move(it->second));
      here.kernels.erase(it);
    }
    for (std::uint32_t i = 0; i < images.image_count; ++i) {
      const auto it = here.modules.find(images.images[i].bytes);
      if (it == here.modules.end()) continue;
      going.push_back(std::move(it->second));
      here.modules.erase(it);
    }
  }
}

void image_store::clear() {
  std::lock_guard<std::mutex> lock(mutex_);
  devices_.clear();
}

}  // namespace pianola::gpu
