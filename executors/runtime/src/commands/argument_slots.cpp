// SPDX-License-Identifier: Apache-2.0
#include "commands/argument_slots.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <pianola/host/thread_storage.hpp>
#include <pianola/model/error.hpp>
#include <pianola/model/texture.hpp>
#include <pianola/runtime/buffers.hpp>

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

// Storage that is used again by every submission of a thread.
struct slots_of_thread {
  std::vector<model::argument_slot> buffers;
  std::vector<model::argument_slot> local;
  std::vector<model::argument_slot> textures;
};

// Whether the word is the last one of an accessor that knows its buffer.
bool ends_accessor(std::uint64_t word, bool placeholder) noexcept {
  return word >> 40 == (std::uint64_t{accessor_mark} << 8 | (placeholder ? 1U : 0U));
}

// What is left in a std::optional without a value looks like an accessor, with a zero behind it.
bool is_in_use(const unsigned char* bytes, std::size_t size, std::size_t end) noexcept {
  return end == size || bytes[end] != 0;
}

// Whether the bytes behind a cookie are the rest of an accessor that knows its buffer, one that `accepts` its key and
// where it ends.
template <class F>
bool whole_accessor_before(const unsigned char* bytes, std::size_t size, bool placeholder,
                           F&& accepts) {
  std::uint64_t words[2];
  for (std::size_t at = 0; at <= most_shape_bytes && at + sizeof words <= size;
       at += sizeof *words) {
    std::memcpy(words, bytes + at, sizeof words);
    // What follows belongs to another one.
    if (is_cookie(cookie_prefix, words[0]) || is_cookie(placeholder_cookie_prefix, words[0]))
      return false;
    if (ends_accessor(words[1], placeholder)) return accepts(words[0], at + sizeof words);
  }
  return false;
}

// Padding may hold what was in memory, and is shorter than the widest alignment. What fits into it is not said to be an
// accessor of another command group: better to miss a mistake than to refuse a program that is right. Of two words alone,
// padding holds none whole up to half of this alignment, and not both up to this one.
constexpr std::uint32_t most_alignment_to_tell = 16;

// A cookie that the command group does not know: an accessor of another one, if that is certain. What is left in a
// std::optional without a value is one, with a zero behind it. Raw accessors, and those that do not know their buffer,
// cannot be told.
bool is_foreign_accessor(const unsigned char* behind, std::size_t size, std::uint32_t alignment) {
  return whole_accessor_before(behind, size, false, [&](std::uint64_t key, std::size_t end) {
    return sizeof(std::uint64_t) + end >= alignment && is_in_use(behind, size, end) &&
           was_buffer(buffer_key(key));
  });
}

// Likewise a local accessor whose memory begins behind all that the command group has, but for one of no dimensions: its
// extent follows.
bool is_foreign_local_accessor(const submission& s, std::uint64_t cookie,
                               const unsigned char* behind, std::size_t size) {
  std::uint64_t extent = 0;
  if (s.arguments.block().alignment > most_alignment_to_tell / 2) return false;
  if (local_cookie_offset(cookie) < s.local_memory_bytes || size < sizeof extent) return false;
  std::memcpy(&extent, behind, sizeof extent);
  return extent != 0 && extent <= std::uint64_t{1} << 36 && is_in_use(behind, size, sizeof extent);
}

[[noreturn]] void refuse_foreign_accessor(const char* whose, const char* what) {
  throw user_error(error_code::kernel_argument,
                   fmt::format("{} captures {} that was made in another command group, and is of "
                               "no use in this one: make {} in each command group, or an accessor "
                               "without a handler that each of them requires",
                               whose, what, what));
}

// Accessors of host tasks have an address where those of kernels have a cookie: nothing faults, the task would see what
// happens to be there. Known by their end, as others are.
void check_accessors_of_host_task(const submission& s) {
  const model::argument_block& block = s.arguments.block();
  const auto* bytes = static_cast<const unsigned char*>(block.bytes);
  if (block.alignment > most_alignment_to_tell) return;
  std::uint64_t words[2];
  for (std::size_t at = 0; at + sizeof words <= block.size; at += sizeof *words) {
    std::memcpy(words, bytes + at, sizeof words);
    if (!ends_accessor(words[1], false) || !is_in_use(bytes, block.size, at + sizeof words))
      continue;
    const buffer_key key(words[0]);
    const auto is_of = [&](const accessor_request& a) { return a.buffer == key; };
    // Padding behind an accessor may end like one.
    if (std::none_of(s.accessors.begin(), s.accessors.end(), is_of) && was_buffer(key))
      refuse_foreign_accessor("the host task", "an accessor");
  }
}

