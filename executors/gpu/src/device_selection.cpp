// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <numeric>

#include <fmt/format.h>

#include <pianola/gpu/device_selection.hpp>

namespace pianola::gpu {

device_selection parse_device_options(std::string_view backend, std::string_view options) {
  device_selection selection;
  if (options.empty()) return selection;
  const auto refuse = [&](const std::string& why) {
    const std::string name(backend);
    selection.ordinals.clear();
    selection.fault = fmt::format(
        "{}:{}: {}; {} takes numbers of devices joined by '+', such as {}:0 or {}:0+2, or nothing "
        "for all devices",
        name, options, why, name, name, name);
    return selection;
  };
  for (std::size_t at = 0; at <= options.size();) {
    const std::size_t end = std::min(options.find('+', at), options.size());
    const std::string_view word = options.substr(at, end - at);
    at = end + 1;
    int ordinal = -1;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), ordinal);
    if (word.empty()) return refuse("a number is missing");
    if (error != std::errc() || stop != word.data() + word.size() || ordinal < 0)
      return refuse(std::string("'").append(word) + "' is no number of a device");
    if (std::find(selection.ordinals.begin(), selection.ordinals.end(), ordinal) !=
        selection.ordinals.end())
      return refuse(fmt::format("device {} is named twice", ordinal));
    selection.ordinals.push_back(ordinal);
  }
  return selection;
}

device_selection select_devices(std::string_view backend, const device_selection& wanted,
                                int count) {
  device_selection selection = wanted;
  if (selection.ordinals.empty()) {
    selection.ordinals.resize(static_cast<std::size_t>(count));
    std::iota(selection.ordinals.begin(), selection.ordinals.end(), 0);
  }
  for (const int ordinal : selection.ordinals)
    if (ordinal >= count) {
      selection.fault =
          fmt::format("{}:{}: there is no such device; {}", backend, ordinal,
                      count == 1 ? "the only one is 0"
                                 : fmt::format("there are {}, from 0 to {}", count, count - 1));
      selection.ordinals.clear();
      break;
    }
  return selection;
}

}  // namespace pianola::gpu
