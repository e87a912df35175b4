// SPDX-License-Identifier: Apache-2.0
// Devices of the HIP double.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "front.hpp"

namespace pianola::test::drivers {

engine& engine::instance() {
  static constexpr traits hip = {
      "HIP",
      {"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"},
      false,
      false,
      65536,
      64,
      1024,
      {1024, 1024, 1024},
      {0x7fffffff, 65535, 65535},
      std::uint64_t{1} << 32,
      4096,
      false};
  static auto* only = new engine(hip);
  return *only;
}

namespace hip {

int runtime_version() {
  constexpr const char* variable = "PIANOLA_TEST_DRIVER_HIP_VERSION";
  const char* const told = std::getenv(variable);
  return told != nullptr ? std::atoi(told) : 50700000;
}

namespace {

thread_local unsigned device_of_thread = 0;

const std::map<int, int>& attributes() {
  static const auto* all = new std::map<int, int>{
      {5, 1000000},      // ClockRate, kHz
      {9, 0},            // ConcurrentManagedAccess
      {19, 8 << 20},     // L2CacheSize
      {24, 1},           // ManagedMemory
      {26, 1024},        // MaxBlockDimX
      {27, 1024},        // Y
      {28, 1024},        // Z
      {29, 0x7fffffff},  // MaxGridDimX
      {30, 65535},       // Y
      {31, 65535},       // Z
      {56, 1024},        // MaxThreadsPerBlock
      {59, 1024},        // MemoryBusWidth
      {60, 1000000},     // MemoryClockRate, kHz
      {63, 4},           // MultiprocessorCount
      {65, 0},           // PageableMemoryAccess
      {67, 1},           // PciBusId
      {68, 0},           // PciDeviceId
      {74, 65536},       // MaxSharedMemoryPerBlock
      {87, 64},          // WarpSize
  };
  return *all;
}

const std::map<int, const char*>& names() {
  static const auto* all = new std::map<int, const char*>{
      {0, "hipSuccess"},
      {1, "hipErrorInvalidValue"},
      {2, "hipErrorOutOfMemory"},
      {3, "hipErrorNotInitialized"},
      {4, "hipErrorDeinitialized"},
      {21, "hipErrorInvalidMemcpyDirection"},
      {98, "hipErrorInvalidDeviceFunction"},
      {100, "hipErrorNoDevice"},
      {101, "hipErrorInvalidDevice"},
      {200, "hipErrorInvalidImage"},
      {201, "hipErrorInvalidContext"},
      {209, "hipErrorNoBinaryForGpu"},
      {217, "hipErrorPeerAccessUnsupported"},
      {400, "hipErrorInvalidHandle"},
      {500, "hipErrorNotFound"},
      {600, "hipErrorNotReady"},
      {700, "hipErrorIllegalAddress"},
      {701, "hipErrorLaunchOutOfResources"},
      {704, "hipErrorPeerAccessAlreadyEnabled"},
      {705, "hipErrorPeerAccessNotEnabled"},
      {709, "hipErrorContextIsDestroyed"},
      {710, "hipErrorAssert"},
      {719, "hipErrorLaunchFailure"},
      {801, "hipErrorNotSupported"},
      {910, "hipErrorGraphExecUpdateFailure"},
      {999, "hipErrorUnknown"},
  };
  return *all;
}

int initialised() {
  return engine::instance().enter("hipInit", false, [](lock&) {
    engine::instance().initialise();
    return 0;
  });
}

}  // namespace

unsigned& device() { return device_of_thread; }

const std::shared_ptr<context>& context_of(unsigned d) {
  engine& e = engine::instance();
  if (e.primary(d) == nullptr) e.retain(d);
  return e.primary(d);
}

const std::shared_ptr<context>& current() {
  const auto& c = context_of(device());
  engine::check(*c);
  return c;
}

std::shared_ptr<stream> stream_of(void* s) {
  if (s == nullptr) return current()->default_stream;
  return engine::instance().handles.get<stream>(s);
}

}  // namespace hip
}  // namespace pianola::test::drivers

using namespace pianola::test::drivers;
using namespace pianola::test::drivers::hip;

PIANOLA_HIP_ENTRY hipInit(unsigned flags) {
  if (flags != 0) return enter("hipInit", [](lock&) { violate(1, "flags must be 0"); });
  return initialised();
}

PIANOLA_HIP_ENTRY hipRuntimeGetVersion(int* version) {
  return e().enter("hipRuntimeGetVersion", false, [&](lock&) {
    result(version) = runtime_version();
    return 0;
  });
}

PIANOLA_HIP_ENTRY hipDriverGetVersion(int* version) { return hipRuntimeGetVersion(version); }

extern "C" __attribute__((visibility("default"))) const char* hipGetErrorName(int code) {
  const auto it = names().find(code);
  return it == names().end() ? "hipErrorUnknown" : it->second;
}

