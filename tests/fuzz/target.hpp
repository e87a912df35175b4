// SPDX-License-Identifier: Apache-2.0
// What libFuzzer feeds: readers of input that nobody trusts, each with all that a program does with what it accepts.
#pragma once
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <pianola/model/error.hpp>

namespace pianola::testing {

struct fuzz_target {
  const char* name;
  // Good input, from which the fuzzer starts.
  std::vector<std::string> (*seeds)();
  // Throws std::logic_error where a promise is broken.
  void (*use)(const std::string& bytes);
  enum class form { bytes, json } mutated_as = form::bytes;
};

extern const fuzz_target graph_target, plan_target, topology_target, journal_target, folder_target,
    executable_target, slots_target;

inline void promise(bool kept, const char* what) {
  if (!kept) throw std::logic_error(what);
}

// Calls `read`; bad input is refused in one line.
template <class F>
bool accepts(F&& read) {
  try {
    read();
    return true;
  } catch (const model::user_error& e) {
    promise(std::string(e.what()).find('\n') == std::string::npos, "more than one line");
    return false;
  }
}

}  // namespace pianola::testing
