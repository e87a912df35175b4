// SPDX-License-Identifier: Apache-2.0
// What the conformance suite runs. A test_kernel works on every backend: it is a host entry point and the kernel
// of an image. A callable is only for backends that run host code.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <pianola/executors/resolved_step.hpp>

#include "kernel_images.hpp"

namespace pianola::test {

// Calls f(index) for every unit of a part.
template <class F>
void for_each_unit(const model::box& part, F&& f) {
  model::point3 p;
  for (p.c[0] = part.lo.c[0]; p.c[0] < part.hi.c[0]; ++p.c[0])
    for (p.c[1] = part.lo.c[1]; p.c[1] < part.hi.c[1]; ++p.c[1])
      for (p.c[2] = part.lo.c[2]; p.c[2] < part.hi.c[2]; ++p.c[2]) f(p);
}

// A kernel whose function object is an Object: called with a Context for each unit. Empty `symbol`: it has no
// image. The arguments are copied by the backend: they need only live until the submission has returned (until
// the graph is gone, for graphs).
template <class Object, class Context>
class test_kernel {
 public:
  test_kernel(const char* name, const std::string& image, const std::string& symbol) {
    descriptor_.name = name;
    descriptor_.entry =
        [](const void* arguments, const model::launch_geometry& g, const model::box& part,
           model::array_view<const model::argument_slot> slots, const model::group_resources& r) {
          Object object = *static_cast<const Object*>(arguments);
          for (const auto& s : slots)
            std::memcpy(reinterpret_cast<unsigned char*>(&object) + s.offset, &s.byte_offset,
                        sizeof s.byte_offset);
          Context c{};
          c.local_memory = r.local_memory;
          const model::extent3 units = g.units();
          for (int i = 0; i < 3; ++i) {
            c.units[i] = units.c[i];
            c.local[i] = g.local.c[i];
          }
          for_each_unit(part, [&](const model::point3& p) {
            for (int i = 0; i < 3; ++i) c.id[i] = p.c[i];
            object(c);
          });
        };
    descriptor_.argument_bytes = sizeof(Object);
    descriptor_.argument_alignment = alignof(Object);
    descriptor_.statistics = &statistics_;
    if (!symbol.empty())
      descriptor_.id = kernel_images::all().add(image, symbol, sizeof(Object), alignof(Object));
  }
  test_kernel(const test_kernel&) = delete;
  test_kernel& operator=(const test_kernel&) = delete;

  [[nodiscard]] executors::resolved_kernel over(model::extent3 items, Object& object,
                                                std::uint32_t local_bytes = 0) const {
    executors::resolved_kernel k;
    k.kernel = &descriptor_;
    k.geometry.global = items;
    k.arguments.bytes = &object;
    k.arguments.size = sizeof object;
    k.arguments.alignment = alignof(Object);
    k.local_memory_bytes = local_bytes;
    return k;
  }
  [[nodiscard]] executors::resolved_kernel grouped(model::extent3 global, model::extent3 local,
                                                   Object& object,
                                                   std::uint32_t local_bytes = 0) const {
    executors::resolved_kernel k = over(global, object, local_bytes);
    k.geometry.local = local;
    k.geometry.grouped = true;
    return k;
  }
  [[nodiscard]] const model::kernel_descriptor& descriptor() const { return descriptor_; }
  [[nodiscard]] model::kernel_descriptor& descriptor() { return descriptor_; }

 private:
  mutable model::kernel_statistics statistics_;
  model::kernel_descriptor descriptor_;
};

using part_function = std::function<void(const model::launch_geometry&, const model::box&,
                                         const model::group_resources&)>;

// Calls `f` for each part of its index space, on backends that run host code. The object outlives the kernel's
// runs.
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

  [[nodiscard]] executors::resolved_kernel over(model::extent3 items) {
    executors::resolved_kernel k;
    k.kernel = &descriptor_;
    k.geometry.global = items;
    k.arguments.bytes = &self_;
    k.arguments.size = sizeof self_;
    k.arguments.alignment = alignof(part_function*);
    return k;
  }

 private:
  part_function function_;
  part_function* self_ = &function_;
  model::kernel_statistics statistics_;
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
