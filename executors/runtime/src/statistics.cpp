// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/statistics.hpp"

#include "core.hpp"

namespace pianola::runtime {

statistics get_statistics() noexcept {
  core* c = core::started();
  if (c == nullptr) return {};
  std::lock_guard lock(c->mutex);
  statistics s = c->counted;
  s.reinstantiations = c->reinstantiations() - c->reinstantiations_before;
  return s;
}

void reset_statistics() noexcept {
  core* c = core::started();
  if (c == nullptr) return;
  std::lock_guard lock(c->mutex);
  c->counted = {};
  c->reinstantiations_before = c->reinstantiations();
}

}  // namespace pianola::runtime
