// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Module.h>

namespace pianola::compiler {

/// Inlines what the loops over the work-items of a range call (pianola::glue::for_each_in_row): the glue in
/// between, the kernel, and its functions as far as they are small. LLVM would do so later, but at -O3 it first
/// changes parameters of functions that are local to a file, makes new calls of them, and forgets that accesses
/// to memory in different iterations are independent. The vectoriser would then have to compare addresses when
/// the loop runs, and could do nothing with those it does not understand.
void inline_item_calls(llvm::Module& module);

}  // namespace pianola::compiler
