// SPDX-License-Identifier: Apache-2.0
#include <sycl/detail/buffer/usm.hpp>

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

bool has_allocation(pianola::runtime::buffer_key key, const device& dev) {
  return translate([&] { return pianola::runtime::has_allocation(key, device_access::id(dev)); });
}

unsigned char* allocation_on(pianola::runtime::buffer_key key, const device& dev, const char* who) {
  if (!has_allocation(key, dev)) refuse_missing_allocation(who);
  return translate([&] {
    return static_cast<unsigned char*>(
        pianola::runtime::device_pointer(key, device_access::id(dev)));
  });
}

device device_of_allocation(pianola::runtime::buffer_key key, const void* address,
                            std::size_t offset, const char* who) {
  for (const device& dev : all_devices()) {
    if (!has_allocation(key, dev)) continue;
    const unsigned char* const first = allocation_on(key, dev, who);
    if (address == first || address == first + offset) return dev;
  }
  refuse_missing_allocation(who);
}

void set_owned(pianola::runtime::buffer_key key, const device& dev, bool owned, const char* who) {
  if (!has_allocation(key, dev)) refuse_missing_allocation(who);
  translate([&] { pianola::runtime::set_allocation_owned(key, device_access::id(dev), owned); });
}

}  // namespace detail
namespace detail {

external_list::external_list(std::size_t count)
    : all_(new pianola::runtime::external_allocation[count]) {
  if (count != 0) return;
  delete[] all_;
  throw_error(errc::invalid,
              "buffer: the list of USM allocations is empty; use the constructor "
              "that takes only a range");
}
external_list::~external_list() { delete[] all_; }

void external_list::add(const device& dev, void* pointer, std::size_t alignment, bool holds_data,
                        bool owned) {
  if (pointer == nullptr)
    throw_error(errc::invalid, "buffer: a USM allocation of the list is a null pointer");
  if (reinterpret_cast<std::uintptr_t>(pointer) % alignment != 0)
    throw_error(
        errc::invalid,
        fmt::format("buffer: a USM allocation of the list is not aligned to {} bytes", alignment));
  pianola::runtime::external_allocation e;
  e.device = device_access::id(dev);
  e.pointer = pointer;
  e.holds_data = holds_data;
  e.owned = owned;
  for (std::size_t i = 0; i < size_; ++i)
    if (all_[i].device == e.device)
      throw_error(errc::invalid,
                  "buffer: two USM allocations of the list are for the same device; a buffer has "
                  "one per device");
  all_[size_++] = e;
}

std::vector<device> devices_with_allocations(pianola::runtime::buffer_key key) {
  std::vector<device> devices;
  std::vector<const void*> seen;
  for (const device& dev : all_devices()) {
    if (!has_allocation(key, dev)) continue;
    const void* const at = allocation_on(key, dev, "buffer::for_each_allocation");
    if (std::find(seen.begin(), seen.end(), at) != seen.end()) continue;
    seen.push_back(at);
    devices.push_back(dev);
  }
  return devices;
}

}  // namespace detail

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
