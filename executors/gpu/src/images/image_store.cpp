// SPDX-License-Identifier: Apache-2.0
#include "images/image_store.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

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

// Null: the kernel does not wait for it.
static const pianola_image* function_waited_for(model::array_view<const pianola_image> images) {
  for (const pianola_image& image : images)
    if (image.architecture != nullptr &&
        std::string_view(image.architecture) == PIANOLA_ARCHITECTURE_UNLINKED)
      return &image;
  return nullptr;
}

status image_store::no_image(std::uint32_t device, const model::kernel_descriptor& wanted,
                             model::array_view<const pianola_image> images) const {
  if (const pianola_image* function = function_waited_for(images))
    return {error_code::kernel_not_supported,
            fmt::format("kernel '{}' has no code for '{}': it calls '{}', which another "
                        "translation unit defines (SYCL_EXTERNAL), and the program or library was "
                        "not linked by pianolacc, which makes such code; link with pianolacc",
                        wanted.name, driver_.devices()[device].properties.name,
                        std::string(static_cast<const char*>(function->bytes), function->size))};
  const std::string& architecture = driver_.devices()[device].architecture;
  std::string text = fmt::format("kernel '{}' was not compiled for '{}' ('{}')", wanted.name,
                                 architecture, driver_.devices()[device].properties.name);
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
  text += architecture == "pianola-sim"
              ? "simulated"
              : fmt::format("{}:{}", driver_.backend_name(), architecture);
  return {error_code::kernel_not_supported, std::move(text)};
}

std::vector<std::size_t> image_store::suitable(
    std::uint32_t device, model::array_view<const pianola_image> images) const {
  std::vector<std::pair<int, std::size_t>> found;
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (images[i].architecture == nullptr) continue;
    const int suits = driver_.suitability(device, images[i].architecture);
    if (suits > 0) found.emplace_back(suits, i);
  }
  // The best first, and of equal ones the first.
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<std::size_t> order;
  for (const auto& [suits, i] : found) order.push_back(i);
  return order;
}

status image_store::load(std::uint32_t device, const model::kernel_descriptor& wanted,
                         const pianola_image& image, std::shared_ptr<const loaded_module>& out,
                         bool& another) {
  on_device& here = devices_[device];
  if (const auto it = here.refused.find(image.bytes); it != here.refused.end()) {
    another = true;
    return it->second;
  }
  if (const auto it = here.modules.find(image.bytes); it != here.modules.end()) {
    out = it->second;
    return {};
  }
  module native;
  std::string log;
  const code c = driver_.load(device, image.bytes, image.size, native, log);
  if (c != success) {
    status s = driver_.explain(
        c, fmt::format("loading the image '{}' of kernel '{}'", image.architecture, wanted.name));
    if (!log.empty()) s.reason += "\n" + log;
    another = driver_.wrong_image(c);
    if (another) here.refused.emplace(image.bytes, s);
    return s;
  }
  try {
    out = std::make_shared<const loaded_module>(driver_, state_, device, native);
  } catch (...) {
    driver_.unload(device, native);
    throw;
  }
  if (services_.find_variables != nullptr)
    if (status s = variables_.tell(device, native, services_.find_variables(wanted.id)); !s.ok()) {
      s.reason += fmt::format(", for kernel '{}'", wanted.name);
      return s;
    }
  here.modules.emplace(image.bytes, out);
  modules_loaded_.fetch_add(1, std::memory_order_relaxed);
  return {};
}

status image_store::find_in(std::uint32_t device, const model::kernel_descriptor& wanted,
                            const char* symbol, const pianola_image& image, loaded_kernel& out,
                            bool& another) {
  if (status s = load(device, wanted, image, out.from, another); !s.ok()) return s;
  const code c = driver_.find(device, out.from->native(), symbol, out.native, out.limits);
  if (c == success) return {};
  another = driver_.wrong_image(c);
  return driver_.explain(c, fmt::format("looking for kernel '{}' ({}) in the image '{}'",
                                        wanted.name, symbol, image.architecture));
}

