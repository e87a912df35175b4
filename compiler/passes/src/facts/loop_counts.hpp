// SPDX-License-Identifier: Apache-2.0
// How many rounds a loop makes, as a sum.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "pianola/compiler/index_polynomial.hpp"

namespace llvm {
class BasicBlock;
class DominatorTree;
class Loop;
class ScalarEvolution;
}  // namespace llvm

namespace pianola::compiler {

/// As pianola_access_loop has it: (max(sum, least) + plus) / divisor + extra.
struct round_count {
  polynomial sum;
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t plus = 0;
  std::uint64_t divisor = 1;
  std::uint32_t extra = 0;
  bool is_unsigned = false;
  bool narrow = false;
  /// Else there may be fewer.
  bool exact = false;
};

/// Of a block of the loop's body: how often it may be reached each time that the loop is entered. Nothing if that is not
/// the same whatever the work-item reads.
[[nodiscard]] std::optional<round_count> count_rounds(const llvm::Loop& loop,
                                                      const llvm::BasicBlock& block,
                                                      const index_reader& reader,
                                                      llvm::ScalarEvolution& evolution,
                                                      const llvm::DominatorTree& tree);

}  // namespace pianola::compiler
