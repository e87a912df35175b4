// SPDX-License-Identifier: Apache-2.0
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "steps.hpp"

namespace pianola::compiler::ptx {

namespace {

using llvm::Intrinsic::not_intrinsic;

// Functions that a few instructions compute: LLVM's intrinsic says more to the optimiser than a call.
llvm::Intrinsic::ID instruction_for(llvm::StringRef function) {
  return llvm::StringSwitch<llvm::Intrinsic::ID>(function)
      .Case("fabs", llvm::Intrinsic::fabs)
      .Case("sqrt", llvm::Intrinsic::sqrt)
      .Case("floor", llvm::Intrinsic::floor)
      .Case("ceil", llvm::Intrinsic::ceil)
      .Case("trunc", llvm::Intrinsic::trunc)
      .Case("rint", llvm::Intrinsic::rint)
      .Case("nearbyint", llvm::Intrinsic::nearbyint)
      .Case("round", llvm::Intrinsic::round)
      .Case("roundeven", llvm::Intrinsic::roundeven)
      .Case("fmin", llvm::Intrinsic::minnum)
      .Case("fmax", llvm::Intrinsic::maxnum)
      .Case("fma", llvm::Intrinsic::fma)
      .Case("copysign", llvm::Intrinsic::copysign)
      .Default(not_intrinsic);
}

// The double function's name in libdevice, without "__nv_"; empty: it has none.
llvm::StringRef libdevice_for(llvm::StringRef function) {
  return llvm::StringSwitch<llvm::StringRef>(function)
      .Cases("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", function)
      .Cases("cos", "cosh", "erf", "erfc", "exp", "exp2", "exp10", "expm1", function)
      .Cases("fdim", "fmod", "frexp", "hypot", "ilogb", "ldexp", "lgamma", "log", function)
      .Cases("log10", "log1p", "log2", "logb", "modf", "nextafter", "pow", "remainder", function)
      .Cases("remquo", "scalbn", "sin", "sincos", "sinh", "tan", "tanh", "tgamma", function)
      .Cases("j0", "j1", "jn", "y0", "y1", "yn", "llrint", "llround", function)
      .Case("nan", function)
      .Case("pow10", "exp10")
      .Case("drem", "remainder")
      .Case("gamma", "lgamma")
      // long has 64 bits.
      .Case("lrint", "llrint")
      .Case("lround", "llround")
      .Default("");
}

// The intrinsics that no instruction computes, by the C function with the same arguments.
llvm::StringRef function_for(llvm::Intrinsic::ID id) {
  switch (id) {
    case llvm::Intrinsic::sin:
      return "sin";
    case llvm::Intrinsic::cos:
      return "cos";
    case llvm::Intrinsic::tan:
      return "tan";
    case llvm::Intrinsic::asin:
      return "asin";
    case llvm::Intrinsic::acos:
      return "acos";
    case llvm::Intrinsic::atan:
      return "atan";
    case llvm::Intrinsic::sinh:
      return "sinh";
    case llvm::Intrinsic::cosh:
      return "cosh";
    case llvm::Intrinsic::tanh:
      return "tanh";
    case llvm::Intrinsic::exp:
      return "exp";
    case llvm::Intrinsic::exp2:
      return "exp2";
    case llvm::Intrinsic::exp10:
      return "exp10";
    case llvm::Intrinsic::log:
      return "log";
    case llvm::Intrinsic::log2:
      return "log2";
    case llvm::Intrinsic::log10:
      return "log10";
    case llvm::Intrinsic::pow:
      return "pow";
    case llvm::Intrinsic::powi:
      return "powi";
    case llvm::Intrinsic::ldexp:
      return "ldexp";
    case llvm::Intrinsic::frexp:
      return "frexp";
    case llvm::Intrinsic::lrint:
    case llvm::Intrinsic::llrint:
      return "llrint";
    case llvm::Intrinsic::lround:
    case llvm::Intrinsic::llround:
      return "llround";
    default:
      return "";
  }
}

// Instructions behind the functions of sycl::native.
llvm::Intrinsic::ID approximation_for(llvm::StringRef function) {
  return llvm::StringSwitch<llvm::Intrinsic::ID>(function)
      .Case("__pianola_native_cos", llvm::Intrinsic::nvvm_cos_approx_f)
      .Case("__pianola_native_exp2", llvm::Intrinsic::nvvm_ex2_approx_f)
      .Case("__pianola_native_log2", llvm::Intrinsic::nvvm_lg2_approx_f)
      .Case("__pianola_native_recip", llvm::Intrinsic::nvvm_rcp_approx_ftz_f)
      .Case("__pianola_native_rsqrt", llvm::Intrinsic::nvvm_rsqrt_approx_f)
      .Case("__pianola_native_sin", llvm::Intrinsic::nvvm_sin_approx_f)
      .Case("__pianola_native_sqrt", llvm::Intrinsic::nvvm_sqrt_approx_f)
      .Default(not_intrinsic);
}

bool has_fast_variant(llvm::StringRef function) {
  return llvm::StringSwitch<bool>(function)
      .Cases("sin", "cos", "tan", "sincos", "log", "log2", "log10", true)
      .Cases("exp", "exp10", "pow", true)
      .Default(false);
}

// "sinf" is "sin" of float.
struct math_function {
  llvm::StringRef base;
  bool of_float = false;
};

bool is_base(llvm::StringRef name) {
  return name == "scalbln" || instruction_for(name) != not_intrinsic ||
         !libdevice_for(name).empty();
}

math_function parse(llvm::StringRef name) {
  if (is_base(name)) return {name, false};
  if (name.consume_back("f") && is_base(name)) return {name, true};
  return {};
}

class mapper {
 public:
  mapper(llvm::Module& module, bool approximate) : module_(module), approximate_(approximate) {}

