// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/compile_simulated.hpp"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Module.h>

#include "pianola/compiler/device_target.hpp"
#include "pianola/compiler/intermediate_files.hpp"
#include "pianola/compiler/register_target.hpp"
#include "steps.hpp"

namespace pianola::compiler {

namespace {

class simulated_code final : public device_target {
 public:
  simulated_code(const options& chosen, const llvm::Module& device)
      : device_target(chosen, {device.getSourceFileName(), "", ".ll", "", ".so", ""},
                      {{"pianola-sim", "pianola-sim"}}),
        context_(device.getContext()) {}

  bool lower(llvm::Module& module, llvm::ArrayRef<kernel> kernels) override {
    llvm::StripDebugInfo(module);
    intermediate_files(context_, chosen(), files().unit, "device").keep(module, ".ll");
    simulated::lower(module, kernels);
    return true;
  }
  bool optimise(llvm::Module& module) override {
    machine_ = simulated::make_target_machine(module, chosen());
    if (machine_ == nullptr) return false;
    simulated::optimise(module, *machine_, chosen());
    return true;
  }
  // The processor has everything; what kernels lack, lower() refuses.
  bool check(const llvm::Module&) override { return true; }
  std::optional<std::string> emit(llvm::Module& module, std::size_t) override {
    return simulated::emit(module, *machine_);
  }
  std::unique_ptr<tool_run> link(const std::string& object, std::size_t) override {
    return simulated::link(object, context_);
  }
  void report_failure(const tool_run& run, std::size_t, llvm::LLVMContext& context) override {
    simulated::report_failure(run, context);
  }

 private:
  llvm::LLVMContext& context_;
  std::unique_ptr<llvm::TargetMachine> machine_;
};

}  // namespace

std::optional<std::vector<image>> compile_simulated(const llvm::Module& device,
                                                    llvm::ArrayRef<kernel> kernels,
                                                    llvm::ArrayRef<std::string> /*architectures*/,
                                                    const options& chosen) {
  simulated_code code(chosen, device);
  return compile(device, kernels, code);
}

const static register_target simulated_target(target::backend::simulated, &compile_simulated);

}  // namespace pianola::compiler
