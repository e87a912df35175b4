// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/compile_ptx.hpp"

#include <memory>

#include <llvm/IR/LLVMContext.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "architecture.hpp"
#include "assemble.hpp"
#include "pianola/compiler/device_module.hpp"
#include "pianola/compiler/diagnose.hpp"
#include "pianola/compiler/intermediate_files.hpp"
#include "pianola/compiler/register_target.hpp"
#include "steps.hpp"
#include "toolkit.hpp"

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace pianola::compiler {

namespace ptx {

namespace {

constexpr llvm::StringLiteral triple = "nvptx64-nvidia-cuda";
constexpr unsigned sub_group_size = 32;
// What every architecture and PTX before version 8.1 take.
constexpr std::uint64_t small_parameter_bytes = 4096;

bool needs_late_ptx(const kernel& of) { return parameter_bytes(of) > small_parameter_bytes; }

std::unique_ptr<llvm::TargetMachine> make_machine(const architecture& for_architecture,
                                                  bool late_ptx, const options& options,
                                                  llvm::LLVMContext& context) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  std::string problem;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple.str(), problem);
  if (target == nullptr) {
    report_error(context, "this LLVM generates no code for CUDA devices: " + problem);
    return nullptr;
  }
  llvm::TargetOptions how;
  how.UnsafeFPMath = options.fast_math;
  how.AllowFPOpFusion = options.fast_math ? llvm::FPOpFusion::Fast : llvm::FPOpFusion::Standard;
  // The oldest version that has what is generated, for the sake of old drivers: parameters read in place
  // (7.7), sm_90 (7.8), many parameters (8.1).
  const char* version = late_ptx ? "+ptx81" : "+ptx78";
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, for_architecture.code_generation, version, how, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

/// The device module, optimised for GPUs: what is left to do is code generation. Null: reported.
std::unique_ptr<llvm::Module> prepare(const llvm::Module& device, llvm::ArrayRef<kernel> kernels,
                                      llvm::TargetMachine& machine, const options& options) {
  std::unique_ptr<llvm::Module> module = llvm::CloneModule(device);
  drop_host_traits(*module);
  if (!add_entry_points(*module, kernels)) return nullptr;
  resolve_intrinsics(*module);
  simplify(*module);
  resolve_library_calls(*module);
  map_math(*module, options.fast_math);
  if (!link_device_libraries(*module, options)) return nullptr;
  retarget(*module, machine, options.fast_math);
  mark_parameters(*module);
  infer_address_spaces(*module, machine);
  optimise(*module, machine, options.optimisation);
  mark_parameters(*module);
  infer_address_spaces(*module, machine);
  if (!lower_atomics(*module) || !check_is_complete(*module)) return nullptr;
  return module;
}

std::optional<architecture> parse(const std::string& name, llvm::LLVMContext& context) {
  std::optional<architecture> result = parse_architecture(name);
  if (!result)
    report_error(context,
                 "'" + name +
                     "' is no architecture of CUDA devices that Pianola compiles for: write sm_70 "
                     "or later, as in cuda:sm_90");
  return result;
}

// -Rpass-analysis=pianola-ptx
void tell_resources(const llvm::Module& module, llvm::ArrayRef<kernel> kernels,
                    const std::string& architecture, llvm::StringRef output) {
  for (const kernel_resources& used : parse_resources(output)) {
    const llvm::Function* entry = module.getFunction(used.symbol);
    if (entry == nullptr || entry->isDeclaration()) continue;
    llvm::StringRef name = used.symbol;
    for (const kernel& k : kernels)
      if (k.symbol == used.symbol) name = k.name;
    llvm::OptimizationRemarkAnalysis remark("pianola-ptx", "Resources", llvm::DiagnosticLocation(),
                                            &entry->getEntryBlock());
    remark << ("kernel '" + name + "' on " + architecture + ": " + llvm::Twine(used.registers) +
               " registers, " + llvm::Twine(used.shared_bytes) + " bytes of static local memory, " +
               llvm::Twine(used.stack_bytes) + " bytes of stack, " +
               llvm::Twine(used.spill_store_bytes + used.spill_load_bytes) + " bytes of spills")
                  .str();
    module.getContext().diagnose(remark);
  }
}

// What ptxas says that is neither an error nor about resources.
void tell_warnings(llvm::LLVMContext& context, llvm::StringRef output) {
  while (!output.empty()) {
    llvm::StringRef line;
    std::tie(line, output) = output.split('\n');
    if (line.contains("warning")) report_warning(context, line);
  }
}

}  // namespace

}  // namespace ptx

