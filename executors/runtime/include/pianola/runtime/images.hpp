// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pianola/model/ids.hpp>
#include <pianola/model/kernel_facts.hpp>

namespace pianola::runtime {

// What the compiler told of a kernel. Null if it told nothing: the kernel was compiled in library-only mode,
// or its accesses cannot be followed. Valid until the object file that holds the kernel is unloaded, as is
// the kernel's descriptor.
[[nodiscard]] const model::kernel_facts* find_kernel_facts(model::kernel_id) noexcept;

}  // namespace pianola::runtime
