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
#include <pianola/model/texture.hpp>
#include <pianola/planner/verify.hpp>

#include "layout.hpp"

namespace pianola::testing {

// Size and checksum as they must be, of graphs in it, too: what is wrong besides is to be found by other means.
inline void sum_up(unsigned char* data, std::size_t bytes) {
  using namespace executable;
  if (bytes < sizeof(file_header)) return;
  file_header& header = *reinterpret_cast<file_header*>(data);
  header.file_bytes = bytes;
  file_layout in;
  std::size_t next = 0;
  const auto find = [&]<class Record>(model::array_view<const Record>& section) {
    const section_place& p = header.places[next++];
    if (p.offset % section_alignment == 0 && p.offset <= bytes &&
        p.count <= (bytes - p.offset) / sizeof(Record))
      section = {reinterpret_cast<const Record*>(data + p.offset),
                 static_cast<std::size_t>(p.count)};
  };
#define PIANOLA_FIND(name, record) find(in.name);
  PIANOLA_EXECUTABLE_SECTIONS(PIANOLA_FIND)
#undef PIANOLA_FIND
  // A changed header may say that there is none.
  const std::size_t most = in.nested.empty() ? 0 : std::min<std::size_t>(in.bodies.size(), 16);
  for (std::size_t i = 0; i < most; ++i) {
    const body_record b = in.bodies[i];
    // Those behind it: what holds itself would never end.
    const auto at = static_cast<std::size_t>(in.nested.data() - data);
    if (b.place % section_alignment == 0 && b.place <= in.nested.size() &&
        b.bytes <= in.nested.size() - b.place && at >= sizeof(file_header))
      sum_up(data + at + b.place, static_cast<std::size_t>(b.bytes));
  }
  constexpr std::size_t behind = offsetof(file_header, checksum) + sizeof header.checksum;
  header.checksum = checksum(data + behind, bytes - behind);
}
inline void sum_up(std::string& bytes) {
  sum_up(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size());
}

// Everything that a program does with a file that it has loaded, up to running it. Throws std::logic_error if it should
// have been refused.
inline void use_graph(executable::file& file) {
  const auto expect = [](bool right, const char* what) {
    if (!right) throw std::logic_error(what);
  };
  const model::kernel_descriptor kernel{};
  const std::vector<const model::kernel_descriptor*> kernels(file.kernels().size(), &kernel);
  std::vector<unsigned char> memory(64);
  const std::vector<void*> pointers(file.allocations().size(), memory.data());
  const std::vector<model::command> commands = file.take_commands(kernels, pointers);
  const planner::plan plan = file.plan();
  std::size_t read = 0;
  for (std::uint32_t i = 0; i < commands.size(); ++i) {
    read += file.allocations_of(i).size() + std::strlen(commands[i].label);
    const auto* k = std::get_if<model::kernel_command>(&commands[i].payload);
    if (k == nullptr) continue;
    const auto* at = static_cast<const unsigned char*>(k->arguments.bytes);
    for (std::uint32_t b = 0; b < k->arguments.size; ++b) read += at[b];
    if (k->geometry.part != nullptr)
      expect(contains(model::box::of(k->geometry.units()), *k->geometry.part),
             "a part outside of its index space");
    for (const model::argument_slot& s : k->slots) {
      expect(s.offset + 8 <= k->arguments.size, "a slot outside of the arguments");
      if (s.what != model::argument_slot::kind::local_memory)
        expect(s.requirement < commands[i].requirements.size(), "a slot of no requirement");
      if (s.what != model::argument_slot::kind::texture) continue;
      model::texture_argument asked;
      expect(s.offset + sizeof asked <= k->arguments.size, "an image outside of the arguments");
      std::memcpy(&asked, at + s.offset, sizeof asked);
      const model::buffer_id image = commands[i].requirements[s.requirement].buffer;
      const model::texture_description& d = asked.description;
      const std::uint64_t size = file.buffers()[image.value()].info.bytes();
      expect(asked.texels == nullptr && d.height != 0 && d.row_pitch <= size / d.height &&
                 d.width <= d.row_pitch / model::texel_bytes(d.type),
             "an image outside of its buffer");
    }
  }
  for (const executable::named_parameter& p : file.parameters())
    for (const executable::named_parameter::place& at : p.places) {
      const auto* k = std::get_if<model::kernel_command>(&commands.at(at.command).payload);
      expect(k != nullptr && at.offset + p.bytes <= k->arguments.size,
             "a parameter outside of the arguments");
    }
  std::vector<model::buffer_info> buffers;
  std::uint64_t elements = 0;
  for (const executable::named_buffer& b : file.buffers()) {
    buffers.push_back(b.info);
    expect(b.constants.empty() || b.constants.size() == b.info.bytes(), "other constants");
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
  if (elements < 4096) read += verify(commands, buffers, file.machine(), plan).has_value();
  // What was read is read.
  asm volatile("" : : "r"(read));
  for (const auto& c : file.controls()) {
    const auto& s = std::get<model::subgraph_command>(commands.at(c.command).payload);
    expect(s.bodies == c.bodies.size(), "other graphs than the command says");
    if (s.condition != model::memory_operand::no_requirement) {
      const auto& r = commands[c.command].requirements;
      expect(s.condition < r.size() && c.byte_offset + c.condition_bytes <=
                                           buffers[r[s.condition].buffer.value()].bytes(),
             "a condition outside of its buffer");
    }
    for (const auto& b : c.bodies) {
      for (const std::uint32_t n : b.buffers)
        expect(n < buffers.size(), "a buffer that is not there");
      for (const std::uint32_t n : b.allocations)
        expect(n < file.allocations().size(), "an allocation that is not there");
      use_graph(*b.what);
    }
  }
}

// The same with bytes. False if they were refused.
inline bool use_file(const std::string& bytes) {
  std::shared_ptr<executable::file> file;
  try {
    file = executable::file::from_bytes(formats::file_bytes::copy_of(bytes), "file");
  } catch (const model::user_error& e) {
    if (e.code() != model::error_code::invalid)
      throw std::logic_error("another error than invalid");
    if (std::string(e.what()).find('\n') != std::string::npos)
      throw std::logic_error("more than one line");
    return false;
  }
  use_graph(*file);
  return true;
}

}  // namespace pianola::testing
