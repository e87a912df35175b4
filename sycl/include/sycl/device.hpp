// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include <pianola/model/aspects.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/model/partition.hpp>
#include <pianola/runtime/devices.hpp>

#include <sycl/aspect.hpp>
#include <sycl/backend.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/glue/group_context.hpp>
#include <sycl/info.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

class context;
class device;
class platform;

namespace ext::oneapi {
enum class peer_access { access_supported, atomics_supported };
namespace experimental {
enum class architecture : std::uint32_t;
enum class arch_category : std::uint32_t;
}  // namespace experimental
}  // namespace ext::oneapi

namespace detail {

struct device_access;
/// Answered in the library for the standard's descriptors; extensions specialise it.
template <class Descriptor>
struct device_info {
  static typename Descriptor::return_type get(const device&);
};
/// Those that the program's kernels run with: one that it has chosen, which the library does not know, is the only one
/// unless a kernel requires another.
template <>
struct device_info<info::device::sub_group_sizes> {
  static std::vector<std::size_t> get(const device&,
                                      std::uint32_t chosen = pianola::glue::chosen_sub_group_size);
};
template <>
struct device_info<info::device::max_num_sub_groups> {
  static std::uint32_t get(const device&,
                           std::uint32_t chosen = pianola::glue::chosen_sub_group_size);
};

/// Whether S can score devices (SYCL 2020, 4.6.1).
template <class S>
inline constexpr bool is_device_selector = std::is_invocable_r<int, const S&, const device&>::value;

}  // namespace detail

/// A device of this process (SYCL 2020, 4.6.4). Which there are is decided by the environment variable
/// PIANOLA_DEVICES. Copies name the same device.
class device {
 public:
  /// The device that default_selector_v prefers. Throws exception (errc::platform) if PIANOLA_DEVICES
  /// is malformed or names what is not there.
  device() : id_(detail::translate([] { return pianola::runtime::default_device(); })) {}

  /// Throws exception (errc::runtime) if the selector rejects every device.
  template <class DeviceSelector,
            class = std::enable_if_t<detail::is_device_selector<DeviceSelector>>>
  explicit device(const DeviceSelector& selector) : device(select(selector)) {}

  backend get_backend() const noexcept { return detail::to_backend(properties().backend); }
  platform get_platform() const;

  /// Of SYCL 1.2.1, whose host device SYCL 2020 does without.
  bool is_host() const { return false; }
  bool is_cpu() const { return has(aspect::cpu); }
  bool is_gpu() const { return has(aspect::gpu); }
  bool is_accelerator() const { return has(aspect::accelerator); }
  bool has(aspect) const;
  /// Of AdaptiveCpp: whether the program's kernels were compiled for the device. Where the program has no kernels, too.
  bool AdaptiveCpp_has_compiled_kernels() const;
  /// Deprecated by SYCL 2020; no device has an OpenCL extension.
  bool has_extension(const std::string&) const { return false; }

  template <class Param>
  detail::info_result<Param, device> get_info() const {
    return detail::device_info<Param>::get(*this);
  }

  /// Parts of the processors: each has threads of its own, which stay on its compute units, and works in the memory of
  /// the whole. The same parts of the same device again are equal devices. Drivers' and simulated devices are taken
  /// whole: info::device::partition_properties is empty. All throw exception: errc::feature_not_supported if that does
  /// not name the property.
  ///
  /// As many devices of `count` compute units as there can be. Throws exception (errc::invalid) if `count` is zero or
  /// more than the device has.
  template <info::partition_property Property>
  std::enable_if_t<Property == info::partition_property::partition_equally, std::vector<device>>
  create_sub_devices(std::size_t count) const {
    return partition({pianola::model::partition_property::equally, {count}, {}});
  }
  /// A device for each of the counts that is not zero. Throws exception (errc::invalid) if they are more in all than
  /// the device has.
  template <info::partition_property Property>
  std::enable_if_t<Property == info::partition_property::partition_by_counts, std::vector<device>>
  create_sub_devices(const std::vector<std::size_t>& counts) const {
    return partition_by(counts);
  }
  /// A device for each NUMA node or cache. Throws exception (errc::feature_not_supported) if
  /// info::device::partition_affinity_domains does not name the domain.
  template <info::partition_property Property>
  std::enable_if_t<Property == info::partition_property::partition_by_affinity_domain,
                   std::vector<device>>
  create_sub_devices(info::partition_affinity_domain domain) const {
    return partition({pianola::model::partition_property::by_affinity_domain,
                      {},
                      static_cast<pianola::model::affinity_domain>(domain)});
  }

