// SPDX-License-Identifier: Apache-2.0
// Initialisation, devices and contexts of the CUDA double.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "front.hpp"

namespace pianola::test::drivers {

engine& engine::instance() {
  static constexpr traits cuda = {
      "CUDA",           {"CUDA_VISIBLE_DEVICES"},   true, true,  232448, 32, 1024,
      {1024, 1024, 64}, {0x7fffffff, 65535, 65535}, 0,    32764, true};
  static auto* only = new engine(cuda);
  return *only;
}

namespace cuda {

int driver_version() {
  constexpr const char* variable = "PIANOLA_TEST_DRIVER_CUDA_VERSION";
  const char* const told = std::getenv(variable);
  return told != nullptr ? std::atoi(told) : 12080;
}

namespace {

constexpr int depth_limit = 64;

// Plain, so that it can be used until the thread's very end.
thread_local context* stack[depth_limit];
thread_local int depth = 0;

// Real devices want textures at multiples of 512 bytes, which is how their driver's allocations are aligned; the double's
// are to 256.
const std::map<int, int>& attributes() {
  static const auto* all = new std::map<int, int>{
      {1, 1024},         // MAX_THREADS_PER_BLOCK
      {2, 1024},         // MAX_BLOCK_DIM_X
      {3, 1024},         // Y
      {4, 64},           // Z
      {5, 0x7fffffff},   // MAX_GRID_DIM_X
      {6, 65535},        // Y
      {7, 65535},        // Z
      {8, 49152},        // MAX_SHARED_MEMORY_PER_BLOCK
      {9, 65536},        // TOTAL_CONSTANT_MEMORY
      {10, 32},          // WARP_SIZE
      {11, 0x7fffffff},  // MAX_PITCH
      {12, 65536},       // MAX_REGISTERS_PER_BLOCK
      {13, 1000000},     // CLOCK_RATE, kHz
      {14, 256},         // TEXTURE_ALIGNMENT
      {15, 1},           // GPU_OVERLAP
      {16, 4},           // MULTIPROCESSOR_COUNT
      {17, 0},           // KERNEL_EXEC_TIMEOUT
      {18, 0},           // INTEGRATED
      {19, 1},           // CAN_MAP_HOST_MEMORY
      {20, 0},           // COMPUTE_MODE
      {31, 1},           // CONCURRENT_KERNELS
      {32, 0},           // ECC_ENABLED
      {33, 1},           // PCI_BUS_ID
      {34, 0},           // PCI_DEVICE_ID
      {36, 1000000},     // MEMORY_CLOCK_RATE, kHz
      {37, 1024},        // GLOBAL_MEMORY_BUS_WIDTH
      {38, 8 << 20},     // L2_CACHE_SIZE
      {39, 2048},        // MAX_THREADS_PER_MULTIPROCESSOR
      {40, 2},           // ASYNC_ENGINE_COUNT
      {41, 1},           // UNIFIED_ADDRESSING
      {50, 0},           // PCI_DOMAIN_ID
      {51, 32},          // TEXTURE_PITCH_ALIGNMENT
      {70, 131072},      // MAXIMUM_TEXTURE2D_LINEAR_WIDTH
      {71, 65000},       // HEIGHT
      {72, 2097120},     // PITCH, bytes
      {75, 9},           // COMPUTE_CAPABILITY_MAJOR
      {76, 0},           // MINOR
      {78, 1},           // STREAM_PRIORITIES_SUPPORTED
      {81, 233472},      // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
      {82, 65536},       // MAX_REGISTERS_PER_MULTIPROCESSOR
      {83, 1},           // MANAGED_MEMORY
      {86, 0},           // HOST_NATIVE_ATOMIC_SUPPORTED
      {88, 0},           // PAGEABLE_MEMORY_ACCESS
      {89, 1},           // CONCURRENT_MANAGED_ACCESS
      {90, 1},           // COMPUTE_PREEMPTION_SUPPORTED
      {91, 1},           // CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM
      {95, 1},           // COOPERATIVE_LAUNCH
      {97, 232448},      // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
      {102, 1},          // VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
      {115, 1},          // MEMORY_POOLS_SUPPORTED
  };
  return *all;
}

struct error_name {
  const char* name;
  const char* text;
};

const error_name* name_of(int code) {
  static const auto* all = new std::map<int, error_name>{
      {0, {"CUDA_SUCCESS", "no error"}},
      {1, {"CUDA_ERROR_INVALID_VALUE", "invalid argument"}},
      {2, {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory"}},
      {3, {"CUDA_ERROR_NOT_INITIALIZED", "initialization error"}},
      {4, {"CUDA_ERROR_DEINITIALIZED", "driver shutting down"}},
      {34, {"CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"}},
      {100, {"CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"}},
      {101, {"CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"}},
      {200, {"CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"}},
      {201, {"CUDA_ERROR_INVALID_CONTEXT", "invalid device context"}},
      {209,
       {"CUDA_ERROR_NO_BINARY_FOR_GPU",
        "no kernel image is available for execution on the device"}},
      {217,
       {"CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
        "peer access is not supported between these two devices"}},
      {218, {"CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"}},
      {222,
       {"CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
        "the provided PTX was compiled with an unsupported toolchain."}},
      {400, {"CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"}},
      {500, {"CUDA_ERROR_NOT_FOUND", "named symbol not found"}},
      {600, {"CUDA_ERROR_NOT_READY", "device not ready"}},
      {700, {"CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"}},
      {701, {"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"}},
      {702, {"CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"}},
      {704, {"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"}},
      {705, {"CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access has not been enabled"}},
      {709, {"CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"}},
      {712,
       {"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
        "part or all of the requested memory range is already mapped"}},
      {713,
       {"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
        "pointer does not correspond to a registered memory region"}},
      {710, {"CUDA_ERROR_ASSERT", "device-side assert triggered"}},
      {719, {"CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"}},
      {800, {"CUDA_ERROR_NOT_PERMITTED", "operation not permitted"}},
      {801, {"CUDA_ERROR_NOT_SUPPORTED", "operation not supported"}},
      {910,
       {"CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE",
        "the graph update was not performed because it included changes which violated constraints "
        "specific "
        "to instantiated graph update"}},
      {999, {"CUDA_ERROR_UNKNOWN", "unknown error"}},
  };
  const auto it = all->find(code);
  return it == all->end() ? nullptr : &it->second;
}

}  // namespace

std::size_t limit(int attribute) { return static_cast<std::size_t>(attributes().at(attribute)); }

context* current_or_null() { return depth == 0 ? nullptr : stack[depth - 1]; }

const std::shared_ptr<context>& current() {
  context* c = current_or_null();
  if (c == nullptr) violate(codes::invalid_context, "the thread has no current context");
  const auto& primary = engine::instance().primary(c->device);
  if (primary.get() != c)
    violate(codes::context_is_destroyed, "the thread's context has been destroyed");
  engine::check(*c);
  return primary;
}

void push_current(context* c) {
  if (depth == depth_limit)
    violate(codes::unknown, "too many contexts are pushed: one is not popped each time");
  stack[depth++] = c;
}

void set_current(context* c) {
  if (depth != 0) --depth;
  if (c != nullptr) push_current(c);
}

context* pop_current() {
  if (depth == 0) return nullptr;
  return stack[--depth];
}

}  // namespace cuda
}  // namespace pianola::test::drivers

using namespace pianola::test::drivers;
using namespace pianola::test::drivers::cuda;

PIANOLA_CUDA_ENTRY cuInit(unsigned flags) {
  return engine::instance().enter("cuInit", false, [&](lock&) {
    if (flags != 0) violate(codes::invalid_value, "flags must be 0");
    engine::instance().initialise();
    return 0;
  });
}

PIANOLA_CUDA_ENTRY cuDriverGetVersion(int* version) {
  return engine::instance().enter("cuDriverGetVersion", false, [&](lock&) {
    result(version) = driver_version();
    return 0;
  });
}

PIANOLA_CUDA_ENTRY cuGetErrorName(int code, const char** text) {
  const auto* n = name_of(code);
  if (text == nullptr) return codes::invalid_value;
  *text = n == nullptr ? nullptr : n->name;
  return n == nullptr ? codes::invalid_value : 0;
}

PIANOLA_CUDA_ENTRY cuGetErrorString(int code, const char** text) {
  const auto* n = name_of(code);
  if (text == nullptr) return codes::invalid_value;
  *text = n == nullptr ? nullptr : n->text;
  return n == nullptr ? codes::invalid_value : 0;
}

PIANOLA_CUDA_ENTRY cuDeviceGetCount(int* count) {
  return enter("cuDeviceGetCount",
               [&](lock&) { result(count) = static_cast<int>(engine::instance().device_count()); });
}

PIANOLA_CUDA_ENTRY cuDeviceGet(int* device, int ordinal) {
  return enter("cuDeviceGet", [&](lock&) {
    engine::instance().check_device(ordinal);
    result(device) = ordinal;
  });
}

PIANOLA_CUDA_ENTRY cuDeviceGetName(char* name, int length, int device) {
  return enter("cuDeviceGetName", [&](lock&) {
    engine::instance().check_device(device);
    if (name == nullptr || length <= 0) violate(codes::invalid_value, "no room for the name");
    std::strncpy(name, "Pianola test device (CUDA)", static_cast<std::size_t>(length));
    name[length - 1] = '\0';
  });
}

PIANOLA_CUDA_ENTRY cuDeviceGetUuid_v2(unsigned char* uuid, int device) {
  return enter("cuDeviceGetUuid_v2", [&](lock&) {
    engine::instance().check_device(device);
    if (uuid == nullptr) violate(codes::invalid_value, "no room for the number");
    for (int i = 0; i < 16; ++i) uuid[i] = static_cast<unsigned char>(0xc0 + i);
    uuid[15] = static_cast<unsigned char>(device);
  });
}

PIANOLA_CUDA_ENTRY cuDeviceGetPCIBusId(char* address, int length, int device) {
  return enter("cuDeviceGetPCIBusId", [&](lock&) {
    engine::instance().check_device(device);
    if (address == nullptr || length < 13) violate(codes::invalid_value, "no room for the address");
    std::snprintf(address, static_cast<std::size_t>(length), "0000:%02x:00.0",
                  static_cast<unsigned>(device + 1));
  });
}

PIANOLA_CUDA_ENTRY cuDeviceGetAttribute(int* value, int attribute, int device) {
  return enter("cuDeviceGetAttribute", [&](lock&) {
    engine::instance().check_device(device);
    const auto it = attributes().find(attribute);
    if (it == attributes().end())
      violate(codes::invalid_value, "attribute " + std::to_string(attribute) + " is not known");
    result(value) = attribute == 33 ? device + 1 : it->second;
  });
}

PIANOLA_CUDA_ENTRY cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  return enter("cuDeviceTotalMem_v2", [&](lock&) {
    engine::instance().check_device(device);
    std::size_t free = 0;
    engine::instance().free_memory_of(static_cast<unsigned>(device), free, result(bytes));
  });
}

PIANOLA_CUDA_ENTRY cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  return enter("cuMemGetInfo_v2", [&](lock&) {
    engine::instance().free_memory_of(current()->device, result(free), result(total));
  });
}

