// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "completion/health.hpp"
#include "pianola/gpu/driver.hpp"

namespace pianola::gpu {

// The devices' own objects for variables of the program, each made when the first image or the first command wants it.
class variable_store {
 public:
  variable_store(driver& d, const health& state,
                 const executors::runtime_services& services) noexcept
      : driver_(d), state_(state), services_(services) {}
  variable_store(const variable_store&) = delete;
  variable_store& operator=(const variable_store&) = delete;

  executors::status find(std::uint32_t device, const executors::device_variable& variable,
                         void*& out);
  // Gives a module that has just been loaded the addresses of the variables that it has pointers to.
  executors::status tell(std::uint32_t device, module loaded,
                         model::array_view<const pianola_variable> pointers);
  // Nothing that is under way uses it.
  void forget(const void* address) noexcept;
  void clear() noexcept;

 private:
  // Zeros for no source. Returns when it has been done.
  code write(std::uint32_t device, void* to, const void* from, std::size_t bytes) noexcept;

  void free(std::uint32_t device, void* memory) noexcept;

  driver& driver_;
  const health& state_;
  const executors::runtime_services& services_;
  std::mutex mutex_;
  // By device and the address of the program's own.
  std::map<std::pair<std::uint32_t, const void*>, void*> variables_;
};

}  // namespace pianola::gpu
