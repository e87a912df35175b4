// SPDX-License-Identifier: Apache-2.0
#include "images/texture_store.hpp"

#include <cstring>

namespace pianola::gpu {

code texture_store::bind(std::uint32_t device, std::byte* functor,
                         model::array_view<const model::argument_slot> slots) {
  for (const model::argument_slot& slot : slots) {
    model::texture_argument asked;
    std::memcpy(&asked, functor + slot.offset, sizeof asked);
    asked.handle = model::no_texture;
    if (const code c = find(device, asked, asked.handle); c != success) return c;
    std::memcpy(functor + slot.offset, &asked, sizeof asked);
  }
  return success;
}

code texture_store::find(std::uint32_t device, const model::texture_argument& asked,
                         std::uint64_t& handle) {
  if (asked.texels == nullptr || !driver_.has_texture(device, asked.texels, asked.description))
    return success;
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<made_texture>& known = textures_[asked.texels];
  for (const made_texture& t : known)
    if (t.device == device && t.description == asked.description) {
      handle = t.handle;
      return success;
    }
  known.reserve(known.size() + 1);
  made_texture made{device, asked.description, model::no_texture};
  const code c = driver_.make_texture(device, asked.texels, asked.description, made.handle);
  if (c != success) {
    if (known.empty()) textures_.erase(asked.texels);
    return driver_.is_fatal(c) ? c : success;
  }
  known.push_back(made);
  handle = made.handle;
  return success;
}

void texture_store::destroy(const made_texture& t) noexcept {
  // As for memory: what is left at the end, or on a device that is lost, goes with the process.
  if (state_.usable() && !state_.closing()) driver_.destroy_texture(t.device, t.handle);
}

void texture_store::forget(const void* memory) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto it = textures_.find(memory);
  if (it == textures_.end()) return;
  for (const made_texture& t : it->second) destroy(t);
  textures_.erase(it);
}

void texture_store::clear() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [texels, made] : textures_)
    for (const made_texture& t : made) destroy(t);
  textures_.clear();
}

}  // namespace pianola::gpu
