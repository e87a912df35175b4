// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/function_object.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <pianola/abi/image.h>

namespace pianola::compiler {

namespace {

constexpr unsigned no_limit = 0;

struct constant_place {
  const llvm::Value* base;
  std::int64_t offset;
};

constant_place strip(const llvm::Value& pointer, const llvm::DataLayout& layout) {
  llvm::APInt offset(64, 0);
  const llvm::Value* base =
      pointer.stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  return {base, offset.getSExtValue()};
}

// Numbers and single pointers; anything larger may hold pointers that nobody follows.
bool is_plain(const llvm::Type& type) {
  return type.isFloatingPointTy() || type.isPointerTy() ||
         (type.isIntegerTy() && type.getIntegerBitWidth() <= 64) ||
         (type.isVectorTy() && !type.getScalarType()->isPointerTy());
}

// Uses of a copy that could change it.
bool is_unchanged(const llvm::AllocaInst& variable, const llvm::MemCpyInst& filled_by) {
  llvm::SmallVector<const llvm::Value*> todo{&variable};
  llvm::DenseMap<const llvm::Value*, bool> seen;
  while (!todo.empty()) {
    const llvm::Value* pointer = todo.pop_back_val();
    if (!seen.try_emplace(pointer, true).second) continue;
    for (const llvm::User* user : pointer->users()) {
      if (llvm::isa<llvm::GEPOperator, llvm::AddrSpaceCastInst>(user)) {
        todo.push_back(user);
      } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
        if (!load->isSimple() || !is_plain(*load->getType())) return false;
      } else if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user)) {
        if (call != &filled_by && !call->isLifetimeStartOrEnd()) return false;
      } else {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

function_object::function_object(const llvm::Function& body) : body_(body) {
  llvm::SmallVector<const llvm::Value*> todo{body.getArg(0)};
  llvm::DenseMap<const llvm::Value*, bool> seen;
  const llvm::DataLayout& layout = body.getParent()->getDataLayout();
  while (!todo.empty() && followed_) {
    const llvm::Value* pointer = todo.pop_back_val();
    if (!seen.try_emplace(pointer, true).second) continue;
    for (const llvm::User* user : pointer->users()) {
      if (llvm::isa<llvm::GEPOperator, llvm::AddrSpaceCastInst>(user)) {
        todo.push_back(user);
      } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
        if (!load->isSimple() || !is_plain(*load->getType())) followed_ = false;
      } else if (const auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(user)) {
        const constant_place from = strip(*copy->getRawSource(), layout);
        const constant_place to = strip(*copy->getRawDest(), layout);
        const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(to.base);
        if (from.base != body.getArg(0) || variable == nullptr || copy->isVolatile() ||
            !is_unchanged(*variable, *copy))
          followed_ = false;
        else
          copies_[variable] = from.offset - to.offset;
      } else if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user)) {
        if (!call->isAssumeLikeIntrinsic()) followed_ = false;
      } else if (!llvm::isa<llvm::ICmpInst>(user)) {
        followed_ = false;
      }
    }
  }
}

bool function_object::holds(const llvm::Value& pointer) const {
  const llvm::Value* base = llvm::getUnderlyingObject(&pointer, no_limit);
  return base == body_.getArg(0) || copies_.contains(base);
}

std::optional<std::uint32_t> function_object::offset_of(const llvm::Value& pointer) const {
  constant_place place = strip(pointer, body_.getParent()->getDataLayout());
  if (const auto copy = copies_.find(place.base); copy != copies_.end())
    place.offset += copy->second;
  else if (place.base != body_.getArg(0))
    return std::nullopt;
  if (place.offset < 0 || place.offset > std::int64_t{PIANOLA_FACTOR_WHERE_MASK})
    return std::nullopt;
  return static_cast<std::uint32_t>(place.offset);
}

}  // namespace pianola::compiler
