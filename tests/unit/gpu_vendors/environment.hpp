// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdlib>
#include <optional>
#include <string>

namespace pianola::test {

// Sets an environment variable (null: removes it) as long as this lives.
class environment {
 public:
  environment(const char* name, const char* value) : name_(name) {
    if (const char* former = std::getenv(name)) former_ = former;
    set(value);
  }
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;
  ~environment() { set(former_ ? former_->c_str() : nullptr); }

 private:
  void set(const char* value) {
    if (value != nullptr)
      setenv(name_.c_str(), value, 1);
    else
      unsetenv(name_.c_str());
  }
  std::string name_;
  std::optional<std::string> former_;
};

}  // namespace pianola::test
