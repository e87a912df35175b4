// SPDX-License-Identifier: Apache-2.0
// The part of the CUDA driver API that the backend uses, declared by ourselves so that nothing of CUDA is
// needed to build it. Names are CUDA's where they are CUDA's; layouts and values are compared with the vendor's
// header by a test.
#pragma once
#include <cstddef>

namespace pianola::cuda {

using result = int;                  // CUresult
using ordinal = int;                 // CUdevice
using address = unsigned long long;  // CUdeviceptr
// CUcontext, CUstream, CUevent, CUmodule, CUfunction, CUgraph, CUgraphNode, CUgraphExec.
using handle = void*;

// The first driver with everything below: CUDA 12.0, where graphs got the interface that is used here.
inline constexpr int minimum_driver = 12000;
// Takes kernel parameters of more than 4096 bytes, on devices that can (7.0 and later).
inline constexpr int large_parameters_driver = 12010;

enum : result {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  deinitialized = 4,
  stub_library = 34,
  device_unavailable = 46,
  no_device = 100,
  invalid_device = 101,
  invalid_image = 200,
  no_binary_for_gpu = 209,
  ecc_uncorrectable = 214,
  invalid_ptx = 218,
  nvlink_uncorrectable = 220,
  jit_compiler_not_found = 221,
  unsupported_ptx_version = 222,
  jit_compilation_disabled = 223,
  contained = 226,
  invalid_source = 300,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  launch_out_of_resources = 701,
  launch_timeout = 702,
  peer_access_already_enabled = 704,
  context_is_destroyed = 709,
  assertion = 710,
  hardware_stack_error = 714,
  illegal_instruction = 715,
  misaligned_address = 716,
  invalid_address_space = 717,
  invalid_pc = 718,
  launch_failed = 719,
  tensor_memory_leak = 721,
  not_supported = 801,
  system_driver_mismatch = 803,
  mps_client_terminated = 810,
  graph_exec_update_failure = 910,
  external_device = 911,
};

enum attribute : int {  // CUdevice_attribute
  max_threads_per_block = 1,
  max_block_dim_x = 2,
  max_block_dim_y = 3,
  max_block_dim_z = 4,
  max_grid_dim_x = 5,
  max_grid_dim_y = 6,
  max_grid_dim_z = 7,
  max_shared_memory_per_block = 8,
  warp_size = 10,
  clock_rate = 13,
  texture_alignment = 14,
  multiprocessor_count = 16,
  ecc_enabled = 32,
  pci_device_id = 34,
  memory_clock_rate = 36,
  memory_bus_width = 37,
  l2_cache_size = 38,
  unified_addressing = 41,
  texture_pitch_alignment = 51,
  maximum_texture2d_linear_width = 70,
  maximum_texture2d_linear_height = 71,
  maximum_texture2d_linear_pitch = 72,
  compute_capability_major = 75,
  compute_capability_minor = 76,
  stream_priorities_supported = 78,
  managed_memory = 83,
  pageable_memory_access = 88,
  concurrent_managed_access = 89,
  max_shared_memory_per_block_optin = 97,
  virtual_memory_management = 102,
};

enum function_attribute : int {  // CUfunction_attribute
  function_max_threads_per_block = 0,
  function_shared_size_bytes = 1,
  function_local_size_bytes = 3,
  function_max_dynamic_shared_size_bytes = 8,
};

enum : unsigned {
  event_blocking_sync = 1,
  event_disable_timing = 2,
  stream_non_blocking = 1,
  host_portable = 1,
  host_device_map = 2,
  attach_global = 1,
};
inline constexpr unsigned long long instantiate_use_node_priority = 8;

struct memory_location {  // CUmemLocation
  unsigned type;
  int id;
};
inline constexpr unsigned location_device = 1;          // CU_MEM_LOCATION_TYPE_DEVICE
inline constexpr unsigned allocation_pinned = 1;        // CU_MEM_ALLOCATION_TYPE_PINNED
inline constexpr unsigned access_read_write = 3;        // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
inline constexpr unsigned granularity_recommended = 1;  // CU_MEM_ALLOC_GRANULARITY_RECOMMENDED
struct allocation_properties {                          // CUmemAllocationProp
  unsigned type;
  unsigned requestedHandleTypes;
  memory_location location;
  void* win32HandleMetaData;
  unsigned char allocFlags[8];
};
struct access_description {  // CUmemAccessDesc
  memory_location location;
  unsigned flags;
};
using memory_handle = unsigned long long;  // CUmemGenericAllocationHandle

enum memory_type : unsigned { memory_host = 1, memory_device = 2 };  // CUmemorytype

enum jit_option : unsigned {  // CUjit_option
  jit_info_log_buffer = 3,
  jit_info_log_buffer_size_bytes = 4,
  jit_error_log_buffer = 5,
  jit_error_log_buffer_size_bytes = 6,
};

inline constexpr unsigned launch_attribute_programmatic_serialization = 6;  // CUlaunchAttributeID
inline constexpr unsigned launch_attribute_priority = 8;
union launch_attribute_value {  // CUlaunchAttributeValue
  char pad[64];
  unsigned long long alignment;
  int priority;
  int programmaticStreamSerializationAllowed;
};
struct launch_attribute {  // CUlaunchAttribute
  unsigned id;
  char pad[8 - sizeof(unsigned)];
  launch_attribute_value value;
};
struct launch_configuration {  // CUlaunchConfig
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  handle hStream;
  launch_attribute* attrs;
  unsigned numAttrs;
};

// CUgraphEdgeData: behind the kernel's own end; behind the moment when all its groups have let others start.
struct edge_data {
  unsigned char from_port;
  unsigned char to_port;
  unsigned char type;
  unsigned char reserved[5];
};
inline constexpr unsigned capture_relaxed = 2;        // CU_STREAM_CAPTURE_MODE_RELAXED
inline constexpr unsigned capture_status_active = 1;  // CU_STREAM_CAPTURE_STATUS_ACTIVE
inline constexpr unsigned char kernel_port_programmatic =
    1;  // CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC
inline constexpr unsigned char dependency_programmatic =
    1;  // CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC

struct kernel_node_parameters {  // CUDA_KERNEL_NODE_PARAMS_v2
  handle func;
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  void** kernelParams;
  void** extra;
  handle kern;
  handle ctx;
};

struct memset_node_parameters {  // CUDA_MEMSET_NODE_PARAMS
  address dst;
  std::size_t pitch;
  unsigned value;
  unsigned elementSize;
  std::size_t width;
  std::size_t height;
};

// CUDA_MEMCPY3D, where the contexts are null, and CUDA_MEMCPY3D_PEER.
struct memcpy_3d {
  std::size_t srcXInBytes, srcY, srcZ, srcLOD;
  memory_type srcMemoryType;
  const void* srcHost;
  address srcDevice;
  handle srcArray;
  handle srcContext;
  std::size_t srcPitch, srcHeight;
  std::size_t dstXInBytes, dstY, dstZ, dstLOD;
  memory_type dstMemoryType;
  void* dstHost;
  address dstDevice;
  handle dstArray;
  handle dstContext;
  std::size_t dstPitch, dstHeight;
  std::size_t WidthInBytes, Height, Depth;
};

enum array_format : unsigned {  // CUarray_format
  format_uint8 = 1,
  format_uint16 = 2,
  format_uint32 = 3,
  format_sint8 = 8,
  format_sint16 = 9,
  format_sint32 = 10,
  format_half = 16,
  format_float = 32,
};

enum address_mode : unsigned {  // CUaddress_mode
  address_wrap = 0,
  address_clamp = 1,
  address_mirror = 2,
  address_border = 3,
};

enum filter_mode : unsigned { filter_point = 0, filter_linear = 1 };  // CUfilter_mode

inline constexpr unsigned resource_pitch_2d = 3;               // CU_RESOURCE_TYPE_PITCH2D
inline constexpr unsigned texture_read_as_integer = 1;         // CU_TRSF_READ_AS_INTEGER
inline constexpr unsigned texture_normalized_coordinates = 2;  // CU_TRSF_NORMALIZED_COORDINATES

struct resource_description {  // CUDA_RESOURCE_DESC
  unsigned resType;
  union {
    struct {
      address devPtr;
      array_format format;
      unsigned numChannels;
      std::size_t width;
      std::size_t height;
      std::size_t pitchInBytes;
    } pitch2D;
    int reserved[32];
  } res;
  unsigned flags;
};

struct texture_parameters {  // CUDA_TEXTURE_DESC
  address_mode addressMode[3];
  filter_mode filterMode;
  unsigned flags;
  unsigned maxAnisotropy;
  filter_mode mipmapFilterMode;
  float mipmapLevelBias;
  float minMipmapLevelClamp;
  float maxMipmapLevelClamp;
  float borderColor[4];
  int reserved[12];
};

using texture_object = unsigned long long;  // CUtexObject

struct exec_update_result {  // CUgraphExecUpdateResultInfo
  int result;
  handle errorNode;
  handle errorFromNode;
};

inline constexpr unsigned node_type_conditional = 13;     // CU_GRAPH_NODE_TYPE_CONDITIONAL
inline constexpr unsigned condition_assigns_default = 1;  // CU_GRAPH_COND_ASSIGN_DEFAULT
enum conditional_type : unsigned {                        // CUgraphConditionalNodeType
  conditional_if = 0,
  conditional_while = 1,
  conditional_switch = 2,
};
// CUgraphNodeParams, of a conditional node (CUDA_CONDITIONAL_NODE_PARAMS).
struct conditional_node_parameters {
  unsigned type;
  int reserved0[3];
  unsigned long long handle;
  conditional_type kind;
  unsigned size;
  cuda::handle* graphs;  // the driver's own array
  cuda::handle ctx;
  unsigned char rest[29 * 8 - 32];
  long long reserved2;
};
static_assert(sizeof(conditional_node_parameters) == 256);

// Name, the symbol that a driver of `minimum_driver` and later has it under, parameters.
#define PIANOLA_CUDA_FUNCTIONS(X)                                                                  \
  X(cuInit, "cuInit", (unsigned))                                                                  \
  X(cuDriverGetVersion, "cuDriverGetVersion", (int*))                                              \
  X(cuGetErrorName, "cuGetErrorName", (result, const char**))                                      \
  X(cuGetErrorString, "cuGetErrorString", (result, const char**))                                  \
  X(cuDeviceGetCount, "cuDeviceGetCount", (int*))                                                  \
  X(cuDeviceGet, "cuDeviceGet", (ordinal*, int))                                                   \
  X(cuDeviceGetName, "cuDeviceGetName", (char*, int, ordinal))                                     \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int*, attribute, ordinal))                      \
  X(cuDeviceTotalMem, "cuDeviceTotalMem_v2", (std::size_t*, ordinal))                              \
  X(cuDeviceCanAccessPeer, "cuDeviceCanAccessPeer", (int*, ordinal, ordinal))                      \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (handle*, ordinal))                      \
  X(cuCtxGetCurrent, "cuCtxGetCurrent", (handle*))                                                 \
  X(cuCtxSetCurrent, "cuCtxSetCurrent", (handle))                                                  \
  X(cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess", (handle, unsigned))                            \
  X(cuCtxGetStreamPriorityRange, "cuCtxGetStreamPriorityRange", (int*, int*))                      \
  X(cuMemAlloc, "cuMemAlloc_v2", (address*, std::size_t))                                          \
  X(cuMemFree, "cuMemFree_v2", (address))                                                          \
  X(cuMemHostAlloc, "cuMemHostAlloc", (void**, std::size_t, unsigned))                             \
  X(cuMemFreeHost, "cuMemFreeHost", (void*))                                                       \
  X(cuMemAllocManaged, "cuMemAllocManaged", (address*, std::size_t, unsigned))                     \
  X(cuStreamCreate, "cuStreamCreate", (handle*, unsigned))                                         \
  X(cuStreamDestroy, "cuStreamDestroy_v2", (handle))                                               \
  X(cuStreamGetCtx, "cuStreamGetCtx", (handle, handle*))                                           \
  X(cuStreamWaitEvent, "cuStreamWaitEvent", (handle, handle, unsigned))                            \
  X(cuEventCreate, "cuEventCreate", (handle*, unsigned))                                           \
  X(cuEventDestroy, "cuEventDestroy_v2", (handle))                                                 \
  X(cuEventRecord, "cuEventRecord", (handle, handle))                                              \
  X(cuEventQuery, "cuEventQuery", (handle))                                                        \
  X(cuEventSynchronize, "cuEventSynchronize", (handle))                                            \
  X(cuEventElapsedTime, "cuEventElapsedTime", (float*, handle, handle))                            \
  X(cuMemcpyAsync, "cuMemcpyAsync", (address, address, std::size_t, handle))                       \
  X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (address, const void*, std::size_t, handle))        \
  X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void*, address, std::size_t, handle))              \
  X(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", (address, address, std::size_t, handle))            \
  X(cuMemcpyPeerAsync, "cuMemcpyPeerAsync",                                                        \
    (address, handle, address, handle, std::size_t, handle))                                       \
  X(cuMemcpy3DAsync, "cuMemcpy3DAsync_v2", (const memcpy_3d*, handle))                             \
  X(cuMemcpy3DPeerAsync, "cuMemcpy3DPeerAsync", (const memcpy_3d*, handle))                        \
  X(cuMemsetD8Async, "cuMemsetD8Async", (address, unsigned char, std::size_t, handle))             \
  X(cuMemsetD16Async, "cuMemsetD16Async", (address, unsigned short, std::size_t, handle))          \
  X(cuMemsetD32Async, "cuMemsetD32Async", (address, unsigned, std::size_t, handle))                \
  X(cuMemsetD2D8Async, "cuMemsetD2D8Async",                                                        \
    (address, std::size_t, unsigned char, std::size_t, std::size_t, handle))                       \
  X(cuMemsetD2D16Async, "cuMemsetD2D16Async",                                                      \
    (address, std::size_t, unsigned short, std::size_t, std::size_t, handle))                      \
  X(cuMemsetD2D32Async, "cuMemsetD2D32Async",                                                      \
    (address, std::size_t, unsigned, std::size_t, std::size_t, handle))                            \
  X(cuLaunchKernel, "cuLaunchKernel",                                                              \
    (handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void**, \
     void**))                                                                                      \
  X(cuModuleLoadDataEx, "cuModuleLoadDataEx",                                                      \
    (handle*, const void*, unsigned, jit_option*, void**))                                         \
  X(cuModuleUnload, "cuModuleUnload", (handle))                                                    \
  X(cuModuleGetFunction, "cuModuleGetFunction", (handle*, handle, const char*))                    \
  X(cuModuleGetGlobal, "cuModuleGetGlobal_v2", (address*, std::size_t*, handle, const char*))      \
  X(cuFuncGetAttribute, "cuFuncGetAttribute", (int*, function_attribute, handle))                  \
  X(cuFuncSetAttribute, "cuFuncSetAttribute", (handle, function_attribute, int))                   \
  X(cuOccupancyMaxPotentialBlockSize, "cuOccupancyMaxPotentialBlockSize",                          \
    (int*, int*, handle, std::size_t (*)(int), std::size_t, int))                                  \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor",    \
    (int*, handle, int, std::size_t))                                                              \
  X(cuGraphCreate, "cuGraphCreate", (handle*, unsigned))                                           \
  X(cuGraphDestroy, "cuGraphDestroy", (handle))                                                    \
  X(cuGraphAddKernelNode, "cuGraphAddKernelNode_v2",                                               \
    (handle*, handle, const handle*, std::size_t, const kernel_node_parameters*))                  \
  X(cuGraphAddMemcpyNode, "cuGraphAddMemcpyNode",                                                  \
    (handle*, handle, const handle*, std::size_t, const memcpy_3d*, handle))                       \
  X(cuGraphAddMemsetNode, "cuGraphAddMemsetNode",                                                  \
    (handle*, handle, const handle*, std::size_t, const memset_node_parameters*, handle))          \
  X(cuGraphAddEmptyNode, "cuGraphAddEmptyNode", (handle*, handle, const handle*, std::size_t))     \
  X(cuGraphKernelNodeSetAttribute, "cuGraphKernelNodeSetAttribute",                                \
    (handle, unsigned, const launch_attribute_value*))                                             \
  X(cuGraphInstantiate, "cuGraphInstantiateWithFlags", (handle*, handle, unsigned long long))      \
  X(cuGraphUpload, "cuGraphUpload", (handle, handle))                                              \
  X(cuGraphLaunch, "cuGraphLaunch", (handle, handle))                                              \
  X(cuGraphExecDestroy, "cuGraphExecDestroy", (handle))                                            \
  X(cuGraphExecKernelNodeSetParams, "cuGraphExecKernelNodeSetParams_v2",                           \
    (handle, handle, const kernel_node_parameters*))                                               \
  X(cuGraphExecMemcpyNodeSetParams, "cuGraphExecMemcpyNodeSetParams",                              \
    (handle, handle, const memcpy_3d*, handle))                                                    \
  X(cuGraphExecMemsetNodeSetParams, "cuGraphExecMemsetNodeSetParams",                              \
    (handle, handle, const memset_node_parameters*, handle))                                       \
  X(cuGraphKernelNodeSetParams, "cuGraphKernelNodeSetParams_v2",                                   \
    (handle, const kernel_node_parameters*))                                                       \
  X(cuGraphMemcpyNodeSetParams, "cuGraphMemcpyNodeSetParams", (handle, const memcpy_3d*))          \
  X(cuGraphMemsetNodeSetParams, "cuGraphMemsetNodeSetParams",                                      \
    (handle, const memset_node_parameters*))                                                       \
  X(cuGraphExecUpdate, "cuGraphExecUpdate_v2", (handle, handle, exec_update_result*))

