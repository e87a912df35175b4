// SPDX-License-Identifier: Apache-2.0
// Graphs of the CUDA double.
#include <cstring>

#include "front.hpp"

using namespace pianola::test::drivers;
using namespace pianola::test::drivers::cuda;

namespace {

kernel_run run_of(const CUDA_KERNEL_NODE_PARAMS_v2_t* p) {
  result(p, "the parameters");
  if (p->kern != nullptr) violate(codes::invalid_value, "kernels of libraries are not known here");
  kernel_run run;
  run.function = e().handles.get<function>(p->func);
  if (p->ctx != nullptr && p->ctx != run.function->owner->handle)
    violate(codes::invalid_context, "the function is of another context");
  const unsigned grid[3] = {p->gridDimX, p->gridDimY, p->gridDimZ};
  const unsigned block[3] = {p->blockDimX, p->blockDimY, p->blockDimZ};
  std::memcpy(run.grid, grid, sizeof grid);
  std::memcpy(run.block, block, sizeof block);
  run.dynamic_local_bytes = p->sharedMemBytes;
  engine::bind(run, p->kernelParams, p->extra);
  return run;
}

fill_box fill_of(const CUDA_MEMSET_NODE_PARAMS_t* p) {
  result(p, "the parameters");
  fill_box b;
  b.destination = pointer_to(p->dst);
  b.value = p->value;
  b.element_bytes = p->elementSize;
  b.width = p->width;
  b.height = p->height;
  b.pitch = p->pitch;
  if (b.width == 0 || b.height == 0) violate(codes::invalid_value, "nothing to fill");
  return b;
}

copy_box copy_of(const CUDA_MEMCPY3D_t* p) {
  const copy_box b = box_of(result(p, "the parameters"), false);
  if (b.width == 0 || b.height == 0 || b.depth == 0)
    violate(codes::invalid_value, "nothing to copy");
  return b;
}

std::shared_ptr<context> context_of(void* c) {
  return e().handles.get<context>(c, codes::invalid_context);
}

// A node that does nothing itself needs no context; the engine wants one to run it in.
const std::shared_ptr<context>& any_context() {
  for (unsigned d = 0; d < e().device_count(); ++d)
    if (e().primary(d) != nullptr) return e().primary(d);
  violate(codes::invalid_context, "there is no context");
}

void check_context(const executable& x, const void* n, void* c) {
  for (const auto& s : x.steps)
    if (s.of == n && s.where != context_of(c)) refuse(codes::invalid_value, "another context");
}

void add(void** out, void* g, void* const* after, std::size_t count,
         const std::shared_ptr<context>& where, node_action action) {
  result(out) =
      e().add_node(e().handles.get<graph>(g), after, count, where, std::move(action))->handle;
}

template <class Action>
Action with_event(void* it) {
  return {e().handles.get<event>(it, codes::invalid_value)};
}

}  // namespace

PIANOLA_CUDA_ENTRY cuGraphCreate(void** out, unsigned flags) {
  return enter("cuGraphCreate", [&](lock&) {
    if (flags != 0) violate(codes::invalid_value, "flags must be 0");
    result(out) = e().make_graph()->handle;
  });
}

PIANOLA_CUDA_ENTRY cuGraphConditionalHandleCreate(unsigned long long* out, void* g, void* c,
                                                  unsigned value, unsigned flags) {
  return enter("cuGraphConditionalHandleCreate", [&](lock&) {
    if (flags > CU_GRAPH_COND_ASSIGN_DEFAULT_v) violate(codes::invalid_value, "flags");
    result(out) = e().make_condition(*e().handles.get<graph>(g), *context_of(c), value, flags != 0);
  });
}

