// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <shared_mutex>

#include <pianola/test/simulated_driver.hpp>

#include "../engine/helper_protocol.hpp"

namespace pianola::test::drivers {

/// Samples as the CUDA C++ programming guide says ("Texture Fetching"), with coordinates of 8 bits behind the point: the
/// hardware has no more.
class texture_table final : public simulated_textures {
 public:
  void add(const helper_texture& t);
  void remove(std::uint64_t handle);
  void read(std::uint64_t handle, float x, float y, std::uint32_t texels,
            void* texel) const override;

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::uint64_t, helper_texture> known_;
};

}  // namespace pianola::test::drivers
