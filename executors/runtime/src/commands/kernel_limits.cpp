// SPDX-License-Identifier: Apache-2.0
// What devices say of kernels.
#include <algorithm>

#include <pianola/model/aspects.hpp>
#include <pianola/model/error.hpp>
#include <pianola/runtime/kernels.hpp>

#include "commands/launch_checks.hpp"
#include "machine/image_checks.hpp"
#include "machine/machine.hpp"
#include "process.hpp"

namespace pianola::runtime {

bool can_run(const model::kernel_descriptor& kernel, model::device_id device) {
  const machine& m = process::instance().machine;
  const model::device_properties& p = m.properties(device);
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
    check_image(m, command, device);
  } catch (const model::user_error&) {
    return false;
  }
  return true;
}

kernel_limits limits_of(const model::kernel_descriptor& kernel, model::device_id device,
                        std::uint64_t group_size, std::uint64_t local_bytes) {
  const machine& m = process::instance().machine;
  const model::device_properties& p = m.properties(device);
  const device_entry& e = m.device(device);
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
