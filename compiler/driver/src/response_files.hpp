// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pianola::driver {

/// The words of a response file: separated by white space, with '...', "..." and \c as in GNU's and LLVM's
/// programs.
std::vector<std::string> split_response_file(std::string_view text);

/// Replaces each @FILE by the words in FILE, also those in files. As with clang, @FILE stands for itself
/// where FILE cannot be read, and inside of itself.
std::vector<std::string> expand_response_files(const std::vector<std::string>& arguments);

}  // namespace pianola::driver
