// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/emit_registration.hpp"

#include <cassert>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace pianola::compiler {

namespace {

// Before every constructor of the program, which may submit kernels (those without a priority have 65535),
// and its destructor after theirs.
constexpr int constructor_priority = 101;
// What loads code objects may want them aligned as they are in a file that is mapped.
constexpr unsigned image_alignment = 64;

// The layout that the constants below are written in.
static_assert(sizeof(pianola_image) == 24 && offsetof(pianola_image, bytes) == 8);
static_assert(sizeof(pianola_index_term) == 24 && PIANOLA_TERM_FACTORS == 4);
static_assert(sizeof(pianola_index_sum) == 16 && offsetof(pianola_index_sum, terms) == 8);
static_assert(sizeof(pianola_access_loop) == 64 && offsetof(pianola_access_loop, least) == 32 &&
              offsetof(pianola_access_loop, extra) == 56);
static_assert(sizeof(pianola_access_condition) == 40 &&
              offsetof(pianola_access_condition, b) == 24);
static_assert(sizeof(pianola_access) == 48 && offsetof(pianola_access, start) == 8 &&
              offsetof(pianola_access, loop_count) == 24 && offsetof(pianola_access, loops) == 32);
static_assert(sizeof(pianola_argument_use) == 40 && offsetof(pianola_argument_use, terms) == 16 &&
              offsetof(pianola_argument_use, access_count) == 24);
static_assert(sizeof(pianola_operations) == 40 && offsetof(pianola_operations, loop_count) == 16 &&
              offsetof(pianola_operations, loops) == 24);
static_assert(sizeof(pianola_kernel) == 80 && offsetof(pianola_kernel, kind) == 24 &&
              offsetof(pianola_kernel, use_count) == 48 &&
              offsetof(pianola_kernel, operation_count) == 64);
static_assert(sizeof(pianola_image_set) == 48 && offsetof(pianola_image_set, kernel_count) == 16 &&
              offsetof(pianola_image_set, variable_count) == 32);
static_assert(sizeof(pianola_variable) == 24 && offsetof(pianola_variable, bytes) == 16);
static_assert(sizeof(pianola_variable_set) == 24 &&
              offsetof(pianola_variable_set, variables) == 16);

class emitter {
 public:
  explicit emitter(llvm::Module& module)
      : module_(module),
        context_(module.getContext()),
        pointer_(llvm::PointerType::getUnqual(context_)),
        i32_(llvm::Type::getInt32Ty(context_)),
        i64_(llvm::Type::getInt64Ty(context_)) {}

  llvm::GlobalVariable* constant(llvm::Constant* value, const llvm::Twine& name) {
    auto* global = new llvm::GlobalVariable(module_, value->getType(), true,
                                            llvm::GlobalValue::InternalLinkage, value, name);
    return global;
  }
  llvm::Constant* text(const std::string& content) {
    llvm::GlobalVariable* global =
        constant(llvm::ConstantDataArray::getString(context_, content), "pianola.text");
    global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    global->setAlignment(llvm::Align(1));
    return global;
  }
  llvm::Constant* number32(std::uint64_t value) { return llvm::ConstantInt::get(i32_, value); }
  llvm::Constant* number64(std::uint64_t value) { return llvm::ConstantInt::get(i64_, value); }
  llvm::Constant* null() { return llvm::ConstantPointerNull::get(pointer_); }

  // A null pointer where there are none.
  llvm::Constant* array(llvm::StructType* type, llvm::ArrayRef<llvm::Constant*> elements,
                        const llvm::Twine& name) {
    if (elements.empty()) return null();
    return constant(llvm::ConstantArray::get(llvm::ArrayType::get(type, elements.size()), elements),
                    name);
  }

  llvm::Constant* images(llvm::ArrayRef<image> all) {
    auto* type = llvm::StructType::get(context_, {pointer_, pointer_, i64_});
    llvm::SmallVector<llvm::Constant*> elements;
    for (const image& one : all) {
      // PTX is text that readers expect to end with a null, which its size does not count.
      llvm::GlobalVariable* bytes =
          constant(llvm::ConstantDataArray::getString(context_, one.bytes),
                   "pianola.image." + one.architecture);
      bytes->setSection(".pianola.images");
      bytes->setAlignment(llvm::Align(image_alignment));
      elements.push_back(llvm::ConstantStruct::get(type, text(one.architecture), bytes,
                                                   number64(one.bytes.size())));
    }
    return array(type, elements, "pianola.images");
  }

  llvm::Constant* terms(llvm::ArrayRef<pianola_index_term> all) {
    auto* factors_type = llvm::ArrayType::get(i32_, PIANOLA_TERM_FACTORS);
    auto* type = llvm::StructType::get(context_, {i64_, factors_type});
    llvm::SmallVector<llvm::Constant*> elements;
    for (const pianola_index_term& one : all)
      elements.push_back(llvm::ConstantStruct::get(
          type, number64(static_cast<std::uint64_t>(one.coefficient)),
          llvm::ConstantDataArray::get(context_, llvm::ArrayRef<std::uint32_t>(one.factors))));
    return array(type, elements, "pianola.terms");
  }

