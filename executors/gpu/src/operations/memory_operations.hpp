// SPDX-License-Identifier: Apache-2.0
// Copies and fills in the terms of drivers: few operations, each as simple as it can be said.
#pragma once
#include <cstdint>
#include <variant>
#include <vector>

#include "pianola/gpu/driver.hpp"

namespace pianola::gpu {

using memory_operation = std::variant<copy_operation, fill_operation>;

// The same bytes with as few dimensions as possible. False: there is nothing to copy.
[[nodiscard]] bool simplify_copy(executors::resolved_copy& box) noexcept;

// 1, 2 or 3.
[[nodiscard]] unsigned dimensions_of(const executors::resolved_copy& box) noexcept;

// Appends what copies the box, if there is anything to copy.
void append_copy(const copy_operation& copy, std::vector<memory_operation>& out);

// Appends operations that, in this order, fill the box. `where`: the device that has the memory; `device`: the
// device that does it.
void append_fill(const executors::resolved_fill& fill, std::int32_t where, std::uint32_t device,
                 std::vector<memory_operation>& out);

}  // namespace pianola::gpu
