// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <llvm/IR/Module.h>

namespace pianola::compiler {

/// Gives the kernels of the unit `host` the code that they have where `__SYCL_DEVICE_ONLY__` is defined. `bitcode` is the
/// same unit parsed with that macro, not optimised. Bodies of kernels (annotated "pianola.kernel") and what runs them on
/// the host ("pianola.entry") are replaced by those of that parse, which bring the functions that they reach along, as
/// functions of their own; the unit's host code keeps its own. Variables are the same objects in both.
///
/// Kernels that the second parse lacks, or whose function objects have another size there, are errors: programs must have
/// the same kernels in both. Before everything else that is done to the unit.
void merge_device_pass(llvm::Module& host, std::string_view bitcode);

}  // namespace pianola::compiler
