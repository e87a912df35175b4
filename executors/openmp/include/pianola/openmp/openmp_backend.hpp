// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pianola/executors/backend.hpp>

namespace pianola::openmp {

// The embedded default backend: one device, the processors of this process, working in host memory.
[[nodiscard]] executors::backend_factory factory() noexcept;

}  // namespace pianola::openmp
