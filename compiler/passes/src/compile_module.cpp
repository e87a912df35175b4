// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/compile_module.hpp"

#include <string>
#include <utility>
#include <vector>

#include <llvm/IR/Module.h>

#include "devices/kernel_images.hpp"
#include "name_subprograms.hpp"
#include "pianola/compiler/analyse_arguments.hpp"
#include "pianola/compiler/annotations.hpp"
#include "pianola/compiler/check_accesses.hpp"
#include "pianola/compiler/check_device_code.hpp"
#include "pianola/compiler/device_unit.hpp"
#include "pianola/compiler/device_variables.hpp"
#include "pianola/compiler/emit_registration.hpp"
#include "pianola/compiler/expand_computed_gotos.hpp"
#include "pianola/compiler/external_functions.hpp"
#include "pianola/compiler/find_kernels.hpp"
#include "pianola/compiler/group_objects.hpp"
#include "pianola/compiler/inline_item_calls.hpp"
#include "pianola/compiler/link_devices.hpp"
#include "pianola/compiler/lower_work_groups.hpp"
#include "pianola/compiler/merge_device_pass.hpp"
#include "pianola/compiler/resolve_name_hashes.hpp"
#include "pianola/compiler/vector_math.hpp"

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

// What a translation unit's kernels have come to.
struct unit_kernels {
  std::vector<kernel_uses> uses;
  images_by_kind images;
  // Whose pointers the images have.
  std::vector<device_variable> variables;
  // Of each kernel, see check_device_code(); none where there are no images to be made.
  std::vector<std::string> waits_for;

  bool waits(std::size_t i) const { return i < waits_for.size() && !waits_for[i].empty(); }
};

// Of the kernels that wait, or of the others.
std::vector<std::size_t> indices_of(bool waiting, const unit_kernels& of, std::size_t count) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < count; ++i)
    if (of.waits(i) == waiting) found.push_back(i);
  return found;
}

template <class T>
std::vector<T> those_at(llvm::ArrayRef<std::size_t> indices, llvm::ArrayRef<T> all) {
  std::vector<T> some;
  for (const std::size_t i : indices) some.push_back(all[i]);
  return some;
}

// Those that wait get their images when the program is linked.
void make_images_of_unit(const llvm::Module& module, llvm::ArrayRef<kernel> kernels,
                         outlined_kernels& all, unit_kernels& made, const options& chosen) {
  const std::vector<std::size_t> ready = indices_of(false, made, kernels.size());
  if (ready.size() == kernels.size()) {
    made.variables = device_pointers_of(*all.device);
    made.images = make_images(all, made.uses, chosen);
    return;
  }
  if (ready.empty()) return;
  outlined_kernels some = outline_for_images(module, those_at(ready, kernels));
  number_group_objects(*some.device);
  std::vector<kernel_uses> uses = analyse_arguments(some.kernels);
  made.variables = device_pointers_of(*some.device);
  made.images = make_images(some, uses, chosen);
  for (std::size_t i = 0; i < ready.size(); ++i) made.uses[ready[i]] = std::move(uses[i]);
}

unit_kernels compile_kernels(llvm::Module& module, llvm::ArrayRef<kernel> kernels,
                             const options& chosen) {
  unit_kernels made;
  bool for_devices = !chosen.targets.empty();
  if (!kernels.empty()) {
    outlined_kernels all = outline_for_images(module, kernels);
    for_devices = for_devices && check_device_code(*all.device, all.kernels, made.waits_for);
    if (!for_devices) made.waits_for.clear();
    if (for_devices) number_group_objects(*all.device);
    made.uses = analyse_arguments(all.kernels);
    if (for_devices) make_images_of_unit(module, kernels, all, made, chosen);
    keep_uses(module.getContext(), module.getSourceFileName(), chosen, kernels, made.uses);
  }
  if (for_devices)
    emit_device_unit(module, those_at(indices_of(true, made, kernels.size()), kernels), chosen);
  return made;
}

void register_unit(llvm::Module& module, llvm::ArrayRef<kernel> kernels, const unit_kernels& made,
                   const options& chosen) {
  const std::vector<std::size_t> ready = indices_of(false, made, kernels.size());
  register_kernels(module, those_at(ready, kernels), made.images,
                   those_at<kernel_uses>(ready, made.uses), made.variables, chosen);
  for (const std::size_t i : indices_of(true, made, kernels.size()))
    emit_waiting_registration(module, kernels[i], made.waits_for[i], made.uses[i]);
}

}  // namespace

llvm::PreservedAnalyses compile_module::run(llvm::Module& module,
                                            llvm::ModuleAnalysisManager& analyses) {
  if (!options_.link_list.empty()) {
    link_devices(module, options_);
    return llvm::PreservedAnalyses::none();
  }
  if (!options_.device_pass.empty()) merge_device_pass(module, options_.device_pass);
  resolve_name_hashes(module, options_.unit);
  mark_external_functions(module);
  mark_device_variables(module, options_.device_variables, options_.unit);
  const std::vector<kernel> kernels = find_kernels(module, options_.unit);
  expand_computed_gotos(kernels);
  unit_kernels made = compile_kernels(module, kernels, options_);
  unmark_external_functions(module);
  const std::vector<device_variable> variables = unmark_device_variables(module);
  for (device_variable& v : made.variables)
    for (const device_variable& known : variables)
      if (v.pointer == known.pointer) v.variable = known.variable;
  if (!options_.targets.empty()) register_variables(module, variables);

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
  register_unit(module, kernels, made, options_);
  return llvm::PreservedAnalyses::none();
}

}  // namespace pianola::compiler
