// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/compile_simulated.hpp"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "pianola/compiler/device_code.hpp"
#include "pianola/compiler/device_module.hpp"
#include "pianola/compiler/diagnose.hpp"
#include "pianola/compiler/intermediate_files.hpp"
#include "pianola/compiler/pass_surroundings.hpp"
#include "pianola/compiler/register_target.hpp"
#include "pianola/compiler/tool_run.hpp"

namespace pianola::compiler {
namespace {

constexpr const char* architecture = "pianola-sim";

std::unique_ptr<llvm::TargetMachine> make_machine(const std::string& triple, unsigned optimisation,
                                                  std::string& problem) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target) return nullptr;
  const auto level = llvm::CodeGenOpt::getLevel(static_cast<int>(optimisation));
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, "", "", llvm::TargetOptions(), llvm::Reloc::PIC_,
                                  std::nullopt, level.value_or(llvm::CodeGenOptLevel::Default)));
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine, unsigned optimisation) {
  pass_surroundings surroundings(&machine);
  llvm::OptimizationLevel level = llvm::OptimizationLevel::O2;
  if (optimisation == 1) level = llvm::OptimizationLevel::O1;
  if (optimisation == 3) level = llvm::OptimizationLevel::O3;
  llvm::ModulePassManager passes =
      optimisation == 0 ? surroundings.builder().buildO0DefaultPipeline(llvm::OptimizationLevel::O0)
                        : surroundings.builder().buildPerModuleDefaultPipeline(level);
  surroundings.run(passes, module);
}

/// Empty if it went well.
std::string link(llvm::StringRef object, std::string& image) {
  const std::string linker = find_tool({"ld.lld-19", "ld.lld", "ld"});
  if (linker.empty())
    return "pianolacc: the target 'simulated' needs a linker, and neither ld.lld nor ld was found: "
           "install lld-19";
  tool_run run(linker, {"-shared", "--hash-style=gnu", "-z", "relro", "--build-id=none"},
               {"o", "so"}, object);
  std::optional<std::string> linked = run.result();
  if (!linked)
    return "pianolacc: " + linker +
           " could not link an image for the target 'simulated': " + run.error();
  image = std::move(*linked);
  return {};
}

/// Empty if it went well.
std::string compile(llvm::Module& module, const options& chosen, std::string& image) {
  std::string problem;
  const std::unique_ptr<llvm::TargetMachine> machine =
      make_machine(module.getTargetTriple(), chosen.optimisation, problem);
  if (!machine)
    return "pianolacc: the target 'simulated' does not run on " + module.getTargetTriple() + ": " +
           problem;
  module.setDataLayout(machine->createDataLayout());
  module.setPICLevel(llvm::PICLevel::BigPIC);
  optimise(module, *machine, chosen.optimisation);
  const intermediate_files files(module.getContext(), chosen, module.getSourceFileName(),
                                 architecture);
  files.keep(module, ".ll");

  const std::optional<std::string> object =
      emit(module, *machine, llvm::CodeGenFileType::ObjectFile);
  if (!object)
    return "pianolacc: this compiler cannot generate objects for " + module.getTargetTriple();
  problem = link(*object, image);
  if (problem.empty()) files.keep(image, ".so");
  return problem;
}

}  // namespace

std::optional<image> compile_simulated(const llvm::Module& device, llvm::ArrayRef<kernel> kernels,
                                       const options& chosen) {
  llvm::ValueToValueMapTy map;
  const std::unique_ptr<llvm::Module> module = llvm::CloneModule(device, map);
  const std::vector<kernel> own = kernels_of_copy(kernels, map);
  map.clear();
  llvm::StripDebugInfo(*module);
  intermediate_files(module->getContext(), chosen, module->getSourceFileName(), "device")
      .keep(*module, ".ll");
  image result{architecture, {}};
  lower_to_simulated(*module, own);
  const std::string problem = compile(*module, chosen, result.bytes);
  if (!problem.empty()) {
    report_error(device.getContext(), problem);
    return std::nullopt;
  }
  return result;
}

// Has one architecture, that of the processor.
static std::optional<std::vector<image>> compile_for_processor(const llvm::Module& device,
                                                               llvm::ArrayRef<kernel> kernels,
                                                               llvm::ArrayRef<std::string>,
                                                               const options& chosen) {
  std::optional<image> made = compile_simulated(device, kernels, chosen);
  if (!made) return std::nullopt;
  std::vector<image> images;
  images.push_back(std::move(*made));
  return images;
}

const static register_target simulated_target(target::backend::simulated, &compile_for_processor);

}  // namespace pianola::compiler
