// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/AMDGPUAddrSpace.h>
#include <llvm/Transforms/Utils/AMDGPUEmitPrintf.h>

#include "steps.hpp"

namespace pianola::compiler::amdgpu {

namespace {

using llvm::Intrinsic::ID;
namespace intrinsic = llvm::Intrinsic;

/// How a function of the C library is had on the device.
enum class means {
  library,        // __ocml_NAME(same arguments)
  intrinsic,      // one that instructions exist for
  to_integer,     // the intrinsic, and the result converted to an integer
  pointer,        // __ocml_NAME, whose last parameter points to private memory
  two_pointers,   // sincos
  long_exponent,  // scalbln
};

struct replacement {
  means how = means::library;
  llvm::StringRef name;
  ID id = intrinsic::not_intrinsic;
};

/// By the name of the function for double; with an f at the end it is the one for float.
const llvm::StringMap<replacement>& c_library() {
  static const llvm::StringMap<replacement> table = [] {
    llvm::StringMap<replacement> all;
    for (const char* name :
         {"acos",      "acosh", "asin",      "asinh",  "atan",  "atan2", "atanh", "cbrt", "cos",
          "cosh",      "erf",   "erfc",      "exp",    "exp10", "exp2",  "expm1", "fdim", "fmod",
          "hypot",     "ilogb", "ldexp",     "lgamma", "log",   "log10", "log1p", "log2", "logb",
          "nextafter", "pow",   "remainder", "scalbn", "sin",   "sinh",  "tan",   "tanh", "tgamma"})
      all[name] = {means::library, name, intrinsic::not_intrinsic};
    for (const auto& [name, id] :
         std::initializer_list<std::pair<const char*, ID>>{{"ceil", intrinsic::ceil},
                                                           {"copysign", intrinsic::copysign},
                                                           {"fabs", intrinsic::fabs},
                                                           {"floor", intrinsic::floor},
                                                           {"fma", intrinsic::fma},
                                                           {"fmax", intrinsic::maxnum},
                                                           {"fmin", intrinsic::minnum},
                                                           {"nearbyint", intrinsic::nearbyint},
                                                           {"rint", intrinsic::rint},
                                                           {"round", intrinsic::round},
                                                           {"roundeven", intrinsic::roundeven},
                                                           {"sqrt", intrinsic::sqrt},
                                                           {"trunc", intrinsic::trunc}})
      all[name] = {means::intrinsic, "", id};
    for (const auto& [name, id] :
         std::initializer_list<std::pair<const char*, ID>>{{"lrint", intrinsic::rint},
                                                           {"llrint", intrinsic::rint},
                                                           {"lround", intrinsic::round},
                                                           {"llround", intrinsic::round}})
      all[name] = {means::to_integer, "", id};
    for (const char* name : {"frexp", "modf", "remquo"})
      all[name] = {means::pointer, name, intrinsic::not_intrinsic};
    all["sincos"] = {means::two_pointers, "sincos", intrinsic::not_intrinsic};
    all["scalbln"] = {means::long_exponent, "scalbn", intrinsic::not_intrinsic};
    return all;
  }();
  return table;
}

/// Intrinsics that no instruction sequence is known for, at least not for double.
llvm::StringRef library_name(ID id) {
  switch (id) {
    case intrinsic::acos:
      return "acos";
    case intrinsic::asin:
      return "asin";
    case intrinsic::atan:
      return "atan";
    case intrinsic::cos:
      return "cos";
    case intrinsic::cosh:
      return "cosh";
    case intrinsic::exp:
      return "exp";
    case intrinsic::exp10:
      return "exp10";
    case intrinsic::exp2:
      return "exp2";
    case intrinsic::log:
      return "log";
    case intrinsic::log10:
      return "log10";
    case intrinsic::log2:
      return "log2";
    case intrinsic::pow:
      return "pow";
    case intrinsic::powi:
      return "pown";
    case intrinsic::sin:
      return "sin";
    case intrinsic::sinh:
      return "sinh";
    case intrinsic::tan:
      return "tan";
    case intrinsic::tanh:
      return "tanh";
    default:
      return "";
  }
}

ID rounding_of_integer_intrinsic(ID id) {
  switch (id) {
    case intrinsic::lrint:
    case intrinsic::llrint:
      return intrinsic::rint;
    case intrinsic::lround:
    case intrinsic::llround:
      return intrinsic::round;
    default:
      return intrinsic::not_intrinsic;
  }
}

/// The ones for float that are a few instructions where an approximation is good enough.
bool has_native_form(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases("sin", "cos", "exp", "exp2", "exp10", "log", "log2", "log10", true)
      .Default(false);
}

class call_rewriter {
 public:
  call_rewriter(llvm::CallInst& call, bool fast_math)
      : call_(call), builder_(&call), module_(*call.getModule()), fast_math_(fast_math) {
    if (llvm::isa<llvm::FPMathOperator>(call)) builder_.setFastMathFlags(call.getFastMathFlags());
  }

