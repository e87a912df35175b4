// SPDX-License-Identifier: Apache-2.0
// Kernels that the tests of the test drivers run.
#include <unistd.h>

#include <pianola/test/simulated_image.hpp>

#include "kernels.hpp"

PIANOLA_TEST_IMAGE

using namespace pianola::test;

PIANOLA_TEST_KERNEL(affine, affine_object) {
  if (!is_inside(item, launch)) return;
  auto& x = object.data[global_id(item, 2) + launch.offset[2]];
  x = 3 * x + object.addend;
}

PIANOLA_TEST_KERNEL(store, store_object) {
  if (is_inside(item, launch)) *object.where = object.value;
}

// Runs until the value is there.
PIANOLA_TEST_KERNEL(linger, store_object) {
  while (__atomic_load_n(object.where, __ATOMIC_ACQUIRE) != object.value) usleep(50);
}

PIANOLA_TEST_KERNEL(reverse, store_object) {
  auto* local = static_cast<std::uint32_t*>(item.local_memory);
  const std::uint32_t i = item.local_id[2], n = item.local_size[2];
  local[i] = object.where[i];
  item.calls->group_barrier(&item, PIANOLA_SIM_WORK_GROUP);
  object.where[i] = local[n - 1 - i];
}

PIANOLA_TEST_KERNEL(say, store_object) {
  item.calls->print(&item, "%u work-items\n", object.value);
}

PIANOLA_TEST_KERNEL(give_up, store_object) { item.calls->trap(&item); }

PIANOLA_TEST_KERNEL(part_ways, store_object) {
  if (item.local_id[2] == 0)
    item.calls->group_barrier(&item, PIANOLA_SIM_WORK_GROUP);
  else
    item.calls->ballot(&item, 1);
}

PIANOLA_TEST_KERNEL(sample, sample_object) {
  if (!is_inside(item, launch)) return;
  const std::uint64_t i = global_id(item, 2);
  item.calls->texture(&item, object.texture, object.at[2 * i], object.at[2 * i + 1], object.kind,
                      object.texels + 4 * i);
}

PIANOLA_TEST_KERNEL(large, large_object) { *object.where = object.values[0] + object.values[999]; }
