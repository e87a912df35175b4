// SPDX-License-Identifier: Apache-2.0
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "pianola/compiler/host_traits.hpp"
#include "steps.hpp"

namespace pianola::compiler::ptx {

namespace {

void prepare_calls(llvm::Function& function) {
  for (llvm::BasicBlock& block : function)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr) continue;
      // A hint without an instruction behind it.
      if (call->getIntrinsicID() == llvm::Intrinsic::prefetch)
        call->eraseFromParent();
      else if (!call->isInlineAsm() && !llvm::isa<llvm::IntrinsicInst>(call))
        call->addFnAttr(llvm::Attribute::Convergent);
    }
}

// Lines are useful to profilers; variables would describe a stack that is not there. Of a unit without
// debug information only what errors name is kept.
void reduce_debug_information(llvm::Module& module) {
  llvm::NamedMDNode* units = module.getNamedMetadata("llvm.dbg.cu");
  if (units == nullptr) return;
  bool wanted = false;
  for (const llvm::MDNode* node : units->operands())
    wanted = wanted || llvm::cast<llvm::DICompileUnit>(node)->getEmissionKind() !=
                           llvm::DICompileUnit::NoDebug;
  llvm::stripNonLineTableDebugInfo(module);

  // Only .loc and .file: no sections, which would make ptxas compile for a debugger.
  const auto kind =
      wanted ? llvm::DICompileUnit::DebugDirectivesOnly : llvm::DICompileUnit::NoDebug;
  llvm::DenseMap<llvm::DICompileUnit*, llvm::DICompileUnit*> reduced;
  llvm::SmallVector<llvm::DICompileUnit*, 2> all;
  units = module.getNamedMetadata("llvm.dbg.cu");
  for (llvm::MDNode* node : units->operands()) {
    auto* unit = llvm::cast<llvm::DICompileUnit>(node);
    all.push_back(llvm::DICompileUnit::getDistinct(
        module.getContext(), unit->getSourceLanguage(), unit->getFile(), unit->getProducer(),
        unit->isOptimized(), "", 0, "", kind, {}, {}, {}, {}, {}, 0, false, false,
        llvm::DICompileUnit::DebugNameTableKind::None, false, "", ""));
    reduced[unit] = all.back();
  }
  units->clearOperands();
  for (llvm::DICompileUnit* unit : all) units->addOperand(unit);
  llvm::DebugInfoFinder finder;
  finder.processModule(module);
  for (llvm::DISubprogram* function : finder.subprograms())
    if (llvm::DICompileUnit* unit = function->getUnit(); reduced.contains(unit))
      function->replaceUnit(reduced[unit]);
}

}  // namespace

void drop_host_traits(llvm::Module& module) {
  // Nothing speaks of the GPU yet.
  compiler::drop_host_traits(module, [](llvm::StringRef) { return false; });
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    prepare_calls(function);
    function.setDoesNotThrow();
    function.addFnAttr(llvm::Attribute::Convergent);
  }
  reduce_debug_information(module);
}

}  // namespace pianola::compiler::ptx
