// SPDX-License-Identifier: Apache-2.0
#include "host/groups/join_ways.hpp"

#include <vector>

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/SSAUpdaterBulk.h>

#include "host/analysis/control_dependence.hpp"
#include "host/groups/barrier_decisions.hpp"

namespace pianola::compiler::host {

namespace {

using blocks = llvm::SetVector<llvm::BasicBlock*>;

struct edge {
  llvm::BasicBlock *from, *to;
};

// What leads out of some blocks, each pair once.
std::vector<edge> edges_out_of(const blocks& sources) {
  std::vector<edge> edges;
  for (llvm::BasicBlock* from : sources) {
    blocks seen;
    for (llvm::BasicBlock* to : llvm::successors(from))
      if (!sources.contains(to) && seen.insert(to)) edges.push_back({from, to});
  }
  return edges;
}

// All edges go to one block, which knows by which of them it was reached where to go on.
// Nothing is done where one cannot, or where they lead to one block as it is.
bool lead_to_one(const std::vector<edge>& edges) {
  blocks targets;
  for (const edge& e : edges) {
    if (!llvm::isa<llvm::BranchInst, llvm::SwitchInst>(e.from->getTerminator())) return false;
    targets.insert(e.to);
  }
  if (targets.size() < 2) return false;
  llvm::Function& function = *targets.front()->getParent();
  llvm::LLVMContext& context = function.getContext();
  auto* place = llvm::BasicBlock::Create(context, "together", &function, targets.front());
  llvm::IRBuilder<> at(place);
  const auto count = static_cast<unsigned>(edges.size());
  llvm::PHINode* target = at.CreatePHI(at.getInt32Ty(), count, "goes_on");
  std::vector<llvm::BasicBlock*> on_the_way;
  for (const edge& e : edges) {
    auto* between = llvm::BasicBlock::Create(context, "joins", &function, place);
    llvm::BranchInst::Create(place, between);
    on_the_way.push_back(between);
    const auto number =
        static_cast<std::uint32_t>(std::distance(targets.begin(), llvm::find(targets, e.to)));
    target->addIncoming(at.getInt32(number), between);
  }
  for (llvm::BasicBlock* to : targets)
    for (llvm::PHINode& value : to->phis()) {
      llvm::PHINode* carried = at.CreatePHI(value.getType(), count, value.getName());
      for (std::size_t i = 0; i < edges.size(); ++i) {
        llvm::Value* here = llvm::PoisonValue::get(value.getType());
        if (edges[i].to == to) {
          here = value.getIncomingValueForBlock(edges[i].from);
          while (value.getBasicBlockIndex(edges[i].from) >= 0)
            value.removeIncomingValue(edges[i].from, false);
        }
        carried->addIncoming(here, on_the_way[i]);
      }
      value.addIncoming(carried, place);
    }
  for (std::size_t i = 0; i < edges.size(); ++i)
    edges[i].from->getTerminator()->replaceSuccessorWith(edges[i].to, on_the_way[i]);
  llvm::SwitchInst* choice =
      at.CreateSwitch(target, targets.front(), static_cast<unsigned>(targets.size() - 1));
  for (unsigned i = 1; i < targets.size(); ++i) choice->addCase(at.getInt32(i), targets[i]);
  return true;
}

// What lies between a decision and where its ways come together by themselves.
class decision_ways {
 public:
  decision_ways(llvm::BasicBlock* decider, const control_dependence& dependence)
      : decider_(decider) {
    blocks seen;
    for (llvm::BasicBlock* way : llvm::successors(decider))
      if (seen.insert(way)) follow(way, dependence);
    for (llvm::BasicBlock* block : reached_)
      if (!common_.contains(block)) alone_.insert(block);
  }

  bool meet_in(const blocks& places) const {
    return llvm::any_of(common_, [&](llvm::BasicBlock* block) { return places.contains(block); });
  }

  // False: nothing has been changed.
  bool join() {
    if (returns_ || alone_.empty()) return false;
    blocks sources = alone_;
    sources.insert(decider_);
    return lead_to_one(edges_out_of(sources));
  }

