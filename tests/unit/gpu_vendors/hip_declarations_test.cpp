// SPDX-License-Identifier: Apache-2.0
// Our declarations of HIP's runtime beside the vendor's header.
// compiled alone: others have its short names, too.
#include <gtest/gtest.h>

#include <cstddef>

#include "hip/src/hip_api.hpp"
#include "same_shape.hpp"

#ifdef HAVE_HIP_HEADERS
#define __HIP_PLATFORM_AMD__ 1
// Only the functions that are in the library, not the overloads for C++.
#define __HIP_DISABLE_CPP_FUNCTIONS__ 1
#include <hip/hip_runtime_api.h>

namespace pianola::hip {
namespace {

#define SAME_VALUE(ours, theirs) \
  static_assert(static_cast<unsigned long long>(ours) == static_cast<unsigned long long>(theirs))
SAME_VALUE(success, hipSuccess);
SAME_VALUE(invalid_value, hipErrorInvalidValue);
SAME_VALUE(out_of_memory, hipErrorOutOfMemory);
SAME_VALUE(not_initialized, hipErrorNotInitialized);
SAME_VALUE(deinitialized, hipErrorDeinitialized);
SAME_VALUE(insufficient_driver, hipErrorInsufficientDriver);
SAME_VALUE(invalid_device_function, hipErrorInvalidDeviceFunction);
SAME_VALUE(no_device, hipErrorNoDevice);
SAME_VALUE(invalid_device, hipErrorInvalidDevice);
SAME_VALUE(invalid_image, hipErrorInvalidImage);
SAME_VALUE(no_binary_for_gpu, hipErrorNoBinaryForGpu);
SAME_VALUE(ecc_not_correctable, hipErrorECCNotCorrectable);
SAME_VALUE(invalid_kernel_file, hipErrorInvalidKernelFile);
SAME_VALUE(invalid_source, hipErrorInvalidSource);
SAME_VALUE(not_found, hipErrorNotFound);
SAME_VALUE(not_ready, hipErrorNotReady);
SAME_VALUE(illegal_address, hipErrorIllegalAddress);
SAME_VALUE(launch_out_of_resources, hipErrorLaunchOutOfResources);
SAME_VALUE(launch_timeout, hipErrorLaunchTimeOut);
SAME_VALUE(peer_access_already_enabled, hipErrorPeerAccessAlreadyEnabled);
SAME_VALUE(context_is_destroyed, hipErrorContextIsDestroyed);
SAME_VALUE(assertion, hipErrorAssert);
SAME_VALUE(launch_failure, hipErrorLaunchFailure);
SAME_VALUE(not_supported, hipErrorNotSupported);
SAME_VALUE(graph_exec_update_failure, hipErrorGraphExecUpdateFailure);

SAME_VALUE(attribute_ecc_enabled, hipDeviceAttributeEccEnabled);
SAME_VALUE(attribute_clock_rate, hipDeviceAttributeClockRate);
SAME_VALUE(attribute_concurrent_managed_access, hipDeviceAttributeConcurrentManagedAccess);
SAME_VALUE(attribute_l2_cache_size, hipDeviceAttributeL2CacheSize);
SAME_VALUE(attribute_managed_memory, hipDeviceAttributeManagedMemory);
SAME_VALUE(attribute_max_block_dim_x, hipDeviceAttributeMaxBlockDimX);
SAME_VALUE(attribute_max_block_dim_y, hipDeviceAttributeMaxBlockDimY);
SAME_VALUE(attribute_max_block_dim_z, hipDeviceAttributeMaxBlockDimZ);
SAME_VALUE(attribute_max_grid_dim_x, hipDeviceAttributeMaxGridDimX);
SAME_VALUE(attribute_max_grid_dim_y, hipDeviceAttributeMaxGridDimY);
SAME_VALUE(attribute_max_grid_dim_z, hipDeviceAttributeMaxGridDimZ);
SAME_VALUE(attribute_max_threads_per_block, hipDeviceAttributeMaxThreadsPerBlock);
SAME_VALUE(attribute_multiprocessor_count, hipDeviceAttributeMultiprocessorCount);
SAME_VALUE(attribute_pageable_memory_access, hipDeviceAttributePageableMemoryAccess);
SAME_VALUE(attribute_max_shared_memory_per_block, hipDeviceAttributeMaxSharedMemoryPerBlock);
SAME_VALUE(attribute_warp_size, hipDeviceAttributeWarpSize);
SAME_VALUE(function_max_threads_per_block, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_VALUE(function_shared_size_bytes, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME_VALUE(function_local_size_bytes, HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME_VALUE(event_blocking_sync, hipEventBlockingSync);
SAME_VALUE(event_disable_timing, hipEventDisableTiming);
SAME_VALUE(stream_non_blocking, hipStreamNonBlocking);
SAME_VALUE(host_portable, hipHostMallocPortable);
SAME_VALUE(host_mapped, hipHostMallocMapped);
SAME_VALUE(host_portable, hipHostRegisterPortable);
SAME_VALUE(attach_global, hipMemAttachGlobal);
SAME_VALUE(memcpy_default, hipMemcpyDefault);

static_assert(sizeof(result) == sizeof(hipError_t) && sizeof(handle) == sizeof(hipStream_t) &&
              sizeof(memcpy_kind) == sizeof(hipMemcpyKind));

#define SAME_PLACE_AS(ours, member, theirs, their_member)                   \
  static_assert(offsetof(ours, member) == offsetof(theirs, their_member) && \
                sizeof(ours::member) == sizeof(theirs::their_member))
#define SAME_PLACE(ours, theirs, member) SAME_PLACE_AS(ours, member, theirs, member)
static_assert(sizeof(kernel_node_parameters) == sizeof(hipKernelNodeParams));
SAME_PLACE(kernel_node_parameters, hipKernelNodeParams, blockDim);
SAME_PLACE(kernel_node_parameters, hipKernelNodeParams, extra);
SAME_PLACE(kernel_node_parameters, hipKernelNodeParams, func);
SAME_PLACE(kernel_node_parameters, hipKernelNodeParams, gridDim);
SAME_PLACE(kernel_node_parameters, hipKernelNodeParams, kernelParams);
SAME_PLACE(kernel_node_parameters, hipKernelNodeParams, sharedMemBytes);
#if HIP_VERSION_MAJOR >= 7
using memset_node = memset_node_parameters_7;
#else
using memset_node = memset_node_parameters;
#endif
static_assert(sizeof(memset_node) == sizeof(hipMemsetParams));
SAME_PLACE(memset_node, hipMemsetParams, dst);
SAME_PLACE(memset_node, hipMemsetParams, elementSize);
SAME_PLACE(memset_node, hipMemsetParams, height);
SAME_PLACE(memset_node, hipMemsetParams, pitch);
SAME_PLACE(memset_node, hipMemsetParams, value);
SAME_PLACE(memset_node, hipMemsetParams, width);
static_assert(sizeof(memcpy_3d) == sizeof(hipMemcpy3DParms));
SAME_PLACE(memcpy_3d, hipMemcpy3DParms, srcArray);
SAME_PLACE(memcpy_3d, hipMemcpy3DParms, srcPos);
SAME_PLACE(memcpy_3d, hipMemcpy3DParms, srcPtr);
SAME_PLACE(memcpy_3d, hipMemcpy3DParms, dstArray);
SAME_PLACE(memcpy_3d, hipMemcpy3DParms, dstPos);
SAME_PLACE(memcpy_3d, hipMemcpy3DParms, dstPtr);
SAME_PLACE_AS(memcpy_3d, size, hipMemcpy3DParms, extent);
SAME_PLACE(memcpy_3d, hipMemcpy3DParms, kind);
SAME_PLACE(pitched_pointer, hipPitchedPtr, ptr);
SAME_PLACE(pitched_pointer, hipPitchedPtr, pitch);
SAME_PLACE(pitched_pointer, hipPitchedPtr, xsize);
SAME_PLACE(pitched_pointer, hipPitchedPtr, ysize);
SAME_PLACE_AS(extent, width, hipExtent, width);
SAME_PLACE_AS(extent, height, hipExtent, height);
SAME_PLACE_AS(extent, depth, hipExtent, depth);
#if HIP_VERSION_MAJOR >= 6
static_assert(sizeof(hipDeviceProp_t) == properties_bytes_6);
static_assert(offsetof(hipDeviceProp_t, gcnArchName) == architecture_name_offset_6);
#else
static_assert(sizeof(hipDeviceProp_t) == properties_bytes_5);
static_assert(offsetof(hipDeviceProp_t, gcnArchName) == architecture_name_offset_5);
#endif
static_assert(sizeof(hipDeviceProp_t::gcnArchName) == architecture_name_bytes);

#define SAME_FUNCTION(name, parameters, ...)                                           \
  static_assert(test::same_shape<decltype(functions::name), decltype(&::name)>::value, \
                "declared otherwise in hip_runtime_api.h: " #name);
PIANOLA_HIP_FUNCTIONS(SAME_FUNCTION)

static_assert(test::same_shape<decltype(functions::hipGraphExecKernelNodeSetParams),
                               decltype(&::hipGraphExecKernelNodeSetParams)>::value &&
              test::same_shape<decltype(functions::hipGraphExecMemcpyNodeSetParams1D),
                               decltype(&::hipGraphExecMemcpyNodeSetParams1D)>::value &&
              test::same_shape<decltype(functions::hipGraphExecMemsetNodeSetParams),
                               decltype(&::hipGraphExecMemsetNodeSetParams)>::value);

TEST(hip_declarations, are_those_of_the_header) {
  EXPECT_GE(HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000, minimum_runtime);
}

}  // namespace
}  // namespace pianola::hip

#else

TEST(hip_declarations, are_those_of_the_header) {
  GTEST_SKIP() << "hip/hip_runtime_api.h is not installed (libamdhip64-dev)";
}

#endif
