// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/escapes.hpp"

#include <algorithm>
#include <iterator>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace pianola::compiler {

namespace {

// Of the C library; with and without f. They may set errno, which nobody can read in a kernel.
constexpr llvm::StringLiteral functions_of_numbers[] = {
    "acos",  "acosh",     "asin",  "asinh",  "atan",    "atan2",  "atanh",     "cbrt",
    "ceil",  "copysign",  "cos",   "cosh",   "erf",     "erfc",   "exp",       "exp10",
    "exp2",  "expm1",     "fabs",  "fdim",   "floor",   "fma",    "fmax",      "fmin",
    "fmod",  "hypot",     "ilogb", "ldexp",  "lgamma",  "llrint", "llround",   "log",
    "log10", "log1p",     "log2",  "logb",   "lrint",   "lround", "nearbyint", "nextafter",
    "pow",   "remainder", "rint",  "round",  "scalbln", "scalbn", "sin",       "sinh",
    "sqrt",  "tan",       "tanh",  "tgamma", "trunc"};

// A number made of the pointer.
bool number_stays(const llvm::User& user) {
  return llvm::isa<llvm::BinaryOperator, llvm::ZExtInst, llvm::SExtInst, llvm::TruncInst,
                   llvm::FreezeInst, llvm::PHINode, llvm::SelectInst>(user);
}

}  // namespace

bool escapes(const llvm::Value& pointer) {
  llvm::SmallVector<const llvm::Value*, 16> todo{&pointer};
  llvm::SmallPtrSet<const llvm::Value*, 16> seen;
  while (!todo.empty()) {
    const llvm::Value* value = todo.pop_back_val();
    if (!seen.insert(value).second) continue;
    const bool is_number = value->getType()->isIntegerTy();
    for (const llvm::User* user : value->users()) {
      if (llvm::isa<llvm::ICmpInst>(user)) continue;
      if (is_number) {
        if (number_stays(*user))
          todo.push_back(user);
        else if (!llvm::isa<llvm::GEPOperator>(
                     user))  // as an index, into what another pointer points to
          return true;
        continue;
      }
      if (llvm::isa<llvm::GEPOperator, llvm::BitCastInst, llvm::AddrSpaceCastInst, llvm::PHINode,
                    llvm::SelectInst, llvm::FreezeInst, llvm::PtrToIntInst>(user)) {
        if (user->getType()->isVectorTy()) return true;
        todo.push_back(user);
      } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
        if (store->getValueOperand() == value) return true;
      } else if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(user)) {
        if (update->getValOperand() == value) return true;
      } else if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(user)) {
        if (exchange->getCompareOperand() == value || exchange->getNewValOperand() == value)
          return true;
      } else if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user)) {
        if (!call->isAssumeLikeIntrinsic() && !llvm::isa<llvm::AnyMemIntrinsic>(call) &&
            call->getIntrinsicID() != llvm::Intrinsic::prefetch)
          return true;
      } else if (!llvm::isa<llvm::LoadInst>(user)) {
        return true;
      }
    }
  }
  return false;
}

bool touches_no_memory(const llvm::CallBase& call) {
  if (call.doesNotAccessMemory()) return true;
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    if (intrinsic->isAssumeLikeIntrinsic()) return true;
    const llvm::Intrinsic::ID id = intrinsic->getIntrinsicID();
    return id == llvm::Intrinsic::trap || id == llvm::Intrinsic::ubsantrap ||
           id == llvm::Intrinsic::prefetch;
  }
  const llvm::Function* callee = call.getCalledFunction();
  return callee != nullptr &&
         (callee->getName().starts_with("__pianola_") || is_math_function(*callee));
}

bool is_math_function(const llvm::Function& function) {
  if (!function.isDeclaration()) return false;
  for (const llvm::Argument& a : function.args())
    if (!a.getType()->isFloatingPointTy() && !a.getType()->isIntegerTy()) return false;
  const llvm::StringRef name = function.getName();
  const auto known = [](llvm::StringRef n) {
    return std::find(std::begin(functions_of_numbers), std::end(functions_of_numbers), n) !=
           std::end(functions_of_numbers);
  };
  return known(name) || (name.ends_with("f") && known(name.drop_back()));
}

bool is_group_memory(llvm::StringRef name) {
  return name == "__pianola_local_memory" || name == "__pianola_group_scratch" ||
         name == "__pianola_group_storage" || name == "__pianola_group_object";
}

}  // namespace pianola::compiler