PIANOLA_CUDA_ENTRY cuDeviceCanAccessPeer(int* can, int a, int b) {
  return enter("cuDeviceCanAccessPeer", [&](lock&) {
    engine::instance().check_device(a);
    engine::instance().check_device(b);
    result(can) =
        engine::instance().are_peers(static_cast<unsigned>(a), static_cast<unsigned>(b)) ? 1 : 0;
  });
}

PIANOLA_CUDA_ENTRY cuDevicePrimaryCtxRetain(void** out, int device) {
  return enter("cuDevicePrimaryCtxRetain", [&](lock&) {
    engine::instance().check_device(device);
    if (engine::instance().primary(static_cast<unsigned>(device)) == nullptr)
      engine::instance().check_captures();
    result(out) = engine::instance().retain(static_cast<unsigned>(device))->handle;
  });
}

PIANOLA_CUDA_ENTRY cuDevicePrimaryCtxRelease_v2(int device) {
  return enter("cuDevicePrimaryCtxRelease_v2", [&](lock& held) {
    engine::instance().check_device(device);
    engine::instance().release(held, static_cast<unsigned>(device));
  });
}

PIANOLA_CUDA_ENTRY cuDevicePrimaryCtxReset_v2(int device) {
  return enter("cuDevicePrimaryCtxReset_v2", [&](lock& held) {
    engine::instance().check_device(device);
    engine::instance().reset(held, static_cast<unsigned>(device));
  });
}

