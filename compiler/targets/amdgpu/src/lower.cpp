// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/Module.h>

#include "pianola/compiler/reaching_kernel.hpp"
#include "steps.hpp"

namespace pianola::compiler::amdgpu {

bool lower(llvm::Module& module, llvm::ArrayRef<kernel> kernels, const architecture& target,
           const options& chosen) {
  const llvm::DataLayout layout = device_layout(target);
  // For messages.
  for (const kernel& kernel : kernels) kernel.body->addFnAttr(kernel_name_attribute, kernel.name);
  drop_host_traits(module);
  lower_parameters(module);
  if (!pin_layouts(module, layout)) return false;
  module.setTargetTriple(target_triple);
  module.setDataLayout(layout);
  if (!assign_address_spaces(module)) return false;
  map_sync_scopes(module);
  if (!add_entry_points(module, kernels)) return false;
  if (!resolve_intrinsics(module, target)) return false;
  resolve_library_calls(module, chosen.fast_math);
  // What HIP 5.2 loads.
  module.addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", 400);
  return true;
}

}  // namespace pianola::compiler::amdgpu