PIANOLA_CUDA_ENTRY cuGraphAddNode_v2(void** out, void* g, void* const* after,
                                     const CUgraphEdgeData_t* edges, std::size_t count,
                                     CUgraphNodeParams_t* p) {
  return enter("cuGraphAddNode_v2", [&](lock&) {
    result(p, "the parameters");
    if (p->type != CU_GRAPH_NODE_TYPE_CONDITIONAL_v)
      violate(codes::not_supported, "nodes of other types have calls of their own here");
    if (edges != nullptr)
      violate(codes::not_supported, "the node waits for all of what is before it");
    CUDA_CONDITIONAL_NODE_PARAMS_t& c = p->conditional;
    constexpr decision::kind kinds[] = {decision::kind::branch, decision::kind::loop,
                                        decision::kind::choice};
    if (c.type < 0 || c.type > CU_GRAPH_COND_TYPE_SWITCH_v)
      violate(codes::invalid_value, "the type of a conditional node");
    if ((c.type == CU_GRAPH_COND_TYPE_SWITCH_v || c.size > 1) && driver_version() < 12080)
      violate(codes::not_supported, "this driver's conditional nodes have one graph");
    const auto n = e().add_conditional(e().handles.get<graph>(g), after, count, context_of(c.ctx),
                                       {kinds[c.type], c.handle}, c.size);
    // The driver's own array, which lives as long as the node.
    for (const auto& body : n->bodies) n->body_handles.push_back(body->handle);
    c.phGraph_out = n->body_handles.data();
    result(out) = n->handle;
  });
}

PIANOLA_CUDA_ENTRY cuStreamBeginCapture_v2(void* s, int mode) {
  return enter("cuStreamBeginCapture_v2", [&](lock&) {
    e().begin_capture(e().stream_of(current(), s), mode, nullptr, nullptr, 0);
  });
}

PIANOLA_CUDA_ENTRY cuStreamBeginCaptureToGraph(void* s, void* g, void* const* after,
                                               const CUgraphEdgeData_t*, std::size_t count,
                                               int mode) {
  return enter("cuStreamBeginCaptureToGraph", [&](lock&) {
    e().begin_capture(e().stream_of(current(), s), mode, e().handles.get<graph>(g), after, count);
  });
}

PIANOLA_CUDA_ENTRY cuStreamGetCaptureInfo_v3(void* s, int* status, unsigned long long* id, void** g,
                                             void* const** tips, const CUgraphEdgeData_t** edges,
                                             std::size_t* count) {
  return enter("cuStreamGetCaptureInfo_v3", [&](lock&) {
    const auto it = e().stream_of(current(), s);
    const bool active = it->captured != nullptr && !it->captured->invalid;
    result(status) = active ? 1 : it->captured != nullptr ? 2 : 0;
    if (!active) return;
    if (edges != nullptr && tips == nullptr)
      violate(codes::invalid_value, "edges are of nodes that nobody asks for");
    const std::vector<void*>& all = e().tips_of(*it);
    if (id != nullptr) *id = reinterpret_cast<unsigned long long>(it->captured.get());
    if (g != nullptr) *g = it->captured->made->handle;
    if (tips != nullptr) *tips = all.data();
    if (edges != nullptr) {
      it->told_edges.assign(all.size(), {});
      *edges = reinterpret_cast<const CUgraphEdgeData_t*>(it->told_edges.data());
    }
    if (count != nullptr) *count = all.size();
  });
}

PIANOLA_CUDA_ENTRY cuThreadExchangeStreamCaptureMode(int* mode) {
  return enter("cuThreadExchangeStreamCaptureMode",
               [&](lock&) { *mode = engine::exchange_capture_mode(result(mode)); });
}

PIANOLA_CUDA_ENTRY cuStreamEndCapture(void* s, void** out) {
  return enter("cuStreamEndCapture", [&](lock&) {
    result(out) = nullptr;
    *out = e().end_capture(*e().stream_of(current(), s))->handle;
  });
}

PIANOLA_CUDA_ENTRY cuStreamIsCapturing(void* s, int* status) {
  return enter("cuStreamIsCapturing", [&](lock&) {
    const auto it = e().stream_of(current(), s);
    result(status) = it->captured == nullptr ? 0 : it->captured->invalid ? 2 : 1;
  });
}

PIANOLA_CUDA_ENTRY cuGraphDestroy(void* g) {
  return enter("cuGraphDestroy", [&](lock&) { e().destroy(*e().handles.get<graph>(g)); });
}

