// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <gtest/gtest.h>

namespace pianola::testing {

// A folder that goes away with all that is in it.
class temporary_folder {
 public:
  temporary_folder() {
    std::string pattern = ::testing::TempDir() + "pianola-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
  }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  // Path of a file in the folder, which need not exist.
  [[nodiscard]] std::string file(std::string_view name) const {
    return path_ + "/" + std::string(name);
  }
  std::string file(std::string_view name, std::string_view contents) const {
    const std::string at = file(name);
    std::ofstream(at, std::ios::binary) << contents;
    return at;
  }

 private:
  std::string path_;
};

}  // namespace pianola::testing
