// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/statistics.hpp"

#include "core.hpp"

namespace pianola::runtime {

statistics get_statistics() noexcept {
  core* c = core::started();
  if (c == nullptr) return {};
  std::lock_guard lock(c->mutex);
  return c->counted;
}

void reset_statistics() noexcept {
  core* c = core::started();
  if (c == nullptr) return;
  std::lock_guard lock(c->mutex);
  c->counted = {};
}

}  // namespace pianola::runtime
