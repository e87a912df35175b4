// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pianola/test/temporary_folder.hpp>

#if defined(PIANOLA_PLANS_DRIVERS)
#define PIANOLA_PLANS_HAVE_IMAGES
#else
#define PIANOLA_PLANS_DRIVERS ""
#endif

namespace pianola::testing {

struct outcome {
  int code = -1;
  std::string out, err;

  // The line that begins with this word, without it; empty if there is none.
  [[nodiscard]] std::string line(const std::string& word) const {
    const std::string all = "\n" + out;
    const std::size_t at = all.find("\n" + word + " ");
    if (at == std::string::npos) return {};
    const std::size_t begin = at + word.size() + 2;
    return all.substr(begin, all.find('\n', begin) - begin);
  }
};

// A folder that goes away, and programs that run with it.
class in_folder : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.file(name); }

  [[nodiscard]] outcome shell(const std::string& command) const {
    outcome o;
    const std::string errors = path("stderr.txt");
    std::FILE* const pipe = ::popen((command + " 2>'" + errors + "'").c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("no pipe");
    std::array<char, 4096> block{};
    for (std::size_t n; (n = std::fread(block.data(), 1, block.size(), pipe)) != 0;)
      o.out.append(block.data(), n);
    const int status = ::pclose(pipe);
    o.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    std::FILE* const file = std::fopen(errors.c_str(), "r");
    if (file != nullptr) {
      for (std::size_t n; (n = std::fread(block.data(), 1, block.size(), file)) != 0;)
        o.err.append(block.data(), n);
      std::fclose(file);
    }
    return o;
  }
  // `environment`: "NAME=value NAME=value".
  [[nodiscard]] outcome program(const std::string& environment,
                                const std::string& arguments) const {
    return shell("env PIANOLA_DEVICES=" + devices_ + " " PIANOLA_PLANS_DRIVERS " " + environment +
                 " '" PIANOLA_PLANS_PROGRAM "' " + arguments);
  }

  const temporary_folder folder_;
  std::string devices_ = "openmp";
};

// Whoever is asked on each kind of machine.
#if defined(PIANOLA_PLANS_HAVE_IMAGES)
inline const char* const machines[] = {"cuda", "hip"};  // their drivers' doubles
#else
inline const char* const machines[] = {"openmp", "simulated:1", "simulated:2:separate"};
#endif

}  // namespace pianola::testing
