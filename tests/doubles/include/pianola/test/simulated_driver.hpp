// SPDX-License-Identifier: Apache-2.0
// Runs kernels of "pianola-sim" images (pianola/abi/simulated.h): device code on the CPU, for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include <pianola/abi/image.h>
#include <pianola/abi/simulated.h>

namespace pianola::test {

/// Where kernels find textures. Called by all threads of a launch at once.
class simulated_textures {
 public:
  virtual ~simulated_textures() = default;
  /// As pianola_sim_calls.texture. Throws std::runtime_error: there is no such texture, or it is of other texels.
  virtual void read(std::uint64_t handle, float x, float y, std::uint32_t texels,
                    void* texel) const = 0;
};

struct simulated_launch {
  pianola_launch launch{{1, 1, 1}, {0, 0, 0}};
  /// For an entry point for parts, instead of `launch`.
  const pianola_part_launch* part = nullptr;
  /// [0] slowest, as everywhere. Of a range kernel groups * local may be more than launch.global.
  std::uint64_t groups[3] = {1, 1, 1};
  std::uint32_t local[3] = {1, 1, 1};
  std::size_t local_memory_bytes = 0;
  /// Of the kernel's pianola_sim_kernel_info.
  std::uint32_t group_object_bytes = 0;
  /// A power of two, 64 at most.
  std::uint32_t sub_group_size = 32;
  /// 0: work-items take turns in the order of their ids. Otherwise the order is random.
  std::uint64_t seed = 0;
  /// Groups run on so many threads at once.
  unsigned threads = 1;
  /// Null: kernels have none.
  const simulated_textures* textures = nullptr;
};

/// What the kernel asked of the driver.
struct simulated_report {
  /// A work-item failed an assertion; its group and those not yet started were given up.
  bool trapped = false;
  std::string printed;
  /// Each group (sub-group) counts once.
  std::uint64_t group_barriers = 0;
  std::uint64_t sub_group_barriers = 0;
  std::uint64_t shuffles = 0;
  std::uint64_t ballots = 0;
  std::uint64_t fences = 0;
  /// By pianola_sim_operation.
  std::map<std::uint32_t, std::uint64_t> atomics;
  /// Atomic accesses and fences by pianola_sim_order and pianola_sim_scope.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> ordered_accesses;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> ordered_fences;
};

struct simulated_kernel {
  pianola_sim_kernel run = nullptr;
  const pianola_kernel* description = nullptr;
  std::uint32_t group_object_bytes = 0;
};

/// The kernel with this id of the program's object files, its image loaded. Throws std::runtime_error: there
/// is no such kernel, or no image for "pianola-sim", or it cannot be loaded.
simulated_kernel find_simulated_kernel(std::uint64_t id);

/// Runs all work-items. `functor` points to the function object; its local accessors hold offsets into local
/// memory. Local memory starts with other bytes than 0.
///
/// Throws std::runtime_error where a GPU would hang or compute nonsense: work-items of a group wait for
/// different things, or those of a sub-group make different calls.
simulated_report run_simulated(const simulated_kernel& kernel, const void* functor,
                               const simulated_launch& launch);

}  // namespace pianola::test
