// SPDX-License-Identifier: Apache-2.0
#include "devices/kernel_images.hpp"

#include <iterator>
#include <string>

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/raw_ostream.h>

#include "pianola/compiler/add_part_entries.hpp"
#include "pianola/compiler/analyse_arguments.hpp"
#include "pianola/compiler/compile_for_devices.hpp"
#include "pianola/compiler/define_complex_arithmetic.hpp"
#include "pianola/compiler/emit_registration.hpp"
#include "pianola/compiler/group_objects.hpp"
#include "pianola/compiler/intermediate_files.hpp"
#include "pianola/compiler/outline.hpp"

namespace pianola::compiler {

namespace {

constexpr bool kinds[] = {false, true};

std::vector<kernel> those_of(bool kind, llvm::ArrayRef<kernel> all, const options& chosen) {
  std::vector<kernel> some;
  llvm::copy_if(all, std::back_inserter(some),
                [&](const kernel& k) { return has_own_images(k, chosen) == kind; });
  return some;
}

}  // namespace

outlined_kernels outline_for_images(const llvm::Module& host, llvm::ArrayRef<kernel> kernels) {
  outlined_kernels made;
  made.device = outline(host, kernels, made.kernels);
  define_complex_arithmetic(*made.device);
  for (llvm::Function& function : *made.device) read_objects_of_blocks(function);
  return made;
}

images_by_kind make_images(outlined_kernels& from, std::vector<kernel_uses>& uses,
                           const options& chosen) {
  images_by_kind images;
  const std::vector<kernel> entries = add_part_entries(from.kernels, uses);
  for (const bool kind : kinds)
    if (const auto some = those_of(kind, entries, chosen); !some.empty())
      images[kind] = compile_for_devices(*from.device, some, chosen);
  return images;
}

void register_kernels(llvm::Module& module, llvm::ArrayRef<kernel> kernels,
                      const images_by_kind& images, llvm::ArrayRef<kernel_uses> uses,
                      llvm::ArrayRef<device_variable> variables, const options& chosen) {
  for (const bool kind : kinds) {
    std::vector<kernel_uses> of_kind;
    for (std::size_t i = 0; i < uses.size(); ++i)
      if (has_own_images(kernels[i], chosen) == kind) of_kind.push_back(uses[i]);
    emit_registration(module, those_of(kind, kernels, chosen), images[kind], of_kind, variables);
  }
}

void keep_uses(llvm::LLVMContext& context, llvm::StringRef unit, const options& chosen,
               llvm::ArrayRef<kernel> kernels, llvm::ArrayRef<kernel_uses> uses) {
  if (chosen.save_temps.empty()) return;
  std::string text;
  llvm::raw_string_ostream out(text);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    out << kernels[i].name << ": ";
    print(out, uses[i]);
    print_accesses(out, uses[i]);
    print_operations(out, uses[i]);
  }
  intermediate_files(context, chosen, unit, "kernels").keep(text, ".facts");
}

}  // namespace pianola::compiler
