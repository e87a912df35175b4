// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <sycl/aspect.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/device.hpp>
#include <sycl/device_selector.hpp>
#include <sycl/exception.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext {
namespace oneapi {

/// Chooses by text (sycl_ext_oneapi_filter_selector): filters separated by commas, of which one must fit; a filter is up to
/// three of backend (openmp, simulated, cuda, hip or *), type (cpu, gpu, acc, accelerator or *) and number, separated by
/// colons. The number counts, from 0, the devices that fit the rest. The earlier the filter, the higher the score.
class filter_selector {
 public:
  /// Throws exception (errc::invalid) if the text is no such list.
  filter_selector(const std::string& text);

  /// Negative if no filter fits.
  int operator()(const device& d) const;
  /// Throws exception (errc::runtime) if no device fits.
  device select_device() const;

 private:
  struct filter {
    std::string backend;  // empty: any
    std::string type;     // empty: any
    long number = -1;     // negative: any
  };

  static std::string lower(std::string word);

  static filter parse(const std::string& one, const std::string& all);

  static bool of_kind(const filter& f, const device& d);
  static bool fits(const filter& f, const device& d);

  std::vector<filter> filters_;
};

}  // namespace oneapi
}  // namespace ext
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