std::optional<std::string> emit_ptx(const llvm::Module& device, llvm::ArrayRef<kernel> kernels,
                                    const std::string& architecture, const options& options) {
  llvm::LLVMContext& context = device.getContext();
  const auto parsed = ptx::parse(architecture, context);
  if (!parsed) return std::nullopt;
  const std::vector<kernel> chosen =
      kernels_with_sub_groups_of(ptx::sub_group_size, kernels, "CUDA devices", context);
  const auto machine =
      ptx::make_machine(*parsed, llvm::any_of(chosen, ptx::needs_late_ptx), options, context);
  if (machine == nullptr) return std::nullopt;
  const auto module = ptx::prepare(device, chosen, *machine, options);
  if (module == nullptr) return std::nullopt;
  return ptx::generate(*module, *machine);
}

std::optional<std::vector<image>> compile_ptx(const llvm::Module& device,
                                              llvm::ArrayRef<kernel> kernels,
                                              llvm::ArrayRef<std::string> architectures,
                                              const options& options) {
  llvm::LLVMContext& context = device.getContext();
  std::vector<ptx::architecture> targets;
  for (const std::string& name : architectures) {
    const auto parsed = ptx::parse(name, context);
    if (!parsed) return std::nullopt;
    targets.push_back(*parsed);
  }
  const std::vector<kernel> chosen =
      kernels_with_sub_groups_of(ptx::sub_group_size, kernels, "CUDA devices", context);
  if (targets.empty() || chosen.empty()) return std::vector<image>{};
  llvm::stable_sort(targets, [](const ptx::architecture& a, const ptx::architecture& b) {
    return a.number < b.number;
  });

  const ptx::toolkit tools = ptx::find_toolkit(options);
  if (tools.ptxas.empty()) {
    report_error(context, ptx::missing(tools, "ptxas, the assembler,"));
    return std::nullopt;
  }

  // Optimised once: what LLVM knows of the architectures differs in single instructions only.
  const bool late_ptx = llvm::any_of(chosen, ptx::needs_late_ptx);
  const auto lowest = ptx::make_machine(targets.front(), late_ptx, options, context);
  if (lowest == nullptr) return std::nullopt;
  const auto module = ptx::prepare(device, chosen, *lowest, options);
  if (module == nullptr) return std::nullopt;

  std::vector<image> images;
  std::vector<std::unique_ptr<tool_run>> running;
  std::optional<image> portable;
  std::vector<intermediate_files> kept;
  for (const ptx::architecture& target : targets) {
    const auto machine = ptx::make_machine(target, late_ptx, options, context);
    const auto copy = llvm::CloneModule(*module);
    copy->setDataLayout(machine->createDataLayout());
    const std::string text = ptx::generate(*copy, *machine);
    kept.emplace_back(context, options, options.unit, target.name + (late_ptx ? "-large" : ""));
    kept.back().keep(text, ".ptx");
    running.push_back(ptx::assemble(tools.ptxas, text, target.name));
    if (!portable) portable = image{"ptx:" + target.code_generation, text + '\0'};
  }
  bool assembled = true;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::optional<std::string> cubin = running[i]->result();
    if (!cubin) {
      report_error(context, "ptxas failed for " + targets[i].name + ": " +
                                llvm::StringRef(running[i]->error()).trim());
      assembled = false;
      continue;
    }
    kept[i].keep(*cubin, ".cubin");
    kept[i].keep(running[i]->messages(), ".txt");
    ptx::tell_warnings(context, running[i]->messages());
    ptx::tell_resources(*module, chosen, targets[i].name, running[i]->messages());
    images.push_back({targets[i].name, *cubin});
  }
  if (!assembled) return std::nullopt;
  images.push_back(*portable);
  return images;
}

const static register_target ptx_target(target::backend::cuda, &compile_ptx, &ptx::needs_late_ptx);

}  // namespace pianola::compiler
