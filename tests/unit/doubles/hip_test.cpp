// SPDX-License-Identifier: Apache-2.0
// The HIP double: what its front does with the engine that the CUDA tests look into.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <pianola/abi/launch.h>
#include <hip/hip_abi.hpp>
#include <pianola/test/driver_control.hpp>
#include "images/kernels.hpp"

namespace pianola::test {
namespace {

#define PIANOLA_TEST_HIP_CALLS(X)                                                                 \
  X(hipGetDeviceCount, (int*))                                                                    \
  X(hipGetDevice, (int*))                                                                         \
  X(hipSetDevice, (int))                                                                          \
  X(hipDeviceSynchronize, ())                                                                     \
  X(hipDeviceReset, ())                                                                           \
  X(hipDeviceEnablePeerAccess, (int, unsigned))                                                   \
  X(hipGetDeviceProperties, (void*, int))                                                         \
  X(hipMalloc, (void**, std::size_t))                                                             \
  X(hipFree, (void*))                                                                             \
  X(hipHostMalloc, (void**, std::size_t, unsigned))                                               \
  X(hipHostRegister, (void*, std::size_t, unsigned))                                              \
  X(hipHostUnregister, (void*))                                                                   \
  X(hipHostFree, (void*))                                                                         \
  X(hipMemcpy, (void*, const void*, std::size_t, int))                                            \
  X(hipMemcpyAsync, (void*, const void*, std::size_t, int, void*))                                \
  X(hipMemcpyPeerAsync, (void*, int, const void*, int, std::size_t, void*))                       \
  X(hipMemcpy2DAsync,                                                                             \
    (void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, int, void*))         \
  X(hipMemcpy3DAsync, (const hipMemcpy3DParms_t*, void*))                                         \
  X(hipMemsetD8Async, (void*, unsigned char, std::size_t, void*))                                 \
  X(hipMemset2DAsync, (void*, std::size_t, int, std::size_t, std::size_t, void*))                 \
  X(hipStreamCreateWithFlags, (void**, unsigned))                                                 \
  X(hipStreamDestroy, (void*))                                                                    \
  X(hipStreamQuery, (void*))                                                                      \
  X(hipStreamGetDevice, (void*, int*))                                                            \
  X(hipStreamWaitEvent, (void*, void*, unsigned))                                                 \
  X(hipEventCreateWithFlags, (void**, unsigned))                                                  \
  X(hipEventDestroy, (void*))                                                                     \
  X(hipEventRecord, (void*, void*))                                                               \
  X(hipEventSynchronize, (void*))                                                                 \
  X(hipEventQuery, (void*))                                                                       \
  X(hipModuleLoadData, (void**, const void*))                                                     \
  X(hipModuleGetFunction, (void**, void*, const char*))                                           \
  X(hipModuleLaunchKernel, (void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,    \
                            unsigned, void*, void**, void**))                                     \
  X(hipGraphCreate, (void**, unsigned))                                                           \
  X(hipGraphDestroy, (void*))                                                                     \
  X(hipGraphAddKernelNode,                                                                        \
    (void**, void*, void* const*, std::size_t, const hipKernelNodeParams_t*))                     \
  X(hipGraphAddMemcpyNode, (void**, void*, void* const*, std::size_t, const hipMemcpy3DParms_t*)) \
  X(hipGraphAddMemcpyNode1D,                                                                      \
    (void**, void*, void* const*, std::size_t, void*, const void*, std::size_t, int))             \
  X(hipGraphAddMemsetNode, (void**, void*, void* const*, std::size_t, const hipMemsetParams_t*))  \
  X(hipStreamBeginCapture, (void*, int))                                                          \
  X(hipStreamEndCapture, (void*, void**))                                                         \
  X(hipGraphAddEmptyNode, (void**, void*, void* const*, std::size_t))                             \
  X(hipGraphGetNodes, (void*, void**, std::size_t*))                                              \
  X(hipGraphAddChildGraphNode, (void**, void*, void* const*, std::size_t, void*))                 \
  X(hipGraphAddEventRecordNode, (void**, void*, void* const*, std::size_t, void*))                \
  X(hipGraphAddEventWaitNode, (void**, void*, void* const*, std::size_t, void*))                  \
  X(hipGraphExecEventRecordNodeSetEvent, (void*, void*, void*))                                   \
  X(hipGraphExecEventWaitNodeSetEvent, (void*, void*, void*))                                     \
  X(hipGraphInstantiate, (void**, void*, void**, char*, std::size_t))                             \
  X(hipGraphLaunch, (void*, void*))                                                               \
  X(hipGraphExecDestroy, (void*))                                                                 \
  X(hipGraphExecKernelNodeSetParams, (void*, void*, const hipKernelNodeParams_t*))                \
  X(hipGraphMemcpyNodeSetParams, (void*, const hipMemcpy3DParms_t*))                              \
  X(hipGraphMemcpyNodeSetParams1D, (void*, void*, const void*, std::size_t, int))                 \
  X(hipGraphExecMemcpyNodeSetParams1D, (void*, void*, void*, const void*, std::size_t, int))      \
  X(hipGraphExecMemsetNodeSetParams, (void*, void*, const hipMemsetParams_t*))

struct hip_calls {
#define PIANOLA_TEST_MEMBER(name, parameters) int(*name) parameters = nullptr;
  PIANOLA_TEST_HIP_CALLS(PIANOLA_TEST_MEMBER)
#undef PIANOLA_TEST_MEMBER
  const driver_control* control = nullptr;

