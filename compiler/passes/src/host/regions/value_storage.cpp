// SPDX-License-Identifier: Apache-2.0
#include "host/regions/value_storage.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>

namespace pianola::compiler::host {

llvm::Type* memory_type(llvm::Type* type) {
  return type->isIntegerTy(1) ? llvm::Type::getInt8Ty(type->getContext()) : type;
}

llvm::AllocaInst* make_item_array(llvm::Function& function, const item_level& level,
                                  llvm::Type* element, const llvm::Twine& name) {
  llvm::IRBuilder<> at(function.getEntryBlock().getTerminator());
  llvm::AllocaInst* array = nullptr;
  if (level.most != 0)
    array = new llvm::AllocaInst(llvm::ArrayType::get(element, level.most),
                                 function.getDataLayout().getAllocaAddrSpace(), name,
                                 function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  else
    array = at.CreateAlloca(element, level.count, name);
  array->setAlignment(llvm::Align(64));
  array->setMetadata(shared_memory, llvm::MDNode::get(function.getContext(), {}));
  return array;
}

value_storage::value_storage(llvm::Function& function, const skeleton& s, const uniformity& u,
                             const placeholders& names, const item_level& level)
    : function_(function), skeleton_(s), names_(names), level_(level), remade_(function, u, names) {
  llvm::MDBuilder metadata(function.getContext());
  array_scopes_ = llvm::MDNode::get(
      function.getContext(),
      metadata.createAnonymousAliasScope(metadata.createAnonymousAliasScopeDomain()));
  for (llvm::BasicBlock* block : s.blocks) {
    if (block == &function.getEntryBlock()) continue;
    for (llvm::Instruction& instruction : *block) {
      if (llvm::isa<llvm::PHINode>(instruction)) continue;
      for (llvm::Value* operand : instruction.operands())
        if (auto* value = llvm::dyn_cast<llvm::Instruction>(operand))
          if (kind_of(value) != kind::always && !remade_.is_uniform(value)) deciding_.insert(value);
    }
  }
  live_ = std::make_unique<liveness>(
      function, [&](llvm::Instruction* value, llvm::function_ref<void(llvm::Instruction*)> f) {
        if (kind_of(value) == kind::remade) add_parts(value, f);
      });
  merge_arrays();
}

value_storage::kind value_storage::kind_of(const llvm::Value* value) const {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr) return kind::always;
  const bool entry = instruction->getParent() == &function_.getEntryBlock();
  if (names_.is_id(instruction)) return kind::remade;
  // What the skeleton computes, it computes once. A loop of it that not all items seem to leave at once does not change that:
  // they meet in it, so they do.
  const bool once = !entry && !llvm::isa<llvm::PHINode>(instruction) &&
                    skeleton_.contains(const_cast<llvm::BasicBlock*>(instruction->getParent()));
  const bool uniform = once || remade_.is_uniform(instruction);
  if (entry && uniform) return kind::always;
  if (uniform) return kind::scalar;
  return remade_.contains(instruction) ? kind::remade : kind::array;
}

void value_storage::add_parts(llvm::Instruction* value,
                              llvm::function_ref<void(llvm::Instruction*)> f) const {
  llvm::SmallSetVector<llvm::Instruction*, 16> parts;
  parts.insert(value);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) f(parts[i]);
    if (i != 0 && remade_.is_uniform(parts[i])) continue;
    for (llvm::Value* operand : parts[i]->operands())
      if (auto* part = llvm::dyn_cast<llvm::Instruction>(operand)) parts.insert(part);
  }
}

void value_storage::merge_arrays() {
  // The blocks of the skeleton at which the contents of a value's array are needed.
  const auto occupied = [&](llvm::Instruction* value) {
    llvm::SmallPtrSet<llvm::BasicBlock*, 8> blocks;
    for (llvm::BasicBlock* block : skeleton_.blocks)
      if (live_->at_start(block, value) ||
          (llvm::isa<llvm::PHINode>(value) && value->getParent() == block))
        blocks.insert(block);
    return blocks;
  };
  llvm::MapVector<llvm::Instruction*, llvm::SmallPtrSet<llvm::BasicBlock*, 8>> webs;
  const auto web = [&](llvm::Instruction* value) {
    llvm::Instruction* leader = webs_.getOrInsertLeaderValue(value);
    if (!webs.contains(leader)) webs[leader] = occupied(value);
    return leader;
  };
  for (llvm::BasicBlock* block : skeleton_.blocks)
    for (llvm::PHINode& phi : block->phis()) {
      if (kind_of(&phi) != kind::array) continue;
      for (llvm::Value* incoming : phi.incoming_values()) {
        auto* value = llvm::dyn_cast<llvm::Instruction>(incoming);
        if (value == nullptr || kind_of(value) != kind::array) continue;
        llvm::Instruction *a = web(&phi), *b = web(value);
        if (a == b) continue;
        const auto in_b = webs[b];
        if (llvm::any_of(webs[a], [&](llvm::BasicBlock* at) { return in_b.contains(at); }))
          continue;
        auto both = webs[a];
        both.insert(in_b.begin(), in_b.end());
        webs_.unionSets(a, b);
        webs[webs_.getLeaderValue(a)] = std::move(both);
      }
    }
}

llvm::AllocaInst* value_storage::new_variable(llvm::Type* type, const llvm::Twine& name) {
  auto* variable = new llvm::AllocaInst(type, function_.getDataLayout().getAllocaAddrSpace(), name,
                                        function_.getEntryBlock().begin());
  variables_.push_back(variable);
  return variable;
}

llvm::AllocaInst* value_storage::variable(llvm::Instruction* value) {
  llvm::AllocaInst*& found = scalars_[value];
  if (found == nullptr) found = new_variable(value->getType(), value->getName() + ".scalar");
  return found;
}

llvm::AllocaInst* value_storage::array(llvm::Instruction* value) {
  llvm::Instruction* leader = webs_.getOrInsertLeaderValue(value);
  llvm::AllocaInst*& found = arrays_[leader];
  if (found == nullptr)
    found = make_item_array(function_, level_, memory_type(value->getType()),
                            value->getName() + ".items");
  return found;
}

void value_storage::mark_array_access(llvm::Instruction* access) const {
  access->setMetadata(llvm::LLVMContext::MD_alias_scope, array_scopes_);
}

void value_storage::mark_other_access(llvm::Instruction* access) const {
  if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(access))
    access->setMetadata(llvm::LLVMContext::MD_noalias,
                        llvm::MDNode::concatenate(
                            access->getMetadata(llvm::LLVMContext::MD_noalias), array_scopes_));
}

bool value_storage::share_array(llvm::Instruction* a, llvm::Instruction* b) const {
  const auto first = webs_.findLeader(a), second = webs_.findLeader(b);
  return a == b || (first != webs_.member_end() && first == second);
}

}  // namespace pianola::compiler::host
