// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>
#include <string>
#include <sycl/sycl.hpp>

#include "common/input_error.hpp"

namespace samples {

inline std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// The first device whose name or whose platform's name contains `part`, in upper or lower case; the
/// default device if `part` is empty.
inline sycl::device choose_device(const std::string& part) {
  if (part.empty()) return sycl::device(sycl::default_selector_v);
  std::string names;
  for (const sycl::device& d : sycl::device::get_devices()) {
    const std::string name = d.get_info<sycl::info::device::name>();
    const std::string platform = d.get_platform().get_info<sycl::info::platform::name>();
    if (lower_case(name + '\n' + platform).find(lower_case(part)) != std::string::npos) return d;
    names += (names.empty() ? "" : ", ") + name;
  }
  throw input_error("--device '" + printable(part) +
                    "' is not part of any device's name; there are: " + names);
}

}  // namespace samples
