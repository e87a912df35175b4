// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/merge_device_pass.hpp"

#include <string>
#include <vector>

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>

#include "pianola/compiler/annotations.hpp"
#include "pianola/compiler/diagnose.hpp"

namespace pianola::compiler {

namespace {

constexpr llvm::StringRef suffix = ".device";
constexpr std::string_view entry_annotations[] = {"pianola.kernel", "pianola.entry"};

std::string quoted(llvm::StringRef mangled) { return "'" + llvm::demangle(mangled.str()) + "'"; }

llvm::StringRef without_suffix(llvm::StringRef name) {
  name.consume_back(suffix);
  return name;
}

// Whether two initialisers of one variable mean the same. Functions are compared by name, since both are the program's.
bool are_equal(const llvm::Constant* a, const llvm::Constant* b) {
  if (a == b) return true;
  if (const auto* g = llvm::dyn_cast<llvm::GlobalValue>(a)) {
    const auto* other = llvm::dyn_cast<llvm::GlobalValue>(b);
    return other != nullptr && without_suffix(g->getName()) == without_suffix(other->getName());
  }
  if (a->isNullValue() && b->isNullValue()) return true;
  if (a->getValueID() != b->getValueID() || a->getNumOperands() != b->getNumOperands())
    return false;
  // Numbers, strings and the like are unique, so those that differ are different.
  if (a->getNumOperands() == 0) return false;
  for (unsigned i = 0; i < a->getNumOperands(); ++i)
    if (!are_equal(llvm::cast<llvm::Constant>(a->getOperand(i)),
                   llvm::cast<llvm::Constant>(b->getOperand(i))))
      return false;
  return true;
}

// The second parse, on its way into the unit.
class device_pass {
 public:
  device_pass(llvm::Module& host, std::unique_ptr<llvm::Module> second)
      : host_(host), second_(std::move(second)) {}

  void merge() {
    find_entries();
    if (!covers_kernels()) return;
    drop_lists();
    resolve_aliases();
    detach_entries();
    keep_what_is_reached();
    rename_functions();
    share_variables();
    if (llvm::Linker::linkModules(host_, std::move(second_)))
      return report_error(host_.getContext(), "the two parses of this unit do not fit together");
    for (llvm::GlobalValue* g : opened_) g->setLinkage(llvm::GlobalValue::InternalLinkage);
    for (const std::string& name : entries_) take_over(name);
  }

 private:
  // Kernels that only devices have are launched by nobody.
  void find_entries() {
    llvm::DenseSet<const llvm::Function*> seen;
    for (const std::string_view name : entry_annotations)
      for (const annotation& a : annotations_of(*second_, name)) {
        const llvm::Function* of_host = host_.getFunction(a.function->getName());
        if (!a.function->isDeclaration() && of_host != nullptr && !of_host->isDeclaration() &&
            seen.insert(a.function).second)
          functions_.push_back(a.function);
      }
  }

  bool covers_kernels() {
    bool all = true;
    for (const annotation& a : annotations_of(host_, entry_annotations[0])) {
      if (a.function->isDeclaration()) continue;
      const llvm::Function* other = second_->getFunction(a.function->getName());
      if (other == nullptr || other->isDeclaration()) {
        refuse(*a.function,
               "is not there where __SYCL_DEVICE_ONLY__ is defined: a program has the same "
               "kernels, and the same lambda expressions in front of them, with the macro and "
               "without");
        all = false;
      } else if (size_of_object(*a.function) != size_of_object(*other)) {
        refuse(*a.function,
               "has a function object of " + std::to_string(size_of_object(*a.function)) +
                   " bytes, and of " + std::to_string(size_of_object(*other)) +
                   " where __SYCL_DEVICE_ONLY__ is defined: both must have the same members");
        all = false;
      }
    }
    return all;
  }

  static std::uint64_t size_of_object(const llvm::Function& body) {
    return body.arg_empty() ? 0 : body.getArg(0)->getDereferenceableBytes();
  }

  void refuse(const llvm::Function& body, const std::string& what) {
    host_.getContext().diagnose(
        llvm::DiagnosticInfoUnsupported(body, "kernel " + quoted(body.getName()) + " " + what));
  }

