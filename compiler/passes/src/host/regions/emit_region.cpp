// SPDX-License-Identifier: Apache-2.0
#include "host/regions/emit_region.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

namespace pianola::compiler::host {

using kind = value_storage::kind;

region_emitter::region_emitter(const region& r, value_storage& storage, const placeholders& names,
                               const item_level& level)
    : region_(r),
      storage_(storage),
      names_(names),
      level_(level),
      function_(*r.entry->getParent()),
      prologue_(llvm::BasicBlock::Create(function_.getContext(), "region", &function_)) {}

// Computed by an item in this region.
bool region_emitter::here(const llvm::Value* value) const {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  return instruction != nullptr && !names_.is_id(instruction) &&
         region_.blocks.contains(const_cast<llvm::BasicBlock*>(instruction->getParent()));
}

// Needed behind the region.
bool region_emitter::leaves(llvm::Instruction* value) const {
  return llvm::any_of(region_.targets, [&](llvm::BasicBlock* to) {
    if (storage_.live().at_start(to, value)) return true;
    return llvm::any_of(to->phis(), [&](llvm::PHINode& phi) {
      return llvm::is_contained(phi.incoming_values(), value);
    });
  });
}

bool region_emitter::may_be_hoisted(const llvm::Instruction& instruction) const {
  if (storage_.kind_of(&instruction) != kind::scalar || llvm::isa<llvm::PHINode>(instruction) ||
      instruction.isTerminator() || instruction.getType()->isVoidTy())
    return false;
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  if (instruction.mayReadFromMemory() &&
      (load == nullptr || !load->hasMetadata(llvm::LLVMContext::MD_invariant_load)))
    return false;
  if (instruction.mayHaveSideEffects() || !llvm::isSafeToSpeculativelyExecute(&instruction))
    return false;
  return llvm::all_of(instruction.operands(), [&](llvm::Value* operand) {
    const kind k = storage_.kind_of(operand);
    return k == kind::always || scalars_.contains(operand) || (k == kind::scalar && !here(operand));
  });
}

void region_emitter::hoist() {
  for (llvm::BasicBlock* block : region_.blocks)
    for (llvm::Instruction& instruction : *block) {
      if (!may_be_hoisted(instruction)) continue;
      llvm::SmallVector<llvm::Value*, 4> operands;
      for (llvm::Value* operand : instruction.operands()) operands.push_back(scalar(operand));
      llvm::Instruction* copy = instruction.clone();
      for (unsigned i = 0; i < operands.size(); ++i) copy->setOperand(i, operands[i]);
      // It may now run where the original would not have.
      copy->dropUBImplyingAttrsAndMetadata();
      if (instruction.hasMetadata(llvm::LLVMContext::MD_invariant_load))
        copy->setMetadata(llvm::LLVMContext::MD_invariant_load,
                          llvm::MDNode::get(copy->getContext(), {}));
      copy->insertInto(prologue_, prologue_->end());
      scalars_[&instruction] = copy;
      hoisted_.insert(&instruction);
      if (leaves(&instruction))
        new llvm::StoreInst(copy, storage_.variable(&instruction), prologue_);
    }
}

llvm::Value* region_emitter::scalar(llvm::Value* value) {
  if (storage_.kind_of(value) == kind::always) return value;
  llvm::Value*& found = scalars_[value];
  if (found == nullptr) {
    auto* instruction = llvm::cast<llvm::Instruction>(value);
    llvm::AllocaInst* variable = storage_.variable(instruction);
    auto* load =
        new llvm::LoadInst(variable->getAllocatedType(), variable, "", false, prologue_->begin());
    found = load;
  }
  return found;
}

llvm::Value* region_emitter::element(llvm::Instruction* value, llvm::IRBuilder<>& at) {
  return at.CreateInBoundsGEP(memory_type(value->getType()), storage_.array(value), loops_.linear);
}

void region_emitter::store_element(llvm::Instruction* slot, llvm::Value* value,
                                   llvm::IRBuilder<>& at) {
  if (value->getType()->isIntegerTy(1)) value = at.CreateZExt(value, at.getInt8Ty());
  storage_.mark_array_access(at.CreateStore(value, element(slot, at)));
  stores_ = true;
}

// Value of something that was computed before the region.
llvm::Value* region_emitter::at_entry(llvm::Value* value) {
  const kind k = storage_.kind_of(value);
  if (k == kind::always || k == kind::scalar) return scalar(value);
  if (const auto found = entering_.find(value); found != entering_.end()) return found->second;
  auto* instruction = llvm::cast<llvm::Instruction>(value);
  llvm::Value* result = nullptr;
  if (names_.is_id(instruction)) {
    const llvm::Function* which = llvm::cast<llvm::CallInst>(instruction)->getCalledFunction();
    if (which == names_.linear) result = loops_.linear;
    if (which == names_.z) result = loops_.ids[0];
    if (which == names_.y) result = loops_.ids[1];
    if (which == names_.x) result = loops_.ids[2];
  } else if (k == kind::remade) {
    llvm::Instruction* copy = instruction->clone();
    for (llvm::Use& operand : copy->operands()) operand = at_entry(operand);
    copy->insertBefore(loops_.body->getTerminator()->getIterator());
    result = copy;
  } else {
    llvm::IRBuilder<> at(loops_.body->getTerminator());
    llvm::Type* stored = memory_type(value->getType());
    llvm::LoadInst* load = at.CreateLoad(stored, element(instruction, at));
    storage_.mark_array_access(load);
    result = load;
    if (stored != value->getType()) result = at.CreateTrunc(result, value->getType());
  }
  return entering_[value] = result;
}

llvm::Value* region_emitter::item_value(llvm::Value* value) {
  if (const auto found = copies_.find(value); found != copies_.end()) return found->second;
  return at_entry(value);
}

void region_emitter::clone_blocks() {
  for (llvm::BasicBlock* block : region_.blocks) {
    auto* copy = llvm::BasicBlock::Create(function_.getContext(), block->getName(), &function_);
    block_copies_[block] = copy;
    item_blocks_.push_back(copy);
  }
  llvm::BranchInst::Create(block_copies_[region_.entry], loops_.body);
  for (llvm::BasicBlock* block : region_.blocks) {
    llvm::BasicBlock* copy = block_copies_[block];
    for (llvm::Instruction& instruction : *block) {
      if (llvm::isa<llvm::DbgInfoIntrinsic>(instruction) || names_.is_id(&instruction)) continue;
      if (copies_.contains(&instruction)) continue;
      if (hoisted_.contains(&instruction)) {
        copies_[&instruction] = scalars_[&instruction];
        continue;
      }
      // Made of the same parts, so it is the same value as before.
      if (storage_.kind_of(&instruction) == kind::remade &&
          storage_.live().at_start(region_.entry, &instruction)) {
        copies_[&instruction] = at_entry(&instruction);
        continue;
      }
      llvm::Instruction* twin = instruction.clone();
      twin->setName(instruction.getName());
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(twin);
          call != nullptr && !call->isMustTailCall())
        call->setTailCall(false);
      storage_.mark_other_access(twin);
      twin->insertInto(copy, copy->end());
      copies_[&instruction] = twin;
    }
  }
}

