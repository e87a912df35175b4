// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <pianola/compiler/kernel.hpp>

namespace pianola::compiler::ptx {

/// Files of the CUDA toolkit; empty where there is none.
struct toolkit {
  std::string ptxas;
  std::string libdevice;
  /// Folders that were searched, for people.
  std::string searched;
};

/// In options.cuda_path if it is given, else in the environment's CUDA_PATH or CUDA_HOME if one is set, else in
/// /usr/local/cuda, where ptxas of PATH is, and where Debian puts the toolkit.
toolkit find_toolkit(const options& options);

/// "the CUDA toolkit's ptxas was not found (...); install ...".
std::string missing(const toolkit& found, const char* what);

}  // namespace pianola::compiler::ptx
