// SPDX-License-Identifier: Apache-2.0
// The suite's kernels as device code.
#include "suite_kernels.hpp"

#include <pianola/test/simulated_image.hpp>

PIANOLA_TEST_IMAGE

namespace {

using namespace pianola::test;

template <class Object>
void run(const Object& object, const pianola_launch& launch, const pianola_sim_item& item) {
  unit_context c{};
  for (int i = 0; i < 3; ++i) {
    c.units[i] = Object::grouped ? launch.global[i] / item.local_size[i] : launch.global[i];
    c.local[i] = item.local_size[i];
    c.id[i] = Object::grouped ? item.group_id[i] : global_id(item, i);
    if (Object::grouped ? item.local_id[i] != 0 : c.id[i] >= launch.global[i]) return;
  }
  c.local_memory = item.local_memory;
  object(c);
}

}  // namespace

#define PIANOLA_SUITE_KERNEL(symbol, object_type) \
  PIANOLA_TEST_KERNEL(symbol, object_type) { run(object, launch, item); }
PIANOLA_SUITE_KERNELS(PIANOLA_SUITE_KERNEL)