region_emitter::exit& region_emitter::exit_for(llvm::BasicBlock* from, llvm::BasicBlock* to) {
  for (exit& e : exits_)
    if (e.from == from && e.to == to) return e;
  auto* block = llvm::BasicBlock::Create(function_.getContext(), "item.exit", &function_);
  item_blocks_.push_back(block);
  exits_.push_back({from, to, block});
  return exits_.back();
}

void region_emitter::connect() {
  for (llvm::BasicBlock* block : region_.blocks) {
    for (llvm::Instruction& original : *block) {
      const auto found = copies_.find(&original);
      if (found == copies_.end() || hoisted_.contains(&original)) continue;
      auto* copy = llvm::dyn_cast<llvm::Instruction>(found->second);
      if (copy == nullptr || copy->getParent() != block_copies_[block]) continue;
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(copy)) {
        for (unsigned i = phi->getNumIncomingValues(); i-- > 0;) {
          const auto previous = block_copies_.find(phi->getIncomingBlock(i));
          if (previous == block_copies_.end()) {
            phi->removeIncomingValue(i, false);
            continue;
          }
          phi->setIncomingBlock(i, previous->second);
          phi->setIncomingValue(i, item_value(phi->getIncomingValue(i)));
        }
        continue;
      }
      for (llvm::Use& operand : copy->operands()) {
        if (auto* next = llvm::dyn_cast<llvm::BasicBlock>(operand.get())) {
          const auto inside = block_copies_.find(next);
          operand = inside != block_copies_.end() ? inside->second : exit_for(block, next).block;
        } else if (llvm::isa<llvm::Instruction>(operand.get())) {
          operand = item_value(operand);
        }
      }
    }
  }
}

