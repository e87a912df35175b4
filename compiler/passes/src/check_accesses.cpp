// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/check_accesses.hpp"

#include <string>
#include <utility>
#include <vector>

#include <llvm/ADT/StringMap.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "pianola/compiler/annotations.hpp"

#include "reachable_functions.hpp"

namespace pianola::compiler {

namespace {

/// Of the operators that PIANOLA_SUBSCRIPT marks: operator[], mangled, with the tag "checked".
constexpr llvm::StringLiteral subscript_mark = "ixB7checked";
constexpr llvm::StringLiteral refusal = "16refuse_subscript";

/// Of code of Pianola's headers that has been inlined, where the program calls it; else the same.
const llvm::DILocation* place_in_program(const llvm::DILocation* location) {
  const auto in_headers = [](const llvm::DILocation& at) {
    llvm::StringRef name = at.getScope()->getSubprogram()->getLinkageName();
    if (!name.consume_front("_ZN")) return false;
    name.consume_front("K");
    return name.starts_with("4sycl") || name.starts_with("7pianola");
  };
  for (const llvm::DILocation* at = location; at; at = at->getInlinedAt())
    if (!in_headers(*at)) return at;
  return location;
}

struct access {
  llvm::Value* pointer = nullptr;
  llvm::Value* bytes = nullptr;
  bool writes = false;
};

class instrumenter {
 public:
  explicit instrumenter(llvm::Module& module)
      : module_(module),
        number_(llvm::Type::getInt64Ty(module.getContext())),
        check_(declare("pianola_check_access_v1",
                       {llvm::PointerType::getUnqual(module.getContext()), number_,
                        llvm::Type::getInt32Ty(module.getContext()),
                        llvm::PointerType::getUnqual(module.getContext())})),
        note_(declare("pianola_note_place_v1",
                      {llvm::PointerType::getUnqual(module.getContext())})) {}

  void instrument(llvm::Function& function, bool own_parameters = false) {
    own_parameters_ = own_parameters;
    llvm::SmallVector<llvm::Instruction*, 64> old;
    for (llvm::Instruction& instruction : llvm::instructions(function)) old.push_back(&instruction);
    for (llvm::Instruction* instruction : old) instrument(*instruction);
  }

 private:
  llvm::FunctionCallee declare(llvm::StringRef name, llvm::ArrayRef<llvm::Type*> parameters) {
    return module_.getOrInsertFunction(
        name,
        llvm::FunctionType::get(llvm::Type::getVoidTy(module_.getContext()), parameters, false));
  }

  void instrument(llvm::Instruction& instruction) {
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        call && call->getCalledFunction()) {
      const llvm::StringRef name = call->getCalledFunction()->getName();
      const llvm::DILocation* const own = instruction.getDebugLoc();
      const llvm::DILocation* const subscript = place_in_program(own);
      if (name.contains(subscript_mark) || (name.contains(refusal) && subscript != own))
        llvm::IRBuilder<>(&instruction).CreateCall(note_, {place_of(subscript)});
      if (name.contains(subscript_mark)) return;
    }
    if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction)) {
      check(instruction, {copy->getRawSource(), copy->getLength(), false});
      check(instruction, {copy->getRawDest(), copy->getLength(), true});
    } else if (auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&instruction)) {
      check(instruction, {fill->getRawDest(), fill->getLength(), true});
    } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      check(instruction, {load->getPointerOperand(), size_of(load->getType()), false});
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      check(instruction,
            {store->getPointerOperand(), size_of(store->getValueOperand()->getType()), true});
    } else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      check(instruction, {update->getPointerOperand(), size_of(update->getType()), true});
    } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      check(instruction, {exchange->getPointerOperand(),
                          size_of(exchange->getNewValOperand()->getType()), true});
    }
  }

  void check(llvm::Instruction& before, const access& a) {
    if (a.pointer->getType()->getPointerAddressSpace() != 0) return;
    const llvm::Value* object = llvm::getUnderlyingObject(a.pointer);
    if (llvm::isa<llvm::AllocaInst, llvm::GlobalValue>(object)) return;
    if (own_parameters_ && llvm::isa<llvm::Argument>(object)) return;
    llvm::IRBuilder<> at(&before);
    at.CreateCall(check_,
                  {a.pointer, at.CreateZExtOrTrunc(a.bytes, number_), at.getInt32(a.writes ? 1 : 0),
                   place_of(place_in_program(before.getDebugLoc()))});
  }

  llvm::Value* size_of(llvm::Type* type) {
    return llvm::ConstantInt::get(number_, module_.getDataLayout().getTypeStoreSize(type));
  }

  /// "file:line:column", or null.
  llvm::Constant* place_of(const llvm::DILocation* location) {
    if (!location || location->getLine() == 0)
      return llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(module_.getContext()));
    const llvm::DILocalScope* const scope = location->getScope();
    const std::string text = scope->getFilename().str() + ":" +
                             std::to_string(location->getLine()) + ":" +
                             std::to_string(location->getColumn());
    llvm::Constant*& known = places_[text];
    if (!known) {
      auto* bytes = llvm::ConstantDataArray::getString(module_.getContext(), text);
      auto* variable = new llvm::GlobalVariable(module_, bytes->getType(), true,
                                                llvm::GlobalValue::PrivateLinkage, bytes);
      variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
      known = variable;
    }
    return known;
  }

  llvm::Module& module_;
  llvm::IntegerType* number_;
  llvm::FunctionCallee check_;
  llvm::FunctionCallee note_;
  llvm::StringMap<llvm::Constant*> places_;
  bool own_parameters_ = false;
};