  // What the host's parse says for the unit as a whole. The annotations of entries are those of the host as well.
  void drop_lists() {
    llvm::DenseSet<const llvm::Value*> entries(functions_.begin(), functions_.end());
    if (llvm::GlobalVariable* list = second_->getGlobalVariable("llvm.global.annotations"))
      if (const auto* all = llvm::dyn_cast<llvm::ConstantArray>(list->getInitializer())) {
        annotation_type_ = all->getType()->getElementType();
        for (const llvm::Use& use : all->operands())
          if (const auto* a = llvm::dyn_cast<llvm::ConstantStruct>(use.get()))
            if (!entries.contains(a->getOperand(0)->stripPointerCasts()))
              annotations_.push_back(members_of(*a));
      }
    for (const char* name : {"llvm.global.annotations", "llvm.global_ctors", "llvm.global_dtors",
                             "llvm.used", "llvm.compiler.used"})
      if (llvm::GlobalVariable* list = second_->getGlobalVariable(name, true))
        list->eraseFromParent();
    second_->setModuleInlineAsm("");
    for (const char* name : {"llvm.ident", "llvm.commandline", "llvm.linker.options"})
      if (llvm::NamedMDNode* node = second_->getNamedMetadata(name)) node->eraseFromParent();
  }

  static std::vector<llvm::Constant*> members_of(const llvm::ConstantStruct& annotation) {
    std::vector<llvm::Constant*> members;
    for (const llvm::Use& member : annotation.operands())
      members.push_back(llvm::cast<llvm::Constant>(member.get()));
    return members;
  }

  void resolve_aliases() {
    for (llvm::GlobalAlias& alias : llvm::make_early_inc_range(second_->aliases())) {
      alias.replaceAllUsesWith(alias.getAliasee());
      alias.eraseFromParent();
    }
  }

  // Who calls an entry calls that of the unit.
  void detach_entries() {
    for (llvm::Function* f : functions_) {
      const std::string name = f->getName().str();
      f->setName(name + suffix);
      auto* entry = llvm::Function::Create(f->getFunctionType(), llvm::GlobalValue::ExternalLinkage,
                                           f->getAddressSpace(), name, second_.get());
      f->replaceAllUsesWith(entry);
      f->setComdat(nullptr);
      f->setVisibility(llvm::GlobalValue::DefaultVisibility);
      f->setLinkage(llvm::GlobalValue::ExternalLinkage);
      entries_.push_back(name);
      open(*host_.getFunction(name));
    }
  }

  void keep_what_is_reached() {
    llvm::SetVector<llvm::Constant*> reached;
    for (llvm::Function* f : functions_) reached.insert(f);
    reach_from(reached, 0);
    std::vector<std::vector<llvm::Constant*>> kept;
    for (const std::vector<llvm::Constant*>& a : annotations_)
      if (reached.contains(llvm::cast<llvm::Constant>(a[0]->stripPointerCasts())))
        kept.push_back(a);
    const std::size_t before = reached.size();
    for (const std::vector<llvm::Constant*>& a : kept) reached.insert(a.begin(), a.end());
    reach_from(reached, before);

    std::vector<llvm::GlobalObject*> dead;
    for (llvm::GlobalObject& g : second_->global_objects())
      if (!reached.contains(&g)) dead.push_back(&g);
    for (llvm::GlobalObject* g : dead)
      if (auto* f = llvm::dyn_cast<llvm::Function>(g))
        f->deleteBody();
      else
        llvm::cast<llvm::GlobalVariable>(g)->setInitializer(nullptr);
    for (llvm::GlobalObject* g : dead) {
      g->removeDeadConstantUsers();
      g->replaceAllUsesWith(llvm::PoisonValue::get(g->getType()));
      g->eraseFromParent();
    }
    annotate(kept);
  }

  // Adds all that the constants from this one on name.
  static void reach_from(llvm::SetVector<llvm::Constant*>& reached, std::size_t first) {
    const auto visit = [&](llvm::Value* value) {
      if (auto* constant = llvm::dyn_cast<llvm::Constant>(value)) reached.insert(constant);
    };
    for (std::size_t i = first; i < reached.size(); ++i) {
      llvm::Constant* constant = reached[i];
      for (const llvm::Use& operand : constant->operands()) visit(operand.get());
      if (auto* f = llvm::dyn_cast<llvm::Function>(constant))
        for (llvm::Instruction& instruction : llvm::instructions(*f))
          for (const llvm::Use& operand : instruction.operands()) visit(operand.get());
    }
  }

