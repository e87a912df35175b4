// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include <pianola/executors/resolved_step.hpp>
#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>

#include "completion/device_resources.hpp"

namespace pianola::gpu {

class gpu_graph;

// Of a kernel that reads how much of its geometry it runs.
struct read_range {
  std::uint64_t* word = nullptr;      // where it tells of what is beyond its bound
  executors::resolved_kernel kernel;  // for its name and bound
};

// Of a step whose times are asked for.
struct step_times {
  std::shared_ptr<const clock_base> base;  // null: the driver did nothing for the step
  event started;
  event ended;
  std::uint64_t issued_at = 0;
  gpu_graph* graph = nullptr;  // whose steps have times as well; it outlives its launches
};

// What is kept of a step until it has finished; followed by its context.
struct alignas(std::max_align_t) record {
  std::uint32_t bytes = 0;
  std::uint32_t context_bytes = 0;
  bool timed = false;
  bool failed = false;  // the device did not finish it
  bool told = false;    // that it has failed
  bool owns_arguments = false;
  std::unique_ptr<step_times> times;
  model::argument_block arguments;  // if owned
  std::unique_ptr<read_range> range;
  gpu_graph* ranges = nullptr;  // a graph that was launched, with kernels that read theirs
  std::vector<executors::lane_position> ends_after;  // lanes of the same backend

  [[nodiscard]] const void* context() const noexcept { return this + 1; }
  // Something is to be called that may take locks.
  [[nodiscard]] bool calls_out() const noexcept {
    return timed || failed || owns_arguments || range != nullptr || ranges != nullptr;
  }
};

// Records of a lane in the order of its steps, in blocks of memory that are used again. Records stay where
// they are until they are popped.
class record_queue {
 public:
  record_queue() = default;
  ~record_queue();
  record_queue(const record_queue&) = delete;
  record_queue& operator=(const record_queue&) = delete;

  record& push(model::array_view<const std::byte> context);
  // Takes back the last push.
  void unpush(record&) noexcept;
  [[nodiscard]] record& front() noexcept;
  void pop() noexcept;
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

  template <class F>
  void for_each(F&& f) noexcept {
    block* b = first_;
    std::size_t at = read_;
    for (std::size_t i = 0; i < count_; ++i) {
      while (at == b->used) {
        b = b->next;
        at = 0;
      }
      record& r = *record_at(b, at);
      at += r.bytes;
      f(r);
    }
  }

 private:
  struct block {
    block* next = nullptr;
    std::size_t capacity = 0;
    std::size_t used = 0;
  };
  static record* record_at(block* b, std::size_t offset) noexcept;
  block* take(std::size_t bytes);
  void give(block*) noexcept;
  void skip_read_block() noexcept;

  block* first_ = nullptr;
  block* last_ = nullptr;
  std::size_t read_ = 0;
  std::size_t count_ = 0;
  block* spare_ = nullptr;
  unsigned spare_count_ = 0;
};

}  // namespace pianola::gpu
