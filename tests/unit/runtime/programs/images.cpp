// SPDX-License-Identifier: Apache-2.0
// Kernels, of which there are images or not, on devices that need them.
#include <cstdio>
#include <cstring>

#include <pianola/abi/image.h>

#include <sycl/sycl.hpp>

// Their names are the same for every compiler.
struct doubling {
  int* p;
  void operator()() const { *p *= 2; }
};
struct adding_three {
  int* p;
  void operator()() const { *p += 3; }
};

namespace {

// What the compiler emits for an object file with one kernel and an image for one architecture.
template <class Kernel>
struct object_file {
  object_file(const char* name, const char* architecture) {
    using shape = pianola::glue::single_task_shape;
    kernel.id = pianola::glue::kernel_hash<Kernel, shape>();
    kernel.symbol = "pianola_kernel";
    kernel.name = name;
    kernel.dimensions = 1;
    kernel.argument_bytes = sizeof(Kernel);
    kernel.argument_alignment = alignof(Kernel);
    image = {architecture, "code", 4};
    set = {PIANOLA_IMAGE_SET_VERSION, 1, &image, 1, &kernel, 0, nullptr};
    pianola_register_images_v1(&set);
  }
  ~object_file() { pianola_unregister_images_v1(&set); }
  object_file(const object_file&) = delete;
  object_file& operator=(const object_file&) = delete;

  pianola_kernel kernel{};
  pianola_image image{};
  pianola_image_set set{};
};

template <class F>
void attempt(const char* what, F&& f) {
  try {
    f();
    std::printf("%s: done\n", what);
  } catch (const sycl::exception& e) {
    std::printf(
        "%s: %s: %s\n", what,
        e.code() == sycl::errc::kernel_not_supported ? "kernel_not_supported" : "another code",
        e.what());
  }
}

template <class Kernel>
void attempt_all(const char* when, sycl::queue& q, int* p) {
  namespace graphs = sycl::ext::oneapi::experimental;
  std::printf("%s\n", when);
  attempt("submitted", [&] { q.single_task(Kernel{p}).wait(); });
  attempt("recorded", [&] {
    graphs::command_graph<graphs::graph_state::modifiable> g{q};
    try {
      g.begin_recording(q);
      q.single_task(Kernel{p});
    } catch (...) {
      g.end_recording(q);
      throw;
    }
    g.end_recording(q);
    q.ext_oneapi_graph(g.finalize()).wait();
  });
  attempt("added", [&] {
    graphs::command_graph<graphs::graph_state::modifiable> g{q};
    g.add([&](sycl::handler& h) { h.single_task(Kernel{p}); });
    q.ext_oneapi_graph(g.finalize()).wait();
  });
}

int launches() {
  sycl::queue q{sycl::device::get_devices().front()};
  int* p = sycl::malloc_device<int>(1, q);
  const int start = 1;
  q.memcpy(p, &start, sizeof start).wait();
  attempt_all<doubling>("no image", q, p);
  {
    const object_file<adding_three> other("adding_three", "test_1");
    attempt_all<doubling>("an image of another kernel", q, p);
  }
  {
    const object_file<doubling> elsewhere("doubling", "test_2");
    attempt_all<doubling>("an image for another device", q, p);
  }
  {
    const object_file<doubling> here("doubling", "test_1");
    attempt_all<doubling>("an image", q, p);
  }
  attempt_all<doubling>("the object file has gone", q, p);
  int result = 0;
  q.memcpy(&result, p, sizeof result).wait();
  std::printf("%d\n", result);
  sycl::free(p, q);
  return 0;
}

void print_default(const char* when) {
  std::printf("%s: %s\n", when,
              sycl::device{}.get_info<sycl::info::device::name>() == "Device of images"
                  ? "the device of images"
                  : "another device");
}

int defaults() {
  print_default("no image");
  {
    const object_file<doubling> elsewhere("doubling", "test_2");
    print_default("an image for another device");
    const object_file<adding_three> here("adding_three", "test_1");
    print_default("an image");
  }
  print_default("the object files have gone");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "launches") == 0) return launches();
  if (argc == 2 && std::strcmp(argv[1], "defaults") == 0) return defaults();
  return 99;
}
