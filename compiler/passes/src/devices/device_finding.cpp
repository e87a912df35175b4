// SPDX-License-Identifier: Apache-2.0
#include "devices/device_finding.hpp"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "pianola/compiler/device_library.hpp"
#include "pianola/compiler/device_variables.hpp"
#include "pianola/compiler/external_functions.hpp"
#include "pianola/compiler/group_objects.hpp"

namespace pianola::compiler {
namespace {

std::string quoted(const llvm::GlobalValue& global) { return "'" + readable_name(global) + "'"; }

bool is_throw(llvm::StringRef name) {
  if (name == "__cxa_throw" || name == "__cxa_rethrow" || name == "__cxa_bad_cast" ||
      name == "__cxa_bad_typeid" ||
      name == "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE")
    return true;
  // std::__throw_out_of_range_fmt(char const*, ...)
  if (!name.consume_front("_ZSt")) return false;
  return name.ltrim("0123456789").starts_with("__throw_");
}

/// Empty if devices can call the function.
std::string reason_of_undefined(const llvm::Function& callee, bool linked) {
  const llvm::StringRef name = callee.getName();
  if (is_device_math(name) || is_device_function(name)) return {};
  if (name == "__cxa_throw" || name == "__cxa_rethrow") return "throws an exception";
  if (is_throw(name)) return "throws an exception (calls " + quoted(callee) + ")";
  if (name.starts_with("_Znw") || name.starts_with("_Zna")) return "allocates memory with 'new'";
  if (name.starts_with("_Zdl") || name.starts_with("_Zda")) return "frees memory with 'delete'";
  const bool allocates =
      llvm::StringSwitch<bool>(name)
          .Cases("malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", true)
          .Default(false);
  if (allocates) return "allocates memory with '" + name.str() + "'";
  if (name == "free") return "frees memory with 'free'";
  if (name.starts_with("__cxa_guard_"))
    return "has a static local variable that is initialised when it is first reached";
  if (name == "__dynamic_cast") return "uses run-time type information";
  return "calls " + quoted(callee) +
         (linked ? ", which its translation unit neither defines nor declares SYCL_EXTERNAL, and "
                   "devices do not have"
                 : ", which this translation unit does not define and devices do not have");
}

bool is_group_object(const llvm::CallBase& call) {
  const auto* callee = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
  return callee && callee->getName() == "__pianola_group_object";
}

bool is_host_intrinsic(const llvm::Function& intrinsic) {
  if (intrinsic.isTargetIntrinsic()) return true;
  switch (intrinsic.getIntrinsicID()) {
    case llvm::Intrinsic::returnaddress:
    case llvm::Intrinsic::frameaddress:
    case llvm::Intrinsic::eh_sjlj_setjmp:
    case llvm::Intrinsic::eh_sjlj_longjmp:
    case llvm::Intrinsic::clear_cache:
    case llvm::Intrinsic::thread_pointer:
      return true;
    default:
      return false;
  }
}

/// The name of the floating-point type inside `type` that devices lack, or null.
const char* host_only_type(const llvm::Type* type) {
  if (type->isX86_FP80Ty()) return "long double";
  if (type->isFP128Ty()) return "__float128";
  for (const llvm::Type* inner : type->subtypes())
    if (!inner->isFunctionTy())
      if (const char* found = host_only_type(inner)) return found;
  return nullptr;
}

const char* host_only_type(const llvm::Instruction& instruction) {
  if (const char* found = host_only_type(instruction.getType())) return found;
  if (const auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
    if (const char* found = host_only_type(slot->getAllocatedType())) return found;
  for (const llvm::Use& operand : instruction.operands())
    if (const char* found = host_only_type(operand->getType())) return found;
  return nullptr;
}

/// Whether the callee was read from a table that the first argument, an object, points to.
bool is_virtual_call(const llvm::CallBase& call) {
  const auto* entry = llvm::dyn_cast<llvm::LoadInst>(call.getCalledOperand());
  if (!entry || call.arg_empty()) return false;
  const auto* table =
      llvm::dyn_cast<llvm::LoadInst>(entry->getPointerOperand()->stripInBoundsOffsets());
  if (!table) return false;
  const auto root = [](const llvm::Value* value) { return value->stripInBoundsOffsets(); };
  return std::any_of(call.arg_begin(), call.arg_end(), [&](const llvm::Use& argument) {
    return argument->getType()->isPointerTy() && root(argument) == root(table->getPointerOperand());
  });
}

/// Empty if devices can use the variable.
std::string reason_of_variable(const llvm::GlobalVariable& variable) {
  const llvm::StringRef name = variable.getName();
  if (variable.isThreadLocal()) return "uses the thread_local variable " + quoted(variable);
  if (name.starts_with("_ZTI") || name.starts_with("_ZTS") || name.starts_with("_ZTVN10__cxxabiv1"))
    return "uses run-time type information";
  if (variable.isDeclaration())
    return "uses the variable " + quoted(variable) +
           ", which this translation unit does not define";
  if (!variable.isConstant() && !is_device_pointer(variable))
    return "uses the variable " + quoted(variable) +
           ", which is not a constant (const or constexpr with a constant initialiser)";
  return {};
}

/// Blocks that run only on the way to a throw, each with the call that throws, or null if it is further on.
using throwing_blocks = llvm::DenseMap<const llvm::BasicBlock*, const llvm::CallBase*>;

throwing_blocks find_throwing_blocks(const llvm::Function& function) {
  throwing_blocks found;
  for (const llvm::BasicBlock& block : function) {
    if (!llvm::isa<llvm::UnreachableInst>(block.getTerminator())) continue;
    const auto* last =
        llvm::dyn_cast_or_null<llvm::CallBase>(block.getTerminator()->getPrevNonDebugInstruction());
    const llvm::Function* callee = last ? last->getCalledFunction() : nullptr;
    if (callee && !callee->isIntrinsic() && last->doesNotReturn()) found[&block] = last;
  }
  for (bool grown = !found.empty(); grown;) {
    grown = false;
    for (const llvm::BasicBlock& block : function) {
      const llvm::Instruction* end = block.getTerminator();
      if (found.contains(&block) || end->getNumSuccessors() == 0) continue;
      bool all = true;
      for (unsigned i = 0; i < end->getNumSuccessors(); ++i)
        all = all && found.contains(end->getSuccessor(i));
      if (all) {
        found[&block] = nullptr;
        grown = true;
      }
    }
  }
  return found;
}

class finder {
 public:
  finder(const llvm::Function& function, bool linked)
      : linked_(linked), throwing_(find_throwing_blocks(function)) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        has_guard_ = has_guard_ || (call->getCalledFunction() &&
                                    call->getCalledFunction()->getName() == "__cxa_guard_acquire");
    }
  }

