// SPDX-License-Identifier: Apache-2.0
// Random kernels that run, a work-item at a time.
#pragma once

#include <memory>

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "facts_values.hpp"

/// Arguments point so far apart that the nearest one tells which of them an address was made of.
inline constexpr unsigned slot_bits = 59;
constexpr std::uint64_t base_of(std::uint64_t slot) {
  return ((2 * slot + 1) << (slot_bits - 1)) & ~std::uint64_t{15};
}
/// What pointers that are found in memory point to.
inline constexpr std::uint64_t foreign_slot = 7;

/// Layout of the modules that random bodies are made in.
extern const char* const random_layout;

/// As clang does before the plugin sees a body.
void simplify(llvm::Function& body);

/// Makes the code of a module, in which functions may be called that `define` names; ids are answered here.
class running_body {
 public:
  running_body(std::unique_ptr<llvm::Module> module, std::unique_ptr<llvm::LLVMContext> context,
               const std::vector<std::pair<const char*, void*>>& define);

  void run(const work_item& item) const;

 private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  void (*body_)(const random_object*, const pianola_launch*);
};

/// Calls f(id) for each work-item.
template <class F>
void for_each_random_item(F&& f) {
  for (std::uint64_t y = 0; y < random_global[1]; ++y)
    for (std::uint64_t x = 0; x < random_global[2]; ++x) {
      const std::uint64_t id[3] = {0, y, x};
      f(id);
    }
}
