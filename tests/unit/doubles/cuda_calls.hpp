// SPDX-License-Identifier: Apache-2.0
// The CUDA double as a C program sees it: functions found in the loaded library.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <stdexcept>
#include <string>

#include <cuda/cuda_abi.hpp>
#include <pianola/test/driver_control.hpp>

namespace pianola::test {

#define PIANOLA_TEST_CUDA_CALLS(X)                                                                \
  X(cuInit, (unsigned))                                                                           \
  X(cuDriverGetVersion, (int*))                                                                   \
  X(cuGetErrorName, (int, const char**))                                                          \
  X(cuGetErrorString, (int, const char**))                                                        \
  X(cuDeviceGetCount, (int*))                                                                     \
  X(cuDeviceGet, (int*, int))                                                                     \
  X(cuDeviceGetName, (char*, int, int))                                                           \
  X(cuDeviceGetAttribute, (int*, int, int))                                                       \
  X(cuDeviceTotalMem_v2, (std::size_t*, int))                                                     \
  X(cuMemGetInfo_v2, (std::size_t*, std::size_t*))                                                \
  X(cuDeviceCanAccessPeer, (int*, int, int))                                                      \
  X(cuDevicePrimaryCtxRetain, (void**, int))                                                      \
  X(cuDevicePrimaryCtxRelease_v2, (int))                                                          \
  X(cuDevicePrimaryCtxReset_v2, (int))                                                            \
  X(cuCtxGetCurrent, (void**))                                                                    \
  X(cuCtxSetCurrent, (void*))                                                                     \
  X(cuCtxPushCurrent_v2, (void*))                                                                 \
  X(cuCtxPopCurrent_v2, (void**))                                                                 \
  X(cuCtxSynchronize, ())                                                                         \
  X(cuCtxEnablePeerAccess, (void*, unsigned))                                                     \
  X(cuMemAlloc_v2, (CUdeviceptr_t*, std::size_t))                                                 \
  X(cuMemAllocManaged, (CUdeviceptr_t*, std::size_t, unsigned))                                   \
  X(cuMemFree_v2, (CUdeviceptr_t))                                                                \
  X(cuMemHostAlloc, (void**, std::size_t, unsigned))                                              \
  X(cuMemFreeHost, (void*))                                                                       \
  X(cuMemcpyAsync, (CUdeviceptr_t, CUdeviceptr_t, std::size_t, void*))                            \
  X(cuMemcpyHtoDAsync_v2, (CUdeviceptr_t, const void*, std::size_t, void*))                       \
  X(cuMemcpyDtoHAsync_v2, (void*, CUdeviceptr_t, std::size_t, void*))                             \
  X(cuMemcpyDtoDAsync_v2, (CUdeviceptr_t, CUdeviceptr_t, std::size_t, void*))                     \
  X(cuMemcpyHtoD_v2, (CUdeviceptr_t, const void*, std::size_t))                                   \
  X(cuMemcpyDtoH_v2, (void*, CUdeviceptr_t, std::size_t))                                         \
  X(cuMemcpyPeerAsync, (CUdeviceptr_t, void*, CUdeviceptr_t, void*, std::size_t, void*))          \
  X(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D_t*, void*))                                          \
  X(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D_t*, void*))                                          \
  X(cuMemcpy3DPeerAsync, (const CUDA_MEMCPY3D_t*, void*))                                         \
  X(cuMemsetD8Async, (CUdeviceptr_t, unsigned char, std::size_t, void*))                          \
  X(cuMemsetD16Async, (CUdeviceptr_t, unsigned short, std::size_t, void*))                        \
  X(cuMemsetD32Async, (CUdeviceptr_t, unsigned, std::size_t, void*))                              \
  X(cuMemsetD2D16Async,                                                                           \
    (CUdeviceptr_t, std::size_t, unsigned short, std::size_t, std::size_t, void*))                \
  X(cuPointerGetAttribute, (void*, int, CUdeviceptr_t))                                           \
  X(cuPointerGetAttributes, (unsigned, int*, void**, CUdeviceptr_t))                              \
  X(cuMemHostRegister_v2, (void*, std::size_t, unsigned))                                         \
  X(cuMemHostUnregister, (void*))                                                                 \
  X(cuLaunchKernelEx, (const CUlaunchConfig_t*, void*, void**, void**))                           \
  X(cuGraphAddDependencies_v2,                                                                    \
    (void*, void* const*, void* const*, const CUgraphEdgeData_t*, std::size_t))                   \
  X(cuGraphGetNodes, (void*, void**, std::size_t*))                                               \
  X(cuGraphNodeGetType, (void*, int*))                                                            \
  X(cuTexObjectCreate,                                                                            \
    (unsigned long long*, const CUDA_RESOURCE_DESC_t*, const CUDA_TEXTURE_DESC_t*, const void*))  \
  X(cuTexObjectDestroy, (unsigned long long))                                                     \
  X(cuStreamCreate, (void**, unsigned))                                                           \
  X(cuStreamDestroy_v2, (void*))                                                                  \
  X(cuStreamQuery, (void*))                                                                       \
  X(cuStreamSynchronize, (void*))                                                                 \
  X(cuStreamGetCtx, (void*, void**))                                                              \
  X(cuStreamWaitEvent, (void*, void*, unsigned))                                                  \
  X(cuEventCreate, (void**, unsigned))                                                            \
  X(cuEventDestroy_v2, (void*))                                                                   \
  X(cuEventRecord, (void*, void*))                                                                \
  X(cuEventQuery, (void*))                                                                        \
  X(cuEventSynchronize, (void*))                                                                  \
  X(cuEventElapsedTime, (float*, void*, void*))                                                   \
  X(cuModuleLoadDataEx, (void**, const void*, unsigned, const int*, void**))                      \
  X(cuModuleUnload, (void*))                                                                      \
  X(cuModuleGetFunction, (void**, void*, const char*))                                            \
  X(cuFuncGetAttribute, (int*, int, void*))                                                       \
  X(cuFuncSetAttribute, (void*, int, int))                                                        \
  X(cuLaunchKernel, (void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
                     void*, void**, void**))                                                      \
  X(cuGraphCreate, (void**, unsigned))                                                            \
  X(cuGraphDestroy, (void*))                                                                      \
  X(cuGraphAddKernelNode_v2,                                                                      \
    (void**, void*, void* const*, std::size_t, const CUDA_KERNEL_NODE_PARAMS_v2_t*))              \
  X(cuGraphAddMemcpyNode,                                                                         \
    (void**, void*, void* const*, std::size_t, const CUDA_MEMCPY3D_t*, void*))                    \
  X(cuGraphAddMemsetNode,                                                                         \
    (void**, void*, void* const*, std::size_t, const CUDA_MEMSET_NODE_PARAMS_t*, void*))          \
  X(cuGraphAddEmptyNode, (void**, void*, void* const*, std::size_t))                              \
  X(cuGraphConditionalHandleCreate, (unsigned long long*, void*, void*, unsigned, unsigned))      \
  X(cuGraphAddNode_v2,                                                                            \
    (void**, void*, void* const*, const CUgraphEdgeData_t*, std::size_t, CUgraphNodeParams_t*))   \
  X(cuGraphAddChildGraphNode, (void**, void*, void* const*, std::size_t, void*))                  \
  X(cuStreamBeginCapture_v2, (void*, int))                                                        \
  X(cuStreamBeginCaptureToGraph,                                                                  \
    (void*, void*, void* const*, const CUgraphEdgeData_t*, std::size_t, int))                     \
  X(cuStreamEndCapture, (void*, void**))                                                          \
  X(cuStreamIsCapturing, (void*, int*))                                                           \
  X(cuStreamGetCaptureInfo_v3, (void*, int*, unsigned long long*, void**, void* const**,          \
                                const CUgraphEdgeData_t**, std::size_t*))                         \
  X(cuThreadExchangeStreamCaptureMode, (int*))                                                    \
  X(cuMemAllocAsync, (CUdeviceptr_t*, std::size_t, void*))                                        \
  X(cuMemFreeAsync, (CUdeviceptr_t, void*))                                                       \
  X(cuGraphAddEventRecordNode, (void**, void*, void* const*, std::size_t, void*))                 \
  X(cuGraphAddEventWaitNode, (void**, void*, void* const*, std::size_t, void*))                   \
  X(cuGraphExecEventRecordNodeSetEvent, (void*, void*, void*))                                    \
  X(cuGraphExecEventWaitNodeSetEvent, (void*, void*, void*))                                      \
  X(cuGraphEventRecordNodeSetEvent, (void*, void*))                                               \
  X(cuGraphEventWaitNodeSetEvent, (void*, void*))                                                 \
  X(cuGraphAddDependencies, (void*, void* const*, void* const*, std::size_t))                     \
  X(cuGraphKernelNodeSetAttribute, (void*, int, const CUlaunchAttributeValue_t*))                 \
  X(cuGraphInstantiateWithFlags, (void**, void*, unsigned long long))                             \
  X(cuGraphExecDestroy, (void*))                                                                  \
  X(cuGraphLaunch, (void*, void*))                                                                \
  X(cuGraphExecKernelNodeSetParams_v2, (void*, void*, const CUDA_KERNEL_NODE_PARAMS_v2_t*))       \
  X(cuGraphExecMemcpyNodeSetParams, (void*, void*, const CUDA_MEMCPY3D_t*, void*))                \
  X(cuGraphExecMemsetNodeSetParams, (void*, void*, const CUDA_MEMSET_NODE_PARAMS_t*, void*))      \
  X(cuGraphKernelNodeSetParams_v2, (void*, const CUDA_KERNEL_NODE_PARAMS_v2_t*))                  \
  X(cuGraphExecUpdate_v2, (void*, void*, CUgraphExecUpdateResultInfo_t*))

struct cuda_calls {
#define PIANOLA_TEST_MEMBER(name, parameters) int(*name) parameters = nullptr;
  PIANOLA_TEST_CUDA_CALLS(PIANOLA_TEST_MEMBER)
#undef PIANOLA_TEST_MEMBER
  const driver_control* control = nullptr;
  void* library = nullptr;

  explicit cuda_calls(const std::string& file = PIANOLA_TEST_DRIVERS "/libcuda.so.1") {
    library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
#define PIANOLA_TEST_FIND(name, parameters)                          \
  name = reinterpret_cast<int(*) parameters>(dlsym(library, #name)); \
  if (name == nullptr) throw std::runtime_error(std::string("no ") + #name);
    PIANOLA_TEST_CUDA_CALLS(PIANOLA_TEST_FIND)
#undef PIANOLA_TEST_FIND
    control = driver_control_of(library);
  }
};

}  // namespace pianola::test
