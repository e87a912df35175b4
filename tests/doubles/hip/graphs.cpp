// SPDX-License-Identifier: Apache-2.0
// Graphs of the HIP double.
#include <algorithm>
#include <cstring>

#include "front.hpp"

using namespace pianola::test::drivers;
using namespace pianola::test::drivers::hip;

namespace {

kernel_run run_of(const hipKernelNodeParams_t* p) {
  result(p, "the parameters");
  kernel_run run;
  run.function = e().handles.get<function>(p->func);
  const unsigned grid[3] = {p->gridDim.x, p->gridDim.y, p->gridDim.z};
  const unsigned block[3] = {p->blockDim.x, p->blockDim.y, p->blockDim.z};
  std::memcpy(run.grid, grid, sizeof grid);
  std::memcpy(run.block, block, sizeof block);
  run.dynamic_local_bytes = p->sharedMemBytes;
  engine::bind(run, p->kernelParams, p->extra);
  return run;
}

fill_box fill_of(const hipMemsetParams_t* p) {
  result(p, "the parameters");
  hipMemsetParams_t as_before;
  if (runtime_version() >= 70000000) {
    const auto& now = *reinterpret_cast<const hipMemsetParams_7_t*>(p);
    as_before = {now.dst, now.elementSize, now.height, now.pitch, now.value, now.width};
    p = &as_before;
  }
  fill_box b;
  b.destination = p->dst;
  b.value = p->value;
  b.element_bytes = p->elementSize;
  b.width = p->width;
  b.height = p->height;
  b.pitch = p->pitch;
  if (b.width == 0 || b.height == 0) violate(1, "nothing to fill");
  return b;
}

copy_box copy_of(const hipMemcpy3DParms_t* p) {
  const copy_box b = box_of(result(p, "the parameters"));
  if (b.width == 0 || b.height == 0 || b.depth == 0) violate(1, "nothing to copy");
  return b;
}

copy_box line(void* to, const void* from, std::size_t bytes, int kind) {
  copy_box b;
  b.destination = to;
  b.source = from;
  b.width = bytes;
  b.line = true;
  set_kind(b, kind);
  if (bytes == 0) violate(1, "nothing to copy");
  return b;
}

void add(void** out, void* g, void* const* after, std::size_t count,
         const std::shared_ptr<context>& where, node_action action) {
  result(out) =
      e().add_node(e().handles.get<graph>(g, 1), after, count, where, std::move(action))->handle;
}

// Real runtimes do not look, and write the one's parameters over the other's.
void check_kind(const node_action& was, const node_action& is) {
  const auto* const a = std::get_if<copy_box>(&was);
  const auto* const b = std::get_if<copy_box>(&is);
  if (a != nullptr && b != nullptr && a->line != b->line)
    violate(1, "a copy node of one dimension is another kind of node than one of several");
}

void set(void* n, node_action action) {
  const auto it = e().handles.get<node>(n, 1);
  check_kind(it->action, action);
  e().set_action(*it, std::move(action));
}

void update(void* x, void* n, node_action action) {
  const auto it = e().handles.get<executable>(x, 1);
  for (const auto& step : it->steps)
    if (step.of == n) check_kind(step.action, action);
  e().update_step(*it, n, std::move(action));
}

template <class Action>
Action with_event(void* it) {
  return {e().handles.get<event>(it, 1)};
}

}  // namespace

PIANOLA_HIP_ENTRY hipGraphCreate(void** out, unsigned flags) {
  return enter("hipGraphCreate", [&](lock&) {
    if (flags != 0) violate(1, "flags must be 0");
    result(out) = e().make_graph()->handle;
  });
}

PIANOLA_HIP_ENTRY hipGraphDestroy(void* g) {
  return enter("hipGraphDestroy", [&](lock&) { e().destroy(*e().handles.get<graph>(g, 1)); });
}

