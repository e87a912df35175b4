// SPDX-License-Identifier: Apache-2.0
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include "pianola/compiler/diagnose.hpp"
#include "steps.hpp"

namespace pianola::compiler::ptx {

namespace {

using llvm::AtomicOrdering;

bool acquires(AtomicOrdering order) { return llvm::isAcquireOrStronger(order); }
bool releases(AtomicOrdering order) { return llvm::isReleaseOrStronger(order); }

// Emits PTX's instructions for one atomic access.
//
// Sequentially consistent accesses are a fence.sc and an acquiring access (a store: a relaxed one), as in the
// mapping of the C++ memory model that PTX's own memory model was proved for.
class access {
 public:
  access(llvm::Instruction& at, llvm::Value* pointer, AtomicOrdering order,
         llvm::SyncScope::ID scope)
      : ir_(&at), module_(*at.getModule()), pointer_(pointer), order_(order), scope_(name(scope)) {}

  llvm::IRBuilder<>& ir() { return ir_; }

  void fence() {
    if (scope_.empty()) return;
    const char* kind = order_ == AtomicOrdering::SequentiallyConsistent ? "sc" : "acq_rel";
    assembly(ir_.getVoidTy(), (llvm::Twine("fence.") + kind + scope_ + ";").str(), {});
  }

  /// Once before the access, outside of loops that repeat it.
  void begin() {
    if (order_ != AtomicOrdering::SequentiallyConsistent) return;
    if (scope_.empty()) scope_ = ".cta";
    fence();
  }

  llvm::Value* load(llvm::Type* type, bool relaxed = false) {
    const char* order = acquires(order_) && !relaxed ? "ld.acquire" : "ld.relaxed";
    return assembly(type, order + suffix() + ".u" + bits(type) + " $0, [$1];", {pointer_});
  }

  void store(llvm::Value* value) {
    const bool release = releases(order_) && order_ != AtomicOrdering::SequentiallyConsistent;
    assembly(ir_.getVoidTy(),
             (release ? "st.release" : "st.relaxed") + suffix() + ".u" + bits(value->getType()) +
                 " [$0], $1;",
             {pointer_, value});
  }

  /// `operation`: "add.u32".
  llvm::Value* modify(llvm::StringRef operation, llvm::Value* value) {
    return assembly(value->getType(),
                    "atom" + order() + suffix() + "." + operation.str() + " $0, [$1], $2;",
                    {pointer_, value});
  }

  llvm::Value* compare_exchange(llvm::Value* expected, llvm::Value* desired) {
    return assembly(
        expected->getType(),
        "atom" + order() + suffix() + ".cas.b" + bits(expected->getType()) + " $0, [$1], $2, $3;",
        {pointer_, expected, desired});
  }

  void set_pointer(llvm::Value* pointer) { pointer_ = pointer; }

  /// The same access from another place on.
  void move_to(llvm::BasicBlock* block) { ir_.SetInsertPoint(block); }

 private:
  // Of one thread: no instruction is needed for fences (empty), and the narrowest scope for accesses.
  std::string name(llvm::SyncScope::ID scope) const {
    llvm::SmallVector<llvm::StringRef, 8> names;
    module_.getContext().getSyncScopeNames(names);
    llvm::StringRef text = names[scope];
    text.consume_back("-one-as");
    if (text == "singlethread" || text == "one-as") return text == "one-as" ? ".sys" : "";
    if (text == "device" || text == "agent") return ".gpu";
    if (text == "workgroup" || text == "block" || text == "wavefront" || text == "subgroup")
      return ".cta";
    return ".sys";
  }

  std::string order() const {
    if (order_ == AtomicOrdering::AcquireRelease) return ".acq_rel";
    if (order_ == AtomicOrdering::Release) return ".release";
    return acquires(order_) ? ".acquire" : ".relaxed";
  }

  std::string suffix() const {
    const unsigned space = pointer_->getType()->getPointerAddressSpace();
    return (scope_.empty() ? ".cta" : scope_) + (space == global_space   ? ".global"
                                                 : space == shared_space ? ".shared"
                                                                         : "");
  }

  static std::string bits(const llvm::Type* type) {
    return std::to_string(type->getScalarSizeInBits());
  }

  static std::string constraint(const llvm::Type* type) {
    if (type->isFloatTy()) return "f";
    if (type->isDoubleTy()) return "d";
    if (type->isPointerTy()) return "l";
    const unsigned bits = type->getIntegerBitWidth();
    return bits <= 16 ? "h" : bits <= 32 ? "r" : "l";
  }

