// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/statistics.hpp"

#include <mutex>

#include "machine/machine.hpp"
#include "process.hpp"

namespace pianola::runtime {

statistics get_statistics() noexcept {
  process* rt = process::started();
  if (rt == nullptr) return {};
  std::lock_guard lock(rt->mutex);
  statistics s = rt->counted;
  s.reinstantiations = rt->machine.reinstantiations() - rt->reinstantiations_before;
  return s;
}

void reset_statistics() noexcept {
  process* rt = process::started();
  if (rt == nullptr) return;
  std::lock_guard lock(rt->mutex);
  rt->counted = {};
  rt->reinstantiations_before = rt->machine.reinstantiations();
}

}  // namespace pianola::runtime