  /// What queues made without a context use.
  context ext_oneapi_get_default_context() const;
  /// Whether kernels here can use device memory of the peer, another device of the same backend
  /// (sycl_ext_oneapi_peer_access).
  bool ext_oneapi_can_access_peer(
      const device& peer,
      ext::oneapi::peer_access value = ext::oneapi::peer_access::access_supported) const;
  /// Throws exception: errc::feature_not_supported if it cannot, errc::invalid if it is enabled already.
  void ext_oneapi_enable_peer_access(const device& peer);
  /// Throws exception (errc::invalid) if it is not enabled.
  void ext_oneapi_disable_peer_access(const device& peer);
  /// Place in platform::get_devices() (sycl_ext_oneapi_platform_device_index).
  std::size_t ext_oneapi_index_within_platform() const;

  /// sycl_ext_oneapi_device_architecture.
  bool ext_oneapi_architecture_is(ext::oneapi::experimental::architecture which) const;
  bool ext_oneapi_architecture_is(ext::oneapi::experimental::arch_category category) const;

  /// In the order of PIANOLA_DEVICES.
  static std::vector<device> get_devices(info::device_type type = info::device_type::all);

  friend bool operator==(const device& a, const device& b) noexcept { return a.id_ == b.id_; }
  friend bool operator!=(const device& a, const device& b) noexcept { return a.id_ != b.id_; }

 private:
  friend struct detail::device_access;

  explicit device(pianola::model::device_id id) noexcept : id_(id) {}

  std::vector<device> partition(const pianola::model::partition& how) const;
  std::vector<device> partition_by(const std::vector<std::size_t>& counts) const;

  const pianola::runtime::device_properties& properties() const {
    return detail::translate([this]() -> const pianola::runtime::device_properties& {
      return pianola::runtime::device(id_);
    });
  }

  template <class DeviceSelector>
  static device select(const DeviceSelector& selector);

  pianola::model::device_id id_;
};

namespace detail {

/// For the other classes of the interface.
struct device_access {
  static pianola::model::device_id id(const device& d) noexcept { return d.id_; }
  static device make(pianola::model::device_id id) noexcept { return device(id); }
  static const pianola::runtime::device_properties& properties(const device& d) {
    return d.properties();
  }
};

/// Whether it is the other one, or a part of it, or a part of such a part.
bool is_or_descends_from(const device& d, const device& other) noexcept;

std::vector<device> all_devices();

}  // namespace detail

namespace detail {

/// The candidate with the highest score; of equal ones the default device, then the first. Throws
/// exception (errc::runtime) if all are rejected (SYCL 2020, 4.6.1).
template <class DeviceSelector>
device select_device(const std::vector<device>& candidates, const DeviceSelector& selector) {
  const device preferred;
  const device* best = nullptr;
  int best_score = -1;
  for (const device& d : candidates) {
    const int score = selector(d);
    if (score > best_score || (score == best_score && score >= 0 && d == preferred)) {
      best = &d;
      best_score = score;
    }
  }
  if (best == nullptr)
    throw_error(errc::runtime, "no device satisfies the selector: it rejected all " +
                                   pianola::runtime::about_devices(candidates.size()));
  return *best;
}

}  // namespace detail

template <class DeviceSelector>
device device::select(const DeviceSelector& selector) {
  return detail::select_device(detail::all_devices(), selector);
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <>
struct std::hash<sycl::device> {
  std::size_t operator()(const sycl::device& d) const noexcept {
    return sycl::detail::device_access::id(d).value();
  }
};

// Whichever of the two is included first, both are complete afterwards.
#include <sycl/platform.hpp>
