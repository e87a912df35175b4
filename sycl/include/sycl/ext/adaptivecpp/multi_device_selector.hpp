// SPDX-License-Identifier: Apache-2.0
// Selectors that choose several devices, for queues that place kernels themselves: AdaptiveCpp's.
#pragma once

#include <vector>

#include <sycl/detail/mode.hpp>
#include <sycl/device.hpp>
#include <sycl/device_selector.hpp>
#include <sycl/exception.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// all: every device that the selector does not reject; best: those with the highest score.
enum class selection_policy { all, best };

/// A selector for the queue's constructor that stands for all devices it chooses.
template <class Selector, selection_policy Policy = selection_policy::all>
class multi_device_selector {
 public:
  constexpr multi_device_selector(const Selector& selector = Selector{}) : selector_(selector) {}
  int operator()(const device& d) const { return selector_(d); }

  /// Throws exception (errc::runtime) if the selector rejects every device.
  std::vector<device> select_devices() const {
    std::vector<device> chosen;
    int best = 0;
    for (const device& d : detail::all_devices()) {
      const int score = selector_(d);
      if (score < 0) continue;
      if (Policy == selection_policy::best && !chosen.empty()) {
        if (score < best) continue;
        if (score > best) chosen.clear();
      }
      best = score;
      chosen.push_back(d);
    }
    if (chosen.empty())
      detail::throw_error(
          errc::runtime,
          "multi_device_selector: the selector rejects every device; the environment "
          "variable PIANOLA_DEVICES decides which there are");
    return chosen;
  }

 private:
  Selector selector_;
};

namespace detail {

/// Devices of the kind are alike to a multi-device selector.
template <aspect Wanted>
struct kind_selector_function {
  int operator()(const device& d) const { return d.has(Wanted) ? 1 : -1; }
};

}  // namespace detail

inline constexpr multi_device_selector<detail::kind_selector_function<aspect::cpu>,
                                       selection_policy::best>
    multi_cpu_selector_v{};
inline constexpr multi_device_selector<detail::kind_selector_function<aspect::gpu>,
                                       selection_policy::best>
    multi_gpu_selector_v{};
/// Every device of PIANOLA_DEVICES.
inline constexpr multi_device_selector<detail::default_selector_function, selection_policy::all>
    system_selector_v{};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
