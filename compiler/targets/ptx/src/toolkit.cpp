// SPDX-License-Identifier: Apache-2.0
#include "toolkit.hpp"

#include <cstdlib>
#include <vector>

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Program.h>

namespace pianola::compiler::ptx {

namespace {

std::string file_in(const std::string& root, std::initializer_list<const char*> places) {
  for (const char* place : places) {
    llvm::SmallString<128> path(root);
    llvm::sys::path::append(path, place);
    if (llvm::sys::fs::exists(path) && !llvm::sys::fs::is_directory(path)) return path.str().str();
  }
  return {};
}

std::vector<std::string> roots(const options& options) {
  if (!options.cuda_path.empty()) return {options.cuda_path};
  // Who says where it is gets that one or an error.
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char* value = std::getenv(variable); value != nullptr && *value != '\0')
      return {value};
  std::vector<std::string> result = {"/usr/local/cuda"};
  if (const auto ptxas = llvm::sys::findProgramByName("ptxas")) {
    llvm::SmallString<128> real;
    if (!llvm::sys::fs::real_path(*ptxas, real))
      result.push_back(llvm::sys::path::parent_path(llvm::sys::path::parent_path(real)).str());
  }
  result.emplace_back("/usr/lib/nvidia-cuda-toolkit");
  return result;
}

}  // namespace

toolkit find_toolkit(const options& options) {
  toolkit result;
  for (const std::string& root : roots(options)) {
    if (result.ptxas.empty()) result.ptxas = file_in(root, {"bin/ptxas"});
    if (result.libdevice.empty())
      result.libdevice =
          file_in(root, {"nvvm/libdevice/libdevice.10.bc", "libdevice/libdevice.10.bc"});
    result.searched += (result.searched.empty() ? "" : ", ") + root;
  }
  return result;
}

std::string missing(const toolkit& found, const char* what) {
  return std::string("cannot compile for CUDA devices: ") + what +
         " of the CUDA toolkit was not found (searched " + found.searched +
         "); install the CUDA toolkit 12.0 or later, or say where it is with "
         "--pianola-cuda-path=DIR or the "
         "environment variable CUDA_PATH";
}

}  // namespace pianola::compiler::ptx
