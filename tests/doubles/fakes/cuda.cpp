// SPDX-License-Identifier: Apache-2.0
// CUDA drivers in states that a real one is rarely in: FAKE_old is of CUDA 11.4, FAKE_empty sees no device,
// FAKE_one has two, an sm_86 and an sm_90, and remembers what it was last asked for.
#include "cuda_api.hpp"

#include <cstdio>
#include <cstring>

using namespace pianola::cuda;

extern "C" {

int cuDriverGetVersion(int* version) {
#ifdef FAKE_old
  *version = 11040;
#else
  *version = 12020;
#endif
  return success;
}

#ifdef FAKE_empty
int cuInit(unsigned) { return no_device; }
#endif

#ifndef FAKE_old
int cuGetErrorName(int code, const char** name) {
  if (code == 999999) return invalid_value;
  *name = "CUDA_ERROR_NAME";
  return success;
}
int cuGetErrorString(int code, const char** text) {
  if (code == 999999) return invalid_value;
  *text = "what the driver says";
  return success;
}
#endif

#ifdef FAKE_one
int cuDeviceGetCount(int* count) {
  *count = 2;
  return success;
}
int cuDeviceGet(int* device, int number) {
  *device = number + 10;
  return success;
}
int cuDeviceGetName(char* name, int bytes, int device) {
  std::snprintf(name, static_cast<std::size_t>(bytes), "Fake %d", device);
  return success;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = std::size_t{1} << 33;
  return success;
}
int cuDeviceGetAttribute(int* value, int what, int device) {
  switch (what) {
    case compute_capability_major:
      *value = device == 10 ? 8 : 9;
      break;
    case compute_capability_minor:
      *value = device == 10 ? 6 : 0;
      break;
    case max_shared_memory_per_block:
      *value = 49152;
      break;
    case max_shared_memory_per_block_optin:
      *value = 101376;
      break;
    case concurrent_managed_access:
    case ecc_enabled:
      *value = device == 10 ? 0 : 1;
      break;
    default:
      *value = 1000 + what;
  }
  return success;
}
int cuDeviceCanAccessPeer(int* can, int from, int to) {
  *can = from == 10 && to == 11;
  return success;
}

// --- contexts ---

static thread_local void* current = nullptr;
int fake_contexts_made = 0;
int cuDevicePrimaryCtxRetain(void** context, int device) {
  ++fake_contexts_made;
  *context = reinterpret_cast<void*>(static_cast<std::size_t>(0x1000 + device));
  return success;
}
int cuCtxGetCurrent(void** context) {
  *context = current;
  return success;
}
int cuCtxSetCurrent(void* context) {
  current = context;
  return success;
}
void* fake_current() { return current; }
void fake_make_current(void* context) { current = context; }

// --- the last thing asked for ---

unsigned fake_launch[7];
void* fake_launch_context = nullptr;
int cuLaunchKernel(void*, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned local, void*, void**, void**) {
  const unsigned all[] = {gx, gy, gz, bx, by, bz, local};
  std::memcpy(fake_launch, all, sizeof all);
  fake_launch_context = current;
  return success;
}
memcpy_3d fake_node_copy;
int cuGraphAddMemcpyNode(void** node, void*, void* const*, std::size_t, const memcpy_3d* copy,
                         void*) {
  fake_node_copy = *copy;
  *node = &fake_node_copy;
  return success;
}
// All that nodes for events take but one function.
int cuGraphAddEventRecordNode(void**, void*, void* const*, std::size_t, void*) { return success; }
int cuGraphAddEventWaitNode(void**, void*, void* const*, std::size_t, void*) { return success; }
int cuGraphExecEventRecordNodeSetEvent(void*, void*, void*) { return success; }
unsigned long long fake_instantiate_flags = 0;
int cuGraphInstantiateWithFlags(void**, void*, unsigned long long flags) {
  fake_instantiate_flags = flags;
  return success;
}
int fake_local_allowed = 48000;
int cuFuncGetAttribute(int* value, int what, void*) {
  *value = what == function_max_dynamic_shared_size_bytes ? fake_local_allowed : 100 + what;
  return success;
}
int cuFuncSetAttribute(void*, int what, int value) {
  if (what == function_max_dynamic_shared_size_bytes) fake_local_allowed = value;
  return success;
}
int cuModuleLoadDataEx(void**, const void*, unsigned count, unsigned* options, void** values) {
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == jit_error_log_buffer)
      std::strcpy(static_cast<char*>(values[i]), "ptxas: line 7: no such thing\n");
  return invalid_ptx;
}
int cuEventQuery(void* event) { return event == nullptr ? not_ready : illegal_address; }
#endif
}
