// SPDX-License-Identifier: Apache-2.0
// Our declarations of the CUDA driver API beside the vendor's header.
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <string>

#include "cuda/src/cuda_api.hpp"
#include "same_shape.hpp"

#ifdef HAVE_CUDA_HEADERS
#include <cuda.h>

namespace pianola::cuda {
namespace {

#define SAME_VALUE(ours, theirs) \
  static_assert(static_cast<unsigned long long>(ours) == static_cast<unsigned long long>(theirs))
SAME_VALUE(success, CUDA_SUCCESS);
SAME_VALUE(invalid_value, CUDA_ERROR_INVALID_VALUE);
SAME_VALUE(out_of_memory, CUDA_ERROR_OUT_OF_MEMORY);
SAME_VALUE(deinitialized, CUDA_ERROR_DEINITIALIZED);
SAME_VALUE(stub_library, CUDA_ERROR_STUB_LIBRARY);
SAME_VALUE(device_unavailable, CUDA_ERROR_DEVICE_UNAVAILABLE);
SAME_VALUE(no_device, CUDA_ERROR_NO_DEVICE);
SAME_VALUE(invalid_device, CUDA_ERROR_INVALID_DEVICE);
SAME_VALUE(invalid_image, CUDA_ERROR_INVALID_IMAGE);
SAME_VALUE(no_binary_for_gpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME_VALUE(ecc_uncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE);
SAME_VALUE(invalid_ptx, CUDA_ERROR_INVALID_PTX);
SAME_VALUE(nvlink_uncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE);
SAME_VALUE(jit_compiler_not_found, CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
SAME_VALUE(unsupported_ptx_version, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SAME_VALUE(jit_compilation_disabled, CUDA_ERROR_JIT_COMPILATION_DISABLED);
SAME_VALUE(invalid_source, CUDA_ERROR_INVALID_SOURCE);
SAME_VALUE(not_found, CUDA_ERROR_NOT_FOUND);
SAME_VALUE(not_ready, CUDA_ERROR_NOT_READY);
SAME_VALUE(illegal_address, CUDA_ERROR_ILLEGAL_ADDRESS);
SAME_VALUE(launch_out_of_resources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
SAME_VALUE(launch_timeout, CUDA_ERROR_LAUNCH_TIMEOUT);
SAME_VALUE(peer_access_already_enabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
SAME_VALUE(context_is_destroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED);
SAME_VALUE(assertion, CUDA_ERROR_ASSERT);
SAME_VALUE(hardware_stack_error, CUDA_ERROR_HARDWARE_STACK_ERROR);
SAME_VALUE(illegal_instruction, CUDA_ERROR_ILLEGAL_INSTRUCTION);
SAME_VALUE(misaligned_address, CUDA_ERROR_MISALIGNED_ADDRESS);
SAME_VALUE(invalid_address_space, CUDA_ERROR_INVALID_ADDRESS_SPACE);
SAME_VALUE(invalid_pc, CUDA_ERROR_INVALID_PC);
SAME_VALUE(launch_failed, CUDA_ERROR_LAUNCH_FAILED);
SAME_VALUE(not_supported, CUDA_ERROR_NOT_SUPPORTED);
SAME_VALUE(system_driver_mismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
SAME_VALUE(mps_client_terminated, CUDA_ERROR_MPS_CLIENT_TERMINATED);
SAME_VALUE(graph_exec_update_failure, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
SAME_VALUE(external_device, CUDA_ERROR_EXTERNAL_DEVICE);
#if CUDA_VERSION >= 12060
SAME_VALUE(contained, CUDA_ERROR_CONTAINED);
SAME_VALUE(tensor_memory_leak, CUDA_ERROR_TENSOR_MEMORY_LEAK);
#endif

SAME_VALUE(max_threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_VALUE(max_block_dim_x, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
SAME_VALUE(max_block_dim_y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
SAME_VALUE(max_block_dim_z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
SAME_VALUE(max_grid_dim_x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
SAME_VALUE(max_grid_dim_y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
SAME_VALUE(max_grid_dim_z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
SAME_VALUE(max_shared_memory_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
SAME_VALUE(warp_size, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
SAME_VALUE(clock_rate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
SAME_VALUE(multiprocessor_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME_VALUE(ecc_enabled, CU_DEVICE_ATTRIBUTE_ECC_ENABLED);
SAME_VALUE(l2_cache_size, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME_VALUE(unified_addressing, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING);
SAME_VALUE(compute_capability_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME_VALUE(compute_capability_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME_VALUE(stream_priorities_supported, CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED);
SAME_VALUE(managed_memory, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY);
SAME_VALUE(pageable_memory_access, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS);
SAME_VALUE(concurrent_managed_access, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS);
SAME_VALUE(virtual_memory_management, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
SAME_VALUE(max_shared_memory_per_block_optin,
           CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME_VALUE(texture_alignment, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
SAME_VALUE(texture_pitch_alignment, CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT);
SAME_VALUE(maximum_texture2d_linear_width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH);
SAME_VALUE(maximum_texture2d_linear_height, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT);
SAME_VALUE(maximum_texture2d_linear_pitch, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH);
SAME_VALUE(format_uint8, CU_AD_FORMAT_UNSIGNED_INT8);
SAME_VALUE(format_uint16, CU_AD_FORMAT_UNSIGNED_INT16);
SAME_VALUE(format_uint32, CU_AD_FORMAT_UNSIGNED_INT32);
SAME_VALUE(format_sint8, CU_AD_FORMAT_SIGNED_INT8);
SAME_VALUE(format_sint16, CU_AD_FORMAT_SIGNED_INT16);
SAME_VALUE(format_sint32, CU_AD_FORMAT_SIGNED_INT32);
SAME_VALUE(format_half, CU_AD_FORMAT_HALF);
SAME_VALUE(format_float, CU_AD_FORMAT_FLOAT);
SAME_VALUE(address_wrap, CU_TR_ADDRESS_MODE_WRAP);
SAME_VALUE(address_clamp, CU_TR_ADDRESS_MODE_CLAMP);
SAME_VALUE(address_mirror, CU_TR_ADDRESS_MODE_MIRROR);
SAME_VALUE(address_border, CU_TR_ADDRESS_MODE_BORDER);
SAME_VALUE(filter_point, CU_TR_FILTER_MODE_POINT);
SAME_VALUE(filter_linear, CU_TR_FILTER_MODE_LINEAR);
SAME_VALUE(resource_pitch_2d, CU_RESOURCE_TYPE_PITCH2D);
SAME_VALUE(texture_read_as_integer, CU_TRSF_READ_AS_INTEGER);
SAME_VALUE(texture_normalized_coordinates, CU_TRSF_NORMALIZED_COORDINATES);
SAME_VALUE(function_max_threads_per_block, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_VALUE(function_shared_size_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME_VALUE(function_local_size_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME_VALUE(function_max_dynamic_shared_size_bytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME_VALUE(event_blocking_sync, CU_EVENT_BLOCKING_SYNC);
SAME_VALUE(event_disable_timing, CU_EVENT_DISABLE_TIMING);
SAME_VALUE(stream_non_blocking, CU_STREAM_NON_BLOCKING);
SAME_VALUE(host_portable, CU_MEMHOSTALLOC_PORTABLE);
SAME_VALUE(host_device_map, CU_MEMHOSTALLOC_DEVICEMAP);
SAME_VALUE(attach_global, CU_MEM_ATTACH_GLOBAL);
SAME_VALUE(instantiate_use_node_priority, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
SAME_VALUE(location_device, CU_MEM_LOCATION_TYPE_DEVICE);
SAME_VALUE(allocation_pinned, CU_MEM_ALLOCATION_TYPE_PINNED);
SAME_VALUE(access_read_write, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
SAME_VALUE(granularity_recommended, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
SAME_VALUE(memory_host, CU_MEMORYTYPE_HOST);
SAME_VALUE(memory_device, CU_MEMORYTYPE_DEVICE);
SAME_VALUE(jit_info_log_buffer, CU_JIT_INFO_LOG_BUFFER);
SAME_VALUE(jit_info_log_buffer_size_bytes, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
SAME_VALUE(jit_error_log_buffer, CU_JIT_ERROR_LOG_BUFFER);
SAME_VALUE(jit_error_log_buffer_size_bytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME_VALUE(launch_attribute_priority, CU_LAUNCH_ATTRIBUTE_PRIORITY);
SAME_VALUE(launch_attribute_programmatic_serialization,
           CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
SAME_VALUE(kernel_port_programmatic, CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
SAME_VALUE(dependency_programmatic, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);

static_assert(sizeof(result) == sizeof(CUresult) && sizeof(ordinal) == sizeof(CUdevice) &&
              sizeof(address) == sizeof(CUdeviceptr) && sizeof(handle) == sizeof(CUcontext));

#define SAME_PLACE(ours, theirs, member)                              \
  static_assert(offsetof(ours, member) == offsetof(theirs, member) && \
                sizeof(ours::member) == sizeof(theirs::member))
using kernel_node = CUDA_KERNEL_NODE_PARAMS_v2;
static_assert(sizeof(kernel_node_parameters) == sizeof(kernel_node));
SAME_PLACE(kernel_node_parameters, kernel_node, func);
SAME_PLACE(kernel_node_parameters, kernel_node, gridDimX);
SAME_PLACE(kernel_node_parameters, kernel_node, gridDimZ);
SAME_PLACE(kernel_node_parameters, kernel_node, blockDimX);
SAME_PLACE(kernel_node_parameters, kernel_node, blockDimZ);
SAME_PLACE(kernel_node_parameters, kernel_node, sharedMemBytes);
SAME_PLACE(kernel_node_parameters, kernel_node, kernelParams);
SAME_PLACE(kernel_node_parameters, kernel_node, extra);
SAME_PLACE(kernel_node_parameters, kernel_node, kern);
SAME_PLACE(kernel_node_parameters, kernel_node, ctx);
static_assert(sizeof(memory_handle) == sizeof(CUmemGenericAllocationHandle));
static_assert(sizeof(allocation_properties) == sizeof(CUmemAllocationProp));
SAME_PLACE(allocation_properties, CUmemAllocationProp, type);
SAME_PLACE(allocation_properties, CUmemAllocationProp, requestedHandleTypes);
SAME_PLACE(allocation_properties, CUmemAllocationProp, location);
SAME_PLACE(allocation_properties, CUmemAllocationProp, allocFlags);
static_assert(sizeof(access_description) == sizeof(CUmemAccessDesc));
SAME_PLACE(access_description, CUmemAccessDesc, location);
SAME_PLACE(access_description, CUmemAccessDesc, flags);
SAME_PLACE(memory_location, CUmemLocation, type);
SAME_PLACE(memory_location, CUmemLocation, id);
using memset_node = CUDA_MEMSET_NODE_PARAMS_v1;
static_assert(sizeof(memset_node_parameters) == sizeof(memset_node));
SAME_PLACE(memset_node_parameters, memset_node, dst);
SAME_PLACE(memset_node_parameters, memset_node, pitch);
SAME_PLACE(memset_node_parameters, memset_node, value);
SAME_PLACE(memset_node_parameters, memset_node, elementSize);
SAME_PLACE(memset_node_parameters, memset_node, width);
SAME_PLACE(memset_node_parameters, memset_node, height);
#define SAME_3D(theirs)                               \
  static_assert(sizeof(memcpy_3d) == sizeof(theirs)); \
  SAME_PLACE(memcpy_3d, theirs, srcMemoryType);       \
  SAME_PLACE(memcpy_3d, theirs, srcHost);             \
  SAME_PLACE(memcpy_3d, theirs, srcDevice);           \
  SAME_PLACE(memcpy_3d, theirs, srcPitch);            \
  SAME_PLACE(memcpy_3d, theirs, srcHeight);           \
  SAME_PLACE(memcpy_3d, theirs, dstMemoryType);       \
  SAME_PLACE(memcpy_3d, theirs, dstHost);             \
  SAME_PLACE(memcpy_3d, theirs, dstDevice);           \
  SAME_PLACE(memcpy_3d, theirs, dstPitch);            \
  SAME_PLACE(memcpy_3d, theirs, dstHeight);           \
  SAME_PLACE(memcpy_3d, theirs, WidthInBytes);        \
  SAME_PLACE(memcpy_3d, theirs, Height);              \
  SAME_PLACE(memcpy_3d, theirs, Depth)
SAME_3D(CUDA_MEMCPY3D_v2);
SAME_3D(CUDA_MEMCPY3D_PEER_v1);
SAME_PLACE(memcpy_3d, CUDA_MEMCPY3D_PEER_v1, srcContext);
SAME_PLACE(memcpy_3d, CUDA_MEMCPY3D_PEER_v1, dstContext);
static_assert(sizeof(launch_attribute_value) == sizeof(CUlaunchAttributeValue) &&
              alignof(launch_attribute_value) == alignof(CUlaunchAttributeValue));
SAME_PLACE(launch_attribute_value, CUlaunchAttributeValue, priority);
SAME_PLACE(launch_attribute_value, CUlaunchAttributeValue, programmaticStreamSerializationAllowed);
static_assert(sizeof(launch_attribute) == sizeof(CUlaunchAttribute));
SAME_PLACE(launch_attribute, CUlaunchAttribute, id);
SAME_PLACE(launch_attribute, CUlaunchAttribute, value);
static_assert(sizeof(launch_configuration) == sizeof(CUlaunchConfig));
SAME_PLACE(launch_configuration, CUlaunchConfig, gridDimX);
SAME_PLACE(launch_configuration, CUlaunchConfig, blockDimX);
SAME_PLACE(launch_configuration, CUlaunchConfig, sharedMemBytes);
SAME_PLACE(launch_configuration, CUlaunchConfig, hStream);
SAME_PLACE(launch_configuration, CUlaunchConfig, attrs);
SAME_PLACE(launch_configuration, CUlaunchConfig, numAttrs);
static_assert(sizeof(edge_data) == sizeof(CUgraphEdgeData));
SAME_PLACE(edge_data, CUgraphEdgeData, from_port);
SAME_PLACE(edge_data, CUgraphEdgeData, to_port);
SAME_PLACE(edge_data, CUgraphEdgeData, type);
#if CUDA_VERSION >= 12040
SAME_VALUE(node_type_conditional, CU_GRAPH_NODE_TYPE_CONDITIONAL);
SAME_VALUE(condition_assigns_default, CU_GRAPH_COND_ASSIGN_DEFAULT);
SAME_VALUE(conditional_if, CU_GRAPH_COND_TYPE_IF);
SAME_VALUE(conditional_while, CU_GRAPH_COND_TYPE_WHILE);
SAME_PLACE(conditional_node_parameters, CUgraphNodeParams, type);
static_assert(sizeof(conditional_node_parameters) == sizeof(CUgraphNodeParams));
static_assert(offsetof(conditional_node_parameters, handle) ==
              offsetof(CUgraphNodeParams, conditional.handle));
static_assert(offsetof(conditional_node_parameters, kind) ==
              offsetof(CUgraphNodeParams, conditional.type));
static_assert(offsetof(conditional_node_parameters, size) ==
              offsetof(CUgraphNodeParams, conditional.size));
static_assert(offsetof(conditional_node_parameters, graphs) ==
              offsetof(CUgraphNodeParams, conditional.phGraph_out));
static_assert(offsetof(conditional_node_parameters, ctx) ==
              offsetof(CUgraphNodeParams, conditional.ctx));
#endif
#if CUDA_VERSION >= 12080
SAME_VALUE(conditional_switch, CU_GRAPH_COND_TYPE_SWITCH);
#endif
static_assert(sizeof(texture_object) == sizeof(CUtexObject));
static_assert(sizeof(resource_description) == sizeof(CUDA_RESOURCE_DESC));
SAME_PLACE(resource_description, CUDA_RESOURCE_DESC, resType);
SAME_PLACE(resource_description, CUDA_RESOURCE_DESC, res.pitch2D.devPtr);
SAME_PLACE(resource_description, CUDA_RESOURCE_DESC, res.pitch2D.format);
SAME_PLACE(resource_description, CUDA_RESOURCE_DESC, res.pitch2D.numChannels);
SAME_PLACE(resource_description, CUDA_RESOURCE_DESC, res.pitch2D.width);
SAME_PLACE(resource_description, CUDA_RESOURCE_DESC, res.pitch2D.height);
SAME_PLACE(resource_description, CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes);
SAME_PLACE(resource_description, CUDA_RESOURCE_DESC, flags);
static_assert(sizeof(texture_parameters) == sizeof(CUDA_TEXTURE_DESC));
SAME_PLACE(texture_parameters, CUDA_TEXTURE_DESC, addressMode);
SAME_PLACE(texture_parameters, CUDA_TEXTURE_DESC, filterMode);
SAME_PLACE(texture_parameters, CUDA_TEXTURE_DESC, flags);
SAME_PLACE(texture_parameters, CUDA_TEXTURE_DESC, borderColor);
static_assert(sizeof(exec_update_result) == sizeof(CUgraphExecUpdateResultInfo_v1));
SAME_PLACE(exec_update_result, CUgraphExecUpdateResultInfo_v1, result);
SAME_PLACE(exec_update_result, CUgraphExecUpdateResultInfo_v1, errorNode);
SAME_PLACE(exec_update_result, CUgraphExecUpdateResultInfo_v1, errorFromNode);

// After cuda.h, a name here is what the header makes of it: the versioned function.
#define SAME_FUNCTION(name, symbol, parameters)                                   \
  static_assert(test::same_shape<result(*) parameters, decltype(&::name)>::value, \
                "declared otherwise in cuda.h: " symbol);
PIANOLA_CUDA_FUNCTIONS(SAME_FUNCTION)
PIANOLA_CUDA_OPTIONAL_FUNCTIONS(SAME_FUNCTION)

#define TEXT_OF(name) #name
#define HEADER_SYMBOL(name) TEXT_OF(name)

TEST(cuda_declarations, use_the_symbols_that_the_header_maps_names_to) {
  // Newer versions of these do the same; the older ones are in every driver of CUDA 12.
  const std::map<std::string, std::string> chosen_otherwise{
      {"cuEventElapsedTime_v2", "cuEventElapsedTime"}};
#define CHECK_SYMBOL(name, symbol, parameters)                                           \
  {                                                                                      \
    const std::string theirs = HEADER_SYMBOL(name);                                      \
    const auto exception = chosen_otherwise.find(theirs);                                \
    EXPECT_EQ(exception != chosen_otherwise.end() ? exception->second : theirs, symbol); \
  }
  PIANOLA_CUDA_FUNCTIONS(CHECK_SYMBOL)
  PIANOLA_CUDA_OPTIONAL_FUNCTIONS(CHECK_SYMBOL)
}

TEST(cuda_declarations, tell_wrong_shapes_from_right_ones) {
  using ours = int (*)(void**, unsigned);
  EXPECT_TRUE((test::same_shape<ours, CUresult (*)(CUcontext*, unsigned)>::value));
  EXPECT_FALSE((test::same_shape<ours, CUresult (*)(CUcontext*, std::size_t)>::value));
  EXPECT_FALSE((test::same_shape<ours, CUresult (*)(CUcontext*)>::value));
  EXPECT_FALSE((test::same_shape<int (*)(int*), CUresult (*)(std::size_t*)>::value));
}

}  // namespace
}  // namespace pianola::cuda

#else

TEST(cuda_declarations, use_the_symbols_that_the_header_maps_names_to) {
  GTEST_SKIP() << "cuda.h is not installed (CUDA toolkit)";
}

#endif