void region_emitter::close_other_ways() {
  for (const item_selection::decision& d : selection_->decisions) {
    llvm::BasicBlock* copy = block_copies_[d.block];
    llvm::Instruction* end = copy->getTerminator();
    if (d.is_certain) {
      llvm::BranchInst::Create(end->getSuccessor(d.taken), end->getIterator());
      end->eraseFromParent();
      continue;
    }
    for (unsigned i = 0; i < end->getNumSuccessors(); ++i)
      if (i != d.taken) end->setSuccessor(i, exit_for(d.block, region_.targets[0]).block);
  }
  // Phis have one entry per edge.
  for (const auto& [block, copy] : block_copies_)
    for (llvm::PHINode& phi : copy->phis())
      for (unsigned i = phi.getNumIncomingValues(); i-- > 0;) {
        llvm::BasicBlock* from = phi.getIncomingBlock(i);
        if (llvm::count(phi.blocks(), from) > llvm::count(llvm::predecessors(copy), from))
          phi.removeIncomingValue(i, false);
      }
}

void region_emitter::add_copy(llvm::BasicBlock* to, const scalar_copy& copy) {
  std::vector<scalar_copy>& copies = scalar_copies_[to];
  if (llvm::none_of(copies, [&](const scalar_copy& c) { return c.phi == copy.phi; }))
    copies.push_back(copy);
}

void region_emitter::fill_exits() {
  if (region_.targets.size() > 1 && exit_number_ == nullptr)
    exit_number_ = storage_.new_variable(llvm::Type::getInt32Ty(function_.getContext()), "exit");
  for (std::size_t i = 0; i < exits_.size(); ++i) {
    const exit e = exits_[i];
    llvm::IRBuilder<> at(e.block);
    const bool alone = llvm::count_if(exits_, [&](const exit& o) { return o.to == e.to; }) == 1;
    for (llvm::PHINode& phi : e.to->phis()) {
      llvm::Value* incoming = phi.getIncomingValueForBlock(e.from);
      auto* computed = llvm::dyn_cast<llvm::Instruction>(incoming);
      const kind k = storage_.kind_of(&phi);
      if (k == kind::array) {
        const bool same = computed != nullptr && storage_.kind_of(computed) == kind::array &&
                          !here(computed) && storage_.share_array(&phi, computed);
        if (!same) store_element(&phi, item_value(incoming), at);
      }
      if (k != kind::scalar && !storage_.decides(&phi)) continue;
      const kind from = storage_.kind_of(incoming);
      const bool early = from == kind::always || hoisted_.contains(incoming) ||
                         (from == kind::scalar && !here(incoming));
      if (early && alone) {
        add_copy(e.to, {&phi, scalar(incoming), nullptr});
        continue;
      }
      llvm::AllocaInst*& variable = handed_[&phi];
      if (variable == nullptr)
        variable = storage_.new_variable(phi.getType(), phi.getName() + ".handed");
      add_copy(e.to, {&phi, nullptr, variable});
      at.CreateStore(item_value(incoming), variable);
      stores_ = true;
    }
    for (llvm::Instruction* value : storage_.live().values()) {
      if (!here(value) || hoisted_.contains(value) || !storage_.live().at_start(e.to, value))
        continue;
      const kind k = storage_.kind_of(value);
      if (k == kind::array) store_element(value, item_value(value), at);
      if (k == kind::scalar || storage_.decides(value)) {
        at.CreateStore(item_value(value), storage_.variable(value));
        stores_ = true;
      }
    }
    if (exit_number_ != nullptr) {
      for (unsigned n = 0; n < region_.targets.size(); ++n)
        if (region_.targets[n] == e.to) at.CreateStore(at.getInt32(n), exit_number_);
      stores_ = true;
    }
    at.CreateBr(loops_.latch);
  }
}

// Where a path from the region's entry reaches a use without the computation, the value from before holds.
void region_emitter::merge_with_entry() {
  for (llvm::Instruction* value : storage_.live().values()) {
    if (!here(value) || hoisted_.contains(value) || storage_.kind_of(value) == kind::remade ||
        !storage_.live().at_start(region_.entry, value))
      continue;
    auto* copy = llvm::cast<llvm::Instruction>(copies_[value]);
    llvm::SSAUpdater update;
    update.Initialize(copy->getType(), copy->getName());
    update.AddAvailableValue(loops_.body, at_entry(value));
    update.AddAvailableValue(copy->getParent(), copy);
    llvm::SmallVector<llvm::Use*, 8> uses;
    for (llvm::Use& use : copy->uses()) {
      auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      if (llvm::isa<llvm::PHINode>(user) || user->getParent() != copy->getParent())
        uses.push_back(&use);
    }
    for (llvm::Use* use : uses) update.RewriteUse(*use);
  }
}

