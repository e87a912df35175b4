// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/find_kernels.hpp"

#include <cstdio>

#include <llvm/ADT/StringRef.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "name_hash.hpp"
#include "pianola/compiler/annotations.hpp"
#include "pianola/compiler/resolve_requirements.hpp"

namespace pianola::compiler {

namespace {

// "main::'lambda'(sycl::nd_item<1>)" of "void pianola::glue::kernel_body<main::'lambda'..., 2, 1>(...)".
std::string readable_name(llvm::StringRef mangled) {
  const std::string text = llvm::demangle(mangled.str());
  const llvm::StringRef all = text;
  const std::size_t begin = all.find("kernel_body<");
  if (begin == llvm::StringRef::npos) return text;
  llvm::StringRef rest = all.drop_front(begin + llvm::StringRef("kernel_body<").size());
  // The function object's type ends at the first comma outside of all brackets.
  int depth = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if (c == ')' || c == '}' || c == ']') --depth;
    if (c == '>' && (i == 0 || rest[i - 1] != '-')) --depth;
    if (depth < 0 || (depth == 0 && c == ',')) return rest.take_front(i).str();
  }
  return text;
}

}  // namespace

std::vector<kernel> find_kernels(llvm::Module& module, std::string_view unit) {
  std::vector<kernel> kernels;
  const std::uint64_t seed = seed_of_unit(module, unit);
  for (const annotation& a : annotations_of(module, "pianola.kernel")) {
    if (a.function->isDeclaration() || a.function->arg_size() != 2 || a.values.size() != 2)
      continue;
    kernel k;
    k.body = a.function;
    k.id = hash_of_name(a.function->getName(), seed);
    char digits[17];
    std::snprintf(digits, sizeof(digits), "%016llx", static_cast<unsigned long long>(k.id));
    k.symbol = std::string("pianola_kernel_") + digits;
    k.name = readable_name(a.function->getName());
    k.kind = static_cast<kernel_kind>(a.values[0]);
    k.dimensions = static_cast<unsigned>(a.values[1]);
    const llvm::Argument* functor = a.function->getArg(0);
    k.argument_bytes = std::max<std::uint64_t>(functor->getDereferenceableBytes(), 1);
    k.argument_alignment = functor->getParamAlign().valueOrOne().value();
    kernels.push_back(std::move(k));
  }
  resolve_requirements(module, kernels);
  return kernels;
}

void resolve_kernel_ids(llvm::Module& module, const std::vector<kernel>& kernels) {
  llvm::Function* question = module.getFunction("__pianola_kernel_id");
  if (question == nullptr) return;
  std::vector<llvm::CallBase*> calls;
  for (llvm::User* user : question->users())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) calls.push_back(call);
  for (llvm::CallBase* call : calls) {
    const llvm::Value* body = call->getArgOperand(0)->stripPointerCasts();
    for (const kernel& k : kernels)
      if (k.body == body) {
        call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), k.id));
        if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(call)) {
          llvm::BranchInst::Create(invoke->getNormalDest(), invoke->getIterator());
          invoke->getUnwindDest()->removePredecessor(invoke->getParent());
        }
        call->eraseFromParent();
        break;
      }
  }
}

}  // namespace pianola::compiler
