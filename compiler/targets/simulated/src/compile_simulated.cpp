// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/compile_simulated.hpp"

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FileUtilities.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "pianola/compiler/device_module.hpp"
#include "pianola/compiler/diagnose.hpp"
#include "pianola/compiler/intermediate_files.hpp"
#include "pianola/compiler/pass_surroundings.hpp"
#include "pianola/compiler/register_target.hpp"

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

std::optional<std::string> find_linker() {
  for (const char* name : {"ld.lld-19", "ld.lld", "ld"})
    for (llvm::ArrayRef<llvm::StringRef> paths :
         {llvm::ArrayRef<llvm::StringRef>(),
          llvm::ArrayRef<llvm::StringRef>{"/usr/lib/llvm-19/bin"}})
      if (auto found = llvm::sys::findProgramByName(name, paths)) return *found;
  return std::nullopt;
}

/// Empty if it went well.
std::string link(llvm::StringRef object, std::string& image) {
  const std::optional<std::string> linker = find_linker();
  if (!linker)
    return "pianolacc: the target 'simulated' needs a linker, and neither ld.lld nor ld was found: "
           "install lld-19";
  llvm::SmallString<128> object_path, image_path, messages_path;
  std::error_code failed = llvm::sys::fs::createTemporaryFile("pianola-sim", "o", object_path);
  llvm::FileRemover remove_object(object_path);
  if (!failed) failed = llvm::sys::fs::createTemporaryFile("pianola-sim", "so", image_path);
  llvm::FileRemover remove_image(image_path);
  if (!failed) failed = llvm::sys::fs::createTemporaryFile("pianola-sim", "txt", messages_path);
  llvm::FileRemover remove_messages(messages_path);
  if (!failed) {
    llvm::raw_fd_ostream out(object_path, failed);
    if (!failed) {
      out << object;
      out.close();
      failed = out.error();
      out.clear_error();
    }
  }
  if (failed)
    return "pianolacc: cannot write a temporary file for the target 'simulated': " +
           failed.message();
  const llvm::StringRef arguments[] = {*linker,     "-shared", "--hash-style=gnu",
                                       "-z",        "relro",   "--build-id=none",
                                       object_path, "-o",      image_path};
  const std::optional<llvm::StringRef> streams[] = {
      llvm::StringRef(""), llvm::StringRef(messages_path), llvm::StringRef(messages_path)};
  std::string problem;
  const int status =
      llvm::sys::ExecuteAndWait(*linker, arguments, std::nullopt, streams, 0, 0, &problem);
  if (status != 0) {
    if (auto messages = llvm::MemoryBuffer::getFile(messages_path))
      problem += (*messages)->getBuffer();
    return "pianolacc: " + *linker +
           " could not link an image for the target 'simulated': " + problem;
  }
  auto linked = llvm::MemoryBuffer::getFile(image_path);
  if (!linked)
    return "pianolacc: cannot read what " + *linker + " wrote: " + linked.getError().message();
  image = (*linked)->getBuffer().str();
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

  llvm::SmallString<0> object;
  llvm::raw_svector_ostream out(object);
  llvm::legacy::PassManager generate;
  if (machine->addPassesToEmitFile(generate, out, nullptr, llvm::CodeGenFileType::ObjectFile))
    return "pianolacc: this compiler cannot generate objects for " + module.getTargetTriple();
  generate.run(module);
  problem = link(object, image);
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
