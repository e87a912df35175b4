// SPDX-License-Identifier: Apache-2.0
#include "driver.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

#include <pianola/gpu/image_suitability.hpp>

#include "images.hpp"

namespace bench::gpu::raw {

namespace {

template <class F>
void find_symbol(void* library, const char* symbol, F*& out) {
  out = reinterpret_cast<F*>(dlsym(library, symbol));
  if (out == nullptr) throw std::runtime_error("the CUDA driver has no " + std::string(symbol));
}

}  // namespace

driver& driver::get() {
  static auto* only = new driver;  // used until the process ends
  return *only;
}

driver::driver() : library_(cuda::load_library()) {
  if (!library_.fault.empty()) throw std::runtime_error(library_.fault);
  void* const library = dlopen(library_.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  find_symbol(library, "cuStreamSynchronize", synchronize_);
  find_symbol(library, "cuGraphGetNodes", get_nodes_);
  find_symbol(library, "cuGraphNodeGetType", node_type_);
  control_ = pianola::test::driver_control_of(library);

  check(call().cuInit(0), "cuInit");
  cuda::ordinal device = 0;
  handle context = nullptr;
  check(call().cuDeviceGet(&device, 0), "finding a device");
  check(call().cuDevicePrimaryCtxRetain(&context, device), "making a context");
  check(call().cuCtxSetCurrent(context), "using a context");
  int major = 0, minor = 0;
  check(call().cuDeviceGetAttribute(&major, cuda::compute_capability_major, device), "asking");
  check(call().cuDeviceGetAttribute(&minor, cuda::compute_capability_minor, device), "asking");
  architecture_ = library_.architecture != nullptr
                      ? std::string(library_.architecture())
                      : "sm_" + std::to_string(major) + std::to_string(minor);
}

void driver::check(cuda::result code, const char* doing) const {
  if (code != cuda::success)
    throw std::runtime_error(std::string(doing) + ": " + cuda::error_text(call(), code));
}

void driver::synchronize(handle stream) const { check(synchronize_(stream), "waiting"); }

handle driver::make_stream() const {
  handle stream = nullptr;
  check(call().cuStreamCreate(&stream, cuda::stream_non_blocking), "making a stream");
  return stream;
}

handle driver::load(const void* image) {
  for (const loaded& l : modules_)
    if (l.image == image) return l.module;
  handle module = nullptr;
  check(call().cuModuleLoadDataEx(&module, image, 0, nullptr, nullptr), "loading an image");
  modules_.push_back({image, module});
  return module;
}

handle driver::find(handle module, const char* symbol) {
  handle function = nullptr;
  check(call().cuModuleGetFunction(&function, module, symbol), symbol);
  return function;
}

handle driver::kernel_named(const char* part) {
  const pianola_kernel& kernel = gpu::kernel_named(part);
  const pianola_image* best = nullptr;
  int how_good = 0;
  for (const pianola_image& image : find_images(pianola::model::kernel_id(kernel.id))) {
    const int suits = pianola::gpu::image_suitability(architecture_, image.architecture);
    if (suits <= how_good) continue;
    best = &image;
    how_good = suits;
  }
  if (best == nullptr) throw std::runtime_error("this program has no code for " + architecture_);
  return find(load(best->bytes), kernel.symbol);
}

std::size_t driver::nodes_that_are_no_kernels(handle graph) const {
  std::size_t count = 0;
  check(get_nodes_(graph, nullptr, &count), "counting nodes");
  std::vector<handle> nodes(count);
  if (count != 0) check(get_nodes_(graph, nodes.data(), &count), "listing nodes");
  std::size_t others = 0;
  for (const handle n : nodes) {
    int type = 0;  // CU_GRAPH_NODE_TYPE_KERNEL
    check(node_type_(n, &type), "asking for a node's type");
    others += type != 0;
  }
  return others;
}

}  // namespace bench::gpu::raw
