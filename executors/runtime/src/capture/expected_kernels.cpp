// SPDX-License-Identifier: Apache-2.0
#include "capture/expected_kernels.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <variant>

#include <pianola/model/command.hpp>

#include "capture/captured_command.hpp"

namespace pianola::runtime {

namespace {

constexpr std::size_t bytes_of_word = sizeof(std::uint64_t);
constexpr std::size_t words_of_spaces = sizeof(model::extent3[4]) / bytes_of_word;
static_assert(offsetof(model::launch_geometry, offset) == 2 * sizeof(model::extent3));

// Of an accessor: its buffer and how that is used, where in it, and the offset; not its cookie, nor the address that those of host
// tasks have.
constexpr std::size_t words_of_accessor = 9;
constexpr std::size_t place_of_kind = bytes_of_word;
static_assert(sizeof(buffer_key) == bytes_of_word && offsetof(accessor_request, buffer) == 0 &&
              offsetof(accessor_request, elements) == 2 * bytes_of_word &&
              sizeof(model::box) == 6 * bytes_of_word);
template <class Member>
constexpr std::uint64_t bits_at(std::size_t offset) {
  return (~std::uint64_t{0} >> (64 - 8 * sizeof(Member))) << (8 * (offset - place_of_kind));
}
// The second word has bytes between its members.
constexpr std::uint64_t kind_mask = bits_at<model::access_mode>(offsetof(accessor_request, mode)) |
                                    bits_at<bool>(offsetof(accessor_request, no_init)) |
                                    bits_at<bool>(offsetof(accessor_request, for_order)) |
                                    bits_at<model::memory_id>(offsetof(accessor_request, memory));
constexpr std::uint64_t masks_of_use[] = {~std::uint64_t{0}, kind_mask};

std::uint64_t load(const void* from) noexcept {
  std::uint64_t word;
  std::memcpy(&word, from, bytes_of_word);
  return word;
}

// Words of both, two at a time: bits that differ.
class differences {
 public:
  void add(std::uint64_t a, std::uint64_t b) noexcept { one_ |= a ^ b; }
  template <std::size_t Count>
  void add(const void* theirs, const std::uint64_t* expected) noexcept {
    const auto* const from = static_cast<const unsigned char*>(theirs);
    std::size_t i = 0;
    for (; i + 2 <= Count; i += 2) two_ |= pair(from + i * bytes_of_word) ^ pair(expected + i);
    if (i < Count) add(load(from + i * bytes_of_word), expected[i]);
  }
  void add_masked(const void* bytes, const std::uint64_t* expected, const std::uint64_t* mask,
                  std::size_t count) noexcept {
    const auto* const theirs = static_cast<const unsigned char*>(bytes);
    std::size_t i = 0;
    for (; i + 2 <= count; i += 2)
      two_ |= (pair(theirs + i * bytes_of_word) ^ pair(expected + i)) & pair(mask + i);
    if (i < count) one_ |= (load(theirs + i * bytes_of_word) ^ expected[i]) & mask[i];
  }
  void add(bool differs) noexcept { one_ |= std::uint64_t{differs}; }
  [[nodiscard]] bool any() const noexcept { return (one_ | two_[0] | two_[1]) != 0; }

 private:
  typedef std::uint64_t words __attribute__((vector_size(2 * bytes_of_word)));
  static words pair(const void* from) noexcept {
    words w;
    std::memcpy(&w, from, sizeof w);
    return w;
  }
  std::uint64_t one_ = 0;
  words two_{};
};

}  // namespace

void expected_kernels::assign(const std::vector<std::unique_ptr<captured_command>>& commands) {
  commands_.assign(commands.size(), {});
  words_.clear();
  slots_.clear();
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const captured_command& c = *commands[i];
    const submission& s = c.asked();
    const auto* const kernel = std::get_if<model::kernel_command>(&s.payload);
    const auto slots = c.slots().buffers;
    const model::argument_block& arguments = s.arguments.block();
    if (kernel == nullptr || !c.before.empty() || kernel->geometry.part != nullptr ||
        std::any_of(s.accessors.begin(), s.accessors.end(),
                    [](const accessor_request& a) { return a.cookie == 0; }) ||
        s.accessors.size() > std::numeric_limits<std::uint16_t>::max() ||
        slots.size() > std::numeric_limits<std::uint16_t>::max())
      continue;
    expected& e = commands_[i];
    e.kernel = kernel->kernel;
    e.first_word = static_cast<std::uint32_t>(words_.size());
    e.first_slot = static_cast<std::uint32_t>(slots_.size());
    e.argument_bytes = arguments.size;
    e.argument_alignment = arguments.alignment;
    e.local_memory_bytes = s.local_memory_bytes;
    e.accessors = static_cast<std::uint16_t>(s.accessors.size());
    e.slots = static_cast<std::uint16_t>(slots.size());
    e.grouped = kernel->geometry.grouped;
    e.dimensions = kernel->geometry.dimensions;
    for (const model::argument_slot& of : slots)
      slots_.push_back({static_cast<std::uint32_t>(of.offset), of.requirement});
    const std::size_t of_arguments = (arguments.size + bytes_of_word - 1) / bytes_of_word;
    words_.resize(words_.size() + words_of_spaces + e.accessors * words_of_accessor +
                  2 * of_arguments);
    write(e, c);
  }
}