PIANOLA_CUDA_ENTRY cuCtxGetCurrent(void** out) {
  return enter("cuCtxGetCurrent", [&](lock&) {
    const context* c = current_or_null();
    result(out) = c == nullptr ? nullptr : c->handle;
  });
}

PIANOLA_CUDA_ENTRY cuCtxSetCurrent(void* c) {
  return enter("cuCtxSetCurrent", [&](lock&) {
    set_current(c == nullptr
                    ? nullptr
                    : engine::instance().handles.get<context>(c, codes::invalid_context).get());
  });
}

PIANOLA_CUDA_ENTRY cuCtxPushCurrent_v2(void* c) {
  return enter("cuCtxPushCurrent_v2", [&](lock&) {
    push_current(engine::instance().handles.get<context>(c, codes::invalid_context).get());
  });
}

PIANOLA_CUDA_ENTRY cuCtxPopCurrent_v2(void** out) {
  return enter("cuCtxPopCurrent_v2", [&](lock&) {
    const context* c = pop_current();
    if (c == nullptr) violate(codes::invalid_context, "the thread has no current context");
    if (out != nullptr) *out = c->handle;
  });
}

PIANOLA_CUDA_ENTRY cuCtxGetDevice(int* device) {
  return enter("cuCtxGetDevice",
               [&](lock&) { result(device) = static_cast<int>(current()->device); });
}

PIANOLA_CUDA_ENTRY cuCtxSynchronize() {
  return enter("cuCtxSynchronize", [&](lock& held) {
    const auto c = current();
    engine::instance().synchronize(held, *c);
  });
}

PIANOLA_CUDA_ENTRY cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return enter("cuCtxGetStreamPriorityRange", [&](lock&) {
    current();
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
  });
}

PIANOLA_CUDA_ENTRY cuCtxEnablePeerAccess(void* peer, unsigned flags) {
  return enter("cuCtxEnablePeerAccess", [&](lock&) {
    if (flags != 0) violate(codes::invalid_value, "flags must be 0");
    const auto c = current();
    const auto other = engine::instance().handles.get<context>(peer, codes::invalid_context);
    engine::instance().enable_peer(*c, *other);
  });
}
