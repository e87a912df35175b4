// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/device_variables.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/ReplaceConstant.h>

#include "name_hash.hpp"

namespace pianola::compiler {

namespace {

// Of a variable; its value is the name of the pointer.
constexpr char variable_mark[] = "pianola-device-variable";
constexpr char pointer_mark[] = "pianola-device-pointer";

// What every assembler takes for a name.
std::string pointer_name(const llvm::GlobalVariable& variable, const llvm::Module& module,
                         std::string_view unit) {
  std::string name = ("pianola_variable_" + variable.getName()).str();
  for (char& c : name)
    if (!llvm::isAlnum(c) && c != '_') c = '_';
  if (variable.hasLocalLinkage())
    name += "_" + llvm::utohexstr(seed_of_unit(module, unit), /*LowerCase=*/true, /*Width=*/16);
  return name;
}

// Units that are linked have one of a name together.
llvm::GlobalVariable* pointer_in(llvm::Module& device, llvm::StringRef name) {
  if (llvm::GlobalVariable* known = device.getGlobalVariable(name)) return known;
  llvm::PointerType* type = llvm::PointerType::getUnqual(device.getContext());
  auto* made = new llvm::GlobalVariable(device, type, /*isConstant=*/false,
                                        llvm::GlobalValue::WeakAnyLinkage,
                                        llvm::ConstantPointerNull::get(type), name);
  made->setExternallyInitialized(true);
  made->setAlignment(device.getDataLayout().getPointerABIAlignment(0));
  made->addAttribute(pointer_mark);
  return made;
}

void reach(llvm::GlobalVariable& variable, llvm::GlobalVariable& pointer) {
  variable.removeDeadConstantUsers();
  llvm::convertUsersOfConstantsToInstructions({&variable});
  llvm::DenseMap<llvm::Function*, llvm::LoadInst*> read;  // at the beginning of each function
  for (llvm::Use& use : llvm::make_early_inc_range(variable.uses())) {
    const auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
    if (user == nullptr) continue;  // of a constant, which check_device_code() tells of
    llvm::Function* function = const_cast<llvm::Function*>(user->getFunction());
    llvm::LoadInst*& address = read[function];
    if (address == nullptr) {
      llvm::BasicBlock& entry = function->getEntryBlock();
      llvm::IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
      address = builder.CreateLoad(variable.getType(), &pointer);
      address->setMetadata(llvm::LLVMContext::MD_invariant_load,
                           llvm::MDNode::get(function->getContext(), {}));
    }
    use.set(address);
  }
}

}  // namespace

void mark_device_variables(llvm::Module& module, llvm::ArrayRef<std::string> names,
                           std::string_view unit) {
  for (const std::string& name : names)
    if (llvm::GlobalVariable* variable = module.getGlobalVariable(name, /*AllowInternal=*/true))
      variable->addAttribute(variable_mark, pointer_name(*variable, module, unit));
}

std::vector<device_variable> unmark_device_variables(llvm::Module& module) {
  std::vector<device_variable> all;
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (!variable.hasAttribute(variable_mark)) continue;
    all.push_back({&variable, variable.getAttribute(variable_mark).getValueAsString().str()});
    variable.setAttributes(
        variable.getAttributes().removeAttribute(module.getContext(), variable_mark));
  }
  return all;
}

void reach_device_variables(llvm::Module& device) {
  std::vector<llvm::GlobalVariable*> marked;
  for (llvm::GlobalVariable& variable : device.globals())
    if (variable.hasAttribute(variable_mark)) marked.push_back(&variable);
  for (llvm::GlobalVariable* variable : marked)
    reach(*variable, *pointer_in(device, variable->getAttribute(variable_mark).getValueAsString()));
}

bool is_device_pointer(const llvm::GlobalVariable& variable) {
  return variable.hasAttribute(pointer_mark);
}

std::vector<device_variable> device_pointers_of(const llvm::Module& device) {
  std::vector<device_variable> found;
  for (const llvm::GlobalVariable& pointer : device.globals())
    if (is_device_pointer(pointer)) found.push_back({nullptr, pointer.getName().str()});
  return found;
}

}  // namespace pianola::compiler
