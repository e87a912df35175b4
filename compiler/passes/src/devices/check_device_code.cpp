// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/check_device_code.hpp"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "devices/device_finding.hpp"
#include "pianola/compiler/diagnose.hpp"

namespace pianola::compiler {
namespace {

/// Numbers the functions that call themselves, be it through others; functions of one number call each other.
std::map<const llvm::Function*, unsigned> find_recursion(llvm::Module& device) {
  std::map<const llvm::Function*, unsigned> recursive;
  llvm::CallGraph calls(device);
  unsigned number = 0;
  for (auto component = llvm::scc_begin(&calls); !component.isAtEnd(); ++component) {
    if (!component.hasCycle()) continue;
    for (const llvm::CallGraphNode* node : *component)
      if (node->getFunction()) recursive[node->getFunction()] = number;
    ++number;
  }
  return recursive;
}

/// One call on the way from a kernel to what is reported.
struct frame {
  std::string caller;
  std::string place;
};

std::string place_of(const llvm::DILocation& location) {
  return (location.getFilename() + ":" + llvm::Twine(location.getLine()) + ":" +
          llvm::Twine(location.getColumn()))
      .str();
}

std::string name_of(const llvm::DILocation& location) {
  const llvm::DISubprogram* subprogram = location.getScope()->getSubprogram();
  if (!subprogram) return {};
  const llvm::StringRef linkage = subprogram->getLinkageName();
  return linkage.empty() ? subprogram->getName().str() : llvm::demangle(linkage.str());
}

/// The headers' own way into a kernel says nothing to the programmer.
bool is_glue(llvm::StringRef function) { return function.contains("pianola::glue::"); }

void add_frame(std::vector<frame>& chain, const llvm::DILocation& call) {
  std::string caller = name_of(call);
  if (!is_glue(caller)) chain.push_back({std::move(caller), place_of(call)});
}

class kernel_check {
 public:
  kernel_check(const kernel& kernel, const std::map<const llvm::Function*, unsigned>& recursive,
               bool linked)
      : kernel_(kernel), recursive_(recursive), linked_(linked) {}

  /// Breadth first, so that every chain shown is a shortest one.
  bool run(std::map<const llvm::Function*, function_findings>& cache) {
    std::vector<const llvm::Function*> todo = {kernel_.body};
    called_by_[kernel_.body] = nullptr;
    for (std::size_t i = 0; i < todo.size(); ++i) {
      const llvm::Function* function = todo[i];
      auto known = cache.find(function);
      if (known == cache.end())
        known = cache.emplace(function, find_in_function(*function, linked_)).first;
      for (const device_finding& finding : known->second.findings)
        report(*finding.at, finding.reason);
      for (const llvm::CallBase* call : known->second.external_calls) wait_for(*call);
      for (const llvm::CallBase* call : known->second.calls) {
        const auto* callee =
            llvm::cast<llvm::Function>(call->getCalledOperand()->stripPointerCasts());
        report_recursion(*call, *function, *callee);
        if (called_by_.emplace(callee, call).second) todo.push_back(callee);
      }
    }
    return reported_.empty();
  }

  /// See check_device_code.
  std::string waits_for() && { return std::move(waits_for_); }

 private:
  void wait_for(const llvm::CallBase& call) {
    const std::string name =
        readable_name(*llvm::cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts()));
    if (linked_)
      report(call, "calls '" + name +
                       "', which is declared SYCL_EXTERNAL, and no translation unit that is linked "
                       "and was compiled for devices defines it as such");
    else if (waits_for_.empty())
      waits_for_ = name;
  }

  void report_recursion(const llvm::CallBase& call, const llvm::Function& caller,
                        const llvm::Function& callee) {
    const auto from = recursive_.find(&caller);
    const auto to = recursive_.find(&callee);
    if (from == recursive_.end() || to == recursive_.end() || from->second != to->second) return;
    if (!cycles_.insert(from->second).second) return;
    if (&caller == &callee)
      report(call, "is recursive: '" + readable_name(caller) + "' calls itself");
    else
      report(call, "is recursive: '" + readable_name(caller) + "' calls '" + readable_name(callee) +
                       "', which calls it again");
  }

  void report(const llvm::Instruction& at, const std::string& reason) {
    if (!reported_.insert(reason).second) return;
    std::vector<frame> chain;
    llvm::DebugLoc shown;
    const llvm::Instruction* instruction = &at;
    while (instruction) {
      const llvm::DILocation* location = instruction->getDebugLoc();
      // Line 0: an instruction that passes made of several.
      if (location && location->getLine() != 0) {
        if (!shown)
          shown = location;
        else
          add_frame(chain, *location);
        for (const llvm::DILocation* call = location->getInlinedAt(); call;
             call = call->getInlinedAt())
          add_frame(chain, *call);
      } else if (instruction != &at) {
        const std::string caller = readable_name(*instruction->getFunction());
        if (!is_glue(caller)) chain.push_back({caller, {}});
      }
      instruction = called_by_.at(instruction->getFunction());
    }
    llvm::LLVMContext& context = at.getContext();
    const std::string text = "kernel '" + kernel_.name + "': " + reason;
    if (linked_)  // the front end knows no sources
      report_error(context, (shown ? place_of(*shown) + ": " : std::string()) + text);
    else
      context.diagnose(llvm::DiagnosticInfoUnsupported(*at.getFunction(), text,
                                                       llvm::DiagnosticLocation(shown)));
    for (const frame& call : chain)
      report_note(context, "called from '" + call.caller + "'" +
                               (call.place.empty() ? "" : " at " + call.place));
  }

  const kernel& kernel_;
  const std::map<const llvm::Function*, unsigned>& recursive_;
  bool linked_;
  std::string waits_for_;
  std::map<const llvm::Function*, const llvm::CallBase*> called_by_;
  std::set<std::string> reported_;
  std::set<unsigned> cycles_;
};

bool check_each(llvm::Module& device, llvm::ArrayRef<kernel> kernels, bool linked,
                std::vector<std::string>& waits_for) {
  const auto recursive = find_recursion(device);
  std::map<const llvm::Function*, function_findings> cache;
  bool good = true;
  for (const kernel& kernel : kernels) {
    kernel_check check(kernel, recursive, linked);
    good = check.run(cache) && good;
    waits_for.push_back(std::move(check).waits_for());
  }
  return good;
}

}  // namespace

bool check_device_code(llvm::Module& device, llvm::ArrayRef<kernel> kernels,
                       std::vector<std::string>& waits_for) {
  return check_each(device, kernels, false, waits_for);
}

bool check_linked_device_code(llvm::Module& device, llvm::ArrayRef<kernel> kernels) {
  std::vector<std::string> none;
  return check_each(device, kernels, true, none);
}

}  // namespace pianola::compiler
