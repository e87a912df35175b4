// SPDX-License-Identifier: Apache-2.0
#include "assemble.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

namespace pianola::compiler::ptx {

namespace {

std::string temporary(llvm::StringRef suffix, std::string& error) {
  llvm::SmallString<128> path;
  if (const std::error_code failure = llvm::sys::fs::createTemporaryFile("pianola", suffix, path)) {
    error = "cannot make a temporary file: " + failure.message();
    return {};
  }
  return path.str().str();
}

std::string contents(const std::string& path) {
  const auto buffer =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

// The number in front of " bytes stack frame" or behind "Used ".
unsigned number_before(llvm::StringRef line, llvm::StringRef unit) {
  const std::size_t end = line.find(unit);
  if (end == llvm::StringRef::npos) return 0;
  const llvm::StringRef head = line.take_front(end).rtrim();
  const std::size_t start = head.find_last_not_of("0123456789");
  unsigned value = 0;
  head.substr(start == llvm::StringRef::npos ? 0 : start + 1).getAsInteger(10, value);
  return value;
}

}  // namespace

std::vector<kernel_resources> parse_resources(llvm::StringRef output) {
  std::vector<kernel_resources> result;
  while (!output.empty()) {
    llvm::StringRef line;
    std::tie(line, output) = output.split('\n');
    if (line.contains("Compiling entry function '")) {
      result.emplace_back().symbol = line.split('\'').second.split('\'').first.str();
      continue;
    }
    if (result.empty()) continue;
    kernel_resources& last = result.back();
    if (line.contains("bytes stack frame")) {
      last.stack_bytes = number_before(line, " bytes stack frame");
      last.spill_store_bytes = number_before(line, " bytes spill stores");
      last.spill_load_bytes = number_before(line, " bytes spill loads");
    } else if (line.contains("Used ")) {
      last.registers = number_before(line, " registers");
      last.shared_bytes = number_before(line, " bytes smem");
    }
  }
  return result;
}

assembly::assembly(const std::string& ptxas, llvm::StringRef ptx, const std::string& architecture)
    : ptx_path_(temporary("ptx", error_)),
      cubin_path_(temporary("cubin", error_)),
      output_path_(temporary("txt", error_)) {
  if (!error_.empty()) return;
  {
    std::error_code failure;
    llvm::raw_fd_ostream file(ptx_path_, failure);
    file << ptx;
    file.close();
    if (failure || file.has_error()) {
      error_ = "cannot write '" + ptx_path_ + "': " + (failure ? failure : file.error()).message();
      file.clear_error();
      return;
    }
  }
  const std::string architecture_option = "-arch=" + architecture;
  llvm::SmallVector<llvm::StringRef, 8> arguments{ptxas, architecture_option, "-O3",    "-v",
                                                  "-o",  cubin_path_,         ptx_path_};
  if (ptx.contains("\t.loc\t")) arguments.push_back("-lineinfo");
  const std::optional<llvm::StringRef> streams[] = {
      llvm::StringRef(), llvm::StringRef(output_path_), llvm::StringRef(output_path_)};
  bool failed = false;
  llvm::sys::ProcessInfo process = llvm::sys::ExecuteNoWait(ptxas, arguments, std::nullopt, streams,
                                                            /*MemoryLimit=*/0, &error_, &failed);
  if (!failed) process_ = process;
}

assembly::~assembly() {
  if (process_) llvm::sys::Wait(*process_, std::nullopt);
  for (const std::string& path : {ptx_path_, cubin_path_, output_path_})
    if (!path.empty()) llvm::sys::fs::remove(path);
}

std::optional<std::string> assembly::cubin() {
  if (!process_) return std::nullopt;
  const llvm::sys::ProcessInfo result = llvm::sys::Wait(*process_, std::nullopt, &error_);
  process_.reset();
  output_ = contents(output_path_);
  if (result.ReturnCode != 0) {
    if (error_.empty()) error_ = output_;
    return std::nullopt;
  }
  return contents(cubin_path_);
}

}  // namespace pianola::compiler::ptx
