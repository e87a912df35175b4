// SPDX-License-Identifier: Apache-2.0
#include "host/groups/sub_groups.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "host/analysis/control_dependence.hpp"
#include "host/analysis/uniformity.hpp"
#include "host/groups/barrier_decisions.hpp"
#include "host/groups/join_ways.hpp"
#include "host/groups/part_items.hpp"
#include "host/groups/prepare_body.hpp"
#include "host/regions/lower_items.hpp"

namespace pianola::compiler::host {

namespace {

namespace match = llvm::PatternMatch;

constexpr llvm::StringLiteral small_sub_group = "__pianola_refuse_small_sub_group";

void run_cleanup(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::EarlyCSEPass(true));
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  analyses.invalidate(function, passes.run(function, analyses));
}

// Levels are computed behind the group's sizes.
llvm::IRBuilder<> behind(const item_level& group) {
  return llvm::IRBuilder<>(llvm::cast<llvm::Instruction>(group.count)->getNextNode());
}

// Questions about the sub-group's number that have become ones about the work-item's: `id / 8 == 1` is `id - 8 < 8` by
// then. `value` is `base` but for its lowest bits, a lane's number below `size`.
void ask_without_lanes(llvm::Value* value, llvm::Value* base, unsigned size) {
  const auto is_whole = [&](const llvm::APInt& number) { return (number & (size - 1)).isZero(); };
  for (llvm::User* user : llvm::make_early_inc_range(value->users()))
    if (llvm::isa<llvm::FreezeInst>(user)) {
      // Ids are what they are, wherever they are asked for.
      user->replaceAllUsesWith(value);
      llvm::cast<llvm::Instruction>(user)->eraseFromParent();
    }
  for (llvm::User* user : llvm::make_early_inc_range(value->users())) {
    auto* instruction = llvm::cast<llvm::Instruction>(user);
    llvm::IRBuilder<> at(instruction);
    const llvm::APInt* number = nullptr;
    if (auto* question = llvm::dyn_cast<llvm::ICmpInst>(instruction)) {
      if (question->getOperand(0) != value ||
          !match::match(question->getOperand(1), match::m_APInt(number)))
        continue;
      const auto which = question->getPredicate();
      const bool is_below = which == llvm::ICmpInst::ICMP_ULT || which == llvm::ICmpInst::ICMP_UGE;
      const bool is_upto = which == llvm::ICmpInst::ICMP_UGT || which == llvm::ICmpInst::ICMP_ULE;
      if ((is_below && is_whole(*number)) || (is_upto && is_whole(*number + 1)))
        question->setOperand(0, base);
    } else if (match::match(instruction,
                            match::m_Add(match::m_Specific(value), match::m_APInt(number)))) {
      if (is_whole(*number))
        ask_without_lanes(instruction, at.CreateAdd(base, instruction->getOperand(1)), size);
    } else if (llvm::isa<llvm::ZExtInst>(instruction)) {
      ask_without_lanes(instruction, at.CreateZExt(base, instruction->getType()), size);
    }
  }
}

// What a work-item computes its place in the sub-group from: its linear id in the group, which the headers
// compute from the ids of the dimensions. Here it is the other way round.
void number_lanes(llvm::Function& function, const item_level& group, unsigned size,
                  const placeholders& names) {
  llvm::IRBuilder<> at = behind(group);
  llvm::CallInst* first_lane_id = at.CreateCall(names.x);
  first_lane_id->setMetadata(llvm::LLVMContext::MD_range,
                             llvm::MDBuilder(function.getContext())
                                 .createRange(llvm::APInt(32, 0), llvm::APInt(32, size)));
  llvm::Value* first_of_sub_group =
      at.CreateShl(at.CreateCall(names.sub_group), llvm::Log2_32(size), "", true, true);
  llvm::Value* linear = at.CreateOr(first_of_sub_group, first_lane_id, "linear_id");
  llvm::cast<llvm::PossiblyDisjointInst>(linear)->setIsDisjoint(true);
  llvm::Value* wide = at.CreateZExt(linear, at.getInt64Ty());

  // y * size_x + x and its like in three dimensions, as get_local_linear_id makes them.
  const auto is_id = [&](llvm::Value* value, const llvm::Function* which) {
    if (auto* widened = llvm::dyn_cast<llvm::ZExtInst>(value)) value = widened->getOperand(0);
    auto* call = llvm::dyn_cast<llvm::CallInst>(value);
    return call != nullptr && call != first_lane_id && call->getCalledFunction() == which;
  };
  const auto is_size = [&](llvm::Value* value, unsigned d) {
    if (auto* widened = llvm::dyn_cast<llvm::ZExtInst>(value)) value = widened->getOperand(0);
    return value == group.size[d];
  };
  const auto is_row = [&](llvm::Value* value, auto&& inner) {
    llvm::Value *a = nullptr, *b = nullptr;
    return llvm::PatternMatch::match(value, match::m_Mul(match::m_Value(a), match::m_Value(b))) &&
           (inner(a, b) || inner(b, a));
  };
  const auto is_sum = [&](llvm::Value* value, auto&& both) {
    llvm::Value *a = nullptr, *b = nullptr;
    return llvm::PatternMatch::match(value, match::m_Add(match::m_Value(a), match::m_Value(b))) &&
           (both(a, b) || both(b, a));
  };
  const auto is_plane = [&](llvm::Value* value) {
    if (group.dimensions == 2) return is_id(value, names.y);
    return is_sum(value, [&](llvm::Value* a, llvm::Value* b) {
      return is_id(b, names.y) && is_row(a, [&](llvm::Value* z, llvm::Value* s) {
               return is_id(z, names.z) && is_size(s, 1);
             });
    });
  };
  if (group.dimensions > 1)
    for (llvm::Instruction& instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      const bool found = is_sum(&instruction, [&](llvm::Value* a, llvm::Value* b) {
        return is_id(b, names.x) && is_row(a, [&](llvm::Value* row, llvm::Value* s) {
                 return is_size(s, 2) && is_plane(row);
               });
      });
      if (found)
        instruction.replaceAllUsesWith(instruction.getType()->isIntegerTy(64) ? wide : linear);
    }

  std::array<llvm::Value*, 3> ids{at.getInt32(0), at.getInt32(0), linear};
  if (group.dimensions > 1) {
    llvm::Value* row = at.CreateUDiv(linear, group.size[2]);
    ids[2] = at.CreateURem(linear, group.size[2], "x");
    ids[1] = row;
    if (group.dimensions > 2) {
      ids[0] = at.CreateUDiv(row, group.size[1], "z");
      ids[1] = at.CreateURem(row, group.size[1], "y");
    }
  }
  const std::array<llvm::Function*, 3> functions{names.z, names.y, names.x};
  for (unsigned d = 0; d < 3; ++d)
    for (llvm::User* user : llvm::make_early_inc_range(functions[d]->users())) {
      auto* call = llvm::cast<llvm::CallInst>(user);
      if (call == first_lane_id || call->getFunction() != &function) continue;
      call->replaceAllUsesWith(ids[d]);
      call->eraseFromParent();
    }
  ask_without_lanes(linear, first_of_sub_group, size);
}

// Where in the program's own file the call was written, if it is in a function of a header.
const llvm::DILocation* place_in_program(const llvm::Instruction& call) {
  const llvm::DILocation* const innermost = call.getDebugLoc();
  for (const llvm::DILocation* place = innermost; place != nullptr; place = place->getInlinedAt()) {
    const llvm::DISubprogram* function = place->getScope()->getSubprogram();
    if (function != nullptr && function->getUnit() != nullptr &&
        function->getUnit()->getFilename() == place->getFilename())
      return place;
  }
  return innermost;
}

// The lanes of a sub-group are loops that begin and end at what its work-items do together. What a part of them does
// can only be such a place if the others come by, too.
void refuse_lone_parts(llvm::Function& function, const kernel& k, const placeholders& names) {
  llvm::SetVector<llvm::BasicBlock*> places;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (callee_name(instruction) == small_sub_group) {
      report(k, &instruction,
             "a chunk is asked to have more work-items than the sub-group it is of; the kernel can "
             "require larger ones, [[sycl::reqd_sub_group_size(32)]]");
      return;
    }
    if (is_of_part_of_sub_group(instruction)) places.insert(instruction.getParent());
  }
  if (places.empty()) return;
  const uniformity u(function, names);
  const auto all_come = [&](const llvm::SetVector<llvm::BasicBlock*>& seeds) {
    return llvm::all_of(control_dependence(function, seeds).deciders(),
                        [&](llvm::BasicBlock* d) { return u.branches_together(d); });
  };
  if (all_come(places)) return;
  for (llvm::BasicBlock* place : places) {
    llvm::SetVector<llvm::BasicBlock*> seed;
    seed.insert(place);
    if (all_come(seed)) continue;
    llvm::Instruction& call = *llvm::find_if(*place, is_of_part_of_sub_group);
    call.setDebugLoc(place_in_program(call));
    report(k, &call,
           "a function of some work-items of a sub-group stands in a branch or loop that the "
           "others may not take; compiled for the processor, all of the sub-group must come by");
    return;
  }
}

