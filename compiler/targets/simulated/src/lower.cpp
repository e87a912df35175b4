// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Utils/Local.h>

#include <pianola/abi/simulated.h>
#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "pianola/compiler/group_objects.hpp"
#include "steps.hpp"

namespace pianola::compiler::simulated {

namespace {

/// Gives the function `name` of the kernel: (function object, launch, item).
llvm::Function* add_entry_point(const kernel& kernel) {
  llvm::Module& module = *kernel.body->getParent();
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  auto* type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer, pointer}, false);
  auto* entry =
      llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, kernel.symbol, module);
  entry->setDSOLocal(true);
  entry->setDoesNotThrow();
  entry->setConvergent();
  for (unsigned i = 0; i < 2; ++i)
    entry->addParamAttrs(i,
                         llvm::AttrBuilder(context, kernel.body->getAttributes().getParamAttrs(i)));
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", entry));
  llvm::CallInst* call = builder.CreateCall(kernel.body, {entry->getArg(0), entry->getArg(1)});
  call->setConvergent();
  if (llvm::DISubprogram* subprogram = kernel.body->getSubprogram()) {
    entry->setSubprogram(subprogram);
    kernel.body->setSubprogram(nullptr);
    call->setDebugLoc(llvm::DILocation::get(context, 0, 0, subprogram));
  }
  builder.CreateRetVoid();
  return entry;
}

/// Where objects of a work-group lie behind its scratch memory, and how many bytes each kernel needs there.
struct group_layout {
  std::map<std::uint64_t, std::uint64_t> offsets;

  /// Of an entry point that calls nothing else.
  std::uint64_t add(llvm::Function& entry) {
    std::uint64_t end = 0;
    for (llvm::Instruction& instruction : llvm::instructions(entry)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (!call || !call->getCalledFunction() ||
          call->getCalledFunction()->getName() != "__pianola_group_object")
        continue;
      const std::uint64_t bytes = group_object_number(*call, group_object_bytes);
      const std::uint64_t alignment =
          std::max<std::uint64_t>(group_object_number(*call, group_object_alignment), 1);
      const auto [known, fresh] =
          offsets.try_emplace(group_object_number(*call, group_object_place), 0);
      if (fresh) {
        known->second = (used_ + alignment - 1) / alignment * alignment;
        used_ = known->second + bytes;
      }
      end = std::max(end, known->second + bytes);
    }
    return end;
  }

  /// By all kernels of the image.
  std::uint64_t used() const { return used_; }

 private:
  std::uint64_t used_ = 0;
};

/// Exports its pianola_sim_kernel_info.
void add_kernel_info(llvm::Module& module, const kernel& kernel, std::uint64_t group_object_bytes) {
  const auto number = [](std::uint64_t n) { return static_cast<std::uint32_t>(n); };
  const std::uint32_t fields[] = {number(kernel.argument_bytes), number(kernel.argument_alignment),
                                  kernel.required_sub_group_size != 0
                                      ? kernel.required_sub_group_size
                                      : kernel.chosen_sub_group_size,
                                  number(group_object_bytes), number(kernel.launch_bytes)};
  static_assert(sizeof fields == sizeof(pianola_sim_kernel_info));
  llvm::Constant* info = llvm::ConstantDataArray::get(module.getContext(), fields);
  auto* variable =
      new llvm::GlobalVariable(module, info->getType(), true, llvm::GlobalValue::ExternalLinkage,
                               info, kernel.symbol + "_info");
  variable->setDSOLocal(true);
}

/// Intrinsics find the item as a parameter of the function they are in, so there is to be one function only.
void inline_everything(llvm::Module& module, llvm::ArrayRef<llvm::Function*> entries) {
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && !llvm::is_contained(entries, &function)) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
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
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass(false));
  passes.addPass(llvm::GlobalDCEPass());
  passes.run(module, modules);
}

/// Replaces, in one entry point, whatever is the driver's business.
class entry_lowering {
 public:
  entry_lowering(llvm::Function& entry, const group_layout& layout)
      : entry_(entry),
        group_layout_(layout),
        context_(entry.getContext()),
        layout_(entry.getParent()->getDataLayout()),
        i32_(llvm::Type::getInt32Ty(context_)),
        i64_(llvm::Type::getInt64Ty(context_)),
        pointer_(llvm::PointerType::getUnqual(context_)),
        void_(llvm::Type::getVoidTy(context_)),
        item_(entry.getArg(2)),
        builder_(context_) {}