  llvm::StructType* sum_type() { return llvm::StructType::get(context_, {i64_, pointer_}); }
  llvm::Constant* sum(const index_sum& one) {
    return llvm::ConstantStruct::get(sum_type(), number64(one.size()), terms(one));
  }

  llvm::Constant* loops(llvm::ArrayRef<access_loop> all) {
    auto* type =
        llvm::StructType::get(context_, {sum_type(), sum_type(), i64_, i64_, i64_, i32_, i32_});
    llvm::SmallVector<llvm::Constant*> elements;
    for (const access_loop& one : all)
      elements.push_back(llvm::ConstantStruct::get(
          type, sum(one.stride), sum(one.count), number64(static_cast<std::uint64_t>(one.least)),
          number64(static_cast<std::uint64_t>(one.plus)), number64(one.divisor),
          number32(one.extra), number32(one.flags)));
    return array(type, elements, "pianola.loops");
  }

  llvm::Constant* conditions(llvm::ArrayRef<access_condition> all) {
    auto* type = llvm::StructType::get(context_, {i64_, sum_type(), sum_type()});
    llvm::SmallVector<llvm::Constant*> elements;
    for (const access_condition& one : all)
      elements.push_back(llvm::ConstantStruct::get(
          type, number64(static_cast<std::uint64_t>(one.kind)), sum(one.a), sum(one.b)));
    return array(type, elements, "pianola.conditions");
  }

  llvm::Constant* accesses(llvm::ArrayRef<argument_access> all) {
    auto* type =
        llvm::StructType::get(context_, {i32_, i32_, sum_type(), i32_, i32_, pointer_, pointer_});
    llvm::SmallVector<llvm::Constant*> elements;
    for (const argument_access& one : all)
      elements.push_back(llvm::ConstantStruct::get(type, number32(one.flags), number32(one.bytes),
                                                   sum(one.start), number32(one.loops.size()),
                                                   number32(one.conditions.size()),
                                                   loops(one.loops), conditions(one.conditions)));
    return array(type, elements, "pianola.accesses");
  }

  llvm::Constant* uses(llvm::ArrayRef<argument_use> all) {
    auto* type =
        llvm::StructType::get(context_, {i32_, i32_, i32_, i32_, pointer_, i64_, pointer_});
    llvm::SmallVector<llvm::Constant*> elements;
    for (const argument_use& one : all)
      elements.push_back(llvm::ConstantStruct::get(
          type, number32(one.offset), number32(one.flags), number32(one.element_bytes),
          number32(one.terms.size()), terms(one.terms), number64(one.accesses.size()),
          accesses(one.accesses)));
    return array(type, elements, "pianola.uses");
  }

  llvm::Constant* operations(llvm::ArrayRef<counted_operations> all) {
    auto* type =
        llvm::StructType::get(context_, {i32_, i32_, i32_, i32_, i32_, i32_, pointer_, pointer_});
    llvm::SmallVector<llvm::Constant*> elements;
    for (const counted_operations& one : all)
      elements.push_back(llvm::ConstantStruct::get(
          type, number32(one.flags), number32(one.each.simple), number32(one.each.divisions),
          number32(one.each.functions), number32(one.loops.size()), number32(one.conditions.size()),
          loops(one.loops), conditions(one.conditions)));
    return array(type, elements, "pianola.operations");
  }

  llvm::Constant* kernels(llvm::ArrayRef<kernel> all, llvm::ArrayRef<kernel_uses> known) {
    auto* type = llvm::StructType::get(context_, {i64_, pointer_, pointer_, i32_, i32_, i32_, i32_,
                                                  i32_, i32_, i64_, pointer_, i64_, pointer_});
    const kernel_uses nothing;
    llvm::SmallVector<llvm::Constant*> elements;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const kernel& one = all[i];
      const kernel_uses& of_one = known.empty() ? nothing : known[i];
      elements.push_back(llvm::ConstantStruct::get(
          type, number64(one.id), text(one.symbol), text(one.name),
          number32(static_cast<std::uint32_t>(one.kind)), number32(one.dimensions),
          number32(one.argument_bytes), number32(one.argument_alignment),
          number32(one.required_sub_group_size), number32(of_one.flags),
          number64(of_one.uses.size()), uses(of_one.uses), number64(of_one.operations.size()),
          operations(of_one.operations)));
    }
    return array(type, elements, "pianola.kernels");
  }

