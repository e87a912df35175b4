// SPDX-License-Identifier: Apache-2.0
// recorded_run WHAT [SEED]: programs whose recordings are looked at.
#include <dlfcn.h>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <sycl/sycl.hpp>
#include <thread>
#include <vector>

namespace {

namespace exp = sycl::ext::oneapi::experimental;
using executable = exp::command_graph<exp::graph_state::executable>;

// Three commands on a queue without an order of its own: it is the host that orders them.
int host_orders_them() {
  sycl::queue q;
  int* from = sycl::malloc_device<int>(1000, q);
  int* to = sycl::malloc_host<int>(2000, q);
  q.memset(from, 0, 1000 * sizeof(int)).wait();
  q.parallel_for(sycl::range<1>(1000), [=](sycl::id<1> i) { from[i] += 1; });
  q.wait();
  q.memcpy(to + 1000, from, 1000 * sizeof(int)).wait();
  const int result = to[1999];
  sycl::free(from, q);
  sycl::free(to, q);
  return result == 1 ? 0 : 1;
}

// The end of a buffer, a host accessor and an event that is asked until it has ended.
int other_ways_to_wait() {
  sycl::queue q, other;
  int* usm = sycl::malloc_shared<int>(16, q);
  const auto step = [&](sycl::queue& on) {
    return on.parallel_for(sycl::range<1>(16), [=](sycl::id<1> i) { usm[i] += 1; });
  };
  std::vector<int> data(64, 1);
  sycl::buffer<int> b(data);
  const auto use = [&](sycl::buffer<int>& x) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(x, h);
      h.parallel_for(x.get_range(), [=](sycl::id<1> i) { a[i] += 1; });
    });
  };
  use(b);
  {
    sycl::host_accessor a(b);
  }
  sycl::event e = step(other);
  while (e.get_info<sycl::info::event::command_execution_status>() !=
         sycl::info::event_command_status::complete) {
  }
  {
    std::vector<int> more(64, 1);
    sycl::buffer<int> c(more);
    use(c);
  }
  step(q).wait();
  sycl::free(usm, q);
  return 0;
}

// Memory that comes back to its pool, and is used again when what freed it has ended. The host waits once.
int memory_from_a_pool() {
  sycl::queue q{sycl::property::queue::in_order()};
  for (int i = 0; i < 8; ++i) {
    int* p = static_cast<int*>(exp::async_malloc(q, sycl::usm::alloc::device, 4096));
    q.parallel_for(sycl::range<1>(16), [=](sycl::id<1> j) { p[j] = 1; });
    exp::async_free(q, p);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  q.wait();
  return 0;
}

// A long loop: the same few commands again and again.
int long_loop(unsigned steps) {
  sycl::queue q{sycl::property::queue::in_order()};
  sycl::buffer<int> a{sycl::range<1>(64)}, b{sycl::range<1>(64)};
  const auto copy = [&](sycl::buffer<int>& from, sycl::buffer<int>& to) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(from, h, sycl::read_only);
      sycl::accessor y(to, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) { y[i] = x[i]; });
    });
  };
  for (unsigned i = 0; i < steps; i += 2) {
    copy(a, b);
    copy(b, a);
  }
  return 0;
}

