// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <pianola/gpu/driver_calls.hpp>

#include "cuda_driver.hpp"
#include "descriptions.hpp"

namespace pianola::cuda {

using gpu::code;
using gpu::handles;
using gpu::has_whole_slices;
using gpu::is_empty;
using gpu::within;

code cuda_driver::make_graph(gpu::graph& out) noexcept {
  return library_.call.cuGraphCreate(&out.native, 0);
}

void cuda_driver::destroy(gpu::graph g) noexcept {
  if (g.native != nullptr) (void)library_.call.cuGraphDestroy(g.native);
}

code cuda_driver::add_kernel(gpu::graph g, model::array_view<const gpu::node> after,
                             const gpu::kernel_launch& k, gpu::node& out) noexcept {
  const in_context here(*this, k.device);
  if (here.code() != success) return here.code();
  const kernel_node_parameters d = description_of(k);
  const bool overlapping = k.overlapping && after.size() == 1;
  result added = library_.call.cuGraphAddKernelNode(&out.native, g.native, handles(after),
                                                    overlapping ? 0 : after.size(), &d);
  if (added == success && overlapping) {
    edge_data edge{};
    edge.from_port = kernel_port_programmatic;
    edge.type = dependency_programmatic;
    added =
        library_.call.cuGraphAddDependencies_v2(g.native, handles(after), &out.native, &edge, 1);
  }
  if (added != success || k.priority == 0 || !can_.node_priorities) return added;
  const device_state& state = *states_[k.device];
  launch_attribute_value value{};
  value.priority = std::clamp(k.priority, state.greatest_priority, state.least_priority);
  return library_.call.cuGraphKernelNodeSetAttribute(out.native, launch_attribute_priority, &value);
}

code cuda_driver::add_copy(gpu::graph g, model::array_view<const gpu::node> after,
                           const gpu::copy_operation& c, gpu::node& out) noexcept {
  if (is_empty(c.box)) return add_empty(g, after, out);
  if (!has_whole_slices(c.box)) return not_supported;
  const in_context here(*this, c.device);
  if (here.code() != success) return here.code();
  const memcpy_3d d = description_of(c);
  return library_.call.cuGraphAddMemcpyNode(&out.native, g.native, handles(after), after.size(), &d,
                                            context_of(c.device));
}

code cuda_driver::add_fill(gpu::graph g, model::array_view<const gpu::node> after,
                           const gpu::fill_operation& f, gpu::node& out) noexcept {
  if (f.width == 0 || f.rows == 0) return add_empty(g, after, out);
  const in_context here(*this, f.device);
  if (here.code() != success) return here.code();
  const memset_node_parameters d = description_of(f);
  return library_.call.cuGraphAddMemsetNode(&out.native, g.native, handles(after), after.size(), &d,
                                            context_of(f.device));
}

code cuda_driver::add_empty(gpu::graph g, model::array_view<const gpu::node> after,
                            gpu::node& out) noexcept {
  return library_.call.cuGraphAddEmptyNode(&out.native, g.native, handles(after), after.size());
}

code cuda_driver::add_child(gpu::graph g, model::array_view<const gpu::node> after,
                            gpu::graph child, gpu::node& out) noexcept {
  if (library_.call.cuGraphAddChildGraphNode == nullptr) return not_supported;
  return library_.call.cuGraphAddChildGraphNode(&out.native, g.native, handles(after), after.size(),
                                                child.native);
}

code cuda_driver::begin_capture(std::uint32_t device, gpu::stream s) noexcept {
  if (!can_.captures) return not_supported;
  return within<in_context>(*this, device, library_.call.cuStreamBeginCapture, s.native,
                            capture_relaxed);
}

code cuda_driver::end_capture(std::uint32_t device, gpu::stream s, gpu::graph& out) noexcept {
  out = {};
  if (!can_.captures) return not_supported;
  return within<in_context>(*this, device, library_.call.cuStreamEndCapture, s.native, &out.native);
}

code cuda_driver::begin_capture_into(std::uint32_t device, gpu::stream s, gpu::graph g,
                                     model::array_view<const gpu::node> after) noexcept {
  if (!can_.captures_into_graphs) return not_supported;
  return within<in_context>(*this, device, library_.call.cuStreamBeginCaptureToGraph, s.native,
                            g.native, handles(after), nullptr, after.size(), capture_relaxed);
}

code cuda_driver::end_capture_into(std::uint32_t device, gpu::stream s,
                                   std::vector<gpu::node>& ends) noexcept {
  ends.clear();
  if (!can_.captures_into_graphs) return not_supported;
  const in_context here(*this, device);
  if (here.code() != success) return here.code();
  const functions& call = library_.call;
  unsigned status = 0;
  const handle* tips = nullptr;
  // Whatever is said of the edges: who comes behind waits for the whole of each node.
  const edge_data* edges = nullptr;
  std::size_t count = 0;
  result told =
      call.cuStreamGetCaptureInfo_v3(s.native, &status, nullptr, nullptr, &tips, &edges, &count);
  try {
    if (told == success && status == capture_status_active)
      for (std::size_t i = 0; i < count; ++i) ends.push_back({tips[i]});
  } catch (...) {
    told = out_of_memory;
  }
  handle same = nullptr;
  const result ended = call.cuStreamEndCapture(s.native, &same);
  return told != success ? told : ended;
}

code cuda_driver::add_record(gpu::graph g, model::array_view<const gpu::node> after,
                             std::uint32_t device, gpu::event e, gpu::node& out) noexcept {
  if (!can_.event_nodes) return not_supported;
  return within<in_context>(*this, device, library_.call.cuGraphAddEventRecordNode, &out.native,
                            g.native, handles(after), after.size(), e.native);
}

code cuda_driver::add_wait(gpu::graph g, model::array_view<const gpu::node> after,
                           std::uint32_t device, gpu::event e, gpu::node& out) noexcept {
  if (!can_.event_nodes) return not_supported;
  return within<in_context>(*this, device, library_.call.cuGraphAddEventWaitNode, &out.native,
                            g.native, handles(after), after.size(), e.native);
}

code cuda_driver::set_recorded(gpu::executable x, gpu::node n, std::uint32_t device,
                               gpu::event e) noexcept {
  if (!can_.event_nodes) return not_supported;
  return within<in_context>(*this, device, library_.call.cuGraphExecEventRecordNodeSetEvent,
                            x.native, n.native, e.native);
}

code cuda_driver::set_awaited(gpu::executable x, gpu::node n, std::uint32_t device,
                              gpu::event e) noexcept {
  if (!can_.event_nodes) return not_supported;
  return within<in_context>(*this, device, library_.call.cuGraphExecEventWaitNodeSetEvent, x.native,
                            n.native, e.native);
}

code cuda_driver::instantiate(gpu::graph g, std::uint32_t device, gpu::executable& out) noexcept {
  return within<beside_captures>(*this, device, library_.call.cuGraphInstantiate, &out.native,
                                 g.native,
                                 can_.node_priorities ? instantiate_use_node_priority : 0);
}

void cuda_driver::destroy(gpu::executable e) noexcept {
  if (e.native != nullptr) (void)library_.call.cuGraphExecDestroy(e.native);
}

code cuda_driver::upload(gpu::executable e, std::uint32_t device, gpu::stream s) noexcept {
  return within<beside_captures>(*this, device, library_.call.cuGraphUpload, e.native, s.native);
}

code cuda_driver::launch(gpu::executable e, std::uint32_t device, gpu::stream s) noexcept {
  return within<in_context>(*this, device, library_.call.cuGraphLaunch, e.native, s.native);
}

code cuda_driver::update_kernel(gpu::executable e, gpu::node n,
                                const gpu::kernel_launch& k) noexcept {
  const in_context here(*this, k.device);
  if (here.code() != success) return here.code();
  const kernel_node_parameters d = description_of(k);
  return library_.call.cuGraphExecKernelNodeSetParams(e.native, n.native, &d);
}

code cuda_driver::update_copy(gpu::executable e, gpu::node n,
                              const gpu::copy_operation& c) noexcept {
  if (is_empty(c.box)) return invalid_value;
  // Documented as refused; not asking saves the driver's log an error.
  if (c.box.height > 1 || c.box.depth > 1) return invalid_value;
  const in_context here(*this, c.device);
  if (here.code() != success) return here.code();
  const memcpy_3d d = description_of(c);
  return library_.call.cuGraphExecMemcpyNodeSetParams(e.native, n.native, &d, context_of(c.device));
}

code cuda_driver::update_fill(gpu::executable e, gpu::node n,
                              const gpu::fill_operation& f) noexcept {
  if (f.width == 0 || f.rows == 0) return invalid_value;
  const in_context here(*this, f.device);
  if (here.code() != success) return here.code();
  const memset_node_parameters d = description_of(f);
  return library_.call.cuGraphExecMemsetNodeSetParams(e.native, n.native, &d, context_of(f.device));
}

code cuda_driver::set_kernel(gpu::node n, const gpu::kernel_launch& k) noexcept {
  const in_context here(*this, k.device);
  if (here.code() != success) return here.code();
  const kernel_node_parameters d = description_of(k);
  return library_.call.cuGraphKernelNodeSetParams(n.native, &d);
}

code cuda_driver::set_copy(gpu::graph, gpu::node n, const gpu::copy_operation& c) noexcept {
  if (is_empty(c.box)) return invalid_value;
  if (!has_whole_slices(c.box)) return not_supported;
  const in_context here(*this, c.device);
  if (here.code() != success) return here.code();
  const memcpy_3d d = description_of(c);
  return library_.call.cuGraphMemcpyNodeSetParams(n.native, &d);
}

code cuda_driver::set_fill(gpu::node n, const gpu::fill_operation& f) noexcept {
  if (f.width == 0 || f.rows == 0) return invalid_value;
  const in_context here(*this, f.device);
  if (here.code() != success) return here.code();
  const memset_node_parameters d = description_of(f);
  return library_.call.cuGraphMemsetNodeSetParams(n.native, &d);
}

code cuda_driver::update(gpu::executable e, gpu::graph g) noexcept {
  const in_context here(*this, device_in_use());
  if (here.code() != success) return here.code();
  exec_update_result details{};
  return library_.call.cuGraphExecUpdate(e.native, g.native, &details);
}

}  // namespace pianola::cuda
