// SPDX-License-Identifier: Apache-2.0
#include "targets.hpp"

#include <algorithm>

#include "usage_error.hpp"

namespace pianola::driver {

namespace {

// PTX for it runs on every later GPU, and it is the oldest that today's toolkits still know.
constexpr std::string_view default_cuda_target = "cuda:sm_75";
constexpr std::string_view allowed =
    "it takes host, cuda, cuda:sm_NN (sm_70 or newer), hip:gfxNNN (gfx9 or newer) and simulated, "
    "separated by "
    "';' or ','";

bool has_only(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

// sm_75, sm_90a, sm_120f
bool is_cuda_architecture(std::string_view name) {
  if (!name.starts_with("sm_")) return false;
  name.remove_prefix(3);
  if (name.ends_with('a') || name.ends_with('f')) name.remove_suffix(1);
  return has_only(name, "0123456789") &&
         (name.size() == 3 ? name >= "100" : name.size() == 2 && name >= "70");
}

// gfx906, gfx90a, gfx1030; which of them the device libraries know is seen when code is made.
bool is_hip_architecture(std::string_view name) {
  if (!name.starts_with("gfx")) return false;
  name.remove_prefix(3);
  return has_only(name, "0123456789abcdef") &&
         (name.size() == 3 ? name[0] == '9' : name.size() == 4 && name >= "1010" && name[0] == '1');
}

std::string canonical(std::string_view name, std::string_view origin) {
  if (name == "host" || name == "simulated") return std::string(name);
  if (name == "cuda") return std::string(default_cuda_target);
  const std::string from = std::string(origin) + ": ";
  if (name.starts_with("cuda:") && is_cuda_architecture(name.substr(5))) return std::string(name);
  if (name.starts_with("hip:") && is_hip_architecture(name.substr(4))) return std::string(name);
  if (name == "hip")
    throw usage_error(from +
                      "'hip' needs an architecture, for example hip:gfx90a: code for one AMD GPU "
                      "runs on no other");
  if (name.empty()) throw usage_error(from + "an empty target; " + std::string(allowed));
  throw usage_error(from + "there is no target '" + std::string(name) + "'; " +
                    std::string(allowed));
}

}  // namespace

std::vector<std::string_view> items_of(std::string_view list, std::string_view separators) {
  std::vector<std::string_view> items;
  for (;;) {
    const std::size_t end = list.find_first_of(separators);
    items.push_back(list.substr(0, end));
    if (end == std::string_view::npos) return items;
    list.remove_prefix(end + 1);
  }
}

void add_targets(std::string_view list, std::string_view origin,
                 std::vector<std::string>& targets) {
  for (const std::string_view item : items_of(list, ";,")) {
    std::string target = canonical(item, origin);
    if (target != "host" && std::find(targets.begin(), targets.end(), target) == targets.end())
      targets.push_back(std::move(target));
  }
}

}  // namespace pianola::driver
