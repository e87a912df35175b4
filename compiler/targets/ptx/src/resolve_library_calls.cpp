// SPDX-License-Identifier: Apache-2.0
#include <llvm/ADT/StringSwitch.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/SourceMgr.h>

#include "steps.hpp"

namespace pianola::compiler::ptx {

namespace {

// Functions of <cstring> that constants and comparisons of standard types come down to.
constexpr llvm::StringLiteral string_functions = R"(
define i32 @__pianola_memcmp(ptr %a, ptr %b, i64 %bytes) nounwind willreturn memory(argmem: read) {
entry:
  %empty = icmp eq i64 %bytes, 0
  br i1 %empty, label %equal, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %same ]
  %pa = getelementptr inbounds i8, ptr %a, i64 %i
  %pb = getelementptr inbounds i8, ptr %b, i64 %i
  %va = load i8, ptr %pa
  %vb = load i8, ptr %pb
  %differ = icmp ne i8 %va, %vb
  br i1 %differ, label %different, label %same
same:
  %next = add nuw i64 %i, 1
  %end = icmp eq i64 %next, %bytes
  br i1 %end, label %equal, label %loop
different:
  %wa = zext i8 %va to i32
  %wb = zext i8 %vb to i32
  %result = sub nsw i32 %wa, %wb
  ret i32 %result
equal:
  ret i32 0
}
define i64 @__pianola_strlen(ptr %string) nounwind willreturn memory(argmem: read) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i8, ptr %string, i64 %i
  %c = load i8, ptr %p
  %next = add nuw i64 %i, 1
  %end = icmp eq i8 %c, 0
  br i1 %end, label %done, label %loop
done:
  ret i64 %i
}
)";

enum class library_function : std::uint8_t {
  none,
  print,
  print_string,
  print_character,
  assertion,
  stop,
  copy,
  move,
  set,
  compare,
  length
};

library_function find(llvm::StringRef name) {
  return llvm::StringSwitch<library_function>(name)
      .Case("printf", library_function::print)
      .Case("puts", library_function::print_string)
      .Case("putchar", library_function::print_character)
      .Case("__assert_fail", library_function::assertion)
      // std::terminate, std::__glibcxx_assert_fail, a call of a pure virtual function
      .Cases("abort", "_ZSt9terminatev", "_ZSt21__glibcxx_assert_failPKciS0_S0_",
             "__cxa_pure_virtual", library_function::stop)
      .Case("memcpy", library_function::copy)
      .Case("memmove", library_function::move)
      .Case("memset", library_function::set)
      .Cases("memcmp", "bcmp", library_function::compare)
      .Case("strlen", library_function::length)
      .Default(library_function::none);
}

class library_lowering {
 public:
  library_lowering(llvm::Module& module, llvm::CallInst& call)
      : module_(module), call_(call), ir_(&call) {}

  void run(library_function function) {
    switch (function) {
      case library_function::none:
        return;
      case library_function::print:
        replace(print(call_.getArgOperand(0),
                      llvm::SmallVector<llvm::Value*, 4>(llvm::drop_begin(call_.args()))));
        return;
      case library_function::print_string:
        replace(print(text("%s\n"), {call_.getArgOperand(0)}));
        return;
      case library_function::print_character:
        replace(print(text("%c"), {call_.getArgOperand(0)}));
        return;
      case library_function::assertion:
        assertion();
        return;
      case library_function::stop:
        ir_.CreateIntrinsic(llvm::Intrinsic::trap, {}, {});
        replace(nullptr);
        return;
      case library_function::copy:
        ir_.CreateMemCpy(argument(0), {}, argument(1), {}, argument(2));
        replace(argument(0));
        return;
      case library_function::move:
        ir_.CreateMemMove(argument(0), {}, argument(1), {}, argument(2));
        replace(argument(0));
        return;
      case library_function::set:
        ir_.CreateMemSet(argument(0), ir_.CreateTrunc(argument(1), ir_.getInt8Ty()), argument(2),
                         {});
        replace(argument(0));
        return;
      case library_function::compare:
        redirect("__pianola_memcmp");
        return;
      case library_function::length:
        redirect("__pianola_strlen");
        return;
    }
  }

