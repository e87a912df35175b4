// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <llvm/ADT/StringRef.h>

#include "pianola/compiler/tool_run.hpp"

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

/// Begins a run of ptxas. `architecture`: "sm_90".
std::unique_ptr<tool_run> assemble(const std::string& ptxas, llvm::StringRef ptx,
                                   const std::string& architecture);

}  // namespace pianola::compiler::ptx
