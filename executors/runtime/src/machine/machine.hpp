// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <pianola/executors/backend.hpp>
#include <pianola/model/device_properties.hpp>
#include <pianola/model/topology.hpp>
#include <pianola/runtime/devices.hpp>

#include "machine/backends.hpp"
#include "machine/device_table.hpp"

namespace pianola::runtime {

// A device of the topology and where it comes from.
struct device_entry {
  executors::backend* owner = nullptr;
  std::uint32_t index = 0;  // within its backend
  // Devices of one domain wait for each other natively and take part in one graph. A sub-device has a domain of its
  // own.
  std::uint32_t domain = 0;
  bool needs_images = false;  // of kernels
};
inline constexpr std::uint32_t team_domain = 0;  // of everything that runs on the process-wide team

// The devices and memories that this process uses, and the backends that drive them. Fixed from the start, but for sub-devices,
// which are added at the end under the runtime's lock. Everything else needs no lock.
class machine {
 public:
  // The backends that PIANOLA_DEVICES selects. Throws model::user_error (platform) if it cannot be followed. The services
  // must outlive the machine.
  explicit machine(const executors::runtime_services& services);
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  // Its devices never move; without the lock read only what a device_id names.
  [[nodiscard]] const model::topology& topology() const noexcept { return topology_; }
  [[nodiscard]] model::memory_id memory_of(model::device_id d) const noexcept {
    return topology_.memory_of(d);
  }
  [[nodiscard]] bool has_several_memories() const noexcept { return topology_.memories.size() > 1; }
  // Parts of devices included.
  [[nodiscard]] std::size_t device_count() const noexcept { return devices_.size(); }
  // The first so many are shown to the program.
  [[nodiscard]] std::size_t listed_devices() const noexcept { return listed_devices_; }
  [[nodiscard]] const std::vector<absent_backend>& absent() const noexcept { return absent_; }
  // The device through which host memory is allocated and host accesses are planned.
  [[nodiscard]] model::device_id host_device() const noexcept { return host_device_; }
  // Some memories are only connected through the host's.
  [[nodiscard]] bool staging_needed() const noexcept { return staging_needed_; }

  // Throws model::user_error (invalid) if there is no such device.
  void check(model::device_id d) const;
  // These expect that there is such a device.
  [[nodiscard]] const device_entry& device(model::device_id d) const noexcept {
    return devices_[d.value()];
  }
  [[nodiscard]] const model::device_properties& properties(model::device_id d) const noexcept {
    return properties_[d.value()];
  }
  [[nodiscard]] std::uint32_t domain_of(model::device_id d) const noexcept {
    return devices_[d.value()].domain;
  }
  [[nodiscard]] bool runs_on_team(model::device_id d) const noexcept {
    return domain_of(d) == team_domain;
  }
  // Any device with that memory; the host's if there is none.
  [[nodiscard]] model::device_id device_with(model::memory_id) const noexcept;
  // The first device of the domain, which there must be.
  [[nodiscard]] model::device_id device_in(std::uint32_t domain) const noexcept;
  // Whether the device can copy from and to the memory.
  [[nodiscard]] bool reaches(model::device_id d, model::memory_id m) const noexcept {
    return m == model::host_memory || domain_of(device_with(m)) == domain_of(d);
  }

  // A sub-device, which the device's backend has made; the one that is there already, if it is. Under the lock.
  model::device_id add_sub_device(model::device_id parent, executors::sub_device made);

  // Tells every backend.
  void forget_images(const pianola_image_set& images) const noexcept {
    for (const auto& b : backends_) b->forget_images(images);
  }
  void forget_variable(const void* address) const noexcept {
    for (const auto& b : backends_) b->forget_variable(address);
  }
  // Of native graphs, by all backends.
  [[nodiscard]] std::uint64_t reinstantiations() const noexcept;

 private:
  // Adds the devices of a backend, or notes why there are none.
  void add_backend(const backend_choice&);
  // Those that are shown to programs; the others are put off.
  void add_devices(executors::backend& made);
  void add_hidden_devices();
  void add_device(executors::backend& owner, std::uint32_t index, model::device_properties p,
                  std::uint32_t domain);
  [[nodiscard]] std::uint32_t domain_named(std::string_view name);
  // Of the device that is added next.
  [[nodiscard]] std::uint32_t domain_of_its_own(std::string_view backend);

  const executors::runtime_services& services_;
  model::topology topology_;
  device_table<model::device_properties> properties_;  // index: device_id
  device_table<device_entry> devices_;                 // index: device_id
  std::vector<absent_backend> absent_;
  model::device_id host_device_;
  std::size_t listed_devices_ = 0;
  struct hidden_device {
    executors::backend* owner;
    std::uint32_t index;
    model::device_properties properties;
  };
  std::vector<hidden_device> hidden_;  // put off
  bool staging_needed_ = false;
  std::vector<std::unique_ptr<executors::backend>> backends_;
  std::vector<std::string> domains_{"host"};
};

}  // namespace pianola::runtime
