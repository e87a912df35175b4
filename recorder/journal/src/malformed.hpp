// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <pianola/model/error.hpp>

namespace pianola::journal {

[[noreturn]] inline void malformed(const char* what) {
  throw model::user_error(model::error_code::invalid, std::string("not a journal: ") + what);
}

}  // namespace pianola::journal
