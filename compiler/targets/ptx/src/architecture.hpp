// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <llvm/ADT/StringRef.h>

namespace pianola::compiler::ptx {

struct architecture {
  /// As it was asked for: "sm_90a".
  std::string name;
  /// 90.
  unsigned number = 0;
  /// What LLVM generates code for: the newest one it knows that this one runs, "sm_90".
  std::string code_generation;
  /// Whether PTX made for it runs on later ones ("sm_90a" has features that no other has).
  bool portable = true;
};

/// Reads "sm_NN", "sm_NNa" or "sm_NNf". Nothing: not a name of an architecture from sm_70 on.
std::optional<architecture> parse_architecture(llvm::StringRef name);

}  // namespace pianola::compiler::ptx
