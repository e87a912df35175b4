// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/annotations.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

namespace pianola::compiler {

namespace {

const char list_name[] = "llvm.global.annotations";

// An entry is {function, name, file, line, arguments}.
bool has_name(const llvm::ConstantStruct& entry, std::string_view name) {
  const auto* text = llvm::dyn_cast<llvm::GlobalVariable>(entry.getOperand(1)->stripPointerCasts());
  if (text == nullptr || !text->hasInitializer()) return false;
  const auto* data = llvm::dyn_cast<llvm::ConstantDataArray>(text->getInitializer());
  return data != nullptr && data->isCString() &&
         data->getAsCString() == llvm::StringRef(name.data(), name.size());
}

std::vector<std::int64_t> integers(const llvm::ConstantStruct& entry) {
  std::vector<std::int64_t> values;
  if (entry.getNumOperands() < 5) return values;
  const auto* place =
      llvm::dyn_cast<llvm::GlobalVariable>(entry.getOperand(4)->stripPointerCasts());
  if (place == nullptr || !place->hasInitializer()) return values;
  const llvm::Constant* arguments = place->getInitializer();
  const auto* type = llvm::dyn_cast<llvm::StructType>(arguments->getType());
  if (type == nullptr) return values;
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    const auto* value = llvm::dyn_cast<llvm::ConstantInt>(arguments->getAggregateElement(i));
    if (value == nullptr) return {};
    // None is negative; sign extension would make 3000000000U so.
    values.push_back(static_cast<std::int64_t>(value->getZExtValue()));
  }
  return values;
}

}  // namespace

std::vector<annotation> annotations_of(const llvm::Module& module, std::string_view name) {
  std::vector<annotation> found;
  const llvm::GlobalVariable* list = module.getGlobalVariable(list_name);
  if (list == nullptr || !list->hasInitializer()) return found;
  const auto* entries = llvm::dyn_cast<llvm::ConstantArray>(list->getInitializer());
  if (entries == nullptr) return found;
  for (const llvm::Use& use : entries->operands()) {
    const auto* entry = llvm::dyn_cast<llvm::ConstantStruct>(use.get());
    if (entry == nullptr || !has_name(*entry, name)) continue;
    if (auto* f = llvm::dyn_cast<llvm::Function>(entry->getOperand(0)->stripPointerCasts()))
      found.push_back({f, integers(*entry)});
  }
  return found;
}

void remove_annotations(llvm::Module& module, std::string_view name) {
  llvm::GlobalVariable* list = module.getGlobalVariable(list_name);
  if (list == nullptr || !list->hasInitializer()) return;
  const auto* entries = llvm::dyn_cast<llvm::ConstantArray>(list->getInitializer());
  if (entries == nullptr) return;
  std::vector<llvm::Constant*> kept;
  for (const llvm::Use& use : entries->operands()) {
    auto* entry = llvm::dyn_cast<llvm::ConstantStruct>(use.get());
    if (entry == nullptr || !has_name(*entry, name))
      kept.push_back(llvm::cast<llvm::Constant>(use.get()));
  }
  if (kept.size() == entries->getNumOperands()) return;
  if (!kept.empty()) {
    auto* type = llvm::ArrayType::get(entries->getType()->getElementType(), kept.size());
    auto* shorter = new llvm::GlobalVariable(module, type, list->isConstant(), list->getLinkage(),
                                             llvm::ConstantArray::get(type, kept), "", list);
    shorter->copyAttributesFrom(list);
    shorter->takeName(list);
  }
  list->eraseFromParent();
}

}  // namespace pianola::compiler
