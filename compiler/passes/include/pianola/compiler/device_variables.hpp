// SPDX-License-Identifier: Apache-2.0
// Variables that each device has one of (sycl_ext_oneapi_device_global). Code for devices holds a pointer for each, which the
// runtime fills in when it has loaded an image.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

namespace pianola::compiler {

/// One of the unit, and the name of its pointer in images.
struct device_variable {
  llvm::GlobalVariable* variable = nullptr;  // null: where what is linked has it is not known
  std::string pointer;
};

/// Marks the variables with these mangled names, as copies of the module have them marked, too. `unit`: tells apart variables
/// of one name that units keep to themselves.
void mark_device_variables(llvm::Module& module, llvm::ArrayRef<std::string> names,
                           std::string_view unit);

/// Takes the marks away again. Returns the marked variables, those that the unit only declares among them.
std::vector<device_variable> unmark_device_variables(llvm::Module& module);

/// In a copy for devices: what named a marked variable reads its pointer.
void reach_device_variables(llvm::Module& device);

/// Whether it is such a pointer. It keeps its name, is seen from outside, and nothing is known of its value.
bool is_device_pointer(const llvm::GlobalVariable& variable);

/// Whose pointers a module for devices has; by name only.
std::vector<device_variable> device_pointers_of(const llvm::Module& device);

}  // namespace pianola::compiler
