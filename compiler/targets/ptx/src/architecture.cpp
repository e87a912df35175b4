// SPDX-License-Identifier: Apache-2.0
#include "architecture.hpp"

namespace pianola::compiler::ptx {

namespace {

// Atomics with orders and scopes, and threads that wait for each other, exist from here on.
constexpr unsigned oldest = 70;
// Known to LLVM 19. PTX for these runs on everything later.
constexpr unsigned known[] = {70, 72, 75, 80, 86, 87, 89, 90};

}  // namespace

std::optional<architecture> parse_architecture(llvm::StringRef name) {
  architecture result;
  result.name = name.str();
  if (!name.consume_front("sm_")) return std::nullopt;
  if (name.consume_back("a") || name.consume_back("f")) result.portable = false;
  if (name.getAsInteger(10, result.number) || result.number < oldest) return std::nullopt;
  for (const unsigned number : known)
    if (number <= result.number) result.code_generation = "sm_" + std::to_string(number);
  return result;
}

}  // namespace pianola::compiler::ptx
