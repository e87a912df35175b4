// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <mutex>
#include <new>

#include <pianola/model/aspects.hpp>
#include <pianola/model/error.hpp>
#include <pianola/runtime/kernels.hpp>

#include "core.hpp"
#include "image_checks.hpp"
#include "submit.hpp"

namespace pianola::runtime {

namespace {

// Never destroyed: object files unregister when everything else has ended.
struct registry {
  std::mutex mutex;
  std::vector<const kernel_registration*> kernels;

  static registry& instance() noexcept {
    alignas(registry) static unsigned char storage[sizeof(registry)];
    static registry* const made = new (storage) registry;
    return *made;
  }
};

}  // namespace

kernel_registration::kernel_registration(const void* name, describe_function describe)
    : name_(name), describe_(describe) {
  registry& r = registry::instance();
  std::lock_guard<std::mutex> lock(r.mutex);
  r.kernels.push_back(this);
}

kernel_registration::~kernel_registration() {
  registry& r = registry::instance();
  std::lock_guard<std::mutex> lock(r.mutex);
  // What was registered last mostly goes first.
  const auto at = std::find(r.kernels.rbegin(), r.kernels.rend(), this);
  if (at != r.kernels.rend()) r.kernels.erase(std::next(at).base());
}

const kernel_registration* find_kernel(const void* name) noexcept {
  registry& r = registry::instance();
  std::lock_guard<std::mutex> lock(r.mutex);
  for (const kernel_registration* k : r.kernels)
    if (k->name() == name) return k;
  return nullptr;
}

std::vector<const kernel_registration*> registered_kernels() {
  registry& r = registry::instance();
  std::lock_guard<std::mutex> lock(r.mutex);
  return r.kernels;
}

bool can_run(const model::kernel_descriptor& kernel, model::device_id device) {
  core& c = core::instance();
  const model::device_properties& p = c.properties[device.value()];
  const model::kernel_requirements& wanted = kernel.requirements;
  if ((wanted.aspects & ~model::aspects_of(p)) != 0) return false;
  const auto& sizes = p.sub_group_sizes;
  if (wanted.sub_group_size != 0 &&
      std::find(sizes.begin(), sizes.end(), wanted.sub_group_size) == sizes.end())
    return false;
  if (!can_run_group(wanted.work_group_size, p)) return false;
  model::kernel_command command;
  command.kernel = &kernel;
  command.id = kernel.id;
  try {
    check_image(c, command, device);
  } catch (const model::user_error&) {
    return false;
  }
  return true;
}

kernel_limits limits_of(const model::kernel_descriptor& kernel, model::device_id device,
                        std::uint64_t group_size, std::uint64_t local_bytes) {
  core& c = core::instance();
  const model::device_properties& p = c.properties[device.value()];
  const device_entry& e = c.devices[device.value()];
  executors::kernel_on_device told;
  const executors::status s = e.owner->ask_kernel(e.index, kernel, group_size, local_bytes, told);
  if (s.ok())
    return {std::min(p.max_work_group_size, told.max_group_size), told.private_bytes,
            told.resident_groups};
  if (s.code != model::error_code::feature_not_supported) throw model::user_error(s.code, s.reason);
  // Every thread runs one group at a time.
  const bool fits = group_size <= p.max_work_group_size && local_bytes <= p.local_memory_bytes;
  return {p.max_work_group_size, 0, fits ? p.compute_units : 0};
}

}  // namespace pianola::runtime
