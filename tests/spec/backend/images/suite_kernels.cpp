// SPDX-License-Identifier: Apache-2.0
// The suite's kernels as device code.
#include "suite_kernels.hpp"

#include <pianola/test/simulated_image.hpp>

PIANOLA_TEST_IMAGE

namespace {

using namespace pianola::test;

template <class Object>
void run(const Object& object, const pianola_part_launch& launch, const pianola_sim_item& item) {
  unit_context c{};
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t global = launch.whole.global[i];
    c.units[i] = Object::grouped ? global / item.local_size[i] : global;
    c.local[i] = item.local_size[i];
    c.id[i] = launch.first[i] + (Object::grouped ? item.group_id[i] : global_id(item, i));
    if (Object::grouped ? item.local_id[i] != 0 : c.id[i] >= launch.end[i]) return;
  }
  c.local_memory = item.local_memory;
  object(c);
}

pianola_part_launch all_of(const pianola_launch& launch) {
  return {launch, {0, 0, 0}, {launch.global[0], launch.global[1], launch.global[2]}};
}

}  // namespace

#define PIANOLA_SUITE_KERNEL(symbol, object_type)                                 \
  PIANOLA_TEST_KERNEL(symbol, object_type) { run(object, all_of(launch), item); } \
  PIANOLA_TEST_PART(symbol, object_type) { run(object, launch, item); }
PIANOLA_SUITE_KERNELS(PIANOLA_SUITE_KERNEL)
