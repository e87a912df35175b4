// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/AMDGPUAddrSpace.h>

#include "pianola/compiler/diagnose.hpp"
#include "pianola/compiler/group_objects.hpp"
#include "pianola/compiler/reaching_kernel.hpp"
#include "steps.hpp"

namespace pianola::compiler::amdgpu {

namespace {

using llvm::Intrinsic::ID;
namespace intrinsic = llvm::Intrinsic;

constexpr unsigned largest_group = 1024;
constexpr unsigned scratch_bytes = 1024;
constexpr std::uint64_t local_memory_alignment = 64;

// sycl::memory_scope.
enum scope : unsigned { work_item = 0, sub_group = 1, work_group = 2, device = 3, system = 4 };

/// Writes the instructions that stand for one call.
class resolver {
 public:
  resolver(llvm::Module& module, const architecture& target) : module_(module), target_(target) {}

  /// Null where the function is not known.
  llvm::Value* resolve(llvm::CallInst& call) {
    llvm::IRBuilder<> builder(&call);
    llvm::StringRef name = call.getCalledFunction()->getName();
    name.consume_front("__pianola_");
    const unsigned axis = name.ends_with("_x") ? 0 : name.ends_with("_y") ? 1 : 2;
    const llvm::StringRef of_axis = name.drop_back(2);
    llvm::Type* type = call.getType();
    if (of_axis == "local_id") return local_id(builder, axis);
    if (of_axis == "group_id") return builder.CreateZExt(group_id(builder, axis), type);
    if (of_axis == "local_size") return local_size(builder, axis);
    if (of_axis == "group_count") {
      llvm::Value* items = packet_field(builder, 12 + 4 * axis, 32);
      return builder.CreateZExt(builder.CreateUDiv(items, local_size(builder, axis)), type);
    }
    if (name == "is_device") return builder.getInt32(1);
    if (name == "local_memory") return generic(builder, dynamic_local_memory());
    if (name == "group_scratch") return generic(builder, group_scratch());
    if (name == "group_object") return generic(builder, group_object(call));
    if (name == "address_space") return address_space(builder, call.getArgOperand(0));
    if (name == "group_barrier")
      return barrier(builder, intrinsic::amdgcn_s_barrier,
                     fence_scope(call.getArgOperand(0), work_group));
    // Lanes that do not come by are switched off.
    if (name == "sub_group_barrier" || name == "sub_group_barrier_among")
      return barrier(builder, intrinsic::amdgcn_wave_barrier,
                     fence_scope(call.getArgOperand(0), sub_group));
    if (name == "sub_group_size") return builder.getInt32(target_.wavefront);
    if (name == "shuffle_32" || name == "shuffle_32_among")
      return shuffle(builder, call.getArgOperand(0), call.getArgOperand(1));
    if (name == "shuffle_64") return shuffle_64(builder, call);
    if (name == "ballot") {
      llvm::Value* predicate = builder.CreateIsNotNull(call.getArgOperand(0));
      llvm::Value* mask = builder.CreateIntrinsic(
          intrinsic::amdgcn_ballot, {builder.getIntNTy(target_.wavefront)}, {predicate});
      return builder.CreateZExt(mask, type);
    }
    // Kernels do not overlap those in front of them.
    if (name == "dependent_launch") return builder.getInt32(0);
    // No handle is given to kernels of these devices.
    if (name.starts_with("texture_")) return llvm::PoisonValue::get(type);
    // sycl::native: the device library has functions of the same names.
    if (name.starts_with("native_"))
      return builder.CreateCall(
          module_.getOrInsertFunction(("__ocml_" + name + "_f32").str(), type, type),
          {call.getArgOperand(0)});
    return nullptr;
  }

