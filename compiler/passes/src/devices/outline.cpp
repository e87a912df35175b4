// SPDX-License-Identifier: Apache-2.0
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include "name_subprograms.hpp"
#include "pianola/compiler/device_variables.hpp"
#include "pianola/compiler/outline.hpp"

namespace pianola::compiler {
namespace {

using global_set = llvm::DenseSet<const llvm::GlobalValue*>;

/// Everything that code of the roots may name, transitively. Personality routines are not code of a kernel.
global_set reached_from(llvm::ArrayRef<const llvm::GlobalValue*> roots) {
  global_set reached;
  llvm::DenseSet<const llvm::Constant*> seen;
  llvm::SmallVector<const llvm::Constant*, 64> todo;
  const auto visit = [&](const llvm::Value* value) {
    const auto* constant = llvm::dyn_cast<llvm::Constant>(value);
    if (constant && seen.insert(constant).second) todo.push_back(constant);
  };
  for (const llvm::GlobalValue* root : roots) visit(root);
  while (!todo.empty()) {
    const llvm::Constant* constant = todo.pop_back_val();
    const auto* global = llvm::dyn_cast<llvm::GlobalValue>(constant);
    if (global) reached.insert(global);
    if (const auto* function = llvm::dyn_cast<llvm::Function>(constant)) {
      for (const llvm::Instruction& instruction : llvm::instructions(function)) {
        if (instruction.isEHPad()) continue;
        for (const llvm::Use& operand : instruction.operands()) visit(operand);
      }
    } else {
      for (const llvm::Use& operand : constant->operands()) visit(operand);
    }
  }
  return reached;
}

void replace_aliases(llvm::Module& module) {
  for (llvm::GlobalAlias& alias : llvm::make_early_inc_range(module.aliases())) {
    alias.replaceAllUsesWith(alias.getAliasee());
    alias.eraseFromParent();
  }
}

void drop_exception_handling(llvm::Function& function) {
  if (function.isDeclaration()) return;
  for (llvm::BasicBlock& block : function)
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(block.getTerminator()))
      llvm::changeToCall(invoke);
  llvm::removeUnreachableBlocks(function);
  if (function.hasPersonalityFn()) function.setPersonalityFn(nullptr);
}

bool is_kept_attribute(const llvm::Attribute& attribute) {
  if (attribute.isStringAttribute()) {
    const llvm::StringRef name = attribute.getKindAsString();
    return name.ends_with("-fp-math") || name.starts_with("denormal-fp-math") ||
           name == "no-trapping-math" || name.starts_with("pianola");
  }
  switch (attribute.getKindAsEnum()) {
    case llvm::Attribute::NoInline:
    case llvm::Attribute::OptimizeNone:
    case llvm::Attribute::OptimizeForSize:
    case llvm::Attribute::MinSize:
    case llvm::Attribute::UWTable:
    case llvm::Attribute::StackProtect:
    case llvm::Attribute::StackProtectReq:
    case llvm::Attribute::StackProtectStrong:
    case llvm::Attribute::SafeStack:
    case llvm::Attribute::ShadowCallStack:
    case llvm::Attribute::NoRedZone:
    case llvm::Attribute::NoImplicitFloat:
    case llvm::Attribute::NoCfCheck:
    case llvm::Attribute::NonLazyBind:
    case llvm::Attribute::SanitizeAddress:
    case llvm::Attribute::SanitizeThread:
    case llvm::Attribute::SanitizeMemory:
    case llvm::Attribute::SanitizeHWAddress:
    case llvm::Attribute::SanitizeMemTag:
    case llvm::Attribute::NoSanitizeCoverage:
    case llvm::Attribute::NoSanitizeBounds:
      return false;
    default:
      return true;
  }
}

llvm::AttributeList without_host_attributes(llvm::LLVMContext& context,
                                            const llvm::AttributeList& attributes) {
  llvm::AttributeMask dropped;
  for (const llvm::Attribute& attribute : attributes.getFnAttrs()) {
    if (is_kept_attribute(attribute)) continue;
    if (attribute.isStringAttribute())
      dropped.addAttribute(attribute.getKindAsString());
    else
      dropped.addAttribute(attribute.getKindAsEnum());
  }
  return attributes.removeFnAttributes(context, dropped);
}

void drop_host_attributes(llvm::Function& function) {
  llvm::LLVMContext& context = function.getContext();
  function.setAttributes(without_host_attributes(context, function.getAttributes()));
  function.setSection("");
  if (function.hasGC()) function.clearGC();
  function.setPrefixData(nullptr);
  function.setPrologueData(nullptr);
  // Code generators put these in front of a function.
  function.eraseMetadata(llvm::LLVMContext::MD_func_sanitize);
  function.eraseMetadata(llvm::LLVMContext::MD_kcfi_type);
  if (!function.isDeclaration()) function.setDoesNotThrow();
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      call->setAttributes(without_host_attributes(context, call->getAttributes()));
}

/// Bodies stay visible, constants and functions become the module's own.
void internalise(llvm::Module& module, llvm::ArrayRef<kernel> kernels) {
  llvm::DenseSet<const llvm::Function*> bodies;
  for (const kernel& kernel : kernels) bodies.insert(kernel.body);
  for (llvm::GlobalObject& object : module.global_objects()) {
    object.setComdat(nullptr);
    if (object.isDeclaration()) {
      object.setLinkage(llvm::GlobalValue::ExternalLinkage);
      continue;
    }
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&object);
    const auto* function = llvm::dyn_cast<llvm::Function>(&object);
    const bool visible = function ? bodies.contains(function) : !variable->isConstant();
    // Visibility first: internal symbols have none.
    object.setVisibility(llvm::GlobalValue::DefaultVisibility);
    object.setLinkage(visible ? llvm::GlobalValue::ExternalLinkage
                              : llvm::GlobalValue::InternalLinkage);
    object.setDSOLocal(true);
  }
}

