// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace llvm {
class Function;
class Module;
}  // namespace llvm

/// The function object of random kernels.
struct random_object {
  std::uint64_t pointers[3];  // at 0, 8, 16
  std::uint64_t wide[3];      // at 24, 32, 40
  std::int32_t narrow[2];     // at 48, 52
};

/// Adds the body of a kernel whose indices, branches and accesses follow from the seed.
llvm::Function* make_random_body(llvm::Module& module, std::uint64_t seed);