llvm::AllocaInst* make_slots(llvm::Function& function, llvm::Type* element, unsigned size) {
  auto* slots = new llvm::AllocaInst(llvm::ArrayType::get(element, size),
                                     function.getDataLayout().getAllocaAddrSpace(), "slots",
                                     function.getEntryBlock().begin());
  slots->setAlignment(llvm::Align(64));
  slots->setMetadata(shared_memory, llvm::MDNode::get(function.getContext(), {}));
  return slots;
}

// Every lane writes its value; behind the wait, every lane reads the one it wants.
void lower_shuffle(llvm::CallInst* call, unsigned size, const placeholders& names,
                   llvm::Function* wait) {
  llvm::AllocaInst* slots = make_slots(*call->getFunction(), call->getType(), size);
  llvm::IRBuilder<> at(call);
  const auto slot = [&](llvm::Value* lane) {
    return at.CreateInBoundsGEP(call->getType(), slots, at.CreateZExt(lane, at.getInt64Ty()));
  };
  at.CreateStore(call->getArgOperand(0), slot(at.CreateCall(names.x)));
  at.CreateCall(wait, at.getInt32(0));
  llvm::Value* lane = at.CreateAnd(call->getArgOperand(1), at.getInt32(size - 1));
  llvm::Value* read = at.CreateLoad(call->getType(), slot(lane));
  call->replaceAllUsesWith(read);
  call->eraseFromParent();
}

