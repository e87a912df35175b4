// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <cstdint>

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace pianola::compiler {

/// One `[[clang::annotate("name", integers...)]]` of a function.
struct annotation {
  llvm::Function* function = nullptr;
  std::vector<std::int64_t> values;
};

/// All annotations of functions with this name, in the order of the module; those with other arguments
/// than integers have no values.
std::vector<annotation> annotations_of(const llvm::Module& module, std::string_view name);

/// Takes all annotations with this name out of the module, so that they keep no function alive.
void remove_annotations(llvm::Module& module, std::string_view name);

}  // namespace pianola::compiler
