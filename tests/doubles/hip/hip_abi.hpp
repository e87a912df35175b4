// SPDX-License-Identifier: Apache-2.0
// The part of HIP's runtime interface that the double has, declared so that no ROCm is needed to build it.
#pragma once

#include <cstddef>

extern "C" {

struct hip_dim3 {
  unsigned x, y, z;
};

struct hipKernelNodeParams_t {
  hip_dim3 blockDim;
  void** extra;
  void* func;
  hip_dim3 gridDim;
  void** kernelParams;
  unsigned sharedMemBytes;
};

struct hipMemsetParams_t {
  void* dst;
  unsigned elementSize;
  std::size_t height;
  std::size_t pitch;
  unsigned value;
  std::size_t width;
};

// Since HIP 7.
struct hipMemsetParams_7_t {
  void* dst;
  std::size_t pitch;
  unsigned value;
  unsigned elementSize;
  std::size_t width;
  std::size_t height;
};

struct hipPos_t {
  std::size_t x, y, z;
};

struct hipPitchedPtr_t {
  void* ptr;
  std::size_t pitch, xsize, ysize;
};

struct hipExtent_t {
  std::size_t width, height, depth;
};

struct hipMemcpy3DParms_t {
  void* srcArray;
  hipPos_t srcPos;
  hipPitchedPtr_t srcPtr;
  void* dstArray;
  hipPos_t dstPos;
  hipPitchedPtr_t dstPtr;
  hipExtent_t extent;
  int kind;
};

enum {
  hipMemcpyHostToHost_v = 0,
  hipMemcpyHostToDevice_v = 1,
  hipMemcpyDeviceToHost_v = 2,
  hipMemcpyDeviceToDevice_v = 3,
  hipMemcpyDefault_v = 4
};

// hipDeviceProp_t of HIP 5: its size, and where gcnArchName is.
enum { hipDeviceProp_bytes = 792, hipDeviceProp_gcnArchName = 396 };

}  // extern "C"