  void replace_function(llvm::Function& function) {
    if (const auto id = approximation_for(function.getName()); id != not_intrinsic) {
      approximate(function, id);
      return;
    }
    const math_function math = parse(function.getName());
    if (math.base.empty() || !has_signature(function, math)) return;
    for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(user);
      if (call == nullptr || call->getCalledFunction() != &function) continue;
      llvm::IRBuilder<> ir(call);
      ir.setFastMathFlags(flags_of(*call));
      const llvm::SmallVector<llvm::Value*, 3> arguments(call->args());
      finish(*call, ir, of_function(ir, math, arguments, call->getType()));
    }
    if (function.use_empty()) function.eraseFromParent();
  }

  void replace_intrinsic(llvm::IntrinsicInst& call) {
    if (call.getIntrinsicID() == llvm::Intrinsic::canonicalize) {
      // GPUs have neither signalling NaNs nor other encodings of a number, and LLVM no code for this.
      call.replaceAllUsesWith(call.getArgOperand(0));
      call.eraseFromParent();
      return;
    }
    const llvm::StringRef function = function_for(call.getIntrinsicID());
    if (function.empty()) return;
    llvm::IRBuilder<> ir(&call);
    ir.setFastMathFlags(flags_of(call));
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(call.getArgOperand(0)->getType());
    if (vector == nullptr) {
      const llvm::SmallVector<llvm::Value*, 3> arguments(call.args());
      if (llvm::Value* value = scalar(ir, function, arguments, call.getType()))
        finish(call, ir, value);
      return;
    }
    by_elements(call, ir, function, vector->getNumElements());
  }

 private:
  static llvm::FastMathFlags flags_of(const llvm::CallInst& call) {
    return llvm::isa<llvm::FPMathOperator>(call) ? call.getFastMathFlags() : llvm::FastMathFlags();
  }

