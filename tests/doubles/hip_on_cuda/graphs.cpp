// SPDX-License-Identifier: Apache-2.0
// Graphs. There is no hipGraphUpload, as in HIP 5.2.
#include "shim.hpp"

using namespace pianola;
using hip_on_cuda::address_of;
using hip_on_cuda::handle;
using hip_on_cuda::shim;
using functions = cuda::functions;

namespace {

template <class Call>
int in_context(Call call) {
  shim& s = shim::instance();
  const int code = s.enter();
  return code != hip::success ? code : call(s.cu(), s.context(hip_on_cuda::current_device));
}

// Of a function that a CUDA driver may lack.
template <class F, class... Arguments>
int if_there(F f, Arguments... arguments) {
  return f == nullptr ? static_cast<int>(hip::not_supported) : f(arguments...);
}

cuda::kernel_node_parameters description_of(const hip::kernel_node_parameters& k) {
  cuda::kernel_node_parameters d{};
  d.func = k.func;
  d.gridDimX = k.gridDim.x;
  d.gridDimY = k.gridDim.y;
  d.gridDimZ = k.gridDim.z;
  d.blockDimX = k.blockDim.x;
  d.blockDimY = k.blockDim.y;
  d.blockDimZ = k.blockDim.z;
  d.sharedMemBytes = k.sharedMemBytes;
  d.kernelParams = k.kernelParams;
  d.extra = k.extra;
  return d;
}

cuda::memset_node_parameters description_of(const hip::memset_node_parameters& m) {
  cuda::memset_node_parameters d{};
  d.dst = address_of(m.dst);
  d.pitch = m.pitch;
  d.value = m.value;
  d.elementSize = m.elementSize;
  d.width = m.width;
  d.height = m.height;
  return d;
}

cuda::memcpy_3d flat(void* to, const void* from, std::size_t bytes) {
  hip::memcpy_3d copy{};
  copy.srcPtr = {const_cast<void*>(from), bytes, bytes, 1};
  copy.dstPtr = {to, bytes, bytes, 1};
  copy.size = {bytes, 1, 1};
  return hip_on_cuda::description_of(copy);
}

}  // namespace

HIP_ENTRY hipGraphCreate(handle* out, unsigned flags) {
  return in_context([=](const functions& cu, handle) { return cu.cuGraphCreate(out, flags); });
}
HIP_ENTRY hipGraphDestroy(handle graph) {
  return in_context([=](const functions& cu, handle) { return cu.cuGraphDestroy(graph); });
}
HIP_ENTRY hipGraphAddKernelNode(handle* out, handle graph, const handle* after, std::size_t count,
                                const hip::kernel_node_parameters* kernel) {
  return in_context([=](const functions& cu, handle) {
    const auto d = description_of(*kernel);
    return cu.cuGraphAddKernelNode(out, graph, after, count, &d);
  });
}
HIP_ENTRY hipGraphAddMemcpyNode(handle* out, handle graph, const handle* after, std::size_t count,
                                const hip::memcpy_3d* copy) {
  return in_context([=](const functions& cu, handle context) {
    const auto d = hip_on_cuda::description_of(*copy);
    return cu.cuGraphAddMemcpyNode(out, graph, after, count, &d, context);
  });
}
HIP_ENTRY hipGraphAddMemcpyNode1D(handle* out, handle graph, const handle* after, std::size_t count,
                                  void* to, const void* from, std::size_t bytes, unsigned) {
  return in_context([=](const functions& cu, handle context) {
    const auto d = flat(to, from, bytes);
    return cu.cuGraphAddMemcpyNode(out, graph, after, count, &d, context);
  });
}
HIP_ENTRY hipGraphAddMemsetNode(handle* out, handle graph, const handle* after, std::size_t count,
                                const hip::memset_node_parameters* fill) {
  return in_context([=](const functions& cu, handle context) {
    const auto d = description_of(*fill);
    return cu.cuGraphAddMemsetNode(out, graph, after, count, &d, context);
  });
}
HIP_ENTRY hipGraphAddEmptyNode(handle* out, handle graph, const handle* after, std::size_t count) {
  return in_context([=](const functions& cu, handle) {
    return cu.cuGraphAddEmptyNode(out, graph, after, count);
  });
}
HIP_ENTRY hipStreamBeginCapture(handle stream, unsigned mode) {
  return in_context(
      [=](const functions& cu, handle) { return if_there(cu.cuStreamBeginCapture, stream, mode); });
}
HIP_ENTRY hipStreamEndCapture(handle stream, handle* out) {
  return in_context(
      [=](const functions& cu, handle) { return if_there(cu.cuStreamEndCapture, stream, out); });
}
HIP_ENTRY hipGraphAddChildGraphNode(handle* out, handle graph, const handle* after,
                                    std::size_t count, handle child) {
  return in_context([=](const functions& cu, handle) {
    return if_there(cu.cuGraphAddChildGraphNode, out, graph, after, count, child);
  });
}
HIP_ENTRY hipGraphAddEventRecordNode(handle* out, handle graph, const handle* after,
                                     std::size_t count, handle event) {
  return in_context([=](const functions& cu, handle) {
    return if_there(cu.cuGraphAddEventRecordNode, out, graph, after, count, event);
  });
}
HIP_ENTRY hipGraphAddEventWaitNode(handle* out, handle graph, const handle* after,
                                   std::size_t count, handle event) {
  return in_context([=](const functions& cu, handle) {
    return if_there(cu.cuGraphAddEventWaitNode, out, graph, after, count, event);
  });
}
HIP_ENTRY hipGraphInstantiate(handle* out, handle graph, handle*, char*, std::size_t) {
  return in_context(
      [=](const functions& cu, handle) { return cu.cuGraphInstantiate(out, graph, 0); });
}
HIP_ENTRY hipGraphLaunch(handle executable, handle stream) {
  return in_context(
      [=](const functions& cu, handle) { return cu.cuGraphLaunch(executable, stream); });
}
HIP_ENTRY hipGraphExecDestroy(handle executable) {
  return in_context([=](const functions& cu, handle) { return cu.cuGraphExecDestroy(executable); });
}

