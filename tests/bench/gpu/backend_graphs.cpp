// SPDX-License-Identifier: Apache-2.0
// Backend `cuda` without the runtime above it: what instantiating and updating a plan costs when it is there.
#include <dlfcn.h>

#include <atomic>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <pianola/executors/backend.hpp>
#include <pianola/host/team.hpp>
#include <pianola/openmp/openmp_backend.hpp>
#include <pianola/test/graph_steps.hpp>

#include "images.hpp"
#include "node_kernel.hpp"
#include "programs.hpp"

namespace bench::gpu::backend {

namespace {

namespace model = pianola::model;
namespace executors = pianola::executors;

void check(const executors::status& s) {
  if (!s.ok()) throw std::runtime_error(s.reason);
}

const executors::runtime_services& services() {
  static std::atomic<bool> attention{false};
  static const executors::step_observer observer = [] {
    executors::step_observer o;
    o.failed = [](const void*, std::exception_ptr) {};
    o.attention = &attention;
    return o;
  }();
  static const executors::runtime_services all = [] {
    executors::runtime_services s;
    s.observer = &observer;
    s.find_kernel = &gpu::find_kernel;
    s.find_images = &gpu::find_images;
    return s;
  }();
  return all;
}

// Another one than the runtime's, which shares the driver and its contexts with it. Lives as long as the process.
executors::backend& cuda() {
  static executors::backend* const made = [] {
    Dl_info info{};
    void* const symbol = dlsym(RTLD_DEFAULT, "_ZN7pianola6openmp7factoryEv");
    if (symbol == nullptr || dladdr(symbol, &info) == 0)
      throw std::runtime_error("libpianola.so is not loaded");
    std::string path = info.dli_fname;
    path = path.substr(0, path.rfind('/')) + "/pianola/libpianola-cuda.so";
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    const auto* factory =
        static_cast<const executors::backend_factory*>(dlsym(library, "pianola_backend_v1"));
    char reason[512] = "";
    int fault = 0;
    executors::backend* b = factory->create("0", &services(), reason, sizeof reason, &fault);
    if (b == nullptr) throw std::runtime_error(reason);
    std::vector<model::memory_id> memories;
    for (std::size_t i = 0; i < b->devices().size(); ++i)
      memories.emplace_back(static_cast<std::uint16_t>(i + 1));
    b->set_memories(memories);
    return b;
  }();
  return *made;
}

struct plan {
  plan(shape s, std::size_t n) : edges(edges_of(s, n)), values(n), steps(n) {
    const pianola_kernel& k = kernel_named("node_kernel");
    kernel.id = model::kernel_id(k.id);
    kernel.name = k.name;
    kernel.argument_bytes = k.argument_bytes;
    kernel.argument_alignment = k.argument_alignment;
    check(cuda().make_lane(0, lane));
    void* memory = nullptr;
    const std::size_t elements = n * node_items;
    check(
        cuda().allocate(0, executors::memory_kind::device, elements * sizeof(float), 256, memory));
    data = static_cast<float*>(memory);
    std::vector<float> start(elements);
    for (std::size_t i = 0; i < elements; ++i) start[i] = node_start(i);
    copy(data, model::memory_id(1), start.data(), model::host_memory);
    for (std::size_t i = 0; i < n; ++i) {
      values[i].data = data + i * node_items;
      executors::resolved_kernel launch;
      launch.kernel = &kernel;
      launch.geometry.global = {{1, 1, node_items}};
      launch.geometry.local = {{1, 1, node_items}};
      launch.geometry.grouped = true;
      launch.arguments.bytes = &values[i];
      launch.arguments.size = sizeof values[i];
      launch.arguments.alignment = alignof(node_values);
      steps[i].action = launch;
      steps[i].owner = &cuda();
      steps[i].waits = edges[i];
    }
  }
  plan(const plan&) = delete;
  plan& operator=(const plan&) = delete;
  ~plan() {
    wait();
    cuda().deallocate(0, executors::memory_kind::device, data);
  }
  void copy(void* to, model::memory_id there, const void* from, model::memory_id here) {
    executors::resolved_copy c;
    c.destination = to;
    c.to = there;
    c.source = from;
    c.from = here;
    c.width = values.size() * node_items * sizeof(float);
    executors::step_submission s;
    s.action = c;
    check(cuda().submit(*lane, s));
    ++submitted;
    wait();
  }
  std::unique_ptr<executors::native_graph> instantiate() {
    std::unique_ptr<executors::native_graph> graph;
    pianola::test::all_steps all(steps);
    check(cuda().instantiate(all, graph));
    return graph;
  }
  void launch(executors::native_graph& graph) {
    check(cuda().launch(*lane, graph, {}));
    ++submitted;
  }
  void wait() { pianola::host::team::instance().wait(lane->completion(), submitted); }
  double checksum() {
    std::vector<float> now(values.size() * node_items);
    copy(now.data(), model::host_memory, data, model::memory_id(1));
    return checksum_of(now.data(), now.size());
  }

  graph_edges edges;
  std::vector<node_values> values;
  std::vector<executors::graph_step> steps;
  model::kernel_descriptor kernel;
  executors::lane* lane = nullptr;
  float* data = nullptr;
  std::uint64_t submitted = 0;
};

}  // namespace

subject instantiate(shape s, std::size_t nodes) {
  auto p = std::make_shared<plan>(s, nodes);
  return {[p](std::uint64_t units) {
            double sum = 0;
            for (std::uint64_t i = 0; i < units; ++i) {
              std::unique_ptr<executors::native_graph> graph;
              sum += nanoseconds_of([&] { graph = p->instantiate(); });
              p->launch(*graph);
              p->wait();
            }
            return sum;
          },
          [p] { return p->checksum(); }};
}

subject update(std::size_t nodes, std::size_t changed) {
  struct state {
    explicit state(std::size_t n) : p(shape::chain, n), graph(p.instantiate()) {}
    plan p;
    std::unique_ptr<executors::native_graph> graph;
  };
  auto s = std::make_shared<state>(nodes);
  std::vector<std::uint32_t> which(changed);
  std::iota(which.begin(), which.end(), 0U);
  return {[s, which](std::uint64_t units) {
            double sum = 0;
            for (std::uint64_t i = 0; i < units; ++i) {
              for (node_values& v : s->p.values) v.summand = v.summand == 1.0F ? 2.0F : 1.0F;
              sum += nanoseconds_of([&] {
                check(cuda().update(*s->graph, which, {s->p.steps.data(), which.size()}));
              });
              s->p.launch(*s->graph);
              s->p.wait();
            }
            return sum;
          },
          [s] { return s->p.checksum(); }};
}

}  // namespace bench::gpu::backend