  // Registers have 16 bits at least.
  llvm::Value* assembly(llvm::Type* result, const std::string& text,
                        llvm::ArrayRef<llvm::Value*> operands) {
    llvm::SmallVector<llvm::Value*, 4> values;
    llvm::SmallVector<llvm::Type*, 4> types;
    std::string constraints;
    llvm::Type* type = result->isIntegerTy(8) ? ir_.getInt16Ty() : result;
    if (!result->isVoidTy()) constraints = "=" + constraint(type) + ",";
    for (llvm::Value* operand : operands) {
      values.push_back(
          operand->getType()->isIntegerTy(8) ? ir_.CreateZExt(operand, ir_.getInt16Ty()) : operand);
      types.push_back(values.back()->getType());
      constraints += constraint(types.back()) + ",";
    }
    constraints += "~{memory}";
    auto* function = llvm::FunctionType::get(type, types, false);
    llvm::Value* value = ir_.CreateCall(
        llvm::InlineAsm::get(function, text, constraints, /*hasSideEffects=*/true), values);
    return type == result ? value : ir_.CreateTrunc(value, result);
  }

  llvm::IRBuilder<> ir_;
  llvm::Module& module_;
  llvm::Value* pointer_;
  AtomicOrdering order_;
  std::string scope_;
};

// Pointers to memory that no other thread sees, or that nobody writes; PTX's atomics do not take them.
bool needs_no_atomics(const llvm::Value* pointer) {
  const unsigned space = pointer->getType()->getPointerAddressSpace();
  if (space != 0 && space != global_space && space != shared_space) return true;
  return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer));
}

llvm::Type* integer_of(llvm::Type* type, const llvm::Module& module) {
  return llvm::IntegerType::get(
      type->getContext(), static_cast<unsigned>(module.getDataLayout().getTypeSizeInBits(type)));
}

llvm::Value* to_bits(llvm::IRBuilder<>& ir, llvm::Value* value, llvm::Type* integer) {
  return value->getType()->isPointerTy() ? ir.CreatePtrToInt(value, integer)
                                         : ir.CreateBitCast(value, integer);
}

llvm::Value* from_bits(llvm::IRBuilder<>& ir, llvm::Value* bits, llvm::Type* type) {
  return type->isPointerTy() ? ir.CreateIntToPtr(bits, type) : ir.CreateBitCast(bits, type);
}

// The 32-bit word that a byte is in, which PTX can exchange.
struct word {
  llvm::Value* pointer;
  llvm::Value* shift;
  llvm::Value* mask;

  word(llvm::IRBuilder<>& ir, llvm::Value* byte) {
    llvm::Value* address = ir.CreatePtrToInt(byte, ir.getInt64Ty());
    pointer = ir.CreateIntrinsic(llvm::Intrinsic::ptrmask, {byte->getType(), ir.getInt64Ty()},
                                 {byte, ir.getInt64(~UINT64_C(3))});
    shift = ir.CreateShl(ir.CreateAnd(ir.CreateTrunc(address, ir.getInt32Ty()), 3), 3);
    mask = ir.CreateShl(ir.getInt32(0xff), shift);
  }

  llvm::Value* extract(llvm::IRBuilder<>& ir, llvm::Value* whole) const {
    return ir.CreateTrunc(ir.CreateLShr(whole, shift), ir.getInt8Ty());
  }

  llvm::Value* insert(llvm::IRBuilder<>& ir, llvm::Value* whole, llvm::Value* byte) const {
    return ir.CreateOr(ir.CreateAnd(whole, ir.CreateNot(mask)),
                       ir.CreateShl(ir.CreateZExt(byte, ir.getInt32Ty()), shift));
  }
};

// "add.u32" and the like; empty: PTX has no such operation on this type.
std::string operation_of(const llvm::AtomicRMWInst& rmw, unsigned bits) {
  if (bits != 32 && bits != 64) return {};
  const std::string size = std::to_string(bits);
  const llvm::Type* type = rmw.getType();
  switch (rmw.getOperation()) {
    case llvm::AtomicRMWInst::Xchg:
      return "exch.b" + size;
    case llvm::AtomicRMWInst::Add:
    case llvm::AtomicRMWInst::Sub:
      return "add.u" + size;
    case llvm::AtomicRMWInst::And:
      return "and.b" + size;
    case llvm::AtomicRMWInst::Or:
      return "or.b" + size;
    case llvm::AtomicRMWInst::Xor:
      return "xor.b" + size;
    case llvm::AtomicRMWInst::Max:
      return "max.s" + size;
    case llvm::AtomicRMWInst::Min:
      return "min.s" + size;
    case llvm::AtomicRMWInst::UMax:
      return "max.u" + size;
    case llvm::AtomicRMWInst::UMin:
      return "min.u" + size;
    case llvm::AtomicRMWInst::FAdd:
    case llvm::AtomicRMWInst::FSub:
      return type->isFloatTy() || type->isDoubleTy() ? "add.f" + size : "";
    case llvm::AtomicRMWInst::UIncWrap:
      return bits == 32 ? "inc.u32" : "";
    case llvm::AtomicRMWInst::UDecWrap:
      return bits == 32 ? "dec.u32" : "";
    default:
      return {};
  }
}

