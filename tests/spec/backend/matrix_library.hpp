// SPDX-License-Identifier: Apache-2.0
// A library as others write them: it works on a device through the vendor's driver, and of its caller it wants pointers and
// a stream. It knows nothing of graphs, nor of Pianola.
#pragma once
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include <pianola/abi/launch.h>

#include "images/suite_kernels.hpp"

namespace pianola::test {

class matrix_library {
 public:
  // `backend`: "cuda" or "hip"; `image`: of the kernel that it brings along.
  matrix_library(const std::string& backend, const std::string& image) : cuda_(backend == "cuda") {
    const char* const chosen = std::getenv(cuda_ ? "PIANOLA_CUDA_DRIVER" : "PIANOLA_HIP_RUNTIME");
    const char* const usual = cuda_ ? "libcuda.so.1" : "libamdhip64.so.5";
    driver_ = dlopen(chosen != nullptr ? chosen : usual, RTLD_NOW);
    if (driver_ == nullptr) throw std::runtime_error(dlerror());
    std::ifstream file(image, std::ios::binary);
    image_.assign(std::istreambuf_iterator<char>(file), {});
    image_.push_back(0);
  }

  // As CUDA's driver counts, 12040 say.
  int driver_version() {
    int version = 0;
    call<int(int*)>("cuDriverGetVersion", "hipDriverGetVersion")(&version);
    return version;
  }

  // Works with memory that it allocates in the stream, as NVIDIA's libraries do. Drivers of CUDA only.
  bool with_workspace = false;

  // c = a b and d = b a, matrices of n times n. The second one is worked on in a stream of the library's own.
  void multiply_both_ways(void* stream, const std::uint64_t* a, const std::uint64_t* b,
                          std::uint64_t* c, std::uint64_t* d, std::uint64_t n) {
    prepare();
    if (with_workspace) {
      const std::size_t bytes = n * n * sizeof *a;
      unsigned long long workspace = 0;
      call<int(unsigned long long*, std::size_t, void*)>("cuMemAllocAsync", "")(&workspace, bytes,
                                                                                stream);
      call<int(unsigned long long, unsigned long long, std::size_t, void*)>(
          "cuMemcpyDtoDAsync_v2", "")(workspace, reinterpret_cast<std::uintptr_t>(a), bytes,
                                      stream);
      auto* const copy = reinterpret_cast<const std::uint64_t*>(workspace);
      multiply(stream, copy, b, c, n);
      multiply(stream, b, copy, d, n);
      call<int(unsigned long long, void*)>("cuMemFreeAsync", "")(workspace, stream);
      return;
    }
    call<int(void*, void*)>("cuEventRecord", "hipEventRecord")(began_, stream);
    call<int(void*, void*, unsigned)>("cuStreamWaitEvent", "hipStreamWaitEvent")(own_, began_, 0);
    multiply(stream, a, b, c, n);
    multiply(own_, b, a, d, n);
    call<int(void*, void*)>("cuEventRecord", "hipEventRecord")(ended_, own_);
    call<int(void*, void*, unsigned)>("cuStreamWaitEvent", "hipStreamWaitEvent")(stream, ended_, 0);
  }

 private:
  template <class F>
  class checked;
  template <class... Parameters>
  class checked<int(Parameters...)> {
   public:
    checked(const char* name, void* f)
        : name_(name), function_(reinterpret_cast<int (*)(Parameters...)>(f)) {}
    void operator()(Parameters... arguments) const {
      if (const int code = function_(arguments...); code != 0)
        throw std::runtime_error(std::string(name_) + ": " + std::to_string(code));
    }

   private:
    const char* name_;
    int (*function_)(Parameters...);
  };
  template <class F>
  checked<F> call(const char* of_cuda, const char* of_hip) {
    const char* const name = cuda_ ? of_cuda : of_hip;
    void* const f = dlsym(driver_, name);
    if (f == nullptr) throw std::runtime_error(std::string("no ") + name);
    return {name, f};
  }

  // With the caller's context, or device.
  void prepare() {
    if (kernel_ != nullptr) return;
    void* module = nullptr;
    call<int(void**, const void*)>("cuModuleLoadData", "hipModuleLoadData")(&module, image_.data());
    call<int(void**, unsigned)>("cuStreamCreate", "hipStreamCreateWithFlags")(&own_, 1);
    call<int(void**, unsigned)>("cuEventCreate", "hipEventCreateWithFlags")(&began_, 2);
    call<int(void**, unsigned)>("cuEventCreate", "hipEventCreateWithFlags")(&ended_, 2);
    call<int(void**, void*, const char*)>("cuModuleGetFunction", "hipModuleGetFunction")(
        &kernel_, module, "suite_matrix_product");
  }

  void multiply(void* stream, const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* c,
                std::uint64_t n) {
    matrix_product_object object{a, b, c, n};
    pianola_launch launch{{1, n, n}, {0, 0, 0}};
    void* parameters[] = {&object, &launch};
    constexpr unsigned size = 4;
    const auto groups = static_cast<unsigned>((n + size - 1) / size);
    call<int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
             void**, void**)>("cuLaunchKernel", "hipModuleLaunchKernel")(
        kernel_, groups, groups, 1, size, size, 1, 0, stream, parameters, nullptr);
  }

  bool cuda_;
  void* driver_ = nullptr;
  std::string image_;
  void* kernel_ = nullptr;
  void* own_ = nullptr;
  void* began_ = nullptr;
  void* ended_ = nullptr;
};

}  // namespace pianola::test