 private:
  static void set_range(llvm::Value* value, std::uint64_t first, std::uint64_t end) {
    auto* instruction = llvm::cast<llvm::Instruction>(value);
    const unsigned bits = value->getType()->getIntegerBitWidth();
    instruction->setMetadata(llvm::LLVMContext::MD_range,
                             llvm::MDBuilder(value->getContext())
                                 .createRange(llvm::APInt(bits, first), llvm::APInt(bits, end)));
  }

  llvm::Value* local_id(llvm::IRBuilder<>& builder, unsigned axis) {
    static constexpr ID ids[] = {intrinsic::amdgcn_workitem_id_x, intrinsic::amdgcn_workitem_id_y,
                                 intrinsic::amdgcn_workitem_id_z};
    llvm::Value* id = builder.CreateIntrinsic(ids[axis], {}, {});
    set_range(id, 0, largest_group);
    return id;
  }

  llvm::Value* group_id(llvm::IRBuilder<>& builder, unsigned axis) {
    static constexpr ID ids[] = {intrinsic::amdgcn_workgroup_id_x, intrinsic::amdgcn_workgroup_id_y,
                                 intrinsic::amdgcn_workgroup_id_z};
    return builder.CreateIntrinsic(ids[axis], {}, {});
  }

  /// Of hsa_kernel_dispatch_packet_t, which does not change while the kernel runs.
  llvm::Value* packet_field(llvm::IRBuilder<>& builder, unsigned offset, unsigned bits) {
    llvm::Value* packet = builder.CreateIntrinsic(intrinsic::amdgcn_dispatch_ptr, {}, {});
    llvm::LoadInst* field = builder.CreateAlignedLoad(
        builder.getIntNTy(bits),
        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), packet, offset),
        llvm::Align(bits / 8));
    field->setMetadata(llvm::LLVMContext::MD_invariant_load,
                       llvm::MDNode::get(module_.getContext(), {}));
    return field;
  }

  llvm::Value* local_size(llvm::IRBuilder<>& builder, unsigned axis) {
    llvm::Value* size = packet_field(builder, 4 + 2 * axis, 16);
    set_range(size, 1, largest_group + 1);
    return builder.CreateZExt(size, builder.getInt32Ty());
  }

  llvm::Value* address_space(llvm::IRBuilder<>& builder, llvm::Value* pointer) {
    const auto is = [&](ID id) { return builder.CreateIntrinsic(id, {}, {pointer}); };
    return builder.CreateSelect(is(intrinsic::amdgcn_is_shared), builder.getInt32(1),
                                builder.CreateSelect(is(intrinsic::amdgcn_is_private),
                                                     builder.getInt32(2), builder.getInt32(0)));
  }

  /// Sized by the launch.
  llvm::GlobalVariable* dynamic_local_memory() {
    constexpr llvm::StringLiteral name = "pianola.local_memory";
    if (llvm::GlobalVariable* existing = module_.getNamedGlobal(name)) return existing;
    auto* memory = new llvm::GlobalVariable(
        module_, llvm::ArrayType::get(llvm::Type::getInt8Ty(module_.getContext()), 0), false,
        llvm::GlobalValue::ExternalLinkage, nullptr, name, nullptr,
        llvm::GlobalValue::NotThreadLocal, llvm::AMDGPUAS::LOCAL_ADDRESS);
    memory->setAlignment(llvm::Align(local_memory_alignment));
    return memory;
  }

  llvm::GlobalVariable* group_scratch() {
    return group_memory("pianola.group_scratch", scratch_bytes,
                        llvm::Align(local_memory_alignment));
  }

  llvm::GlobalVariable* group_object(const llvm::CallInst& call) {
    return group_memory(
        "pianola.group_object." + std::to_string(group_object_number(call, group_object_place)),
        group_object_number(call, group_object_bytes),
        llvm::Align(group_object_number(call, group_object_alignment)));
  }