// Every lane writes its predicate. The call stays where all have done so, to be computed once.
void prepare_ballot(llvm::CallInst* call, unsigned size, const placeholders& names,
                    llvm::DenseMap<llvm::CallInst*, llvm::AllocaInst*>& ballots) {
  llvm::IRBuilder<> at(call);
  llvm::AllocaInst* slots = make_slots(*call->getFunction(), at.getInt8Ty(), size);
  llvm::Value* truth = at.CreateZExt(at.CreateIsNotNull(call->getArgOperand(0)), at.getInt8Ty());
  at.CreateStore(truth,
                 at.CreateInBoundsGEP(at.getInt8Ty(), slots,
                                      at.CreateZExt(at.CreateCall(names.x), at.getInt64Ty())));
  call->setArgOperand(0, at.getInt32(0));
  ballots[call] = slots;
}

void finish_ballot(llvm::CallInst* call, llvm::AllocaInst* slots, unsigned size,
                   llvm::Value* lanes) {
  llvm::IRBuilder<> at(call);
  llvm::Type* bytes = llvm::FixedVectorType::get(at.getInt8Ty(), size);
  llvm::Value* set = at.CreateIsNotNull(at.CreateAlignedLoad(bytes, slots, llvm::Align(64)));
  llvm::Value* bits = at.CreateZExt(at.CreateBitCast(set, at.getIntNTy(size)), at.getInt64Ty());
  // Lanes that the last sub-group does not have left what was in memory.
  llvm::Value* have = at.CreateLShr(
      at.getInt64(~std::uint64_t{0}),
      at.CreateSub(at.getInt64(64), at.CreateZExt(lanes, at.getInt64Ty()), "", true, true));
  call->replaceAllUsesWith(at.CreateAnd(bits, have));
  call->eraseFromParent();
}

constexpr llvm::StringLiteral broadcast = "pianola.broadcast";

// What all lanes get from one lane is the same for all, for questions about that: a load stands for it.
void share_broadcasts(llvm::Function& function) {
  llvm::SmallVector<llvm::CallInst*, 8> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (is_shuffle(instruction) && !is_of_part_of_sub_group(instruction))
      if (auto* call = llvm::cast<llvm::CallInst>(&instruction);
          llvm::isa<llvm::Constant>(call->getArgOperand(1)))
        calls.push_back(call);
  std::uint64_t distance = 0;
  for (llvm::CallInst* call : calls) {
    llvm::IRBuilder<> at(call);
    // Of memory that all share, another for each, so that they stay where they are.
    llvm::LoadInst* load = at.CreateLoad(
        call->getType(),
        at.CreateConstInBoundsGEP1_64(at.getInt64Ty(), function.getArg(1), distance++));
    load->setMetadata(broadcast, llvm::MDNode::get(function.getContext(), {}));
    call->replaceAllUsesWith(load);
    call->eraseFromParent();
  }
}

