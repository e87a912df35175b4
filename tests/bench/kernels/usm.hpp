// SPDX-License-Identifier: Apache-2.0
// For the SYCL sources: device memory that frees itself, in the namespace of the side that is compiled.
#pragma once
#include <sycl/sycl.hpp>

#include "kernels.hpp"

#if !defined(PIANOLA_BENCH_SIDE)
#error "the build defines PIANOLA_BENCH_SIDE: compiled or fibers"
#endif

namespace bench::PIANOLA_BENCH_SIDE {

template <class T>
class device_array {
 public:
  device_array(sycl::queue queue, std::size_t count)
      : queue_(std::move(queue)),
        count_(count),
        data_(sycl::aligned_alloc_device<T>(alignment, count, queue_)) {
    if (data_ == nullptr) throw std::bad_alloc();
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { sycl::free(data_, queue_); }

  [[nodiscard]] T* get() const noexcept { return data_; }
  [[nodiscard]] double checksum() {
    const array<T> copy = make_array<T>(count_);
    queue_.memcpy(copy.get(), data_, count_ * sizeof(T)).wait();
    return checksum_of(copy.get(), count_);
  }
  // First touched by the threads that work with it.
  template <class Value>
  void fill(Value value) {
    queue_.parallel_for(sycl::range<1>(count_),
                        [data = data_, value](sycl::id<1> i) { data[i] = value(i[0]); });
    queue_.wait();
  }

 private:
  sycl::queue queue_;
  std::size_t count_;
  T* data_;
};

// Runs `state->step()` once per unit of work and waits at the end.
template <class State>
subject repeated(std::shared_ptr<State> state) {
  return {[state](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) state->step();
              state->wait();
            });
          },
          [state] { return state->checksum(); }};
}

// Numbers to be sorted, again and again.
struct unsorted_numbers {
  explicit unsorted_numbers(std::size_t count) : n(count), source(queue, n), data(queue, n) {
    source.fill([](std::size_t i) { return bitonic_value(i); });
    data.fill([](std::size_t) { return 0U; });
  }
  void refill() { queue.memcpy(data.get(), source.get(), n * sizeof(std::uint32_t)).wait(); }
  void wait() { queue.wait(); }
  [[nodiscard]] double checksum() { return data.checksum(); }

  std::size_t n;
  sycl::queue queue{sycl::property::queue::in_order{}};
  device_array<std::uint32_t> source, data;
};

// As `repeated`, with a `state->refill()` before each unit of work, which is not timed.
template <class State>
subject refilled(std::shared_ptr<State> state) {
  return {[state](std::uint64_t units) {
            double time = 0;
            for (std::uint64_t i = 0; i < units; ++i) {
              state->refill();
              time += nanoseconds_of([&] {
                state->step();
                state->wait();
              });
            }
            return time;
          },
          [state] { return state->checksum(); }};
}

}  // namespace bench::PIANOLA_BENCH_SIDE
