// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/define_complex_arithmetic.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace pianola::compiler {
namespace {

using llvm::Value;

struct complex_value {
  Value* real;
  Value* imaginary;
};

/// Writes the body of one function. On x86-64 a complex float is a vector of two, and an argument of one; a
/// complex double is a structure, and two arguments. __mulsc3 and its like take their numbers one by one.
class body {
 public:
  explicit body(llvm::Function& function)
      : function_(function),
        builder_(llvm::BasicBlock::Create(function.getContext(), "", &function)) {
    for (llvm::Argument& a : function.args()) {
      if (a.getType()->isVectorTy()) {
        numbers_.push_back(builder_.CreateExtractElement(&a, std::uint64_t{0}));
        numbers_.push_back(builder_.CreateExtractElement(&a, std::uint64_t{1}));
      } else {
        numbers_.push_back(&a);
      }
    }
    type_ = numbers_[0]->getType();
  }

  void multiply() {
    const auto [a, b, c, d] = operands();
    Value *ac = mul(a, c), *bd = mul(b, d), *ad = mul(a, d), *bc = mul(b, c);
    Value *x = sub(ac, bd), *y = add(ad, bc);
    Value* const none = both(is_nan(x), is_nan(y));
    Value* const left = either(is_infinite(a), is_infinite(b));
    Value* const right = either(is_infinite(c), is_infinite(d));
    Value* const overflow =
        either(either(is_infinite(ac), is_infinite(bd)), either(is_infinite(ad), is_infinite(bc)));
    // A side that is infinite becomes a direction; nans beside it, and in the other side, become zeros.
    Value* const any = either(either(left, right), overflow);
    const complex_value p = directions(a, b, left, any), q = directions(c, d, right, any);
    Value* const infinite_x =
        mul(infinity(), sub(mul(p.real, q.real), mul(p.imaginary, q.imaginary)));
    Value* const infinite_y =
        mul(infinity(), add(mul(p.real, q.imaginary), mul(p.imaginary, q.real)));
    Value* const recover = both(none, any);
    finish({select(recover, infinite_x, x), select(recover, infinite_y, y)});
  }

  void divide() {
    const auto [a, b, c, d] = operands();
    // Smith's: the squares of c and d might leave the range of numbers.
    Value* const wide = builder_.CreateFCmpOGE(magnitude(c), magnitude(d));
    Value *larger = select(wide, c, d), *smaller = select(wide, d, c);
    Value* const ratio = builder_.CreateFDiv(smaller, larger);
    Value* const under = add(larger, mul(smaller, ratio));
    Value *p = select(wide, a, b), *q = select(wide, b, a);
    Value* const x = builder_.CreateFDiv(add(p, mul(q, ratio)), under);
    Value* const straight = sub(b, mul(a, ratio));
    Value* const turned = sub(mul(b, ratio), a);
    Value* const y = builder_.CreateFDiv(select(wide, straight, turned), under);

    Value* const none = both(is_nan(x), is_nan(y));
    Value* const by_zero = both(both(is_zero(c), is_zero(d)), either(is_number(a), is_number(b)));
    Value* const signed_infinity = copy_sign(infinity(), c);
    Value* const left = either(is_infinite(a), is_infinite(b));
    Value* const right = either(is_infinite(c), is_infinite(d));
    Value* const to_infinity = both(left, both(is_finite(c), is_finite(d)));
    Value* const to_zero = both(right, both(is_finite(a), is_finite(b)));
    const complex_value m = directions(a, b, left, left), n = directions(c, d, right, right);
    const complex_value large = times_conjugate(m, {c, d}), small = times_conjugate({a, b}, n);
    const auto choose = [&](Value* usual, Value* number, Value* infinite, Value* zero) {
      Value* special = select(to_zero, mul(zero_number(), zero), usual);
      special = select(to_infinity, mul(infinity(), infinite), special);
      special = select(by_zero, mul(signed_infinity, number), special);
      return select(none, special, usual);
    };
    finish({choose(x, a, large.real, small.real), choose(y, b, large.imaginary, small.imaginary)});
  }

  void absolute() { builder_.CreateRet(call("hypot", {numbers_[0], numbers_[1]})); }
  void argument() { builder_.CreateRet(call("atan2", {numbers_[1], numbers_[0]})); }
  void exponential() {
    Value* const scale = call("exp", {numbers_[0]});
    Value* const angle = numbers_[1];
    // Of a real number it is real, also where the other factor is infinite.
    Value* const imaginary = select(is_zero(angle), angle, mul(scale, call("sin", {angle})));
    finish({mul(scale, call("cos", {angle})), imaginary});
  }