// Whatever a program may do, at random.
int anything(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<sycl::device> devices = sycl::device::get_devices();
  std::vector<sycl::queue> queues;
  for (int i = 0; i < 3; ++i) {
    const sycl::device& d = devices[random() % devices.size()];
    queues.push_back(random() % 2 == 0 ? sycl::queue(d)
                                       : sycl::queue(d, sycl::property::queue::in_order()));
  }
  std::vector<std::vector<int>> data(4, std::vector<int>(256, 1));
  std::vector<std::optional<sycl::buffer<int>>> buffers(4);
  const auto fresh = [&](std::size_t i) {
    if (random() % 2 == 0)
      buffers[i].emplace(data[i]);
    else
      buffers[i].emplace(sycl::range<1>(256));
  };
  for (std::size_t i = 0; i < buffers.size(); ++i) fresh(i);
  int* usm = sycl::malloc_host<int>(256, queues[0]);
  std::vector<sycl::event> events;
  const auto submit = [&](sycl::queue& q) {
    const std::size_t x = random() % 4, y = random() % 4;
    const std::size_t from = random() % 4 * 64, count = random() % 3 == 0 ? 256 - from : 64;
    const unsigned how = random() % 4, waits = random() % 4;
    return q.submit([&](sycl::handler& h) {
      if (waits == 0 && !events.empty()) h.depends_on(events[random() % events.size()]);
      if (how == 0) {
        sycl::accessor a(*buffers[x], h, sycl::range<1>(count), sycl::id<1>(from));
        h.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { a[i[0]] += 1; });
      } else if (how == 1 && x != y) {
        sycl::accessor a(*buffers[x], h, sycl::read_only);
        sycl::accessor b(*buffers[y], h, sycl::range<1>(count), sycl::id<1>(from),
                         sycl::property_list{sycl::no_init});
        h.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { b[i[0]] = a[i]; });
      } else if (how == 2) {
        h.memset(usm + from, 1, 64);
      } else {
        sycl::accessor a(*buffers[x], h, sycl::read_only_host_task);
        h.host_task([a] { static_cast<void>(a); });
      }
    });
  };
  std::optional<executable> graph;
  for (int step = 0; step < 300; ++step) {
    sycl::queue& q = queues[random() % queues.size()];
    switch (random() % 24) {
      case 0:
        q.wait();
        break;
      case 1:
        if (!events.empty()) events[random() % events.size()].wait();
        break;
      case 2: {
        sycl::host_accessor a(*buffers[random() % 4]);
        submit(q);
        break;
      }
      case 3: {
        sycl::host_accessor a(*buffers[random() % 4], sycl::read_only);
        break;
      }
      case 4: {
        if (graph) break;  // it needs its buffers
        const std::size_t i = random() % 4;
        buffers[i].reset();
        fresh(i);
        break;
      }
      case 5: {
        if (!graph && random() % 4 == 0) {
          exp::command_graph made(queues[0].get_context(), queues[0].get_device());
          made.begin_recording(queues[0]);
          const std::vector<sycl::event> outside = std::move(events);
          events.clear();
          for (int i = 0; i < 5; ++i) submit(queues[0]);
          made.end_recording(queues[0]);
          events = outside;
          graph.emplace(made.finalize());
        }
        if (graph)
          for (unsigned n = random() % 4; n != 0; --n) queues[0].ext_oneapi_graph(*graph);
        break;
      }
      case 6:
        q.ext_oneapi_submit_barrier();
        break;
      default:
        events.push_back(submit(q));
    }
  }
  for (sycl::queue& q : queues) q.wait();
  sycl::free(usm, queues[0]);
  return 0;
}

// One kernel over several ranges, on its own and in a graph that is replayed.
int kernels_of_all_sizes() {
  sycl::queue q{sycl::property::queue::in_order()};
  int* data = sycl::malloc_shared<int>(1 << 16, q);
  const auto step = [&](std::size_t items) {
    q.parallel_for(sycl::range<1>(items), [=](sycl::id<1> i) {
      int sum = data[i];
      for (int k = 0; k < 2000; ++k) sum = sum * 5 + k;
      data[i] = sum;
    });
  };
  exp::command_graph graph(q.get_context(), q.get_device());
  graph.begin_recording(q);
  for (const std::size_t items : {1000, 30000}) step(items);
  graph.end_recording();
  executable replayed = graph.finalize();
  for (int i = 0; i < 5; ++i) q.ext_oneapi_graph(replayed);
  for (const std::size_t items : {2000, 60000}) step(items);
  q.wait();
  sycl::free(data, q);
  return 0;
}

// Until somebody kills it: small commands, after the first few of which a line says so.
int endless() {
  sycl::queue q{sycl::property::queue::in_order()};
  int* data = sycl::malloc_device<int>(64, q);
  for (unsigned i = 0;; ++i) {
    q.memset(data, 1, 64 * sizeof(int));
    if (i % 16 != 15) continue;
    q.wait();
    // From then on slowly: what is recorded is looked at in many ways.
    if (i > 2047) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (i == 2047) {
      std::printf("going on\n");
      std::fflush(stdout);
    }
  }
}

