// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pianola::driver {

/// What is between the separators, of which `separators` lists all; one empty item of an empty list.
std::vector<std::string_view> items_of(std::string_view list, std::string_view separators);

/// Adds the targets in `list` ("host;cuda:sm_90,hip:gfx90a") to `targets`, each once, in the form that the
/// plugin takes: "cuda:sm_90", "hip:gfx90a", "simulated". The host is always compiled for and is not among
/// them. `origin` says in errors where the list comes from.
/// @throws usage_error for what is no target, with what is one.
void add_targets(std::string_view list, std::string_view origin, std::vector<std::string>& targets);

}  // namespace pianola::driver
