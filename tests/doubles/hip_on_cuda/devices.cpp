// SPDX-License-Identifier: Apache-2.0
// Devices, errors and memory.
#include <algorithm>
#include <cstring>

#include "shim.hpp"

namespace pianola::hip_on_cuda {

thread_local int current_device = 0;

shim& shim::instance() {
  static shim* const the_shim = new shim;  // lives as long as the process
  return *the_shim;
}

shim::shim() : library_(cuda::load_library()) {
  if (!library_.fault.empty()) {
    state_ = hip::no_device;
    return;
  }
  int count = 0;
  state_ = cu().cuInit(0);
  if (state_ == cuda::success) state_ = cu().cuDeviceGetCount(&count);
  for (int i = 0; i < count && state_ == cuda::success; ++i) {
    cuda::ordinal device = 0;
    state_ = cu().cuDeviceGet(&device, i);
    devices_.push_back(device);
  }
  if (state_ == cuda::success && devices_.empty()) state_ = hip::no_device;
  contexts_.resize(devices_.size());
}

std::string shim::architecture(int number) const {
  if (library_.architecture != nullptr) return library_.architecture();
  int major = 0, minor = 0;
  (void)cu().cuDeviceGetAttribute(&major, cuda::compute_capability_major, device(number));
  (void)cu().cuDeviceGetAttribute(&minor, cuda::compute_capability_minor, device(number));
  return "sm_" + std::to_string(10 * major + minor);
}

handle shim::context(int number) {
  std::lock_guard<std::mutex> lock(mutex_);
  handle& c = contexts_[static_cast<std::size_t>(number)];
  if (c == nullptr) (void)cu().cuDevicePrimaryCtxRetain(&c, device(number));
  return c;
}

int shim::number_of(handle context) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto at = std::find(contexts_.begin(), contexts_.end(), context);
  return at == contexts_.end() ? -1 : static_cast<int>(at - contexts_.begin());
}

int shim::enter() {
  if (state_ != hip::success) return state_;
  const handle wanted = context(current_device);
  if (wanted == nullptr) return hip::out_of_memory;
  handle former = nullptr;
  (void)cu().cuCtxGetCurrent(&former);
  return former == wanted ? hip::success : cu().cuCtxSetCurrent(wanted);
}

void shim::remember(address at, std::size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  allocations_[at] = bytes;
}

void shim::forget(address at) {
  std::lock_guard<std::mutex> lock(mutex_);
  allocations_.erase(at);
}

bool shim::is_on_device(const void* pointer) {
  std::lock_guard<std::mutex> lock(mutex_);
  const address at = address_of(pointer);
  auto it = allocations_.upper_bound(at);
  return it != allocations_.begin() && at < (--it)->first + it->second;
}

}  // namespace pianola::hip_on_cuda

using namespace pianola;
using hip_on_cuda::address_of;
using hip_on_cuda::shim;

HIP_ENTRY hipRuntimeGetVersion(int* version) {
  *version = hip::minimum_runtime;
  return hip::success;
}
extern "C" __attribute__((visibility("default"))) const char* hipGetErrorName(int code) {
  const char* text = nullptr;
  const auto& s = shim::instance();
  return s.cu().cuGetErrorName != nullptr && s.cu().cuGetErrorName(code, &text) == 0
             ? text
             : "hipErrorUnknown";
}
extern "C" __attribute__((visibility("default"))) const char* hipGetErrorString(int code) {
  const char* text = nullptr;
  const auto& s = shim::instance();
  return s.cu().cuGetErrorString != nullptr && s.cu().cuGetErrorString(code, &text) == 0
             ? text
             : "unknown error";
}
extern "C" __attribute__((visibility("default"))) const char* pianola_test_driver_architecture() {
  static const std::string name =
      shim::instance().device_count() > 0 ? shim::instance().architecture(0) : "";
  return name.c_str();
}