void expected_kernels::change(std::size_t i, const captured_command& c) noexcept {
  if (commands_[i].kernel != nullptr) write(commands_[i], c);
}

void expected_kernels::write(const expected& e, const captured_command& c) noexcept {
  const submission& s = c.asked();
  const auto& kernel = *std::get_if<model::kernel_command>(&s.payload);
  std::uint64_t* to = words_.data() + e.first_word;
  std::memcpy(to, &kernel.geometry, 3 * sizeof(model::extent3));
  std::memcpy(to + 9, &kernel.logical_group, sizeof(model::extent3));
  to += words_of_spaces;
  for (const accessor_request& a : s.accessors) {
    std::memcpy(to, &a, 2 * bytes_of_word + sizeof a.elements);
    to[8] = a.byte_offset;
    to += words_of_accessor;
  }
  const std::size_t whole = e.argument_bytes / bytes_of_word;
  const std::size_t all = (e.argument_bytes + bytes_of_word - 1) / bytes_of_word;
  if (e.argument_bytes == 0) return;
  std::memcpy(to, s.arguments.block().bytes, e.argument_bytes);
  to += all;
  for (std::size_t k = 0; k < all; ++k) to[k] = k < whole ? ~std::uint64_t{0} : 0;
  // There is a cookie, which is another one each time.
  for (std::uint32_t k = 0; k < e.slots; ++k)
    to[slots_[e.first_slot + k].offset / bytes_of_word] = 0;
}

bool expected_kernels::is_repeated_by(std::size_t i, const submission& s,
                                      model::device_id of_queue) const noexcept {
  const expected& e = commands_[i];
  const auto* const kernel = std::get_if<model::kernel_command>(&s.payload);
  const model::argument_block& arguments = s.arguments.block();
  if (kernel == nullptr || e.kernel == nullptr || kernel->kernel != e.kernel ||
      s.accessors.size() != e.accessors || arguments.size != e.argument_bytes ||
      arguments.alignment != e.argument_alignment || s.local_memory_bytes != e.local_memory_bytes ||
      !is_plain(s, of_queue))
    return false;
  const model::launch_geometry& g = kernel->geometry;
  if (g.dimensions != e.dimensions || g.grouped != e.grouped || g.part != nullptr) return false;
  differences found;
  const std::uint64_t* words = words_.data() + e.first_word;
  found.add<9>(&g, words);
  found.add<3>(&kernel->logical_group, words + 9);
  words += words_of_spaces;
  const accessor_request* const accessors = s.accessors.data();
  for (std::uint32_t k = 0; k < e.accessors; ++k) {
    const accessor_request& a = accessors[k];
    found.add_masked(&a, words, masks_of_use, std::size(masks_of_use));
    found.add(a.cookie == 0);
    found.add<6>(&a.elements, words + 2);
    found.add(a.byte_offset, words[8]);
    words += words_of_accessor;
  }
  const auto* const bytes = static_cast<const unsigned char*>(arguments.bytes);
  const std::size_t whole = e.argument_bytes / bytes_of_word;
  const std::size_t rest = e.argument_bytes % bytes_of_word;
  found.add_masked(bytes, words, words + whole + (rest != 0 ? 1 : 0), whole);
  const slot* const slots = slots_.data() + e.first_slot;
  for (std::uint32_t k = 0; k < e.slots; ++k)
    found.add(load(bytes + slots[k].offset), accessors[slots[k].accessor].cookie);
  return !found.any() &&
         (rest == 0 || std::memcmp(bytes + whole * bytes_of_word, words + whole, rest) == 0);
}

}  // namespace pianola::runtime
