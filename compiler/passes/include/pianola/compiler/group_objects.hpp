// SPDX-License-Identifier: Apache-2.0
// Objects of a work-group (__pianola_group_object): which calls mean the same one.
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

namespace pianola::compiler {

/// Calls that name a variable of the work-item: it holds the address of the object, which they become. Returns whether
/// there was one.
bool read_objects_of_blocks(llvm::Function& function);

/// Whether all arguments of the call are constants, so that its object is known.
bool is_known_group_object(const llvm::CallBase& call);

/// Numbers objects in the order in which they are asked for.
class group_object_table {
 public:
  /// Nothing if the call's object is not known.
  std::optional<unsigned> index_of(const llvm::CallBase& call);

 private:
  using identity = std::tuple<const llvm::Value*, const llvm::Value*, std::uint64_t, std::uint64_t,
                              std::uint64_t>;
  std::vector<identity> objects_;
};

/// In a module for devices that has been checked: the number of its object becomes each call's `place`; what named the
/// object before, and could be a variable of the host's, is gone.
void number_group_objects(llvm::Module& device);

/// Arguments of __pianola_group_object.
enum group_object_argument : unsigned {
  group_object_key,
  group_object_file,
  group_object_place,
  group_object_bytes,
  group_object_alignment
};

/// A constant argument of a call whose object is known.
std::uint64_t group_object_number(const llvm::CallBase& call, group_object_argument argument);

}  // namespace pianola::compiler
