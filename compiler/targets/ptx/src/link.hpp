// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <llvm/ADT/StringRef.h>

namespace pianola::compiler::ptx {

/// What ptxas -v says of one kernel.
struct kernel_resources {
  std::string symbol;
  unsigned registers = 0;
  unsigned stack_bytes = 0;
  unsigned spill_store_bytes = 0;
  unsigned spill_load_bytes = 0;
  unsigned shared_bytes = 0;
};

/// Reads the output of ptxas -v.
std::vector<kernel_resources> parse_resources(llvm::StringRef output);

}  // namespace pianola::compiler::ptx
