// SPDX-License-Identifier: Apache-2.0
// The plugins as the runtime loads them, on machines that lack what they need.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include <pianola/executors/backend.hpp>

#include "environment.hpp"

namespace pianola {
namespace {

using executors::backend_factory;
using test::environment;
using testing::HasSubstr;

struct answer {
  bool made = false;
  int user_fault = -1;
  std::string reason;
};

answer ask(const char* plugin, const char* options) {
  answer a;
  void* const library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    a.reason = dlerror();
    return a;
  }
  const auto* factory = static_cast<const backend_factory*>(dlsym(library, "pianola_backend_v1"));
  if (factory == nullptr || factory->version != executors::backend_interface_version) {
    a.reason = "another interface";
    return a;
  }
  static const executors::step_observer observer;
  static executors::runtime_services services;
  services.observer = &observer;
  char reason[512];
  std::memset(reason, 'x', sizeof reason);
  a.made = factory->create(options, &services, reason, sizeof reason, &a.user_fault) != nullptr;
  a.reason.assign(reason, ::strnlen(reason, sizeof reason));
  return a;
}

TEST(plugins, are_absent_with_a_reason_where_the_driver_is_missing) {
  const environment cuda("PIANOLA_CUDA_DRIVER", "/nowhere/libcuda.so.1");
  const environment hip("PIANOLA_HIP_RUNTIME", "/nowhere/libamdhip64.so.5");
  const answer of_cuda = ask(CUDA_PLUGIN, "");
  EXPECT_FALSE(of_cuda.made);
  EXPECT_EQ(of_cuda.user_fault, 0);
  EXPECT_THAT(of_cuda.reason, HasSubstr("no CUDA driver"));
  const answer of_hip = ask(HIP_PLUGIN, "");
  EXPECT_FALSE(of_hip.made);
  EXPECT_EQ(of_hip.user_fault, 0);
  EXPECT_THAT(of_hip.reason, HasSubstr("no HIP runtime"));
}

TEST(plugins, call_nonsense_the_users_fault) {
  const answer of_cuda = ask(CUDA_PLUGIN, "all");
  EXPECT_EQ(of_cuda.user_fault, 1);
  EXPECT_THAT(of_cuda.reason, HasSubstr("such as cuda:0 or cuda:0+2"));
  const answer of_hip = ask(HIP_PLUGIN, "all");
  EXPECT_EQ(of_hip.user_fault, 1);
  EXPECT_THAT(of_hip.reason, HasSubstr("such as hip:0 or hip:0+2"));
}

TEST(plugins, cut_reasons_that_are_too_long) {
  const std::string path(2000, 'p');
  const environment cuda("PIANOLA_CUDA_DRIVER", ("/" + path).c_str());
  EXPECT_EQ(ask(CUDA_PLUGIN, "").reason.size(), 511u);
}

}  // namespace
}  // namespace pianola
