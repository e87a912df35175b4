// SPDX-License-Identifier: Apache-2.0
// The images that this program registers with Pianola, for sides that use them without it.
#pragma once
#include <pianola/abi/image.h>
#include <pianola/executors/backend.hpp>

namespace bench::gpu {

// Whose name, as people read it, contains the text. Throws if there is none.
[[nodiscard]] const pianola_kernel& kernel_named(const char* part);
[[nodiscard]] const pianola_kernel* find_kernel(pianola::model::kernel_id);
[[nodiscard]] pianola::model::array_view<const pianola_image> find_images(
    pianola::model::kernel_id);

}  // namespace bench::gpu
