// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/executors/resolved_step.hpp>

namespace pianola::host {

// Whether two kernels with the same index space can run part by part: if both are cut alike, no part of one touches
// what a different part of the other writes, or writes what that touches. False if that is not known. Looks at the
// arguments, so it holds for these only.
[[nodiscard]] bool parts_are_independent(const executors::resolved_kernel& a,
                                         const executors::resolved_kernel& b) noexcept;

struct byte_range {
  std::uint64_t begin, end;
};
// What the kernel touches through pointers whose uses are known, with all that lies between; by address.
void append_touched_bytes(const executors::resolved_kernel& kernel, std::vector<byte_range>& out);

}  // namespace pianola::host
