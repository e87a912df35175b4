// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include <algorithm>
#include <string_view>

#include "usage_error.hpp"

namespace pianola::driver {

launch read_launch(const std::vector<std::string>& arguments) {
  constexpr std::string_view option = "--pianola-launch=";
  const auto found = std::find_if(arguments.begin(), arguments.end(),
                                  [&](const std::string& a) { return a.starts_with(option); });
  if (found == arguments.end()) return {{}, arguments};
  const std::string replaced = found->substr(option.size());
  const auto compiler = std::find(found + 1, arguments.end(), replaced);
  if (replaced.empty() || compiler == arguments.end())
    throw usage_error(*found + ": the compiler to replace must follow, as in " +
                      std::string(option) + "CC CC -c file.cpp");
  launch result{{found + 1, compiler}, {arguments.begin(), found}};
  result.arguments.insert(result.arguments.end(), compiler + 1, arguments.end());
  return result;
}

}  // namespace pianola::driver