PIANOLA_CUDA_ENTRY cuGraphAddKernelNode_v2(void** out, void* g, void* const* after,
                                           std::size_t count,
                                           const CUDA_KERNEL_NODE_PARAMS_v2_t* p) {
  return enter("cuGraphAddKernelNode_v2", [&](lock&) {
    kernel_run run = run_of(p);
    const auto where = run.function->owner;
    add(out, g, after, count, where, std::move(run));
  });
}

PIANOLA_CUDA_ENTRY cuGraphAddMemcpyNode(void** out, void* g, void* const* after, std::size_t count,
                                        const CUDA_MEMCPY3D_t* p, void* c) {
  return enter("cuGraphAddMemcpyNode",
               [&](lock&) { add(out, g, after, count, context_of(c), copy_of(p)); });
}

PIANOLA_CUDA_ENTRY cuGraphAddMemsetNode(void** out, void* g, void* const* after, std::size_t count,
                                        const CUDA_MEMSET_NODE_PARAMS_t* p, void* c) {
  return enter("cuGraphAddMemsetNode",
               [&](lock&) { add(out, g, after, count, context_of(c), fill_of(p)); });
}

PIANOLA_CUDA_ENTRY cuGraphAddEmptyNode(void** out, void* g, void* const* after, std::size_t count) {
  return enter("cuGraphAddEmptyNode",
               [&](lock&) { add(out, g, after, count, any_context(), nothing{}); });
}

PIANOLA_CUDA_ENTRY cuGraphAddChildGraphNode(void** out, void* g, void* const* after,
                                            std::size_t count, void* child) {
  return enter("cuGraphAddChildGraphNode", [&](lock&) {
    result(out) = e().add_child(e().handles.get<graph>(g), after, count, any_context(),
                                *e().handles.get<graph>(child))
                      ->handle;
  });
}

PIANOLA_CUDA_ENTRY cuGraphAddEventRecordNode(void** out, void* g, void* const* after,
                                             std::size_t count, void* it) {
  return enter("cuGraphAddEventRecordNode",
               [&](lock&) { add(out, g, after, count, current(), with_event<recording>(it)); });
}

PIANOLA_CUDA_ENTRY cuGraphAddEventWaitNode(void** out, void* g, void* const* after,
                                           std::size_t count, void* it) {
  return enter("cuGraphAddEventWaitNode",
               [&](lock&) { add(out, g, after, count, current(), with_event<awaiting>(it)); });
}

PIANOLA_CUDA_ENTRY cuGraphAddDependencies(void* g, void* const* from, void* const* to,
                                          std::size_t count) {
  return enter("cuGraphAddDependencies",
               [&](lock&) { e().add_edges(*e().handles.get<graph>(g), from, to, count); });
}

PIANOLA_CUDA_ENTRY cuGraphAddDependencies_v2(void* g, void* const* from, void* const* to,
                                             const CUgraphEdgeData_t* data, std::size_t count) {
  return enter("cuGraphAddDependencies_v2", [&](lock&) {
    std::unique_ptr<bool[]> programmatic(new bool[count]());
    for (std::size_t i = 0; data != nullptr && i < count; ++i) {
      for (const unsigned char byte : data[i].reserved)
        if (byte != 0) violate(codes::invalid_value, "reserved bytes of an edge are not 0");
      if (data[i].to_port != 0) violate(codes::invalid_value, "no node has such a port");
      const bool port = data[i].from_port == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC_v ||
                        data[i].from_port == CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER_v;
      if (data[i].type > 1 || (!port && data[i].from_port != 0))
        violate(codes::invalid_value, "an edge of an unknown kind");
      programmatic[i] = data[i].type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC_v;
      if (programmatic[i] != port)
        violate(codes::invalid_value, "the port and the edge's type do not belong together");
    }
    e().add_edges(*e().handles.get<graph>(g), from, to, count, programmatic.get());
  });
}