void drop_what_is_not_named(llvm::Module& module, const global_set& roots) {
  const auto unused = [&](llvm::GlobalValue& global) {
    global.removeDeadConstantUsers();
    return global.use_empty() && !roots.contains(&global);
  };
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals()))
    if (unused(variable)) variable.eraseFromParent();
  for (llvm::Function& function : llvm::make_early_inc_range(module.functions()))
    if (function.isDeclaration() && unused(function)) function.eraseFromParent();
  for (llvm::GlobalIFunc& ifunc : llvm::make_early_inc_range(module.ifuncs()))
    if (unused(ifunc)) ifunc.eraseFromParent();
}

void drop_host_module_flags(llvm::Module& module) {
  llvm::NamedMDNode* flags = module.getModuleFlagsMetadata();
  if (!flags) return;
  llvm::SmallVector<llvm::MDNode*, 8> kept;
  for (llvm::MDNode* flag : flags->operands()) {
    const auto* name = llvm::dyn_cast_or_null<llvm::MDString>(flag->getOperand(1));
    if (name && (name->getString() == "Debug Info Version" ||
                 name->getString() == "Dwarf Version" || name->getString() == "wchar_size"))
      kept.push_back(flag);
  }
  flags->clearOperands();
  for (llvm::MDNode* flag : kept) flags->addOperand(flag);
}

void fold_is_device(llvm::Module& module) {
  llvm::Function* is_device = module.getFunction("__pianola_is_device");
  if (!is_device) return;
  for (llvm::User* user : llvm::make_early_inc_range(is_device->users())) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (!call || call->getCalledOperand() != is_device) continue;
    llvm::replaceAndRecursivelySimplify(call, llvm::ConstantInt::get(call->getType(), 1));
  }
  if (is_device->use_empty()) is_device->eraseFromParent();
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) llvm::ConstantFoldTerminator(&block, true);
    if (!function.isDeclaration()) llvm::removeUnreachableBlocks(function);
  }
}

/// Calls that end a program become traps. What they would print is not known to devices.
void trap_instead_of_abort(llvm::Module& module) {
  static constexpr llvm::StringLiteral enders[] = {
      "__assert_fail",
      "__assert_fail_base",
      "__assert_perror_fail",
      "__assert",
      "abort",
      "_ZSt9terminatev",
      "__clang_call_terminate",
      "_ZSt21__glibcxx_assert_failPKciS0_S0_",
      "_ZSt22__glibcxx_assert_failPKciS0_S0_",
      "__stack_chk_fail",
      "__cxa_pure_virtual",
  };
  for (llvm::StringRef name : enders) {
    llvm::Function* ender = module.getFunction(name);
    if (!ender) continue;
    for (llvm::User* user : llvm::make_early_inc_range(ender->users())) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(user);
      if (!call || call->getCalledOperand() != ender) continue;
      llvm::IRBuilder<> builder(call);
      builder.CreateIntrinsic(llvm::Intrinsic::trap, {}, {});
      llvm::changeToUnreachable(call);
    }
    ender->removeDeadConstantUsers();
    if (ender->use_empty()) ender->eraseFromParent();
  }
}

