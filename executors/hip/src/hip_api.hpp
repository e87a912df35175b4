// SPDX-License-Identifier: Apache-2.0
// The part of the HIP runtime's interface that the backend uses, declared by ourselves so that nothing of HIP
// is needed to build it. Names are HIP's where they are HIP's; layouts and values are compared with the vendor's
// header by a test.
// libamdhip64-dev declares one version, here 5.2: hipDeviceProp_t has 792 bytes there and 1472 in HIP 6, and a plugin built
// with either would run with that one alone. Here is what both have, and the two sizes.
#pragma once
#include <cstddef>

namespace pianola::hip {

using result = int;  // hipError_t
// hipStream_t, hipEvent_t, hipModule_t, hipFunction_t, hipGraph_t, hipGraphNode_t, hipGraphExec_t.
using handle = void*;

// HIP 5.2, as hipRuntimeGetVersion counts: the first whose graphs take kernels of modules.
inline constexpr int minimum_runtime = 50200000;

enum : result {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  deinitialized = 4,
  insufficient_driver = 35,
  invalid_device_function = 98,
  no_device = 100,
  invalid_device = 101,
  invalid_image = 200,
  no_binary_for_gpu = 209,
  ecc_not_correctable = 214,
  invalid_kernel_file = 218,
  invalid_source = 300,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  launch_out_of_resources = 701,
  launch_timeout = 702,
  peer_access_already_enabled = 704,
  context_is_destroyed = 709,
  assertion = 710,
  launch_failure = 719,
  not_supported = 801,
  graph_exec_update_failure = 910,
};

enum attribute : int {  // hipDeviceAttribute_t
  attribute_ecc_enabled = 0,
  attribute_clock_rate = 5,
  attribute_concurrent_managed_access = 9,
  attribute_l2_cache_size = 19,
  attribute_managed_memory = 24,
  attribute_max_block_dim_x = 26,
  attribute_max_block_dim_y = 27,
  attribute_max_block_dim_z = 28,
  attribute_max_grid_dim_x = 29,
  attribute_max_grid_dim_y = 30,
  attribute_max_grid_dim_z = 31,
  attribute_max_threads_per_block = 56,
  attribute_memory_bus_width = 59,
  attribute_memory_clock_rate = 60,
  attribute_multiprocessor_count = 63,
  attribute_pageable_memory_access = 65,
  attribute_pci_device_id = 68,
  attribute_max_shared_memory_per_block = 74,
  attribute_warp_size = 87,
};

enum function_attribute : int {  // hipFunction_attribute
  function_max_threads_per_block = 0,
  function_shared_size_bytes = 1,
  function_local_size_bytes = 3,
};

enum : unsigned {
  event_blocking_sync = 1,
  event_disable_timing = 2,
  stream_non_blocking = 1,
  host_portable = 1,
  host_mapped = 2,
  attach_global = 1,
};

enum memcpy_kind : unsigned { memcpy_default = 4 };    // hipMemcpyKind
enum capture_mode : unsigned { capture_relaxed = 2 };  // hipStreamCaptureMode

struct dim3 {
  unsigned x, y, z;
};

struct kernel_node_parameters {  // hipKernelNodeParams
  dim3 blockDim;
  void** extra;
  void* func;
  dim3 gridDim;
  void** kernelParams;
  unsigned sharedMemBytes;
};

struct memset_node_parameters {  // hipMemsetParams
  void* dst;
  unsigned elementSize;
  std::size_t height;
  std::size_t pitch;
  unsigned value;
  std::size_t width;
};
// The same from HIP 7 on, where it was laid out as CUDA's.
inline constexpr int memset_layout_7_runtime = 70000000;
struct memset_node_parameters_7 {
  void* dst;
  std::size_t pitch;
  unsigned value;
  unsigned elementSize;
  std::size_t width;
  std::size_t height;
};

struct position {  // hipPos
  std::size_t x, y, z;
};
struct pitched_pointer {  // hipPitchedPtr
  void* ptr;
  std::size_t pitch, xsize, ysize;
};
struct extent {  // hipExtent
  std::size_t width, height, depth;
};
struct memcpy_3d {  // hipMemcpy3DParms
  handle srcArray;
  position srcPos;
  pitched_pointer srcPtr;
  handle dstArray;
  position dstPos;
  pitched_pointer dstPtr;
  extent size;
  memcpy_kind kind;
};

// hipDeviceProp_t as far as it is needed: where gcnArchName is. It was laid out anew for HIP 6, where the
// function that fills it is hipGetDevicePropertiesR0600.
inline constexpr std::size_t architecture_name_bytes = 256;
inline constexpr std::size_t properties_bytes_5 = 792;
inline constexpr std::size_t architecture_name_offset_5 = 396;
inline constexpr std::size_t properties_bytes_6 = 1472;
inline constexpr std::size_t architecture_name_offset_6 = 1160;

// Name, which is that of the symbol, and parameters.
#define PIANOLA_HIP_FUNCTIONS(X)                                                                   \
  X(hipRuntimeGetVersion, (int*))                                                                  \
  X(hipGetErrorName, (result), const char*)                                                        \
  X(hipGetErrorString, (result), const char*)                                                      \
  X(hipGetDeviceCount, (int*))                                                                     \
  X(hipGetDevice, (int*))                                                                          \
  X(hipSetDevice, (int))                                                                           \
  X(hipDeviceGetName, (char*, int, int))                                                           \
  X(hipDeviceGetAttribute, (int*, attribute, int))                                                 \
  X(hipDeviceTotalMem, (std::size_t*, int))                                                        \
  X(hipDeviceCanAccessPeer, (int*, int, int))                                                      \
  X(hipDeviceEnablePeerAccess, (int, unsigned))                                                    \
  X(hipMalloc, (void**, std::size_t))                                                              \
  X(hipFree, (void*))                                                                              \
  X(hipHostMalloc, (void**, std::size_t, unsigned))                                                \
  X(hipHostFree, (void*))                                                                          \
  X(hipMallocManaged, (void**, std::size_t, unsigned))                                             \
  X(hipStreamCreateWithFlags, (handle*, unsigned))                                                 \
  X(hipStreamDestroy, (handle))                                                                    \
  X(hipStreamSynchronize, (handle))                                                                \
  X(hipStreamWaitEvent, (handle, handle, unsigned))                                                \
  X(hipEventCreateWithFlags, (handle*, unsigned))                                                  \
  X(hipEventDestroy, (handle))                                                                     \
  X(hipEventRecord, (handle, handle))                                                              \
  X(hipEventQuery, (handle))                                                                       \
  X(hipEventSynchronize, (handle))                                                                 \
  X(hipEventElapsedTime, (float*, handle, handle))                                                 \
  X(hipMemcpyAsync, (void*, const void*, std::size_t, memcpy_kind, handle))                        \
  X(hipMemcpyPeerAsync, (void*, int, const void*, int, std::size_t, handle))                       \
  X(hipMemcpy2DAsync,                                                                              \
    (void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, memcpy_kind, handle)) \
  X(hipMemcpy3DAsync, (const memcpy_3d*, handle))                                                  \
  X(hipMemsetD8Async, (void*, unsigned char, std::size_t, handle))                                 \
  X(hipMemsetD16Async, (void*, unsigned short, std::size_t, handle))                               \
  X(hipMemsetD32Async, (void*, int, std::size_t, handle))                                          \
  X(hipMemset2DAsync, (void*, std::size_t, int, std::size_t, std::size_t, handle))                 \
  X(hipModuleLaunchKernel, (handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,    \
                            unsigned, handle, void**, void**))                                     \
  X(hipModuleLoadData, (handle*, const void*))                                                     \
  X(hipModuleUnload, (handle))                                                                     \
  X(hipModuleGetFunction, (handle*, handle, const char*))                                          \
  X(hipModuleGetGlobal, (void**, std::size_t*, handle, const char*))                               \
  X(hipFuncGetAttribute, (int*, function_attribute, handle))                                       \
  X(hipModuleOccupancyMaxPotentialBlockSize, (int*, int*, handle, std::size_t, int))               \
  X(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor, (int*, handle, int, std::size_t))          \
  X(hipGraphCreate, (handle*, unsigned))                                                           \
  X(hipGraphDestroy, (handle))                                                                     \
  X(hipGraphAddKernelNode,                                                                         \
    (handle*, handle, const handle*, std::size_t, const kernel_node_parameters*))                  \
  X(hipGraphAddMemcpyNode, (handle*, handle, const handle*, std::size_t, const memcpy_3d*))        \
  X(hipGraphAddMemcpyNode1D,                                                                       \
    (handle*, handle, const handle*, std::size_t, void*, const void*, std::size_t, memcpy_kind))   \
  X(hipGraphAddMemsetNode,                                                                         \
    (handle*, handle, const handle*, std::size_t, const memset_node_parameters*))                  \
  X(hipGraphAddEmptyNode, (handle*, handle, const handle*, std::size_t))                           \
  X(hipGraphInstantiate, (handle*, handle, handle*, char*, std::size_t))                           \
  X(hipGraphLaunch, (handle, handle))                                                              \
  X(hipGraphExecDestroy, (handle))                                                                 \
  X(hipGraphKernelNodeSetParams, (handle, const kernel_node_parameters*))                          \
  X(hipGraphMemcpyNodeSetParams, (handle, const memcpy_3d*))                                       \
  X(hipGraphMemcpyNodeSetParams1D, (handle, void*, const void*, std::size_t, memcpy_kind))         \
  X(hipGraphMemsetNodeSetParams, (handle, const memset_node_parameters*))

// The same; what a runtime that lacks them cannot do is told by gpu::capabilities.
#define PIANOLA_HIP_OPTIONAL_FUNCTIONS(X)                                              \
  X(hipGraphAddChildGraphNode, (handle*, handle, const handle*, std::size_t, handle))  \
  X(hipGraphGetNodes, (handle, handle*, std::size_t*))                                 \
  X(hipStreamBeginCapture, (handle, capture_mode))                                     \
  X(hipStreamEndCapture, (handle, handle*))                                            \
  X(hipThreadExchangeStreamCaptureMode, (capture_mode*))                               \
  X(hipGraphAddEventRecordNode, (handle*, handle, const handle*, std::size_t, handle)) \
  X(hipGraphAddEventWaitNode, (handle*, handle, const handle*, std::size_t, handle))   \
  X(hipGraphExecEventRecordNodeSetEvent, (handle, handle, handle))                     \
  X(hipGraphExecEventWaitNodeSetEvent, (handle, handle, handle))                       \
  X(hipGraphExecKernelNodeSetParams, (handle, handle, const kernel_node_parameters*))  \
  X(hipGraphExecMemcpyNodeSetParams1D,                                                 \
    (handle, handle, void*, const void*, std::size_t, memcpy_kind))                    \
  X(hipGraphExecMemsetNodeSetParams, (handle, handle, const memset_node_parameters*))  \
  X(hipGraphUpload, (handle, handle))                                                  \
  X(hipHostRegister, (void*, std::size_t, unsigned))                                   \
  X(hipMemGetInfo, (std::size_t*, std::size_t*))                                       \
  X(hipDeviceGetUuid, (unsigned char*, int))                                           \
  X(hipDeviceGetPCIBusId, (char*, int, int))                                           \
  X(hipHostUnregister, (void*))                                                        \
  X(hipStreamGetDevice, (handle, int*))

struct functions {
#define PIANOLA_HIP_MEMBER(name, parameters, ...) \
  first_of<__VA_ARGS__ __VA_OPT__(, ) result>(*name) parameters = nullptr;
  template <class T, class...>
  using first_of = T;
  PIANOLA_HIP_FUNCTIONS(PIANOLA_HIP_MEMBER)
  PIANOLA_HIP_OPTIONAL_FUNCTIONS(PIANOLA_HIP_MEMBER)
#undef PIANOLA_HIP_MEMBER
  // Of either layout, see above.
  result (*get_properties)(void*, int) = nullptr;
};

}  // namespace pianola::hip