// The same; what a driver that lacks them cannot do is told by gpu::capabilities. (Every driver of NVIDIA's has
// them.)
#define PIANOLA_CUDA_OPTIONAL_FUNCTIONS(X)                                                         \
  X(cuMemGetInfo, "cuMemGetInfo_v2", (std::size_t*, std::size_t*))                                 \
  X(cuDeviceGetUuid, "cuDeviceGetUuid_v2", (unsigned char*, int))                                  \
  X(cuDeviceGetPCIBusId, "cuDeviceGetPCIBusId", (char*, int, int))                                 \
  X(cuGraphConditionalHandleCreate, "cuGraphConditionalHandleCreate",                              \
    (unsigned long long*, handle, handle, unsigned, unsigned))                                     \
  X(cuGraphAddNode_v2, "cuGraphAddNode_v2",                                                        \
    (handle*, handle, const handle*, const edge_data*, std::size_t, conditional_node_parameters*)) \
  X(cuMemHostRegister, "cuMemHostRegister_v2", (void*, std::size_t, unsigned))                     \
  X(cuMemHostUnregister, "cuMemHostUnregister", (void*))                                           \
  X(cuMemGetAllocationGranularity, "cuMemGetAllocationGranularity",                                \
    (std::size_t*, const allocation_properties*, unsigned))                                        \
  X(cuMemAddressReserve, "cuMemAddressReserve",                                                    \
    (address*, std::size_t, std::size_t, address, unsigned long long))                             \
  X(cuMemAddressFree, "cuMemAddressFree", (address, std::size_t))                                  \
  X(cuMemCreate, "cuMemCreate",                                                                    \
    (memory_handle*, std::size_t, const allocation_properties*, unsigned long long))               \
  X(cuMemRelease, "cuMemRelease", (memory_handle))                                                 \
  X(cuMemMap, "cuMemMap", (address, std::size_t, std::size_t, memory_handle, unsigned long long))  \
  X(cuMemSetAccess, "cuMemSetAccess",                                                              \
    (address, std::size_t, const access_description*, std::size_t))                                \
  X(cuMemUnmap, "cuMemUnmap", (address, std::size_t))                                              \
  X(cuTexObjectCreate, "cuTexObjectCreate",                                                        \
    (texture_object*, const resource_description*, const texture_parameters*, const void*))        \
  X(cuTexObjectDestroy, "cuTexObjectDestroy", (texture_object))                                    \
  X(cuGraphAddChildGraphNode, "cuGraphAddChildGraphNode",                                          \
    (handle*, handle, const handle*, std::size_t, handle))                                         \
  X(cuStreamBeginCapture, "cuStreamBeginCapture_v2", (handle, unsigned))                           \
  X(cuStreamEndCapture, "cuStreamEndCapture", (handle, handle*))                                   \
  X(cuStreamBeginCaptureToGraph, "cuStreamBeginCaptureToGraph",                                    \
    (handle, handle, const handle*, const edge_data*, std::size_t, unsigned))                      \
  X(cuStreamGetCaptureInfo_v3, "cuStreamGetCaptureInfo_v3",                                        \
    (handle, unsigned*, unsigned long long*, handle*, const handle**, const edge_data**,           \
     std::size_t*))                                                                                \
  X(cuThreadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode", (unsigned*))           \
  X(cuGraphAddEventRecordNode, "cuGraphAddEventRecordNode",                                        \
    (handle*, handle, const handle*, std::size_t, handle))                                         \
  X(cuGraphAddEventWaitNode, "cuGraphAddEventWaitNode",                                            \
    (handle*, handle, const handle*, std::size_t, handle))                                         \
  X(cuGraphExecEventRecordNodeSetEvent, "cuGraphExecEventRecordNodeSetEvent",                      \
    (handle, handle, handle))                                                                      \
  X(cuGraphExecEventWaitNodeSetEvent, "cuGraphExecEventWaitNodeSetEvent",                          \
    (handle, handle, handle))                                                                      \
  X(cuLaunchKernelEx, "cuLaunchKernelEx", (const launch_configuration*, handle, void**, void**))   \
  X(cuGraphAddDependencies_v2, "cuGraphAddDependencies_v2",                                        \
    (handle, const handle*, const handle*, const edge_data*, std::size_t))

struct functions {
#define PIANOLA_CUDA_MEMBER(name, symbol, parameters) result(*name) parameters = nullptr;
  PIANOLA_CUDA_FUNCTIONS(PIANOLA_CUDA_MEMBER)
  PIANOLA_CUDA_OPTIONAL_FUNCTIONS(PIANOLA_CUDA_MEMBER)
#undef PIANOLA_CUDA_MEMBER
};

}  // namespace pianola::cuda
