// SPDX-License-Identifier: Apache-2.0
// What is read only to be combined with what is written to the same place.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>

#include <pianola/abi/image.h>

namespace llvm {
class AtomicRMWInst;
class LoadInst;
class LoopInfo;
class Value;
}  // namespace llvm

namespace pianola::compiler {

/// By what operation the old number is combined with the new one; NONE if that is no associative one, or if the old number
/// is used for something else.
[[nodiscard]] pianola_reduction reduction_by(const llvm::AtomicRMWInst& update);

/// The same of a read whose result goes, combined, into a store to the same place, and nowhere else. Nothing else is written
/// by the work-item in between. The store may, on other ways to it, write something that has nothing to do with what was there.
/// `same_place` tells of two pointers whether they are the same for a work-item in one round of the loops around both.
[[nodiscard]] pianola_reduction reduction_by(
    const llvm::LoadInst& read, const llvm::LoopInfo& loops,
    llvm::function_ref<bool(const llvm::Value&, const llvm::Value&)> same_place);

}  // namespace pianola::compiler
