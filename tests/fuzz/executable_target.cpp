// SPDX-License-Identifier: Apache-2.0
// Files of format pianola.executable/4. Their checksums are made right.
#include "sample_contents.hpp"
#include "target.hpp"
#include "use_file.hpp"

namespace pianola::testing {

namespace {

std::vector<std::string> executables() {
  const sample all;
  return {executable::to_bytes(all.what)};
}

void use_executable(const std::string& bytes) {
  std::string summed = bytes;
  sum_up(summed);
  (void)use_file(summed);
}

}  // namespace

const fuzz_target executable_target{"executable", executables, use_executable};

}  // namespace pianola::testing