 private:
  llvm::Value* argument(unsigned index) { return call_.getArgOperand(index); }

  void replace(llvm::Value* value) {
    if (!call_.getType()->isVoidTy())
      call_.replaceAllUsesWith(value != nullptr ? value : llvm::PoisonValue::get(call_.getType()));
    call_.eraseFromParent();
  }

  llvm::Value* text(llvm::StringRef characters) {
    return ir_.CreateGlobalString(characters, "pianola.format");
  }

  // vprintf(format, buffer): the buffer holds the arguments, promoted as C does, each at its own alignment.
  llvm::Value* print(llvm::Value* format, llvm::ArrayRef<llvm::Value*> arguments) {
    llvm::Value* buffer = llvm::ConstantPointerNull::get(ir_.getPtrTy());
    if (!arguments.empty()) {
      llvm::SmallVector<llvm::Type*, 4> types;
      for (const llvm::Value* value : arguments) types.push_back(value->getType());
      auto* layout = llvm::StructType::get(module_.getContext(), types);
      llvm::BasicBlock& entry = call_.getFunction()->getEntryBlock();
      llvm::IRBuilder<> at_entry(&entry, entry.begin());
      auto* memory = at_entry.CreateAlloca(layout, nullptr, "printf.arguments");
      // Numbers of 8 bytes and pointers are read as such.
      memory->setAlignment(llvm::Align(8));
      for (unsigned i = 0; i < arguments.size(); ++i)
        ir_.CreateStore(arguments[i], ir_.CreateStructGEP(layout, memory, i));
      buffer = memory;
    }
    const llvm::FunctionCallee vprintf =
        module_.getOrInsertFunction("vprintf", ir_.getInt32Ty(), ir_.getPtrTy(), ir_.getPtrTy());
    return ir_.CreateCall(vprintf, {format, buffer});
  }

  void assertion() {
    const llvm::FunctionCallee fail =
        module_.getOrInsertFunction("__assertfail", ir_.getVoidTy(), ir_.getPtrTy(), ir_.getPtrTy(),
                                    ir_.getInt32Ty(), ir_.getPtrTy(), ir_.getInt64Ty());
    // The last one: bytes of a character.
    ir_.CreateCall(fail, {argument(0), argument(1), argument(2), argument(3), ir_.getInt64(1)});
    ir_.CreateIntrinsic(llvm::Intrinsic::trap, {}, {});
    replace(nullptr);
  }

  void redirect(llvm::StringRef function) {
    call_.setCalledFunction(module_.getOrInsertFunction(function, call_.getFunctionType()));
    call_.setAttributes({});
  }

  llvm::Module& module_;
  llvm::CallInst& call_;
  llvm::IRBuilder<> ir_;
};

void link_string_functions(llvm::Module& module) {
  if (module.getFunction("__pianola_memcmp") == nullptr &&
      module.getFunction("__pianola_strlen") == nullptr)
    return;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> library =
      llvm::parseAssemblyString(string_functions, error, module.getContext());
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  llvm::Linker::linkModules(module, std::move(library), llvm::Linker::LinkOnlyNeeded);
  for (const char* name : {"__pianola_memcmp", "__pianola_strlen"})
    if (llvm::Function* function = module.getFunction(name))
      function->setLinkage(llvm::GlobalValue::InternalLinkage);
}

}  // namespace

bool is_library_function(llvm::StringRef name) { return find(name) != library_function::none; }

void resolve_library_calls(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    const library_function known =
        function.isDeclaration() ? find(function.getName()) : library_function::none;
    if (known == library_function::none) continue;
    for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(user);
      if (call != nullptr && call->getCalledFunction() == &function)
        library_lowering(module, *call).run(known);
    }
    if (function.use_empty()) function.eraseFromParent();
  }
  link_string_functions(module);
}

}  // namespace pianola::compiler::ptx
