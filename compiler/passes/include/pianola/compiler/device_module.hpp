// SPDX-License-Identifier: Apache-2.0
// What every target does with its copy of the device module.
#pragma once

#include <string>
#include <vector>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "kernel.hpp"

namespace pianola::compiler {

/// The kernels that sub-groups of this size can run. Warns of the others: they are left out of the code for `devices`.
std::vector<kernel> kernels_with_sub_groups_of(unsigned size, llvm::ArrayRef<kernel> kernels,
                                               const std::string& devices,
                                               llvm::LLVMContext& context);

/// The same kernels, with the bodies that a copy of the module has.
std::vector<kernel> kernels_of_copy(llvm::ArrayRef<kernel> kernels,
                                    const llvm::ValueToValueMapTy& copies);

/// Takes away what the module as a whole says of the host: constructors, lists of what is used, flags, assembly.
void drop_host_traits_of_module(llvm::Module& module);

}  // namespace pianola::compiler
