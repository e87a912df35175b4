// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernel.hpp"

namespace llvm {
class Module;
}

namespace pianola::compiler {

/// Collects, for each kernel, the kernel attributes of all functions that its body reaches, fills in
/// kernel::required_sub_group_size, answers __pianola_kernel_requirement, and takes the attributes'
/// annotations out of the module, where they would keep functions alive. An error for attributes that
/// contradict each other or do not fit the kernel.
void resolve_requirements(llvm::Module& module, std::vector<kernel>& kernels);

}  // namespace pianola::compiler
