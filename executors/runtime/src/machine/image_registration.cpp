// SPDX-License-Identifier: Apache-2.0
// What object files with kernels call when they are loaded and unloaded.
#include <pianola/abi/image.h>

#include "kernels/image_registry.hpp"
#include "machine/machine.hpp"
#include "process.hpp"

void pianola_register_images_v1(const pianola_image_set* set) {
  pianola::runtime::image_registry::instance().add(set);
}

void pianola_unregister_images_v1(const pianola_image_set* set) {
  using namespace pianola::runtime;
  if (!image_registry::instance().remove(set)) return;
  // Nobody finds them any more; devices may still hold what they made of them.
  if (process* rt = process::started()) rt->machine.forget_images(*set);
}