  /// The value of the call; null where the function is not known by this name and type.
  llvm::Value* c_function(llvm::StringRef name) {
    if (llvm::Value* bytes = memory_function(name)) return bytes;
    if (call_.arg_empty()) return nullptr;
    if (name == "nan" || name == "nanf") return llvm::ConstantFP::getQNaN(call_.getType());
    llvm::Type* type = call_.getArgOperand(0)->getType();
    if (!type->isFloatTy() && !type->isDoubleTy()) return nullptr;
    if (type->isFloatTy() && !name.consume_back("f")) return nullptr;
    const auto found = c_library().find(name);
    if (found == c_library().end()) return nullptr;
    const replacement& with = found->second;
    llvm::SmallVector<llvm::Value*, 3> arguments(call_.args());
    switch (with.how) {
      case means::library:
        return library_call(with.name, arguments);
      case means::intrinsic:
        return builder_.CreateIntrinsic(with.id, {type}, arguments);
      case means::to_integer:
        return builder_.CreateFPToSI(builder_.CreateIntrinsic(with.id, {type}, arguments),
                                     call_.getType());
      case means::pointer: {
        llvm::Type* pointee = with.name == "modf" ? type : builder_.getInt32Ty();
        llvm::Value* target = arguments.back();
        llvm::AllocaInst* own = private_object(pointee);
        arguments.back() = own;
        llvm::Value* result = library_call(with.name, arguments);
        builder_.CreateStore(builder_.CreateLoad(pointee, own), target);
        return result;
      }
      case means::two_pointers: {
        llvm::AllocaInst* cosine = private_object(type);
        llvm::Value* sine = library_call(with.name, {arguments[0], cosine});
        builder_.CreateStore(sine, arguments[1]);
        builder_.CreateStore(builder_.CreateLoad(type, cosine), arguments[2]);
        return sine;
      }
      case means::long_exponent: {
        // Exponents beyond an int's give infinity or zero, as its ends do.
        llvm::Type* wide = arguments[1]->getType();
        llvm::Value* low = builder_.CreateBinaryIntrinsic(
            intrinsic::smax, arguments[1], llvm::ConstantInt::getSigned(wide, INT32_MIN));
        llvm::Value* both = builder_.CreateBinaryIntrinsic(
            intrinsic::smin, low, llvm::ConstantInt::getSigned(wide, INT32_MAX));
        return library_call(with.name,
                            {arguments[0], builder_.CreateTrunc(both, builder_.getInt32Ty())});
      }
    }
    return nullptr;
  }

  llvm::Value* math_intrinsic(ID id) {
    if (const ID rounding = rounding_of_integer_intrinsic(id)) {
      llvm::Value* rounded = builder_.CreateUnaryIntrinsic(rounding, call_.getArgOperand(0));
      return builder_.CreateFPToSI(rounded, call_.getType());
    }
    const llvm::StringRef name = library_name(id);
    if (name.empty()) return nullptr;
    const llvm::SmallVector<llvm::Value*, 2> arguments(call_.args());
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(call_.getType());
    if (vector == nullptr) return library_call(name, arguments);
    llvm::Value* result = llvm::PoisonValue::get(vector);
    for (unsigned i = 0; i < vector->getNumElements(); ++i) {
      llvm::SmallVector<llvm::Value*, 2> elements;
      for (llvm::Value* argument : arguments)
        elements.push_back(argument->getType()->isVectorTy()
                               ? builder_.CreateExtractElement(argument, i)
                               : argument);
      result = builder_.CreateInsertElement(result, library_call(name, elements), i);
    }
    return result;
  }