bool region_emitter::has_effects() const {
  if (stores_ || region_.targets.size() != 1) return true;
  for (const auto& [block, copy] : block_copies_)
    for (const llvm::Instruction& instruction : *copy) {
      if (instruction.isTerminator() &&
          (instruction.getNumSuccessors() == 0 || instruction.mayHaveSideEffects()))
        return true;
      if (instruction.mayHaveSideEffects() && !instruction.isLifetimeStartOrEnd() &&
          !llvm::isa<llvm::AssumeInst>(instruction))
        return true;
    }
  return false;
}

void region_emitter::go_on() {
  llvm::IRBuilder<> at(loops_.after);
  std::vector<llvm::BasicBlock*> edges;
  for (llvm::BasicBlock* to : region_.targets) {
    auto* edge = llvm::BasicBlock::Create(function_.getContext(), "region.exit", &function_);
    edges.push_back(edge);
    llvm::IRBuilder<> copy(edge);
    llvm::SmallVector<llvm::Value*, 4> values;
    const std::vector<scalar_copy>& phis = scalar_copies_[to];
    for (const scalar_copy& c : phis)
      values.push_back(c.value != nullptr ? c.value
                                          : copy.CreateLoad(c.phi->getType(), c.variable));
    for (std::size_t i = 0; i < phis.size(); ++i)
      copy.CreateStore(values[i], storage_.variable(phis[i].phi));
    copy.CreateBr(to);
  }
  if (edges.empty()) {
    at.CreateUnreachable();
  } else if (edges.size() == 1) {
    at.CreateBr(edges[0]);
  } else {
    auto* choice = at.CreateSwitch(at.CreateLoad(at.getInt32Ty(), exit_number_), edges.back());
    for (unsigned i = 0; i + 1 < edges.size(); ++i) choice->addCase(at.getInt32(i), edges[i]);
  }
}

// What a person would call the region's line: where it writes, or else where it starts.
llvm::DebugLoc region_emitter::place() const {
  llvm::DebugLoc start;
  for (llvm::BasicBlock* block : region_.blocks)
    for (const llvm::Instruction& instruction : *block) {
      if (!start) start = instruction.getDebugLoc();
      const bool writes =
          instruction.mayWriteToMemory() && (!llvm::isa<llvm::IntrinsicInst>(instruction) ||
                                             llvm::isa<llvm::MemIntrinsic>(instruction));
      if (writes && instruction.getDebugLoc()) return instruction.getDebugLoc();
    }
  return start;
}

void region_emitter::emit_items(const item_range& range, llvm::BasicBlock* before) {
  entering_.clear();
  copies_.clear();
  block_copies_.clear();
  item_blocks_.clear();
  exits_.clear();
  loops_ = make_item_loops(before, level_, range);
  if (selection_ != nullptr)
    for (const auto& [compare, value] : selection_->known)
      copies_[compare] = llvm::ConstantInt::getBool(function_.getContext(), value);
  clone_blocks();
  connect();
  if (selection_ != nullptr) close_other_ways();
  fill_exits();
  merge_with_entry();
  item_blocks_.push_back(loops_.body);
  if (!level_.innermost) return;
  mark_parallel(loops_, item_blocks_, range.is_short, place());
}

llvm::BasicBlock* region_emitter::emit() {
  hoist();
  llvm::IRBuilder<> at(prologue_);
  const auto early = [&](llvm::Value* value) -> llvm::Value* {
    const kind k = storage_.kind_of(value);
    const bool known =
        k == kind::always || hoisted_.contains(value) || (k == kind::scalar && !here(value));
    return known ? scalar(value) : nullptr;
  };
  const llvm::SmallVector<item_selection, 4> ways =
      select_items(region_, storage_, names_, level_, early);
  std::vector<std::pair<const item_selection*, item_range>> ranges;
  for (const item_selection& way : ways)
    for (const item_range& range : selected_items(at, way, level_, ways.size() == 1))
      ranges.emplace_back(&way, range);
  if (ways.empty())
    for (const item_range& range : all_items(at, level_)) ranges.emplace_back(nullptr, range);
  llvm::BasicBlock* before = prologue_;
  for (const auto& [way, range] : ranges) {
    selection_ = way;
    emit_items(range, before);
    before = loops_.after;
    if (has_effects()) continue;
    // Nothing is left for the items.
    prologue_->getTerminator()->eraseFromParent();
    llvm::BranchInst::Create(loops_.after, prologue_);
    break;
  }
  go_on();
  return prologue_;
}

}  // namespace pianola::compiler::host
