// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/StringRef.h>

namespace pianola::compiler {

/// Whether `name` is a function of the C math library, for float or double, that every device target has
/// in its own library: "sqrt", "sqrtf".
bool is_device_math(llvm::StringRef name);

/// Other functions that a kernel may call without defining them: memory copies, printf, and what targets
/// resolve ("__pianola_...").
bool is_device_function(llvm::StringRef name);

}  // namespace pianola::compiler
