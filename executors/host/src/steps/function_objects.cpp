// SPDX-License-Identifier: Apache-2.0
#include "pianola/host/function_objects.hpp"

#include <memory>
#include <new>

#include "pianola/host/team.hpp"

namespace pianola::host {

void end_function_object(const model::argument_block& b) noexcept {
  if (b.bytes == nullptr) return;
  if (b.operations != nullptr && b.operations->destroy != nullptr) b.operations->destroy(b.bytes);
  ::operator delete(b.bytes, std::align_val_t(b.alignment));
}

void end_function_object_elsewhere(const model::argument_block& b) noexcept {
  if (b.operations == nullptr || b.operations->destroy == nullptr) {
    end_function_object(b);
    return;
  }
  const auto end = [](void* block) {
    const std::unique_ptr<model::argument_block> mine(static_cast<model::argument_block*>(block));
    end_function_object(*mine);
  };
  if (auto* mine = new (std::nothrow) model::argument_block(b))
    team::instance().run_detached(end, mine);
  else
    end_function_object(b);
}

}  // namespace pianola::host
