// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace pianola::compiler {

/// Functions that are declared SYCL_EXTERNAL, which the headers make an annotation of, get an attribute instead, which copies of
/// the module keep.
void mark_external_functions(llvm::Module& module);

/// Takes it away again.
void unmark_external_functions(llvm::Module& module);

/// Whether the function is declared SYCL_EXTERNAL.
bool is_external(const llvm::Function& function);

}  // namespace pianola::compiler
