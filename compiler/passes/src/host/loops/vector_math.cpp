// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/vector_math.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Attributes.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/VFABIDemangler.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <optional>
#include <string>
#include <vector>

#include "pianola/compiler/device_library.hpp"

namespace pianola::compiler {

namespace {

/// Number of arguments of those that glibc 2.35 has for vectors of float and double; 0: it has none.
unsigned vector_arguments(llvm::StringRef function) {
  return llvm::StringSwitch<unsigned>(function)
      .Cases("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "erf", "erfc", 1)
      .Cases("exp", "exp10", "exp2", "expm1", "log", "log10", "log1p", "log2", "sin", "sinh", 1)
      .Cases("tan", "tanh", 1)
      .Cases("atan2", "hypot", "pow", 2)
      .Default(0);
}

/// The function for double; of float alone, whether the name is that of its float sibling.
struct library_function {
  llvm::StringRef name;
  bool of_float = false;
  unsigned arguments = 0;
};

std::optional<library_function> vector_function(llvm::StringRef name) {
  if (const unsigned count = vector_arguments(name)) return library_function{name, false, count};
  if (!name.consume_back("f")) return std::nullopt;
  if (const unsigned count = vector_arguments(name)) return library_function{name, true, count};
  return std::nullopt;
}

bool has_prototype(const llvm::Function& function, const library_function& of) {
  const llvm::FunctionType& type = *function.getFunctionType();
  const auto right = [&](const llvm::Type* t) {
    return of.of_float ? t->isFloatTy() : t->isDoubleTy();
  };
  return !type.isVarArg() && type.getNumParams() == of.arguments && right(type.getReturnType()) &&
         llvm::all_of(type.params(), right);
}

/// Letter of the vector function ABI and bytes of its vectors.
struct instruction_set {
  char letter;
  unsigned bytes;
};

std::vector<instruction_set> instruction_sets(const llvm::Function& caller) {
  const llvm::StringRef features = caller.getFnAttribute("target-features").getValueAsString();
  const auto has = [&](llvm::StringRef feature) {
    llvm::SmallVector<llvm::StringRef, 64> all;
    features.split(all, ',');
    return llvm::is_contained(all, feature);
  };
  std::vector<instruction_set> sets{{'b', 16}};
  if (has("+avx2"))
    sets.push_back({'d', 32});
  else if (has("+avx"))
    sets.push_back({'c', 32});
  if (has("+avx512f")) sets.push_back({'e', 64});
  return sets;
}

void add_vector_forms(llvm::CallInst& call, const library_function& of) {
  llvm::Module& module = *call.getModule();
  llvm::Type* element = call.getType();
  std::string names;
  for (const instruction_set& set : instruction_sets(*call.getFunction())) {
    // glibc's for 16 floats is up to 3.8 units in the last place off, where 3 are allowed.
    if (set.bytes == 64 && of.of_float && of.name == "exp10") continue;
    const unsigned lanes = set.bytes / (of.of_float ? 4 : 8);
    const std::string prefix = std::string("_ZGV") + set.letter + "N" + std::to_string(lanes) +
                               std::string(of.arguments, 'v') + "_";
    const std::string mapping = prefix + of.name.str() + (of.of_float ? "f" : "");
    // glibc's is up to 3.9 units in the last place off, where 3 are allowed; the runtime has its own.
    const std::string name = of.of_float && of.name == "log" ? prefix + "pianola_log_f" : mapping;
    llvm::Type* vector = llvm::FixedVectorType::get(element, lanes);
    if (module.getFunction(name) == nullptr) {
      auto* type = llvm::FunctionType::get(
          vector, llvm::SmallVector<llvm::Type*, 2>(of.arguments, vector), false);
      auto* form = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
      form->setDoesNotThrow();
      form->setMemoryEffects(llvm::MemoryEffects::none());
      // The vectoriser must still find it when nothing calls it yet.
      llvm::appendToCompilerUsed(module, {form});
    }
    names += (names.empty() ? "" : ",") + mapping + (name == mapping ? "" : "(" + name + ")");
  }
  call.addFnAttr(llvm::Attribute::get(module.getContext(), llvm::VFABI::MappingsAttrName, names));
}

/// What kernels reach by calls.
llvm::SetVector<llvm::Function*> reachable(llvm::ArrayRef<kernel> kernels) {
  llvm::SetVector<llvm::Function*> found;
  for (const kernel& k : kernels) found.insert(k.body);
  for (std::size_t i = 0; i < found.size(); ++i)
    for (llvm::Instruction& instruction : llvm::instructions(*found[i]))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (auto* callee =
                llvm::dyn_cast<llvm::Function>(call->getCalledOperand()->stripPointerCasts());
            callee != nullptr && !callee->isDeclaration())
          found.insert(callee);
  return found;
}

bool looks_at_errno(llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
    return callee != nullptr && callee->getName() == "__errno_location";
  });
}

/// Besides its result, what it writes is errno: functions with a pointer are none of these.
bool is_pure_math(const llvm::Function& callee) {
  return callee.isDeclaration() && !callee.isIntrinsic() && is_device_math(callee.getName()) &&
         callee.getReturnType()->isFloatingPointTy() &&
         llvm::none_of(callee.getFunctionType()->params(),
                       [](const llvm::Type* type) { return type->isPointerTy(); });
}

}  // namespace

void vectorise_math(llvm::Module& module, llvm::ArrayRef<kernel> kernels) {
  const llvm::Triple triple(module.getTargetTriple());
  const bool has_forms = triple.getArch() == llvm::Triple::x86_64 && triple.isOSLinux() &&
                         triple.isGNUEnvironment() && !triple.isX32();
  for (llvm::Function* function : reachable(kernels)) {
    if (looks_at_errno(*function)) continue;
    for (llvm::Instruction& instruction : llvm::instructions(*function)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
      if (callee == nullptr || call->isNoBuiltin() || call->isStrictFP() || !is_pure_math(*callee))
        continue;
      call->setDoesNotThrow();
      call->addFnAttr(llvm::Attribute::WillReturn);
      // lgamma writes signgam.
      if (!callee->getName().starts_with("lgamma"))
        call->setMemoryEffects(llvm::MemoryEffects::none());
      const auto known = vector_function(callee->getName());
      if (has_forms && known && has_prototype(*callee, *known)) add_vector_forms(*call, *known);
    }
  }
}

llvm::PreservedAnalyses one_vector_beside_calls::run(llvm::Function& function,
                                                     llvm::FunctionAnalysisManager& analyses) {
  constexpr const char* how_many = "llvm.loop.interleave.count";
  bool changed = false;
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!loop->isInnermost() || loop->getLoopLatch() == nullptr ||
        llvm::getOptionalIntLoopAttribute(loop, how_many))
      continue;
    const bool calls = llvm::any_of(loop->blocks(), [](const llvm::BasicBlock* block) {
      return llvm::any_of(*block, [](const llvm::Instruction& instruction) {
        const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        return call != nullptr && call->hasFnAttr(llvm::VFABI::MappingsAttrName);
      });
    });
    if (!calls) continue;
    llvm::addStringMetadataToLoop(loop, how_many, 1);
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace pianola::compiler
