// SPDX-License-Identifier: Apache-2.0
// sycl_ext_oneapi_peer_access, sycl_ext_oneapi_platform_device_index.
#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include <sycl/device.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {
namespace {

/// Which accesses the program has enabled. Devices that reach each other's memory always may use it: that is noted for the
/// sake of the errors.
class peer_accesses {
 public:
  static peer_accesses& instance() {
    static peer_accesses& all = *new peer_accesses;
    return all;
  }
  /// False if it is there already.
  bool add(const device& from, const device& to) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const entry e{device_access::id(from), device_access::id(to)};
    if (find(e) != enabled_.end()) return false;
    enabled_.push_back(e);
    return true;
  }
  /// False if it is not there.
  bool remove(const device& from, const device& to) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = find(entry{device_access::id(from), device_access::id(to)});
    if (at == enabled_.end()) return false;
    enabled_.erase(at);
    return true;
  }

 private:
  using entry = std::pair<pianola::model::device_id, pianola::model::device_id>;
  std::vector<entry>::iterator find(const entry& e) {
    return std::find(enabled_.begin(), enabled_.end(), e);
  }
  std::mutex mutex_;
  std::vector<entry> enabled_;
};

}  // namespace
}  // namespace detail

bool device::ext_oneapi_can_access_peer(const device& peer, ext::oneapi::peer_access) const {
  if (peer == *this || peer.get_backend() != get_backend()) return false;
  return detail::translate([&] { return pianola::runtime::reaches_memory_of(id_, peer.id_); });
}

void device::ext_oneapi_enable_peer_access(const device& peer) {
  if (!ext_oneapi_can_access_peer(peer))
    detail::throw_error(errc::feature_not_supported,
                        "device::ext_oneapi_enable_peer_access: the device cannot use the peer's "
                        "memory; ask ext_oneapi_can_access_peer first");
  if (!detail::peer_accesses::instance().add(*this, peer))
    detail::throw_error(errc::invalid,
                        "device::ext_oneapi_enable_peer_access: the access is enabled already");
}

void device::ext_oneapi_disable_peer_access(const device& peer) {
  if (!detail::peer_accesses::instance().remove(*this, peer))
    detail::throw_error(errc::invalid,
                        "device::ext_oneapi_disable_peer_access: the access is not enabled");
}

std::size_t device::ext_oneapi_index_within_platform() const {
  if (properties().parent.valid())
    detail::throw_error(errc::invalid,
                        "device::ext_oneapi_index_within_platform: a sub-device is not listed by "
                        "platform::get_devices; ask its parent");
  const std::vector<device> all = get_platform().get_devices();
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), *this) - all.begin());
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
