// SPDX-License-Identifier: Apache-2.0
#include <sycl/detail/kernels/specialization_constants.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include <pianola/runtime/constant_buffers.hpp>
#include <pianola/runtime/cookie.hpp>
#include <pianola/runtime/submission.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

namespace {

/// Other compilers name constants by their addresses.
#if defined(PIANOLA_FOR_COMPILED_PROGRAMS)
constexpr bool keys_are_portable = true;
#else
constexpr bool keys_are_portable = false;
#endif

/// Lives until its command group is submitted and, if that is recorded, as long as the graph.
class constants_in_memory {
 public:
  explicit constants_in_memory(const std::vector<unsigned char>& bytes)
      : buffer_(translate([&] {
          return std::make_unique<pianola::runtime::constant_buffer>(
              bytes.data(), bytes.size(), "specialization constants", keys_are_portable);
        })),
        bytes_(bytes.size()) {}

  /// What stands for the address in the function object of that submission's command.
  const unsigned char* bind(pianola::runtime::submission& s) const {
    pianola::runtime::accessor_request r;
    r.buffer = buffer_->key();
    r.mode = pianola::model::access_mode::read;
    r.elements.hi = {{1, 1, bytes_}};
    r.cookie = pianola::runtime::next_accessor_cookie();
    s.accessors.push_back(r);
    return reinterpret_cast<const unsigned char*>(r.cookie);
  }

 private:
  std::unique_ptr<pianola::runtime::constant_buffer> buffer_;
  std::size_t bytes_;
};

std::size_t aligned(std::size_t at, std::size_t alignment) {
  return (at + alignment - 1) / alignment * alignment;
}

}  // namespace

void constant_values::copy_to(constant_block& block, pianola::runtime::submission& of) const {
  using slot = constant_block::slot;
  std::memset(static_cast<void*>(&block), 0, sizeof(block));
  std::size_t used = 0;
  std::vector<const entry*> others;
  for (const entry& e : entries_) {
    const std::size_t at = aligned(used, e.alignment);
    if (block.count_ == constant_block::most_values ||
        at + e.bytes.size() > constant_block::most_bytes) {
      others.push_back(&e);
      continue;
    }
    std::memcpy(block.bytes_ + at, e.bytes.data(), e.bytes.size());
    block.slots_[block.count_++] =
        slot{e.key, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(e.bytes.size())};
    used = at + e.bytes.size();
  }
  if (others.empty()) return;
  std::vector<slot> slots;
  std::size_t end = others.size() * sizeof(slot);
  for (const entry* e : others) {
    const std::size_t at = aligned(end, e->alignment);
    slots.push_back(
        slot{e->key, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(e->bytes.size())});
    end = at + e->bytes.size();
  }
  std::vector<unsigned char> bytes(end);
  std::memcpy(bytes.data(), slots.data(), slots.size() * sizeof(slot));
  for (std::size_t i = 0; i < others.size(); ++i)
    std::memcpy(bytes.data() + slots[i].offset, others[i]->bytes.data(), others[i]->bytes.size());
  const auto memory = std::make_shared<constants_in_memory>(bytes);
  block.more_ = memory->bind(of);
  block.more_count_ = static_cast<std::uint32_t>(slots.size());
  of.kept_alive.push_back(memory);
}

void constant_values::merge(const constant_values& other) {
  for (const entry& e : other.entries_) set(e.key, e.bytes.data(), e.bytes.size(), e.alignment);
}

void constant_values::set(std::uint64_t key, const void* value, std::size_t size,
                          std::size_t alignment) {
  const auto* const from = static_cast<const unsigned char*>(value);
  for (entry& e : entries_)
    if (e.key == key && e.bytes.size() == size) {
      std::memcpy(e.bytes.data(), value, size);
      return;
    }
  entries_.push_back(entry{key, alignment, std::vector<unsigned char>(from, from + size)});
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
