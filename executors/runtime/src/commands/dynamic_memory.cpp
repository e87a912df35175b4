// SPDX-License-Identifier: Apache-2.0
#include "commands/dynamic_memory.hpp"

#include <cstring>
#include <string>
#include <variant>

#include <pianola/model/error.hpp>

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

// Bytes that look like a cookie, but have nothing behind them that such a memory has, are none.
template <class F>
void for_each_memory(const model::argument_block& block, const F& see) {
  auto* const bytes = static_cast<unsigned char*>(block.bytes);
  for (std::uint32_t at = 0; at + sizeof(dynamic_memory) <= block.size; at += 8) {
    dynamic_memory memory;
    std::memcpy(&memory, bytes + at, sizeof memory);
    if (!is_cookie(dynamic_memory_cookie_prefix, memory.cookie)) continue;
    if (memory.pointer != 0 && !is_cookie(local_cookie_prefix, memory.pointer)) continue;
    see(memory);
    std::memcpy(bytes + at, &memory, sizeof memory);
  }
}

}  // namespace

std::uint32_t lay_out_dynamic_memory(const model::argument_block& arguments, std::uint32_t bytes) {
  std::uint64_t end = bytes;
  bool first = true;
  for_each_memory(arguments, [&](dynamic_memory& memory) {
    if (first && memory.pointer != 0) end = memory.behind;
    if (first) bytes = static_cast<std::uint32_t>(end);
    first = false;
    memory.behind = bytes;
    const std::uint64_t offset = (end + memory.alignment - 1) / memory.alignment * memory.alignment;
    if (memory.bytes > 0xffffffffU || offset + memory.bytes > 0xffffffffU)
      throw user_error(error_code::memory_allocation,
                       "a work-group would need more than 4 GiB of local memory");
    memory.pointer = make_local_cookie(offset);
    end = offset + memory.bytes;
  });
  return static_cast<std::uint32_t>(end);
}

void lay_out_dynamic_memory(submission& s) {
  const auto* kernel = std::get_if<model::kernel_command>(&s.payload);
  if (kernel == nullptr) return;
  bool any = false;
  for_each_memory(s.arguments.block(), [&](dynamic_memory&) { any = true; });
  if (!any) return;
  if (!kernel->geometry.grouped)
    throw user_error(error_code::kernel_argument,
                     "a kernel without work-groups uses dynamic local memory; launch it over an "
                     "nd_range");
  s.local_memory_bytes = lay_out_dynamic_memory(s.arguments.block(), s.local_memory_bytes);
}

void refuse_dynamic_memory(const submission& s) {
  for_each_memory(s.arguments.block(), [](dynamic_memory&) {
    throw user_error(error_code::invalid,
                     "a kernel that is submitted to a device uses dynamic local memory, which is "
                     "for recorded graphs; use a local_accessor");
  });
}

}  // namespace pianola::runtime
