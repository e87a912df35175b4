// SPDX-License-Identifier: Apache-2.0
// The only place of the conformance suite that knows what runs a kernel. For backends that run host
// code a kernel is any callable; a backend with its own code objects brings its own versions of what is
// declared here.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <pianola/executors/resolved_step.hpp>

namespace pianola::test {

using part_function = std::function<void(const model::launch_geometry&, const model::box&,
                                         const model::group_resources&)>;

// A kernel that calls `f` for each part of its index space. The object outlives the kernel's runs.
class callable_kernel {
 public:
  explicit callable_kernel(part_function f) : function_(std::move(f)) {
    descriptor_.name = "test kernel";
    descriptor_.entry = [](const void* arguments, const model::launch_geometry& g,
                           const model::box& part, model::array_view<const model::argument_slot>,
                           const model::group_resources& r) {
      (**static_cast<const part_function* const*>(arguments))(g, part, r);
    };
    descriptor_.argument_bytes = sizeof self_;
    descriptor_.argument_alignment = alignof(part_function*);
    descriptor_.statistics = &statistics_;
  }
  callable_kernel(const callable_kernel&) = delete;
  callable_kernel& operator=(const callable_kernel&) = delete;

  [[nodiscard]] executors::resolved_kernel over(model::extent3 items,
                                                std::uint32_t local_bytes = 0) {
    executors::resolved_kernel k;
    k.kernel = &descriptor_;
    k.geometry.global = items;
    k.arguments.bytes = &self_;
    k.arguments.size = sizeof self_;
    k.arguments.alignment = alignof(part_function*);
    k.local_memory_bytes = local_bytes;
    return k;
  }
  [[nodiscard]] executors::resolved_kernel grouped(model::extent3 global, model::extent3 local,
                                                   std::uint32_t local_bytes = 0) {
    executors::resolved_kernel k = over(global, local_bytes);
    k.geometry.local = local;
    k.geometry.grouped = true;
    return k;
  }

 private:
  part_function function_;
  part_function* self_ = &function_;
  model::kernel_statistics statistics_;
  model::kernel_descriptor descriptor_;
};

// Calls f(index) for every unit of a part.
template <class F>
void for_each_unit(const model::box& part, F&& f) {
  model::point3 p;
  for (p.c[0] = part.lo.c[0]; p.c[0] < part.hi.c[0]; ++p.c[0])
    for (p.c[1] = part.lo.c[1]; p.c[1] < part.hi.c[1]; ++p.c[1])
      for (p.c[2] = part.lo.c[2]; p.c[2] < part.hi.c[2]; ++p.c[2]) f(p);
}

// data[i] = 3 * data[i] + addend, for each of n 64-bit integers in device memory: tells the order of
// its runs.
class affine_kernel {
 public:
  affine_kernel() {
    descriptor_.name = "affine";
    descriptor_.entry = [](const void* arguments, const model::launch_geometry&,
                           const model::box& part, model::array_view<const model::argument_slot>,
                           const model::group_resources&) {
      const auto& a = *static_cast<const argument_bytes*>(arguments);
      for (std::uint64_t i = part.lo.c[2]; i < part.hi.c[2]; ++i)
        a.data[i] = 3 * a.data[i] + a.addend;
    };
    descriptor_.argument_bytes = sizeof(argument_bytes);
    descriptor_.argument_alignment = alignof(argument_bytes);
    descriptor_.statistics = &statistics_;
  }
  struct argument_bytes {
    std::uint64_t* data;
    std::uint64_t addend;
  };
  // The arguments are copied by the backend: `a` need only live until the submission has returned
  // (until the graph is gone, for graphs).
  [[nodiscard]] executors::resolved_kernel with(argument_bytes& a, std::uint64_t n) const {
    executors::resolved_kernel k;
    k.kernel = &descriptor_;
    k.geometry.global = {{1, 1, n}};
    k.arguments.bytes = &a;
    k.arguments.size = sizeof a;
    k.arguments.alignment = alignof(argument_bytes);
    return k;
  }
  static std::uint64_t apply(std::uint64_t x, std::uint64_t addend) { return 3 * x + addend; }

 private:
  mutable model::kernel_statistics statistics_;
  model::kernel_descriptor descriptor_;
};

// A host task; `f` outlives its runs.
class callable_task {
 public:
  explicit callable_task(std::function<void()> f) : function_(std::move(f)) {}
  callable_task(const callable_task&) = delete;
  callable_task& operator=(const callable_task&) = delete;
  [[nodiscard]] executors::resolved_host_task step() {
    executors::resolved_host_task t;
    t.arguments.bytes = &self_;
    t.arguments.size = sizeof self_;
    t.arguments.alignment = alignof(std::function<void()>*);
    t.invoke = [](void* arguments) { (**static_cast<std::function<void()>**>(arguments))(); };
    return t;
  }

 private:
  std::function<void()> function_;
  std::function<void()>* self_ = &function_;
};

}  // namespace pianola::test
