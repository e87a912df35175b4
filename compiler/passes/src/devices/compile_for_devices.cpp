// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/compile_for_devices.hpp"

#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "pianola/compiler/register_target.hpp"

namespace pianola::compiler {

namespace {

struct known_target {
  compile_function compile;
  narrows_function narrows;
};

// Filled before main, in whatever order.
std::map<target::backend, known_target>& known_targets() {
  static std::map<target::backend, known_target> known;
  return known;
}

}  // namespace

register_target::register_target(target::backend which, compile_function compile,
                                 narrows_function narrows) {
  known_targets().emplace(which, known_target{compile, narrows});
}

compile_function register_target::find(target::backend which) noexcept {
  const auto found = known_targets().find(which);
  return found == known_targets().end() ? nullptr : found->second.compile;
}

narrows_function register_target::find_narrows(target::backend which) noexcept {
  const auto found = known_targets().find(which);
  return found == known_targets().end() ? nullptr : found->second.narrows;
}

bool has_own_images(const kernel& of, const options& chosen) {
  return llvm::any_of(chosen.targets, [&](const target& t) {
    const narrows_function narrows = register_target::find_narrows(t.which);
    return narrows != nullptr && narrows(of);
  });
}

std::vector<image> compile_for_devices(const llvm::Module& device, llvm::ArrayRef<kernel> kernels,
                                       const options& chosen) {
  std::map<target::backend, std::vector<std::string>> architectures;
  for (const target& t : chosen.targets) architectures[t.which].push_back(t.architecture);
  std::vector<image> images;
  for (const auto& [which, names] : architectures) {
    const compile_function compile = register_target::find(which);
    if (compile == nullptr) {
      device.getContext().emitError("this pianolacc was built without a target that was asked for");
      return {};
    }
    std::optional<std::vector<image>> made = compile(device, kernels, names, chosen);
    if (!made) return {};
    images.insert(images.end(), std::make_move_iterator(made->begin()),
                  std::make_move_iterator(made->end()));
  }
  return images;
}

}  // namespace pianola::compiler