void may_throw(llvm::Function& function) {
  function.removeFnAttr(llvm::Attribute::NoUnwind);
  function.setMemoryEffects(llvm::MemoryEffects::unknown());
  for (llvm::User* user : function.users())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(user);
        call && call->getCalledOperand() == &function) {
      call->removeFnAttr(llvm::Attribute::NoUnwind);
      call->setMemoryEffects(llvm::MemoryEffects::unknown());
    }
}

// More than this would take the optimiser longer than it is worth.
constexpr std::size_t most_instructions = 20000;

// Calls of functions that are here, and of those that these call, but for recursion. Work-groups have been dealt with.
void inline_all(llvm::Function& function) {
  struct call_site {
    llvm::CallBase* call;
    std::vector<const llvm::Function*> within;
  };
  std::vector<call_site> work;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) work.push_back({call, {}});
  for (std::size_t made = 0; !work.empty() && made < most_instructions;) {
    call_site site = std::move(work.back());
    work.pop_back();
    llvm::Function* const callee = site.call->getCalledFunction();
    if (!callee) continue;
    if (callee->getName() == "__pianola_is_device") {
      site.call->replaceAllUsesWith(llvm::ConstantInt::get(site.call->getType(), 0));
      if (!llvm::isa<llvm::InvokeInst>(site.call)) site.call->eraseFromParent();
      continue;
    }
    if (callee->isDeclaration() || callee->isVarArg() || callee == &function ||
        callee->getName().ends_with(".work_group") || llvm::is_contained(site.within, callee) ||
        site.call->hasFnAttr(llvm::Attribute::NoInline))
      continue;
    made += callee->getInstructionCount();
    llvm::InlineFunctionInfo info;
    if (!llvm::InlineFunction(*site.call, info).isSuccess()) continue;
    site.within.push_back(callee);
    for (llvm::CallBase* call : info.InlinedCallSites) work.push_back({call, site.within});
  }
}

}  // namespace

void check_accesses(llvm::Module& module, llvm::ArrayRef<kernel> kernels,
                    llvm::FunctionAnalysisManager& analyses, llvm::FunctionPassManager* simplify) {
  instrumenter checks(module);
  const llvm::SetVector<llvm::Function*> reached = reachable_functions(kernels);
  // Before there is anything in what is inlined.
  if (simplify)
    for (const annotation& entry : annotations_of(module, "pianola.entry")) {
      inline_all(*entry.function);
      analyses.invalidate(*entry.function, llvm::PreservedAnalyses::none());
      simplify->run(*entry.function, analyses);
      analyses.clear(*entry.function, entry.function->getName());
      checks.instrument(*entry.function, true);
      may_throw(*entry.function);
    }
  remove_annotations(module, "pianola.entry");
  for (llvm::Function* function : reached) {
    if (function->isDeclaration() || function->hasFnAttribute(llvm::Attribute::Naked)) continue;
    checks.instrument(*function);
    may_throw(*function);
  }
}

void check_accesses(llvm::Function& item_body) {
  instrumenter(*item_body.getParent()).instrument(item_body, true);
  may_throw(item_body);
}

}  // namespace pianola::compiler