PIANOLA_HIP_ENTRY hipGraphGetNodes(void* g, void** nodes, std::size_t* count) {
  return enter("hipGraphGetNodes", [&](lock&) {
    const auto it = e().handles.get<graph>(g, 1);
    const std::size_t room = result(count);
    *count = it->nodes.size();
    for (std::size_t i = 0; nodes != nullptr && i < room && i < *count; ++i)
      nodes[i] = it->nodes[i]->handle;
  });
}

PIANOLA_HIP_ENTRY hipGraphAddKernelNode(void** out, void* g, void* const* after, std::size_t count,
                                        const hipKernelNodeParams_t* p) {
  return enter("hipGraphAddKernelNode", [&](lock&) {
    kernel_run run = run_of(p);
    const auto where = run.function->owner;
    add(out, g, after, count, where, std::move(run));
  });
}

PIANOLA_HIP_ENTRY hipGraphAddMemcpyNode(void** out, void* g, void* const* after, std::size_t count,
                                        const hipMemcpy3DParms_t* p) {
  return enter("hipGraphAddMemcpyNode",
               [&](lock&) { add(out, g, after, count, current(), copy_of(p)); });
}

PIANOLA_HIP_ENTRY hipGraphAddMemcpyNode1D(void** out, void* g, void* const* after,
                                          std::size_t count, void* to, const void* from,
                                          std::size_t bytes, int kind) {
  return enter("hipGraphAddMemcpyNode1D",
               [&](lock&) { add(out, g, after, count, current(), line(to, from, bytes, kind)); });
}

PIANOLA_HIP_ENTRY hipGraphAddMemsetNode(void** out, void* g, void* const* after, std::size_t count,
                                        const hipMemsetParams_t* p) {
  return enter("hipGraphAddMemsetNode",
               [&](lock&) { add(out, g, after, count, current(), fill_of(p)); });
}

PIANOLA_HIP_ENTRY hipGraphAddEmptyNode(void** out, void* g, void* const* after, std::size_t count) {
  return enter("hipGraphAddEmptyNode",
               [&](lock&) { add(out, g, after, count, current(), nothing{}); });
}

PIANOLA_HIP_ENTRY hipStreamBeginCapture(void* s, int mode) {
  return enter("hipStreamBeginCapture", [&](lock&) {
    e().begin_capture(e().stream_of(current(), s), mode, nullptr, nullptr, 0);
  });
}

PIANOLA_HIP_ENTRY hipThreadExchangeStreamCaptureMode(int* mode) {
  return enter("hipThreadExchangeStreamCaptureMode",
               [&](lock&) { *mode = engine::exchange_capture_mode(result(mode)); });
}

PIANOLA_HIP_ENTRY hipStreamEndCapture(void* s, void** out) {
  return enter("hipStreamEndCapture", [&](lock&) {
    result(out) = nullptr;
    *out = e().end_capture(*e().stream_of(current(), s))->handle;
  });
}

PIANOLA_HIP_ENTRY hipGraphAddChildGraphNode(void** out, void* g, void* const* after,
                                            std::size_t count, void* child) {
  return enter("hipGraphAddChildGraphNode", [&](lock&) {
    result(out) = e().add_child(e().handles.get<graph>(g, 1), after, count, current(),
                                *e().handles.get<graph>(child, 1))
                      ->handle;
  });
}

PIANOLA_HIP_ENTRY hipGraphAddEventRecordNode(void** out, void* g, void* const* after,
                                             std::size_t count, void* it) {
  return enter("hipGraphAddEventRecordNode",
               [&](lock&) { add(out, g, after, count, current(), with_event<recording>(it)); });
}

PIANOLA_HIP_ENTRY hipGraphAddEventWaitNode(void** out, void* g, void* const* after,
                                           std::size_t count, void* it) {
  return enter("hipGraphAddEventWaitNode",
               [&](lock&) { add(out, g, after, count, current(), with_event<awaiting>(it)); });
}

