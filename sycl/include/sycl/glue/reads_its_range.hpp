// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace pianola::glue {

/// First base of kernels that read how much of their geometry they run: contract in model::kernel_descriptor::read_range.
struct reads_its_range {
  /// Of the executor, on devices with images of their own: gets a number that is beyond the bound.
  std::uint64_t* beyond = nullptr;
};

}  // namespace pianola::glue
