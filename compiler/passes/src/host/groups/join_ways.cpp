// SPDX-License-Identifier: Apache-2.0
#include "host/groups/join_ways.hpp"

#include <vector>

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "host/analysis/control_dependence.hpp"
#include "host/groups/barrier_decisions.hpp"

namespace pianola::compiler::host {

namespace {

using blocks = llvm::SetVector<llvm::BasicBlock*>;

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
    if (returns_) return false;
    std::vector<edge> edges;
    blocks targets, sources = alone_;
    sources.insert(decider_);
    for (llvm::BasicBlock* from : sources) {
      blocks seen;
      for (llvm::BasicBlock* to : llvm::successors(from)) {
        if (alone_.contains(to) || !seen.insert(to)) continue;
        if (!common_.contains(to) && !ends_.contains(to)) continue;
        if (!llvm::isa<llvm::BranchInst, llvm::SwitchInst>(from->getTerminator())) return false;
        edges.push_back({from, to});
        targets.insert(to);
      }
    }
    if (alone_.empty() || targets.size() < 2) return false;
    lead(edges, targets);
    return true;
  }

 private:
  struct edge {
    llvm::BasicBlock *from, *to;
  };

  void follow(llvm::BasicBlock* way, const control_dependence& dependence) {
    blocks mine;
    const auto visit = [&](llvm::BasicBlock* block) {
      if (block == decider_)
        returns_ = true;
      else if (dependence.post_dominates(block, decider_))
        ends_.insert(block);
      else
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

  // All edges go to one block, which knows by which of them it was reached where to go on.
  static void lead(const std::vector<edge>& edges, const blocks& targets) {
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
  }

  llvm::BasicBlock* const decider_;
  blocks reached_, common_, alone_;  // alone: on one way only
  blocks ends_;                      // where all ways are over
  bool returns_ = false;             // to the decision, or from the function
};

// Each join leaves fewer; ways into the middle of a loop stay what they are.
constexpr int most_joins = 32;

}  // namespace

bool join_ways(llvm::Function& function, const placeholders& names,
               llvm::function_ref<bool(const llvm::Instruction&)> waits, bool ballots) {
  for (int joins = 0; joins < most_joins; ++joins) {
    const blocks places = blocks_that_wait(function, waits);
    if (places.empty()) return true;
    const control_dependence dependence(function, places);
    bool joined = false;
    for (llvm::Instruction* decision : unproven_decisions(function, names, waits, ballots)) {
      decision_ways ways(decision->getParent(), dependence);
      if (!ways.meet_in(places)) continue;
      if (!ways.join()) return false;
      joined = true;
      break;
    }
    if (!joined) return true;
  }
  return false;
}

}  // namespace pianola::compiler::host
