// SPDX-License-Identifier: Apache-2.0
// Which backends there are, and which devices of them this process uses.
#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include <pianola/openmp/openmp_backend.hpp>

#include "core.hpp"
#include "image_checks.hpp"
#include "log.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

// Backends that come as plugins.
constexpr std::string_view plugin_names[] = {"cuda", "hip", "simulated"};
// What is looked for where nothing was chosen. Those before openmp may be absent.
constexpr std::string_view default_names[] = {"cuda", "hip", "openmp"};

[[noreturn]] void unusable(const std::string& value, const std::string& why) {
  throw user_error(error_code::platform, "PIANOLA_DEVICES='" + value + "': " + why);
}

[[noreturn]] void bad_selection(const std::string& value, const std::string& why) {
  unusable(value, why + "; it takes a list such as openmp,simulated:4 (see `pianola devices`)");
}

// Plugins live in `pianola/` beside the library.
std::string plugin_path(const std::string& name) {
  Dl_info info;
  static const int anchor = 0;
  std::string directory;
  if (const char* override_path = std::getenv("PIANOLA_PLUGIN_PATH"))
    directory = override_path;
  else if (dladdr(&anchor, &info) != 0 && info.dli_fname != nullptr) {
    directory = info.dli_fname;
    const auto slash = directory.rfind('/');
    directory =
        (slash == std::string::npos ? std::string(".") : directory.substr(0, slash)) + "/pianola";
  }
  return directory + "/libpianola-" + name + ".so";
}

}  // namespace

void core::add_backend(const std::string& name, const std::string& options, bool explicitly) {
  const char* selection = std::getenv("PIANOLA_DEVICES");
  const std::string value = selection != nullptr ? selection : "";
  executors::backend_factory factory{};
  if (name == "openmp") {
    factory = openmp::factory();
  } else {
    const std::string path = plugin_path(name);
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* error = dlerror();
      absent.push_back(
          {name, std::string("plugin not loaded: ") + (error != nullptr ? error : "")});
      if (explicitly) unusable(value, "backend '" + name + "': " + absent.back().reason);
      return;
    }
    const auto* found =
        static_cast<const executors::backend_factory*>(dlsym(library, "pianola_backend_v1"));
    if (found == nullptr || found->version != executors::backend_interface_version) {
      absent.push_back({name, path + " was built for another version of Pianola"});
      if (explicitly) unusable(value, "backend '" + name + "': " + absent.back().reason);
      return;
    }
    factory = *found;
  }
  char reason[512] = "";
  int user_fault = 0;
  executors::backend* made =
      factory.create(options.c_str(), &services_, reason, sizeof reason, &user_fault);
  if (made == nullptr) {
    if (user_fault == 2) throw user_error(error_code::platform, reason);
    if (user_fault != 0) bad_selection(value, reason);
    absent.push_back({name, reason});
    if (explicitly) unusable(value, "backend '" + name + "' is not usable here: " + reason);
    return;
  }
  backends_.emplace_back(made);
  std::vector<model::memory_id> memories;
  for (std::uint32_t i = 0; i < made->devices().size(); ++i) {
    const auto& p = made->devices()[i];
    model::memory_id memory = model::host_memory;
    if (name != "openmp") {
      memory = model::memory_id(static_cast<std::uint16_t>(topology.memories.size()));
      topology.memories.push_back({p.name, p.global_memory_bytes});
    }
    memories.push_back(memory);
    if (topology.memories.size() > planner::max_memories)
      unusable(value, "more than 63 devices with memories of their own");
  }
  made->set_memories(memories);
  made->describe_links(memories, topology.links);
  for (std::uint32_t i = 0; i < made->devices().size(); ++i) {
    model::device_properties p = made->devices()[i];
    p.memory = memories[i];
    const std::uint32_t lanes = p.type == model::device_type::cpu ? 8 : 4;
    topology.devices.push_back({p.name, name, memories[i], lanes});
    devices.push_back({made, i, domain_of(made->domain()), made->needs_images()});
    properties.push_back(std::move(p));
  }
}

