// SPDX-License-Identifier: Apache-2.0
// The part of the CUDA driver API that the double has, declared so that no toolkit is needed to build it; a test
// compares it with the vendor's header where there is one.
#pragma once

#include <cstddef>

extern "C" {

using CUdeviceptr_t = unsigned long long;

struct CUDA_MEMCPY2D_t {
  std::size_t srcXInBytes, srcY;
  int srcMemoryType;
  const void* srcHost;
  CUdeviceptr_t srcDevice;
  void* srcArray;
  std::size_t srcPitch;
  std::size_t dstXInBytes, dstY;
  int dstMemoryType;
  void* dstHost;
  CUdeviceptr_t dstDevice;
  void* dstArray;
  std::size_t dstPitch;
  std::size_t WidthInBytes;
  std::size_t Height;
};

// Also CUDA_MEMCPY3D_PEER, which has the contexts where this one has what is reserved.
struct CUDA_MEMCPY3D_t {
  std::size_t srcXInBytes, srcY, srcZ, srcLOD;
  int srcMemoryType;
  const void* srcHost;
  CUdeviceptr_t srcDevice;
  void* srcArray;
  void* reserved0;
  std::size_t srcPitch, srcHeight;
  std::size_t dstXInBytes, dstY, dstZ, dstLOD;
  int dstMemoryType;
  void* dstHost;
  CUdeviceptr_t dstDevice;
  void* dstArray;
  void* reserved1;
  std::size_t dstPitch, dstHeight;
  std::size_t WidthInBytes, Height, Depth;
};

struct CUmemLocation_t {
  unsigned type;
  int id;
};

struct CUmemAllocationProp_t {
  unsigned type;
  unsigned requestedHandleTypes;
  CUmemLocation_t location;
  void* win32HandleMetaData;
  unsigned char allocFlags[8];
};

struct CUmemAccessDesc_t {
  CUmemLocation_t location;
  unsigned flags;
};

struct CUDA_KERNEL_NODE_PARAMS_v2_t {
  void* func;
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  void** kernelParams;
  void** extra;
  void* kern;
  void* ctx;
};

struct CUDA_MEMSET_NODE_PARAMS_t {
  CUdeviceptr_t dst;
  std::size_t pitch;
  unsigned value;
  unsigned elementSize;
  std::size_t width;
  std::size_t height;
};

union CUlaunchAttributeValue_t {
  char pad[64];
  int priority;
  int programmaticStreamSerializationAllowed;
};

struct CUlaunchAttribute_t {
  unsigned id;
  char pad[8 - sizeof(unsigned)];
  CUlaunchAttributeValue_t value;
};

struct CUlaunchConfig_t {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  void* hStream;
  CUlaunchAttribute_t* attrs;
  unsigned numAttrs;
};

struct CUgraphEdgeData_t {
  unsigned char from_port;
  unsigned char to_port;
  unsigned char type;
  unsigned char reserved[5];
};

// Of a conditional node; other nodes have calls of their own here.
struct CUDA_CONDITIONAL_NODE_PARAMS_t {
  unsigned long long handle;
  int type;
  unsigned size;
  void** phGraph_out;
  void* ctx;
};
struct CUgraphNodeParams_t {
  int type;
  int reserved0[3];
  union {
    long long reserved1[29];
    CUDA_CONDITIONAL_NODE_PARAMS_t conditional;
  };
  long long reserved2;
};

struct CUgraphExecUpdateResultInfo_t {
  int result;
  void* errorNode;
  void* errorFromNode;
};

struct CUDA_RESOURCE_DESC_t {
  int resType;
  union {
    struct {
      CUdeviceptr_t devPtr;
      int format;
      unsigned numChannels;
      std::size_t width, height, pitchInBytes;
    } pitch2D;
    int reserved[32];
  } res;
  unsigned flags;
};

struct CUDA_TEXTURE_DESC_t {
  int addressMode[3];
  int filterMode;
  unsigned flags;
  unsigned maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  float borderColor[4];
  int reserved[12];
};

enum { CU_RESOURCE_TYPE_PITCH2D_v = 3 };
enum {
  CU_AD_FORMAT_UNSIGNED_INT8_v = 1,
  CU_AD_FORMAT_UNSIGNED_INT16_v = 2,
  CU_AD_FORMAT_UNSIGNED_INT32_v = 3,
  CU_AD_FORMAT_SIGNED_INT8_v = 8,
  CU_AD_FORMAT_SIGNED_INT16_v = 9,
  CU_AD_FORMAT_SIGNED_INT32_v = 10,
  CU_AD_FORMAT_HALF_v = 16,
  CU_AD_FORMAT_FLOAT_v = 32
};
enum {
  CU_TR_ADDRESS_MODE_WRAP_v = 0,
  CU_TR_ADDRESS_MODE_CLAMP_v = 1,
  CU_TR_ADDRESS_MODE_MIRROR_v = 2,
  CU_TR_ADDRESS_MODE_BORDER_v = 3
};
enum { CU_TR_FILTER_MODE_POINT_v = 0, CU_TR_FILTER_MODE_LINEAR_v = 1 };
enum { CU_TRSF_READ_AS_INTEGER_v = 1, CU_TRSF_NORMALIZED_COORDINATES_v = 2 };

enum { CU_MEMORYTYPE_HOST_v = 1, CU_MEMORYTYPE_DEVICE_v = 2, CU_MEMORYTYPE_UNIFIED_v = 4 };
enum {
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION_v = 6,
  CU_LAUNCH_ATTRIBUTE_PRIORITY_v = 8
};
enum {
  CU_GRAPH_COND_TYPE_IF_v = 0,
  CU_GRAPH_COND_TYPE_WHILE_v = 1,
  CU_GRAPH_COND_TYPE_SWITCH_v = 2
};
enum { CU_GRAPH_COND_ASSIGN_DEFAULT_v = 1 };
enum { CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY_v = 8 };
enum { CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC_v = 1 };
enum { CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC_v = 1, CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER_v = 2 };
enum {
  CU_GRAPH_NODE_TYPE_KERNEL_v = 0,
  CU_GRAPH_NODE_TYPE_MEMCPY_v = 1,
  CU_GRAPH_NODE_TYPE_MEMSET_v = 2,
  CU_GRAPH_NODE_TYPE_GRAPH_v = 4,
  CU_GRAPH_NODE_TYPE_EMPTY_v = 5,
  CU_GRAPH_NODE_TYPE_WAIT_EVENT_v = 6,
  CU_GRAPH_NODE_TYPE_EVENT_RECORD_v = 7,
  CU_GRAPH_NODE_TYPE_CONDITIONAL_v = 13
};

}  // extern "C"
