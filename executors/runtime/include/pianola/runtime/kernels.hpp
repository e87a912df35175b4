// SPDX-License-Identifier: Apache-2.0
// The kernels that the object files of the program have, by name (SYCL 2020, 4.11).
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/model/ids.hpp>
#include <pianola/model/kernel.hpp>

namespace pianola::runtime {

// One per kernel, in static storage of the object file that holds the kernel's code. Constructed when that is
// loaded and destroyed before it is unloaded.
class kernel_registration {
 public:
  using describe_function = const model::kernel_descriptor& (*)();

  // `name`: an address that stands for the kernel's name; null for a kernel of Pianola's own, which no list shows.
  kernel_registration(const void* name, describe_function describe);
  kernel_registration(const kernel_registration&) = delete;
  kernel_registration& operator=(const kernel_registration&) = delete;
  ~kernel_registration();

  [[nodiscard]] const void* name() const noexcept { return name_; }
  [[nodiscard]] const model::kernel_descriptor& describe() const { return describe_(); }

 private:
  const void* name_;
  describe_function describe_;
};

// Null if no kernel of this name is loaded; the one registered first of several.
[[nodiscard]] const kernel_registration* find_kernel(const void* name) noexcept;
// All of the program's, in the order of registration.
[[nodiscard]] std::vector<const kernel_registration*> registered_kernels();
// All, those of Pianola's own too.
[[nodiscard]] std::vector<const model::kernel_descriptor*> all_kernels();

// Whether the device has what the kernel requires and can run code that there is of it.
[[nodiscard]] bool can_run(const model::kernel_descriptor&, model::device_id);

struct kernel_limits {
  std::uint64_t max_group_size = 0;   // work-items
  std::uint64_t private_bytes = 0;    // of a work-item, in memory
  std::uint64_t resident_groups = 0;  // that the device runs at the same time; 0: they do not run
};
// Of a kernel that can_run there, in groups of so many work-items with so much local memory each. Loads its code.
[[nodiscard]] kernel_limits limits_of(const model::kernel_descriptor&, model::device_id,
                                      std::uint64_t group_size, std::uint64_t local_bytes);

}  // namespace pianola::runtime