HIP_ENTRY hipGetDeviceCount(int* count) {
  *count = shim::instance().device_count();
  return shim::instance().state();
}
HIP_ENTRY hipGetDevice(int* device) {
  *device = hip_on_cuda::current_device;
  return shim::instance().state();
}
HIP_ENTRY hipSetDevice(int device) {
  if (!shim::instance().is_device(device)) return hip::invalid_device;
  hip_on_cuda::current_device = device;
  return hip::success;
}
HIP_ENTRY hipDeviceGetName(char* name, int bytes, int device) {
  auto& s = shim::instance();
  return s.is_device(device) ? s.cu().cuDeviceGetName(name, bytes, s.device(device))
                             : hip::invalid_device;
}
HIP_ENTRY hipDeviceGetUuid(unsigned char* uuid, int device) {
  auto& s = shim::instance();
  if (!s.is_device(device)) return hip::invalid_device;
  return s.cu().cuDeviceGetUuid != nullptr ? s.cu().cuDeviceGetUuid(uuid, s.device(device))
                                           : hip::not_supported;
}
HIP_ENTRY hipDeviceGetPCIBusId(char* address, int bytes, int device) {
  auto& s = shim::instance();
  if (!s.is_device(device)) return hip::invalid_device;
  return s.cu().cuDeviceGetPCIBusId != nullptr
             ? s.cu().cuDeviceGetPCIBusId(address, bytes, s.device(device))
             : hip::not_supported;
}
HIP_ENTRY hipDeviceTotalMem(std::size_t* bytes, int device) {
  auto& s = shim::instance();
  return s.is_device(device) ? s.cu().cuDeviceTotalMem(bytes, s.device(device))
                             : hip::invalid_device;
}
HIP_ENTRY hipDeviceGetAttribute(int* value, int what, int device) {
  static const std::map<int, cuda::attribute> same{
      {hip::attribute_ecc_enabled, cuda::ecc_enabled},
      {hip::attribute_clock_rate, cuda::clock_rate},
      {hip::attribute_concurrent_managed_access, cuda::concurrent_managed_access},
      {hip::attribute_l2_cache_size, cuda::l2_cache_size},
      {hip::attribute_managed_memory, cuda::managed_memory},
      {hip::attribute_max_block_dim_x, cuda::max_block_dim_x},
      {hip::attribute_max_block_dim_y, cuda::max_block_dim_y},
      {hip::attribute_max_block_dim_z, cuda::max_block_dim_z},
      {hip::attribute_max_grid_dim_x, cuda::max_grid_dim_x},
      {hip::attribute_max_grid_dim_y, cuda::max_grid_dim_y},
      {hip::attribute_max_grid_dim_z, cuda::max_grid_dim_z},
      {hip::attribute_max_threads_per_block, cuda::max_threads_per_block},
      {hip::attribute_memory_bus_width, cuda::memory_bus_width},
      {hip::attribute_memory_clock_rate, cuda::memory_clock_rate},
      {hip::attribute_multiprocessor_count, cuda::multiprocessor_count},
      {hip::attribute_pci_device_id, cuda::pci_device_id},
      {hip::attribute_pageable_memory_access, cuda::pageable_memory_access},
      {hip::attribute_max_shared_memory_per_block, cuda::max_shared_memory_per_block_optin},
      {hip::attribute_warp_size, cuda::warp_size}};
  auto& s = shim::instance();
  const auto found = same.find(what);
  if (!s.is_device(device)) return hip::invalid_device;
  return found == same.end() ? hip::invalid_value
                             : s.cu().cuDeviceGetAttribute(value, found->second, s.device(device));
}
HIP_ENTRY hipGetDeviceProperties(void* properties, int device) {
  auto& s = shim::instance();
  if (!s.is_device(device)) return hip::invalid_device;
  std::memset(properties, 0, hip::properties_bytes_5);
  const std::string name = s.architecture(device);
  std::memcpy(static_cast<char*>(properties) + hip::architecture_name_offset_5, name.c_str(),
              name.size());
  return hip::success;
}
HIP_ENTRY hipDeviceCanAccessPeer(int* can, int from, int to) {
  auto& s = shim::instance();
  if (!s.is_device(from) || !s.is_device(to)) return hip::invalid_device;
  return s.cu().cuDeviceCanAccessPeer(can, s.device(from), s.device(to));
}
HIP_ENTRY hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  auto& s = shim::instance();
  if (!s.is_device(peer)) return hip::invalid_device;
  const int entered = s.enter();
  return entered != hip::success ? entered : s.cu().cuCtxEnablePeerAccess(s.context(peer), flags);
}

// --- memory ---

HIP_ENTRY hipMemGetInfo(std::size_t* free, std::size_t* total) {
  auto& s = shim::instance();
  const int code = s.enter();
  return code == hip::success ? s.cu().cuMemGetInfo(free, total) : code;
}
HIP_ENTRY hipMalloc(void** out, std::size_t bytes) {
  auto& s = shim::instance();
  cuda::address at = 0;
  int code = s.enter();
  if (code == hip::success) code = s.cu().cuMemAlloc(&at, bytes);
  if (code != hip::success) return code;
  s.remember(at, bytes);
  *out = reinterpret_cast<void*>(at);
  return code;
}
HIP_ENTRY hipMallocManaged(void** out, std::size_t bytes, unsigned flags) {
  auto& s = shim::instance();
  cuda::address at = 0;
  int code = s.enter();
  if (code == hip::success) code = s.cu().cuMemAllocManaged(&at, bytes, flags);
  if (code != hip::success) return code;
  s.remember(at, bytes);
  *out = reinterpret_cast<void*>(at);
  return code;
}
HIP_ENTRY hipFree(void* memory) {
  auto& s = shim::instance();
  const int code = s.enter();
  if (code != hip::success) return code;
  s.forget(address_of(memory));
  return s.cu().cuMemFree(address_of(memory));
}
HIP_ENTRY hipHostMalloc(void** out, std::size_t bytes, unsigned flags) {
  auto& s = shim::instance();
  const int code = s.enter();
  return code != hip::success ? code : s.cu().cuMemHostAlloc(out, bytes, flags);
}
HIP_ENTRY hipHostFree(void* memory) {
  auto& s = shim::instance();
  const int code = s.enter();
  return code != hip::success ? code : s.cu().cuMemFreeHost(memory);
}
HIP_ENTRY hipHostRegister(void* start, std::size_t bytes, unsigned flags) {
  auto& s = shim::instance();
  const int code = s.enter();
  if (code != hip::success) return code;
  return s.cu().cuMemHostRegister(start, bytes, flags);
}
HIP_ENTRY hipHostUnregister(void* start) {
  auto& s = shim::instance();
  const int code = s.enter();
  return code != hip::success ? code : s.cu().cuMemHostUnregister(start);
}
