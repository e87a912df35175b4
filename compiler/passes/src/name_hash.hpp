// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Module.h>

namespace pianola::compiler {

inline constexpr std::uint64_t name_seed = 0xcbf29ce484222325ULL;

/// FNV-1a, as everywhere in the project: the same text gives the same id with every build of the compiler.
inline std::uint64_t hash_of_name(llvm::StringRef text, std::uint64_t hash = name_seed) {
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

/// For names that other translation units may use for something else.
inline std::uint64_t seed_of_unit(const llvm::Module& module, std::string_view unit) {
  return hash_of_name(module.getSourceFileName(),
                      hash_of_name(llvm::StringRef(unit.data(), unit.size())));
}

}  // namespace pianola::compiler
