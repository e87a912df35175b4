// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace pianola::gpu {

// How well an image for `image` ("sm_80", "ptx:sm_75", "gfx90a:xnack-", "pianola-sim") suits a device that
// calls itself `device` ("sm_86", "gfx90a:sramecc+:xnack-", "pianola-sim"). 0: does not run there; otherwise the
// larger the better.
//
// NVIDIA: machine code runs where the major number is the same and the minor one not smaller; "sm_90a" only on
// exactly that, "sm_100f" as plain machine code. PTX runs wherever the device is not older, but is compiled
// when it is loaded, so any machine code is better. AMD: the processor must be the same, and every feature that
// the image's name fixes must be set likewise.
[[nodiscard]] int image_suitability(std::string_view device, std::string_view image) noexcept;

}  // namespace pianola::gpu
