// SPDX-License-Identifier: Apache-2.0
// Kernels, of which there are images or not, on devices that need them.
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

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

struct adding_one {
  sycl::accessor<int, 1> a;
  void operator()(sycl::item<1> i) const { a[i] += 1; }
};

namespace {

// What the compiler emits for an object file with one kernel and an image for one architecture.
template <class Kernel>
struct object_file {
  object_file(const char* name, const char* architecture) {
    constexpr bool range = std::is_same_v<Kernel, adding_one>;
    using shape = std::conditional_t<range, pianola::glue::range_shape<1, false>,
                                     pianola::glue::single_task_shape>;
    kernel.id = pianola::glue::kernel_hash<Kernel, shape>();
    kernel.symbol = "pianola_kernel";
    kernel.name = name;
    kernel.dimensions = 1;
    kernel.argument_bytes = sizeof(Kernel);
    kernel.argument_alignment = alignof(Kernel);
    image = {architecture, "code", 4};
    if (range) kernel.kind = PIANOLA_KERNEL_RANGE;
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

// Independent kernels of a queue that may choose among devices: where they run, and whether all is well.
void choose(const char* when) {
  namespace graphs = sycl::ext::oneapi::experimental;
  namespace placed = sycl::ext::pianola::property::graph;
  const std::vector<sycl::device> devices = sycl::device::get_devices();
  const sycl::device images = devices.front();
  constexpr int count = 16;
  const auto attempt_with = [&](const char* what, auto&& run) {
    attempt(what, [&] {
      std::vector<std::vector<int>> data(count, std::vector<int>(1 << 16, 1));
      {
        std::vector<sycl::buffer<int>> parts;
        for (auto& d : data) parts.emplace_back(d.data(), sycl::range<1>(d.size()));
        run([&](sycl::queue& q) {
          for (auto& part : parts)
            q.submit([&](sycl::handler& h) {
              h.parallel_for(part.get_range(), adding_one{sycl::accessor<int, 1>(part, h)});
            });
        });
        int there = 0;
        for (auto& part : parts) there += part.has_allocation(images) ? 1 : 0;
        std::printf("%s on the device of images, ", there == 0 ? "none" : "some");
      }
      for (const auto& d : data)
        for (const int x : d)
          if (x != 2) throw sycl::exception(sycl::errc::runtime, "wrong result");
    });
  };
  std::printf("%s\n", when);
  attempt_with("submitted", [&](auto&& submit) {
    sycl::queue q(devices);
    submit(q);
    q.wait();
  });
  const auto recorded = [&](auto&& submit, sycl::queue q, const sycl::property_list& properties) {
    graphs::command_graph g(q, properties);
    g.begin_recording(q);
    submit(q);
    g.end_recording(q);
    q.ext_oneapi_graph(g.finalize()).wait();
  };
  attempt_with("recorded", [&](auto&& submit) {
    recorded(submit, sycl::queue(devices), {placed::multi_device()});
  });
  // Here nobody has proven what the kernel touches: planning leaves it where the queue of all devices had it.
  attempt_with("placed", [&](auto&& submit) {
    recorded(submit, sycl::queue(devices),
             {placed::multi_device(), placed::place(placed::place::anywhere)});
  });
}

int choices() {
  choose("no image");
  {
    const object_file<adding_one> elsewhere("adding_one", "test_2");
    choose("an image for another device");
  }
  {
    const object_file<adding_one> here("adding_one", "test_1");
    choose("an image");
  }
  choose("the object files have gone");
  // Memory of a device is a reason, too.
  const object_file<doubling> here("doubling", "test_1");
  const std::vector<sycl::device> devices = sycl::device::get_devices();
  sycl::queue q(devices);
  for (const sycl::device& d : devices) {
    sycl::queue own(d);
    int* const p = sycl::malloc_device<int>(1, own);
    int result = 1;
    own.memcpy(p, &result, sizeof result).wait();
    const int runs = 3;
    for (int i = 0; i < runs; ++i) q.single_task(doubling{p});
    q.wait();
    own.memcpy(&result, p, sizeof result).wait();
    std::printf("%d\n", result);
    sycl::free(p, own);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "launches") == 0) return launches();
  if (argc == 2 && std::strcmp(argv[1], "defaults") == 0) return defaults();
  if (argc == 2 && std::strcmp(argv[1], "choices") == 0) return choices();
  return 99;
}