extern "C" __attribute__((visibility("default"))) const char* hipGetErrorString(int code) {
  return hipGetErrorName(code);
}

PIANOLA_HIP_ENTRY hipGetDeviceCount(int* count) {
  if (count != nullptr) *count = 0;
  return enter("hipGetDeviceCount",
               [&](lock&) { result(count) = static_cast<int>(e().device_count()); });
}

PIANOLA_HIP_ENTRY hipGetDevice(int* out) {
  return enter("hipGetDevice", [&](lock&) { result(out) = static_cast<int>(device()); });
}

PIANOLA_HIP_ENTRY hipSetDevice(int ordinal) {
  return enter("hipSetDevice", [&](lock&) {
    e().check_device(ordinal);
    device() = static_cast<unsigned>(ordinal);
  });
}

PIANOLA_HIP_ENTRY hipDeviceGetName(char* name, int length, int ordinal) {
  return enter("hipDeviceGetName", [&](lock&) {
    e().check_device(ordinal);
    if (name == nullptr || length <= 0) violate(1, "no room for the name");
    std::strncpy(name, "Pianola test device (HIP)", static_cast<std::size_t>(length));
    name[length - 1] = '\0';
  });
}

PIANOLA_HIP_ENTRY hipDeviceGetUuid(unsigned char* uuid, int ordinal) {
  return enter("hipDeviceGetUuid", [&](lock&) {
    e().check_device(ordinal);
    if (uuid == nullptr) violate(1, "no room for the number");
    for (int i = 0; i < 16; ++i) uuid[i] = static_cast<unsigned char>(0xa0 + i);
    uuid[15] = static_cast<unsigned char>(ordinal);
  });
}

PIANOLA_HIP_ENTRY hipDeviceGetPCIBusId(char* address, int length, int ordinal) {
  return enter("hipDeviceGetPCIBusId", [&](lock&) {
    e().check_device(ordinal);
    if (address == nullptr || length < 13) violate(1, "no room for the address");
    std::snprintf(address, static_cast<std::size_t>(length), "0000:%02x:00.0",
                  static_cast<unsigned>(ordinal + 1));
  });
}

PIANOLA_HIP_ENTRY hipDeviceGetAttribute(int* value, int attribute, int ordinal) {
  return enter("hipDeviceGetAttribute", [&](lock&) {
    e().check_device(ordinal);
    const auto it = attributes().find(attribute);
    if (it == attributes().end())
      refuse(1, "attribute " + std::to_string(attribute) + " is not known");
    result(value) = it->second;
  });
}

PIANOLA_HIP_ENTRY hipGetDeviceProperties(void* properties, int ordinal) {
  return enter("hipGetDeviceProperties", [&](lock&) {
    e().check_device(ordinal);
    if (properties == nullptr) violate(1, "the result is null");
    auto* bytes = static_cast<char*>(properties);
    std::memset(bytes, 0, hipDeviceProp_bytes);
    std::strncpy(bytes, "Pianola test device (HIP)", 255);
    std::strncpy(bytes + hipDeviceProp_gcnArchName, e().architecture().c_str(), 255);
  });
}

PIANOLA_HIP_ENTRY hipDeviceTotalMem(std::size_t* bytes, int ordinal) {
  return enter("hipDeviceTotalMem", [&](lock&) {
    e().check_device(ordinal);
    std::size_t free = 0;
    e().free_memory_of(static_cast<unsigned>(ordinal), free, result(bytes));
  });
}

PIANOLA_HIP_ENTRY hipMemGetInfo(std::size_t* free, std::size_t* total) {
  return enter("hipMemGetInfo",
               [&](lock&) { e().free_memory_of(device(), result(free), result(total)); });
}

PIANOLA_HIP_ENTRY hipDeviceCanAccessPeer(int* can, int a, int b) {
  return enter("hipDeviceCanAccessPeer", [&](lock&) {
    e().check_device(a);
    e().check_device(b);
    result(can) = e().are_peers(static_cast<unsigned>(a), static_cast<unsigned>(b)) ? 1 : 0;
  });
}

PIANOLA_HIP_ENTRY hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  return enter("hipDeviceEnablePeerAccess", [&](lock&) {
    if (flags != 0) violate(1, "flags must be 0");
    e().check_device(peer);
    const auto c = current();
    e().enable_peer(*c, *context_of(static_cast<unsigned>(peer)));
  });
}

PIANOLA_HIP_ENTRY hipDeviceSynchronize() {
  return enter("hipDeviceSynchronize", [&](lock& held) {
    const auto c = current();
    e().synchronize(held, *c);
  });
}

PIANOLA_HIP_ENTRY hipDeviceReset() {
  return enter("hipDeviceReset", [&](lock& held) { e().reset(held, device()); });
}
