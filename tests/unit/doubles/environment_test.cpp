// SPDX-License-Identifier: Apache-2.0
// What the doubles take from the environment: each test loads a copy of the library, which reads it anew.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "cuda_calls.hpp"

namespace pianola::test {
namespace {

class driver_environment : public ::testing::Test {
 protected:
  using settings = std::map<std::string, std::string>;
  // A driver in this environment.
  static cuda_calls with(const settings& variables) {
    static int copies = 0;
    const auto file =
        std::filesystem::path(::testing::TempDir()) /
        ("libcuda-" + std::to_string(getpid()) + "-" + std::to_string(++copies) + ".so");
    std::filesystem::copy_file(PIANOLA_TEST_DRIVERS "/libcuda.so.1", file);
    settings before;
    for (const auto& [name, value] : variables) {
      if (const char* old = std::getenv(name.c_str())) before[name] = old;
      setenv(name.c_str(), value.c_str(), 1);
    }
    cuda_calls calls(file);
    EXPECT_NE(calls.control, nullptr);
    calls.control->violations();  // it reads the environment now
    for (const auto& [name, value] : variables) {
      if (before.count(name) != 0)
        setenv(name.c_str(), before[name].c_str(), 1);
      else
        unsetenv(name.c_str());
    }
    std::filesystem::remove(file);
    return calls;
  }
};

TEST_F(driver_environment, says_how_many_devices_there_are) {
  int n = 0;
  const cuda_calls three = with({{"PIANOLA_TEST_DRIVER_DEVICES", "3"}});
  ASSERT_EQ(three.cuInit(0), 0);
  ASSERT_EQ(three.cuDeviceGetCount(&n), 0);
  EXPECT_EQ(n, 3);
  const cuda_calls none = with({{"PIANOLA_TEST_DRIVER_DEVICES", "0"}});
  EXPECT_EQ(none.cuInit(0), 100);
}

TEST_F(driver_environment, says_what_the_devices_are) {
  const cuda_calls c = with({{"PIANOLA_TEST_DRIVER_DEVICES", "2"},
                             {"PIANOLA_TEST_DRIVER_PEERS", "0"},
                             {"PIANOLA_TEST_DRIVER_MEMORY", "3"},
                             {"PIANOLA_TEST_DRIVER_ARCHITECTURE", "sm_90"}});
  ASSERT_EQ(c.cuInit(0), 0);
  int peers = 7;
  ASSERT_EQ(c.cuDeviceCanAccessPeer(&peers, 0, 1), 0);
  EXPECT_EQ(peers, 0);
  std::size_t bytes = 0;
  ASSERT_EQ(c.cuDeviceTotalMem_v2(&bytes, 1), 0);
  EXPECT_EQ(bytes, std::size_t{3} << 20);
  const auto architecture =
      reinterpret_cast<const char* (*)()>(dlsym(c.library, "pianola_test_driver_architecture"));
  ASSERT_NE(architecture, nullptr);
  EXPECT_STREQ(architecture(), "sm_90");
}

TEST_F(driver_environment, makes_calls_fail) {
  const cuda_calls c = with({{"PIANOLA_TEST_DRIVER_FAIL", "cuInit:1=3,cuDeviceGetCount:2=999"}});
  EXPECT_EQ(c.cuInit(0), 3);
  EXPECT_EQ(c.cuInit(0), 0);
  int n = 0;
  EXPECT_EQ(c.cuDeviceGetCount(&n), 0);
  EXPECT_EQ(c.cuDeviceGetCount(&n), 999);
  EXPECT_EQ(c.cuDeviceGetCount(&n), 0);
}

TEST_F(driver_environment, makes_nodes_record_late) {
  for (const bool late : {false, true}) {
    const cuda_calls c = with({{"PIANOLA_TEST_DRIVER_LATE_RECORDS", late ? "1" : "0"}});
    void *context = nullptr, *event = nullptr, *graph = nullptr, *n = nullptr, *x = nullptr;
    ASSERT_EQ(c.cuInit(0), 0);
    ASSERT_EQ(c.cuDevicePrimaryCtxRetain(&context, 0), 0);
    ASSERT_EQ(c.cuCtxSetCurrent(context), 0);
    ASSERT_EQ(c.cuEventCreate(&event, 2), 0);
    ASSERT_EQ(c.cuGraphCreate(&graph, 0), 0);
    ASSERT_EQ(c.cuGraphAddEventRecordNode(&n, graph, nullptr, 0, event), 0);
    ASSERT_EQ(c.cuGraphInstantiateWithFlags(&x, graph, 0), 0);
    c.control->hold(true);
    ASSERT_EQ(c.cuGraphLaunch(x, nullptr), 0);
    EXPECT_EQ(c.cuEventQuery(event), late ? 0 : 600);
    c.control->hold(false);
    EXPECT_EQ(c.cuCtxSynchronize(), 0);
  }
}

TEST_F(driver_environment, makes_violations_end_the_program) {
  const cuda_calls c = with({{"PIANOLA_TEST_DRIVER_STRICT", "1"}});
  int n = 0;
  EXPECT_DEATH(c.cuDeviceGetCount(&n), "has not been initialised");
  const cuda_calls tolerant = with({{"PIANOLA_TEST_DRIVER_STRICT", "0"}});
  EXPECT_EQ(tolerant.cuDeviceGetCount(&n), 3);
  EXPECT_EQ(tolerant.control->violations(), 1U);
}

using driver_exit_death = driver_environment;

TEST_F(driver_exit_death, is_the_end_of_the_driver_and_says_what_is_left_where_wanted) {
  const auto leave = [] {
    static const auto* late = new cuda_calls(with({{"PIANOLA_TEST_DRIVER_REPORT", "1"}}));
    // Runs after the driver's own end, which cuInit asks for.
    std::atexit([] {
      int n = 0;
      if (late->cuDeviceGetCount(&n) != 4) std::_Exit(1);
    });
    late->cuInit(0);
    void* context = nullptr;
    void* stream = nullptr;
    late->cuDevicePrimaryCtxRetain(&context, 0);
    late->cuCtxSetCurrent(context);
    late->cuStreamCreate(&stream, 1);
    std::exit(0);
  };
  EXPECT_EXIT(leave(), ::testing::ExitedWithCode(0), "at exit 1 of kind stream");
}

}  // namespace
}  // namespace pianola::test
