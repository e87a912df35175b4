// SPDX-License-Identifier: Apache-2.0
#include "running_body.hpp"

#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

const char* const random_layout =
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

namespace {

struct position {
  std::uint64_t group[3];
  std::uint32_t local[3];
};
position here;

extern "C" {
std::uint64_t test_foreign() { return base_of(foreign_slot); }
std::uint64_t test_group_x() { return here.group[2]; }
std::uint64_t test_group_y() { return here.group[1]; }
std::uint32_t test_local_x() { return here.local[2]; }
std::uint32_t test_local_y() { return here.local[1]; }
std::uint32_t test_size_x() { return random_local[2]; }
std::uint32_t test_size_y() { return random_local[1]; }
}

template <class F>
void* address_of(F* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void simplify(llvm::Function& body) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.run(body, functions);
}

running_body::running_body(std::unique_ptr<llvm::Module> module,
                           std::unique_ptr<llvm::LLVMContext> context,
                           const std::vector<std::pair<const char*, void*>>& define) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  jit_ = llvm::cantFail(llvm::orc::LLJITBuilder().create());
  llvm::orc::SymbolMap symbols;
  const auto add = [&](const char* name, void* function) {
    symbols[jit_->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                                            llvm::JITSymbolFlags::Exported};
  };
  for (const auto& [name, function] : define) add(name, function);
  add("test_foreign", address_of(&test_foreign));
  add("__pianola_group_id_x", address_of(&test_group_x));
  add("__pianola_group_id_y", address_of(&test_group_y));
  add("__pianola_local_id_x", address_of(&test_local_x));
  add("__pianola_local_id_y", address_of(&test_local_y));
  add("__pianola_local_size_x", address_of(&test_size_x));
  add("__pianola_local_size_y", address_of(&test_size_y));
  llvm::cantFail(jit_->getMainJITDylib().define(llvm::orc::absoluteSymbols(symbols)));
  llvm::cantFail(
      jit_->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context))));
  body_ = llvm::cantFail(jit_->lookup("body"))
              .toPtr<void (*)(const random_object*, const pianola_launch*)>();
}

void running_body::run(const work_item& item) const {
  for (std::size_t d = 0; d < 3; ++d) {
    here.group[d] = item.id[d] / random_local[d];
    here.local[d] = static_cast<std::uint32_t>(item.id[d] % random_local[d]);
  }
  body_(&item.object, &item.launch);
}