PIANOLA_CUDA_ENTRY cuGraphGetNodes(void* g, void** nodes, std::size_t* count) {
  return enter("cuGraphGetNodes", [&](lock&) {
    const auto it = e().handles.get<graph>(g);
    result(count, "the number");
    if (nodes != nullptr)
      for (std::size_t i = 0; i < *count; ++i)
        nodes[i] = i < it->nodes.size() ? it->nodes[i]->handle : nullptr;
    if (nodes == nullptr || *count > it->nodes.size()) *count = it->nodes.size();
  });
}

PIANOLA_CUDA_ENTRY cuGraphNodeGetType(void* n, int* type) {
  return enter("cuGraphNodeGetType", [&](lock&) {
    const auto it = e().handles.get<node>(n, codes::invalid_value);
    result(type) = it->child != nullptr  ? CU_GRAPH_NODE_TYPE_GRAPH_v
                   : !it->bodies.empty() ? CU_GRAPH_NODE_TYPE_CONDITIONAL_v
                   : std::holds_alternative<kernel_run>(it->action) ? CU_GRAPH_NODE_TYPE_KERNEL_v
                   : std::holds_alternative<copy_box>(it->action)   ? CU_GRAPH_NODE_TYPE_MEMCPY_v
                   : std::holds_alternative<fill_box>(it->action)   ? CU_GRAPH_NODE_TYPE_MEMSET_v
                   : std::holds_alternative<awaiting>(it->action) ? CU_GRAPH_NODE_TYPE_WAIT_EVENT_v
                   : std::holds_alternative<recording>(it->action)
                       ? CU_GRAPH_NODE_TYPE_EVENT_RECORD_v
                       : CU_GRAPH_NODE_TYPE_EMPTY_v;
  });
}

PIANOLA_CUDA_ENTRY cuGraphKernelNodeSetAttribute(void* n, int attribute,
                                                 const CUlaunchAttributeValue_t* value) {
  return enter("cuGraphKernelNodeSetAttribute", [&](lock&) {
    const auto it = e().handles.get<node>(n, codes::invalid_value);
    if (!std::holds_alternative<kernel_run>(it->action))
      violate(codes::invalid_value, "the node runs no kernel");
    if (attribute != CU_LAUNCH_ATTRIBUTE_PRIORITY_v)
      violate(codes::invalid_value, "attribute " + std::to_string(attribute) + " is not known");
    const int priority = result(value, "the value").priority;
    if (priority > 0 || priority < -5)
      violate(codes::invalid_value, "a priority of " + std::to_string(priority));
    it->priority = priority;
  });
}

PIANOLA_CUDA_ENTRY cuGraphInstantiateWithFlags(void** out, void* g, unsigned long long flags) {
  return enter("cuGraphInstantiateWithFlags", [&](lock&) {
    if ((flags & ~15ULL) != 0) violate(codes::invalid_value, "flags");
    const auto whole = e().handles.get<graph>(g);
    if (driver_version() < 12080 && engine::has_idle_body(*whole))
      violate(codes::invalid_value,
              "this driver's launches hang at a conditional node's graph that has nothing to do");
    const auto made = e().instantiate(*whole);
    made->heeds_priorities = (flags & CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY_v) != 0;
    result(out) = made->handle;
  });
}

PIANOLA_CUDA_ENTRY cuGraphExecDestroy(void* x) {
  return enter("cuGraphExecDestroy", [&](lock&) { e().destroy(*e().handles.get<executable>(x)); });
}

PIANOLA_CUDA_ENTRY cuGraphUpload(void* x, void* s) {
  return enter("cuGraphUpload", [&](lock&) {
    e().handles.get<executable>(x);
    const auto c = current();
    engine::check(*e().stream_of(c, s)->owner);
  });
}

PIANOLA_CUDA_ENTRY cuGraphLaunch(void* x, void* s) {
  return enter("cuGraphLaunch", [&](lock&) {
    const auto it = e().handles.get<executable>(x);
    e().launch(it, e().stream_of(current(), s));
  });
}

