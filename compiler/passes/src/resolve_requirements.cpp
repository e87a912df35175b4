// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/resolve_requirements.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>

#include <llvm/ADT/SetVector.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "pianola/compiler/annotations.hpp"
#include "pianola/compiler/diagnose.hpp"

namespace pianola::compiler {

namespace {

constexpr std::string_view sub_group_attribute = "pianola.reqd_sub_group_size";
constexpr std::string_view sub_group_property = "pianola.sub_group_property";
constexpr std::string_view sub_group_choice = "pianola.sub_group_choice";
constexpr std::string_view work_group_attribute = "pianola.reqd_work_group_size";
constexpr std::string_view aspects_attribute = "pianola.device_has";

constexpr std::string_view hint_attribute = "pianola.work_group_size_hint";

// Of the macro that decorates functions; 0 is nothing. They count for the kernel that the function is, and not for
// others that call it.
constexpr std::string_view sub_group_of_function = "pianola.function_sub_group_size";
constexpr std::string_view work_group_of_function = "pianola.function_work_group_size";
constexpr std::string_view aspects_of_function = "pianola.function_aspects";
// In the mangled name of such a kernel's body.
constexpr std::string_view function_kernel_mark = "15function_kernelI";

// As __pianola_kernel_requirement counts: sub-group size, work-group size in three dimensions, aspects.
constexpr std::size_t requirement_count = 5;
using requirements = std::array<std::uint64_t, requirement_count>;

void complain(const kernel& k, const std::string& reason) {
  report_error(k.body->getContext(), "kernel '" + k.name + "': " + reason);
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
  // The tables of kernels have 32 bits for it; no device has that many.
  const auto size = std::min<std::uint64_t>(static_cast<std::uint64_t>(a.values.front()),
                                            std::numeric_limits<std::uint32_t>::max());
  if (size == 0) return;
  if (r[0] != 0 && r[0] != size)
    return complain(k, "requires sub-groups of " + std::to_string(r[0]) + " and of " +
                           std::to_string(size) + " work-items");
  r[0] = size;
}

requirements requirements_of(const kernel& k, const std::vector<annotation>& sub_groups,
                             const std::vector<annotation>& work_groups,
                             const std::vector<annotation>& aspects) {
  requirements r{};
  if (sub_groups.empty() && work_groups.empty() && aspects.empty()) return r;
  const auto reached = reachable_from(*k.body);
  for (const annotation& a : sub_groups)
    if (!a.values.empty() && reached.contains(a.function)) add_sub_group_size(k, a, r);
  for (const annotation& a : work_groups)
    if (!a.values.empty() && reached.contains(a.function)) add_work_group_size(k, a, r);
  for (const annotation& a : aspects)
    if (!a.values.empty() && reached.contains(a.function))
      r[4] |= static_cast<std::uint64_t>(a.values.front());
  return r;
}

// The annotations of a function that it is decorated by, without those that say nothing.
std::vector<annotation> decorations(const llvm::Module& module, std::string_view name) {
  std::vector<annotation> found = annotations_of(module, name);
  found.erase(
      std::remove_if(found.begin(), found.end(),
                     [](const annotation& a) { return a.values.empty() || a.values.back() == 0; }),
      found.end());
  return found;
}

bool is_function_kernel(const kernel& k) {
  return k.body->getName().contains(
      llvm::StringRef(function_kernel_mark.data(), function_kernel_mark.size()));
}

// sycl::aspect's numbers.
enum class optional_feature : unsigned { fp16 = 6, fp64 = 7, atomic64 = 8 };

struct feature_use {
  optional_feature feature;
  const char* what;
};

std::vector<feature_use> features_of(const llvm::Instruction& instruction) {
  std::vector<feature_use> found;
  const auto look = [&](const llvm::Type* type) {
    type = type->getScalarType();
    if (type->isDoubleTy())
      found.push_back({optional_feature::fp64, "'double', which needs aspect::fp64"});
    if (type->isHalfTy())
      found.push_back({optional_feature::fp16, "half-precision numbers, which need aspect::fp16"});
  };
  look(instruction.getType());
  for (const llvm::Use& operand : instruction.operands()) look(operand->getType());
  const llvm::Type* exchanged = nullptr;
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    exchanged = update->getType();
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    exchanged = exchange->getCompareOperand()->getType();
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load && load->isAtomic())
    exchanged = load->getType();
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction); store && store->isAtomic())
    exchanged = store->getValueOperand()->getType();
  if (exchanged && instruction.getModule()->getDataLayout().getTypeSizeInBits(
                       const_cast<llvm::Type*>(exchanged)) == 64)
    found.push_back(
        {optional_feature::atomic64, "atomic accesses to 64 bits, which need aspect::atomic64"});
  return found;
}

