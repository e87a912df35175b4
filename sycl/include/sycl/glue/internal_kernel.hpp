// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pianola::glue {

/// Base of the kernels that Pianola itself launches; no list of the program's kernels shows them.
struct internal_kernel {};

}  // namespace pianola::glue
