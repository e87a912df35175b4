// SPDX-License-Identifier: Apache-2.0
// Devices as the SYCL interface sees them.
#include "pianola/runtime/devices.hpp"
#include "pianola/runtime/topology.hpp"

#include <mutex>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <pianola/model/error.hpp>

#include "machine/image_checks.hpp"
#include "machine/machine.hpp"
#include "process.hpp"

namespace pianola::runtime {

model::topology topology() { return process::instance().whole_topology(); }

std::size_t device_count() { return process::instance().machine.listed_devices(); }

const device_properties& device(model::device_id d) {
  const machine& m = process::instance().machine;
  m.check(d);
  return m.properties(d);
}

bool is_usable(model::device_id d) {
  const machine& m = process::instance().machine;
  m.check(d);
  const device_entry& e = m.device(d);
  return e.owner->usable(e.index);
}

std::uint64_t free_memory(model::device_id d) {
  const machine& m = process::instance().machine;
  m.check(d);
  const device_entry& e = m.device(d);
  std::uint64_t bytes = 0;
  const executors::status s = e.owner->free_memory(e.index, bytes);
  if (!s.ok()) throw model::user_error(s.code, s.reason);
  return bytes;
}

bool reaches_memory_of(model::device_id d, model::device_id owner) {
  const machine& m = process::instance().machine;
  m.check(d);
  m.check(owner);
  return m.reaches(d, m.memory_of(owner));
}

model::device_id default_device() {
  const machine& m = process::instance().machine;
  for (std::size_t i = 0; i < m.listed_devices(); ++i)
    if (const model::device_id d(static_cast<std::uint16_t>(i)); can_run_kernels(m, d)) return d;
  return model::device_id(0);
}

const std::vector<absent_backend>& absent_backends() {
  return process::instance().machine.absent();
}

std::string about_devices(std::size_t count) {
  std::string text = fmt::format(
      "{}; the environment variable PIANOLA_DEVICES decides which there are (for example "
      "openmp,simulated:4)",
      count);
  for (const absent_backend& b : absent_backends())
    text += fmt::format("; backend '{}' is not usable here: {}", b.name, b.reason);
  return text;
}

std::vector<model::device_id> create_sub_devices(model::device_id d, const model::partition& how) {
  process& rt = process::instance();
  rt.machine.check(d);
  std::lock_guard lock(rt.mutex);
  const device_entry& e = rt.machine.device(d);
  std::vector<executors::sub_device> made;
  const executors::status s = e.owner->make_sub_devices(e.index, how, made);
  if (!s.ok())
    throw model::user_error(s.code, fmt::format("device::create_sub_devices: '{}': {}",
                                                rt.machine.properties(d).name, s.reason));
  std::vector<model::device_id> ids;
  ids.reserve(made.size());
  for (executors::sub_device& sub : made)
    ids.push_back(rt.machine.add_sub_device(d, std::move(sub)));
  return ids;
}

}  // namespace pianola::runtime
