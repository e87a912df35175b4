// SPDX-License-Identifier: Apache-2.0
// The double's declarations against the vendor's header.
#if __has_include(<cuda.h>)
#include <cuda.h>

#include <cstddef>

#include <cuda/cuda_abi.hpp>

#define SAME(ours, theirs, field)                                  \
  static_assert(offsetof(ours, field) == offsetof(theirs, field)); \
  static_assert(sizeof(ours::field) == sizeof(theirs::field))

static_assert(sizeof(CUDA_MEMCPY2D_t) == sizeof(CUDA_MEMCPY2D));
SAME(CUDA_MEMCPY2D_t, CUDA_MEMCPY2D, srcMemoryType);
SAME(CUDA_MEMCPY2D_t, CUDA_MEMCPY2D, srcDevice);
SAME(CUDA_MEMCPY2D_t, CUDA_MEMCPY2D, srcPitch);
SAME(CUDA_MEMCPY2D_t, CUDA_MEMCPY2D, dstHost);
SAME(CUDA_MEMCPY2D_t, CUDA_MEMCPY2D, dstPitch);
SAME(CUDA_MEMCPY2D_t, CUDA_MEMCPY2D, Height);
static_assert(sizeof(CUDA_MEMCPY3D_t) == sizeof(CUDA_MEMCPY3D));
static_assert(sizeof(CUDA_MEMCPY3D_t) == sizeof(CUDA_MEMCPY3D_PEER));
SAME(CUDA_MEMCPY3D_t, CUDA_MEMCPY3D, reserved0);
SAME(CUDA_MEMCPY3D_t, CUDA_MEMCPY3D, srcHeight);
SAME(CUDA_MEMCPY3D_t, CUDA_MEMCPY3D, dstLOD);
SAME(CUDA_MEMCPY3D_t, CUDA_MEMCPY3D, dstDevice);
SAME(CUDA_MEMCPY3D_t, CUDA_MEMCPY3D, reserved1);
SAME(CUDA_MEMCPY3D_t, CUDA_MEMCPY3D, Depth);
static_assert(offsetof(CUDA_MEMCPY3D_t, reserved0) == offsetof(CUDA_MEMCPY3D_PEER, srcContext));
static_assert(offsetof(CUDA_MEMCPY3D_t, reserved1) == offsetof(CUDA_MEMCPY3D_PEER, dstContext));
static_assert(sizeof(CUDA_KERNEL_NODE_PARAMS_v2_t) == sizeof(CUDA_KERNEL_NODE_PARAMS_v2));
SAME(CUDA_KERNEL_NODE_PARAMS_v2_t, CUDA_KERNEL_NODE_PARAMS_v2, sharedMemBytes);
SAME(CUDA_KERNEL_NODE_PARAMS_v2_t, CUDA_KERNEL_NODE_PARAMS_v2, extra);
SAME(CUDA_KERNEL_NODE_PARAMS_v2_t, CUDA_KERNEL_NODE_PARAMS_v2, ctx);
static_assert(sizeof(CUDA_MEMSET_NODE_PARAMS_t) == sizeof(CUDA_MEMSET_NODE_PARAMS));
SAME(CUDA_MEMSET_NODE_PARAMS_t, CUDA_MEMSET_NODE_PARAMS, pitch);
SAME(CUDA_MEMSET_NODE_PARAMS_t, CUDA_MEMSET_NODE_PARAMS, elementSize);
SAME(CUDA_MEMSET_NODE_PARAMS_t, CUDA_MEMSET_NODE_PARAMS, height);
static_assert(sizeof(CUlaunchAttributeValue_t) == sizeof(CUlaunchAttributeValue));
SAME(CUlaunchAttributeValue_t, CUlaunchAttributeValue, priority);
static_assert(sizeof(CUgraphExecUpdateResultInfo_t) == sizeof(CUgraphExecUpdateResultInfo));
SAME(CUgraphExecUpdateResultInfo_t, CUgraphExecUpdateResultInfo, errorFromNode);
static_assert(sizeof(CUDA_RESOURCE_DESC_t) == sizeof(CUDA_RESOURCE_DESC));
SAME(CUDA_RESOURCE_DESC_t, CUDA_RESOURCE_DESC, res.pitch2D.devPtr);
SAME(CUDA_RESOURCE_DESC_t, CUDA_RESOURCE_DESC, res.pitch2D.format);
SAME(CUDA_RESOURCE_DESC_t, CUDA_RESOURCE_DESC, res.pitch2D.numChannels);
SAME(CUDA_RESOURCE_DESC_t, CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes);
SAME(CUDA_RESOURCE_DESC_t, CUDA_RESOURCE_DESC, flags);
static_assert(sizeof(CUDA_TEXTURE_DESC_t) == sizeof(CUDA_TEXTURE_DESC));
SAME(CUDA_TEXTURE_DESC_t, CUDA_TEXTURE_DESC, addressMode);
SAME(CUDA_TEXTURE_DESC_t, CUDA_TEXTURE_DESC, filterMode);
SAME(CUDA_TEXTURE_DESC_t, CUDA_TEXTURE_DESC, flags);
SAME(CUDA_TEXTURE_DESC_t, CUDA_TEXTURE_DESC, borderColor);
static_assert(static_cast<int>(CU_RESOURCE_TYPE_PITCH2D_v) == CU_RESOURCE_TYPE_PITCH2D);
static_assert(static_cast<int>(CU_AD_FORMAT_SIGNED_INT32_v) == CU_AD_FORMAT_SIGNED_INT32);
static_assert(static_cast<int>(CU_AD_FORMAT_HALF_v) == CU_AD_FORMAT_HALF);
static_assert(static_cast<int>(CU_AD_FORMAT_FLOAT_v) == CU_AD_FORMAT_FLOAT);
static_assert(static_cast<int>(CU_TR_ADDRESS_MODE_BORDER_v) == CU_TR_ADDRESS_MODE_BORDER);
static_assert(static_cast<int>(CU_TR_FILTER_MODE_LINEAR_v) == CU_TR_FILTER_MODE_LINEAR);
static_assert(CU_TRSF_READ_AS_INTEGER_v == CU_TRSF_READ_AS_INTEGER);
static_assert(CU_TRSF_NORMALIZED_COORDINATES_v == CU_TRSF_NORMALIZED_COORDINATES);
static_assert(static_cast<int>(CU_MEMORYTYPE_HOST_v) == CU_MEMORYTYPE_HOST);
static_assert(static_cast<int>(CU_MEMORYTYPE_DEVICE_v) == CU_MEMORYTYPE_DEVICE);
static_assert(static_cast<int>(CU_MEMORYTYPE_UNIFIED_v) == CU_MEMORYTYPE_UNIFIED);
SAME(CUlaunchAttributeValue_t, CUlaunchAttributeValue, programmaticStreamSerializationAllowed);
static_assert(sizeof(CUlaunchAttribute_t) == sizeof(CUlaunchAttribute));
SAME(CUlaunchAttribute_t, CUlaunchAttribute, value);
static_assert(sizeof(CUlaunchConfig_t) == sizeof(CUlaunchConfig));
SAME(CUlaunchConfig_t, CUlaunchConfig, hStream);
SAME(CUlaunchConfig_t, CUlaunchConfig, attrs);
SAME(CUlaunchConfig_t, CUlaunchConfig, numAttrs);
static_assert(sizeof(CUgraphEdgeData_t) == sizeof(CUgraphEdgeData));
SAME(CUgraphEdgeData_t, CUgraphEdgeData, type);
static_assert(static_cast<int>(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION_v) ==
              CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
static_assert(static_cast<int>(CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY_v) ==
              CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
static_assert(static_cast<int>(CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC_v) ==
              CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
static_assert(static_cast<int>(CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC_v) ==
              CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
static_assert(static_cast<int>(CU_GRAPH_NODE_TYPE_MEMCPY_v) == CU_GRAPH_NODE_TYPE_MEMCPY);
static_assert(static_cast<int>(CU_GRAPH_NODE_TYPE_MEMSET_v) == CU_GRAPH_NODE_TYPE_MEMSET);
static_assert(static_cast<int>(CU_GRAPH_NODE_TYPE_GRAPH_v) == CU_GRAPH_NODE_TYPE_GRAPH);
static_assert(static_cast<int>(CU_GRAPH_NODE_TYPE_EMPTY_v) == CU_GRAPH_NODE_TYPE_EMPTY);
static_assert(static_cast<int>(CU_GRAPH_NODE_TYPE_WAIT_EVENT_v) == CU_GRAPH_NODE_TYPE_WAIT_EVENT);
static_assert(static_cast<int>(CU_GRAPH_NODE_TYPE_EVENT_RECORD_v) ==
              CU_GRAPH_NODE_TYPE_EVENT_RECORD);
static_assert(static_cast<int>(CU_LAUNCH_ATTRIBUTE_PRIORITY_v) == CU_LAUNCH_ATTRIBUTE_PRIORITY);
#endif