  static void finish(llvm::CallInst& call, llvm::IRBuilder<>&, llvm::Value* value) {
    if (!call.getType()->isVoidTy()) {
      if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(value))
        instruction->takeName(&call);
      call.replaceAllUsesWith(value);
    }
    call.eraseFromParent();
  }

  static void approximate(llvm::Function& function, llvm::Intrinsic::ID id) {
    for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(user);
      if (call == nullptr || call->getCalledFunction() != &function) continue;
      llvm::IRBuilder<> ir(call);
      finish(*call, ir, ir.CreateIntrinsic(call->getType(), id, {call->getArgOperand(0)}));
    }
    if (function.use_empty()) function.eraseFromParent();
  }

  // Somebody's own function of the same name is left alone (and found unresolved later).
  static bool has_signature(const llvm::Function& function, const math_function& math) {
    if (!function.isDeclaration() || function.isVarArg()) return false;
    bool right = math.base == "nan";
    for (const llvm::Type* type : function.getFunctionType()->params())
      if (type->isFloatingPointTy()) {
        if (!(math.of_float ? type->isFloatTy() : type->isDoubleTy())) return false;
        right = true;
      }
    return right;
  }

  llvm::Value* of_function(llvm::IRBuilder<>& ir, const math_function& math,
                           llvm::ArrayRef<llvm::Value*> arguments, llvm::Type* result) {
    if (const auto id = instruction_for(math.base); id != not_intrinsic)
      return ir.CreateIntrinsic(result, id, arguments);
    if (math.base == "scalbln") {
      // Beyond int, every exponent overflows or underflows as int's limits do.
      llvm::Value* exponent =
          ir.CreateIntrinsic(ir.getInt64Ty(), llvm::Intrinsic::smax,
                             {arguments[1], ir.getInt64(std::numeric_limits<std::int32_t>::min())});
      exponent =
          ir.CreateIntrinsic(ir.getInt64Ty(), llvm::Intrinsic::smin,
                             {exponent, ir.getInt64(std::numeric_limits<std::int32_t>::max())});
      return call_libdevice(ir, "scalbn", math.of_float,
                            {arguments[0], ir.CreateTrunc(exponent, ir.getInt32Ty())}, result);
    }
    return call_libdevice(ir, libdevice_for(math.base), math.of_float, arguments, result);
  }

  llvm::Value* call_libdevice(llvm::IRBuilder<>& ir, llvm::StringRef function, bool of_float,
                              llvm::ArrayRef<llvm::Value*> arguments, llvm::Type* result) {
    llvm::SmallVector<llvm::Type*, 3> types;
    for (const llvm::Value* argument : arguments) types.push_back(argument->getType());
    const char* prefix =
        approximate_ && of_float && has_fast_variant(function) ? "__nv_fast_" : "__nv_";
    const llvm::FunctionCallee callee =
        module_.getOrInsertFunction((prefix + function + (of_float ? "f" : "")).str(),
                                    llvm::FunctionType::get(result, types, false));
    return ir.CreateCall(callee, arguments);
  }

  // An intrinsic of one number; null for types that GPUs do not have.
  llvm::Value* scalar(llvm::IRBuilder<>& ir, llvm::StringRef function,
                      llvm::ArrayRef<llvm::Value*> arguments, llvm::Type* result) {
    llvm::Type* type = arguments[0]->getType();
    if (type->isHalfTy() || type->isBFloatTy()) {
      llvm::SmallVector<llvm::Value*, 3> wide;
      for (llvm::Value* argument : arguments)
        wide.push_back(argument->getType()->isFloatingPointTy()
                           ? ir.CreateFPExt(argument, ir.getFloatTy())
                           : argument);
      if (function == "frexp") return frexp(ir, wide, result);
      if (!result->isFloatingPointTy()) return scalar(ir, function, wide, result);
      return ir.CreateFPTrunc(scalar(ir, function, wide, ir.getFloatTy()), result);
    }
    if (!type->isFloatTy() && !type->isDoubleTy()) return nullptr;
    if (function == "frexp") return frexp(ir, arguments, result);
    if (function.starts_with("ll"))
      return ir.CreateSExtOrTrunc(
          call_libdevice(ir, function, type->isFloatTy(), arguments, ir.getInt64Ty()), result);
    return call_libdevice(ir, function, type->isFloatTy(), arguments, result);
  }

  // The intrinsic returns {fraction, exponent}, the function stores the exponent.
  llvm::Value* frexp(llvm::IRBuilder<>& ir, llvm::ArrayRef<llvm::Value*> arguments,
                     llvm::Type* result) {
    llvm::BasicBlock& entry = ir.GetInsertBlock()->getParent()->getEntryBlock();
    llvm::IRBuilder<> at_entry(&entry, entry.begin());
    llvm::Value* exponent = at_entry.CreateAlloca(ir.getInt32Ty());
    llvm::Type* type = arguments[0]->getType();
    llvm::Value* fraction =
        call_libdevice(ir, "frexp", type->isFloatTy(), {arguments[0], exponent}, type);
    auto* pair = llvm::cast<llvm::StructType>(result);
    if (pair->getElementType(0) != type)
      fraction = ir.CreateFPTrunc(fraction, pair->getElementType(0));
    llvm::Value* value = ir.CreateInsertValue(llvm::PoisonValue::get(pair), fraction, 0);
    return ir.CreateInsertValue(
        value,
        ir.CreateSExtOrTrunc(ir.CreateLoad(ir.getInt32Ty(), exponent), pair->getElementType(1)), 1);
  }

  void by_elements(llvm::IntrinsicInst& call, llvm::IRBuilder<>& ir, llvm::StringRef function,
                   unsigned count) {
    // {fractions, exponents} of vectors, or one vector.
    auto* pair = llvm::dyn_cast<llvm::StructType>(call.getType());
    llvm::SmallVector<llvm::Value*, 2> results;
    llvm::Type* result = nullptr;
    if (pair != nullptr) {
      for (llvm::Type* type : pair->elements()) results.push_back(llvm::PoisonValue::get(type));
      result = llvm::StructType::get(pair->getElementType(0)->getScalarType(),
                                     pair->getElementType(1)->getScalarType());
    } else {
      results.push_back(llvm::PoisonValue::get(call.getType()));
      result = call.getType()->getScalarType();
    }
    for (unsigned i = 0; i < count; ++i) {
      llvm::SmallVector<llvm::Value*, 3> arguments;
      for (llvm::Value* argument : call.args())
        arguments.push_back(argument->getType()->isVectorTy() ? ir.CreateExtractElement(argument, i)
                                                              : argument);
      llvm::Value* value = scalar(ir, function, arguments, result);
      if (value == nullptr) return;
      if (pair == nullptr) {
        results[0] = ir.CreateInsertElement(results[0], value, i);
        continue;
      }
      for (unsigned part = 0; part < 2; ++part)
        results[part] =
            ir.CreateInsertElement(results[part], ir.CreateExtractValue(value, part), i);
    }
    llvm::Value* whole = results[0];
    if (pair != nullptr) {
      whole = ir.CreateInsertValue(llvm::PoisonValue::get(pair), results[0], 0);
      whole = ir.CreateInsertValue(whole, results[1], 1);
    }
    finish(call, ir, whole);
  }

  llvm::Module& module_;
  bool approximate_;
};

}  // namespace

bool is_math_function(llvm::StringRef name) { return !parse(name).base.empty(); }

void map_math(llvm::Module& module, bool approximate) {
  mapper map(module, approximate);
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (function.isDeclaration() && !function.isIntrinsic()) map.replace_function(function);
    for (llvm::BasicBlock& block : function)
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(block))
        if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
          map.replace_intrinsic(*call);
  }
}

}  // namespace pianola::compiler::ptx
