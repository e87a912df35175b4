// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/StringRef.h>

namespace llvm {
class CallBase;
class Function;
class Value;
}  // namespace llvm

namespace pianola::compiler {

/// Whether the pointer goes anywhere else than into addresses of loads, stores, atomics and block copies,
/// and comparisons.
[[nodiscard]] bool escapes(const llvm::Value& pointer);

/// Whether the call neither reads nor writes memory that anybody else sees: math functions, barriers,
/// shuffles, hints.
[[nodiscard]] bool touches_no_memory(const llvm::CallBase& call);

/// Whether it is a function of the C library that computes a number from numbers.
[[nodiscard]] bool is_math_function(const llvm::Function& function);

/// Whether the name is of an intrinsic that returns memory of the work-group.
[[nodiscard]] bool is_group_memory(llvm::StringRef name);

}  // namespace pianola::compiler
