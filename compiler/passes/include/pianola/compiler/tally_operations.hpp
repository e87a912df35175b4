// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "pianola/compiler/argument_use.hpp"

namespace llvm {
class BasicBlock;
class Function;
}  // namespace llvm

namespace pianola::compiler {

/// The arithmetic that a block does each time that it runs, as pianola_operations has it, of each block that does any.
using block_tallies = std::vector<std::pair<const llvm::BasicBlock*, operation_tally>>;

/// Of a kernel's body, in the order of its blocks. Integer arithmetic counts where its result goes into memory, into floating
/// point or into a call; what only tells places, rounds and ways does not. Nothing if the body calls something of which
/// nobody knows how much it does.
[[nodiscard]] std::optional<block_tallies> tally_operations(const llvm::Function& body);

}  // namespace pianola::compiler