/// Code that initialises thread_local variables; a kernel may not use those, and is told of the variable.
void drop_thread_local_initialisation(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.getName() != "__tls_init" && !function.getName().starts_with("_ZTH")) continue;
    for (llvm::User* user : llvm::make_early_inc_range(function.users()))
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(user);
          call && call->getCalledOperand() == &function)
        call->eraseFromParent();
  }
}

/// Stock clang marks functions that reach a barrier as convergent only when it compiles for a device.
void propagate_convergence(llvm::Module& module) {
  llvm::SmallVector<llvm::Function*, 32> todo;
  for (llvm::Function& function : module)
    if (function.isConvergent()) todo.push_back(&function);
  while (!todo.empty()) {
    llvm::Function* function = todo.pop_back_val();
    for (llvm::User* user : function->users()) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      if (!call || call->getCalledOperand() != function) continue;
      call->setConvergent();
      llvm::Function* caller = call->getFunction();
      if (!caller->isConvergent()) {
        caller->setConvergent();
        todo.push_back(caller);
      }
    }
  }
}

/// Objects keep their pointer to the table; nothing that a device may do reads the table.
void clear_virtual_tables(llvm::Module& module) {
  for (llvm::GlobalVariable& variable : module.globals()) {
    const llvm::StringRef name = variable.getName();
    const bool table =
        name.starts_with("_ZTV") || name.starts_with("_ZTC") || name.starts_with("_ZTT");
    if (!table || !variable.getValueType()->isSized()) continue;
    variable.setInitializer(llvm::Constant::getNullValue(variable.getValueType()));
    variable.setConstant(true);
    variable.setLinkage(llvm::GlobalValue::InternalLinkage);
    variable.setDSOLocal(true);
  }
}

}  // namespace

std::unique_ptr<llvm::Module> copy_for_devices(const llvm::Module& host,
                                               llvm::ArrayRef<const llvm::GlobalValue*> roots,
                                               llvm::ArrayRef<kernel> kernels,
                                               std::vector<kernel>& device_kernels) {
  const global_set reached = reached_from(roots);
  llvm::ValueToValueMapTy map;
  std::unique_ptr<llvm::Module> device = llvm::CloneModule(
      host, map, [&](const llvm::GlobalValue* global) { return reached.contains(global); });

  device_kernels.assign(kernels.begin(), kernels.end());
  for (kernel& kernel : device_kernels) kernel.body = llvm::cast<llvm::Function>(map[kernel.body]);
  global_set own;
  for (const llvm::GlobalValue* root : roots)
    own.insert(llvm::cast<llvm::GlobalValue>(static_cast<llvm::Value*>(map[root])));
  map.clear();

  reach_device_variables(*device);
  device->setModuleInlineAsm("");
  drop_host_module_flags(*device);
  for (llvm::Function& function : *device) {
    drop_exception_handling(function);
    drop_host_attributes(function);
  }
  drop_what_is_not_named(*device, own);
  return device;
}

std::unique_ptr<llvm::Module> outline(const llvm::Module& host, llvm::ArrayRef<kernel> kernels,
                                      std::vector<kernel>& device_kernels) {
  std::vector<const llvm::GlobalValue*> roots;
  for (const kernel& kernel : kernels) roots.push_back(kernel.body);
  std::unique_ptr<llvm::Module> device = copy_for_devices(host, roots, kernels, device_kernels);
  global_set bodies;
  for (const kernel& kernel : device_kernels) bodies.insert(kernel.body);
  replace_aliases(*device);
  name_subprograms(*device);
  drop_thread_local_initialisation(*device);
  drop_instrumentation(*device);
  fold_is_device(*device);
  trap_instead_of_abort(*device);
  drop_what_is_not_named(*device, bodies);
  internalise(*device, device_kernels);
  propagate_convergence(*device);
  simplify_device_module(*device);
  clear_virtual_tables(*device);
  drop_what_is_not_named(*device, bodies);
  llvm::ModuleAnalysisManager no_analyses;
  llvm::GlobalDCEPass().run(*device, no_analyses);
  return device;
}

}  // namespace pianola::compiler
