// SPDX-License-Identifier: Apache-2.0
#include "machine/backends.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include <pianola/model/backend_kind.hpp>
#include <pianola/model/error.hpp>
#include <pianola/openmp/openmp_backend.hpp>

#include "support/plugin_path.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

struct known_backend {
  model::backend_kind kind;
  bool is_plugin;
  bool by_default;  // looked for where nothing was chosen; plugins may be absent then
};
// In the order in which they are looked for.
constexpr known_backend known_backends[] = {{model::backend_kind::cuda, true, true},
                                            {model::backend_kind::hip, true, true},
                                            {model::backend_kind::openmp, false, true},
                                            {model::backend_kind::simulated, true, false}};

// Null if there is none of this name.
const known_backend* find_backend(std::string_view name) noexcept {
  const auto found = std::find_if(
      std::begin(known_backends), std::end(known_backends),
      [kind = model::backend_kind_of(name)](const known_backend& b) { return b.kind == kind; });
  return found == std::end(known_backends) ? nullptr : found;
}

std::string selection() {
  const char* value = std::getenv("PIANOLA_DEVICES");
  return value != nullptr ? value : "";
}

[[noreturn]] void refuse_syntax(const std::string& why) {
  refuse_selection(why + "; it takes a list such as openmp,simulated:4 (see `pianola devices`)");
}

// False, with the reason, where the plugin is not there or of another version.
bool find_factory(const std::string& name, executors::backend_factory& factory,
                  std::string& why_not) {
  if (!find_backend(name)->is_plugin) {
    factory = openmp::factory();
    return true;
  }
  const std::string path = plugin_path(name);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* error = dlerror();
    why_not = std::string("plugin not loaded: ") + (error != nullptr ? error : "");
    return false;
  }
  const auto* found =
      static_cast<const executors::backend_factory*>(dlsym(library, "pianola_backend_v1"));
  if (found == nullptr || found->version != executors::backend_interface_version) {
    why_not = path + " was built for another version of Pianola";
    return false;
  }
  factory = *found;
  return true;
}

}  // namespace

void refuse_selection(const std::string& why) {
  throw user_error(error_code::platform, fmt::format("PIANOLA_DEVICES='{}': {}", selection(), why));
}

std::vector<backend_choice> chosen_backends() {
  std::vector<backend_choice> chosen;
  const std::string value = selection();
  if (value.empty()) {
    for (const known_backend& b : known_backends)
      if (b.by_default) chosen.push_back({model::name_of(b.kind), "", !b.is_plugin});
    return chosen;
  }
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t end = std::min(value.find(',', at), value.size());
    const std::string item = value.substr(at, end - at);
    at = end + 1;
    const auto colon = item.find(':');
    const std::string name = item.substr(0, colon);
    if (find_backend(name) == nullptr)
      refuse_syntax(name.empty() ? "an entry is empty" : fmt::format("unknown backend '{}'", name));
    if (std::any_of(chosen.begin(), chosen.end(),
                    [&](const backend_choice& other) { return other.name == name; }))
      refuse_syntax(fmt::format("backend '{}' is named twice", name));
    chosen.push_back({name, colon == std::string::npos ? "" : item.substr(colon + 1), true});
  }
  return chosen;
}

loaded_backend load_backend(const backend_choice& choice,
                            const executors::runtime_services& services) {
  loaded_backend loaded;
  executors::backend_factory factory{};
  if (!find_factory(choice.name, factory, loaded.why_not)) {
    if (choice.explicitly)
      refuse_selection(fmt::format("backend '{}': {}", choice.name, loaded.why_not));
    return loaded;
  }
  char reason[512] = "";
  int user_fault = 0;
  loaded.made.reset(
      factory.create(choice.options.c_str(), &services, reason, sizeof reason, &user_fault));
  if (loaded.made != nullptr) return loaded;
  if (user_fault == 2) throw user_error(error_code::platform, reason);
  if (user_fault != 0) refuse_syntax(reason);
  if (choice.explicitly)
    refuse_selection(fmt::format("backend '{}' is not usable here: {}", choice.name, reason));
  loaded.why_not = reason;
  return loaded;
}

}  // namespace pianola::runtime
