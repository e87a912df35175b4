// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Program.h>

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

/// A run of ptxas in a process of its own; several can run at a time.
class assembly {
 public:
  /// `architecture`: "sm_90". Temporary files are removed in the end.
  assembly(const std::string& ptxas, llvm::StringRef ptx, const std::string& architecture);
  assembly(const assembly&) = delete;
  assembly& operator=(const assembly&) = delete;
  ~assembly();

  /// Waits. Nothing: ptxas failed; error() says why.
  std::optional<std::string> cubin();
  /// What ptxas printed: errors, warnings, use of resources.
  const std::string& output() const { return output_; }
  const std::string& error() const { return error_; }

 private:
  std::string error_;
  std::string ptx_path_;
  std::string cubin_path_;
  std::string output_path_;
  std::optional<llvm::sys::ProcessInfo> process_;
  std::string output_;
};

}  // namespace pianola::compiler::ptx
