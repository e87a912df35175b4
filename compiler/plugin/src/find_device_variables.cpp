// SPDX-License-Identifier: Apache-2.0
// Which variables of a unit are a device_global, for device_variables.hpp: their type is gone where code is generated.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Mangle.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendPluginRegistry.h>

#include "options.hpp"

namespace {

// sycl::[a version::]ext::oneapi::experimental::device_global; null: the unit does not know it.
const clang::ClassTemplateDecl* device_global_in(clang::ASTContext& context) {
  const clang::DeclContext* scope = context.getTranslationUnitDecl();
  for (const char* name : {"sycl", "ext", "oneapi", "experimental"}) {
    const clang::NamespaceDecl* inner = nullptr;
    for (clang::NamedDecl* d : scope->lookup(&context.Idents.get(name)))
      if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(d)) inner = space;
    if (inner == nullptr) return nullptr;
    scope = inner;
  }
  for (clang::NamedDecl* d : scope->lookup(&context.Idents.get("device_global")))
    if (const auto* pattern = llvm::dyn_cast<clang::ClassTemplateDecl>(d)) return pattern;
  return nullptr;
}

// Goes through namespaces and classes; no function has one.
class variable_finder {
 public:
  variable_finder(clang::ASTContext& context, const clang::ClassTemplateDecl& device_global)
      : names_(context), device_global_(device_global) {}

  void look_in(const clang::DeclContext& context) {
    for (const clang::Decl* d : context.decls()) look_at(*d);
  }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  void look_at(const clang::Decl& d) {
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(&d)) {
      if (!variable->isTemplated() && is_device_global(variable->getType()))
        found_.push_back(names_.getName(variable));
    } else if (const auto* pattern = llvm::dyn_cast<clang::VarTemplateDecl>(&d)) {
      for (const clang::VarDecl* made : pattern->specializations()) look_at(*made);
    } else if (const auto* pattern = llvm::dyn_cast<clang::ClassTemplateDecl>(&d)) {
      for (const clang::CXXRecordDecl* made : pattern->specializations()) look_at(*made);
    } else if (const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(&d)) {
      if (record->isCompleteDefinition() && !record->isDependentContext()) look_in(*record);
    } else if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl, clang::ExportDecl>(d)) {
      look_in(*llvm::cast<clang::DeclContext>(&d));
    }
  }

  bool is_device_global(clang::QualType type) const {
    const auto* made =
        llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
    return made != nullptr &&
           made->getSpecializedTemplate()->getCanonicalDecl() == device_global_.getCanonicalDecl();
  }

  clang::ASTNameGenerator names_;
  const clang::ClassTemplateDecl& device_global_;
  std::vector<std::string> found_;
};

class variable_consumer : public clang::ASTConsumer {
 public:
  // Units without one pay for one look at what a template has become.
  void HandleTranslationUnit(clang::ASTContext& context) override {
    const clang::ClassTemplateDecl* device_global = device_global_in(context);
    if (device_global == nullptr || device_global->specializations().empty()) return;
    variable_finder finder(context, *device_global);
    finder.look_in(*context.getTranslationUnitDecl());
    std::vector<std::string>& names = pianola::compiler::device_variable_names();
    for (std::string& name : finder.take()) names.push_back(std::move(name));
  }
};

class variable_action : public clang::PluginASTAction {
 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&,
                                                        llvm::StringRef) override {
    return std::make_unique<variable_consumer>();
  }
  bool ParseArgs(const clang::CompilerInstance&, const std::vector<std::string>&) override {
    return true;
  }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

const clang::FrontendPluginRegistry::Add<variable_action> action_registration(
    "pianola-device-variables", "variables that each device has one of");

}  // namespace
