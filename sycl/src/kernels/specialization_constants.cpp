// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <sycl/detail/kernels/specialization_constants.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

void constant_block::put(std::uint64_t key, const void* value, std::size_t size,
                         std::size_t alignment) {
  if (const void* const known = find(key, size)) {
    std::memcpy(const_cast<void*>(known), value, size);
    return;
  }
  const std::size_t at = (used_ + alignment - 1) / alignment * alignment;
  if (count_ == most_values || at + size > most_bytes)
    throw_error(errc::kernel_argument,
                fmt::format("a kernel's specialization constants that were given values are more "
                            "than {} or larger than {} bytes: pass the data in a buffer",
                            most_values, most_bytes));
  std::memcpy(bytes_ + at, value, size);
  slots_[count_].key = key;
  slots_[count_].offset = static_cast<std::uint32_t>(at);
  slots_[count_].size = static_cast<std::uint32_t>(size);
  ++count_;
  used_ = static_cast<std::uint32_t>(at + size);
}

void constant_values::copy_to(constant_block& block) const {
  for (const entry& e : entries_) block.put(e.key, e.bytes.data(), e.bytes.size(), e.alignment);
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
