// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include <llvm/ADT/DenseMap.h>

#include "host/analysis/item_level.hpp"

namespace pianola::compiler::host {

/// By how much a number, or an address in bytes, grows from one item to its neighbour in x.
class strides {
 public:
  /// `is_uniform`: whether all items have the same value.
  strides(std::function<bool(const llvm::Value*)> is_uniform, const placeholders& names,
          const llvm::DataLayout& layout)
      : is_uniform_(std::move(is_uniform)), names_(names), layout_(layout) {}

  /// Nothing: not always the same number.
  std::optional<std::int64_t> of(llvm::Value* value) { return of(value, 0); }

 private:
  std::optional<std::int64_t> of(llvm::Value* value, unsigned depth);
  std::optional<std::int64_t> find(llvm::Value* value, unsigned depth);
  std::optional<std::int64_t> of_sum(llvm::BinaryOperator& binary, unsigned depth);
  std::optional<std::int64_t> of_address(llvm::GetElementPtrInst& gep, unsigned depth);
  std::optional<std::int64_t> of_phi(llvm::PHINode& phi, unsigned depth);

  std::function<bool(const llvm::Value*)> is_uniform_;
  const placeholders& names_;
  const llvm::DataLayout& layout_;
  llvm::DenseMap<llvm::Value*, std::int64_t> assumed_;
  // Of values that no assumption went into.
  llvm::DenseMap<llvm::Value*, std::optional<std::int64_t>> known_;
};

}  // namespace pianola::compiler::host
