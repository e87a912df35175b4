// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel.hpp"

namespace llvm {
class Module;
}

namespace pianola::compiler {

/// Makes the images of kernels that waited for their program to be linked, and gives `module`, which is otherwise empty, what
/// registers them. The file `chosen.link_list` names, a line each, what was linked and then the files that it may have been linked
/// of: objects, libraries, others. Units that are in the first take part, see emit_device_unit().
///
/// What a unit's kernels are compiled for is what the unit was compiled for; of `chosen`, only the folders count.
/// Functions that are not defined or defined twice are reported to the module's context, as is all that check_device_code()
/// refuses.
void link_devices(llvm::Module& module, const options& chosen);

}  // namespace pianola::compiler
