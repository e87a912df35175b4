// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <llvm/ADT/DenseMap.h>

namespace llvm {
class Function;
class Value;
}  // namespace llvm

namespace pianola::compiler {

/// The function object of a kernel's body: its first parameter, and local variables that are copies of (parts
/// of) it and never change. Nothing writes to either.
class function_object {
 public:
  explicit function_object(const llvm::Function& body);

  /// False if it is written to, or goes where its members cannot be followed.
  [[nodiscard]] bool is_followed() const { return followed_; }
  /// Whether the pointer is to some place in it.
  [[nodiscard]] bool holds(const llvm::Value& pointer) const;
  /// That place in bytes, if it is the same for every work-item.
  [[nodiscard]] std::optional<std::uint32_t> offset_of(const llvm::Value& pointer) const;

 private:
  const llvm::Function& body_;
  bool followed_ = true;
  /// What to add to an offset in the variable.
  llvm::DenseMap<const llvm::Value*, std::int64_t> copies_;
};

}  // namespace pianola::compiler
