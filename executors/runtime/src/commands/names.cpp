// SPDX-License-Identifier: Apache-2.0
#include "commands/names.hpp"

#include <cstring>
#include <variant>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>

#include "kernels/image_registry.hpp"

namespace pianola::runtime {

const char* display_name(const model::command& c) noexcept {
  if (*c.label != '\0') return c.label;
  const auto* k = std::get_if<model::kernel_command>(&c.payload);
  if (k != nullptr && k->kernel != nullptr) return k->kernel->name;
  return model::name_of(model::node_kind_of(c.payload));
}

std::string label_for_files(const model::command& c) {
  // clang calls a lambda by its place alone; the compiler has told us of its function.
  const auto* k = std::get_if<model::kernel_command>(&c.payload);
  if (k != nullptr && k->kernel != nullptr && *c.label == '\0' &&
      std::strncmp(k->kernel->name, "(lambda at ", 11) == 0)
    if (const pianola_kernel* told = image_registry::instance().find_kernel(k->id))
      return fmt::format("{} {}", told->name, k->kernel->name);
  return *c.label == '\0' && !std::holds_alternative<model::kernel_command>(c.payload)
             ? display_name(c)
             : formats::full_name(c);
}

}  // namespace pianola::runtime
