// SPDX-License-Identifier: Apache-2.0
// One program for all targets, with libFuzzer's options and two of its own:
//   fuzz_readers --target=NAME [--seeds=FOLDER] [-max_total_time=60] [corpus/]
// --seeds writes good input into the folder, which is made. run.sh runs all targets.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "file_mutator.hpp"
#include "target.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using namespace pianola::testing;

const fuzz_target* const targets[] = {&graph_target,   &plan_target,   &topology_target,
                                      &journal_target, &folder_target, &executable_target,
                                      &slots_target};
const fuzz_target* chosen = nullptr;

void choose(std::string_view name) {
  for (const fuzz_target* t : targets)
    if (name == t->name) chosen = t;
  if (chosen != nullptr) return;
  std::fprintf(stderr, "fuzz_readers: --target is one of");
  for (const fuzz_target* t : targets) std::fprintf(stderr, " %s", t->name);
  std::fprintf(stderr, "\n");
  std::exit(2);
}

void write_seeds(const std::string& folder) {
  std::filesystem::create_directories(folder);
  std::size_t number = 0;
  for (const std::string& seed : chosen->seeds()) {
    std::ofstream file(folder + "/seed-" + std::to_string(number++), std::ios::binary);
    file.write(seed.data(), static_cast<std::streamsize>(seed.size()));
  }
}

// Nothing here is written for depths that only a fuzzer thinks of.
bool is_flat(const std::string& text) {
  std::size_t depth = 0, deepest = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if ((c == ']' || c == '}') && depth != 0) --depth;
  }
  return deepest < 64;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  std::string_view target;
  std::string seeds;
  for (int i = 1; i < *count; ++i) {
    const std::string_view word = (*words)[i];
    if (word.substr(0, 9) == "--target=") target = word.substr(9);
    if (word.substr(0, 8) == "--seeds=") seeds = word.substr(8);
  }
  choose(target);
  try {
    if (!seeds.empty()) write_seeds(seeds);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "fuzz_readers: no seeds: %s\n", e.what());
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->use(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  if (chosen->mutated_as == fuzz_target::form::bytes || seed % 3 == 0)
    return LLVMFuzzerMutate(data, size, most);
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (!is_flat(text)) return LLVMFuzzerMutate(data, size, most);
  std::string changed;
  try {
    changed = file_mutator(seed).structure(text);
  } catch (const std::exception&) {  // no UTF-8, or no object
    return LLVMFuzzerMutate(data, size, most);
  }
  size = std::min(changed.size(), most);
  std::memcpy(data, changed.data(), size);
  return size;
}