// Mistakes with USM, by number; 0: the same without one.
int mistake(unsigned number) {
  sycl::queue q;
  constexpr std::size_t n = 4096;
  char* a = sycl::malloc_device<char>(n, q);
  char* b = sycl::malloc_device<char>(n, q);
  char* host = sycl::malloc_host<char>(n, q);
  sycl::event written = q.memset(a, 1, n);
  sycl::event other = q.memset(b, 2, n);
  switch (number) {
    case 0:  // everything is in order
      q.memcpy(host, a, n, written).wait();
      q.memset(a, 3, n).wait();
      q.memcpy(host, b, n, other).wait();
      break;
    case 1:  // read while it is written
      q.memcpy(host, a, n);
      break;
    case 2:  // written twice, in halves that overlap
      q.memset(a + n / 4, 5, n / 2);
      break;
    case 3:  // written while it is read: the copy is in order, what follows it is not
      q.memcpy(host, a, n, written);
      q.memset(a, 3, 16, written);
      break;
    case 4:  // after the wrong event
      q.memcpy(host, a, n, other);
      break;
    case 5:  // one queue is in order, two are not
    {
      sycl::queue first{sycl::property::queue::in_order()},
          second{sycl::property::queue::in_order()};
      written.wait();
      first.memset(a, 1, n);
      second.fill(a + 100, 'x', 1);
      first.wait();
      second.wait();
      break;
    }
    case 6:  // freed while it may be in use
      written.wait();
      other.wait();
      q.memcpy(host, b, n);
      sycl::free(b, q);
      q.wait();
      b = nullptr;
      break;
    case 7:  // read, and never written
    {
      char* c = sycl::malloc_device<char>(n, q);
      q.memcpy(host, c + 8, 16).wait();
      q.wait();
      sycl::free(c, q);
      break;
    }
    case 8:  // the disjoint halves are none; their common end is
      q.memset(host, 0, n).wait();
      q.wait();
      q.memset(a, 1, n / 2 + 1);
      q.memset(a + n / 2, 1, n / 2);
      break;
    case 9:  // read after it was freed
      q.wait();
      sycl::free(b, q);
      q.memcpy(host, b, 16).wait();
      b = nullptr;
      break;
    case 10:  // written after it was freed, and the system had its pages again
    {
      constexpr std::size_t many = std::size_t{16} << 20;
      char* c = sycl::malloc_device<char>(many, q);
      q.memset(c, 1, many).wait();
      q.wait();
      sycl::free(c, q);
      q.memset(c, 2, many).wait();
      break;
    }
    case 11:  // read, and never written: what a kernel before it does is not known, but it cannot have known the memory
    {
      sycl::buffer<int> numbers{sycl::range<1>(16)};
      q.submit([&](sycl::handler& h) {
        sycl::accessor x{numbers, h, sycl::write_only, sycl::no_init};
        h.parallel_for(sycl::range<1>(16), [=](sycl::id<1> i) { x[i] = 1; });
      });
      q.wait();
      char* c = sycl::malloc_device<char>(n, q);
      q.memcpy(host, c + 8, 16).wait();
      q.wait();
      sycl::free(c, q);
      break;
    }
    case 12:  // read behind its end
      q.memcpy(host, a + n - 16, 32, written).wait();
      break;
    default:
      return 2;
  }
  q.wait();
  sycl::free(a, q);
  if (b != nullptr) sycl::free(b, q);
  sycl::free(host, q);
  return 0;
}

}  // namespace

// A graph that is launched on twelve buffers in turns.
static int rebound() {
  namespace pia = sycl::ext::pianola;
  sycl::queue q{sycl::property::queue::in_order{}};
  pia::graph_parameter<sycl::buffer<int>> data{sycl::range<1>(16)};
  exp::command_graph graph(q);
  graph.add([&](sycl::handler& h) {
    sycl::accessor a{*data, h};
    h.parallel_for(sycl::range<1>(16), [=](sycl::id<1> i) { a[i] += 1; });
  });
  executable made = graph.finalize();
  const std::vector<int> zeros(16, 0);
  std::vector<sycl::buffer<int>> all;
  for (int i = 0; i < 12; ++i) all.emplace_back(zeros.begin(), zeros.end());
  for (int i = 0; i < 3; ++i)
    for (auto& one : all) q.ext_oneapi_graph(made, {data = one});
  return sycl::host_accessor{all[5]}[7] == 3 ? 0 : 1;
}