// Null for fences.
llvm::Type* accessed_type(const llvm::Instruction& instruction) {
  if (const auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) return rmw->getType();
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return exchange->getCompareOperand()->getType();
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return store->getValueOperand()->getType();
  return llvm::isa<llvm::LoadInst>(instruction) ? instruction.getType() : nullptr;
}

class lowering {
 public:
  explicit lowering(llvm::Module& module) : module_(module) {}

  void run(llvm::Instruction& instruction) {
    if (auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction)) {
      access(*fence, nullptr, fence->getOrdering(), fence->getSyncScopeID()).fence();
      fence->eraseFromParent();
    } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      if (load->isAtomic()) lower(*load);
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      if (store->isAtomic()) lower(*store);
    } else if (auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      lower(*rmw);
    } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      lower(*exchange);
    }
  }

 private:
  void lower(llvm::LoadInst& load) {
    if (needs_no_atomics(load.getPointerOperand())) {
      load.setAtomic(AtomicOrdering::NotAtomic);
      return;
    }
    access emit(load, load.getPointerOperand(), load.getOrdering(), load.getSyncScopeID());
    emit.begin();
    llvm::Value* bits = emit.load(integer_of(load.getType(), module_));
    load.replaceAllUsesWith(from_bits(emit.ir(), bits, load.getType()));
    load.eraseFromParent();
  }

  void lower(llvm::StoreInst& store) {
    if (needs_no_atomics(store.getPointerOperand())) {
      store.setAtomic(AtomicOrdering::NotAtomic);
      return;
    }
    access emit(store, store.getPointerOperand(), store.getOrdering(), store.getSyncScopeID());
    emit.begin();
    llvm::Value* value = store.getValueOperand();
    emit.store(to_bits(emit.ir(), value, integer_of(value->getType(), module_)));
    store.eraseFromParent();
  }

  void lower(llvm::AtomicRMWInst& rmw) {
    if (needs_no_atomics(rmw.getPointerOperand())) {
      llvm::lowerAtomicRMWInst(&rmw);
      return;
    }
    access emit(rmw, rmw.getPointerOperand(), rmw.getOrdering(), rmw.getSyncScopeID());
    emit.begin();
    llvm::Type* integer = integer_of(rmw.getType(), module_);
    const std::string operation = operation_of(rmw, integer->getIntegerBitWidth());
    llvm::Value* old =
        operation.empty() ? in_loop(rmw, emit, integer) : in_one(rmw, emit, operation, integer);
    rmw.replaceAllUsesWith(old);
    rmw.eraseFromParent();
  }

  static llvm::Value* in_one(llvm::AtomicRMWInst& rmw, access& emit, const std::string& operation,
                             llvm::Type* integer) {
    llvm::Value* value = rmw.getValOperand();
    switch (rmw.getOperation()) {
      case llvm::AtomicRMWInst::Sub:
        value = emit.ir().CreateNeg(value);
        break;
      case llvm::AtomicRMWInst::FSub:
        value = emit.ir().CreateFNeg(value);
        break;
      case llvm::AtomicRMWInst::Xchg:
        return from_bits(emit.ir(), emit.modify(operation, to_bits(emit.ir(), value, integer)),
                         rmw.getType());
      default:
        break;
    }
    return emit.modify(operation, value);
  }

  // Compare and exchange until nobody came between.
  llvm::Value* in_loop(llvm::AtomicRMWInst& rmw, access& emit, llvm::Type* integer) {
    const bool of_byte = integer->isIntegerTy(8);
    std::optional<word> container;
    if (of_byte) {
      container.emplace(emit.ir(), rmw.getPointerOperand());
      emit.set_pointer(container->pointer);
    }
    llvm::Type* exchanged = of_byte ? emit.ir().getInt32Ty() : integer;
    llvm::Value* first = emit.load(exchanged, /*relaxed=*/true);

    llvm::BasicBlock* before = rmw.getParent();
    llvm::BasicBlock* after = before->splitBasicBlock(&rmw, "atomic.done");
    llvm::BasicBlock* loop =
        llvm::BasicBlock::Create(rmw.getContext(), "atomic.try", before->getParent(), after);
    before->getTerminator()->setSuccessor(0, loop);

    emit.move_to(loop);
    llvm::IRBuilder<>& ir = emit.ir();
    llvm::PHINode* seen = ir.CreatePHI(exchanged, 2);
    seen->addIncoming(first, before);
    llvm::Value* bits = of_byte ? container->extract(ir, seen) : seen;
    llvm::Value* old = from_bits(ir, bits, rmw.getType());
    llvm::Value* changed = to_bits(
        ir, llvm::buildAtomicRMWValue(rmw.getOperation(), ir, old, rmw.getValOperand()), integer);
    if (of_byte) changed = container->insert(ir, seen, changed);
    llvm::Value* found = emit.compare_exchange(seen, changed);
    seen->addIncoming(found, loop);
    ir.CreateCondBr(ir.CreateICmpEQ(found, seen), after, loop);
    return old;
  }

  void lower(llvm::AtomicCmpXchgInst& exchange) {
    if (needs_no_atomics(exchange.getPointerOperand())) {
      llvm::lowerAtomicCmpXchgInst(&exchange);
      return;
    }
    access emit(exchange, exchange.getPointerOperand(), exchange.getMergedOrdering(),
                exchange.getSyncScopeID());
    emit.begin();
    llvm::Type* type = exchange.getCompareOperand()->getType();
    llvm::Type* integer = integer_of(type, module_);
    llvm::Value* expected = to_bits(emit.ir(), exchange.getCompareOperand(), integer);
    llvm::Value* desired = to_bits(emit.ir(), exchange.getNewValOperand(), integer);
    llvm::Value* found = integer->isIntegerTy(8) ? byte_exchange(exchange, emit, expected, desired)
                                                 : emit.compare_exchange(expected, desired);
    llvm::IRBuilder<> ir(&exchange);
    llvm::Value* result = ir.CreateInsertValue(llvm::PoisonValue::get(exchange.getType()),
                                               from_bits(ir, found, type), 0);
    result = ir.CreateInsertValue(result, ir.CreateICmpEQ(found, expected), 1);
    exchange.replaceAllUsesWith(result);
    exchange.eraseFromParent();
  }

  // Fails only if the byte differs, not if one of its neighbours changed.
  static llvm::Value* byte_exchange(llvm::AtomicCmpXchgInst& exchange, access& emit,
                                    llvm::Value* expected, llvm::Value* desired) {
    const word container(emit.ir(), exchange.getPointerOperand());
    emit.set_pointer(container.pointer);
    llvm::Value* first = emit.load(emit.ir().getInt32Ty(), /*relaxed=*/true);

    llvm::BasicBlock* before = exchange.getParent();
    llvm::BasicBlock* after = before->splitBasicBlock(&exchange, "atomic.done");
    llvm::BasicBlock* loop =
        llvm::BasicBlock::Create(exchange.getContext(), "atomic.try", before->getParent(), after);
    before->getTerminator()->setSuccessor(0, loop);

    emit.move_to(loop);
    llvm::IRBuilder<>& ir = emit.ir();
    llvm::PHINode* seen = ir.CreatePHI(ir.getInt32Ty(), 2);
    seen->addIncoming(first, before);
    // The neighbours as seen, the byte as expected: what is found differs in the byte, in the neighbours,
    // or not at all. Also where the first look saw another byte, this is the access that orders memory.
    llvm::Value* compared = container.insert(ir, seen, expected);
    llvm::Value* found = emit.compare_exchange(compared, container.insert(ir, seen, desired));
    seen->addIncoming(found, loop);
    llvm::Value* byte = container.extract(ir, found);
    llvm::Value* neighbours_changed =
        ir.CreateAnd(ir.CreateICmpNE(found, compared), ir.CreateICmpEQ(byte, expected));
    ir.CreateCondBr(neighbours_changed, loop, after);
    return byte;
  }

  llvm::Module& module_;
};

}  // namespace

bool lower_atomics(llvm::Module& module) {
  llvm::SmallVector<llvm::Instruction*, 16> atomics;
  bool fits = true;
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (!instruction.isAtomic()) continue;
      atomics.push_back(&instruction);
      llvm::Type* type = accessed_type(instruction);
      if (type == nullptr || module.getDataLayout().getTypeSizeInBits(type) <= 64) continue;
      report_error(module.getContext(),
                   "function '" + llvm::demangle(function.getName().str()) +
                       "': CUDA devices have no atomic accesses to more than 64 bits");
      fits = false;
    }
  if (fits)
    for (llvm::Instruction* instruction : atomics) lowering(module).run(*instruction);
  return fits;
}

}  // namespace pianola::compiler::ptx
