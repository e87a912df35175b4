// SPDX-License-Identifier: Apache-2.0
#include <pianola/gpu/driver_calls.hpp>

#include "descriptions.hpp"
#include "hip_driver.hpp"

namespace pianola::hip {

using gpu::code;
using gpu::has_whole_slices;
using gpu::is_empty;
using gpu::within;

code hip_driver::make_graph(gpu::graph& out) noexcept {
  return library_.call.hipGraphCreate(&out.native, 0);
}

void hip_driver::destroy(gpu::graph g) noexcept {
  if (g.native == nullptr) return;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto it = fills_.begin(); it != fills_.end();)
      it = it->second.graph == g.native ? fills_.erase(it) : std::next(it);
    fan_outs_.erase(g.native);
  }
  (void)library_.call.hipGraphDestroy(g.native);
}

code hip_driver::waits_of(gpu::graph g, model::array_view<const gpu::node> after,
                          std::vector<handle>& out) noexcept {
  // As the runtime has queues for one graph, unless it is told otherwise.
  constexpr std::uint32_t queues = 4;
  try {
    for (const gpu::node n : after) out.push_back(n.native);
    std::lock_guard<std::mutex> lock(mutex_);
    fan_out& fan = fan_outs_[g.native];
    if (out.size() == 1 && fan.waiting[out[0]] >= queues) {
      if (fan.beginning == nullptr) {
        const result made =
            library_.call.hipGraphAddEmptyNode(&fan.beginning, g.native, nullptr, 0);
        if (made != success) return made;
      }
      out.push_back(fan.beginning);
    }
    for (const handle n : out) ++fan.waiting[n];
  } catch (...) {
    return out_of_memory;
  }
  return success;
}

template <class... Types, class... Values>
code hip_driver::add_behind(gpu::graph g, model::array_view<const gpu::node> after, gpu::node& out,
                            result (*add)(handle*, handle, const handle*, std::size_t, Types...),
                            Values... values) noexcept {
  std::vector<handle> waits;
  if (const code c = waits_of(g, after, waits); c != success) return c;
  return add(&out.native, g.native, waits.data(), waits.size(), values...);
}

code hip_driver::add_kernel(gpu::graph g, model::array_view<const gpu::node> after,
                            const gpu::kernel_launch& k, gpu::node& out) noexcept {
  const on_device here(*this, k.device);
  if (here.code() != success) return here.code();
  const kernel_node_parameters d = description_of(k);
  return add_behind(g, after, out, library_.call.hipGraphAddKernelNode, &d);
}

code hip_driver::add_node(gpu::graph g, model::array_view<const gpu::node> after,
                          const gpu::copy_operation& c, gpu::node& out) noexcept {
  if (is_linear(c.box))
    return add_behind(g, after, out, library_.call.hipGraphAddMemcpyNode1D, c.box.destination,
                      c.box.source, c.box.width, memcpy_default);
  if (!has_whole_slices(c.box)) return not_supported;
  const memcpy_3d d = description_of(c);
  return add_behind(g, after, out, library_.call.hipGraphAddMemcpyNode, &d);
}

code hip_driver::add_copy(gpu::graph g, model::array_view<const gpu::node> after,
                          const gpu::copy_operation& c, gpu::node& out) noexcept {
  if (is_empty(c.box)) return add_empty(g, after, out);
  const on_device here(*this, c.device);
  return here.code() != success ? here.code() : add_node(g, after, c, out);
}

code hip_driver::add_fill(gpu::graph g, model::array_view<const gpu::node> after,
                          const gpu::fill_operation& f, gpu::node& out) noexcept {
  if (f.width == 0 || f.rows == 0) return add_empty(g, after, out);
  const on_device here(*this, f.device);
  if (here.code() != success) return here.code();
  const memset_description d(f, library_.version);
  gpu::node last;
  result added = add_behind(g, after, last, library_.call.hipGraphAddMemsetNode, d.get());
  if (added == success && f.rows > 1) {
    try {
      fill_chain chain{g.native, {last.native}, f.rows};
      for (const gpu::copy_operation& c : further_rows(f)) {
        const gpu::node before = last;
        added = add_node(g, {&before, 1}, c, last);
        if (added != success) return added;
        chain.nodes.push_back(last.native);
      }
      std::lock_guard<std::mutex> lock(mutex_);
      fills_[last.native] = std::move(chain);
    } catch (...) {
      return out_of_memory;
    }
  }
  if (added == success) out = last;
  return added;
}

code hip_driver::add_empty(gpu::graph g, model::array_view<const gpu::node> after,
                           gpu::node& out) noexcept {
  return add_behind(g, after, out, library_.call.hipGraphAddEmptyNode);
}

