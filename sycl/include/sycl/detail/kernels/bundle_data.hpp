// SPDX-License-Identifier: Apache-2.0
// What the copies of a kernel bundle share, and what its kernels and device images refer to.
#pragma once

#include <memory>
#include <vector>

#include <pianola/runtime/kernels.hpp>

#include <sycl/context.hpp>
#include <sycl/detail/kernels/specialization_constants.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/device.hpp>
#include <sycl/kernel_id.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// SYCL 2020, 4.11.2.
enum class bundle_state : int { input = 0, object = 1, executable = 2 };

namespace detail {

bool kernel_runs_on(const kernel_id& id, const device& d);

bool kernel_runs_on_one_of(const std::vector<device>& devices, const kernel_id& id);

struct bundle_data {
  context the_context;
  std::vector<device> devices;
  std::vector<kernel_id> kernels;
  constant_values constants;

  bool has(const kernel_id& id) const noexcept;
  bool has(const device& d) const noexcept;
  bool has(const kernel_id& id, const device& d) const;
  bool is_for_devices_of(const bundle_data& other) const noexcept;
};

void add_once(std::vector<device>& devices, const device& d);
void add_once(std::vector<kernel_id>& kernels, const kernel_id& id);

/// The devices without repetition. Throws exception (errc::invalid) if there are none or one is not the
/// context's.
std::vector<device> check_bundle_devices(const char* function, const context& c,
                                         const std::vector<device>& devices);

/// What a device must have for bundles of the state; executable ones need nothing.
bool device_has_state(const device& d, bundle_state state);

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