 private:
  void follow(llvm::BasicBlock* way, const control_dependence& dependence) {
    blocks mine;
    const auto visit = [&](llvm::BasicBlock* block) {
      if (block == decider_)
        returns_ = true;
      else if (!dependence.post_dominates(block, decider_))
        mine.insert(block);
    };
    visit(way);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      llvm::BasicBlock* const block = mine[i];
      returns_ = returns_ || llvm::isa<llvm::ReturnInst>(block->getTerminator());
      for (llvm::BasicBlock* next : llvm::successors(block)) visit(next);
    }
    for (llvm::BasicBlock* block : mine)
      if (!reached_.insert(block)) common_.insert(block);
  }

  llvm::BasicBlock* const decider_;
  blocks reached_, common_, alone_;  // alone: on one way only
  bool returns_ = false;             // to the decision, or from the function
};

// What one reaches from a decision without coming to a place, nor to where all its ways are over.
class ways_in_front {
 public:
  ways_in_front(llvm::BasicBlock* decider, const blocks& places,
                const control_dependence& dependence)
      : decider_(decider) {
    blocks past;
    for (llvm::BasicBlock* way : llvm::successors(decider))
      if (follow(way, places, dependence)) past.insert(way);
    part_ = past.size() > 1;
  }

  // Whether more than one way leads past the places.
  [[nodiscard]] bool part() const { return part_; }

  // False: nothing has been changed.
  bool join() {
    if (returns_) return false;
    blocks sources = reached_;
    sources.insert(decider_);
    if (!lead_to_one(edges_out_of(sources))) return false;
    mend_values(*decider_->getParent());
    return true;
  }

 private:
  // Whether this way may lead past them. (Back in a block that waits, one has come to it.)
  bool follow(llvm::BasicBlock* way, const blocks& places, const control_dependence& dependence) {
    bool past = false;
    blocks mine;
    const auto visit = [&](llvm::BasicBlock* block) {
      const bool ended = block != decider_ && dependence.post_dominates(block, decider_);
      if (ended) past = true;
      if (ended || places.contains(block)) return;
      if (block == decider_)
        past = true;
      else
        mine.insert(block);
    };
    visit(way);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (llvm::isa<llvm::ReturnInst>(mine[i]->getTerminator())) past = returns_ = true;
      for (llvm::BasicBlock* next : llvm::successors(mine[i])) visit(next);
    }
    reached_.insert(mine.begin(), mine.end());
    return past;
  }

  // What was made on one way is used behind where they have come together: who went another way never asks for it.
  static void mend_values(llvm::Function& function) {
    llvm::DominatorTree dominators(function);
    llvm::SSAUpdaterBulk values;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      llvm::SmallVector<llvm::Use*, 4> lost;
      for (llvm::Use& use : instruction.uses())
        if (!dominators.dominates(&instruction, use)) lost.push_back(&use);
      if (lost.empty()) continue;
      const unsigned value = values.AddVariable(instruction.getName(), instruction.getType());
      values.AddAvailableValue(value, instruction.getParent(), &instruction);
      for (llvm::Use* use : lost) values.AddUse(value, use);
    }
    values.RewriteAllUses(&dominators);
  }

  llvm::BasicBlock* const decider_;
  blocks reached_;
  bool part_ = false;
  bool returns_ = false;  // from the function
};

// Each join leaves fewer; ways into the middle of a loop stay what they are.
constexpr int most_joins = 32;

enum class joining { nothing_to_do, done, impossible };

joining join_one(llvm::Function& function, const placeholders& names,
                 llvm::function_ref<bool(const llvm::Instruction&)> waits, bool ballots) {
  const blocks places = blocks_that_wait(function, waits);
  if (places.empty()) return joining::nothing_to_do;
  const control_dependence dependence(function, places);
  const auto decisions = unproven_decisions(function, names, waits, ballots);
  for (llvm::Instruction* decision : decisions) {
    decision_ways ways(decision->getParent(), dependence);
    if (ways.meet_in(places)) return ways.join() ? joining::done : joining::impossible;
  }
  joining result = joining::nothing_to_do;
  for (llvm::Instruction* decision : decisions) {
    ways_in_front ways(decision->getParent(), places, dependence);
    if (!ways.part()) continue;
    if (ways.join()) return joining::done;
    result = joining::impossible;
  }
  return result;
}

}  // namespace

bool join_ways(llvm::Function& function, const placeholders& names,
               llvm::function_ref<bool(const llvm::Instruction&)> waits, bool ballots) {
  for (int joins = 0; joins < most_joins; ++joins) {
    const joining result = join_one(function, names, waits, ballots);
    if (result != joining::done) return result == joining::nothing_to_do;
  }
  return false;
}

}  // namespace pianola::compiler::host
