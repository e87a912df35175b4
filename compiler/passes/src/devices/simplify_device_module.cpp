// SPDX-License-Identifier: Apache-2.0
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/InlineCost.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/DeadArgumentElimination.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/IPO/Inliner.h>
#include <llvm/Transforms/IPO/SCCP.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/CorrelatedValuePropagation.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "pianola/compiler/outline.hpp"

namespace pianola::compiler {
namespace {

/// The host's library, without the functions that devices lack and that simplifying a call could introduce.
llvm::TargetLibraryInfoImpl library_of_devices(const llvm::Module& device) {
  llvm::TargetLibraryInfoImpl library{llvm::Triple(device.getTargetTriple())};
  for (const llvm::LibFunc function : {llvm::LibFunc_puts,
                                       llvm::LibFunc_putchar,
                                       llvm::LibFunc_iprintf,
                                       llvm::LibFunc_siprintf,
                                       llvm::LibFunc_fiprintf,
                                       llvm::LibFunc_small_printf,
                                       llvm::LibFunc_fwrite,
                                       llvm::LibFunc_fputc,
                                       llvm::LibFunc_fputs,
                                       llvm::LibFunc_bcmp,
                                       llvm::LibFunc_strlen,
                                       llvm::LibFunc_memchr,
                                       llvm::LibFunc_strchr,
                                       llvm::LibFunc_stpcpy,
                                       llvm::LibFunc_mempcpy,
                                       llvm::LibFunc_calloc,
                                       llvm::LibFunc_memset_pattern16,
                                       llvm::LibFunc_exp10,
                                       llvm::LibFunc_exp10f,
                                       llvm::LibFunc_exp10l,
                                       llvm::LibFunc_sincospi_stret,
                                       llvm::LibFunc_sincospif_stret})
    library.setUnavailable(function);
  return library;
}

struct scopes : llvm::PassInfoMixin<scopes> {
  static llvm::PreservedAnalyses run(llvm::Module& device, llvm::ModuleAnalysisManager&) {
    resolve_scopes(device);
    return llvm::PreservedAnalyses::none();
  }
};

}  // namespace

void simplify_device_module(llvm::Module& device) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  const llvm::TargetLibraryInfoImpl library = library_of_devices(device);
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  const auto clean_up = [](llvm::FunctionPassManager& passes) {
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass());
    passes.addPass(llvm::SimplifyCFGPass());
  };

  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/false));
  {
    // What is behind a test for the host goes before anything of it is looked at for inlining.
    llvm::FunctionPassManager first;
    clean_up(first);
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(first)));
    passes.addPass(llvm::IPSCCPPass());
    passes.addPass(llvm::GlobalDCEPass());
  }
  {
    llvm::ModuleInlinerWrapperPass inliner(
        llvm::getInlineParams(/*OptLevel=*/2, /*SizeOptLevel=*/0));
    llvm::FunctionPassManager each;
    each.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    each.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    each.addPass(llvm::SimplifyCFGPass());
    each.addPass(llvm::InstCombinePass());
    each.addPass(llvm::CorrelatedValuePropagationPass());
    each.addPass(llvm::SimplifyCFGPass());
    inliner.getPM().addPass(llvm::createCGSCCToFunctionPassAdaptor(std::move(each)));
    passes.addPass(std::move(inliner));
  }
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(llvm::IPSCCPPass());
  passes.addPass(scopes());
  {
    passes.addPass(llvm::DeadArgumentEliminationPass());
    llvm::FunctionPassManager last;
    clean_up(last);
    last.addPass(llvm::InstCombinePass());
    last.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(last)));
    passes.addPass(llvm::GlobalDCEPass());
  }
  passes.run(device, modules);
}

}  // namespace pianola::compiler
