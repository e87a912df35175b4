// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pthread.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "processors.hpp"

namespace pianola::host {

// A thread of ours, to be joined or detached. std::thread cannot say where a thread begins.
class started_thread {
 public:
  started_thread() noexcept = default;
  explicit started_thread(pthread_t id) noexcept : id_(id) {}
  started_thread(started_thread&& other) noexcept : id_(std::exchange(other.id_, std::nullopt)) {}
  // Ends the process if this one is neither joined nor detached, as the destructor does.
  started_thread& operator=(started_thread&& other) noexcept;
  ~started_thread();

  [[nodiscard]] bool joinable() const noexcept { return id_.has_value(); }
  void join() noexcept;
  void detach() noexcept;

 private:
  std::optional<pthread_t> id_;
};

struct thread_start {
  processor_mask processors;    // empty: those of the calling thread
  std::size_t stack_bytes = 0;  // 0: the system's default
  const char* name = nullptr;   // at most 15 characters
  bool deaf = false;            // gets no signal of the program's
};

// Where the thread may run is settled before it starts: bound as who starts it is, it might wait for that one's
// processor to become so. If the processors are no longer the process's, it runs where the calling thread may. Throws
// std::system_error.
[[nodiscard]] started_thread start_thread(const thread_start& how, std::function<void()> body);

}  // namespace pianola::host
