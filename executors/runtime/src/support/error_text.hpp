// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <exception>
#include <string>

namespace pianola::runtime {

// For messages.
[[nodiscard]] inline std::string text_of(const std::exception_ptr& e) {
  try {
    std::rethrow_exception(e);
  } catch (const std::exception& x) {
    return x.what();
  } catch (...) {
    return "an exception of the program";
  }
}

}  // namespace pianola::runtime
