// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

namespace samples {

/// The user's arguments or files are wrong. The text is one line that says what, where and what to do.
class input_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Text from outside, safe to print on one line: control characters become '?', long text is cut.
inline std::string printable(const std::string& text) {
  constexpr std::size_t longest = 120;
  std::string result = text.substr(0, longest);
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  if (text.size() > longest) result += "...";
  return result;
}

/// Runs `body`, which returns whether the results were verified, and turns its outcome into an exit status:
/// 0 verified (the last line printed is OK), 1 wrong result or failure, 2 bad input.
template <class Body>
int run_sample(const char* name, Body body) {
  try {
    if (body()) {
      std::printf("OK\n");
      return 0;
    }
    std::fprintf(stderr, "%s: the result is wrong\n", name);
    return 1;
  } catch (const input_error& e) {
    std::fprintf(stderr, "%s: %s\n", name, e.what());
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: %s\n", name, e.what());
    return 1;
  }
}

}  // namespace samples
