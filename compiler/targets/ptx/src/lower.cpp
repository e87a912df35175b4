// SPDX-License-Identifier: Apache-2.0
#include "steps.hpp"

namespace pianola::compiler::ptx {

bool lower(llvm::Module& module, llvm::ArrayRef<kernel> kernels, const llvm::TargetMachine& machine,
           const options& options) {
  drop_host_traits(module);
  if (!add_entry_points(module, kernels)) return false;
  resolve_intrinsics(module);
  simplify(module);
  resolve_library_calls(module);
  map_math(module, options.fast_math);
  if (!link_device_libraries(module, options)) return false;
  retarget(module, machine, options.fast_math);
  return true;
}

}  // namespace pianola::compiler::ptx