  void look_at(const llvm::Instruction& instruction) {
    const auto block = throwing_.find(instruction.getParent());
    if (block != throwing_.end() && block->second != &instruction) return;
    if (const char* type = host_only_type(instruction))
      return add(instruction, std::string("uses '") + type + "', which devices do not have");
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) look_at_call(*call);
    if (const auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        slot && !slot->isStaticAlloca())
      add(instruction,
          "takes stack memory of a size that is not known at compile time (variable-length array "
          "or alloca)");
    if (block == throwing_.end()) look_at_operands(instruction);
  }

  function_findings take() { return std::move(result_); }

 private:
  void add(const llvm::Instruction& at, std::string reason) {
    result_.findings.push_back({&at, std::move(reason)});
  }

  void look_at_call(const llvm::CallBase& call) {
    if (call.isInlineAsm()) return add(call, "contains inline assembly");
    const auto* callee =
        llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
    if (!callee)
      return add(call, is_virtual_call(call) ? "calls a virtual function"
                                             : "calls a function through a pointer");
    if (callee->isIntrinsic()) {
      if (is_host_intrinsic(*callee))
        add(call, "uses '" + callee->getName().str() + "', an instruction of the host's processor");
      return;
    }
    if (callee->isDeclaration()) {
      if (is_external(*callee)) {
        result_.external_calls.push_back(&call);
        return;
      }
      std::string reason = reason_of_undefined(*callee, linked_);
      if (!reason.empty()) add(call, std::move(reason));
      if (is_group_object(call) && !is_known_group_object(call))
        add(call,
            "asks for memory of its work-group in a way that does not say which: name the "
            "work_group_static object itself");
      return;
    }
    if (callee->isVarArg())
      return add(call, "calls " + quoted(*callee) + ", which takes variable arguments");
    result_.calls.push_back(&call);
  }

  void look_at_operands(const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    // The variable stands for the object and is not touched.
    if (call && is_group_object(*call)) return;
    llvm::SmallVector<const llvm::Constant*, 8> todo;
    llvm::DenseSet<const llvm::Constant*> seen;
    for (const llvm::Use& operand : instruction.operands())
      if (!call || !call->isCallee(&operand))
        if (const auto* constant = llvm::dyn_cast<llvm::Constant>(operand))
          todo.push_back(constant);
    bool in_initialiser = false;
    while (!todo.empty()) {
      const llvm::Constant* constant = todo.pop_back_val();
      if (!seen.insert(constant).second) continue;
      if (const auto* function = llvm::dyn_cast<llvm::Function>(constant)) {
        // A table of functions that nobody calls does no harm.
        if (!in_initialiser)
          add(instruction, "takes the address of the function " + quoted(*function));
        continue;
      }
      if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(constant)) {
        std::string reason = reason_of_variable(*variable);
        const bool guarded = has_guard_ && (variable->getName().starts_with("_ZGV") ||
                                            variable->getName().starts_with("_ZZ"));
        if (!reason.empty() && !guarded) add(instruction, std::move(reason));
        if (!reason.empty() || !variable->isConstant()) continue;
        in_initialiser = true;
      }
      for (const llvm::Use& operand : constant->operands())
        todo.push_back(llvm::cast<llvm::Constant>(operand));
    }
  }

  bool linked_;
  throwing_blocks throwing_;
  bool has_guard_ = false;
  function_findings result_;
};

}  // namespace

std::string readable_name(const llvm::GlobalValue& global) {
  return llvm::demangle(global.getName().str());
}

function_findings find_in_function(const llvm::Function& function, bool linked) {
  finder found(function, linked);
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    found.look_at(instruction);
  return found.take();
}

}  // namespace pianola::compiler
