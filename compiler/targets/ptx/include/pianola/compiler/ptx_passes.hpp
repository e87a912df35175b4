// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/PassManager.h>

#include <pianola/compiler/kernel.hpp>

namespace pianola::compiler {

/// For tests with `opt`; the module is that of a translation unit, with annotated kernels.
///   pianola-ptx<sm_80>               prints the PTX of its kernels on standard output
///   pianola-ptx-image<sm_75;sm_80>   also assembles it; results are the files of options.save_temps
/// False for other names.
bool parse_ptx_pass(llvm::StringRef name, llvm::ModulePassManager& passes, const options& chosen);

}  // namespace pianola::compiler