  hip_calls() {
    setenv("PIANOLA_TEST_DRIVER_DEVICES", "2", 1);
    setenv("PIANOLA_TEST_DRIVER_STRICT", "0", 1);
    void* library = dlopen(PIANOLA_TEST_DRIVERS "/libamdhip64.so.5", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
#define PIANOLA_TEST_FIND(name, parameters)                          \
  name = reinterpret_cast<int(*) parameters>(dlsym(library, #name)); \
  if (name == nullptr) throw std::runtime_error(std::string("no ") + #name);
    PIANOLA_TEST_HIP_CALLS(PIANOLA_TEST_FIND)
#undef PIANOLA_TEST_FIND
    control = driver_control_of(library);
  }
};

class hip_double : public ::testing::Test {
 protected:
  static const hip_calls& h() {
    static const auto* calls = new hip_calls;
    return *calls;
  }
  void SetUp() override {
    h().control->reset();
    ASSERT_EQ(h().hipSetDevice(0), 0);
  }
  void TearDown() override {
    h().control->hold(false);
    for (int d = 1; d >= 0; --d) {
      h().hipSetDevice(d);
      h().hipDeviceReset();
    }
    for (const char* kind : {"stream", "event", "module", "allocation", "context"})
      EXPECT_EQ(h().control->live(kind), 0U) << kind;
  }
  void expect_violation(int returned, int code, const std::string& text = "") {
    EXPECT_EQ(returned, code);
    EXPECT_EQ(h().control->violations(), 1U) << h().control->last_violation();
    EXPECT_NE(std::string(h().control->last_violation()).find(text), std::string::npos)
        << h().control->last_violation();
    h().control->reset();
  }
  void expect_refusal(int returned, int code) {
    EXPECT_EQ(returned, code);
    EXPECT_EQ(h().control->violations(), 0U) << h().control->last_violation();
  }
  template <class T = std::uint64_t>
  T* memory(std::size_t n) {
    void* p = nullptr;
    EXPECT_EQ(h().hipMalloc(&p, n * sizeof(T)), 0);
    return static_cast<T*>(p);
  }
  void* stream() {
    void* s = nullptr;
    EXPECT_EQ(h().hipStreamCreateWithFlags(&s, 1), 0);
    return s;
  }
  void* function(const char* name) {
    static const std::string image = [] {
      std::ifstream file(PIANOLA_TEST_IMAGES "/driver_kernels.pianola-sim", std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(file), {});
    }();
    void *m = nullptr, *f = nullptr;
    EXPECT_EQ(h().hipModuleLoadData(&m, image.data()), 0);
    EXPECT_EQ(h().hipModuleGetFunction(&f, m, name), 0);
    return f;
  }
  std::vector<std::uint64_t> read(const std::uint64_t* from, std::size_t n) {
    std::vector<std::uint64_t> v(n);
    EXPECT_EQ(h().hipMemcpy(v.data(), from, n * 8, hipMemcpyDeviceToHost_v), 0);
    return v;
  }
  void write(std::uint64_t* to, const std::vector<std::uint64_t>& v) {
    EXPECT_EQ(h().hipMemcpy(to, v.data(), v.size() * 8, hipMemcpyHostToDevice_v), 0);
  }
  int launch(void* f, void* s, affine_object object, unsigned groups, unsigned size,
             unsigned local_bytes = 0) {
    pianola_launch l{{1, 1, std::uint64_t{groups} * size}, {0, 0, 0}};
    void* parameters[] = {&object, &l};
    return h().hipModuleLaunchKernel(f, groups, 1, 1, size, 1, 1, local_bytes, s, parameters,
                                     nullptr);
  }
};
using hip_double_death = hip_double;

TEST_F(hip_double, has_a_device_in_each_thread) {
  int n = 0;
  ASSERT_EQ(h().hipGetDeviceCount(&n), 0);
  EXPECT_EQ(n, 2);
  ASSERT_EQ(h().hipSetDevice(1), 0);
  ASSERT_EQ(h().hipGetDevice(&n), 0);
  EXPECT_EQ(n, 1);
  expect_violation(h().hipSetDevice(2), 101);
  std::vector<char> properties(hipDeviceProp_bytes + 4, 7);
  ASSERT_EQ(h().hipGetDeviceProperties(properties.data(), 0), 0);
  EXPECT_STREQ(properties.data() + hipDeviceProp_gcnArchName, "pianola-sim");
  EXPECT_EQ(properties[hipDeviceProp_bytes], 7);
}

TEST_F(hip_double_death, has_memory_that_the_program_cannot_follow) {
  std::uint64_t* p = memory(4);
  EXPECT_DEATH({ *static_cast<volatile std::uint64_t*>(p) = 1; }, "");
}

TEST_F(hip_double, gives_no_memory_for_no_bytes) {
  void* p = &p;
  EXPECT_EQ(h().hipMalloc(&p, 0), 0);
  EXPECT_EQ(p, nullptr);
  EXPECT_EQ(h().hipFree(nullptr), 0);
  expect_refusal(h().hipMalloc(&p, ~std::size_t{0}), 2);
}

TEST_F(hip_double, locks_memory_of_the_program_until_it_is_let_go) {
  alignas(4096) static unsigned char page[4096];
  ASSERT_EQ(h().hipHostRegister(page + 100, 1000, 1), 0);
  EXPECT_EQ(h().control->live("locked memory"), 1U);
  expect_refusal(h().hipHostRegister(page + 2000, 10, 1), 712);  // the same page
  expect_violation(h().hipHostUnregister(page + 101), 713);
  EXPECT_EQ(h().hipHostUnregister(page + 100), 0);
  EXPECT_EQ(h().control->live("locked memory"), 0U);
  expect_violation(h().hipHostRegister(nullptr, 10, 1), 1);
}

TEST_F(hip_double, copies_as_the_kind_of_the_copy_says) {
  std::uint64_t *p = memory(4), *q = memory(4), host[4] = {1, 2, 3, 4}, back[4] = {};
  EXPECT_EQ(h().hipMemcpy(p, host, 32, hipMemcpyHostToDevice_v), 0);
  EXPECT_EQ(h().hipMemcpyAsync(q, p, 32, hipMemcpyDefault_v, nullptr), 0);
  EXPECT_EQ(h().hipMemcpy(back, q, 32, hipMemcpyDeviceToHost_v), 0);
  EXPECT_EQ(back[3], 4U);
  expect_violation(h().hipMemcpy(p, host, 33, hipMemcpyHostToDevice_v), 1, "has only 32");
  expect_violation(h().hipMemcpy(p, q, 32, hipMemcpyHostToDevice_v), 1, "memory of a device");
  expect_violation(h().hipMemcpy(host, p, 32, hipMemcpyDeviceToDevice_v), 1, "not known");
  expect_violation(h().hipMemcpy(p, q, 32, 7), 21);
}

TEST_F(hip_double, copies_and_fills_boxes) {
  auto* p = memory<unsigned char>(100);
  unsigned char host[40], back[100];
  for (int i = 0; i < 40; ++i) host[i] = static_cast<unsigned char>(i);
  ASSERT_EQ(h().hipMemsetD8Async(p, 0, 100, nullptr), 0);
  ASSERT_EQ(h().hipMemset2DAsync(p, 20, 9, 3, 5, nullptr), 0);
  ASSERT_EQ(h().hipMemcpy2DAsync(p + 5, 20, host, 10, 4, 2, hipMemcpyDefault_v, nullptr), 0);
  hipMemcpy3DParms_t d{};
  d.srcPtr = {host, 5, 4, 4};
  d.dstPtr = {p + 10, 10, 3, 4};
  d.extent = {3, 2, 2};
  d.kind = hipMemcpyDefault_v;
  ASSERT_EQ(h().hipMemcpy3DAsync(&d, nullptr), 0);
  ASSERT_EQ(h().hipMemcpy(back, p, 100, hipMemcpyDeviceToHost_v), 0);
  unsigned char expected[100] = {};
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 3; ++x) expected[20 * y + x] = 9;
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 4; ++x) expected[5 + 20 * y + x] = host[10 * y + x];
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 3; ++x) expected[10 + 40 * z + 10 * y + x] = host[20 * z + 5 * y + x];
  EXPECT_EQ(std::memcmp(back, expected, 100), 0);
  expect_violation(h().hipMemcpy2DAsync(p, 3, host, 10, 4, 2, hipMemcpyDefault_v, nullptr), 1,
                   "pitch");
  expect_violation(h().hipMemcpy2DAsync(p, 3, host, 10, 4, 1, hipMemcpyDefault_v, nullptr), 1,
                   "pitch");
  expect_violation(h().hipMemcpy2DAsync(p, 20, host, 0x7fffffff, 4, 2, hipMemcpyDefault_v, nullptr),
                   1, "too large");
  d.dstPtr.pitch = 0x7fffffff;
  expect_violation(h().hipMemcpy3DAsync(&d, nullptr), 1, "too large");
}

TEST_F(hip_double, runs_kernels_within_their_limits) {
  std::uint64_t* p = memory(128);
  write(p, std::vector<std::uint64_t>(128, 1));
  void* f = function("affine");
  ASSERT_EQ(launch(f, nullptr, {p, 2}, 2, 64), 0);
  EXPECT_EQ(read(p, 128), std::vector<std::uint64_t>(128, 5));
  expect_violation(launch(f, nullptr, {p, 2}, 1, 1025), 1, "groups");
  expect_violation(launch(f, nullptr, {p, 2}, 0x7fffffff, 64), 1, "grid");
  expect_violation(launch(f, nullptr, {p, 2}, 1, 1, 65000), 1, "local memory");
  EXPECT_EQ(launch(f, nullptr, {p, 2}, 1, 1, 60000), 0);
}

TEST_F(hip_double, loses_a_device_whose_kernel_follows_a_pointer_of_the_program) {
  std::uint64_t x = 0;
  ASSERT_EQ(launch(function("affine"), nullptr, {&x, 2}, 1, 1), 0);
  EXPECT_EQ(h().hipDeviceSynchronize(), 700);
  void* p = nullptr;
  expect_refusal(h().hipMalloc(&p, 4), 700);
  ASSERT_EQ(h().hipSetDevice(1), 0);
  EXPECT_EQ(h().hipMalloc(&p, 4), 0);
}

TEST_F(hip_double, keeps_streams_and_events_of_devices_apart) {
  void *s = stream(), *e = nullptr;
  ASSERT_EQ(h().hipSetDevice(1), 0);
  ASSERT_EQ(h().hipEventCreateWithFlags(&e, 2), 0);
  expect_violation(h().hipEventRecord(e, s), 400, "different contexts");
  expect_violation(launch(function("affine"), s, {nullptr, 0}, 1, 1), 400, "another context");
  std::uint64_t* q = memory(1);
  write(q, {8});
  ASSERT_EQ(h().hipSetDevice(0), 0);
  std::uint64_t* p = memory(1);
  ASSERT_EQ(h().hipMemcpyPeerAsync(p, 0, q, 1, 8, nullptr), 0);
  EXPECT_EQ(read(p, 1)[0], 8U);
  expect_violation(h().hipMemcpyPeerAsync(p, 1, q, 1, 8, nullptr), 1, "not of the device");
}

TEST_F(hip_double, has_graphs_of_one_device) {
  std::uint64_t *p = memory(8), *q = memory(8);
  write(p, std::vector<std::uint64_t>(8, 1));
  void *graph = nullptr, *a = nullptr, *b = nullptr, *x = nullptr, *error = nullptr;
  ASSERT_EQ(h().hipGraphCreate(&graph, 0), 0);
  affine_object object{p, 4};
  pianola_launch l{{1, 1, 8}, {0, 0, 0}};
  void* parameters[] = {&object, &l};
  hipKernelNodeParams_t k{};
  k.func = function("affine");
  k.gridDim = {1, 1, 1};
  k.blockDim = {8, 1, 1};
  k.kernelParams = parameters;
  ASSERT_EQ(h().hipGraphAddKernelNode(&a, graph, nullptr, 0, &k), 0);
  ASSERT_EQ(h().hipGraphAddMemcpyNode1D(&b, graph, &a, 1, q, p, 64, hipMemcpyDefault_v), 0);
  ASSERT_EQ(h().hipGraphInstantiate(&x, graph, &error, nullptr, 0), 0);
  ASSERT_EQ(h().hipGraphLaunch(x, nullptr), 0);
  EXPECT_EQ(read(q, 8), std::vector<std::uint64_t>(8, 7));
  object.addend = 1;
  ASSERT_EQ(h().hipGraphExecKernelNodeSetParams(x, a, &k), 0);
  ASSERT_EQ(h().hipGraphExecMemcpyNodeSetParams1D(x, b, q, p, 8, hipMemcpyDefault_v), 0);
  ASSERT_EQ(h().hipGraphLaunch(x, nullptr), 0);
  EXPECT_EQ(read(q, 2), (std::vector<std::uint64_t>{22, 7}));
  std::uint64_t host[8];
  expect_refusal(h().hipGraphExecMemcpyNodeSetParams1D(x, b, host, p, 8, hipMemcpyDefault_v), 1);
  const hipMemsetParams_t m{q, 4, 1, 0, 1, 2};
  expect_violation(h().hipGraphExecMemsetNodeSetParams(x, b, &m), 1, "another type");
  ASSERT_EQ(h().hipSetDevice(1), 0);
  void* s = stream();
  expect_violation(h().hipGraphLaunch(x, s), 1, "another device");
  ASSERT_EQ(h().hipGraphExecDestroy(x), 0);
  ASSERT_EQ(h().hipGraphDestroy(graph), 0);
}

TEST_F(hip_double, loses_the_only_wait_of_nodes_that_are_many) {
  std::uint64_t* p = memory(1);
  const auto instantiated = [&](int waiting, bool for_two) {
    void *graph = nullptr, *first = nullptr, *other = nullptr, *n = nullptr, *x = nullptr;
    EXPECT_EQ(h().hipGraphCreate(&graph, 0), 0);
    const hipMemsetParams_t m{p, 1, 1, 8, 3, 8};
    EXPECT_EQ(h().hipGraphAddMemsetNode(&first, graph, nullptr, 0, &m), 0);
    EXPECT_EQ(h().hipGraphAddEmptyNode(&other, graph, nullptr, 0), 0);
    void* const both[] = {first, other};
    for (int i = 1; i < waiting; ++i) {
      EXPECT_EQ(h().hipGraphAddEmptyNode(&n, graph, both, 1), 0);
    }
    EXPECT_EQ(h().hipGraphAddEmptyNode(&n, graph, both, for_two ? 2 : 1), 0);
    const int code = h().hipGraphInstantiate(&x, graph, nullptr, nullptr, 0);
    if (code == 0) h().hipGraphExecDestroy(x);
    h().hipGraphDestroy(graph);
    return code;
  };
  setenv("PIANOLA_TEST_DRIVER_HIP_VERSION", "60300000", 1);
  EXPECT_EQ(instantiated(4, false), 0);
  expect_violation(instantiated(5, false), 1, "may be run too early");
  EXPECT_EQ(instantiated(5, true), 0);
  unsetenv("PIANOLA_TEST_DRIVER_HIP_VERSION");
  EXPECT_EQ(instantiated(5, false), 0);
}

TEST_F(hip_double, has_copy_nodes_of_two_kinds) {
  void *graph = nullptr, *line = nullptr, *box = nullptr, *x = nullptr;
  std::uint64_t *p = memory(8), *q = memory(8);
  ASSERT_EQ(h().hipGraphCreate(&graph, 0), 0);
  hipMemcpy3DParms_t c{};
  c.srcPtr = {p, 8, 8, 1};
  c.dstPtr = {q, 8, 8, 1};
  c.extent = {8, 1, 1};
  c.kind = hipMemcpyDefault_v;
  ASSERT_EQ(h().hipGraphAddMemcpyNode1D(&line, graph, nullptr, 0, q, p, 8, hipMemcpyDefault_v), 0);
  ASSERT_EQ(h().hipGraphAddMemcpyNode(&box, graph, nullptr, 0, &c), 0);
  EXPECT_EQ(h().hipGraphMemcpyNodeSetParams(box, &c), 0);
  expect_violation(h().hipGraphMemcpyNodeSetParams(line, &c), 1, "another kind of node");
  expect_violation(h().hipGraphMemcpyNodeSetParams1D(box, q, p, 8, hipMemcpyDefault_v), 1,
                   "another kind of node");
  ASSERT_EQ(h().hipGraphInstantiate(&x, graph, nullptr, nullptr, 0), 0);
  expect_violation(h().hipGraphExecMemcpyNodeSetParams1D(x, box, q, p, 8, hipMemcpyDefault_v), 1,
                   "another kind of node");
  ASSERT_EQ(h().hipGraphExecDestroy(x), 0);
  ASSERT_EQ(h().hipGraphDestroy(graph), 0);
}

TEST_F(hip_double, instantiates_graphs_for_the_device_that_is_current) {
  ASSERT_EQ(h().hipSetDevice(1), 0);
  void *graph = nullptr, *n = nullptr, *x = nullptr, *s = stream();
  int device = -1;
  ASSERT_EQ(h().hipStreamGetDevice(s, &device), 0);
  EXPECT_EQ(device, 1);
  std::uint64_t* p = memory(2);
  ASSERT_EQ(h().hipGraphCreate(&graph, 0), 0);
  const hipMemsetParams_t m{p, 1, 1, 16, 3, 16};
  ASSERT_EQ(h().hipGraphAddMemsetNode(&n, graph, nullptr, 0, &m), 0);
  ASSERT_EQ(h().hipSetDevice(0), 0);
  ASSERT_EQ(h().hipGraphInstantiate(&x, graph, nullptr, nullptr, 0), 0);
  expect_violation(h().hipGraphLaunch(x, s), 1, "instantiated while another device");
  ASSERT_EQ(h().hipGraphExecDestroy(x), 0);
  ASSERT_EQ(h().hipSetDevice(1), 0);
  ASSERT_EQ(h().hipGraphInstantiate(&x, graph, nullptr, nullptr, 0), 0);
  ASSERT_EQ(h().hipGraphLaunch(x, s), 0);
  ASSERT_EQ(h().hipDeviceSynchronize(), 0);
  EXPECT_EQ(read(p, 2)[1], 0x0303030303030303U);
  ASSERT_EQ(h().hipGraphExecDestroy(x), 0);
  ASSERT_EQ(h().hipGraphDestroy(graph), 0);
}

TEST_F(hip_double, puts_graphs_into_graphs) {
  void *inner = nullptr, *graph = nullptr, *n = nullptr, *child = nullptr, *x = nullptr;
  std::uint64_t *p = memory(1), *q = memory(1);
  ASSERT_EQ(h().hipGraphCreate(&inner, 0), 0);
  const hipMemsetParams_t m{p, 1, 1, 8, 3, 8};
  ASSERT_EQ(h().hipGraphAddMemsetNode(&n, inner, nullptr, 0, &m), 0);
  ASSERT_EQ(h().hipGraphCreate(&graph, 0), 0);
  ASSERT_EQ(h().hipGraphAddChildGraphNode(&child, graph, nullptr, 0, inner), 0);
  ASSERT_EQ(h().hipGraphDestroy(inner), 0);
  ASSERT_EQ(h().hipGraphAddMemcpyNode1D(&n, graph, &child, 1, q, p, 8, hipMemcpyDefault_v), 0);
  ASSERT_EQ(h().hipGraphInstantiate(&x, graph, nullptr, nullptr, 0), 0);
  ASSERT_EQ(h().hipGraphLaunch(x, nullptr), 0);
  EXPECT_EQ(read(q, 1)[0], 0x0303030303030303U);
  ASSERT_EQ(h().hipGraphExecDestroy(x), 0);
  ASSERT_EQ(h().hipGraphDestroy(graph), 0);
}

TEST_F(hip_double,
       loses_the_order_of_graphs_in_graphs_that_are_not_between_two_nodes_of_their_own) {
  std::uint64_t* p = memory(1);
  const hipMemsetParams_t m{p, 1, 1, 8, 3, 8};
  void *n = nullptr, *empty = nullptr, *filling = nullptr;
  ASSERT_EQ(h().hipGraphCreate(&empty, 0), 0);
  ASSERT_EQ(h().hipGraphCreate(&filling, 0), 0);
  ASSERT_EQ(h().hipGraphAddMemsetNode(&n, filling, nullptr, 0, &m), 0);
  std::size_t count = 7;
  ASSERT_EQ(h().hipGraphGetNodes(empty, nullptr, &count), 0);
  EXPECT_EQ(count, 0U);
  ASSERT_EQ(h().hipGraphGetNodes(filling, nullptr, &count), 0);
  EXPECT_EQ(count, 1U);
  struct shape {
    bool before, behind, branch_before, branch_behind, branch_elsewhere;
  };
  const auto instantiated = [&](void* inner, const shape& of) {
    void *graph = nullptr, *first = nullptr, *child = nullptr, *x = nullptr;
    EXPECT_EQ(h().hipGraphCreate(&graph, 0), 0);
    if (of.before) {
      EXPECT_EQ(h().hipGraphAddEmptyNode(&first, graph, nullptr, 0), 0);
    }
    EXPECT_EQ(h().hipGraphAddChildGraphNode(&child, graph, &first, of.before ? 1 : 0, inner), 0);
    if (of.behind) {
      EXPECT_EQ(h().hipGraphAddEmptyNode(&n, graph, &child, 1), 0);
    }
    if (of.branch_before) {
      EXPECT_EQ(h().hipGraphAddEmptyNode(&n, graph, &first, 1), 0);
    }
    if (of.branch_behind) {
      EXPECT_EQ(h().hipGraphAddEmptyNode(&n, graph, &child, 1), 0);
    }
    if (of.branch_elsewhere) {
      EXPECT_EQ(h().hipGraphAddEmptyNode(&n, graph, nullptr, 0), 0);
    }
    const int code = h().hipGraphInstantiate(&x, graph, nullptr, nullptr, 0);
    if (code == 0) h().hipGraphExecDestroy(x);
    h().hipGraphDestroy(graph);
    return code;
  };
  EXPECT_EQ(instantiated(filling, {false, false, false, false, false}), 0);
  EXPECT_EQ(instantiated(filling, {true, true, false, false, false}), 0);
  EXPECT_EQ(instantiated(empty, {true, true, false, false, false}), 0);
  EXPECT_EQ(instantiated(filling, {true, true, false, false, true}), 0);
  expect_violation(instantiated(filling, {false, true, false, false, true}), 1, "before what it");
  expect_violation(instantiated(filling, {true, true, true, false, false}), 1, "before what it");
  expect_violation(instantiated(filling, {true, false, false, false, true}), 1, "run before it");
  expect_violation(instantiated(filling, {true, true, false, true, false}), 1, "run before it");
  expect_violation(instantiated(empty, {true, true, false, false, true}), 1, "no nodes");
  setenv("PIANOLA_TEST_DRIVER_HIP_VERSION", "60400000", 1);
  EXPECT_EQ(instantiated(empty, {true, true, false, false, true}), 0);
  unsetenv("PIANOLA_TEST_DRIVER_HIP_VERSION");
  for (void* it : {empty, filling}) ASSERT_EQ(h().hipGraphDestroy(it), 0);
}

TEST_F(hip_double, has_no_stack_for_long_chains) {
  void *graph = nullptr, *last = nullptr, *n = nullptr, *x = nullptr;
  ASSERT_EQ(h().hipGraphCreate(&graph, 0), 0);
  for (int i = 0; i < 10000; ++i) {
    ASSERT_EQ(h().hipGraphAddEmptyNode(&n, graph, &last, i == 0 ? 0 : 1), 0);
    last = n;
  }
  ASSERT_EQ(h().hipGraphInstantiate(&x, graph, nullptr, nullptr, 0), 0);
  ASSERT_EQ(h().hipGraphExecDestroy(x), 0);
  ASSERT_EQ(h().hipGraphAddEmptyNode(&n, graph, &last, 1), 0);
  expect_violation(h().hipGraphInstantiate(&x, graph, nullptr, nullptr, 0), 1, "overflow");
  ASSERT_EQ(h().hipGraphDestroy(graph), 0);
}

TEST_F(hip_double, copies_memory_that_it_does_not_know_when_a_node_is_told_to) {
  void *graph = nullptr, *n = nullptr, *x = nullptr;
  std::uint64_t *p = memory(1), *q = memory(1), first = 1, second = 2;
  write(p, {0});
  write(q, {5});
  ASSERT_EQ(h().hipGraphCreate(&graph, 0), 0);
  ASSERT_EQ(h().hipGraphAddMemcpyNode1D(&n, graph, nullptr, 0, p, &first, 8, hipMemcpyDefault_v),
            0);
  ASSERT_EQ(h().hipGraphInstantiate(&x, graph, nullptr, nullptr, 0), 0);
  EXPECT_EQ(read(p, 1)[0], 0U);
  ASSERT_EQ(h().hipGraphExecMemcpyNodeSetParams1D(x, n, p, &second, 8, hipMemcpyDefault_v), 0);
  EXPECT_EQ(read(p, 1)[0], 2U);
  ASSERT_EQ(h().hipGraphExecDestroy(x), 0);
  ASSERT_EQ(h().hipGraphDestroy(graph), 0);
}

TEST_F(hip_double, waits_for_copies_of_memory_that_it_does_not_know_in_launches_of_graphs) {
  void *graph = nullptr, *n = nullptr, *x = nullptr, *s = stream();
  std::uint64_t *p = memory(1), out = 0;
  write(p, {5});
  ASSERT_EQ(h().hipGraphCreate(&graph, 0), 0);
  ASSERT_EQ(h().hipGraphAddMemcpyNode1D(&n, graph, nullptr, 0, &out, p, 8, hipMemcpyDefault_v), 0);
  ASSERT_EQ(h().hipGraphInstantiate(&x, graph, nullptr, nullptr, 0), 0);
  h().control->set_patient_copies(true);
  ASSERT_EQ(h().hipGraphLaunch(x, s), 0);
  EXPECT_EQ(h().hipStreamQuery(s), 0);
  EXPECT_EQ(out, 5U);
  h().control->set_patient_copies(false);
  ASSERT_EQ(h().hipGraphExecDestroy(x), 0);
  ASSERT_EQ(h().hipGraphDestroy(graph), 0);
}

TEST_F(hip_double, looks_at_the_stream_that_an_event_was_recorded_in) {
  void *s = stream(), *e = nullptr, *graph = nullptr;
  ASSERT_EQ(h().hipEventCreateWithFlags(&e, 2), 0);
  EXPECT_EQ(h().hipEventQuery(e), 0);
  ASSERT_EQ(h().hipEventRecord(e, s), 0);
  ASSERT_EQ(h().hipEventSynchronize(e), 0);
  for (const char* version : {"60100000", "60200000", "60300000", "60400000"}) {
    setenv("PIANOLA_TEST_DRIVER_HIP_VERSION", version, 1);
    const bool spoils = std::string(version) == "60200000" || std::string(version) == "60300000";
    ASSERT_EQ(h().hipStreamBeginCapture(s, 2), 0);
    if (spoils)
      expect_violation(h().hipEventQuery(e), 907, "is captured");
    else
      EXPECT_EQ(h().hipEventQuery(e), 0);
    const int ended = h().hipStreamEndCapture(s, &graph);
    EXPECT_EQ(ended, spoils ? 901 : 0) << version;
    if (ended == 0) ASSERT_EQ(h().hipGraphDestroy(graph), 0);
    h().control->reset();
  }
  unsetenv("PIANOLA_TEST_DRIVER_HIP_VERSION");
  ASSERT_EQ(h().hipStreamDestroy(s), 0);
  expect_violation(h().hipEventQuery(e), 0, "is gone");
  expect_violation(h().hipEventSynchronize(e), 0, "is gone");
  ASSERT_EQ(h().hipEventRecord(e, nullptr), 0);
  EXPECT_EQ(h().hipEventSynchronize(e), 0);
  EXPECT_EQ(h().control->violations(), 0U);
}

TEST_F(hip_double, captures_what_is_put_into_a_stream) {
  void *s = nullptr, *graph = nullptr, *x = nullptr;
  std::uint64_t *p = memory(1), *q = memory(1);
  ASSERT_EQ(h().hipStreamCreateWithFlags(&s, 1), 0);
  ASSERT_EQ(h().hipStreamBeginCapture(s, 2), 0);
  ASSERT_EQ(h().hipMemsetD8Async(p, 4, 8, s), 0);
  ASSERT_EQ(h().hipMemcpyAsync(q, p, 8, hipMemcpyDefault_v, s), 0);
  ASSERT_EQ(h().hipStreamEndCapture(s, &graph), 0);
  ASSERT_EQ(h().hipGraphInstantiate(&x, graph, nullptr, nullptr, 0), 0);
  ASSERT_EQ(h().hipGraphLaunch(x, s), 0);
  ASSERT_EQ(h().hipDeviceSynchronize(), 0);
  EXPECT_EQ(read(q, 1)[0], 0x0404040404040404U);
  ASSERT_EQ(h().hipGraphExecDestroy(x), 0);
  ASSERT_EQ(h().hipGraphDestroy(graph), 0);
  ASSERT_EQ(h().hipStreamDestroy(s), 0);
}

TEST_F(hip_double, has_nodes_of_graphs_that_record_and_await_events) {
  void *gate = nullptr, *g = nullptr, *other = nullptr, *x = nullptr, *y = nullptr;
  ASSERT_EQ(h().hipHostMalloc(&gate, 64, 0), 0);
  auto* const may_end = static_cast<std::uint32_t*>(gate);
  *may_end = 0;
  std::uint64_t *p = memory(1), *q = memory(1);
  write(q, {0});
  void *e = nullptr, *f = nullptr, *foreign = nullptr;
  for (void** it : {&e, &f}) ASSERT_EQ(h().hipEventCreateWithFlags(it, 2), 0);
  store_object object{may_end, 1};
  pianola_launch l{{1, 1, 1}, {0, 0, 0}};
  void* parameters[] = {&object, &l};
  hipKernelNodeParams_t k{};
  k.func = function("linger");
  k.gridDim = k.blockDim = {1, 1, 1};
  k.kernelParams = parameters;
  const hipMemsetParams_t m{p, 1, 1, 8, 3, 8};
  void *filled = nullptr, *recorded = nullptr, *last = nullptr, *awaited = nullptr, *n = nullptr;
  // Fills, records, lingers.
  ASSERT_EQ(h().hipGraphCreate(&g, 0), 0);
  ASSERT_EQ(h().hipGraphAddMemsetNode(&filled, g, nullptr, 0, &m), 0);
  ASSERT_EQ(h().hipGraphAddEventRecordNode(&recorded, g, &filled, 1, e), 0);
  ASSERT_EQ(h().hipGraphAddKernelNode(&last, g, &recorded, 1, &k), 0);
  ASSERT_EQ(h().hipGraphInstantiate(&x, g, nullptr, nullptr, 0), 0);
  // Waits, copies.
  ASSERT_EQ(h().hipGraphCreate(&other, 0), 0);
  ASSERT_EQ(h().hipGraphAddEventWaitNode(&awaited, other, nullptr, 0, e), 0);
  ASSERT_EQ(h().hipGraphAddMemcpyNode1D(&n, other, &awaited, 1, q, p, 8, hipMemcpyDefault_v), 0);
  ASSERT_EQ(h().hipGraphInstantiate(&y, other, nullptr, nullptr, 0), 0);
  void *first = stream(), *second = stream();
  h().control->hold(true);
  ASSERT_EQ(h().hipGraphLaunch(x, first), 0);
  ASSERT_EQ(h().hipGraphLaunch(y, second), 0);
  EXPECT_EQ(h().hipEventQuery(e), 600);
  h().control->hold(false);
  ASSERT_EQ(h().hipEventSynchronize(e), 0);
  while (h().hipStreamQuery(second) == 600) std::this_thread::yield();
  EXPECT_EQ(read(q, 1)[0], 0x0303030303030303U);
  EXPECT_EQ(h().hipStreamQuery(first), 600);
  // Another launch, with another event, comes after this one.
  ASSERT_EQ(h().hipGraphExecEventRecordNodeSetEvent(x, recorded, f), 0);
  ASSERT_EQ(h().hipGraphExecEventWaitNodeSetEvent(y, awaited, f), 0);
  ASSERT_EQ(h().hipGraphLaunch(x, first), 0);
  ASSERT_EQ(h().hipGraphLaunch(y, second), 0);
  EXPECT_EQ(h().hipEventQuery(e), 0);
  EXPECT_EQ(h().hipEventQuery(f), 600);
  EXPECT_EQ(h().hipStreamQuery(second), 600);
  __atomic_store_n(may_end, 1, __ATOMIC_RELEASE);
  ASSERT_EQ(h().hipDeviceSynchronize(), 0);
  EXPECT_EQ(h().hipEventQuery(f), 0);

  expect_violation(h().hipGraphAddEventRecordNode(&n, g, nullptr, 0, nullptr), 1, "null");
  expect_violation(h().hipGraphAddEventWaitNode(&n, g, nullptr, 0, nullptr), 1, "null");
  expect_violation(h().hipGraphExecEventRecordNodeSetEvent(x, last, e), 1, "another type");
  expect_violation(h().hipGraphExecEventWaitNodeSetEvent(x, recorded, e), 1, "another type");
  ASSERT_EQ(h().hipSetDevice(1), 0);
  ASSERT_EQ(h().hipEventCreateWithFlags(&foreign, 2), 0);
  expect_violation(h().hipGraphExecEventRecordNodeSetEvent(x, recorded, foreign), 1,
                   "another context");
  expect_violation(h().hipGraphAddEventRecordNode(&n, g, nullptr, 0, e), 1, "another context");
  EXPECT_EQ(h().hipGraphExecEventWaitNodeSetEvent(y, awaited, foreign), 0);
  ASSERT_EQ(h().hipSetDevice(0), 0);
  ASSERT_EQ(h().hipGraphLaunch(y, second), 0);
  ASSERT_EQ(h().hipEventDestroy(f), 0);
  expect_violation(h().hipGraphLaunch(x, first), 1, "destroyed");
  for (void* it : {x, y}) ASSERT_EQ(h().hipGraphExecDestroy(it), 0);
  for (void* it : {g, other}) ASSERT_EQ(h().hipGraphDestroy(it), 0);
}

// Random commands on random streams, ordered by events, against the same one after the other.
TEST_F(hip_double, computes_what_commands_do_one_after_the_other) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::cout << "seed " << seed << '\n';
    std::mt19937 random(seed);
    h().control->set_seed(seed);
    constexpr std::size_t cells = 5, words = 8;
    void* f = function("affine");
    std::vector<std::uint64_t*> at;
    std::vector<std::vector<std::uint64_t>> expected(cells, std::vector<std::uint64_t>(words, 1));
    for (std::size_t i = 0; i < cells; ++i) {
      at.push_back(memory(words));
      write(at[i], expected[i]);
    }
    std::vector<void*> streams;
    for (int i = 0; i < 3; ++i) streams.push_back(stream());
    // Simply everything: each command waits for all streams' last ones that touch its cells.
    std::vector<void*> last(cells);
    const auto order = [&](void* s, std::size_t cell) {
      if (last[cell] != nullptr && last[cell] != s) {
        void* e = nullptr;
        ASSERT_EQ(h().hipEventCreateWithFlags(&e, 2), 0);
        ASSERT_EQ(h().hipEventRecord(e, last[cell]), 0);
        ASSERT_EQ(h().hipStreamWaitEvent(s, e, 0), 0);
        ASSERT_EQ(h().hipEventDestroy(e), 0);
      }
      last[cell] = s;
    };
    for (int step = 0; step < 80; ++step) {
      void* s = streams[random() % streams.size()];
      const std::size_t to = random() % cells, from = (to + 1 + random() % (cells - 1)) % cells;
      const std::uint64_t value = random() % 100;
      order(s, to);
      switch (random() % 3) {
        case 0:
          ASSERT_EQ(launch(f, s, {at[to], value}, 1, words), 0);
          for (auto& w : expected[to]) w = 3 * w + value;
          break;
        case 1:
          ASSERT_EQ(h().hipMemsetD8Async(at[to], static_cast<unsigned char>(value), words * 8, s),
                    0);
          for (auto& w : expected[to]) w = value * 0x0101010101010101ULL;
          break;
        default:
          order(s, from);
          ASSERT_EQ(h().hipMemcpyAsync(at[to], at[from], words * 8, hipMemcpyDeviceToDevice_v, s),
                    0);
          expected[to] = expected[from];
      }
    }
    ASSERT_EQ(h().hipDeviceSynchronize(), 0);
    for (std::size_t i = 0; i < cells; ++i) EXPECT_EQ(read(at[i], words), expected[i]) << i;
    EXPECT_EQ(h().control->violations(), 0U);
  }
}

}  // namespace
}  // namespace pianola::test