status image_store::allow_local_memory(std::uint32_t device, const model::kernel_descriptor& wanted,
                                       loaded_kernel& kernel) {
  // What drivers let every kernel have, static and dynamic together.
  constexpr std::uint64_t always = 48U << 10;
  const std::uint64_t all = driver_.devices()[device].max_dynamic_local_bytes;
  const auto beside_static = [&](std::uint64_t bytes) {
    const std::uint64_t used = kernel.limits.static_local_bytes;
    return static_cast<std::uint32_t>(bytes > used ? bytes - used : 0);
  };
  kernel.dynamic_local_bytes = beside_static(all);
  if (kernel.dynamic_local_bytes == 0) return {};
  const code c = driver_.allow_local_memory(device, kernel.native, kernel.dynamic_local_bytes);
  if (c == success) return {};
  if (driver_.is_fatal(c))
    return driver_.explain(c,
                           fmt::format("letting kernel '{}' use much local memory", wanted.name));
  kernel.dynamic_local_bytes = beside_static(std::min(all, always));
  kernel.local_memory_refused = c;
  return {};
}

status image_store::find(std::uint32_t device, const model::kernel_descriptor& wanted, bool part,
                         std::shared_ptr<loaded_kernel>& out) {
  std::lock_guard<std::mutex> lock(mutex_);
  on_device& here = devices_[device];
  on_device::by_id& known = part ? here.parts : here.kernels;
  if (const auto it = known.find(wanted.id); it != known.end()) {
    out = it->second;
    return {};
  }
  model::array_view<const pianola_image> images;
  const pianola_kernel* described = nullptr;
  if (services_.find_images != nullptr) images = services_.find_images(wanted.id);
  if (services_.find_kernel != nullptr) described = services_.find_kernel(wanted.id);
  const std::vector<std::size_t> order = suitable(device, images);
  if (order.empty() || described == nullptr) return no_image(device, wanted, images);
  if (part && (described->flags & PIANOLA_KERNEL_PARTS) == 0)
    return {
        error_code::feature_not_supported,
        fmt::format("kernel '{}' on '{}': it is to run a part of its index space, and its code for "
                    "graphics processors runs whole ones only; compile it with the pianolacc of "
                    "this version of Pianola, or let the graph be placed for this machine",
                    wanted.name, driver_.devices()[device].properties.name)};
  std::string symbol = described->symbol;
  if (part) symbol += PIANOLA_PART_SUFFIX;

  status all;  // why none of them does
  for (const std::size_t i : order) {
    auto made = std::make_shared<loaded_kernel>();
    bool another = false;
    status s = find_in(device, wanted, symbol.c_str(), images[i], *made, another);
    if (s.ok()) {
      if (s = allow_local_memory(device, wanted, *made); !s.ok()) return s;
      made->preferred_group_size = driver_.preferred_group_size(device, made->native);
      made->dependent_launch = driver_.dependent_launch(device, images[i].architecture);
      known.emplace(wanted.id, made);
      out = std::move(made);
      return {};
    }
    if (!all.reason.empty()) s.reason = fmt::format("{}\n{}", all.reason, s.reason);
    all = std::move(s);
    if (!another) break;
  }
  return all;
}

void image_store::forget(const pianola_image_set& images) {
  // What goes is destroyed after the lock is released.
  std::vector<std::shared_ptr<const void>> going;
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [device, here] : devices_) {
    for (std::uint64_t i = 0; i < images.kernel_count; ++i)
      for (on_device::by_id* known : {&here.kernels, &here.parts}) {
        const auto it = known->find(model::kernel_id(images.kernels[i].id));
        if (it == known->end()) continue;
        going.push_back(std::move(it->second));
        known->erase(it);
      }
    for (std::uint32_t i = 0; i < images.image_count; ++i) {
      here.refused.erase(images.images[i].bytes);
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