code hip_driver::add_child(gpu::graph g, model::array_view<const gpu::node> after, gpu::graph child,
                           gpu::node& out) noexcept {
  if (library_.call.hipGraphAddChildGraphNode == nullptr) return not_supported;
  std::size_t nodes = 1;
  if (library_.call.hipGraphGetNodes != nullptr)
    if (const result r = library_.call.hipGraphGetNodes(child.native, nullptr, &nodes);
        r != success)
      return r;
  // Runtimes up to 6.3 crash on one without nodes.
  if (nodes == 0) return add_empty(g, after, out);
  // All of them order it by queues: it runs in that of the node before it, and so does the node behind it, if these are
  // its own. With other branches it has no order.
  gpu::node before, it;
  if (const code c = add_empty(g, after, before); c != success) return c;
  if (const code c =
          add_behind(g, {&before, 1}, it, library_.call.hipGraphAddChildGraphNode, child.native);
      c != success)
    return c;
  return add_empty(g, {&it, 1}, out);
}

code hip_driver::begin_capture(std::uint32_t device, gpu::stream s) noexcept {
  if (!can_.captures) return not_supported;
  return within<on_device>(*this, device, library_.call.hipStreamBeginCapture, s.native,
                           capture_relaxed);
}

code hip_driver::end_capture(std::uint32_t device, gpu::stream s, gpu::graph& out) noexcept {
  out = {};
  if (!can_.captures) return not_supported;
  return within<on_device>(*this, device, library_.call.hipStreamEndCapture, s.native, &out.native);
}

code hip_driver::add_record(gpu::graph g, model::array_view<const gpu::node> after,
                            std::uint32_t device, gpu::event e, gpu::node& out) noexcept {
  if (!can_.event_nodes) return not_supported;
  const on_device here(*this, device);
  if (here.code() != success) return here.code();
  return add_behind(g, after, out, library_.call.hipGraphAddEventRecordNode, e.native);
}

code hip_driver::add_wait(gpu::graph g, model::array_view<const gpu::node> after,
                          std::uint32_t device, gpu::event e, gpu::node& out) noexcept {
  if (!can_.event_nodes) return not_supported;
  const on_device here(*this, device);
  if (here.code() != success) return here.code();
  return add_behind(g, after, out, library_.call.hipGraphAddEventWaitNode, e.native);
}

code hip_driver::set_recorded(gpu::executable x, gpu::node n, std::uint32_t device,
                              gpu::event e) noexcept {
  if (!can_.event_nodes) return not_supported;
  return within<on_device>(*this, device, library_.call.hipGraphExecEventRecordNodeSetEvent,
                           x.native, n.native, e.native);
}

code hip_driver::set_awaited(gpu::executable x, gpu::node n, std::uint32_t device,
                             gpu::event e) noexcept {
  if (!can_.event_nodes) return not_supported;
  return within<on_device>(*this, device, library_.call.hipGraphExecEventWaitNodeSetEvent, x.native,
                           n.native, e.native);
}

// The runtime makes streams for branches of the graph now, on the thread's current device.
code hip_driver::instantiate(gpu::graph g, std::uint32_t device, gpu::executable& out) noexcept {
  const beside_captures these(*this);
  handle refused = nullptr;
  return within<on_device>(*this, device, library_.call.hipGraphInstantiate, &out.native, g.native,
                           &refused, nullptr, std::size_t{0});
}

// Some runtimes free an executable graph at once, also while it runs.
void hip_driver::destroy(gpu::executable e) noexcept {
  const beside_captures these(*this);
  if (e.native == nullptr) return;
  end_of_launches last;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = launches_.find(e.native);
    if (found != launches_.end()) {
      last = found->second;
      launches_.erase(found);
    }
  }
  if (last.event != nullptr) {
    (void)library_.call.hipEventSynchronize(last.event);
    destroy(last.device, gpu::event{last.event});
  }
  (void)library_.call.hipGraphExecDestroy(e.native);
}

code hip_driver::upload(gpu::executable e, std::uint32_t device, gpu::stream s) noexcept {
  const beside_captures these(*this);
  if (library_.call.hipGraphUpload == nullptr) return not_supported;
  return within<on_device>(*this, device, library_.call.hipGraphUpload, e.native, s.native);
}

