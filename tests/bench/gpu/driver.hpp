// SPDX-License-Identifier: Apache-2.0
// CUDA's driver as a program would use it that has no Pianola: the device's primary context on the calling thread.
#pragma once
#include <pianola/test/driver_control.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/src/cuda_api.hpp"
#include "cuda/src/library.hpp"

namespace bench::gpu::raw {

namespace cuda = pianola::cuda;
using cuda::handle;

class driver {
 public:
  // The one that backend `cuda` takes, on the first device. Throws where there is none.
  static driver& get();

  [[nodiscard]] const cuda::functions& call() const noexcept { return library_.call; }
  // Throws with the driver's text.
  void check(cuda::result code, const char* doing) const;
  void synchronize(handle stream) const;
  [[nodiscard]] const std::string& architecture() const noexcept { return architecture_; }
  // Null: a real driver.
  [[nodiscard]] const pianola::test::driver_control* control() const noexcept { return control_; }

  // The kernel of this program whose name contains the text, from the image that Pianola would take.
  [[nodiscard]] handle kernel_named(const char* part);
  [[nodiscard]] handle load(const void* image);
  [[nodiscard]] handle find(handle module, const char* symbol);
  [[nodiscard]] handle make_stream() const;

  // Of the nodes of a graph (CUgraph), those that are no kernels.
  [[nodiscard]] std::size_t nodes_that_are_no_kernels(handle graph) const;

 private:
  driver();
  cuda::library library_;
  std::string architecture_;
  const pianola::test::driver_control* control_ = nullptr;
  cuda::result (*synchronize_)(handle) = nullptr;
  cuda::result (*get_nodes_)(handle, handle*, std::size_t*) = nullptr;
  cuda::result (*node_type_)(handle, int*) = nullptr;
  struct loaded {
    const void* image;
    handle module;
  };
  std::vector<loaded> modules_;
};

// Device memory that frees itself.
template <class T>
class memory {
 public:
  explicit memory(std::size_t count) : count_(count) {
    const driver& d = driver::get();
    d.check(d.call().cuMemAlloc(&at_, count * sizeof(T)), "allocating memory");
  }
  memory(const memory&) = delete;
  memory& operator=(const memory&) = delete;
  ~memory() { (void)driver::get().call().cuMemFree(at_); }
  [[nodiscard]] T* get() const noexcept { return reinterpret_cast<T*>(at_); }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  void write(const T* from, handle stream) {
    const driver& d = driver::get();
    d.check(d.call().cuMemcpyHtoDAsync(at_, from, count_ * sizeof(T), stream), "copying");
    d.synchronize(stream);
  }
  void read(T* to, handle stream) const {
    const driver& d = driver::get();
    d.check(d.call().cuMemcpyDtoHAsync(to, at_, count_ * sizeof(T), stream), "copying");
    d.synchronize(stream);
  }

 private:
  std::size_t count_;
  cuda::address at_ = 0;
};

}  // namespace bench::gpu::raw
