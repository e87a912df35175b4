// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Module.h>

#include "kernel.hpp"

namespace pianola::compiler {

/// What a target makes on the way to an image, kept where options::save_temps names a folder: UNIT-ARCHITECTURE and the
/// ending. These files are no product: one that cannot be written is warned of, and nothing else.
class intermediate_files {
 public:
  /// `unit`: the path of the source. A colon of the architecture's name becomes a hyphen.
  intermediate_files(llvm::LLVMContext& context, const options& chosen, llvm::StringRef unit,
                     llvm::StringRef architecture);

  void keep(llvm::StringRef bytes, llvm::StringRef ending) const;
  void keep(const llvm::Module& module, llvm::StringRef ending) const;

 private:
  llvm::LLVMContext& context_;
  std::string folder_;  // empty: nothing is kept
  std::string stem_;
};

}  // namespace pianola::compiler
