// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <pianola/model/kernel.hpp>
#include <pianola/model/texture.hpp>

#include "completion/health.hpp"
#include "pianola/gpu/driver.hpp"

namespace pianola::gpu {

// The textures that kernels sample images through: one for each allocation and description, made when the first kernel
// wants it, destroyed with the allocation. Texels begin where their allocation does: the bytes of an image are a buffer of
// its own, and the runtime gives no slot to an accessor into the middle of one, so `forget` finds all textures.
class texture_store {
 public:
  texture_store(driver& d, const health& state) noexcept : driver_(d), state_(state) {}
  texture_store(const texture_store&) = delete;
  texture_store& operator=(const texture_store&) = delete;

  // Puts handles into a function object whose addresses are there already. What the driver has no texture for, or no
  // room, is left to the kernel. A code: nothing works on the device any more.
  code bind(std::uint32_t device, std::byte* functor,
            model::array_view<const model::argument_slot> slots);
  // The allocation is about to be freed: nothing on its way uses it.
  void forget(const void* memory) noexcept;
  void clear() noexcept;

 private:
  struct made_texture {
    std::uint32_t device;
    model::texture_description description;
    std::uint64_t handle;
  };
  code find(std::uint32_t device, const model::texture_argument& asked, std::uint64_t& handle);
  void destroy(const made_texture&) noexcept;

  driver& driver_;
  const health& state_;
  std::mutex mutex_;
  std::unordered_map<const void*, std::vector<made_texture>> textures_;  // by their texels
};

}  // namespace pianola::gpu
