// SPDX-License-Identifier: Apache-2.0
// Commands whose effect is a plain function of the bytes that they access, run by the runtime on any
// device and by an interpreter on plain arrays.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include <pianola/runtime/runtime.hpp>
#if defined(__PIANOLACC__)
#include <sycl/sycl.hpp>
#endif

namespace pianola::test {

// One command: reads some boxes, writes others. Elements are 32-bit.
struct operation {
  struct access {
    std::size_t buffer = 0;  // of the program
    model::access_mode mode = model::access_mode::read_write;
    bool no_init = false;
    model::box elements;
    model::extent3 range;  // of the buffer
    bool uses_data =
        true;  // false: what is there is undefined, so the result must not depend on it
  };
  static constexpr std::size_t max_accesses = 3;
  std::uint32_t id = 0;
  std::vector<access> accesses;
  bool partial = false;  // leaves some elements of its no_init boxes unwritten

  [[nodiscard]] bool leaves_out(std::uint64_t linear) const {
    return partial && (linear + id) % 4 == 0;
  }

  // bases[i]: where element 0 of access i's buffer is.
  void run(std::uint32_t* const* bases) const;

  template <class F>
  static void for_each(const access& a, F&& f) {
    for (auto z = a.elements.lo.c[0]; z < a.elements.hi.c[0]; ++z)
      for (auto y = a.elements.lo.c[1]; y < a.elements.hi.c[1]; ++y)
        for (auto x = a.elements.lo.c[2]; x < a.elements.hi.c[2]; ++x)
          f((z * a.range.c[1] + y) * a.range.c[2] + x);
  }
};

// The function object of an operation: what a lambda with captured accessors is. Everything that it needs is in it,
// so that devices with memories of their own can run it.
struct operation_object {
  std::uint64_t bases[operation::max_accesses] = {};
  std::uint32_t id = 0;
  std::uint32_t count = 0;
  operation::access accesses[operation::max_accesses];
  bool partial = false;

  operation_object() = default;
  explicit operation_object(const operation& o)
      : id(o.id), count(static_cast<std::uint32_t>(o.accesses.size())), partial(o.partial) {
    for (std::uint32_t i = 0; i < count; ++i) accesses[i] = o.accesses[i];
  }

  [[nodiscard]] bool leaves_out(std::uint64_t linear) const {
    return partial && (linear + id) % 4 == 0;
  }

  void run() const {
    std::uint32_t sum = id * 2654435761U + 1;
    for (std::uint32_t i = 0; i < count; ++i) {
      const operation::access& a = accesses[i];
      const auto* base = reinterpret_cast<const std::uint32_t*>(bases[i]);
      if (!model::reads(a.mode) || a.no_init || !a.uses_data) continue;
      operation::for_each(a, [&](std::uint64_t at) { sum = sum * 31 + base[at]; });
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const operation::access& a = accesses[i];
      auto* base = reinterpret_cast<std::uint32_t*>(bases[i]);
      if (!model::writes(a.mode)) continue;
      operation::for_each(a, [&](std::uint64_t at) {
        if (a.no_init ? leaves_out(at) : (at + id) % 3 == 0) return;
        std::uint32_t v = sum + static_cast<std::uint32_t>(at) * 40503U + i;
        if (model::reads(a.mode) && !a.no_init && a.uses_data) v ^= base[at] * 7;
        base[at] = v;
      });
    }
  }
  void operator()() const { run(); }
};

inline void operation::run(std::uint32_t* const* bases) const {
  operation_object o(*this);
  for (std::uint32_t i = 0; i < o.count; ++i)
    o.bases[i] = reinterpret_cast<std::uint64_t>(bases[i]);
  o.run();
}

#if defined(__PIANOLACC__)
inline const model::kernel_descriptor& operation_kernel() {
  return glue::describe_kernel<void, operation_object, glue::single_task_shape>();
}
#else
inline const model::kernel_descriptor& operation_kernel() {
  static model::kernel_statistics statistics;
  static const model::kernel_descriptor descriptor = [] {
    model::kernel_descriptor d;
    d.name = "operation";
    d.entry = [](const void* arguments, const model::launch_geometry&, const model::box&,
                 model::array_view<const model::argument_slot>, const model::group_resources&) {
      static_cast<const operation_object*>(arguments)->run();
    };
    d.argument_bytes = sizeof(operation_object);
    d.argument_alignment = alignof(operation_object);
    d.statistics = &statistics;
    return d;
  }();
  return descriptor;
}
#endif

// Submits the operation.
inline runtime::event submit_operation(runtime::queue& q, const operation& o,
                                       const std::vector<runtime::buffer_key>& buffers,
                                       bool as_host_task,
                                       const std::vector<runtime::event>& after = {}) {
  runtime::submission s;
  operation_object object(o);
  for (std::size_t i = 0; i < o.accesses.size(); ++i) {
    const auto& a = o.accesses[i];
    runtime::accessor_request r;
    r.buffer = buffers[a.buffer];
    r.mode = a.mode;
    r.no_init = a.no_init;
    r.elements = a.elements;
    r.cookie = object.bases[i] = runtime::next_accessor_cookie();
    s.accessors.push_back(r);
  }
  for (const auto& e : after) s.after.push_back(e);
  s.arguments.store(&object, sizeof object, alignof(operation_object), nullptr);
  if (as_host_task) {
    model::host_task_command t;
    t.invoke = [](void* arguments) { static_cast<const operation_object*>(arguments)->run(); };
    s.payload = t;
  } else {
    model::kernel_command k;
    k.kernel = &operation_kernel();
    k.id = k.kernel->id;
    s.payload = k;
  }
  s.has_payload = true;
  return runtime::submit(q, s);
}

inline runtime::event submit_graph(runtime::queue& q,
                                   const std::shared_ptr<runtime::executable_graph>& graph) {
  runtime::submission s;
  s.graph = graph;
  s.payload = model::subgraph_command{};
  s.has_payload = true;
  return runtime::submit(q, s);
}

}  // namespace pianola::test
