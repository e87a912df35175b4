// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/tool_run.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

namespace pianola::compiler {

namespace {

std::string contents(const std::string& path) {
  const auto buffer =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

}  // namespace

std::string find_tool(llvm::ArrayRef<const char*> names) {
  for (const char* name : names) {
    if (const auto found = llvm::sys::findProgramByName(name, {"/usr/lib/llvm-19/bin"}))
      return *found;
    if (const auto found = llvm::sys::findProgramByName(name)) return *found;
  }
  return {};
}

std::string tool_run::new_file(llvm::StringRef suffix) {
  llvm::SmallString<128> path;
  if (!error_.empty()) return {};
  if (const std::error_code failure = llvm::sys::fs::createTemporaryFile("pianola", suffix, path)) {
    error_ = "cannot make a temporary file: " + failure.message();
    return {};
  }
  return path.str().str();
}

bool tool_run::write(llvm::StringRef input) {
  std::error_code failure;
  llvm::raw_fd_ostream file(input_path_, failure);
  if (!failure) {
    file << input;
    file.close();
    failure = file.error();
    file.clear_error();
  }
  if (failure) error_ = "cannot write '" + input_path_ + "': " + failure.message();
  return !failure;
}

tool_run::tool_run(const std::string& tool, llvm::ArrayRef<llvm::StringRef> options,
                   const files& suffixes, llvm::StringRef input)
    : input_path_(new_file(suffixes.input_suffix)),
      output_path_(new_file(suffixes.output_suffix)),
      messages_path_(new_file("txt")) {
  if (!error_.empty() || !write(input)) return;
  llvm::SmallVector<llvm::StringRef, 16> arguments{tool};
  arguments.append(options.begin(), options.end());
  arguments.append({input_path_, "-o", output_path_});
  const std::optional<llvm::StringRef> streams[] = {
      llvm::StringRef(), llvm::StringRef(messages_path_), llvm::StringRef(messages_path_)};
  bool failed = false;
  const llvm::sys::ProcessInfo process = llvm::sys::ExecuteNoWait(
      tool, arguments, std::nullopt, streams, /*MemoryLimit=*/0, &error_, &failed);
  if (!failed) process_ = process;
}

tool_run::~tool_run() {
  if (process_) llvm::sys::Wait(*process_, std::nullopt);
  for (const std::string& path : {input_path_, output_path_, messages_path_})
    if (!path.empty()) llvm::sys::fs::remove(path);
}

std::optional<std::string> tool_run::result() {
  if (!process_) return std::nullopt;
  const llvm::sys::ProcessInfo ended = llvm::sys::Wait(*process_, std::nullopt, &error_);
  process_.reset();
  messages_ = contents(messages_path_);
  if (ended.ReturnCode != 0) {
    if (error_.empty()) error_ = messages_;
    return std::nullopt;
  }
  return contents(output_path_);
}

}  // namespace pianola::compiler
