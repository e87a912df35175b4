// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace pianola::runtime {

// Bytes behind the storage of a buffer that belong to it and that nobody may touch: an index that is one or a few too large is
// noticed there.
inline constexpr std::size_t padding_for_checks = 256;

// That many if the program has kernels that ask before they touch memory, else 0.
[[nodiscard]] std::size_t padding_of_buffers() noexcept;

}  // namespace pianola::runtime
