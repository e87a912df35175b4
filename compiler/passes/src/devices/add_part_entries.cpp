// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/add_part_entries.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <pianola/abi/launch.h>

namespace pianola::compiler {

namespace {

// Of all parameters, on the devices that take least; with what drivers add to them.
constexpr std::uint64_t most_parameter_bytes = 4096;
constexpr std::uint64_t drivers_bytes = 64;

using function_set = llvm::SmallPtrSet<const llvm::Function*, 16>;

/// "part_first" of a call of __pianola_part_first_x; empty if it is no call of ours.
llvm::StringRef asked_by(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
  if (callee == nullptr) return {};
  llvm::StringRef name = callee->getName();
  if (!name.consume_front("__pianola_") || name.size() < 2 || name[name.size() - 2] != '_')
    return {};
  return name.drop_back(2);
}

/// Index of the dimension that an intrinsic's last letter says.
std::uint64_t dimension_of(const llvm::Instruction& instruction) {
  const char axis = llvm::cast<llvm::CallInst>(instruction).getCalledFunction()->getName().back();
  return static_cast<std::uint64_t>('z' - axis);
}

bool asks_for_groups(const llvm::Instruction& instruction) {
  const llvm::StringRef what = asked_by(instruction);
  return what == "group_id" || what == "group_count";
}

/// Functions that ask for groups, or call one that does.
function_set functions_that_ask(const llvm::Module& module) {
  function_set asking;
  llvm::SmallVector<const llvm::Function*, 16> todo;
  const auto note = [&](const llvm::Function* f) {
    if (asking.insert(f).second) todo.push_back(f);
  };
  for (const llvm::Function& f : module)
    if (llvm::any_of(llvm::instructions(f), asks_for_groups)) note(&f);
  while (!todo.empty())
    for (const llvm::User* user : todo.pop_back_val()->users())
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user)) note(call->getFunction());
  return asking;
}

bool may_be_cut(const kernel& k, const kernel_uses& known) {
  constexpr std::uint32_t needed = PIANOLA_KERNEL_USES_KNOWN | PIANOLA_KERNEL_USES_ONLY;
  if (k.kind == kernel_kind::single_task || (known.flags & needed) != needed) return false;
  if (llvm::alignTo(k.argument_bytes, alignof(pianola_part_launch)) + sizeof(pianola_part_launch) +
          drivers_bytes >
      most_parameter_bytes)
    return false;
  bool writes = false;
  for (const argument_use& use : known.uses) {
    if ((use.flags & PIANOLA_USE_WRITTEN) == 0) continue;
    if ((use.flags & PIANOLA_USE_LISTED) == 0) return false;
    writes = true;
  }
  return writes;
}

/// Changes one body.
class part_body {
 public:
  part_body(llvm::Function& body, kernel_kind kind) : body_(body), kind_(kind) {}

  /// Of launches that are whole.
  void make_whole() {
    for_each_call([&](llvm::IRBuilder<>& at, llvm::StringRef what, std::uint64_t d,
                      llvm::CallInst& call) -> llvm::Value* {
      if (what == "part_first") return llvm::ConstantInt::get(call.getType(), 0);
      if (what == "part_end") return global(at, d);
      return nullptr;
    });
  }

  /// Of launches of parts. False if that cannot be done: what functions that are called ask for does not become known
  /// here.
  bool make_part(const function_set& asking) {
    const bool grouped = kind_ == kernel_kind::nd_range;
    if (grouped && !inline_calls_of(asking)) return false;
    for_each_call([&](llvm::IRBuilder<>& at, llvm::StringRef what, std::uint64_t d,
                      llvm::CallInst& call) -> llvm::Value* {
      if (what == "part_first") return first(at, d);
      if (what == "part_end") return number(at, offsetof(pianola_part_launch, end) + 8 * d);
      if (grouped && what == "group_id") {
        at.SetInsertPoint(call.getNextNode());
        llvm::Value* sum = at.CreateAdd(&call, first(at, d));
        call.replaceUsesWithIf(sum, [&](const llvm::Use& use) { return use.getUser() != sum; });
        return nullptr;
      }
      if (grouped && what == "group_count") return at.CreateUDiv(global(at, d), local_size(at, d));
      return nullptr;
    });
    return true;
  }