// --- changes ---

HIP_ENTRY hipGraphKernelNodeSetParams(handle node, const hip::kernel_node_parameters* kernel) {
  return in_context([=](const functions& cu, handle) {
    const auto d = description_of(*kernel);
    return cu.cuGraphKernelNodeSetParams(node, &d);
  });
}
HIP_ENTRY hipGraphMemcpyNodeSetParams(handle node, const hip::memcpy_3d* copy) {
  return in_context([=](const functions& cu, handle) {
    const auto d = hip_on_cuda::description_of(*copy);
    return cu.cuGraphMemcpyNodeSetParams(node, &d);
  });
}
HIP_ENTRY hipGraphMemcpyNodeSetParams1D(handle node, void* to, const void* from, std::size_t bytes,
                                        unsigned) {
  return in_context([=](const functions& cu, handle) {
    const auto d = flat(to, from, bytes);
    return cu.cuGraphMemcpyNodeSetParams(node, &d);
  });
}
HIP_ENTRY hipGraphMemsetNodeSetParams(handle node, const hip::memset_node_parameters* fill) {
  return in_context([=](const functions& cu, handle) {
    const auto d = description_of(*fill);
    return cu.cuGraphMemsetNodeSetParams(node, &d);
  });
}
HIP_ENTRY hipGraphExecKernelNodeSetParams(handle executable, handle node,
                                          const hip::kernel_node_parameters* kernel) {
  return in_context([=](const functions& cu, handle) {
    const auto d = description_of(*kernel);
    return cu.cuGraphExecKernelNodeSetParams(executable, node, &d);
  });
}
HIP_ENTRY hipGraphExecMemcpyNodeSetParams1D(handle executable, handle node, void* to,
                                            const void* from, std::size_t bytes, unsigned) {
  return in_context([=](const functions& cu, handle context) {
    const auto d = flat(to, from, bytes);
    return cu.cuGraphExecMemcpyNodeSetParams(executable, node, &d, context);
  });
}
HIP_ENTRY hipGraphExecMemsetNodeSetParams(handle executable, handle node,
                                          const hip::memset_node_parameters* fill) {
  return in_context([=](const functions& cu, handle context) {
    const auto d = description_of(*fill);
    return cu.cuGraphExecMemsetNodeSetParams(executable, node, &d, context);
  });
}
HIP_ENTRY hipGraphExecEventRecordNodeSetEvent(handle executable, handle node, handle event) {
  return in_context([=](const functions& cu, handle) {
    return if_there(cu.cuGraphExecEventRecordNodeSetEvent, executable, node, event);
  });
}
HIP_ENTRY hipGraphExecEventWaitNodeSetEvent(handle executable, handle node, handle event) {
  return in_context([=](const functions& cu, handle) {
    return if_there(cu.cuGraphExecEventWaitNodeSetEvent, executable, node, event);
  });
}
