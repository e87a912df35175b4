// SPDX-License-Identifier: Apache-2.0
// The devices that PIANOLA_DEVICES selects, and what the simulated ones can tell.
#pragma once
#include <dlfcn.h>

#include <string>
#include <vector>

#include <pianola/runtime/devices.hpp>
#include <pianola/simulated/control.hpp>

#include <sycl/sycl.hpp>

namespace pianola::test {

// Errors of the queue's commands end up in `errors`, if given.
inline std::vector<sycl::queue> queues_on_all_devices(const sycl::property_list& properties = {},
                                                      std::vector<std::string>* errors = nullptr) {
  std::vector<sycl::queue> all;
  const auto handler = [errors](const sycl::exception_list& list) {
    for (const auto& e : list) {
      try {
        std::rethrow_exception(e);
      } catch (const std::exception& x) {
        if (errors != nullptr) errors->push_back(x.what());
      } catch (...) {
        if (errors != nullptr) errors->push_back("unknown");
      }
    }
  };
  for (const auto& d : sycl::device::get_devices()) all.emplace_back(d, handler, properties);
  return all;
}

// Null if no simulated devices are selected. Starts the runtime.
inline simulated::control* simulated_control() {
  static_cast<void>(runtime::device_count());
  Dl_info info{};
  void* symbol = dlsym(RTLD_DEFAULT, "_ZN7pianola6openmp7factoryEv");
  if (symbol == nullptr || dladdr(symbol, &info) == 0) return nullptr;
  std::string path = info.dli_fname;
  path = path.substr(0, path.rfind('/')) + "/pianola/libpianola-simulated.so";
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  using function = simulated::control* (*)();
  const auto f = reinterpret_cast<function>(dlsym(library, "pianola_simulated_control"));
  return f == nullptr ? nullptr : f();
}

// Devices of the selection with memories of their own, in the order of the queues above.
inline std::vector<std::size_t> simulated_devices() {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < runtime::device_count(); ++i)
    if (runtime::device(model::device_id(static_cast<std::uint16_t>(i))).backend == "simulated")
      found.push_back(i);
  return found;
}

inline unsigned memory_of(std::size_t device) {
  return runtime::device(model::device_id(static_cast<std::uint16_t>(device))).memory.value();
}

// Copies over all links between memories.
inline simulated::link_counters all_copies() {
  simulated::link_counters sum;
  auto* c = simulated_control();
  if (c == nullptr) return sum;
  for (unsigned a = 0; a < 8; ++a)
    for (unsigned b = 0; b < 8; ++b) {
      const auto l = c->counters(a, b);
      sum.copies += l.copies;
      sum.bytes += l.bytes;
    }
  return sum;
}

}  // namespace pianola::test