// Replays of a graph over many buffers.
static int wide_graph(unsigned launches) {
  sycl::queue q{sycl::property::queue::in_order{}};
  std::vector<sycl::buffer<int>> buffers;
  for (int i = 0; i < 300; ++i) buffers.emplace_back(sycl::range<1>(1));
  exp::command_graph graph(q);
  for (auto& b : buffers)
    graph.add([&](sycl::handler& h) {
      sycl::accessor a{b, h, sycl::write_only, sycl::no_init};
      h.single_task([=] { a[0] = 1; });
    });
  executable made = graph.finalize();
  for (unsigned i = 0; i < launches; ++i) q.ext_oneapi_graph(made);
  q.wait();
  return 0;
}

// A graph whose nodes have times.
static int profiled_graph() {
  namespace graphs = sycl::ext::oneapi::experimental;
  sycl::queue q;
  sycl::buffer<int> x{sycl::range<1>(4096)};
  graphs::command_graph graph(q);
  for (int k = 0; k < 3; ++k)
    graph.add([&](sycl::handler& h) {
      const sycl::accessor a(x, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<1>(4096), [=](sycl::id<1> i) {
        unsigned sum = 0;
        for (unsigned n = 0; n < 50; ++n) sum = 3 * sum + static_cast<unsigned>(i[0]) + n;
        a[i] = static_cast<int>(sum);
      });
    });
  auto made = graph.finalize({graphs::property::graph::enable_profiling()});
  for (int k = 0; k < 5; ++k) q.ext_oneapi_graph(made);
  q.wait();
  return 0;
}

// A loop whose body moves data in each iteration, where the device has memory of its own, with a branch in it.
static int graph_with_a_loop() {
  namespace graphs = sycl::ext::oneapi::experimental;
  sycl::queue q;
  sycl::buffer<int> x{sycl::range<1>(64)}, left{sycl::range<1>(1)};
  graphs::command_graph doubled(q), body(q), graph(q);
  doubled.add([&](sycl::handler& h) {
    const sycl::accessor a(x, h);
    h.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) { a[i] *= 2; });
  });
  body.add([&](sycl::handler& h) {
    const sycl::accessor a(x, h);
    const sycl::accessor l(left, h);
    h.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) {
      a[i] += 1;
      if (i[0] == 0) l[0] -= 1;
    });
  });
  body.add([&](sycl::handler& h) {
    const sycl::accessor a(x, h, sycl::read_write_host_task);
    h.host_task([=] { a[1] = 7; });
  });
  body.add_if(left, doubled.finalize());
  graph.add([&](sycl::handler& h) {
    const sycl::accessor l(left, h, sycl::write_only, sycl::no_init);
    h.single_task([=] { l[0] = 3; });
  });
  graph.add(
      [&](sycl::handler& h) { h.fill(sycl::accessor(x, h, sycl::write_only, sycl::no_init), 1); });
  graph.add_while(left, body.finalize());
  auto made = graph.finalize();
  q.ext_oneapi_graph(made);
  q.wait();
  // 1 -> 2 * 2 -> 2 * 5 -> 11
  return sycl::host_accessor(x)[0] == 11 ? 0 : 1;
}

// Two commands on a queue that profiles, a replay there, and one on another queue.
static int profiled_queue() {
  namespace graphs = sycl::ext::oneapi::experimental;
  sycl::queue q{sycl::property_list{sycl::property::queue::in_order(),
                                    sycl::property::queue::enable_profiling()}};
  sycl::queue other;
  int* p = sycl::malloc_device<int>(1 << 16, q);
  q.memset(p, 0, sizeof(int) << 16);
  q.parallel_for(sycl::range<1>(1 << 16), [=](sycl::id<1> i) { p[i] += 1; });
  graphs::command_graph graph(q);
  graph.add([&](sycl::handler& h) { h.memset(p, 1, sizeof(int) << 16); });
  auto made = graph.finalize();
  q.ext_oneapi_graph(made);
  q.wait();
  other.fill(p, 7, 1 << 16).wait();
  sycl::free(p, q);
  return 0;
}

