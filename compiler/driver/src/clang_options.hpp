// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace pianola::driver {

/// Whether clang takes the next argument as the value of this option, as in "-o FILE".
bool takes_next_argument(std::string_view option);

/// Whether the option ends the work before linking: -c, -S, -E, -M, -fsyntax-only, ...
bool stops_before_linking(std::string_view option);

/// Whether what is linked cannot, or must not, have a shared library: -r, -static, -nostdlib, ...
bool links_without_libraries(std::string_view option);

/// Whether clang precompiles a file of this name rather than link it.
bool is_header_name(std::string_view path);

}  // namespace pianola::driver
