// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "host/groups/prepare_body.hpp"

namespace pianola::compiler::host {

namespace {

// Functions of more instructions, before any simplification, stay functions.
constexpr unsigned large = 3000;

struct call_site {
  llvm::CallBase* call;
  // Index of the inlined function it comes from, in `history`; -1: the body itself.
  int from;
};

struct inlined {
  const llvm::Function* function;
  int from;
};

// Whether a function may come to an intrinsic that only makes sense in the work-item loops.
class intrinsic_search {
 public:
  bool operator()(const llvm::Function& function) {
    if (const auto found = known_.find(&function); found != known_.end()) return found->second;
    known_[&function] = false;
    bool result = false;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
      if (callee == nullptr) continue;
      if (callee->getName().starts_with("__pianola_") ||
          (!callee->isDeclaration() && (*this)(*callee)))
        result = true;
    }
    return known_[&function] = result;
  }

 private:
  llvm::DenseMap<const llvm::Function*, bool> known_;
};

bool is_recursive(const llvm::Function* callee, int from, const std::vector<inlined>& history) {
  for (; from >= 0; from = history[static_cast<std::size_t>(from)].from)
    if (history[static_cast<std::size_t>(from)].function == callee) return true;
  return false;
}

bool is_wanted(const llvm::Function& caller, const llvm::Function& callee) {
  if (callee.isInterposable()) return false;
  if (callee.hasFnAttribute(llvm::Attribute::NoInline) &&
      !callee.hasFnAttribute(llvm::Attribute::OptimizeNone))
    return false;
  for (const char* name : {"target-features", "target-cpu"})
    if (callee.getFnAttribute(name) != caller.getFnAttribute(name)) return false;
  return callee.getInstructionCount() <= large;
}

}  // namespace

void report(const kernel& k, const llvm::Instruction* where, const llvm::Twine& reason) {
  const llvm::DebugLoc location = where != nullptr ? where->getDebugLoc() : llvm::DebugLoc();
  k.body->getContext().diagnose(llvm::DiagnosticInfoUnsupported(
      *k.body, "kernel '" + k.name + "': " + reason.str(), llvm::DiagnosticLocation(location)));
}

bool inline_callees(llvm::Function& function, const kernel& k) {
  intrinsic_search has_intrinsics;
  std::vector<inlined> history;
  std::vector<call_site> work;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) work.push_back({call, -1});
  while (!work.empty()) {
    const call_site site = work.back();
    work.pop_back();
    llvm::Function* callee = site.call->getCalledFunction();
    if (callee == nullptr || callee->isDeclaration() || callee->isIntrinsic()) continue;
    const bool needed = has_intrinsics(*callee);
    if (is_recursive(callee, site.from, history)) {
      if (!needed) continue;
      report(k, site.call,
             "a group operation, barrier or id is used in the recursive function '" +
                 callee->getName() + "'; only functions without recursion may use them, called");
      return false;
    }
    if (callee->isVarArg()) {
      // Its arguments are where a call leaves them, and nowhere else.
      if (!needed) continue;
      report(k, site.call,
             "the function '" + callee->getName() +
                 "' uses a group operation, barrier or id and takes variable arguments, which a "
                 "function that does so cannot, called");
      return false;
    }
    if (!needed && !is_wanted(function, *callee)) continue;
    llvm::InlineFunctionInfo info;
    const std::string name = callee->getName().str();
    const llvm::DebugLoc location = site.call->getDebugLoc();
    const llvm::InlineResult result = llvm::InlineFunction(*site.call, info);
    if (!result.isSuccess()) {
      if (!needed) continue;
      report(k, site.call,
             "the function '" + llvm::Twine(name) +
                 "' uses a group operation, barrier or id and cannot be inlined (" +
                 result.getFailureReason() + "), called");
      return false;
    }
    history.push_back({callee, site.from});
    for (llvm::CallBase* call : info.InlinedCallSites)
      work.push_back({call, static_cast<int>(history.size()) - 1});
  }
  return true;
}

}  // namespace pianola::compiler::host