  llvm::GlobalVariable* group_memory(const std::string& name, std::uint64_t bytes,
                                     llvm::Align alignment) {
    if (llvm::GlobalVariable* existing = module_.getNamedGlobal(name)) return existing;
    auto* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module_.getContext()), bytes);
    auto* memory = new llvm::GlobalVariable(
        module_, type, false, llvm::GlobalValue::InternalLinkage, llvm::PoisonValue::get(type),
        name, nullptr, llvm::GlobalValue::NotThreadLocal, llvm::AMDGPUAS::LOCAL_ADDRESS);
    memory->setAlignment(alignment);
    return memory;
  }

  static llvm::Value* generic(llvm::IRBuilder<>& builder, llvm::Value* pointer) {
    return builder.CreateAddrSpaceCast(pointer, builder.getPtrTy());
  }

  /// At least `least`: a barrier orders accesses among those who meet. The widest where it is not known.
  static unsigned fence_scope(const llvm::Value* given, unsigned least) {
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(given);
    return constant == nullptr
               ? system
               : std::max<unsigned>(least, static_cast<unsigned>(constant->getZExtValue()));
  }

  llvm::Value* barrier(llvm::IRBuilder<>& builder, ID meet, unsigned scope) {
    const llvm::StringRef name = scope == sub_group    ? "wavefront"
                                 : scope == work_group ? "workgroup"
                                 : scope == device     ? "agent"
                                                       : "";
    const llvm::SyncScope::ID id = module_.getContext().getOrInsertSyncScopeID(name);
    builder.CreateFence(llvm::AtomicOrdering::Release, id);
    llvm::CallInst* call = builder.CreateIntrinsic(meet, {}, {});
    builder.CreateFence(llvm::AtomicOrdering::Acquire, id);
    return call;
  }

  llvm::Value* shuffle(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Value* lane) {
    // The same lane for all goes through a scalar register.
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(lane))
      return builder.CreateIntrinsic(
          intrinsic::amdgcn_readlane, {value->getType()},
          {value,
           builder.getInt32(static_cast<unsigned>(constant->getZExtValue()) % target_.wavefront)});
    return builder.CreateIntrinsic(intrinsic::amdgcn_ds_bpermute, {},
                                   {builder.CreateShl(lane, 2), value});
  }

  llvm::Value* shuffle_64(llvm::IRBuilder<>& builder, llvm::CallInst& call) {
    llvm::Value* value = call.getArgOperand(0);
    llvm::Value* lane = call.getArgOperand(1);
    llvm::Type* half = builder.getInt32Ty();
    llvm::Value* low = shuffle(builder, builder.CreateTrunc(value, half), lane);
    llvm::Value* high =
        shuffle(builder, builder.CreateTrunc(builder.CreateLShr(value, 32), half), lane);
    return builder.CreateOr(builder.CreateShl(builder.CreateZExt(high, value->getType()), 32),
                            builder.CreateZExt(low, value->getType()));
  }

  llvm::Module& module_;
  const architecture& target_;
};

}  // namespace

bool resolve_intrinsics(llvm::Module& module, const architecture& target) {
  resolver all(module, target);
  bool good = true;
  for (llvm::Function& function : llvm::make_early_inc_range(module.functions())) {
    if (!function.getName().starts_with("__pianola_") || !function.isDeclaration()) continue;
    for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(user);
      llvm::Value* value =
          call != nullptr && call->getCalledOperand() == &function ? all.resolve(*call) : nullptr;
      if (value == nullptr) {
        const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
        report_error(module.getContext(),
                     (instruction ? kernel_reaching(*instruction->getFunction()) : "device code") +
                         ": '" + function.getName() + "' does not exist on AMDGPU" +
                         (instruction ? location_of(*instruction) : ""));
        good = false;
        continue;
      }
      if (!call->getType()->isVoidTy()) call->replaceAllUsesWith(value);
      call->eraseFromParent();
    }
    if (function.use_empty()) function.eraseFromParent();
  }
  return good;
}

}  // namespace pianola::compiler::amdgpu