PIANOLA_CUDA_ENTRY cuGraphExecKernelNodeSetParams_v2(void* x, void* n,
                                                     const CUDA_KERNEL_NODE_PARAMS_v2_t* p) {
  return enter("cuGraphExecKernelNodeSetParams_v2",
               [&](lock&) { e().update_step(*e().handles.get<executable>(x), n, run_of(p)); });
}

PIANOLA_CUDA_ENTRY cuGraphExecMemcpyNodeSetParams(void* x, void* n, const CUDA_MEMCPY3D_t* p,
                                                  void* c) {
  return enter("cuGraphExecMemcpyNodeSetParams", [&](lock&) {
    const auto it = e().handles.get<executable>(x);
    check_context(*it, n, c);
    e().update_step(*it, n, copy_of(p));
  });
}

PIANOLA_CUDA_ENTRY cuGraphExecMemsetNodeSetParams(void* x, void* n,
                                                  const CUDA_MEMSET_NODE_PARAMS_t* p, void* c) {
  return enter("cuGraphExecMemsetNodeSetParams", [&](lock&) {
    const auto it = e().handles.get<executable>(x);
    check_context(*it, n, c);
    e().update_step(*it, n, fill_of(p));
  });
}

PIANOLA_CUDA_ENTRY cuGraphKernelNodeSetParams_v2(void* n, const CUDA_KERNEL_NODE_PARAMS_v2_t* p) {
  return enter("cuGraphKernelNodeSetParams_v2", [&](lock&) {
    e().set_action(*e().handles.get<node>(n, codes::invalid_value), run_of(p));
  });
}

PIANOLA_CUDA_ENTRY cuGraphMemcpyNodeSetParams(void* n, const CUDA_MEMCPY3D_t* p) {
  return enter("cuGraphMemcpyNodeSetParams", [&](lock&) {
    e().set_action(*e().handles.get<node>(n, codes::invalid_value), copy_of(p));
  });
}

PIANOLA_CUDA_ENTRY cuGraphMemsetNodeSetParams(void* n, const CUDA_MEMSET_NODE_PARAMS_t* p) {
  return enter("cuGraphMemsetNodeSetParams", [&](lock&) {
    e().set_action(*e().handles.get<node>(n, codes::invalid_value), fill_of(p));
  });
}

PIANOLA_CUDA_ENTRY cuGraphExecEventRecordNodeSetEvent(void* x, void* n, void* it) {
  return enter("cuGraphExecEventRecordNodeSetEvent", [&](lock&) {
    current();
    e().update_step(*e().handles.get<executable>(x), n, with_event<recording>(it));
  });
}

PIANOLA_CUDA_ENTRY cuGraphEventRecordNodeSetEvent(void* n, void* it) {
  return enter("cuGraphEventRecordNodeSetEvent", [&](lock&) {
    current();
    e().set_action(*e().handles.get<node>(n, codes::invalid_value), with_event<recording>(it));
  });
}

PIANOLA_CUDA_ENTRY cuGraphExecEventWaitNodeSetEvent(void* x, void* n, void* it) {
  return enter("cuGraphExecEventWaitNodeSetEvent", [&](lock&) {
    current();
    e().update_step(*e().handles.get<executable>(x), n, with_event<awaiting>(it));
  });
}

PIANOLA_CUDA_ENTRY cuGraphEventWaitNodeSetEvent(void* n, void* it) {
  return enter("cuGraphEventWaitNodeSetEvent", [&](lock&) {
    current();
    e().set_action(*e().handles.get<node>(n, codes::invalid_value), with_event<awaiting>(it));
  });
}

PIANOLA_CUDA_ENTRY cuGraphExecUpdate_v2(void* x, void* g, CUgraphExecUpdateResultInfo_t* info) {
  return enter("cuGraphExecUpdate_v2", [&](lock&) -> int {
    result(info, "the result");
    const auto it = e().handles.get<executable>(x);
    void* at = nullptr;
    const auto r = e().update(*it, *e().handles.get<graph>(g), at);
    *info = {static_cast<int>(r), at, nullptr};
    return r == engine::update_result::done ? codes::success : codes::update_failed;
  });
}