  void annotate(llvm::ArrayRef<std::vector<llvm::Constant*>> kept) {
    if (kept.empty()) return;
    std::vector<llvm::Constant*> all;
    for (const std::vector<llvm::Constant*>& members : kept)
      all.push_back(
          llvm::ConstantStruct::get(llvm::cast<llvm::StructType>(annotation_type_), members));
    auto* type = llvm::ArrayType::get(annotation_type_, all.size());
    auto* list =
        new llvm::GlobalVariable(*second_, type, false, llvm::GlobalValue::AppendingLinkage,
                                 llvm::ConstantArray::get(type, all), "llvm.global.annotations");
    list->setSection("llvm.metadata");
  }

  // The host's code has functions of the same names.
  void rename_functions() {
    const llvm::DenseSet<const llvm::Function*> entries(functions_.begin(), functions_.end());
    for (llvm::Function& f : *second_) {
      if (f.isDeclaration() || entries.contains(&f)) continue;
      f.setComdat(nullptr);
      f.setVisibility(llvm::GlobalValue::DefaultVisibility);
      f.setLinkage(llvm::GlobalValue::InternalLinkage);
      f.setName(f.getName() + suffix);
    }
  }

  void share_variables() {
    for (llvm::GlobalVariable& v : second_->globals()) {
      if (v.isDeclaration() || v.hasPrivateLinkage() || v.hasAppendingLinkage()) continue;
      llvm::GlobalVariable* of_host = host_.getGlobalVariable(v.getName(), true);
      if (of_host == nullptr || of_host->isDeclaration()) continue;
      v.setComdat(nullptr);
      if (v.isConstant() && !are_equal(v.getInitializer(), of_host->getInitializer())) {
        v.setVisibility(llvm::GlobalValue::DefaultVisibility);
        v.setLinkage(llvm::GlobalValue::InternalLinkage);
        v.setName(v.getName() + suffix);
        continue;
      }
      v.eraseMetadata(llvm::LLVMContext::MD_dbg);
      v.setInitializer(nullptr);
      v.setLinkage(llvm::GlobalValue::ExternalLinkage);
      open(*of_host);
    }
  }

  // The linker takes what is internal for another object of the same name.
  void open(llvm::GlobalValue& of_host) {
    if (!of_host.hasInternalLinkage()) return;
    of_host.setLinkage(llvm::GlobalValue::ExternalLinkage);
    opened_.push_back(&of_host);
  }

  void take_over(const std::string& name) {
    llvm::Function* of_host = host_.getFunction(name);
    llvm::Function* f = host_.getFunction(name + suffix.str());
    const llvm::GlobalValue::LinkageTypes linkage = of_host->getLinkage();
    of_host->deleteBody();
    of_host->setLinkage(linkage);
    of_host->splice(of_host->begin(), f);
    for (auto [from, to] : llvm::zip_equal(f->args(), of_host->args())) {
      to.takeName(&from);
      from.replaceAllUsesWith(&to);
    }
    of_host->setAttributes(f->getAttributes());
    of_host->setSubprogram(f->getSubprogram());
    if (f->hasPersonalityFn()) of_host->setPersonalityFn(f->getPersonalityFn());
    f->eraseFromParent();
  }

  llvm::Module& host_;
  std::unique_ptr<llvm::Module> second_;
  std::vector<llvm::Function*> functions_;  // entries, in the second parse
  std::vector<std::string> entries_;        // their names in the unit
  llvm::Type* annotation_type_ = nullptr;
  std::vector<std::vector<llvm::Constant*>> annotations_;  // of other functions than entries
  std::vector<llvm::GlobalValue*> opened_;                 // internal ones of the unit
};

}  // namespace

void merge_device_pass(llvm::Module& host, std::string_view bitcode) {
  llvm::Expected<std::unique_ptr<llvm::Module>> second = llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(llvm::StringRef(bitcode.data(), bitcode.size()), "device pass"),
      host.getContext());
  if (!second)
    return report_error(host.getContext(), "the unit's second parse cannot be read: " +
                                               llvm::toString(second.takeError()));
  device_pass(host, std::move(*second)).merge();
}

}  // namespace pianola::compiler
