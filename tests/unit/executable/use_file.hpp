// SPDX-License-Identifier: Apache-2.0
// What is done with files that nobody trusts: by a test that changes good ones, and by libFuzzer.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <pianola/executable/file.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/verify.hpp>

#include "layout.hpp"

namespace pianola::testing {

// Size and checksum as they must be: what is wrong besides is to be found by other means.
inline void sum_up(std::string& bytes) {
  if (bytes.size() < sizeof(executable::file_header)) return;
  constexpr std::size_t behind = offsetof(executable::file_header, checksum) + 8;
  auto* const data = reinterpret_cast<unsigned char*>(bytes.data());
  const std::uint64_t size = bytes.size();
  std::memcpy(data + offsetof(executable::file_header, file_bytes), &size, 8);
  const std::uint64_t sum = executable::checksum(data + behind, bytes.size() - behind);
  std::memcpy(data + offsetof(executable::file_header, checksum), &sum, 8);
}

// Everything that a program does with a file that it has loaded, up to running it. False if it was refused. Throws
// std::logic_error if it should have been.
inline bool use_file(const std::string& bytes) {
  const auto expect = [](bool right, const char* what) {
    if (!right) throw std::logic_error(what);
  };
  std::shared_ptr<executable::file> file;
  try {
    file = executable::file::from_bytes(formats::file_bytes::copy_of(bytes), "file");
  } catch (const model::user_error& e) {
    expect(e.code() == model::error_code::invalid, "another error than invalid");
    expect(std::string(e.what()).find('\n') == std::string::npos, "more than one line");
    return false;
  }
  const model::kernel_descriptor kernel{};
  const std::vector<const model::kernel_descriptor*> kernels(file->kernels().size(), &kernel);
  std::vector<unsigned char> memory(64);
  const std::vector<void*> pointers(file->allocations().size(), memory.data());
  const std::vector<model::command> commands = file->take_commands(kernels, pointers);
  const planner::plan plan = file->plan();
  std::size_t read = 0;
  for (std::uint32_t i = 0; i < commands.size(); ++i) {
    read += file->allocations_of(i).size() + std::strlen(commands[i].label);
    const auto* k = std::get_if<model::kernel_command>(&commands[i].payload);
    if (k == nullptr) continue;
    const auto* at = static_cast<const unsigned char*>(k->arguments.bytes);
    for (std::uint32_t b = 0; b < k->arguments.size; ++b) read += at[b];
    if (k->geometry.part != nullptr)
      expect(contains(model::box::of(k->geometry.units()), *k->geometry.part),
             "a part outside of its index space");
    for (const model::argument_slot& s : k->slots) {
      expect(s.offset + 8 <= k->arguments.size, "a slot outside of the arguments");
      if (s.what == model::argument_slot::kind::buffer)
        expect(s.requirement < commands[i].requirements.size(), "a slot of no requirement");
    }
  }
  for (const executable::named_parameter& p : file->parameters())
    for (const executable::named_parameter::place& at : p.places) {
      const auto* k = std::get_if<model::kernel_command>(&commands.at(at.command).payload);
      expect(k != nullptr && at.offset + p.bytes <= k->arguments.size,
             "a parameter outside of the arguments");
    }
  std::vector<model::buffer_info> buffers;
  std::uint64_t elements = 0;
  for (const executable::named_buffer& b : file->buffers()) {
    buffers.push_back(b.info);
    elements = std::max(elements, volume(b.info.grid.range()));
  }
  for (const planner::storage_slot& s : plan.slots) {
    std::uint64_t block = 0;
    for (const planner::memory_use& u : plan.memories)
      if (u.memory == s.memory) block = u.block;
    const std::uint64_t size = buffers[s.buffer.value()].bytes();
    expect(size <= block && s.offset <= block - size, "storage outside of its block");
  }
  // It goes through pages one by one.
  if (elements < 4096) read += verify(commands, buffers, file->machine(), plan).has_value();
  // What was read is read.
  asm volatile("" : : "r"(read));
  return true;
}

}  // namespace pianola::testing
