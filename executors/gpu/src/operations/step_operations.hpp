// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <pianola/abi/launch.h>
#include <pianola/executors/resolved_step.hpp>

#include "images/image_store.hpp"
#include "operations/memory_operations.hpp"

namespace pianola::gpu {

// What the driver is to do for one step. Storage that is used again; a kernel's parameters point into it and
// into the action it was made from.
class step_operations {
 public:
  enum class kind : unsigned char { nothing, kernel, memory };

  step_operations() = default;
  step_operations(const step_operations&) = delete;
  step_operations& operator=(const step_operations&) = delete;

  [[nodiscard]] kind what() const noexcept { return what_; }
  [[nodiscard]] kernel_launch& kernel() noexcept { return launch_; }
  [[nodiscard]] const kernel_launch& kernel() const noexcept { return launch_; }
  [[nodiscard]] const std::vector<memory_operation>& memory() const noexcept { return memory_; }
  // The kernel does, whether or not it can be had.
  [[nodiscard]] bool offers_overlap() const noexcept { return offers_overlap_; }

  void clear() noexcept {
    what_ = kind::nothing;
    memory_.clear();
  }
  executors::status set_kernel(driver&, std::uint32_t device, const executors::resolved_kernel&,
                               const loaded_kernel&);
  // Not null: the kernel reads how much of its geometry it runs.
  [[nodiscard]] const executors::resolved_kernel* reads_its_range() const noexcept {
    return what_ == kind::kernel ? reads_its_range_ : nullptr;
  }
  // Where that kernel tells of what is beyond its bound.
  void set_range_word(std::uint64_t* word);
  // The bytes of the function object that the kernel will get; they may be changed.
  std::byte* own_functor(const executors::resolved_kernel&);
  // Behind those that there are.
  void add_copy(const executors::resolved_copy&, std::int32_t from, std::int32_t to,
                std::uint32_t device);
  void set_fill(const executors::resolved_fill&, std::int32_t where, std::uint32_t device);

 private:
  kind what_ = kind::nothing;
  kernel_launch launch_;
  bool offers_overlap_ = false;
  const executors::resolved_kernel* reads_its_range_ = nullptr;
  pianola_part_launch shape_{};  // of a launch that is no part only the beginning
  void* parameters_[2] = {nullptr, nullptr};
  std::vector<std::byte> functor_;  // with the places in local memory, and textures, filled in
  std::vector<memory_operation> memory_;
};

// For people: "running kernel 'x'", "copying 4096 bytes".
[[nodiscard]] std::string describe(const executors::resolved_action&);

}  // namespace pianola::gpu
