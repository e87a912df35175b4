// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "kernel.hpp"

namespace llvm {
class Module;
}

namespace pianola::compiler {

/// The functions that the headers annotated as bodies of kernels, in the order of the module. `unit` goes
/// into the ids.
std::vector<kernel> find_kernels(llvm::Module& module, std::string_view unit);

/// Replaces every `__pianola_kernel_id(body)` by the id of that kernel.
void resolve_kernel_ids(llvm::Module& module, const std::vector<kernel>& kernels);

}  // namespace pianola::compiler
