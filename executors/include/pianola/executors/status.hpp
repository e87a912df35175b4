// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <pianola/model/error.hpp>

namespace pianola::executors {

struct status {
  model::error_code code = model::error_code::success;
  std::string reason;
  [[nodiscard]] bool ok() const noexcept { return code == model::error_code::success; }
};

}  // namespace pianola::executors