// A graph, a replay of it, and the end at once.
static int crash() {
  sycl::queue q{sycl::property::queue::in_order()};
  int* p = sycl::malloc_device<int>(16, q);
  exp::command_graph graph(q);
  graph.add([&](sycl::handler& h) { h.memset(p, 1, 64); });
  executable made = graph.finalize();
  q.ext_oneapi_graph(made);
  std::raise(SIGSEGV);
  return 0;
}

// A wait that nobody's source has called, and one that has a line.
static int waits_of_a_thread() {
  sycl::queue q;
  int* p = sycl::malloc_device<int>(16, q);
  q.memset(p, 0, 64);
  std::thread(static_cast<void (sycl::queue::*)()>(&sycl::queue::wait), &q).join();
  q.memset(p, 1, 64);
  q.wait();
  sycl::free(p, q);
  return 0;
}

// Objects that end when the program has returned from main, behind those of the library.
static std::optional<sycl::queue> late_queue;
static std::optional<sycl::buffer<int>> late_buffer;
static int ends_late() {
  late_queue.emplace();
  late_buffer.emplace(sycl::range<1>(64));
  late_queue->submit([&](sycl::handler& h) {
    const sycl::accessor a(*late_buffer, h, sycl::write_only, sycl::no_init);
    h.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) { a[i] = static_cast<int>(i[0]); });
  });
  return 0;
}

// Two ways from one command to another, twice, and then one on the last device. Nothing has ended before all is submitted.
static int two_diamonds() {
  const std::vector<sycl::device> devices = sycl::device::get_devices();
  sycl::queue q{devices.front()}, other{devices.back()};
  std::atomic<bool> all_are_there{false};
  const std::atomic<bool>* const go = &all_are_there;
  const auto after = [](sycl::queue& on, const std::vector<sycl::event>& events) {
    return on.single_task(events, [] {});
  };
  const sycl::event first = q.single_task([=] {
    while (!*go) std::this_thread::sleep_for(std::chrono::microseconds(50));
  });
  const sycl::event left = after(q, {first}), right = after(q, {first});
  const sycl::event both = after(q, {left, right});
  after(q, {both});
  after(other, {after(q, {both})});
  all_are_there = true;
  q.wait();
  other.wait();
  return 0;
}

// So many barriers behind everything of their queue, each after two commands.
static int barriers(unsigned count) {
  sycl::queue q;
  for (unsigned i = 0; i < count; ++i) {
    q.single_task([] {});
    q.single_task([] {});
    q.ext_oneapi_submit_barrier();
  }
  q.single_task([] {});
  q.wait();
  return 0;
}

// Code at addresses where other code was before.
static int unloaded(const char* first, const char* second) {
  sycl::queue q{sycl::property::queue::in_order()};
  int* p = sycl::malloc_device<int>(16, q);
  for (const char* name : {first, second}) {
    void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return 1;
    reinterpret_cast<void (*)(sycl::queue&, int*)>(dlsym(library, "clear"))(q, p);
    dlclose(library);
  }
  sycl::free(p, q);
  return 0;
}

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  const auto number = static_cast<unsigned>(count > 2 ? std::strtoul(words[2], nullptr, 10) : 1);
  try {
    if (what == "with-a-loop") return graph_with_a_loop();
    if (what == "profiled") return profiled_graph();
    if (what == "profiled-queue") return profiled_queue();
    if (what == "crash") return crash();
    if (what == "thread") return waits_of_a_thread();
    if (what == "late") return ends_late();
    if (what == "diamonds") return two_diamonds();
    if (what == "unloaded" && count == 4) return unloaded(words[2], words[3]);
    if (what == "rebound") return rebound();
    if (what == "wide") return wide_graph(number);
    if (what == "usm") return host_orders_them();
    if (what == "waits") return other_ways_to_wait();
    if (what == "sizes") return kernels_of_all_sizes();
    if (what == "pool") return memory_from_a_pool();
    if (what == "barriers") return barriers(number);
    if (what == "loop") return long_loop(number);
    if (what == "endless") return endless();
    if (what == "mistake") return mistake(number);
    if (what == "random") return anything(number);
  } catch (const sycl::exception& e) {
    std::printf("%s\n", e.what());
    return 3;
  }
  return 2;
}