// A function that names the aspects it needs shall name all.
void warn_of_unnamed_aspects(const annotation& declared) {
  if (declared.values.empty()) return;
  auto named = static_cast<std::uint64_t>(declared.values.front());
  for (const llvm::Function* function : reachable_from(*declared.function))
    for (const llvm::BasicBlock& block : *function)
      for (const llvm::Instruction& instruction : block)
        for (const feature_use& use : features_of(instruction)) {
          const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(use.feature);
          if ((named & bit) != 0) continue;
          named |= bit;  // reported once
          declared.function->getContext().diagnose(llvm::DiagnosticInfoUnsupported(
              *declared.function,
              "'" + llvm::demangle(declared.function->getName().str()) + "' uses " + use.what +
                  " and is not among those of its attribute device_has",
              llvm::DiagnosticLocation(instruction.getDebugLoc()), llvm::DS_Warning));
        }
}

void answer(llvm::CallBase& question, const std::map<const llvm::Value*, requirements>& known) {
  const auto found = known.find(question.getArgOperand(0)->stripPointerCasts());
  const auto* which = llvm::dyn_cast<llvm::ConstantInt>(question.getArgOperand(1));
  const std::uint64_t value =
      found == known.end() || which == nullptr || which->getZExtValue() >= requirement_count
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
  const std::vector<annotation> aspects = annotations_of(module, aspects_attribute);
  for (const annotation& a : aspects) warn_of_unnamed_aspects(a);
  const auto with = [&](std::vector<annotation> all, std::string_view decoration) {
    for (annotation& a : decorations(module, decoration)) all.push_back(std::move(a));
    return all;
  };
  const std::vector<annotation> all_sub_groups = with(sub_groups, sub_group_of_function);
  const std::vector<annotation> all_work_groups = with(work_groups, work_group_of_function);
  const std::vector<annotation> all_aspects = with(aspects, aspects_of_function);
  std::map<const llvm::Value*, unsigned> chosen;
  for (const annotation& a : annotations_of(module, sub_group_choice))
    if (!a.values.empty()) chosen[a.function] = static_cast<unsigned>(a.values.front());
  std::map<const llvm::Value*, requirements> known;
  for (kernel& k : kernels) {
    if (const auto choice = chosen.find(k.body); choice != chosen.end())
      k.chosen_sub_group_size = choice->second;
    const requirements r = is_function_kernel(k)
                               ? requirements_of(k, all_sub_groups, all_work_groups, all_aspects)
                               : requirements_of(k, sub_groups, work_groups, aspects);
    k.required_sub_group_size = static_cast<unsigned>(r[0]);
    known.emplace(k.body, r);
  }
  for (const std::string_view name :
       {sub_group_attribute, sub_group_property, sub_group_choice, work_group_attribute,
        aspects_attribute, hint_attribute, sub_group_of_function, work_group_of_function,
        aspects_of_function})
    remove_annotations(module, name);
  llvm::Function* question = module.getFunction("__pianola_kernel_requirement");
  if (question == nullptr) return;
  std::vector<llvm::CallBase*> calls;
  for (llvm::User* user : question->users())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) calls.push_back(call);
  for (llvm::CallBase* call : calls) answer(*call, known);
}

}  // namespace pianola::compiler
