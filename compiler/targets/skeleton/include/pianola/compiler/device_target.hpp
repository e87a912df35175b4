// SPDX-License-Identifier: Apache-2.0
// The way from a device module to images. It is one for all targets, which do its steps under these names.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Module.h>

#include "pianola/compiler/kernel.hpp"
#include "pianola/compiler/tool_run.hpp"

namespace pianola::compiler {

/// What a target does for one module and the architectures that images of it are for. A step that gives false or nothing has
/// reported an error.
class device_target {
 public:
  /// What is kept of the way where options::save_temps names a folder: by the ending of a file's name; empty: it is not kept.
  struct kept {
    std::string unit;  // the source
    const char* lowered = "";
    const char* checked = "";
    const char* emitted = "";
    const char* linked = "";
    const char* messages = "";
  };
  struct architecture {
    std::string image;  // the name in images
    std::string file;   // and in names of intermediate files
  };

  device_target(const options& chosen, kept files, std::vector<architecture> architectures)
      : options_(chosen), files_(std::move(files)), architectures_(std::move(architectures)) {}
  virtual ~device_target() = default;
  device_target(const device_target&) = delete;
  device_target& operator=(const device_target&) = delete;

  /// Gives the kernels, which are functions of the module, their entry points, and says all that is the host's in terms of the
  /// device.
  virtual bool lower(llvm::Module& module, llvm::ArrayRef<kernel> kernels) = 0;
  /// All optimisation; the device's libraries are linked in.
  virtual bool optimise(llvm::Module& module) = 0;
  /// Whether the device has everything that is left.
  virtual bool check(const llvm::Module& module) = 0;
  /// Assembly or an object file for one of the architectures. The module is used up.
  virtual std::optional<std::string> emit(llvm::Module& module, std::size_t architecture) = 0;
  /// Starts the assembler or linker that makes an image of it. Null: an error has been reported.
  virtual std::unique_ptr<tool_run> link(const std::string& emitted, std::size_t architecture) = 0;
  /// Reports that it has failed.
  virtual void report_failure(const tool_run& run, std::size_t architecture,
                              llvm::LLVMContext& context) = 0;
  /// It has made the image: passes on what it says of it. `module`: what was checked, if that is kept.
  virtual void tell(const tool_run& /*run*/, std::size_t /*architecture*/,
                    const llvm::Module& /*module*/) {}
  /// Whether the module that was checked is still needed after it was emitted.
  [[nodiscard]] virtual bool keeps_module() const { return architectures_.size() > 1; }

  [[nodiscard]] const options& chosen() const noexcept { return options_; }
  [[nodiscard]] const kept& files() const noexcept { return files_; }
  [[nodiscard]] const std::vector<architecture>& architectures() const noexcept {
    return architectures_;
  }

 private:
  const options& options_;
  const kept files_;
  const std::vector<architecture> architectures_;
};

/// Clone, lower, optimise, check: what is left is to generate code. Null: an error has been reported.
std::unique_ptr<llvm::Module> prepare(const llvm::Module& device, llvm::ArrayRef<kernel> kernels,
                                      device_target& target);

/// prepare(), then emit and link for each architecture; the tools run side by side. Nothing: an error has been reported.
std::optional<std::vector<image>> compile(const llvm::Module& device,
                                          llvm::ArrayRef<kernel> kernels, device_target& target);

}  // namespace pianola::compiler