std::uint32_t core::domain_of(std::string_view name) {
  std::uint32_t i = 0;
  while (i < domains_.size() && domains_[i] != name) ++i;
  if (i == domains_.size()) domains_.emplace_back(name);
  return i;
}

void core::discover() {
  topology.memories.push_back({"host", 0});
  topology.devices.reserve(maximum_devices);
  const char* selection = std::getenv("PIANOLA_DEVICES");
  const std::string value = selection != nullptr ? selection : "";
  if (value.empty())
    for (const auto name : default_names) add_backend(std::string(name), "", name == "openmp");
  std::vector<std::string> seen;
  for (std::size_t at = 0; !value.empty() && at <= value.size();) {
    std::size_t end = value.find(',', at);
    if (end == std::string::npos) end = value.size();
    const std::string item = value.substr(at, end - at);
    at = end + 1;
    const auto colon = item.find(':');
    const std::string name = item.substr(0, colon);
    const std::string options = colon == std::string::npos ? "" : item.substr(colon + 1);
    bool known = name == "openmp";
    for (const auto plugin : plugin_names) known = known || name == plugin;
    if (!known)
      bad_selection(value, name.empty() ? "an entry is empty" : "unknown backend '" + name + "'");
    for (const auto& other : seen)
      if (other == name) bad_selection(value, "backend '" + name + "' is named twice");
    seen.push_back(name);
    add_backend(name, options, true);
  }
  // Host memory, and host accesses, need a device whatever was selected: the processors. Not listed
  // to the program when it did not ask for them.
  bool have_host = false;
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (topology.devices[i].memory == model::host_memory) {
      host_device = model::device_id(static_cast<std::uint16_t>(i));
      have_host = true;
      break;
    }
  listed_devices = devices.size();
  if (!have_host) {
    host_device = model::device_id(static_cast<std::uint16_t>(devices.size()));
    add_backend("openmp", "", true);
  }
  for (std::size_t i = 0; i < devices.size(); ++i)
    log_info("device {}: {} ({})", i, topology.devices[i].name, topology.devices[i].backend);
}

std::size_t device_count() { return core::instance().listed_devices; }

const device_properties& device(model::device_id d) {
  core& c = core::instance();
  if (d.value() >= c.properties.size())
    throw user_error(error_code::invalid, "there is no device " + std::to_string(d.value()));
  return c.properties[d.value()];
}

bool is_usable(model::device_id d) {
  const core& c = core::instance();
  if (d.value() >= c.properties.size())
    throw user_error(error_code::invalid, "there is no device " + std::to_string(d.value()));
  const device_entry& e = c.devices[d.value()];
  return e.owner->usable(e.index);
}

bool reaches_memory_of(model::device_id d, model::device_id owner) {
  core& c = core::instance();
  for (const model::device_id which : {d, owner})
    if (which.value() >= c.properties.size())
      throw user_error(error_code::invalid, "there is no device " + std::to_string(which.value()));
  return c.reaches(d, c.topology.memory_of(owner));
}

model::device_id default_device() {
  const core& c = core::instance();
  for (std::size_t i = 0; i < c.listed_devices; ++i)
    if (can_run_kernels(c, model::device_id(static_cast<std::uint16_t>(i))))
      return model::device_id(static_cast<std::uint16_t>(i));
  return model::device_id(0);
}

const std::vector<absent_backend>& absent_backends() { return core::instance().absent; }

std::string about_devices(std::size_t count) {
  std::string text = std::to_string(count) +
                     "; the environment variable PIANOLA_DEVICES decides which there are (for "
                     "example openmp,simulated:4)";
  for (const absent_backend& b : absent_backends())
    text += "; backend '" + b.name + "' is not usable here: " + b.reason;
  return text;
}

}  // namespace pianola::runtime
