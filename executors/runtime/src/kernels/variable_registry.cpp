// SPDX-License-Identifier: Apache-2.0
#include "kernels/variable_registry.hpp"

#include <algorithm>
#include <new>

#include "support/log.hpp"

namespace pianola::runtime {

variable_registry& variable_registry::instance() noexcept {
  alignas(variable_registry) static unsigned char storage[sizeof(variable_registry)];
  static variable_registry* const made = new (storage) variable_registry;
  return *made;
}

void variable_registry::add(const pianola_variable_set* set) {
  if (set == nullptr) return;
  if (set->version != PIANOLA_VARIABLE_SET_VERSION) {
    log_warn(
        "an object file carries variables of devices in format {}, this library reads format {}: "
        "devices do not have them; compile it with the pianolacc of this version of Pianola",
        set->version, PIANOLA_VARIABLE_SET_VERSION);
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  sets_.push_back(set);
  for (std::uint64_t i = 0; i < set->count; ++i) {
    const pianola_variable& v = set->variables[i];
    entry& known = variables_[v.address];
    addresses_.emplace(v.symbol, v.address);
    if (known.users++ != 0) continue;
    known.variable.address = v.address;
    known.variable.bytes = v.bytes;
    any_new_ = true;
  }
}

void variable_registry::keep_values() {
  const std::lock_guard<std::mutex> lock(mutex_);
  keep_new_values();
}

void variable_registry::keep_new_values() {
  if (!any_new_) return;
  for (auto& [address, known] : variables_) {
    if (known.kept) continue;
    known.kept = true;
    const auto* begin = static_cast<const std::byte*>(address);
    const auto* end = begin + known.variable.bytes;
    if (std::all_of(begin, end, [](std::byte b) { return b == std::byte{}; })) continue;
    known.initial.assign(begin, end);
    known.variable.initial = known.initial.data();
  }
  any_new_ = false;
}

std::vector<const void*> variable_registry::remove(const pianola_variable_set* set) {
  std::vector<const void*> gone;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto at = std::find(sets_.begin(), sets_.end(), set);
  if (at == sets_.end()) return gone;
  sets_.erase(at);
  for (std::uint64_t i = 0; i < set->count; ++i) {
    const pianola_variable& v = set->variables[i];
    const auto named = addresses_.equal_range(std::string_view(v.symbol));
    const auto own = std::find_if(named.first, named.second,
                                  [&](const auto& a) { return a.second == v.address; });
    if (own != named.second) addresses_.erase(own);
    const auto known = variables_.find(v.address);
    if (known == variables_.end() || --known->second.users != 0) continue;
    variables_.erase(known);
    gone.push_back(v.address);
  }
  return gone;
}

const executors::device_variable* variable_registry::find(std::string_view symbol) {
  const std::lock_guard<std::mutex> lock(mutex_);
  keep_new_values();
  const auto at = addresses_.find(symbol);
  return at == addresses_.end() ? nullptr : &variables_.find(at->second)->second.variable;
}

const executors::device_variable* variable_registry::find_at(const void* address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  keep_new_values();
  const auto at = variables_.find(address);
  return at == variables_.end() ? nullptr : &at->second.variable;
}

}  // namespace pianola::runtime
