// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/resolve_requirements.hpp"

#include <array>
#include <map>
#include <string>

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "pianola/compiler/annotations.hpp"

namespace pianola::compiler {

namespace {

constexpr std::string_view sub_group_attribute = "pianola.reqd_sub_group_size";
constexpr std::string_view sub_group_property = "pianola.sub_group_property";
constexpr std::string_view work_group_attribute = "pianola.reqd_work_group_size";
constexpr std::string_view hint_attribute = "pianola.work_group_size_hint";

// As __pianola_kernel_requirement counts: sub-group size, work-group size in three dimensions.
using requirements = std::array<std::uint64_t, 4>;

class complaint : public llvm::DiagnosticInfo {
 public:
  explicit complaint(std::string text)
      : DiagnosticInfo(plugin_kind(), llvm::DS_Error), text_(std::move(text)) {}
  void print(llvm::DiagnosticPrinter& printer) const override { printer << text_; }

 private:
  static int plugin_kind() {
    static const int kind = llvm::getNextAvailablePluginDiagnosticKind();
    return kind;
  }
  std::string text_;
};

void complain(const kernel& k, const std::string& reason) {
  k.body->getContext().diagnose(complaint("kernel '" + k.name + "': " + reason));
}

// In the order in which a walk from the body meets them.
llvm::SetVector<const llvm::Function*> reachable_from(const llvm::Function& body) {
  llvm::SetVector<const llvm::Function*> found;
  found.insert(&body);
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const llvm::BasicBlock& block : *found[i])
      for (const llvm::Instruction& instruction : block)
        for (const llvm::Use& operand : instruction.operands())
          if (const auto* f = llvm::dyn_cast<llvm::Function>(operand->stripPointerCasts()))
            found.insert(f);
  return found;
}

std::string text_of(const requirements& r) {
  return std::to_string(r[1]) + "x" + std::to_string(r[2]) + "x" + std::to_string(r[3]);
}

void add_work_group_size(const kernel& k, const annotation& a, requirements& r) {
  if (k.kind == kernel_kind::nd_range && a.values.size() != k.dimensions)
    return complain(k, "reqd_work_group_size has " + std::to_string(a.values.size()) +
                           " numbers, the kernel's nd_range " + std::to_string(k.dimensions) +
                           " dimensions");
  requirements wanted = r;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t given = a.values.size();
    wanted[d + 1] = d + given < 3 ? 1 : static_cast<std::uint64_t>(a.values[d + given - 3]);
  }
  if (r[3] != 0 && wanted != r)
    return complain(k, "requires work-groups of " + text_of(r) + " and of " + text_of(wanted));
  r = wanted;
}

void add_sub_group_size(const kernel& k, const annotation& a, requirements& r) {
  const auto size = static_cast<std::uint64_t>(a.values.front());
  if (size == 0) return;
  if (r[0] != 0 && r[0] != size)
    return complain(k, "requires sub-groups of " + std::to_string(r[0]) + " and of " +
                           std::to_string(size) + " work-items");
  r[0] = size;
}

requirements requirements_of(const kernel& k, const std::vector<annotation>& sub_groups,
                             const std::vector<annotation>& work_groups) {
  requirements r{};
  if (sub_groups.empty() && work_groups.empty()) return r;
  const auto reached = reachable_from(*k.body);
  for (const annotation& a : sub_groups)
    if (!a.values.empty() && reached.contains(a.function)) add_sub_group_size(k, a, r);
  for (const annotation& a : work_groups)
    if (!a.values.empty() && reached.contains(a.function)) add_work_group_size(k, a, r);
  return r;
}

void answer(llvm::CallBase& question, const std::map<const llvm::Value*, requirements>& known) {
  const auto found = known.find(question.getArgOperand(0)->stripPointerCasts());
  const auto* which = llvm::dyn_cast<llvm::ConstantInt>(question.getArgOperand(1));
  const std::uint64_t value = found == known.end() || which == nullptr || which->getZExtValue() > 3
                                  ? 0
                                  : found->second[which->getZExtValue()];
  question.replaceAllUsesWith(llvm::ConstantInt::get(question.getType(), value));
  if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&question)) {
    llvm::BranchInst::Create(invoke->getNormalDest(), invoke->getIterator());
    invoke->getUnwindDest()->removePredecessor(invoke->getParent());
  }
  question.eraseFromParent();
}

}  // namespace

void resolve_requirements(llvm::Module& module, std::vector<kernel>& kernels) {
  std::vector<annotation> sub_groups = annotations_of(module, sub_group_attribute);
  for (annotation& a : annotations_of(module, sub_group_property))
    sub_groups.push_back(std::move(a));
  const std::vector<annotation> work_groups = annotations_of(module, work_group_attribute);
  std::map<const llvm::Value*, requirements> known;
  for (kernel& k : kernels) {
    const requirements r = requirements_of(k, sub_groups, work_groups);
    k.required_sub_group_size = static_cast<unsigned>(r[0]);
    known.emplace(k.body, r);
  }
  for (const std::string_view name :
       {sub_group_attribute, sub_group_property, work_group_attribute, hint_attribute})
    remove_annotations(module, name);
  llvm::Function* question = module.getFunction("__pianola_kernel_requirement");
  if (question == nullptr) return;
  std::vector<llvm::CallBase*> calls;
  for (llvm::User* user : question->users())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) calls.push_back(call);
  for (llvm::CallBase* call : calls) answer(*call, known);
}

}  // namespace pianola::compiler