code hip_driver::launch(gpu::executable e, std::uint32_t device, gpu::stream s) noexcept {
  const on_device here(*this, device);
  if (here.code() != success) return here.code();
  handle ends = nullptr;
  try {
    std::lock_guard<std::mutex> lock(mutex_);
    end_of_launches& last = launches_[e.native];
    if (last.event != nullptr && last.device != device) {
      // Launches of one graph follow each other.
      (void)within<on_device>(*this, last.device, library_.call.hipEventDestroy, last.event);
      last.event = nullptr;
    }
    if (last.event == nullptr) {
      const result made = library_.call.hipEventCreateWithFlags(
          &last.event, event_blocking_sync | event_disable_timing);
      if (made != success) return made;
      last.device = device;
    }
    ends = last.event;
  } catch (...) {
    return out_of_memory;
  }
  const result launched = library_.call.hipGraphLaunch(e.native, s.native);
  if (launched != success) return launched;
  // The launch counts also where this is refused.
  handle in = nullptr;
  if (stream_for_events(device, s, in) != success) return success;
  if (library_.call.hipEventRecord(ends, in) != success) return success;
  std::lock_guard<std::mutex> lock(mutex_);
  launches_[e.native].in = in;
  return success;
}

code hip_driver::update_kernel(gpu::executable e, gpu::node n,
                               const gpu::kernel_launch& k) noexcept {
  if (!can_.node_updates) return not_supported;
  const on_device here(*this, k.device);
  if (here.code() != success) return here.code();
  const kernel_node_parameters d = description_of(k);
  return library_.call.hipGraphExecKernelNodeSetParams(e.native, n.native, &d);
}

code hip_driver::update_copy(gpu::executable e, gpu::node n,
                             const gpu::copy_operation& c) noexcept {
  if (!can_.node_updates) return not_supported;
  if (is_empty(c.box) || !is_linear(c.box)) return invalid_value;
  // Runtimes from 2024 to 7 would make the copy at once.
  if (c.from < 0 || c.to < 0) return invalid_value;
  return within<on_device>(*this, c.device, library_.call.hipGraphExecMemcpyNodeSetParams1D,
                           e.native, n.native, c.box.destination, c.box.source, c.box.width,
                           memcpy_default);
}

code hip_driver::update_fill(gpu::executable e, gpu::node n,
                             const gpu::fill_operation& f) noexcept {
  if (!can_.node_updates) return not_supported;
  if (f.width == 0 || f.rows != 1) return invalid_value;
  const on_device here(*this, f.device);
  if (here.code() != success) return here.code();
  const memset_description d(f, library_.version);
  return library_.call.hipGraphExecMemsetNodeSetParams(e.native, n.native, d.get());
}

code hip_driver::set_kernel(gpu::node n, const gpu::kernel_launch& k) noexcept {
  const on_device here(*this, k.device);
  if (here.code() != success) return here.code();
  const kernel_node_parameters d = description_of(k);
  return library_.call.hipGraphKernelNodeSetParams(n.native, &d);
}

// A node keeps its kind: a copy of one dimension cannot become one of several.
code hip_driver::set_copy(gpu::graph, gpu::node n, const gpu::copy_operation& c) noexcept {
  if (is_empty(c.box)) return invalid_value;
  if (!has_whole_slices(c.box)) return not_supported;
  const on_device here(*this, c.device);
  if (here.code() != success) return here.code();
  if (is_linear(c.box))
    return library_.call.hipGraphMemcpyNodeSetParams1D(n.native, c.box.destination, c.box.source,
                                                       c.box.width, memcpy_default);
  const memcpy_3d d = description_of(c);
  return library_.call.hipGraphMemcpyNodeSetParams(n.native, &d);
}

hip_driver::fill_chain hip_driver::chain_of(handle last) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = fills_.find(last);
  return found != fills_.end() ? found->second : fill_chain{nullptr, {last}};
}

code hip_driver::set_fill(gpu::node n, const gpu::fill_operation& f) noexcept {
  if (f.width == 0 || f.rows == 0) return invalid_value;
  const on_device here(*this, f.device);
  if (here.code() != success) return here.code();
  try {
    const fill_chain chain = chain_of(n.native);
    if (chain.rows != f.rows) return invalid_value;
    const std::vector<gpu::copy_operation> copies = further_rows(f);
    const memset_description d(f, library_.version);
    result done = library_.call.hipGraphMemsetNodeSetParams(chain.nodes[0], d.get());
    for (std::size_t i = 0; i < copies.size() && done == success; ++i)
      done = set_copy({}, {chain.nodes[i + 1]}, copies[i]);
    return done;
  } catch (...) {
    return out_of_memory;
  }
}

code hip_driver::update(gpu::executable, gpu::graph) noexcept { return not_supported; }

}  // namespace pianola::hip
