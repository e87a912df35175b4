// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include <pianola/model/command.hpp>
#include <pianola/runtime/buffers.hpp>
#include <pianola/runtime/devices.hpp>
#include <pianola/runtime/graphs.hpp>
#include <pianola/runtime/queues.hpp>
#include <pianola/runtime/submission.hpp>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Function object of the host task below. Delivered by whoever runs the task.
struct write_back_task {
  const void* contents;
  std::uint64_t bytes;
  pianola::runtime::write_back destination;

  static void run(void* arguments) {
    auto& task = *static_cast<write_back_task*>(arguments);
    if (task.destination.what == pianola::runtime::write_back::kind::pointer)
      std::memcpy(task.destination.pointer, task.contents, static_cast<std::size_t>(task.bytes));
    else if (task.destination.deliver)
      task.destination.deliver(task.contents, task.bytes);
  }
  static void copy(void* to, const void* from) {
    new (to) write_back_task(*static_cast<const write_back_task*>(from));
  }
  static void destroy(void* object) noexcept {
    static_cast<write_back_task*>(object)->~write_back_task();
  }
};

/// Writes back while the program goes on: a host task that reads the whole buffer in host memory.
/// Host data that is the storage needs nothing else. It runs on the given queue, so that waiting
/// for that queue waits for it; without one, or while the queue records a graph (a buffer's end
/// acts on live data), on a queue of its own.
void write_back_asynchronously(std::shared_ptr<pianola::runtime::queue> queue,
                               pianola::runtime::buffer_key buffer,
                               const pianola::model::extent3& range, std::uint64_t bytes,
                               pianola::runtime::write_back destination);

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