  void run() {
    std::vector<llvm::Instruction*> instructions;
    for (llvm::Instruction& instruction : llvm::instructions(entry_))
      instructions.push_back(&instruction);
    for (llvm::Instruction* instruction : instructions) {
      builder_.SetInsertPoint(instruction);
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(instruction))
        lower_call(*call);
      else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction); load && load->isAtomic())
        replace(*load,
                from_bits(atomic(PIANOLA_SIM_LOAD, load->getPointerOperand(), nullptr, nullptr,
                                 load->getType(), load->getOrdering(), load->getSyncScopeID()),
                          load->getType()));
      else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(instruction);
               store && store->isAtomic())
        replace(*store,
                atomic(PIANOLA_SIM_STORE, store->getPointerOperand(), store->getValueOperand(),
                       nullptr, store->getValueOperand()->getType(), store->getOrdering(),
                       store->getSyncScopeID()));
      else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(instruction))
        lower_update(*update);
      else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(instruction))
        lower_compare_exchange(*exchange);
      else if (auto* fence = llvm::dyn_cast<llvm::FenceInst>(instruction))
        lower_fence(*fence);
    }
  }

 private:
  void replace(llvm::Instruction& old, llvm::Value* value) {
    if (!old.getType()->isVoidTy()) old.replaceAllUsesWith(value);
    old.eraseFromParent();
  }

  llvm::Value* member(llvm::Type* type, std::size_t offset) {
    return builder_.CreateLoad(
        type, builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), item_, offset));
  }

  llvm::CallInst* call_driver(std::size_t offset, llvm::FunctionType* type,
                              llvm::ArrayRef<llvm::Value*> arguments) {
    llvm::Value* calls = member(pointer_, offsetof(pianola_sim_item, calls));
    llvm::Value* function = builder_.CreateLoad(
        pointer_, builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), calls, offset));
    llvm::CallInst* call = builder_.CreateCall(type, function, arguments);
    call->setDoesNotThrow();
    call->setConvergent();
    return call;
  }

  llvm::CallInst* call_driver(std::size_t offset, llvm::Type* result,
                              llvm::ArrayRef<llvm::Value*> arguments) {
    std::vector<llvm::Type*> types;
    for (llvm::Value* argument : arguments) types.push_back(argument->getType());
    return call_driver(offset, llvm::FunctionType::get(result, types, false), arguments);
  }

  void lower_call(llvm::CallInst& call) {
    llvm::Function* callee = call.getCalledFunction();
    if (!callee) return;
    const llvm::StringRef name = callee->getName();
    if (callee->getIntrinsicID() == llvm::Intrinsic::trap) {
      // What follows is unreachable or, where clang was asked to go on after a trap, is never reached.
      call_driver(offsetof(pianola_sim_calls, trap), void_, {item_})->setDoesNotReturn();
      call.eraseFromParent();
    } else if (name == "printf") {
      std::vector<llvm::Value*> arguments = {item_};
      arguments.insert(arguments.end(), call.arg_begin(), call.arg_end());
      auto* type = llvm::FunctionType::get(i32_, {pointer_, pointer_}, true);
      replace(call, call_driver(offsetof(pianola_sim_calls, print), type, arguments));
    } else if (llvm::Value* value = lower_intrinsic(name, call)) {
      replace(call, value);
    }
  }

  /// Null if `name` is not an intrinsic of ours.
  llvm::Value* lower_intrinsic(llvm::StringRef name, llvm::CallInst& call) {
    if (!name.consume_front("__pianola_")) return nullptr;
    if (name == "local_memory") return member(pointer_, offsetof(pianola_sim_item, local_memory));
    if (name == "group_scratch") return member(pointer_, offsetof(pianola_sim_item, group_scratch));
    if (name == "group_object")
      return builder_.CreateConstInBoundsGEP1_64(
          builder_.getInt8Ty(), member(pointer_, offsetof(pianola_sim_item, group_scratch)),
          PIANOLA_SIM_GROUP_SCRATCH_BYTES +
              group_layout_.offsets.at(group_object_number(call, group_object_place)));
    if (name == "address_space") return address_space(call.getArgOperand(0));
    if (name == "sub_group_size") return member(i32_, offsetof(pianola_sim_item, sub_group_size));
    if (name == "is_device") return llvm::ConstantInt::get(i32_, 1);
    if (name == "group_barrier")
      return call_driver(offsetof(pianola_sim_calls, group_barrier), void_,
                         {item_, call.getArgOperand(0)});
    // The host has refused what not all of a sub-group come to.
    if (name == "sub_group_barrier" || name == "sub_group_barrier_among")
      return call_driver(offsetof(pianola_sim_calls, sub_group_barrier), void_,
                         {item_, call.getArgOperand(0)});
    if (name == "shuffle_32" || name == "shuffle_32_among")
      return call_driver(offsetof(pianola_sim_calls, shuffle_32), i32_,
                         {item_, call.getArgOperand(0), call.getArgOperand(1)});
    if (name == "shuffle_64")
      return call_driver(offsetof(pianola_sim_calls, shuffle_64), i64_,
                         {item_, call.getArgOperand(0), call.getArgOperand(1)});
    if (name == "ballot")
      return call_driver(offsetof(pianola_sim_calls, ballot), i64_, {item_, call.getArgOperand(0)});
    if (name == "texture_float") return texture(call, PIANOLA_SIM_TEXELS_FLOAT);
    if (name == "texture_signed") return texture(call, PIANOLA_SIM_TEXELS_SIGNED);
    if (name == "texture_unsigned") return texture(call, PIANOLA_SIM_TEXELS_UNSIGNED);
    // Kernels do not overlap those in front of them.
    if (name == "dependent_launch") return llvm::ConstantInt::get(i32_, 0);
    if (name.consume_front("native_")) return approximation(name, call);
    if (name.size() > 2 && name[name.size() - 2] == '_') {
      const std::size_t axis = static_cast<std::size_t>('z' - name.back());
      const llvm::StringRef what = name.drop_back(2);
      if (axis < 3 && what == "local_id")
        return member(i32_, offsetof(pianola_sim_item, local_id) + axis * sizeof(std::uint32_t));
      if (axis < 3 && what == "local_size")
        return member(i32_, offsetof(pianola_sim_item, local_size) + axis * sizeof(std::uint32_t));
      if (axis < 3 && what == "group_id")
        return member(i64_, offsetof(pianola_sim_item, group_id) + axis * sizeof(std::uint64_t));
      if (axis < 3 && what == "group_count")
        return member(i64_, offsetof(pianola_sim_item, group_count) + axis * sizeof(std::uint64_t));
    }
    llvm::report_fatal_error("pianolacc: the simulated target does not know __pianola_" + name);
  }

  /// Private is what lies on the stack between here and the entry point, which all calls were inlined into.
  llvm::Value* address_space(llvm::Value* pointer) {
    constexpr std::uint64_t red_zone =
        128;  // below the stack pointer, of functions that call nothing
    const auto number = [&](llvm::Value* p) { return builder_.CreatePtrToInt(p, i64_); };
    llvm::Value* at = number(pointer);
    const auto is_in = [&](llvm::Value* start, llvm::Value* bytes) {
      return builder_.CreateICmpULT(builder_.CreateSub(at, start), bytes);
    };
    llvm::Value* dynamic = is_in(
        number(member(pointer_, offsetof(pianola_sim_item, local_memory))),
        builder_.CreateZExt(member(i32_, offsetof(pianola_sim_item, local_memory_bytes)), i64_));
    llvm::Value* fixed =
        is_in(number(member(pointer_, offsetof(pianola_sim_item, group_scratch))),
              builder_.getInt64(PIANOLA_SIM_GROUP_SCRATCH_BYTES + group_layout_.used()));
    llvm::Value* lowest = builder_.CreateSub(
        number(builder_.CreateIntrinsic(llvm::Intrinsic::stacksave, {pointer_}, {})),
        builder_.getInt64(red_zone));
    llvm::Value* frame = number(builder_.CreateIntrinsic(llvm::Intrinsic::frameaddress, {pointer_},
                                                         {builder_.getInt32(0)}));
    return builder_.CreateSelect(
        builder_.CreateOr(dynamic, fixed), builder_.getInt32(1),
        builder_.CreateSelect(is_in(lowest, builder_.CreateSub(frame, lowest)),
                              builder_.getInt32(2), builder_.getInt32(0)));
  }

  llvm::Value* texture(llvm::CallInst& call, std::uint32_t kind) {
    llvm::IRBuilder<> start(&entry_.getEntryBlock(), entry_.getEntryBlock().begin());
    llvm::AllocaInst* texel = start.CreateAlloca(call.getType());
    call_driver(offsetof(pianola_sim_calls, texture), void_,
                {item_, call.getArgOperand(0), call.getArgOperand(1), call.getArgOperand(2),
                 builder_.getInt32(kind), texel});
    return builder_.CreateLoad(call.getType(), texel);
  }

  /// sycl::native: as precise as on the host.
  llvm::Value* approximation(llvm::StringRef name, llvm::CallInst& call) {
    llvm::Value* x = call.getArgOperand(0);
    llvm::Value* one = llvm::ConstantFP::get(x->getType(), 1.0);
    if (name == "recip") return builder_.CreateFDiv(one, x);
    if (name == "sqrt" || name == "rsqrt") {
      llvm::Value* root = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
      return name == "sqrt" ? root : builder_.CreateFDiv(one, root);
    }
    return builder_.CreateCall(
        call.getModule()->getOrInsertFunction((name + "f").str(), call.getType(), x->getType()),
        {x});
  }

  llvm::Value* to_bits(llvm::Value* value) {
    if (!value) return llvm::ConstantInt::get(i64_, 0);
    if (value->getType()->isPointerTy()) return builder_.CreatePtrToInt(value, i64_);
    auto* same =
        builder_.getIntNTy(static_cast<unsigned>(layout_.getTypeSizeInBits(value->getType())));
    return builder_.CreateZExt(builder_.CreateBitCast(value, same), i64_);
  }

  llvm::Value* from_bits(llvm::Value* bits, llvm::Type* type) {
    if (type->isPointerTy()) return builder_.CreateIntToPtr(bits, type);
    auto* same = builder_.getIntNTy(static_cast<unsigned>(layout_.getTypeSizeInBits(type)));
    return builder_.CreateBitCast(builder_.CreateTrunc(bits, same), type);
  }

  static std::uint32_t order_of(llvm::AtomicOrdering order) {
    switch (order) {
      case llvm::AtomicOrdering::Acquire:
        return PIANOLA_SIM_ACQUIRE;
      case llvm::AtomicOrdering::Release:
        return PIANOLA_SIM_RELEASE;
      case llvm::AtomicOrdering::AcquireRelease:
        return PIANOLA_SIM_ACQ_REL;
      case llvm::AtomicOrdering::SequentiallyConsistent:
        return PIANOLA_SIM_SEQ_CST;
      default:
        return PIANOLA_SIM_RELAXED;
    }
  }

  std::uint32_t scope_of(llvm::SyncScope::ID scope) {
    llvm::SmallVector<llvm::StringRef, 8> names;
    context_.getSyncScopeNames(names);
    const llvm::StringRef name = names[scope];
    if (name == "singlethread") return PIANOLA_SIM_WORK_ITEM;
    if (name == "wavefront" || name == "subgroup") return PIANOLA_SIM_SUB_GROUP;
    if (name == "workgroup" || name == "block") return PIANOLA_SIM_WORK_GROUP;
    if (name == "agent" || name == "device") return PIANOLA_SIM_DEVICE;
    return PIANOLA_SIM_SYSTEM;
  }

  llvm::Value* atomic(std::uint32_t operation, llvm::Value* address, llvm::Value* operand,
                      llvm::Value* expected, llvm::Type* type, llvm::AtomicOrdering order,
                      llvm::SyncScope::ID scope) {
    if (!access_) {
      llvm::IRBuilder<> start(&entry_.getEntryBlock(), entry_.getEntryBlock().begin());
      access_ = start.CreateAlloca(llvm::ArrayType::get(i64_, sizeof(pianola_sim_atomic) / 8));
      access_->setAlignment(llvm::Align(8));
    }
    const auto put = [&](std::size_t offset, llvm::Value* value) {
      builder_.CreateStore(
          value, builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), access_, offset));
    };
    const auto number = [&](std::uint64_t value) { return llvm::ConstantInt::get(i32_, value); };
    put(offsetof(pianola_sim_atomic, address), address);
    put(offsetof(pianola_sim_atomic, operand), to_bits(operand));
    put(offsetof(pianola_sim_atomic, expected), to_bits(expected));
    put(offsetof(pianola_sim_atomic, operation), number(operation));
    put(offsetof(pianola_sim_atomic, bytes), number(layout_.getTypeStoreSize(type)));
    put(offsetof(pianola_sim_atomic, order), number(order_of(order)));
    put(offsetof(pianola_sim_atomic, scope), number(scope_of(scope)));
    return call_driver(offsetof(pianola_sim_calls, atomic), i64_, {item_, access_});
  }

  void lower_update(llvm::AtomicRMWInst& update) {
    using op = llvm::AtomicRMWInst;
    std::uint32_t operation = 0;
    switch (update.getOperation()) {
      case op::Xchg:
        operation = PIANOLA_SIM_EXCHANGE;
        break;
      case op::Add:
        operation = PIANOLA_SIM_ADD;
        break;
      case op::Sub:
        operation = PIANOLA_SIM_SUB;
        break;
      case op::And:
        operation = PIANOLA_SIM_AND;
        break;
      case op::Nand:
        operation = PIANOLA_SIM_NAND;
        break;
      case op::Or:
        operation = PIANOLA_SIM_OR;
        break;
      case op::Xor:
        operation = PIANOLA_SIM_XOR;
        break;
      case op::Max:
        operation = PIANOLA_SIM_MAX;
        break;
      case op::Min:
        operation = PIANOLA_SIM_MIN;
        break;
      case op::UMax:
        operation = PIANOLA_SIM_UMAX;
        break;
      case op::UMin:
        operation = PIANOLA_SIM_UMIN;
        break;
      case op::FAdd:
        operation = PIANOLA_SIM_FADD;
        break;
      case op::FSub:
        operation = PIANOLA_SIM_FSUB;
        break;
      case op::FMax:
        operation = PIANOLA_SIM_FMAX;
        break;
      case op::FMin:
        operation = PIANOLA_SIM_FMIN;
        break;
      default:
        llvm::report_fatal_error(
            "pianolacc: the simulated target does not know the atomic operation " +
            op::getOperationName(update.getOperation()));
    }
    llvm::Type* type = update.getType();
    replace(update, from_bits(atomic(operation, update.getPointerOperand(), update.getValOperand(),
                                     nullptr, type, update.getOrdering(), update.getSyncScopeID()),
                              type));
  }

  void lower_compare_exchange(llvm::AtomicCmpXchgInst& exchange) {
    llvm::Type* type = exchange.getCompareOperand()->getType();
    llvm::Value* before = atomic(PIANOLA_SIM_COMPARE_EXCHANGE, exchange.getPointerOperand(),
                                 exchange.getNewValOperand(), exchange.getCompareOperand(), type,
                                 exchange.getMergedOrdering(), exchange.getSyncScopeID());
    llvm::Value* equal = builder_.CreateICmpEQ(before, to_bits(exchange.getCompareOperand()));
    llvm::Value* result = llvm::PoisonValue::get(exchange.getType());
    result = builder_.CreateInsertValue(result, from_bits(before, type), 0);
    result = builder_.CreateInsertValue(result, equal, 1);
    replace(exchange, result);
  }

  void lower_fence(llvm::FenceInst& fence) {
    replace(fence, call_driver(offsetof(pianola_sim_calls, fence), void_,
                               {item_, llvm::ConstantInt::get(i32_, order_of(fence.getOrdering())),
                                llvm::ConstantInt::get(i32_, scope_of(fence.getSyncScopeID()))}));
  }

  llvm::Function& entry_;
  const group_layout& group_layout_;
  llvm::LLVMContext& context_;
  const llvm::DataLayout& layout_;
  llvm::Type* i32_;
  llvm::Type* i64_;
  llvm::Type* pointer_;
  llvm::Type* void_;
  llvm::Value* item_;
  llvm::IRBuilder<> builder_;
  llvm::AllocaInst* access_ = nullptr;
};

}  // namespace

void lower(llvm::Module& device, llvm::ArrayRef<kernel> kernels) {
  std::vector<llvm::Function*> entries;
  for (const kernel& kernel : kernels) entries.push_back(add_entry_point(kernel));
  inline_everything(device, entries);
  group_layout layout;
  for (std::size_t i = 0; i < entries.size(); ++i)
    add_kernel_info(device, kernels[i], layout.add(*entries[i]));
  for (llvm::Function* entry : entries) entry_lowering(*entry, layout).run();
  for (llvm::Function& function : llvm::make_early_inc_range(device))
    if (function.isDeclaration() && function.use_empty()) function.eraseFromParent();
  auto* version = new llvm::GlobalVariable(
      device, llvm::Type::getInt32Ty(device.getContext()), true, llvm::GlobalValue::ExternalLinkage,
      llvm::ConstantInt::get(llvm::Type::getInt32Ty(device.getContext()), PIANOLA_SIM_VERSION),
      "pianola_sim_version");
  version->setDSOLocal(true);
}

}  // namespace pianola::compiler::simulated
