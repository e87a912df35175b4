// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

#include <sycl/detail/mode.hpp>
#include <sycl/device.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace detail {

struct default_selector_function {
  int operator()(const device& d) const;
};

template <aspect Wanted>
struct type_selector_function {
  int operator()(const device& d) const {
    return d.has(Wanted) ? default_selector_function()(d) : -1;
  }
};

/// What aspect_selector() returns.
class aspect_selector_function {
 public:
  aspect_selector_function(std::vector<aspect> required, std::vector<aspect> denied);

  int operator()(const device& d) const;

 private:
  std::vector<aspect> required_;
  std::vector<aspect> denied_;
};

}  // namespace detail

/// SYCL 2020, 4.6.1.
inline constexpr detail::default_selector_function default_selector_v{};
inline constexpr detail::type_selector_function<aspect::cpu> cpu_selector_v{};
inline constexpr detail::type_selector_function<aspect::gpu> gpu_selector_v{};
inline constexpr detail::type_selector_function<aspect::accelerator> accelerator_selector_v{};

/// Selects devices that have every required aspect and no denied one (SYCL 2020, 4.6.1).
detail::aspect_selector_function aspect_selector(const std::vector<aspect>& required,
                                                 const std::vector<aspect>& denied = {});
template <class... Aspects,
          class = std::enable_if_t<(sizeof...(Aspects) > 0 &&
                                    (std::is_same<Aspects, aspect>::value && ...))>>
detail::aspect_selector_function aspect_selector(Aspects... required) {
  return {std::vector<aspect>{required...}, {}};
}
template <aspect... Required>
detail::aspect_selector_function aspect_selector() {
  return {std::vector<aspect>{Required...}, {}};
}

/// SYCL 1.2.1: base class of selectors. In SYCL 2020 anything callable with a device will do.
class device_selector {
 public:
  virtual ~device_selector() = default;
  virtual int operator()(const device& d) const = 0;
  device select_device() const { return device(*this); }
};

#define PIANOLA_SELECTOR_CLASS(name)                                       \
  class name : public device_selector {                                    \
   public:                                                                 \
    int operator()(const device& d) const override { return name##_v(d); } \
  };
PIANOLA_SELECTOR_CLASS(default_selector)
PIANOLA_SELECTOR_CLASS(cpu_selector)
PIANOLA_SELECTOR_CLASS(gpu_selector)
PIANOLA_SELECTOR_CLASS(accelerator_selector)
#undef PIANOLA_SELECTOR_CLASS

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