item_level lane_level(const item_level& group, unsigned size, const placeholders& names) {
  llvm::IRBuilder<> at = behind(group);
  llvm::Value* total = at.CreateTrunc(group.count, at.getInt32Ty());
  llvm::Value* begin =
      at.CreateShl(at.CreateCall(names.sub_group), llvm::Log2_32(size), "", true, true);
  llvm::Value* rest = at.CreateSub(total, begin, "", true, true);
  item_level lanes;
  lanes.size = {
      at.getInt32(1), at.getInt32(1),
      at.CreateBinaryIntrinsic(llvm::Intrinsic::umin, rest, at.getInt32(size), nullptr, "lanes")};
  lanes.count = at.CreateZExt(lanes.size[2], at.getInt64Ty());
  lanes.most = size;
  return lanes;
}

item_level sub_group_level(const item_level& group, unsigned size) {
  llvm::IRBuilder<> at = behind(group);
  llvm::Value* total = at.CreateTrunc(group.count, at.getInt32Ty());
  llvm::Value* count = at.CreateLShr(at.CreateAdd(total, at.getInt32(size - 1), "", true, true),
                                     llvm::Log2_32(size), "sub_groups");
  item_level sub_groups;
  sub_groups.size = {at.getInt32(1), at.getInt32(1), count};
  sub_groups.count = at.CreateZExt(count, at.getInt64Ty());
  sub_groups.innermost = false;
  return sub_groups;
}

// Branches and switches of a function of one work-item, to which all of the group come, or none. They are found again in a
// copy, which may be simplified.
class decisions_of_all {
 public:
  decisions_of_all(llvm::Function& function, const placeholders& names)
      : function_(function), uniformity_(function, names, false) {
    for (llvm::Instruction* decision : unproven_decisions(function, names, is_group_barrier))
      of_group_.insert(decision);
    for (llvm::BasicBlock& block : function) {
      llvm::Instruction* end = block.getTerminator();
      if (end->getNumSuccessors() < 2 || !llvm::isa<llvm::BranchInst, llvm::SwitchInst>(end))
        continue;
      tag(*end);
      tagged_.push_back(end);
    }
  }
  decisions_of_all(const decisions_of_all&) = delete;
  decisions_of_all& operator=(const decisions_of_all&) = delete;
  ~decisions_of_all() {
    for (llvm::Instruction* decision : tagged_) decision->setMetadata(kind, nullptr);
  }

  // Null if it is none of these.
  [[nodiscard]] llvm::Instruction* original_of(const llvm::Instruction& copy) const {
    const llvm::MDNode* node = copy.getMetadata(kind);
    if (node == nullptr) return nullptr;
    llvm::Instruction* original =
        tagged_[llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(0))->getZExtValue()];
    return is_reached_together(*original->getParent()) ? original : nullptr;
  }
  // All of the group are asked about some, so their sub-groups are not.
  [[nodiscard]] bool is_for_sub_groups(const llvm::Instruction* decision) const {
    return !of_group_.contains(decision);
  }

 private:
  static constexpr llvm::StringLiteral kind = "pianola.decision";

  // Costs as much as the function is long, so that only those are asked about that may differ.
  [[nodiscard]] bool is_reached_together(llvm::BasicBlock& block) const {
    llvm::SetVector<llvm::BasicBlock*> seed;
    seed.insert(&block);
    return llvm::all_of(control_dependence(function_, seed).deciders(), [&](llvm::BasicBlock* d) {
      return uniformity_.branches_together(d) || of_group_.contains(d->getTerminator());
    });
  }

  void tag(llvm::Instruction& decision) {
    auto* number =
        llvm::ConstantInt::get(llvm::Type::getInt64Ty(decision.getContext()), tagged_.size());
    decision.setMetadata(
        kind, llvm::MDNode::get(decision.getContext(), {llvm::ConstantAsMetadata::get(number)}));
  }

  llvm::Function& function_;
  const uniformity uniformity_;
  llvm::SmallPtrSet<const llvm::Instruction*, 8> of_group_;
  std::vector<llvm::Instruction*> tagged_;
};

}  // namespace

bool uses_sub_groups(llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    return is_sub_group_barrier(instruction) || is_shuffle(instruction) || is_ballot(instruction) ||
           callee_name(instruction) == small_sub_group;
  });
}

