// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/compile_module.hpp"

#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "pianola/compiler/add_part_entries.hpp"
#include "pianola/compiler/analyse_arguments.hpp"
#include "pianola/compiler/annotations.hpp"
#include "pianola/compiler/check_accesses.hpp"
#include "pianola/compiler/check_device_code.hpp"
#include "pianola/compiler/compile_for_devices.hpp"
#include "pianola/compiler/define_complex_arithmetic.hpp"
#include "pianola/compiler/emit_registration.hpp"
#include "pianola/compiler/expand_computed_gotos.hpp"
#include "pianola/compiler/find_kernels.hpp"
#include "pianola/compiler/group_objects.hpp"
#include "pianola/compiler/inline_item_calls.hpp"
#include "pianola/compiler/intermediate_files.hpp"
#include "pianola/compiler/lower_work_groups.hpp"
#include "pianola/compiler/merge_device_pass.hpp"
#include "pianola/compiler/outline.hpp"
#include "pianola/compiler/resolve_name_hashes.hpp"
#include "pianola/compiler/vector_math.hpp"

#include "name_subprograms.hpp"

namespace pianola::compiler {

namespace {

// Bodies of ranges and single tasks were made for devices and for nothing else; those of nd_ranges have
// become loops.
void delete_bodies(llvm::ArrayRef<kernel> kernels) {
  for (const kernel& k : kernels) {
    k.body->removeDeadConstantUsers();
    if (k.body->use_empty()) k.body->eraseFromParent();
  }
}

// For people who want to know what is known.
void keep_uses(const llvm::Module& module, const options& chosen, llvm::ArrayRef<kernel> kernels,
               llvm::ArrayRef<kernel_uses> uses) {
  if (chosen.save_temps.empty()) return;
  std::string text;
  llvm::raw_string_ostream out(text);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    out << kernels[i].name << ": ";
    print(out, uses[i]);
    print_accesses(out, uses[i]);
    print_operations(out, uses[i]);
  }
  intermediate_files(module.getContext(), chosen, module.getSourceFileName(), "kernels")
      .keep(text, ".facts");
}

// The two kinds of kernels, see has_own_images, that images are made of one by one.
constexpr bool kinds[] = {false, true};

std::vector<kernel> those_of(bool kind, llvm::ArrayRef<kernel> all, const options& chosen) {
  std::vector<kernel> some;
  llvm::copy_if(all, std::back_inserter(some),
                [&](const kernel& k) { return has_own_images(k, chosen) == kind; });
  return some;
}

}  // namespace

llvm::PreservedAnalyses compile_module::run(llvm::Module& module,
                                            llvm::ModuleAnalysisManager& analyses) {
  if (!options_.device_pass.empty()) merge_device_pass(module, options_.device_pass);
  resolve_name_hashes(module, options_.unit);
  const std::vector<kernel> kernels = find_kernels(module, options_.unit);
  expand_computed_gotos(kernels);
  std::array<std::vector<image>, std::size(kinds)> images;
  std::vector<kernel_uses> uses;
  if (!kernels.empty()) {
    std::vector<kernel> outlined;
    const std::unique_ptr<llvm::Module> device = outline(module, kernels, outlined);
    define_complex_arithmetic(*device);
    for (llvm::Function& function : *device) read_objects_of_blocks(function);
    const bool for_devices = !options_.targets.empty() && check_device_code(*device, outlined);
    if (for_devices) number_group_objects(*device);
    uses = analyse_arguments(outlined);
    if (for_devices) {
      const std::vector<kernel> entries = add_part_entries(outlined, uses);
      for (const bool kind : kinds)
        if (const auto some = those_of(kind, entries, options_); !some.empty())
          images[kind] = compile_for_devices(*device, some, options_);
    }
    keep_uses(module, options_, kernels, uses);
  }

  if (options_.check_accesses) name_subprograms(module);
  vectorise_math(module, kernels);
  resolve_kernel_ids(module, kernels);
  remove_annotations(module, "pianola.kernel");
  auto& functions =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  lower_work_groups(module, kernels, functions, *simplify_, options_.check_accesses);
  if (options_.check_accesses)
    check_accesses(module, kernels, functions,
                   options_.optimisation > 0 ? simplify_.get() : nullptr);
  if (options_.optimisation > 2) inline_item_calls(module);
  delete_bodies(kernels);
  resolve_leftover_intrinsics(module);
  for (const bool kind : kinds) {
    std::vector<kernel_uses> of_kind;
    for (std::size_t i = 0; i < uses.size(); ++i)
      if (has_own_images(kernels[i], options_) == kind) of_kind.push_back(std::move(uses[i]));
    emit_registration(module, those_of(kind, kernels, options_), images[kind], of_kind);
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace pianola::compiler
