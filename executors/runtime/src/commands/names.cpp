// SPDX-License-Identifier: Apache-2.0
#include "commands/names.hpp"

#include <cstring>
#include <variant>

#include <pianola/formats/text.hpp>

#include "kernels/image_registry.hpp"

namespace pianola::runtime {

const char* kind_name(const model::command_payload& p) noexcept {
  struct namer {
    const char* operator()(const model::empty_command&) const { return "empty"; }
    const char* operator()(const model::kernel_command&) const { return "kernel"; }
    const char* operator()(const model::copy_command&) const { return "memcpy"; }
    const char* operator()(const model::fill_command& f) const {
      return f.pattern_bytes == 1 ? "memset" : "fill";
    }
    const char* operator()(const model::host_task_command&) const { return "host_task"; }
    const char* operator()(const model::barrier_command&) const { return "barrier"; }
    const char* operator()(const model::prefetch_command&) const { return "prefetch"; }
    const char* operator()(const model::advise_command&) const { return "memadvise"; }
    const char* operator()(const model::host_access_command&) const { return "host_access"; }
    const char* operator()(const model::acquire_command&) const { return "update"; }
    const char* operator()(const model::subgraph_command&) const { return "subgraph"; }
    const char* operator()(const model::allocate_command&) const { return "async_malloc"; }
    const char* operator()(const model::free_command&) const { return "async_free"; }
  };
  return std::visit(namer{}, p);
}

const char* display_name(const model::command& c) noexcept {
  if (*c.label != '\0') return c.label;
  const auto* k = std::get_if<model::kernel_command>(&c.payload);
  if (k != nullptr && k->kernel != nullptr) return k->kernel->name;
  return kind_name(c.payload);
}

std::string label_for_files(const model::command& c) {
  // clang calls a lambda by its place alone; the compiler has told us of its function.
  const auto* k = std::get_if<model::kernel_command>(&c.payload);
  if (k != nullptr && k->kernel != nullptr && *c.label == '\0' &&
      std::strncmp(k->kernel->name, "(lambda at ", 11) == 0)
    if (const pianola_kernel* told = image_registry::instance().find_kernel(k->id))
      return std::string(told->name) + " " + k->kernel->name;
  return *c.label == '\0' && !std::holds_alternative<model::kernel_command>(c.payload)
             ? display_name(c)
             : formats::full_name(c);
}

}  // namespace pianola::runtime