  llvm::GlobalVariable* image_set(llvm::ArrayRef<kernel> all_kernels,
                                  llvm::ArrayRef<image> all_images,
                                  llvm::ArrayRef<kernel_uses> known,
                                  llvm::ArrayRef<device_variable> known_variables) {
    auto* type =
        llvm::StructType::get(context_, {i32_, i32_, pointer_, i64_, pointer_, i64_, pointer_});
    llvm::Constant* image_array = images(all_images);
    llvm::Constant* kernel_array = kernels(all_kernels, known);
    return constant(
        llvm::ConstantStruct::get(
            type, number32(PIANOLA_IMAGE_SET_VERSION), number32(all_images.size()), image_array,
            number64(all_kernels.size()), kernel_array, number64(known_variables.size()),
            variables(known_variables, false, "pianola.used_variables")),
        "pianola.image_set");
  }

  llvm::Constant* variables(llvm::ArrayRef<device_variable> all, bool with_sizes,
                            const llvm::Twine& name) {
    auto* type = llvm::StructType::get(context_, {pointer_, pointer_, i64_});
    llvm::SmallVector<llvm::Constant*> elements;
    for (const device_variable& one : all)
      elements.push_back(llvm::ConstantStruct::get(
          type, text(one.pointer), one.variable == nullptr ? null() : one.variable,
          number64(with_sizes ? bytes_of(*one.variable) : 0)));
    return array(type, elements, name);
  }

  llvm::GlobalVariable* variable_set(llvm::ArrayRef<device_variable> all) {
    auto* type = llvm::StructType::get(context_, {i32_, i32_, i64_, pointer_});
    return constant(
        llvm::ConstantStruct::get(type, number32(PIANOLA_VARIABLE_SET_VERSION), number32(0),
                                  number64(all.size()), variables(all, true, "pianola.variables")),
        "pianola.variable_set");
  }

  // what: of the functions of abi/image.h
  void register_set(llvm::Constant* set, const std::string& what = "images") {
    llvm::appendToGlobalCtors(
        module_, call("pianola.register_" + what, "pianola_register_" + what + "_v1", set),
        constructor_priority);
    llvm::appendToGlobalDtors(
        module_, call("pianola.unregister_" + what, "pianola_unregister_" + what + "_v1", set),
        constructor_priority);
  }

 private:
  std::uint64_t bytes_of(const llvm::GlobalVariable& variable) const {
    return module_.getDataLayout().getTypeAllocSize(variable.getValueType());
  }

  // void name() { callee(set); }
  llvm::Function* call(const std::string& name, const std::string& callee, llvm::Constant* set) {
    llvm::Type* nothing = llvm::Type::getVoidTy(context_);
    auto* function = llvm::Function::Create(llvm::FunctionType::get(nothing, false),
                                            llvm::GlobalValue::InternalLinkage, name, module_);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context_, "", function));
    llvm::FunctionCallee target =
        module_.getOrInsertFunction(callee, llvm::FunctionType::get(nothing, {pointer_}, false));
    builder.CreateCall(target, {set});
    builder.CreateRetVoid();
    return function;
  }

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::PointerType* pointer_;
  llvm::IntegerType* i32_;
  llvm::IntegerType* i64_;
};

std::string name_of_waiting_set(const kernel& waiting) { return waiting.symbol + "_waiting"; }

}  // namespace

void emit_registration(llvm::Module& module, llvm::ArrayRef<kernel> kernels,
                       llvm::ArrayRef<image> images, llvm::ArrayRef<kernel_uses> uses,
                       llvm::ArrayRef<device_variable> variables) {
  if (kernels.empty()) return;
  assert(uses.empty() || uses.size() == kernels.size());
  emitter e(module);
  e.register_set(e.image_set(kernels, images, uses, variables));
}

void register_variables(llvm::Module& module, llvm::ArrayRef<device_variable> variables) {
  std::vector<device_variable> defined;
  llvm::copy_if(variables, std::back_inserter(defined),
                [](const device_variable& v) { return !v.variable->isDeclarationForLinker(); });
  if (defined.empty()) return;
  emitter e(module);
  e.register_set(e.variable_set(defined), "variables");
}

void emit_waiting_registration(llvm::Module& module, const kernel& waiting,
                               const std::string& waits_for, const kernel_uses& uses) {
  emitter e(module);
  llvm::GlobalVariable* set =
      e.image_set({waiting}, {{PIANOLA_ARCHITECTURE_UNLINKED, waits_for}}, {uses}, {});
  set->setName(name_of_waiting_set(waiting));
  set->setLinkage(llvm::GlobalValue::WeakAnyLinkage);
  set->setVisibility(llvm::GlobalValue::HiddenVisibility);
  e.register_set(set);
}

void replace_waiting(llvm::Module& module, const kernel& waiting) {
  llvm::GlobalVariable* set = emitter(module).image_set({}, {}, {}, {});
  set->setName(name_of_waiting_set(waiting));
  set->setLinkage(llvm::GlobalValue::ExternalLinkage);
  set->setVisibility(llvm::GlobalValue::HiddenVisibility);
}

}  // namespace pianola::compiler
