// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/device_target.hpp"

#include <llvm/Transforms/Utils/Cloning.h>

#include "pianola/compiler/device_module.hpp"
#include "pianola/compiler/intermediate_files.hpp"

namespace pianola::compiler {

namespace {

intermediate_files files_of(const device_target& target, std::size_t architecture,
                            llvm::LLVMContext& context) {
  return {context, target.chosen(), target.files().unit, target.architectures()[architecture].file};
}

template <class What>
void keep(const intermediate_files& files, const What& what, llvm::StringRef ending) {
  if (!ending.empty()) files.keep(what, ending);
}

}  // namespace

std::unique_ptr<llvm::Module> prepare(const llvm::Module& device, llvm::ArrayRef<kernel> kernels,
                                      device_target& target) {
  const intermediate_files files = files_of(target, 0, device.getContext());
  llvm::ValueToValueMapTy copies;
  std::unique_ptr<llvm::Module> module = llvm::CloneModule(device, copies);
  const std::vector<kernel> own = kernels_of_copy(kernels, copies);
  copies.clear();
  if (!target.lower(*module, own)) return nullptr;
  keep(files, *module, target.files().lowered);
  if (!target.optimise(*module) || !target.check(*module)) return nullptr;
  keep(files, *module, target.files().checked);
  return module;
}

std::optional<std::vector<image>> compile(const llvm::Module& device,
                                          llvm::ArrayRef<kernel> kernels, device_target& target) {
  const std::unique_ptr<llvm::Module> module = prepare(device, kernels, target);
  if (module == nullptr) return std::nullopt;
  const std::size_t count = target.architectures().size();
  std::vector<std::unique_ptr<tool_run>> running;
  std::vector<intermediate_files> files;
  for (std::size_t i = 0; i < count; ++i) {
    const std::unique_ptr<llvm::Module> copy =
        target.keeps_module() ? llvm::CloneModule(*module) : nullptr;
    const std::optional<std::string> emitted = target.emit(copy == nullptr ? *module : *copy, i);
    if (!emitted) return std::nullopt;
    files.push_back(files_of(target, i, device.getContext()));
    keep(files[i], llvm::StringRef(*emitted), target.files().emitted);
    running.push_back(target.link(*emitted, i));
    if (running.back() == nullptr) return std::nullopt;
  }
  std::vector<image> images;
  for (std::size_t i = 0; i < count; ++i) {
    std::optional<std::string> linked = running[i]->result();
    if (!linked) {
      target.report_failure(*running[i], i, device.getContext());
      continue;
    }
    keep(files[i], llvm::StringRef(*linked), target.files().linked);
    keep(files[i], llvm::StringRef(running[i]->messages()), target.files().messages);
    target.tell(*running[i], i, *module);
    images.push_back({target.architectures()[i].image, std::move(*linked)});
  }
  if (images.size() != count) return std::nullopt;
  return images;
}

}  // namespace pianola::compiler