 private:
  std::array<Value*, 4> operands() const {
    return {numbers_[0], numbers_[1], numbers_[2], numbers_[3]};
  }
  Value* add(Value* a, Value* b) { return builder_.CreateFAdd(a, b); }
  Value* sub(Value* a, Value* b) { return builder_.CreateFSub(a, b); }
  Value* mul(Value* a, Value* b) { return builder_.CreateFMul(a, b); }
  Value* both(Value* a, Value* b) { return builder_.CreateAnd(a, b); }
  Value* either(Value* a, Value* b) { return builder_.CreateOr(a, b); }
  Value* select(Value* condition, Value* yes, Value* no) {
    return builder_.CreateSelect(condition, yes, no);
  }
  Value* infinity() const { return llvm::ConstantFP::getInfinity(type_); }
  Value* zero_number() const { return llvm::ConstantFP::get(type_, 0.0); }
  Value* magnitude(Value* a) { return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a); }
  Value* copy_sign(Value* size, Value* sign) {
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, size, sign);
  }
  Value* is_nan(Value* a) { return builder_.CreateFCmpUNO(a, a); }
  Value* is_number(Value* a) { return builder_.CreateFCmpORD(a, a); }
  Value* is_zero(Value* a) { return builder_.CreateFCmpOEQ(a, zero_number()); }
  Value* is_infinite(Value* a) { return builder_.CreateFCmpOEQ(magnitude(a), infinity()); }
  Value* is_finite(Value* a) { return builder_.CreateFCmpOLT(magnitude(a), infinity()); }

  /// Where `infinite`: 1 for parts that are, 0 for others, with their signs. Else, where `clean`: zeros for nans.
  complex_value directions(Value* real, Value* imaginary, Value* infinite, Value* clean) {
    const auto part = [&](Value* a) {
      Value* const one = llvm::ConstantFP::get(type_, 1.0);
      Value* const direction = copy_sign(select(is_infinite(a), one, zero_number()), a);
      Value* const cleaned = select(both(clean, is_nan(a)), copy_sign(zero_number(), a), a);
      return select(infinite, direction, cleaned);
    };
    return {part(real), part(imaginary)};
  }
  complex_value times_conjugate(const complex_value& a, const complex_value& b) {
    return {add(mul(a.real, b.real), mul(a.imaginary, b.imaginary)),
            sub(mul(a.imaginary, b.real), mul(a.real, b.imaginary))};
  }

  Value* call(const std::string& name, llvm::ArrayRef<Value*> arguments) {
    const std::vector<llvm::Type*> types(arguments.size(), type_);
    const llvm::FunctionCallee callee = function_.getParent()->getOrInsertFunction(
        type_->isFloatTy() ? name + "f" : name, llvm::FunctionType::get(type_, types, false));
    llvm::CallInst* const made = builder_.CreateCall(callee, arguments);
    made->setDoesNotThrow();
    return made;
  }

  void finish(const complex_value& result) {
    llvm::Type* const type = function_.getReturnType();
    Value* whole = llvm::PoisonValue::get(type);
    if (type->isVectorTy()) {
      whole = builder_.CreateInsertElement(whole, result.real, std::uint64_t{0});
      whole = builder_.CreateInsertElement(whole, result.imaginary, std::uint64_t{1});
    } else {
      whole = builder_.CreateInsertValue(whole, result.real, 0);
      whole = builder_.CreateInsertValue(whole, result.imaginary, 1);
    }
    builder_.CreateRet(whole);
  }

  llvm::Function& function_;
  llvm::IRBuilder<> builder_;
  std::vector<Value*> numbers_;
  llvm::Type* type_ = nullptr;
};

struct known_function {
  const char* name;
  void (body::*write)();
};

constexpr known_function known[] = {
    {"__mulsc3", &body::multiply}, {"__muldc3", &body::multiply}, {"__divsc3", &body::divide},
    {"__divdc3", &body::divide},   {"cabsf", &body::absolute},    {"cabs", &body::absolute},
    {"cargf", &body::argument},    {"carg", &body::argument},     {"cexpf", &body::exponential},
    {"cexp", &body::exponential},
};

}  // namespace

void define_complex_arithmetic(llvm::Module& device) {
  for (const known_function& k : known) {
    llvm::Function* const f = device.getFunction(k.name);
    if (f == nullptr || !f->isDeclaration()) continue;
    f->setLinkage(llvm::GlobalValue::InternalLinkage);
    f->setDSOLocal(true);
    f->setAttributes({});
    f->setDoesNotThrow();
    f->addFnAttr(llvm::Attribute::AlwaysInline);
    body written(*f);
    (written.*k.write)();
  }
}

}  // namespace pianola::compiler
