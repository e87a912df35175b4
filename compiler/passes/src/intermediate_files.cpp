// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/intermediate_files.hpp"

#include <algorithm>

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include "pianola/compiler/diagnose.hpp"

namespace pianola::compiler {

intermediate_files::intermediate_files(llvm::LLVMContext& context, const options& chosen,
                                       llvm::StringRef unit, llvm::StringRef architecture)
    : context_(context), folder_(chosen.save_temps) {
  const llvm::StringRef stem = llvm::sys::path::stem(unit);
  stem_ = ((stem.empty() ? llvm::StringRef("pianola") : stem) + "-" + architecture).str();
  std::replace(stem_.begin(), stem_.end(), ':', '-');
}

void intermediate_files::keep(llvm::StringRef bytes, llvm::StringRef ending) const {
  if (folder_.empty()) return;
  llvm::SmallString<128> path(folder_);
  llvm::sys::path::append(path, stem_ + ending);
  std::error_code error = llvm::sys::fs::create_directories(folder_);
  if (!error) {
    llvm::raw_fd_ostream file(path, error);
    if (!error) {
      file << bytes;
      file.close();
      error = file.error();
      file.clear_error();
    }
  }
  if (error) report_warning(context_, "cannot write '" + path + "': " + error.message());
}

void intermediate_files::keep(const llvm::Module& module, llvm::StringRef ending) const {
  if (folder_.empty()) return;
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  keep(text, ending);
}

}  // namespace pianola::compiler
