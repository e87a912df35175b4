// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace samples {

/// Wall time since it was made.
class stopwatch {
 public:
  double microseconds() const {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace samples