sub_group_partings find_partings(llvm::Function& function, const item_level& group, unsigned size,
                                 const placeholders& names,
                                 llvm::FunctionAnalysisManager& analyses) {
  const auto waits = [](const llvm::Instruction& instruction) {
    return is_sub_group_barrier(instruction) && !is_of_part_of_sub_group(instruction);
  };
  const auto exchanges = [&](const llvm::Instruction& instruction) {
    return waits(instruction) || is_ballot(instruction) ||
           (is_shuffle(instruction) && !is_of_part_of_sub_group(instruction));
  };
  sub_group_partings found;
  if (llvm::none_of(llvm::instructions(function), exchanges)) return found;

  const decisions_of_all asked(function, names);
  llvm::ValueToValueMapTy map;
  llvm::Function& copy = *llvm::CloneFunction(&function, map);
  const auto copied = [&](llvm::Value* value) {
    llvm::Value* const there = value == nullptr ? nullptr : map.lookup(value);
    return there == nullptr ? value : there;
  };
  item_level level = group;
  for (llvm::Value*& extent : level.size) extent = copied(extent);
  level.count = copied(level.count);
  forget_who_is_here(copy);
  number_lanes(copy, level, size, names);
  share_broadcasts(copy);
  run_cleanup(copy, analyses);

  const auto also_broadcasts = [&](const llvm::Instruction& instruction) {
    return exchanges(instruction) || instruction.hasMetadata(broadcast);
  };
  // One of them may be asked whether they come to an exchange, where they agree.
  for (const llvm::Instruction* decision :
       unproven_decisions(copy, names, also_broadcasts, true, true))
    if (llvm::Instruction* original = asked.original_of(*decision); original != nullptr)
      if (asked.is_for_sub_groups(original)) found.decisions.push_back(original);
  const auto is_asked = [&](const llvm::Instruction* decision) {
    llvm::Instruction* original = asked.original_of(*decision);
    return original != nullptr &&
           (!asked.is_for_sub_groups(original) || llvm::is_contained(found.decisions, original));
  };
  found.elsewhere = !llvm::all_of(unproven_decisions(copy, names, waits, true), is_asked) ||
                    !join_ways(copy, names, exchanges, true);
  analyses.clear(copy, copy.getName());
  copy.eraseFromParent();
  return found;
}

item_level lower_sub_groups(llvm::Function& function, const kernel& k, const item_level& group,
                            unsigned size, const placeholders& names,
                            llvm::FunctionAnalysisManager& analyses) {
  number_lanes(function, group, size, names);
  run_cleanup(function, analyses);
  // Lowered all the same, for the sake of those that follow.
  refuse_lone_parts(function, k, names);

  llvm::Module& module = *function.getParent();
  llvm::Type* i32 = llvm::Type::getInt32Ty(module.getContext());
  auto* wait = llvm::cast<llvm::Function>(
      module
          .getOrInsertFunction(
              "__pianola_sub_group_barrier",
              llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), {i32}, false))
          .getCallee());
  llvm::DenseMap<llvm::CallInst*, llvm::AllocaInst*> ballots;
  llvm::SmallVector<llvm::CallInst*, 8> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (is_shuffle(instruction) || is_ballot(instruction))
      calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
  for (llvm::CallInst* call : calls) {
    if (is_shuffle(*call))
      lower_shuffle(call, size, names, wait);
    else
      prepare_ballot(call, size, names, ballots);
  }

  // What nobody uses yet does not survive a clean-up, so it is bound again.
  const item_level lanes = lane_level(bind_group_values(function, k, names), size, names);
  // Whether it can has been asked before. A clean-up would part the ways again.
  join_ways(function, names, is_convergent_intrinsic, true);
  lower_items(function, lanes, names, is_convergent_intrinsic);
  for (const auto& [call, slots] : ballots) finish_ballot(call, slots, size, lanes.size[2]);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (is_sub_group_barrier(instruction)) instruction.eraseFromParent();
    if (auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      memory->setMetadata(shared_memory, nullptr);
  }
  for (llvm::User* user : llvm::make_early_inc_range(names.sub_group->users())) {
    auto* call = llvm::cast<llvm::CallInst>(user);
    if (call->getFunction() == &function) call->setCalledFunction(names.x);
  }
  run_cleanup(function, analyses);
  return sub_group_level(bind_group_values(function, k, names), size);
}

}  // namespace pianola::compiler::host
