// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pianola/executors/resolved_step.hpp>

namespace pianola::host {

void copy_bytes(const executors::resolved_copy& copy) noexcept;
void fill_bytes(const executors::resolved_fill& fill) noexcept;

}  // namespace pianola::host
