// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace pianola::driver {

/// What the user can put right: one line that says what is wrong and what to do. Exit status 2.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pianola::driver
