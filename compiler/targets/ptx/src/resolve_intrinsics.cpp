// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "pianola/compiler/group_objects.hpp"
#include "steps.hpp"

namespace pianola::compiler::ptx {

namespace {

constexpr std::uint64_t scratch_bytes = 1024;
// As the host's; SYCL's local memory has no alignment of its own.
const llvm::Align local_memory_alignment(64);

enum class scope : std::uint8_t { work_item, sub_group, work_group, device, system };

class resolver {
 public:
  resolver(llvm::Module& module, llvm::CallInst& call) : module_(module), call_(call), ir_(&call) {}

  /// The value that replaces the call; null where the call is not of an intrinsic of devices.
  llvm::Value* resolve(llvm::StringRef name) {
    namespace nv = llvm::Intrinsic;
    if (name == "local_id_x") return sreg(nv::nvvm_read_ptx_sreg_tid_x);
    if (name == "local_id_y") return sreg(nv::nvvm_read_ptx_sreg_tid_y);
    if (name == "local_id_z") return sreg(nv::nvvm_read_ptx_sreg_tid_z);
    if (name == "group_id_x") return sreg(nv::nvvm_read_ptx_sreg_ctaid_x);
    if (name == "group_id_y") return sreg(nv::nvvm_read_ptx_sreg_ctaid_y);
    if (name == "group_id_z") return sreg(nv::nvvm_read_ptx_sreg_ctaid_z);
    if (name == "local_size_x") return sreg(nv::nvvm_read_ptx_sreg_ntid_x);
    if (name == "local_size_y") return sreg(nv::nvvm_read_ptx_sreg_ntid_y);
    if (name == "local_size_z") return sreg(nv::nvvm_read_ptx_sreg_ntid_z);
    if (name == "group_count_x") return sreg(nv::nvvm_read_ptx_sreg_nctaid_x);
    if (name == "group_count_y") return sreg(nv::nvvm_read_ptx_sreg_nctaid_y);
    if (name == "group_count_z") return sreg(nv::nvvm_read_ptx_sreg_nctaid_z);
    if (name == "is_device") return ir_.getInt32(1);
    if (name == "sub_group_size") return ir_.getInt32(32);
    if (name == "local_memory") return generic(local_memory());
    if (name == "group_scratch") return generic(scratch());
    if (name == "group_object") return generic(group_object());
    if (name == "address_space") return address_space();
    if (name == "group_barrier") return barrier(nv::nvvm_barrier0, scope::work_group, {});
    if (name == "sub_group_barrier")
      return barrier(nv::nvvm_bar_warp_sync, scope::sub_group, {all_lanes()});
    if (name == "sub_group_barrier_among")
      return barrier(nv::nvvm_bar_warp_sync, scope::sub_group, {lanes_of(call_.getArgOperand(1))});
    if (name == "shuffle_32") return shuffle(call_.getArgOperand(0), all_lanes());
    if (name == "shuffle_32_among")
      return shuffle(call_.getArgOperand(0), lanes_of(call_.getArgOperand(2)));
    if (name == "shuffle_64") return shuffle_64(call_.getArgOperand(0));
    if (name == "ballot") return ballot();
    if (name == "dependent_launch") return dependent_launch();
    if (name == "texture_float")
      return texture(nv::nvvm_tex_unified_2d_v4f32_f32, ir_.getFloatTy());
    if (name == "texture_signed")
      return texture(nv::nvvm_tex_unified_2d_v4s32_f32, ir_.getInt32Ty());
    if (name == "texture_unsigned")
      return texture(nv::nvvm_tex_unified_2d_v4u32_f32, ir_.getInt32Ty());
    return nullptr;
  }

 private:
  llvm::Value* sreg(llvm::Intrinsic::ID id) {
    return ir_.CreateZExt(ir_.CreateIntrinsic(ir_.getInt32Ty(), id, {}), call_.getType());
  }

  // Lanes that do not exist, in a group's last sub-group, need not take part.
  llvm::Value* all_lanes() { return ir_.getInt32(~0U); }
  llvm::Value* lanes_of(llvm::Value* mask) { return ir_.CreateTrunc(mask, ir_.getInt32Ty()); }

  llvm::Value* generic(llvm::GlobalVariable* shared) {
    return llvm::ConstantExpr::getAddrSpaceCast(shared, ir_.getPtrTy());
  }

  llvm::GlobalVariable* shared_variable(const std::string& name, std::uint64_t bytes,
                                        bool dynamic) {
    if (auto* existing = module_.getGlobalVariable(name, true)) return existing;
    auto* type = llvm::ArrayType::get(ir_.getInt8Ty(), bytes);
    auto* variable = new llvm::GlobalVariable(
        module_, type, false,
        dynamic ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage,
        dynamic ? nullptr : llvm::UndefValue::get(type), name, nullptr,
        llvm::GlobalValue::NotThreadLocal, shared_space);
    variable->setAlignment(local_memory_alignment);
    return variable;
  }

  llvm::GlobalVariable* local_memory() { return shared_variable("pianola_local_memory", 0, true); }
  llvm::GlobalVariable* scratch() {
    return shared_variable("pianola_group_scratch", scratch_bytes, false);
  }

