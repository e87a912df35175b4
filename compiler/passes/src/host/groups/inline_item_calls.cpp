// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/inline_item_calls.hpp"

#include <vector>

#include <llvm/Analysis/InlineCost.h>
#include <llvm/IR/Attributes.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace pianola::compiler {

namespace {

// Mangled name of the loop's function in sycl/glue/kernel_launcher_range.hpp, up to template arguments.
constexpr llvm::StringLiteral loop_function = "_ZN7pianola4glue15for_each_in_row";

constexpr unsigned deepest = 12;
// A function that is called elsewhere, too, may have so many instructions.
constexpr unsigned most_instructions = 300;
constexpr unsigned most_inlined_calls = 400;

// Not functions for other instruction sets, and not between functions that a sanitizer treats differently.
bool are_alike(const llvm::Function& a, const llvm::Function& b) {
  for (const char* name : {"target-cpu", "target-features"})
    if (a.getFnAttribute(name) != b.getFnAttribute(name)) return false;
  return llvm::AttributeFuncs::areInlineCompatible(a, b);
}

bool may_be_inlined(llvm::CallBase& call, llvm::Function& into) {
  llvm::Function* callee = call.getCalledFunction();
  return callee != nullptr && !callee->isDeclaration() && callee != &into &&
         !callee->isInterposable() && !callee->hasFnAttribute(llvm::Attribute::NoInline) &&
         !call.hasFnAttr(llvm::Attribute::NoInline) && are_alike(into, *callee) &&
         (callee->hasOneUse() || callee->hasFnAttribute(llvm::Attribute::AlwaysInline) ||
          callee->getInstructionCount() <= most_instructions) &&
         llvm::isInlineViable(*callee).isSuccess();
}

void inline_calls(llvm::Function& function) {
  struct work {
    llvm::WeakTrackingVH call;
    unsigned depth;
  };
  std::vector<work> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (llvm::isa<llvm::CallBase>(instruction) &&
        instruction.hasMetadata(llvm::LLVMContext::MD_access_group))
      calls.push_back({&instruction, 0});
  for (std::size_t i = 0; i < calls.size() && i < most_inlined_calls; ++i) {
    auto* call = llvm::dyn_cast_or_null<llvm::CallBase>(calls[i].call);
    if (call == nullptr || calls[i].depth == deepest || !may_be_inlined(*call, function)) continue;
    const unsigned depth = calls[i].depth + 1;
    llvm::InlineFunctionInfo result;
    if (!llvm::InlineFunction(*call, result, true).isSuccess()) continue;
    for (llvm::CallBase* inner : result.InlinedCallSites) calls.push_back({inner, depth});
  }
}

}  // namespace

void inline_item_calls(llvm::Module& module) {
  for (llvm::Function& function : module)
    if (function.getName().starts_with(loop_function) && !function.isDeclaration() &&
        !function.hasOptNone())
      inline_calls(function);
}

}  // namespace pianola::compiler
