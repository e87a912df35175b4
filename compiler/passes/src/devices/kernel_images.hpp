// SPDX-License-Identifier: Apache-2.0
// The way from kernels of a module to images that are registered, of a translation unit and of what is linked.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Module.h>

#include "pianola/compiler/argument_use.hpp"
#include "pianola/compiler/device_variables.hpp"
#include "pianola/compiler/kernel.hpp"

namespace pianola::compiler {

/// Kernels in a device module of their own.
struct outlined_kernels {
  std::unique_ptr<llvm::Module> device;
  std::vector<kernel> kernels;
};

/// See outline(); with what libraries of the host would define.
outlined_kernels outline_for_images(const llvm::Module& host, llvm::ArrayRef<kernel> kernels);

/// Of the kernels that need images of their own, see has_own_images, [1], and of the others.
using images_by_kind = std::array<std::vector<image>, 2>;

/// Images of kernels that were checked. `uses`: of each, and told of the entry points for parts.
images_by_kind make_images(outlined_kernels& from, std::vector<kernel_uses>& uses,
                           const options& chosen);

/// Lets `module` register them. `uses`: one per kernel; `variables`: whose pointers the images may have.
void register_kernels(llvm::Module& module, llvm::ArrayRef<kernel> kernels,
                      const images_by_kind& images, llvm::ArrayRef<kernel_uses> uses,
                      llvm::ArrayRef<device_variable> variables, const options& chosen);

/// Writes to the folder for intermediate files, if there is one, what is known of the kernels.
void keep_uses(llvm::LLVMContext& context, llvm::StringRef unit, const options& chosen,
               llvm::ArrayRef<kernel> kernels, llvm::ArrayRef<kernel_uses> uses);

}  // namespace pianola::compiler