 private:
  // `replacement` gives null for what stays.
  template <class Replacement>
  void for_each_call(Replacement&& replacement) {
    llvm::SmallVector<llvm::CallInst*, 16> calls;
    for (llvm::Instruction& i : llvm::instructions(body_))
      if (!asked_by(i).empty()) calls.push_back(llvm::cast<llvm::CallInst>(&i));
    for (llvm::CallInst* call : calls) {
      llvm::IRBuilder<> at(call);
      if (llvm::Value* value = replacement(at, asked_by(*call), dimension_of(*call), *call)) {
        call->replaceAllUsesWith(value);
        call->eraseFromParent();
      }
    }
  }

  // There is no recursion in device code.
  bool inline_calls_of(const function_set& asking) {
    for (bool changed = true; changed;) {
      changed = false;
      for (llvm::Instruction& i : llvm::instructions(body_)) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
        const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
        if (callee == nullptr || callee->isDeclaration() || !asking.contains(callee)) continue;
        llvm::InlineFunctionInfo info;
        if (!llvm::InlineFunction(*call, info).isSuccess()) return false;
        changed = true;
        break;
      }
    }
    return true;
  }

  llvm::Value* number(llvm::IRBuilder<>& at, std::uint64_t offset) {
    return at.CreateAlignedLoad(
        at.getInt64Ty(), at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), body_.getArg(1), offset),
        llvm::Align(8));
  }
  llvm::Value* first(llvm::IRBuilder<>& at, std::uint64_t dimension) {
    return number(at, offsetof(pianola_part_launch, first) + 8 * dimension);
  }
  llvm::Value* global(llvm::IRBuilder<>& at, std::uint64_t dimension) {
    return number(at, offsetof(pianola_launch, global) + 8 * dimension);
  }
  llvm::Value* local_size(llvm::IRBuilder<>& at, std::uint64_t dimension) {
    static constexpr const char* names[] = {"__pianola_local_size_z", "__pianola_local_size_y",
                                            "__pianola_local_size_x"};
    const llvm::FunctionCallee ask = body_.getParent()->getOrInsertFunction(
        names[dimension], llvm::FunctionType::get(at.getInt32Ty(), false));
    return at.CreateZExt(at.CreateCall(ask), at.getInt64Ty());
  }

  llvm::Function& body_;
  kernel_kind kind_;
};

/// Parameters grow, and what was said of the launch's size with them.
void take_part_launch(llvm::Function& body) {
  body.removeParamAttr(1, llvm::Attribute::Dereferenceable);
  body.addDereferenceableParamAttr(1, sizeof(pianola_part_launch));
}

}  // namespace

std::vector<kernel> add_part_entries(llvm::ArrayRef<kernel> kernels,
                                     std::vector<kernel_uses>& uses) {
  assert(uses.size() == kernels.size());
  std::vector<kernel> all;
  if (kernels.empty()) return all;
  const function_set asking = functions_that_ask(*kernels.front().body->getParent());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    all.push_back(kernels[i]);
    if (may_be_cut(kernels[i], uses[i])) {
      llvm::ValueToValueMapTy map;
      llvm::Function* copy = llvm::CloneFunction(kernels[i].body, map);
      copy->setName(kernels[i].body->getName() + ".part");
      if (part_body(*copy, kernels[i].kind).make_part(asking)) {
        take_part_launch(*copy);
        kernel& part = all.emplace_back(kernels[i]);
        part.body = copy;
        part.symbol += PIANOLA_PART_SUFFIX;
        part.launch_bytes = sizeof(pianola_part_launch);
        uses[i].flags |= PIANOLA_KERNEL_PARTS;
      } else {
        copy->eraseFromParent();
      }
    }
    part_body(*kernels[i].body, kernels[i].kind).make_whole();
  }
  for (llvm::Function& f : llvm::make_early_inc_range(*kernels.front().body->getParent()))
    if (f.getName().starts_with("__pianola_part_") && f.use_empty()) f.eraseFromParent();
  return all;
}

}  // namespace pianola::compiler
