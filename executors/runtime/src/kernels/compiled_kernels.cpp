// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/compiled_kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>

#include <fmt/format.h>

#include <pianola/host/thread_storage.hpp>
#include <pianola/model/error.hpp>
#include <pianola/model/kernel.hpp>
#include <pianola/runtime/address_spaces.hpp>

namespace pianola::runtime {
namespace {

constexpr std::align_val_t object_alignment{64};

struct aligned_delete {
  void operator()(std::byte* p) const noexcept { ::operator delete(p, object_alignment); }
};

struct frame_memory {
  std::unique_ptr<std::byte, aligned_delete> bytes;
  std::uint64_t size = 0;
};

}  // namespace

bool is_in_work_group_frame(const void* pointer) noexcept {
  const auto& f = host::thread_storage<frame_memory>::get();
  const auto first = reinterpret_cast<std::uintptr_t>(f.bytes.get());
  return reinterpret_cast<std::uintptr_t>(pointer) - first < f.size;
}

}  // namespace pianola::runtime

void* pianola_work_group_frame_v1(std::uint64_t bytes) {
  using namespace pianola;
  auto& f = host::thread_storage<runtime::frame_memory>::get();
  if (bytes > f.size || f.bytes == nullptr) {
    const std::uint64_t size = std::max<std::uint64_t>(bytes, 4096);
    f.bytes.reset();
    f.size = 0;
    f.bytes.reset(
        static_cast<std::byte*>(::operator new(size, runtime::object_alignment, std::nothrow)));
    if (f.bytes == nullptr)
      throw model::user_error(
          model::error_code::memory_allocation,
          fmt::format(
              "a work-group needs {} bytes for what its work-items keep across barriers, and there "
              "is no more memory: use smaller work-groups or smaller private arrays",
              bytes));
    f.size = size;
  }
  return f.bytes.get();
}

void pianola_refuse_group_objects_v1(std::uint64_t bytes) {
  using namespace pianola;
  throw model::user_error(
      model::error_code::memory_allocation,
      fmt::format("a work-group needs {} bytes of local memory for its objects, the device has {}",
                  bytes, model::host_local_memory_bytes));
}

void pianola_intrinsic_outside_kernel_v1(const char* name) {
  using namespace pianola;
  throw model::user_error(
      model::error_code::kernel,
      fmt::format("a function of work-items ({}) was called outside of an nd_range kernel: "
                  "barriers, group functions, local memory and ids of work-items exist only in "
                  "functions that such a kernel calls directly, in the same translation unit",
                  name));
}