std::uint64_t host_address_of(const accessor_request& a) noexcept {
  return reinterpret_cast<std::uintptr_t>(a.host_address);
}

// The request of the host task's accessor that begins with the word at `at`, or how many there are: an address alone may be
// a pointer of the program's.
std::uint32_t host_accessor_at(const submission& s, std::uint32_t at) {
  const model::argument_block& block = s.arguments.block();
  const auto* const bytes = static_cast<const unsigned char*>(block.bytes);
  const auto count = static_cast<std::uint32_t>(s.accessors.size());
  const auto is_address = [&](std::uint64_t word) {
    return word != 0 && std::any_of(s.accessors.begin(), s.accessors.end(),
                                    [&](const auto& a) { return host_address_of(a) == word; });
  };
  std::uint64_t address, words[2];
  std::memcpy(&address, bytes + at, sizeof address);
  if (!is_address(address)) return count;
  std::uint32_t behind = at + sizeof address;
  for (std::uint32_t shape = 0; shape <= most_shape_bytes && behind + sizeof words <= block.size;
       shape += sizeof *words, behind += sizeof *words) {
    std::memcpy(words, bytes + behind, sizeof words);
    if (is_address(words[0])) return count;  // what follows belongs to another one
    if (!ends_accessor(words[1], false) && !ends_accessor(words[1], true)) continue;
    std::uint32_t found = 0;
    while (found < count && (s.accessors[found].buffer != buffer_key(words[0]) ||
                             host_address_of(s.accessors[found]) != address))
      ++found;
    return found;
  }
  return count;
}

// Accessors that do not know their buffer, and pointers that were taken from one, are but the address.
void find_bare_addresses(const submission& s, std::vector<model::argument_slot>& out) {
  const model::argument_block& block = s.arguments.block();
  const auto* const bytes = static_cast<const unsigned char*>(block.bytes);
  const auto is_slot = [&](std::uint32_t at) {
    return std::any_of(out.begin(), out.end(), [&](const auto& slot) { return slot.offset == at; });
  };
  for (std::uint32_t i = 0; i < s.accessors.size(); ++i) {
    const accessor_request& a = s.accessors[i];
    if (a.host_address == nullptr || holds_host_accessor(s, out, i)) continue;
    for (std::uint32_t at = 0; at + 8 <= block.size; at += 8) {
      std::uint64_t word;
      std::memcpy(&word, bytes + at, 8);
      if (word == host_address_of(a) && !is_slot(at))
        out.push_back({at, model::argument_slot::kind::buffer, i, a.byte_offset});
    }
  }
}

// The placeholder accessors that command groups required last, and their buffers. Right programs leave the cookie of one
// of them behind in the padding of their kernels: in a command group that does not require it, it counts only as part
// of a whole accessor.
class required_placeholders {
 public:
  void add(std::uint64_t cookie, buffer_key buffer) noexcept {
    entry& e = last_[serial_of_cookie(cookie) % last_.size()];
    if (e.cookie.load(std::memory_order_relaxed) == cookie) return;
    e.cookie.store(0, std::memory_order_relaxed);
    e.buffer.store(buffer.value(), std::memory_order_release);
    e.cookie.store(cookie, std::memory_order_release);
  }
  // `bytes` are those behind the cookie.
  bool are_stray_bytes(std::uint64_t cookie, const unsigned char* bytes,
                       std::size_t size) noexcept {
    const entry& e = last_[serial_of_cookie(cookie) % last_.size()];
    if (e.cookie.load(std::memory_order_acquire) != cookie) return false;
    const std::uint64_t buffer = e.buffer.load(std::memory_order_acquire);
    if (e.cookie.load(std::memory_order_relaxed) != cookie) return true;
    return !whole_accessor_before(bytes, size, true,
                                  [&](std::uint64_t b, std::size_t) { return b == buffer; });
  }

 private:
  struct entry {
    std::atomic<std::uint64_t> cookie{0};
    std::atomic<std::uint64_t> buffer{0};
  };
  std::array<entry, 4096> last_{};
};
required_placeholders required_before;

// Whether it has the prefix of any of them, which few words of arguments have.
constexpr bool may_be_cookie(std::uint64_t word) noexcept {
  constexpr std::uint64_t first = dynamic_memory_cookie_prefix >> 48;
  constexpr std::uint64_t last = placeholder_cookie_prefix >> 48;
  return (word >> 48) - first <= last - first;
}

