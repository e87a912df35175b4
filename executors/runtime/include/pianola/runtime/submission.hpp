// SPDX-License-Identifier: Apache-2.0
// One command group on its way from the SYCL handler into the runtime.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <pianola/model/command.hpp>
#include <pianola/model/requirement.hpp>

#include "cookie.hpp"
#include "events.hpp"
#include "graph_parameters.hpp"
#include "ids.hpp"

namespace pianola::runtime {

class executable_graph;
class graph;
struct control_request;
struct memory_step;  // what an allocation or its end has set aside until the command is submitted

// For a command that is added to a graph: known before its command group is called.
struct graph_place {
  std::shared_ptr<graph> into;
  std::vector<model::command_id> after;
};

// One accessor bound to the command group.
struct accessor_request {
  buffer_key buffer;
  model::access_mode mode = model::access_mode::read_write;
  bool no_init = false;
  // Filled by the runtime. The command stands for one before it in its command group, which has touched the data; it
  // does not touch it itself. Planned like any other: who waits for one of them waits for both.
  bool for_order = false;
  model::memory_id memory;   // invalid: where the command works
  model::box elements;       // of the buffer, not of a view; must lie in its range
  std::uint64_t cookie = 0;  // what the accessor holds in place of its address
  // What it holds where it has no cookie: accessors of host tasks are of use at once. Replays of graphs put another one there.
  const void* host_address = nullptr;
  std::uint64_t byte_offset = 0;  // of the accessor's base from the buffer's base (sub-buffers)
};

// Grows without limit, without an allocation up to N.
template <class T, std::size_t N>
class small_list {
 public:
  small_list() = default;
  small_list(const small_list&) = delete;
  small_list& operator=(const small_list&) = delete;
  ~small_list() {
    for (std::size_t i = 0; i < size_ && i < N; ++i) at_inline(i)->~T();
  }
  void push_back(const T& value) {
    if (size_ < N)
      new (inline_ + size_ * sizeof(T)) T(value);
    else
      grow(T(value));
    ++size_;
  }
  void push_back(T&& value) {
    if (size_ < N)
      new (inline_ + size_ * sizeof(T)) T(std::move(value));
    else
      grow(std::move(value));
    ++size_;
  }
  // A new one at the end, to be filled in where it is.
  T& append() {
    if (size_ >= N) {
      push_back(T());
      return more_.back();
    }
    T* const made = new (inline_ + size_ * sizeof(T)) T();
    ++size_;
    return *made;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T* data() noexcept { return more_.empty() ? at_inline(0) : more_.data(); }
  [[nodiscard]] const T* data() const noexcept { return const_cast<small_list*>(this)->data(); }
  T& operator[](std::size_t i) noexcept { return data()[i]; }
  const T& operator[](std::size_t i) const noexcept { return data()[i]; }
  T* begin() noexcept { return data(); }
  T* end() noexcept { return data() + size_; }
  const T* begin() const noexcept { return data(); }
  const T* end() const noexcept { return data() + size_; }

 private:
  [[gnu::noinline]] void grow(T&& value) {
    if (more_.empty()) {
      more_.reserve(2 * N + 2);
      for (std::size_t i = 0; i < N; ++i) more_.push_back(std::move(*at_inline(i)));
    }
    more_.push_back(std::move(value));
  }
  T* at_inline(std::size_t i) noexcept {
    return std::launder(reinterpret_cast<T*>(inline_ + i * sizeof(T)));
  }
  std::size_t size_ = 0;
  alignas(T) unsigned char inline_[N * sizeof(T)];
  std::vector<T> more_;
};

// Storage for the function object of a kernel or host task until it is handed to an executor.
// Trivially copyable objects up to `inline_bytes` cost no allocation.
class argument_storage {
 public:
  static constexpr std::size_t inline_bytes = 384;
  argument_storage() = default;
  argument_storage(const argument_storage&) = delete;
  argument_storage& operator=(const argument_storage&) = delete;
  ~argument_storage() { reset(); }

  // Copy-constructs the object. `operations` null: trivially copyable.
  void store(const void* object, std::uint32_t size, std::uint32_t alignment,
             const model::object_operations* operations) {
    reset();
    block_.size = size;
    block_.alignment = alignment;
    // Objects with a life of their own always live on the heap, so that they can change hands
    // without being copied again.
    if (operations == nullptr && size <= inline_bytes && alignment <= alignof(std::max_align_t))
      block_.bytes = inline_;
    else
      block_.bytes = ::operator new(size, std::align_val_t(alignment));
    if (operations == nullptr)
      std::memcpy(block_.bytes, object, size);
    else {
      try {
        operations->copy(block_.bytes, object);
      } catch (...) {
        ::operator delete(block_.bytes, std::align_val_t(alignment));
        block_ = {};
        throw;
      }
    }
    block_.operations = operations;
  }
  [[nodiscard]] const model::argument_block& block() const noexcept { return block_; }
  [[nodiscard]] bool on_heap() const noexcept {
    return block_.bytes != nullptr && block_.bytes != inline_;
  }
  // The caller takes over a heap block (destroys the object, then frees with operator delete).
  model::argument_block release() noexcept {
    model::argument_block b = block_;
    block_ = {};
    return b;
  }

 private:
  void reset() noexcept {
    if (block_.bytes == nullptr) return;
    if (block_.operations != nullptr && block_.operations->destroy != nullptr)
      block_.operations->destroy(block_.bytes);
    if (block_.bytes != inline_)
      ::operator delete(block_.bytes, std::align_val_t(block_.alignment));
    block_ = {};
  }
  model::argument_block block_;
  alignas(std::max_align_t) unsigned char inline_[inline_bytes];
};

// Filled by the handler. Exactly one payload. For kernels and host tasks the function object is in
// `arguments`; the payload's own `arguments` and `slots` are filled by the runtime.
// Explicit copies and fills through accessors name their requirement by index into `accessors`.
struct submission {
  small_list<accessor_request, 8> accessors;
  small_list<event, 4> after;
  model::command_payload payload;
  argument_storage arguments;
  bool has_payload = false;
  bool uses_parameters = false;  // dynamic parameters, which only graphs have
  std::uint32_t local_memory_bytes = 0;
  std::shared_ptr<executable_graph> graph;  // payload is a subgraph_command: what is replayed
  std::shared_ptr<const parameter_values> values;  // of the graph's parameters; null: none
  std::shared_ptr<const control_request>
      control;              // payload is a subgraph_command: what runs, and how
  model::device_id device;  // invalid: the queue's
  // Commands of equal numbers go to one lane of the device, modulo how many it has; a hint.
  static constexpr std::uint32_t any_lane = 0xffffffffU;
  std::uint32_t preferred_lane = any_lane;
  const char* label = "";
  // Submitted right behind this command, and after it. What is returned stands for both.
  std::unique_ptr<submission> next;
  const graph_place* place = nullptr;
  std::shared_ptr<memory_step> memory;
  // Lives until both are submitted: buffers between them, for instance.
  std::vector<std::shared_ptr<void>> kept_alive;
};

}  // namespace pianola::runtime
