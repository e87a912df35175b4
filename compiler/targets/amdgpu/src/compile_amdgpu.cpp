// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/compile_amdgpu.hpp"

#include <algorithm>

#include <llvm/IR/Module.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "code_generator.hpp"
#include "diagnostics.hpp"
#include "pianola/compiler/register_target.hpp"
#include "retarget.hpp"

namespace pianola::compiler {

namespace {

using namespace amdgpu;

/// Keeps what the user wants to look at; these files are no product, so that failures only warn.
class intermediate_files {
 public:
  intermediate_files(const llvm::Module& module, const architecture& target, const options& chosen)
      : context_(module.getContext()), folder_(chosen.save_temps) {
    std::string architecture = target.name;
    std::replace(architecture.begin(), architecture.end(), ':', '-');
    stem_ = (llvm::sys::path::stem(module.getSourceFileName()) + "-" + architecture).str();
  }

  void keep(const llvm::Module& module, const char* extension) const {
    if (folder_.empty()) return;
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream, nullptr);
    keep(text, extension);
  }

  void keep(const std::string& bytes, const char* extension) const {
    if (folder_.empty()) return;
    const std::string path = folder_ + "/" + stem_ + extension;
    std::error_code error = llvm::sys::fs::create_directories(folder_);
    if (!error) {
      llvm::raw_fd_ostream stream(path, error);
      if (!error) stream << bytes;
    }
    if (error) report_warning(context_, "cannot write " + path + ": " + error.message());
  }

 private:
  llvm::LLVMContext& context_;
  std::string folder_;
  std::string stem_;
};

/// The kernels that this architecture can run, in its own copy of the module.
std::vector<kernel> kernels_for(const architecture& target, llvm::ArrayRef<kernel> kernels,
                                llvm::ValueToValueMapTy& copies, llvm::Module& copy) {
  std::vector<kernel> own;
  for (const kernel& original : kernels) {
    if (original.required_sub_group_size != 0 &&
        original.required_sub_group_size != target.wavefront) {
      report_warning(copy.getContext(), "kernel '" + original.name + "' requires sub-groups of " +
                                            llvm::Twine(original.required_sub_group_size) +
                                            " work-items; " + target.name + " has sub-groups of " +
                                            llvm::Twine(target.wavefront) +
                                            " and gets no code for it");
      continue;
    }
    own.push_back(original);
    own.back().body = llvm::cast<llvm::Function>(copies[original.body]);
  }
  return own;
}

std::optional<image> compile_for(const llvm::Module& device, llvm::ArrayRef<kernel> kernels,
                                 const architecture& target, const std::string& libraries,
                                 const options& chosen) {
  const intermediate_files files(device, target, chosen);
  llvm::ValueToValueMapTy copies;
  const std::unique_ptr<llvm::Module> module = llvm::CloneModule(device, copies);
  const std::vector<kernel> own = kernels_for(target, kernels, copies, *module);
  copies.clear();

  if (!lower(*module, own, target, chosen)) return std::nullopt;
  files.keep(*module, ".lowered.ll");
  if (!optimise(*module, libraries, target, chosen)) return std::nullopt;
  if (!check_is_complete(*module)) return std::nullopt;
  files.keep(*module, ".ll");
  const std::optional<std::string> object = emit_object(*module, target, chosen);
  if (!object) return std::nullopt;
  std::optional<std::string> code_object = link_code_object(*object, device.getContext());
  if (!code_object) return std::nullopt;
  files.keep(*code_object, ".hsaco");
  return image{target.name, std::move(*code_object)};
}

}  // namespace

std::optional<std::vector<image>> compile_amdgpu(const llvm::Module& device,
                                                 llvm::ArrayRef<kernel> kernels,
                                                 llvm::ArrayRef<std::string> architectures,
                                                 const options& chosen) {
  const std::optional<std::string> libraries = find_device_libraries(chosen, device.getContext());
  if (!libraries) return std::nullopt;
  std::vector<image> images;
  for (const std::string& name : architectures) {
    std::string problem;
    const std::optional<architecture> target = parse_architecture(name, *libraries, problem);
    if (!target) {
      report_error(device.getContext(), problem);
      return std::nullopt;
    }
    std::optional<image> made = compile_for(device, kernels, *target, *libraries, chosen);
    if (!made) return std::nullopt;
    images.push_back(std::move(*made));
  }
  return images;
}

const static register_target amdgpu_target(target::backend::hip, &compile_amdgpu);

}  // namespace pianola::compiler