  llvm::Value* print() {
    return llvm::emitAMDGPUPrintfCall(builder_, llvm::SmallVector<llvm::Value*, 8>(call_.args()),
                                      /*isBuffered=*/false);
  }

 private:
  llvm::AllocaInst* private_object(llvm::Type* type) {
    llvm::BasicBlock& entry = call_.getFunction()->getEntryBlock();
    llvm::IRBuilder<> at_entry(&entry, entry.getFirstInsertionPt());
    return at_entry.CreateAlloca(type, llvm::AMDGPUAS::PRIVATE_ADDRESS);
  }

  llvm::Value* library_call(llvm::StringRef name, llvm::ArrayRef<llvm::Value*> arguments) {
    llvm::Type* type = arguments.front()->getType();
    const bool approximate = fast_math_ || builder_.getFastMathFlags().approxFunc();
    const char* native = approximate && type->isFloatTy() && has_native_form(name) ? "native_" : "";
    const char* suffix = type->isDoubleTy() ? "_f64" : type->isFloatTy() ? "_f32" : "_f16";
    llvm::SmallVector<llvm::Type*, 3> types;
    for (llvm::Value* argument : arguments) types.push_back(argument->getType());
    // ilogb's is the only result of another type.
    llvm::Type* result = name == "ilogb" ? builder_.getInt32Ty() : type;
    llvm::FunctionCallee callee =
        module_.getOrInsertFunction(("__ocml_" + llvm::Twine(native) + name + suffix).str(),
                                    llvm::FunctionType::get(result, types, false));
    return builder_.CreateCall(callee, arguments);
  }

  llvm::Value* memory_function(llvm::StringRef name) {
    if (name == "memcpy" || name == "memmove" || name == "memset") {
      if (call_.arg_size() != 3) return nullptr;
      llvm::Value* target = call_.getArgOperand(0);
      llvm::Value* second = call_.getArgOperand(1);
      llvm::Value* bytes = call_.getArgOperand(2);
      const llvm::MaybeAlign none;
      if (name == "memcpy") builder_.CreateMemCpy(target, none, second, none, bytes);
      if (name == "memmove") builder_.CreateMemMove(target, none, second, none, bytes);
      if (name == "memset")
        builder_.CreateMemSet(target, builder_.CreateTrunc(second, builder_.getInt8Ty()), bytes,
                              none);
      return target;
    }
    return nullptr;
  }

  llvm::CallInst& call_;
  llvm::IRBuilder<> builder_;
  llvm::Module& module_;
  bool fast_math_;
};

}  // namespace

bool resolve_library_calls(llvm::Module& module, bool fast_math) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) continue;
    for (llvm::User* user : function.users())
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(user);
          call != nullptr && call->getCalledOperand() == &function)
        calls.push_back(call);
  }
  bool changed = false;
  for (llvm::CallInst* call : calls) {
    const llvm::Function* callee = call->getCalledFunction();
    if (callee == nullptr) continue;
    const ID id = callee->getIntrinsicID();
    const llvm::StringRef name = callee->getName();
    call_rewriter rewriter(*call, fast_math);
    llvm::Value* value = id != intrinsic::not_intrinsic ? rewriter.math_intrinsic(id)
                         : name == "printf"             ? rewriter.print()
                                                        : rewriter.c_function(name);
    if (value == nullptr) continue;
    if (!call->getType()->isVoidTy()) call->replaceAllUsesWith(value);
    call->eraseFromParent();
    changed = true;
  }
  for (llvm::Function& function : llvm::make_early_inc_range(module.functions()))
    if (function.isDeclaration() && function.use_empty()) function.eraseFromParent();
  return changed;
}

}  // namespace pianola::compiler::amdgpu
