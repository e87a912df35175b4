// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <llvm/ADT/StringRef.h>

namespace pianola::compiler::amdgpu {

struct architecture {
  /// As the user wrote it: "gfx90a:xnack-".
  std::string name;
  /// "gfx90a".
  std::string processor;
  /// In LLVM's notation: "-xnack".
  std::string features;
  /// Work-items of a sub-group: 64 up to gfx9, 32 later.
  unsigned wavefront = 64;
};

/// Nothing, and why in `error`, when the name is not of an architecture that both this LLVM and the device
/// libraries in `libraries` know. Architectures before gfx900 are not offered.
std::optional<architecture> parse_architecture(llvm::StringRef name, llvm::StringRef libraries,
                                               std::string& error);

/// "oclc_isa_version_90a.bc" for gfx90a.
std::string isa_library(llvm::StringRef processor);

}  // namespace pianola::compiler::amdgpu
