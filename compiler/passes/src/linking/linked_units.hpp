// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <llvm/ADT/ArrayRef.h>

#include "pianola/compiler/device_unit.hpp"

namespace pianola::compiler {

/// The units that are in the file `linked`, in its order, from the files (objects, archives of objects, bitcode of objects for
/// link-time optimisation; others are passed over) that it was linked of. False, and the reason, if one is missing.
bool find_linked_units(const std::string& linked, llvm::ArrayRef<std::string> files,
                       std::vector<device_unit>& units, std::string& problem);

}  // namespace pianola::compiler
