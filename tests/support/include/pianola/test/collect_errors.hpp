// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <exception>
#include <string>

#include <sycl/exception.hpp>

namespace pianola::test {

// What a queue with this handler is told of ends up in `said`, one text behind the other.
inline auto collect_errors(std::string& said) {
  return [&said](const sycl::exception_list& errors) {
    for (const std::exception_ptr& error : errors) try {
        std::rethrow_exception(error);
      } catch (const std::exception& e) {
        said += e.what();
      }
  };
}

}  // namespace pianola::test
