// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/compile_ptx.hpp"

#include <llvm/IR/LLVMContext.h>

#include "link.hpp"
#include "pianola/compiler/device_module.hpp"
#include "pianola/compiler/device_target.hpp"
#include "pianola/compiler/diagnose.hpp"
#include "pianola/compiler/register_target.hpp"
#include "steps.hpp"
#include "toolkit.hpp"

namespace pianola::compiler {

namespace ptx {

namespace {

constexpr unsigned sub_group_size = 32;

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

// For several architectures, ascending. Optimised once, for the lowest: what LLVM knows of them differs in single instructions
// only.
class code final : public device_target {
 public:
  code(const options& chosen, llvm::ArrayRef<kernel> kernels,
       std::vector<ptx::architecture> targets, std::string ptxas, llvm::LLVMContext& context)
      : device_target(chosen, {chosen.unit, "", "", ".ptx", ".cubin", ".txt"},
                      names(targets, needs_late(kernels))),
        kernels_(kernels),
        late_ptx_(needs_late(kernels)),
        targets_(std::move(targets)),
        ptxas_(std::move(ptxas)),
        context_(context) {}

  bool lower(llvm::Module& module, llvm::ArrayRef<kernel> kernels) override {
    lowest_ = make_machine(0);
    return lowest_ != nullptr && ptx::lower(module, kernels, *lowest_, chosen());
  }
  bool optimise(llvm::Module& module) override { return ptx::optimise(module, *lowest_, chosen()); }
  bool check(const llvm::Module& module) override { return check_is_complete(module); }
  std::optional<std::string> emit(llvm::Module& module, std::size_t architecture) override {
    const auto machine = make_machine(architecture);
    module.setDataLayout(machine->createDataLayout());
    std::string text = ptx::emit(module, *machine);
    if (architecture == 0) portable_ = {"ptx:" + targets_[0].code_generation, text + '\0'};
    return text;
  }
  std::unique_ptr<tool_run> link(const std::string& text, std::size_t architecture) override {
    return ptx::link(ptxas_, text, targets_[architecture]);
  }
  void report_failure(const tool_run& run, std::size_t architecture,
                      llvm::LLVMContext& context) override {
    report_error(context, "ptxas failed for " + targets_[architecture].name + ": " +
                              llvm::StringRef(run.error()).trim());
  }
  void tell(const tool_run& run, std::size_t architecture, const llvm::Module& module) override {
    tell_warnings(context_, run.messages());
    tell_resources(module, kernels_, targets_[architecture].name, run.messages());
  }
  // Remarks are of its functions.
  [[nodiscard]] bool keeps_module() const override { return true; }

  /// What drivers of other architectures compile themselves.
  [[nodiscard]] const image& portable() const noexcept { return portable_; }

 private:
  static bool needs_late(llvm::ArrayRef<kernel> kernels) {
    return llvm::any_of(kernels, needs_late_ptx);
  }
  static std::vector<device_target::architecture> names(
      const std::vector<ptx::architecture>& targets, bool late_ptx) {
    std::vector<device_target::architecture> all;
    for (const ptx::architecture& target : targets)
      all.push_back({target.name, target.name + (late_ptx ? "-large" : "")});
    return all;
  }
  [[nodiscard]] std::unique_ptr<llvm::TargetMachine> make_machine(std::size_t architecture) const {
    return make_target_machine(targets_[architecture], late_ptx_, chosen(), context_);
  }

  const llvm::ArrayRef<kernel> kernels_;
  const bool late_ptx_;
  const std::vector<ptx::architecture> targets_;
  const std::string ptxas_;
  llvm::LLVMContext& context_;
  std::unique_ptr<llvm::TargetMachine> lowest_;
  image portable_;
};

std::vector<kernel> kernels_for_cuda(llvm::ArrayRef<kernel> kernels, llvm::LLVMContext& context) {
  return kernels_with_sub_groups_of(sub_group_size, kernels, "CUDA devices", context);
}

}  // namespace

}  // namespace ptx

std::optional<std::string> emit_ptx(const llvm::Module& device, llvm::ArrayRef<kernel> kernels,
                                    const std::string& architecture, const options& options) {
  llvm::LLVMContext& context = device.getContext();
  const auto parsed = ptx::parse(architecture, context);
  if (!parsed) return std::nullopt;
  const std::vector<kernel> chosen = ptx::kernels_for_cuda(kernels, context);
  ptx::code code(options, chosen, {*parsed}, {}, context);
  const auto module = prepare(device, chosen, code);
  if (module == nullptr) return std::nullopt;
  return code.emit(*module, 0);
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
  const std::vector<kernel> chosen = ptx::kernels_for_cuda(kernels, context);
  if (targets.empty() || chosen.empty()) return std::vector<image>{};
  llvm::stable_sort(targets, [](const ptx::architecture& a, const ptx::architecture& b) {
    return a.number < b.number;
  });

  const ptx::toolkit tools = ptx::find_toolkit(options);
  if (tools.ptxas.empty()) {
    report_error(context, ptx::missing(tools, "ptxas, the assembler,"));
    return std::nullopt;
  }
  ptx::code code(options, chosen, std::move(targets), tools.ptxas, context);
  std::optional<std::vector<image>> images = compile(device, chosen, code);
  if (images) images->push_back(code.portable());
  return images;
}

const static register_target ptx_target(target::backend::cuda, &compile_ptx, &ptx::needs_late_ptx);

}  // namespace pianola::compiler
