// SPDX-License-Identifier: Apache-2.0
// Whose fault it is: user_error (the text says what to do about it) and internal_error (a bug of
// ours). Codes follow sycl::errc (SYCL 2020, 4.13.2); the SYCL interface translates at its border.
#pragma once
#include <stdexcept>
#include <string>

namespace pianola::model {

enum class error_code : unsigned char {
  success,
  runtime,
  kernel,
  accessor,
  nd_range,
  event,
  kernel_argument,
  build,
  invalid,
  memory_allocation,
  platform,
  profiling,
  feature_not_supported,
  kernel_not_supported,
  backend_mismatch,
};

class user_error : public std::runtime_error {
 public:
  user_error(error_code code, const std::string& what) : std::runtime_error(what), code_(code) {}
  [[nodiscard]] error_code code() const noexcept { return code_; }

 private:
  error_code code_;
};

class internal_error : public std::logic_error {
 public:
  explicit internal_error(const std::string& what)
      : std::logic_error("internal error of Pianola, please report it: " + what) {}
};

}  // namespace pianola::model