// The accessor that the texture is of is in the submission, or these are stray bytes. Textures are known, and end, by the
// address of their allocation: none for texels that begin elsewhere in it (an image's bytes are a buffer of its own).
void find_texture(const submission& s, std::uint32_t at, std::vector<model::argument_slot>& out) {
  const model::argument_block& block = s.arguments.block();
  if (block.size - at < sizeof(model::texture_argument)) return;
  model::texture_argument asked;
  std::memcpy(&asked, static_cast<const unsigned char*>(block.bytes) + at, sizeof asked);
  const auto cookie = reinterpret_cast<std::uint64_t>(asked.texels);
  for (std::uint32_t i = 0; i < s.accessors.size(); ++i)
    if (cookie != 0 && s.accessors[i].cookie == cookie) {
      if (s.accessors[i].byte_offset == 0)
        out.push_back({at, model::argument_slot::kind::texture, i, 0});
      return;
    }
}

}  // namespace

bool holds_host_accessor(const submission& s, model::array_view<const model::argument_slot> slots,
                         std::uint32_t accessor) {
  return std::any_of(slots.begin(), slots.end(), [&](const model::argument_slot& slot) {
    const accessor_request &mine = s.accessors[accessor], &other = s.accessors[slot.requirement];
    return other.buffer == mine.buffer && other.host_address == mine.host_address;
  });
}

found_slots find_slots(const submission& s) {
  slots_of_thread& found_here = host::thread_storage<slots_of_thread>::get();
  found_here.buffers.clear();
  found_here.local.clear();
  found_here.textures.clear();
  const model::argument_block& block = s.arguments.block();
  const auto* bytes = static_cast<const unsigned char*>(block.bytes);
  bool dynamic_memory = false;
  const bool kernel = std::holds_alternative<model::kernel_command>(s.payload);
  const bool host_task = std::holds_alternative<model::host_task_command>(s.payload);
  if (host_task) check_accessors_of_host_task(s);
  const auto look_for_host_accessor = [&](std::uint32_t at) {
    const std::uint32_t found = host_accessor_at(s, at);
    if (found != s.accessors.size())
      found_here.buffers.push_back(
          {at, model::argument_slot::kind::buffer, found, s.accessors[found].byte_offset});
  };
  for (std::uint32_t at = 0; at + 8 <= block.size; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes + at, 8);
    if (!may_be_cookie(word)) [[likely]] {
      if (host_task) look_for_host_accessor(at);
      continue;
    }
    const bool placeholder = is_cookie(placeholder_cookie_prefix, word);
    if (placeholder || is_cookie(cookie_prefix, word)) {
      std::uint32_t found = 0;
      const auto count = static_cast<std::uint32_t>(s.accessors.size());
      while (found < count && s.accessors[found].cookie != word) ++found;
      if (found == count && !placeholder) {
        if (kernel && is_foreign_accessor(bytes + at + 8, block.size - at - 8, block.alignment))
          refuse_foreign_accessor("the kernel", "an accessor or stream");
        continue;
      }
      if (found == count &&
          required_before.are_stray_bytes(word, bytes + at + 8, block.size - at - 8))
        continue;
      if (found == count)
        throw user_error(
            error_code::kernel_argument,
            "the kernel captures a placeholder accessor that its command group does not "
            "require: call handler::require for it");
      if (placeholder) required_before.add(word, s.accessors[found].buffer);
      found_here.buffers.push_back(
          {at, model::argument_slot::kind::buffer, found, s.accessors[found].byte_offset});
    } else if (is_cookie(local_cookie_prefix, word)) {
      if (kernel && is_foreign_local_accessor(s, word, bytes + at + 8, block.size - at - 8))
          [[unlikely]]
        refuse_foreign_accessor("the kernel", "a local accessor");
      found_here.local.push_back(
          {at, model::argument_slot::kind::local_memory, 0, local_cookie_offset(word)});
    } else if (word == texture_cookie) {
      find_texture(s, at, found_here.textures);
    } else if (is_cookie(dynamic_memory_cookie_prefix, word)) [[unlikely]] {
      dynamic_memory = true;
    } else if (host_task) {
      look_for_host_accessor(at);
    }
  }
  if (host_task) find_bare_addresses(s, found_here.buffers);
  return {found_here.buffers, found_here.local, found_here.textures, dynamic_memory};
}

}  // namespace pianola::runtime