PIANOLA_HIP_ENTRY hipGraphAddDependencies(void* g, void* const* from, void* const* to,
                                          std::size_t count) {
  return enter("hipGraphAddDependencies",
               [&](lock&) { e().add_edges(*e().handles.get<graph>(g, 1), from, to, count); });
}

namespace {

// As the runtime has queues for one graph.
constexpr std::size_t queues = 4;

// Some versions up to 7.2 leave out the only wait of a node, if as many others wait for the same one.
void check_waits(const graph& g) {
  std::vector<std::size_t> waiting(g.nodes.size());
  for (const auto& n : g.nodes)
    for (const std::size_t before : n->after)
      if (waiting[before]++ >= queues && n->after.size() == 1 && runtime_version() >= 60000000)
        violate(1, "a node waits for one alone that more than " + std::to_string(queues) +
                       " wait for, and may be run too early");
}

// Real runtimes walk along chains of nodes by calling themselves: 20,000 to 40,000 nodes overflow the stack of a thread.
void check_length(const graph& g) {
  constexpr std::size_t longest = 10000;
  std::vector<std::size_t> length(g.nodes.size(), 1);
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    for (const std::size_t before : g.nodes[i]->after)
      length[i] = std::max(length[i], length[before] + 1);
    if (length[i] > longest)
      violate(1, "chains of more than " + std::to_string(longest) + " nodes overflow the stack");
  }
}

// Versions from 5.6 to 7 order a graph in a graph with its neighbours only by the queue that they share: with one node that
// only this one waits for, and with one that waits for this one alone. Where all of the graph is one line, that is so. Up to
// 6.3 one without nodes ends the process, if the whole is no line.
void check_children(const graph& g) {
  std::vector<std::size_t> waiting(g.nodes.size());
  std::size_t first = 0;
  bool line = true;
  for (const auto& n : g.nodes) {
    first += n->after.empty() ? 1 : 0;
    for (const std::size_t before : n->after)
      if (++waiting[before] > 1 || n->after.size() > 1) line = false;
  }
  if (line && first <= 1) return;
  for (const auto& n : g.nodes) {
    if (n->child == nullptr) continue;
    if (n->child->nodes.empty() && runtime_version() < 60400000)
      violate(1, "a graph in a graph has no nodes");
    if (n->after.size() != 1 || waiting[n->after[0]] != 1)
      violate(1, "a graph in a graph may be run before what it waits for");
    const auto behind = std::find_if(g.nodes.begin(), g.nodes.end(), [&](const auto& other) {
      return std::find(other->after.begin(), other->after.end(), n->index) != other->after.end();
    });
    if (waiting[n->index] != 1 || (*behind)->after.size() != 1)
      violate(1, "what waits for a graph in a graph may be run before it");
  }
}

}  // namespace

PIANOLA_HIP_ENTRY hipGraphInstantiate(void** out, void* g, void** error_node, char*, std::size_t) {
  return enter("hipGraphInstantiate", [&](lock&) {
    if (error_node != nullptr) *error_node = nullptr;
    const auto whole = e().handles.get<graph>(g, 1);
    check_waits(*whole);
    check_children(*whole);
    check_length(*whole);
    const auto made = e().instantiate(*whole);
    made->device = device();
    result(out) = made->handle;
  });
}

PIANOLA_HIP_ENTRY hipGraphExecDestroy(void* x) {
  return enter("hipGraphExecDestroy",
               [&](lock&) { e().destroy(*e().handles.get<executable>(x, 1)); });
}

PIANOLA_HIP_ENTRY hipGraphUpload(void* x, void* s) {
  return enter("hipGraphUpload", [&](lock&) {
    e().handles.get<executable>(x, 1);
    engine::check(*stream_of(s)->owner);
  });
}

