// SPDX-License-Identifier: Apache-2.0
// Every access through a pointer of the function object, as image.h describes it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "facts/access_conditions.hpp"
#include "pianola/compiler/argument_use.hpp"
#include "pianola/compiler/function_object.hpp"
#include "pianola/compiler/index_polynomial.hpp"

namespace llvm {
class DataLayout;
class Instruction;
class Loop;
class LoopInfo;
class ScalarEvolution;
}  // namespace llvm

namespace pianola::compiler {

class access_lister {
 public:
  access_lister(const llvm::DataLayout& layout, const function_object& object,
                const index_reader& reader, const llvm::LoopInfo& loops,
                const llvm::DominatorTree& tree, const llvm::PostDominatorTree& post_tree,
                llvm::ScalarEvolution& evolution)
      : layout_(layout),
        object_(object),
        reader_(reader),
        loops_(loops),
        tree_(tree),
        evolution_(evolution),
        conditions_(reader, loops, tree, post_tree) {}

  /// An access of the instruction. `certain`: it happens whenever the instruction is reached; `by`: see image.h. False if it
  /// is not understood; nothing has been added then.
  [[nodiscard]] bool add(const llvm::Instruction& instruction, const llvm::Value& pointer,
                         std::uint64_t bytes, bool reads, bool writes, bool certain,
                         pianola_reduction by);

  /// Whether both pointers are the same for a work-item in one round of the loops around both.
  [[nodiscard]] bool are_same(const llvm::Value& a, const llvm::Value& b) const;

  /// Why the last access that was not understood was not, for people.
  [[nodiscard]] const std::string& reason() const { return reason_; }

  /// All that were added for the pointer at this place of the function object, in few. Nothing if there are too many.
  [[nodiscard]] std::optional<std::vector<argument_access>> accesses(std::uint32_t argument) const;

 private:
  /// Where a pointer leads, as far as choices are taken.
  struct position {
    std::uint32_t argument;
    index_value offset;
  };
  struct found {
    std::uint32_t argument;
    argument_access access;
  };

  [[nodiscard]] std::optional<position> follow(const llvm::Value& pointer, choices& which) const;
  [[nodiscard]] bool advance(index_value& offset, const llvm::Value& step, choices& which) const;
  [[nodiscard]] bool describe(const llvm::Instruction& instruction, const position& at,
                              const choices& which, argument_access& access);
  [[nodiscard]] bool add_loops(const llvm::Instruction& instruction,
                               const std::map<std::uint32_t, polynomial>& strides,
                               argument_access& access) const;

  const llvm::DataLayout& layout_;
  const function_object& object_;
  const index_reader& reader_;
  const llvm::LoopInfo& loops_;
  const llvm::DominatorTree& tree_;
  llvm::ScalarEvolution& evolution_;
  [[nodiscard]] std::string blocker(const llvm::Value& value) const;

  const condition_reader conditions_;
  mutable const llvm::Value* blocked_ = nullptr;  // where following a pointer ended
  std::string reason_;
  std::map<std::uint32_t, std::vector<argument_access>> all_;
};

}  // namespace pianola::compiler
