// SPDX-License-Identifier: Apache-2.0
#include <sycl/detail/kernels/specialization_constants.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include <pianola/runtime/buffers.hpp>
#include <pianola/runtime/cookie.hpp>
#include <pianola/runtime/submission.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

namespace {

/// Lives until its command group is submitted; the runtime keeps storage for as long as commands need it.
class constants_in_memory {
 public:
  explicit constants_in_memory(const std::vector<unsigned char>& bytes) : bytes_(bytes.size()) {
    pianola::runtime::buffer_description d;
    d.info.grid = pianola::model::page_grid(pianola::model::extent3{{1, 1, bytes.size()}});
    d.info.element_size = 1;
    d.host_data = const_cast<unsigned char*>(bytes.data());
    d.use = pianola::runtime::host_data_use::copied;
    d.label = "specialization constants";
    key_ = translate([&] { return pianola::runtime::create_buffer(d); });
  }
  constants_in_memory(const constants_in_memory&) = delete;
  constants_in_memory& operator=(const constants_in_memory&) = delete;
  ~constants_in_memory() { pianola::runtime::destroy_buffer(key_, false); }

  /// What stands for the address in the function object of that submission's command.
  const unsigned char* bind(pianola::runtime::submission& s) const {
    pianola::runtime::accessor_request r;
    r.buffer = key_;
    r.mode = pianola::model::access_mode::read;
    r.elements.hi = {{1, 1, bytes_}};
    r.cookie = pianola::runtime::next_accessor_cookie();
    s.accessors.push_back(r);
    return reinterpret_cast<const unsigned char*>(r.cookie);
  }

 private:
  pianola::runtime::buffer_key key_;
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
