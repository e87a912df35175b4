// SPDX-License-Identifier: Apache-2.0
// The search for accessors in the bytes of a function object: whatever those are, it reads no others, and finds each
// accessor of the command group.
#include <algorithm>
#include <cstring>

#include <pianola/model/texture.hpp>
#include <pianola/runtime/buffers.hpp>
#include <pianola/runtime/cookie.hpp>

#include "commands/argument_slots.hpp"
#include "target.hpp"

namespace pianola::testing {

namespace {

constexpr std::size_t head_bytes = 4;  // payload, accessors, alignment, kibibytes of local memory
constexpr unsigned accessor_count = 8;

// Those that any input may name. Every other one is a placeholder.
std::uint64_t cookie_of(unsigned accessor) {
  return runtime::make_cookie(
      accessor % 2 == 0 ? runtime::cookie_prefix : runtime::placeholder_cookie_prefix,
      0xf0000000U + accessor);
}

// A buffer that there is.
runtime::buffer_key known_buffer() {
  static const runtime::buffer_key key = [] {
    runtime::buffer_description d;
    d.info.grid = model::page_grid(model::extent3{{1, 1, 64}});
    d.info.element_size = 4;
    d.info.dimensions = 1;
    return runtime::create_buffer(d);
  }();
  return key;
}

std::string object(std::string head, const std::vector<std::uint64_t>& words) {
  head.resize(head_bytes + 8 * words.size());
  std::memcpy(head.data() + head_bytes, words.data(), 8 * words.size());
  return head;
}

std::vector<std::string> objects() {
  const std::uint64_t mark = std::uint64_t{runtime::accessor_mark} << 48,
                      key = known_buffer().value();
  const std::string kernel{'\0', '\3', '\0', '\1'}, host_task{'\1', '\1', '\0', '\0'};
  return {object(kernel, {cookie_of(0), 64, 0, key, mark, cookie_of(1), 64, key, mark | 1U << 8}),
          object(kernel, {1, cookie_of(4), 64, key, mark, 7}),
          object(kernel,
                 {runtime::make_local_cookie(128), 32, runtime::make_local_cookie(4096), 16, 1}),
          object(kernel, {runtime::texture_cookie, cookie_of(0), 1, 2, 3, 4, 5, 6, 7, 8}),
          object(host_task, {0, 0, key, mark, 1})};
}

void use_object(const std::string& bytes) {
  if (bytes.size() < head_bytes) return;
  const auto head = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  runtime::submission s;
  if (head(0) % 2 == 0)
    s.payload = model::kernel_command{};
  else
    s.payload = model::host_task_command{};
  for (unsigned a = 0; a < accessor_count; ++a)
    if ((head(1) >> a & 1U) != 0) {
      runtime::accessor_request r;
      r.buffer = known_buffer();
      r.cookie = cookie_of(a);
      s.accessors.push_back(r);
    }
  s.local_memory_bytes = std::uint32_t{head(3)} * 1024;
  const std::uint32_t alignment = 1U << head(2) % 8;
  const std::size_t size = bytes.size() - head_bytes;
  s.arguments.store(bytes.data() + head_bytes, static_cast<std::uint32_t>(size), alignment,
                    nullptr);
  accepts([&] {
    const runtime::found_slots found = runtime::find_slots(s);
    std::size_t expected = 0;
    for (std::size_t at = 0; at + 8 <= size; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + head_bytes + at, 8);
      expected += static_cast<std::size_t>(
          std::count_if(s.accessors.begin(), s.accessors.end(),
                        [&](const runtime::accessor_request& r) { return r.cookie == word; }));
    }
    promise(found.buffers.size() == expected, "an accessor was not found, or another one was");
    for (const model::argument_slot& slot : found.buffers)
      promise(slot.offset + 8 <= size && slot.requirement < s.accessors.size(),
              "a slot outside of the object");
    for (const model::argument_slot& slot : found.local)
      promise(slot.offset + 8 <= size, "a slot outside of the object");
    for (const model::argument_slot& slot : found.textures)
      promise(slot.offset + sizeof(model::texture_argument) <= size,
              "a texture outside of the object");
  });
}

}  // namespace

const fuzz_target slots_target{"slots", objects, use_object};

}  // namespace pianola::testing
