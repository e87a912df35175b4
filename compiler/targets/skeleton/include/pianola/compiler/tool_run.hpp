// SPDX-License-Identifier: Apache-2.0
// Assemblers and linkers that targets run.
#pragma once

#include <optional>
#include <string>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Program.h>

namespace pianola::compiler {

/// The first of these programs that is in PATH or with LLVM 19; empty where there is none.
std::string find_tool(llvm::ArrayRef<const char*> names);

/// A tool that makes one file of another, in a process of its own: several can run at a time. Temporary files are removed
/// in the end.
class tool_run {
 public:
  struct files {
    llvm::StringRef input_suffix;
    llvm::StringRef output_suffix;
  };

  /// Runs `tool options... INPUT -o OUTPUT`.
  tool_run(const std::string& tool, llvm::ArrayRef<llvm::StringRef> options, const files& suffixes,
           llvm::StringRef input);
  tool_run(const tool_run&) = delete;
  tool_run& operator=(const tool_run&) = delete;
  ~tool_run();

  /// Waits, and gives the bytes of the file that the tool made. Nothing: it failed; error() says why.
  std::optional<std::string> result();
  /// What the tool printed.
  const std::string& messages() const { return messages_; }
  const std::string& error() const { return error_; }

 private:
  std::string new_file(llvm::StringRef suffix);
  bool write(llvm::StringRef input);

  std::string error_;
  std::string input_path_;
  std::string output_path_;
  std::string messages_path_;
  std::optional<llvm::sys::ProcessInfo> process_;
  std::string messages_;
};

}  // namespace pianola::compiler
