// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace ext::pianola::property::graph {

/// For the construction of a command_graph: how many bytes an executable graph may need of each device's memory. Without
/// it, and at most, what the device has. Where that is too little, buffers leave the memory for a while that may
/// (property::buffer::evictable and temporary); if that does not help, finalize() throws exception
/// (errc::memory_allocation).
class memory_budget {
 public:
  explicit memory_budget(std::uint64_t bytes) : bytes_(bytes) {}
  std::uint64_t get_bytes() const noexcept { return bytes_; }

 private:
  std::uint64_t bytes_;
};

}  // namespace ext::pianola::property::graph

template <>
struct is_property<ext::pianola::property::graph::memory_budget>
    : detail::known_property<detail::property_key("ext::pianola::property::graph::memory_budget")> {
};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
