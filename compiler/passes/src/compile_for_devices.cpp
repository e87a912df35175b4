// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/compile_for_devices.hpp"

#include <iterator>
#include <optional>
#include <string>

#include <llvm/IR/Module.h>

#include "pianola/compiler/compile_amdgpu.hpp"
#include "pianola/compiler/compile_ptx.hpp"
#include "pianola/compiler/compile_simulated.hpp"

namespace pianola::compiler {

namespace {

std::vector<std::string> architectures(const options& chosen, target::backend backend) {
  std::vector<std::string> names;
  for (const target& t : chosen.targets)
    if (t.which == backend) names.push_back(t.architecture);
  return names;
}

bool append(std::vector<image>& images, std::optional<std::vector<image>> more) {
  if (!more) return false;
  images.insert(images.end(), std::make_move_iterator(more->begin()),
                std::make_move_iterator(more->end()));
  return true;
}

}  // namespace

std::vector<image> compile_for_devices(const llvm::Module& device, llvm::ArrayRef<kernel> kernels,
                                       const options& chosen) {
  std::vector<image> images;
  const auto cuda = architectures(chosen, target::backend::cuda);
  if (!cuda.empty() && !append(images, compile_ptx(device, kernels, cuda, chosen))) return {};
  const auto hip = architectures(chosen, target::backend::hip);
  if (!hip.empty() && !append(images, compile_amdgpu(device, kernels, hip, chosen))) return {};
  if (!architectures(chosen, target::backend::simulated).empty()) {
    std::optional<image> simulated = compile_simulated(device, kernels, chosen);
    if (!simulated) return {};
    images.push_back(std::move(*simulated));
  }
  return images;
}

}  // namespace pianola::compiler