PIANOLA_HIP_ENTRY hipGraphLaunch(void* x, void* s) {
  return enter("hipGraphLaunch", [&](lock& held) {
    const auto it = e().handles.get<executable>(x, 1);
    const auto where = stream_of(s);
    // Everything is run by the stream's device, in part by streams that were made when it was instantiated.
    for (const auto& step : it->steps)
      if (step.where != where->owner && !std::holds_alternative<nothing>(step.action))
        violate(1, "a node is of another device than the stream");
    if (it->device != where->owner->device)
      violate(1, "the graph was instantiated while another device was current");
    e().launch(it, where);
    e().wait_for_pageable_copies(held, *it);
  });
}

PIANOLA_HIP_ENTRY hipGraphExecKernelNodeSetParams(void* x, void* n,
                                                  const hipKernelNodeParams_t* p) {
  return enter("hipGraphExecKernelNodeSetParams", [&](lock&) { update(x, n, run_of(p)); });
}

PIANOLA_HIP_ENTRY hipGraphExecMemcpyNodeSetParams1D(void* x, void* n, void* to, const void* from,
                                                    std::size_t bytes, int kind) {
  return enter("hipGraphExecMemcpyNodeSetParams1D", [&](lock& held) {
    const copy_box b = line(to, from, bytes, kind);
    update(x, n, b);
    // As versions from 2024 to 7 do with memory that they do not know: at once.
    if (e().find(to) == nullptr || e().find(from) == nullptr)
      e().copy(held, current()->default_stream, b, false);
  });
}

PIANOLA_HIP_ENTRY hipGraphExecMemsetNodeSetParams(void* x, void* n, const hipMemsetParams_t* p) {
  return enter("hipGraphExecMemsetNodeSetParams", [&](lock&) { update(x, n, fill_of(p)); });
}

PIANOLA_HIP_ENTRY hipGraphKernelNodeSetParams(void* n, const hipKernelNodeParams_t* p) {
  return enter("hipGraphKernelNodeSetParams", [&](lock&) { set(n, run_of(p)); });
}

PIANOLA_HIP_ENTRY hipGraphMemcpyNodeSetParams(void* n, const hipMemcpy3DParms_t* p) {
  return enter("hipGraphMemcpyNodeSetParams", [&](lock&) { set(n, copy_of(p)); });
}

PIANOLA_HIP_ENTRY hipGraphMemcpyNodeSetParams1D(void* n, void* to, const void* from,
                                                std::size_t bytes, int kind) {
  return enter("hipGraphMemcpyNodeSetParams1D",
               [&](lock&) { set(n, line(to, from, bytes, kind)); });
}

PIANOLA_HIP_ENTRY hipGraphMemsetNodeSetParams(void* n, const hipMemsetParams_t* p) {
  return enter("hipGraphMemsetNodeSetParams", [&](lock&) { set(n, fill_of(p)); });
}

PIANOLA_HIP_ENTRY hipGraphExecEventRecordNodeSetEvent(void* x, void* n, void* it) {
  return enter("hipGraphExecEventRecordNodeSetEvent",
               [&](lock&) { update(x, n, with_event<recording>(it)); });
}

PIANOLA_HIP_ENTRY hipGraphExecEventWaitNodeSetEvent(void* x, void* n, void* it) {
  return enter("hipGraphExecEventWaitNodeSetEvent",
               [&](lock&) { update(x, n, with_event<awaiting>(it)); });
}

PIANOLA_HIP_ENTRY hipGraphExecUpdate(void* x, void* g, void** error_node, int* info) {
  return enter("hipGraphExecUpdate", [&](lock&) -> int {
    void* at = nullptr;
    const auto r =
        e().update(*e().handles.get<executable>(x, 1), *e().handles.get<graph>(g, 1), at);
    if (error_node != nullptr) *error_node = at;
    result(info) = static_cast<int>(r);
    return r == engine::update_result::done ? 0 : pianola::test::drivers::codes::update_failed;
  });
}
