// SPDX-License-Identifier: Apache-2.0
// Variables that devices have: where they are, and what object files call that define them.
#include <map>
#include <mutex>

#include <fmt/format.h>

#include <pianola/abi/image.h>
#include <pianola/model/error.hpp>

#include "data/pointer_registry.hpp"
#include "kernels/variable_registry.hpp"
#include "machine/machine.hpp"
#include "pianola/runtime/device_variables.hpp"
#include "process.hpp"

namespace pianola::runtime {

namespace {

// Those that commands copied from or to. Never destroyed: object files are unloaded last.
struct known_variables {
  std::mutex mutex;
  std::multimap<const void*, void*> addresses;  // of the program's, on a device

  static known_variables& instance() {
    static auto* const all = new known_variables;
    return *all;
  }
};

// It is about to be unloaded.
void forget_device_variable(const void* variable) noexcept {
  process* rt = process::started();
  if (rt == nullptr) return;
  {
    known_variables& known = known_variables::instance();
    const std::lock_guard<std::mutex> lock(known.mutex);
    const auto of_it = known.addresses.equal_range(variable);
    for (auto at = of_it.first; at != of_it.second; ++at)
      pointer_registry::instance().remove(at->second);
    known.addresses.erase(of_it.first, of_it.second);
  }
  rt->machine.forget_variable(variable);
}

}  // namespace

void* find_device_variable(model::device_id device, void* variable) {
  process& rt = process::instance();
  rt.machine.check(device);
  const model::device_properties& properties = rt.machine.properties(device);
  if (properties.memory == model::host_memory) return variable;
  const executors::device_variable* found = variable_registry::instance().find_at(variable);
  const device_entry& d = rt.machine.device(device);
  if (found == nullptr && d.needs_images)
    throw model::user_error(model::error_code::feature_not_supported,
                            fmt::format("device_global: '{}' does not have this variable; compile "
                                        "the file that defines it with pianolacc, for devices",
                                        properties.name));
  void* address = nullptr;
  const executors::device_variable by_address{variable, 0, nullptr};
  const executors::status s =
      d.owner->find_variable(d.index, found == nullptr ? by_address : *found, address);
  if (!s.ok()) throw model::user_error(s.code, "device_global: " + s.reason);
  known_variables& known = known_variables::instance();
  const std::lock_guard<std::mutex> lock(known.mutex);
  pointer_registry& pointers = pointer_registry::instance();
  if (pointers.find(address).kind == usm_kind::unknown) {
    known.addresses.emplace(variable, address);
    pointers.add(address, found->bytes, usm_kind::device, device, allocation_use::other);
  }
  return address;
}

}  // namespace pianola::runtime

void pianola_register_variables_v1(const pianola_variable_set* set) {
  pianola::runtime::variable_registry::instance().add(set);
}

void pianola_unregister_variables_v1(const pianola_variable_set* set) {
  using namespace pianola::runtime;
  for (const void* address : variable_registry::instance().remove(set))
    forget_device_variable(address);
}
