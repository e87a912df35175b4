// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <exception>
#include <memory>
#include <vector>

#include <pianola/model/ids.hpp>
#include <pianola/runtime/queues.hpp>
#include <pianola/runtime/usm.hpp>

namespace pianola::tool {

// Memory of a device, or of the host for one.
class probe_memory {
 public:
  // Throws model::user_error (memory_allocation) if there is not so much.
  probe_memory(runtime::usm_kind kind, std::size_t bytes, model::device_id device);
  ~probe_memory();
  probe_memory(const probe_memory&) = delete;
  probe_memory& operator=(const probe_memory&) = delete;
  [[nodiscard]] void* get() const noexcept { return pointer_; }

 private:
  void* pointer_;
};

// Submits the work that is measured to one device, one after the other, through the runtime as programs do.
class probe {
 public:
  explicit probe(model::device_id device);

  void copy(void* to, void* from, std::size_t bytes);
  void fill(void* to, std::size_t bytes);
  // A kernel of one work-item that does nothing. This and the kernels below are compiled for processors only: for other
  // devices they throw model::user_error.
  void nothing();
  // a[i] = b[i] + 3 * c[i]: reads 16 bytes and writes 8 for each i.
  void stream(double* a, const double* b, const double* c, std::size_t count);
  // So many work-items of `operations_of_item` each.
  void multiply_add(double* out, std::size_t items);
  static constexpr double operations_of_item = 2.0 * 16 * 4096;
  void host_task();

  // Throws what a command has thrown.
  void wait();

 private:
  template <class Kernel>
  void launch(const Kernel& kernel, std::size_t items);

  std::shared_ptr<std::vector<std::exception_ptr>> errors_;
  std::shared_ptr<runtime::queue> queue_;
};

}  // namespace pianola::tool
