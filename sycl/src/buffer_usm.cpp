// SPDX-License-Identifier: Apache-2.0
#include <sycl/detail/buffer_usm.hpp>

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
                            const char* who) {
  for (const device& dev : all_devices())
    if (has_allocation(key, dev) && allocation_on(key, dev, who) == address) return dev;
  refuse_missing_allocation(who);
}

void set_owned(pianola::runtime::buffer_key key, const device& dev, bool owned, const char* who) {
  if (!has_allocation(key, dev)) refuse_missing_allocation(who);
  translate([&] { pianola::runtime::set_allocation_owned(key, device_access::id(dev), owned); });
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
