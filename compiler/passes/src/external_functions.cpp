// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/external_functions.hpp"

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include "pianola/compiler/annotations.hpp"

namespace pianola::compiler {

namespace {

constexpr std::string_view annotation_name = "pianola.external";
// Begins as all attributes do that outline() keeps.
constexpr char attribute_name[] = "pianola-external";

}  // namespace

void mark_external_functions(llvm::Module& module) {
  for (const annotation& a : annotations_of(module, annotation_name))
    a.function->addFnAttr(attribute_name);
  remove_annotations(module, annotation_name);
}

void unmark_external_functions(llvm::Module& module) {
  for (llvm::Function& function : module) function.removeFnAttr(attribute_name);
}

bool is_external(const llvm::Function& function) { return function.hasFnAttribute(attribute_name); }

}  // namespace pianola::compiler