  llvm::GlobalVariable* group_object() {
    llvm::GlobalVariable* object = shared_variable(
        "pianola_group_object_" + std::to_string(group_object_number(call_, group_object_place)),
        group_object_number(call_, group_object_bytes), false);
    object->setAlignment(llvm::Align(group_object_number(call_, group_object_alignment)));
    return object;
  }

  llvm::Value* address_space() {
    const auto is_in = [&](llvm::Intrinsic::ID id) {
      return ir_.CreateIntrinsic(ir_.getInt1Ty(), id, {call_.getArgOperand(0)});
    };
    return ir_.CreateSelect(is_in(llvm::Intrinsic::nvvm_isspacep_shared), ir_.getInt32(1),
                            ir_.CreateSelect(is_in(llvm::Intrinsic::nvvm_isspacep_local),
                                             ir_.getInt32(2), ir_.getInt32(0)));
  }

  void fence(llvm::StringRef scope_name) {
    ir_.CreateFence(llvm::AtomicOrdering::AcquireRelease,
                    module_.getContext().getOrInsertSyncScopeID(scope_name));
  }

  // The barrier orders memory among those who meet at it. A wider scope also orders what they exchanged
  // with others before (seen by all behind the barrier) and will exchange after it (what all did before
  // it is seen by those others): a fence on either side.
  void fence_wider_than(scope own) {
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(call_.getArgOperand(0));
    const auto wanted =
        constant == nullptr ? scope::system : static_cast<scope>(constant->getZExtValue());
    if (wanted <= own) return;
    fence(wanted == scope::work_group ? "workgroup" : wanted == scope::device ? "device" : "");
  }

  llvm::Value* barrier(llvm::Intrinsic::ID id, scope own, llvm::ArrayRef<llvm::Value*> arguments) {
    fence_wider_than(own);
    llvm::CallInst* result = ir_.CreateIntrinsic(ir_.getVoidTy(), id, arguments);
    fence_wider_than(own);
    return result;
  }

  llvm::Value* shuffle(llvm::Value* value, llvm::Value* lanes) {
    return ir_.CreateIntrinsic(ir_.getInt32Ty(), llvm::Intrinsic::nvvm_shfl_sync_idx_i32,
                               {lanes, value, call_.getArgOperand(1), ir_.getInt32(31)});
  }

  llvm::Value* shuffle_64(llvm::Value* value) {
    llvm::Value* low = shuffle(ir_.CreateTrunc(value, ir_.getInt32Ty()), all_lanes());
    llvm::Value* high =
        shuffle(ir_.CreateTrunc(ir_.CreateLShr(value, 32), ir_.getInt32Ty()), all_lanes());
    return ir_.CreateOr(ir_.CreateZExt(low, ir_.getInt64Ty()),
                        ir_.CreateShl(ir_.CreateZExt(high, ir_.getInt64Ty()), 32));
  }

  llvm::Value* ballot() {
    llvm::Value* predicate = ir_.CreateICmpNE(call_.getArgOperand(0), ir_.getInt32(0));
    llvm::Value* lanes = ir_.CreateIntrinsic(
        ir_.getInt32Ty(), llvm::Intrinsic::nvvm_vote_ballot_sync, {all_lanes(), predicate});
    return ir_.CreateZExt(lanes, ir_.getInt64Ty());
  }

  // LLVM 19 has no intrinsics for these. What is read behind the wait is not read before it.
  llvm::Value* dependent_launch() {
    const auto* which = llvm::dyn_cast<llvm::ConstantInt>(call_.getArgOperand(0));
    if (which == nullptr) return nullptr;
    auto* type = llvm::FunctionType::get(ir_.getVoidTy(), false);
    return ir_.CreateCall(llvm::InlineAsm::get(
        type, which->isZero() ? launch_dependents : wait_for_prerequisites, "~{memory}", true));
  }

  llvm::Value* texture(llvm::Intrinsic::ID id, llvm::Type* channel) {
    auto* four = llvm::StructType::get(channel, channel, channel, channel);
    llvm::CallInst* texel = ir_.CreateIntrinsic(
        four, id, {call_.getArgOperand(0), call_.getArgOperand(1), call_.getArgOperand(2)});
    texel->setOnlyReadsMemory();  // LLVM 19 thinks that it might write
    llvm::Value* result = llvm::PoisonValue::get(call_.getType());
    for (unsigned i = 0; i < 4; ++i)
      result = ir_.CreateInsertElement(result, ir_.CreateExtractValue(texel, i), i);
    return result;
  }

  llvm::Module& module_;
  llvm::CallInst& call_;
  llvm::IRBuilder<> ir_;
};

}  // namespace

void resolve_intrinsics(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    llvm::StringRef name = function.getName();
    if (!function.isDeclaration() || !name.consume_front("__pianola_")) continue;
    for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(user);
      if (call == nullptr || call->getCalledFunction() != &function) continue;
      llvm::Value* value = resolver(module, *call).resolve(name);
      // check_is_complete tells of those that stay.
      if (value == nullptr) continue;
      call->replaceAllUsesWith(value);
      call->eraseFromParent();
    }
    if (function.use_empty()) function.eraseFromParent();
  }
}

}  // namespace pianola::compiler::ptx
