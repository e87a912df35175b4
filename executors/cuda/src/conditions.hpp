// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pianola::cuda {

// PTX of the kernel that gives conditions of graphs their numbers.
extern const char* const setting_image;

}  // namespace pianola::cuda
