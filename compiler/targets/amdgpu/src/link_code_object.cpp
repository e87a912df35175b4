// SPDX-License-Identifier: Apache-2.0
#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FileUtilities.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/raw_ostream.h>

#include "diagnostics.hpp"
#include "steps.hpp"

namespace pianola::compiler::amdgpu {

namespace {

std::string find_linker() {
  for (const char* name : {"ld.lld-19", "ld.lld"}) {
    if (llvm::ErrorOr<std::string> found =
            llvm::sys::findProgramByName(name, {"/usr/lib/llvm-19/bin"}))
      return *found;
    if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name)) return *found;
  }
  return "";
}

class temporary_file {
 public:
  explicit temporary_file(llvm::StringRef suffix) {
    llvm::SmallString<128> path;
    error_ = llvm::sys::fs::createTemporaryFile("pianola-amdgpu", suffix, path);
    path_ = path.str().str();
    if (!error_) remover_.setFile(path);
  }
  const std::string& path() const { return path_; }
  std::error_code error() const { return error_; }

 private:
  std::string path_;
  std::error_code error_;
  llvm::FileRemover remover_;
};

std::string text_of(const std::string& path) {
  const auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : std::string();
}

}  // namespace

std::optional<std::string> link_code_object(const std::string& object, llvm::LLVMContext& context) {
  const std::string linker = find_linker();
  if (linker.empty()) {
    report_error(context, "targets hip:... need LLVM's linker ld.lld: install the package lld-19");
    return std::nullopt;
  }
  const temporary_file input("o"), output("hsaco"), messages("txt");
  for (const temporary_file* file : {&input, &output, &messages})
    if (file->error()) {
      report_error(context, "cannot make a temporary file: " + file->error().message());
      return std::nullopt;
    }
  std::error_code error;
  {
    llvm::raw_fd_ostream stream(input.path(), error);
    stream << object;
    stream.close();
    if (!error) error = stream.error();
    stream.clear_error();
  }
  if (error) {
    report_error(context, "cannot write " + input.path() + ": " + error.message());
    return std::nullopt;
  }
  const llvm::StringRef arguments[] = {
      linker, "-m", "elf64_amdgpu", "-shared", "--no-undefined", input.path(), "-o", output.path()};
  const std::optional<llvm::StringRef> streams[] = {
      llvm::StringRef(), llvm::StringRef(messages.path()), llvm::StringRef(messages.path())};
  std::string problem;
  const int status =
      llvm::sys::ExecuteAndWait(linker, arguments, std::nullopt, streams, 0, 0, &problem);
  if (status != 0) {
    report_error(context, linker + " failed to link device code for AMDGPU: " + problem +
                              text_of(messages.path()));
    return std::nullopt;
  }
  return text_of(output.path());
}

}  // namespace pianola::compiler::amdgpu
