// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/lower_work_groups.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/ErrorHandling.h>

#include "host/groups/group_memory.hpp"
#include "host/groups/part_items.hpp"
#include "host/groups/prepare_body.hpp"
#include "host/groups/sub_groups.hpp"
#include "host/regions/lower_items.hpp"
#include "pianola/compiler/check_accesses.hpp"

namespace pianola::compiler {

namespace {

using namespace host;

// enum class sycl::memory_scope.
constexpr std::uint64_t device_scope = 3;

// The loops are the barrier; what is left is the order that other groups see, if the scope includes them.
void replace_barriers(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!is_group_barrier(instruction) && !is_sub_group_barrier(instruction)) continue;
    const auto* scope = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(0));
    if (scope == nullptr || scope->getZExtValue() >= device_scope)
      llvm::IRBuilder<>(&instruction).CreateFence(llvm::AtomicOrdering::AcquireRelease);
    instruction.eraseFromParent();
  }
}

void replace_calls(const kernel& k, llvm::Function* work_group) {
  llvm::Function* question = k.body->getParent()->getFunction("__pianola_work_group");
  if (question == nullptr) return;
  for (llvm::User* user : llvm::make_early_inc_range(question->users())) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    if (call == nullptr || call->getCalledFunction() != question ||
        call->getArgOperand(0)->stripPointerCasts() != k.body)
      continue;
    llvm::SmallVector<llvm::Value*, 3> arguments(std::next(call->arg_begin()), call->arg_end());
    llvm::CallBase* replacement = nullptr;
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(call))
      replacement =
          llvm::InvokeInst::Create(work_group, invoke->getNormalDest(), invoke->getUnwindDest(),
                                   arguments, "", call->getIterator());
    else
      replacement = llvm::CallInst::Create(work_group, arguments, "", call->getIterator());
    replacement->setDebugLoc(call->getDebugLoc());
    call->eraseFromParent();
  }
  k.body->removeDeadConstantUsers();
}

// A sanitizer's function attributes forbid to move loads, also those of launch and group, whose place the
// lowering relies on. The sanitizers themselves come later; they find the attributes back in their place.
class without_sanitizers {
 public:
  explicit without_sanitizers(llvm::Function& function) : function_(function) {
    for (const auto kind : {llvm::Attribute::SanitizeAddress, llvm::Attribute::SanitizeHWAddress,
                            llvm::Attribute::SanitizeMemTag, llvm::Attribute::SanitizeMemory,
                            llvm::Attribute::SanitizeThread}) {
      if (!function.hasFnAttribute(kind)) continue;
      kinds_.push_back(kind);
      function.removeFnAttr(kind);
    }
  }
  without_sanitizers(const without_sanitizers&) = delete;
  without_sanitizers& operator=(const without_sanitizers&) = delete;
  ~without_sanitizers() {
    for (const auto kind : kinds_) function_.addFnAttr(kind);
  }

 private:
  llvm::Function& function_;
  llvm::SmallVector<llvm::Attribute::AttrKind, 4> kinds_;
};

void lower_kernel(const kernel& k, const placeholders& names,
                  llvm::FunctionAnalysisManager& analyses, llvm::FunctionPassManager& simplify,
                  bool checks_accesses) {
  // The runtime refuses to launch a kernel that requires another size: it is for other devices.
  const unsigned sub_group_size =
      is_sub_group_size(k.required_sub_group_size) ? k.required_sub_group_size
      : is_sub_group_size(k.chosen_sub_group_size) ? k.chosen_sub_group_size
                                                   : default_sub_group_size;
  llvm::Function* function = prepare_body(k, sub_group_size, names, analyses, simplify);
  if (function == nullptr) return;
  if (const llvm::Instruction* storage = storage_of_unknown_size(*function, names)) {
    report(k, storage,
           "storage for a group operation needs a number of bytes per work-item that is a constant "
           "of the program, asked for");
    function->eraseFromParent();
    return;
  }
  if (const llvm::Instruction* object = unknown_group_object(*function)) {
    report(k, object,
           "memory of the work-group is asked for in a way that does not say which: name the "
           "work_group_static object itself; asked for");
    function->eraseFromParent();
    return;
  }
  if (checks_accesses) check_accesses(*function);
  const without_sanitizers for_now(*function);
  item_level level = bind_group_values(*function, k, names);
  const sub_group_partings partings =
      find_partings(*function, level, sub_group_size, names, analyses);
  if (!partings.elsewhere || !part_items_at_start(*function, k, level, sub_group_size, names))
    part_items(*function, k, level, sub_group_size, partings.decisions, names);
  forget_who_is_here(*function);
  const bool has_sub_groups = uses_sub_groups(*function);
  if (has_sub_groups)
    level = lower_sub_groups(*function, k, level, sub_group_size, names, analyses);
  lower_items(*function, level, names, is_group_barrier);
  answer_votes(*function);
  replace_barriers(*function);
  auto* work_items = llvm::cast<llvm::Instruction>(bind_group_values(*function, k, names).count);
  place_group_memory(*function, work_items, has_sub_groups ? sub_group_size : 1, names);
  replace_calls(k, function);
  if (llvm::verifyFunction(*function, &llvm::errs()))
    llvm::report_fatal_error("pianola: the work-group function of kernel '" + llvm::Twine(k.name) +
                             "' is broken; this is a bug of pianolacc");
  analyses.clear(*function, function->getName());
}

}  // namespace

void lower_work_groups(llvm::Module& module, llvm::ArrayRef<kernel> kernels,
                       llvm::FunctionAnalysisManager& analyses, llvm::FunctionPassManager& simplify,
                       bool checks_accesses) {
  const placeholders names(module);
  for (const kernel& k : kernels)
    if (k.kind == kernel_kind::nd_range)
      lower_kernel(k, names, analyses, simplify, checks_accesses);
}

}  // namespace pianola::compiler
