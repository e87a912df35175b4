// SPDX-License-Identifier: Apache-2.0
// One process per case: what happens when a program starts, forks and ends in unusual ways. The first
// argument names the case; the test that starts it looks at what it prints and how it ends.
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sycl/sycl.hpp>

// How many threads can be started. A sanitizer has a function of its own there.
static std::atomic<int> threads_left{1 << 20};
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if defined(__has_feature)
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
#define PIANOLA_EDGES_LIMITS_THREADS
#endif
#else
#define PIANOLA_EDGES_LIMITS_THREADS
#endif
#endif
#if defined(PIANOLA_EDGES_LIMITS_THREADS)
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*run)(void*), void* argument) {
  using function = decltype(&pthread_create);
  static const auto real = reinterpret_cast<function>(dlsym(RTLD_NEXT, "pthread_create"));
  return threads_left.fetch_sub(1) > 0 ? real(thread, attributes, run, argument) : EAGAIN;
}
#endif

namespace {

using ints = std::vector<int>;
using namespace std::chrono_literals;

void add(sycl::queue& q, sycl::buffer<int>& b, int n, std::chrono::microseconds duration = 0us) {
  q.submit([&](sycl::handler& g) {
    sycl::accessor a{b, g, sycl::read_write};
    g.single_task([=] {
      std::this_thread::sleep_for(duration);
      for (std::size_t i = 0; i < a.size(); ++i) a[i] += n;
    });
  });
}

int exit_with_kernels_in_flight() {
  auto& q = *new sycl::queue();
  auto& b = *new sycl::buffer<int>(16);
  // An hour of work.
  for (int i = 0; i < 36000; ++i) add(q, b, 1, 100ms);
  return 0;
}

int exit_with_host_task_in_flight() {
  sycl::queue q;
  q.submit([](sycl::handler& g) {
    g.host_task([] {
      for (;;) std::this_thread::sleep_for(1s);
    });
  });
  std::this_thread::sleep_for(10ms);
  return 0;
}

int exit_with_graph_in_flight() {
  namespace exp = sycl::ext::oneapi::experimental;
  sycl::queue q;
  exp::command_graph graph{q};
  graph.begin_recording(q);
  for (int i = 0; i < 10; ++i) q.single_task([] { std::this_thread::sleep_for(5ms); });
  graph.end_recording(q);
  using executable = exp::command_graph<exp::graph_state::executable>;
  auto& exec = *new executable(graph.finalize());
  for (int i = 0; i < 100000; ++i) q.ext_oneapi_graph(exec);
  return 0;
}

int exit_with_output_on_its_way() {
  auto& q = *new sycl::queue(sycl::property::queue::in_order());
  q.single_task([] { std::this_thread::sleep_for(50ms); });
  q.submit([](sycl::handler& g) {
    sycl::stream out(256, 64, g);
    g.single_task([=] { out << "from a kernel" << sycl::endl; });
  });
  q.submit([](sycl::handler& g) {
    g.host_task([] {
      std::this_thread::sleep_for(50ms);
      std::printf("from a host task\n");
      std::fflush(stdout);
    });
  });
  return 0;
}

// Objects whose destructors run after main. Made in main, but their destructors are registered before
// the runtime has started, so they end after it has shut down.
struct late_objects {
  ~late_objects() {
    if (data.empty()) return;
    buffer.reset();
    queue.reset();
    const bool good = data == ints(64, 41);
    std::printf("static buffer %s\n", good ? "written back" : "lost");
    std::fflush(stdout);
    if (!good) _exit(9);
  }
  ints data;
  std::optional<sycl::queue> queue;
  std::optional<sycl::buffer<int>> buffer;
};
late_objects late;

void work_for_static_objects(sycl::queue& q, sycl::buffer<int>& b) {
  for (int i = 0; i < 20; ++i) add(q, b, 1, 200us);
  q.submit([&](sycl::handler& g) {
    sycl::accessor a{b, g, sycl::read_write};
    g.parallel_for(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> it) {
      sycl::group_barrier(it.get_group());
      a[it.get_global_id()] += 20;
    });
  });
}

int static_objects_that_end_late() {
  late.data.assign(64, 1);
  late.queue.emplace();
  late.buffer.emplace(late.data.data(), sycl::range<1>(64));
  work_for_static_objects(*late.queue, *late.buffer);
  return 0;
}

int static_objects_of_a_function() {
  static struct checker {
    ints data = ints(64, 1);
    ~checker() {
      std::printf("static buffer %s\n", data == ints(64, 41) ? "written back" : "lost");
      std::fflush(stdout);
      if (data != ints(64, 41)) _exit(9);
    }
  } c;
  static sycl::queue q;
  static sycl::buffer<int> b(c.data.data(), sycl::range<1>(64));
  work_for_static_objects(q, b);
  return 0;
}

// More than what commands get at the end of a program, on two parts of the processor in turns.
int static_buffer_of_parts() {
  const std::vector<sycl::device> parts = sycl::device::get_devices();
  static sycl::queue second(parts[1]);
  late.data.assign(64, 1);
  late.queue.emplace(parts[0]);
  late.buffer.emplace(late.data.data(), sycl::range<1>(64));
  for (int i = 0; i < 4; ++i) add(i % 2 == 0 ? *late.queue : second, *late.buffer, 10, 400ms);
  return 0;
}

// Every kind of command, with kernels of every kind; all of a's elements become 64 * n + 5.
int numbers_of_all_commands(sycl::queue& q, sycl::buffer<int>& a, int* usm, int n) {
  namespace exp = sycl::ext::oneapi::experimental;
  q.submit([&](sycl::handler& g) {
    sycl::accessor x{a, g, sycl::write_only};
    g.fill(x, n);
  });
  q.fill(usm, 5, 64).wait();
  const auto add_neighbours = [&] {
    q.submit([&](sycl::handler& g) {
      sycl::accessor x{a, g};
      sycl::local_accessor<int> tile{16, g};
      g.parallel_for(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> it) {
        const std::size_t here = it.get_local_id(0);
        tile[here] = x[it.get_global_id()];
        sycl::group_barrier(it.get_group());
        x[it.get_global_id()] += tile[15 - here];
      });
    });
  };
  for (int i = 0; i < 5; ++i) add_neighbours();
  exp::command_graph graph{q};
  graph.begin_recording(q);
  add_neighbours();
  q.submit([&](sycl::handler& g) {
    sycl::accessor x{a, g};
    g.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) { x[i] += usm[i]; });
  });
  graph.end_recording(q);
  q.ext_oneapi_graph(graph.finalize());
  q.submit([&](sycl::handler& g) {
     sycl::accessor x{a, g};
     g.host_task([x] { x[0] += 0; });
   }).wait();
  int wrong = 0;
  sycl::host_accessor x{a};
  for (std::size_t i = 0; i < 64; ++i) wrong += x[i] != 64 * n + 5 ? 1 : 0;
  return wrong;
}

// Works in its destructor with what was made before, and frees it there.
struct worker_at_the_end {
  ~worker_at_the_end() {
    if (!queue) return;
    std::printf("%d wrong\n", numbers_of_all_commands(*queue, *buffer, usm, 3));
    std::fflush(stdout);
    sycl::free(usm, *queue);
  }
  void prepare() {
    queue.emplace();
    buffer.emplace(sycl::range<1>(64));
    usm = sycl::malloc_shared<int>(64, *queue);
    // This thread has submitted everything before.
    if (numbers_of_all_commands(*queue, *buffer, usm, 2) != 0) _exit(9);
  }
  std::optional<sycl::queue> queue;
  std::optional<sycl::buffer<int>> buffer;
  int* usm = nullptr;
};
worker_at_the_end at_the_end;

int static_object_that_works_at_the_end() {
  at_the_end.prepare();
  return 0;
}

int static_object_that_starts_the_runtime() {
  static struct first_user {
    ~first_user() {
      worker_at_the_end w;
      w.prepare();
    }
  } here;
  return 0;
}

int thread_local_object_that_works_at_the_end() {
  std::thread([] {
    thread_local worker_at_the_end here;
    here.prepare();
  }).join();
  thread_local worker_at_the_end of_main;
  of_main.prepare();
  return 0;
}

const char* name_of(const std::error_code& code) {
  if (code == sycl::errc::runtime) return "runtime";
  if (code == sycl::errc::invalid) return "invalid";
  if (code == sycl::errc::platform) return "platform";
  return "another code";
}

template <class F>
void expect_exception(const char* what, F&& f) {
  try {
    f();
    std::printf("%s: no exception\n", what);
  } catch (const sycl::exception& e) {
    std::printf("%s: %s: %s\n", what, name_of(e.code()), e.what());
  }
}

int fork_after_the_start() {
  sycl::queue q;
  std::atomic<bool> open{false};
  ints v(4, 1);
  int code = 1;
  {
    sycl::buffer<int> b(v.data(), 4);
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g};
      g.host_task([&open, a] {
        while (!open) std::this_thread::yield();
        a[0] = 2;
      });
    });
    const sycl::event pending = q.single_task([] { std::this_thread::sleep_for(50ms); });
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      expect_exception("submit", [&] { q.single_task([] {}); });
      expect_exception("queue", [] { sycl::queue other; });
      expect_exception("wait", [&] { q.wait(); });
      sycl::event e = pending;
      expect_exception("event", [&] { e.wait(); });
      expect_exception("buffer", [] { sycl::buffer<int> fresh(4); });
      std::fflush(stdout);
      // The parent's objects end here as well: they must not wait for anybody.
      std::exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    open = true;
  }
  std::printf("parent: %d\n", v[0]);
  return code;
}

// Another thread of the parent is in the middle of captured submissions, most of the time.
int fork_while_queues_capture() {
  const sycl::property_list capture{sycl::property::queue::in_order{},
                                    sycl::ext::pianola::property::queue::auto_capture{}};
  sycl::queue q(capture);
  const sycl::event held = q.single_task([] {});
  std::atomic<bool> stop{false};
  std::thread other([&] {
    sycl::queue mine(capture);
    while (!stop) {
      for (int i = 0; i < 20; ++i) mine.parallel_for(sycl::range<1>(1), [=](sycl::id<1>) {});
      mine.wait();
    }
  });
  int code = 0;
  for (int i = 0; i < 60 && code == 0; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // in place of a hang
      const auto refused = [](auto f) {
        try {
          f();
          return false;
        } catch (const sycl::exception& e) {
          return e.code() == sycl::errc::runtime;
        }
      };
      sycl::event e = held;
      refused([&] { e.wait(); });  // unless it is over
      _exit(refused([&] { q.single_task([] {}); }) && refused([&] { q.wait(); }) ? 0 : 3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    code = WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
  }
  stop = true;
  other.join();
  return code;
}

int fork_before_the_start() {
  std::fflush(stdout);
  const pid_t child = fork();
  ints v(4, 1);
  {
    sycl::queue q;
    sycl::buffer<int> b(v.data(), 4);
    add(q, b, 1);
  }
  std::printf("%s: %d\n", child == 0 ? "child" : "parent", v[3]);
  std::fflush(stdout);
  if (child == 0) std::exit(0);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int unhandled_error() {
  sycl::queue q;
  q.single_task([] { throw std::runtime_error("nobody handles this"); });
  q.wait_and_throw();
  return 0;
}

int list_devices() {
  try {
    for (const auto& d : sycl::device::get_devices())
      std::printf("device: %s\n", d.get_info<sycl::info::device::name>().c_str());
    return 0;
  } catch (const sycl::exception& e) {
    std::printf("%s: %s\n", name_of(e.code()), e.what());
    return 2;
  }
}

// A bit of everything, on every device; prints how many threads have worked.
int work() {
  namespace exp = sycl::ext::oneapi::experimental;
  for (const auto& device : sycl::device::get_devices()) {
    sycl::queue q(device);
    ints v(1000, 1);
    {
      sycl::buffer<int> b(v.data(), 1000);
      for (int i = 0; i < 100; ++i) add(q, b, 1);
      exp::command_graph graph{q};
      graph.begin_recording(q);
      for (int i = 0; i < 5; ++i) add(q, b, 1, 20us);
      q.submit([&](sycl::handler& g) {
        sycl::accessor a{b, g};
        g.host_task([a] { a[0] += 1; });
      });
      graph.end_recording(q);
      const auto exec = graph.finalize();
      for (int i = 0; i < 20; ++i) q.ext_oneapi_graph(exec);
      q.submit([&](sycl::handler& g) {
        sycl::accessor a{b, g};
        g.parallel_for(sycl::nd_range<1>(1000, 100), [=](sycl::nd_item<1> it) {
          sycl::group_barrier(it.get_group());
          a[it.get_global_id()] += 1;
        });
      });
      // Host tasks that need each other, whatever the number of threads.
      std::atomic<int> arrived{0};
      for (int i = 0; i < 3; ++i)
        q.submit([&](sycl::handler& g) {
          g.host_task([&arrived] {
            ++arrived;
            while (arrived < 3) std::this_thread::yield();
          });
        });
      q.wait();
    }
    if (v[0] != 1 + 100 + 100 + 20 + 1 || v[999] != 1 + 100 + 100 + 1) {
      std::printf("wrong: %d %d\n", v[0], v[999]);
      return 1;
    }
  }
  std::printf("works\n");
  return 0;
}

// `wait` needs the end of an accessor that the calling thread holds: another thread ends it, once the hint is there.
template <class Accessor = sycl::host_accessor<int>>
int hint_for(sycl::buffer<int>& b, const std::function<void()>& wait) {
  std::fflush(stderr);
  int ends[2];
  const int terminal = dup(2);
  if (terminal < 0 || pipe(ends) != 0 || dup2(ends[1], 2) < 0) return 1;
  std::optional<Accessor> held(std::in_place, b);
  std::string hint;
  std::thread other([&] {
    pollfd readable{ends[0], POLLIN, 0};
    char c = 0;
    while (c != '\n' && poll(&readable, 1, 60'000) > 0 && read(ends[0], &c, 1) == 1) hint += c;
    held.reset();
  });
  wait();
  other.join();
  dup2(terminal, 2);
  std::printf("%s", hint.c_str());
  return 0;
}

int hint_for_an_accessor() {
  sycl::buffer<int, 2> b({4, 6});
  sycl::buffer<int> lines = b.reinterpret<int>(sycl::range<1>(24));
  return hint_for(lines, [&] { sycl::host_accessor{b, sycl::read_only}; });
}

int hint_for_a_queue() {
  sycl::queue q;
  sycl::buffer<int> b(16);
  return hint_for(b, [&] {
    add(q, b, 1);
    q.wait();
  });
}

int hint_for_a_writer() {
  sycl::queue q;
  sycl::buffer<int> b(16);
  return hint_for<sycl::host_accessor<const int>>(b, [&] {
    add(q, b, 1);
    q.wait();
  });
}

int hint_for_an_event() {
  sycl::queue q;
  sycl::buffer<int> b(16), c(16);
  return hint_for(b, [&] {
    q.submit([&](sycl::handler& g) {
      sycl::accessor from{b, g, sycl::read_only};
      sycl::accessor to{c, g, sycl::write_only};
      g.copy(from, to);
    });
    sycl::event last = q.submit([&](sycl::handler& g) {
      sycl::accessor a{c, g};
      g.host_task([a] { a[0] = 1; });
    });
    last.wait();
  });
}

int hint_for_the_end_of_a_buffer() {
  sycl::queue q;
  sycl::buffer<int> b(16);
  return hint_for(b, [&] {
    ints data(16);
    sycl::buffer<int> c(data.data(), 16);
    q.submit([&](sycl::handler& g) {
      sycl::accessor from{b, g, sycl::read_only};
      sycl::accessor to{c, g, sycl::write_only};
      g.copy(from, to);
    });
  });
}

// What a thread may do while it holds accessors.
int waits_that_need_no_hint() {
  sycl::queue q;
  sycl::buffer<int> b(16), c(16);
  {
    const sycl::host_accessor one{b, sycl::read_only}, other{b, sycl::read_only};
    const sycl::host_accessor third{c};
    q.submit([&](sycl::handler& g) {
       sycl::accessor a{b, g, sycl::read_only};
       g.host_task([a] {
         static_cast<void>(a[0]);
         std::this_thread::sleep_for(20ms);
       });
     }).wait();
  }
  {
    constexpr std::size_t n = 1 << 22;
    sycl::buffer<int> large(n), other(n);
    {
      sycl::host_accessor{large, sycl::write_only, sycl::no_init}[0] = 1;
    }
    const sycl::host_accessor reads{large, sycl::read_only};
    q.submit([&](sycl::handler& g) {  // brings it to the device
      sycl::accessor from{large, g, sycl::read_only};
      sycl::accessor to{other, g, sycl::write_only, sycl::no_init};
      g.copy(from, to);
    });
    q.wait();
  }
  // For an accessor of another thread.
  std::atomic<bool> held{false};
  std::thread holder([&] {
    const sycl::host_accessor a{b};
    held = true;
    std::this_thread::sleep_for(20ms);
  });
  while (!held) std::this_thread::yield();
  {
    const sycl::host_accessor a{b};
  }
  holder.join();
  // For commands that do not need the one it holds, which has ended its first one.
  const sycl::host_accessor mine{c};
  add(q, b, 1, 20ms);
  q.wait();
  std::printf("works\n");
  return 0;
}

int wait_that_another_thread_ends() {
  sycl::queue q;
  sycl::buffer<int> b(16);
  std::optional<sycl::host_accessor<int>> held(std::in_place, b);
  std::thread other([&] {
    std::this_thread::sleep_for(20ms);
    held.reset();
  });
  add(q, b, 1);
  q.wait();
  other.join();
  std::printf("works\n");
  return 0;
}

// Its condition stays as it is 199 times.
int hint_for_a_loop() {
  namespace exp = sycl::ext::oneapi::experimental;
  sycl::queue q;
  int* const goes_on = sycl::malloc_host<int>(1, q);
  int* const runs = sycl::malloc_shared<int>(1, q);
  *goes_on = 1;
  *runs = 0;
  exp::command_graph body(q), graph(q);
  body.add([&](sycl::handler& h) {
    h.single_task([=] {
      *runs += 1;
      *goes_on = *runs < 200 ? 1 : 0;
    });
  });
  graph.add([&](sycl::handler& h) { sycl::ext::pianola::add_while(h, goes_on, body.finalize()); });
  q.ext_oneapi_graph(graph.finalize()).wait();
  std::printf("%d\n", *runs);
  sycl::free(goes_on, q);
  sycl::free(runs, q);
  return 0;
}

int repeat_until_captured() {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(16)};
  for (int i = 0; i < 64; ++i)
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h);
      h.parallel_for(sycl::range<1>(16), [=](sycl::id<1> at) { a[at] += 1; });
    });
  q.wait();
  std::puts(sycl::ext::pianola::get_auto_capture_statistics().replays != 0 ? "captured"
                                                                           : "submitted");
  return 0;
}

// A kernel of the device's and a task of the host's take turns on it.
int loop_that_moves() {
  namespace exp = sycl::ext::oneapi::experimental;
  sycl::queue q;
  sycl::buffer<int> moves{sycl::range<1>(64)}, stays{sycl::range<1>(64)};
  moves.set_final_data(nullptr);
  exp::command_graph body(q), graph(q);
  body.add([&](sycl::handler& h) {
    sycl::accessor a(moves, h, sycl::write_only, sycl::no_init);
    sycl::accessor b(stays, h);
    h.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) { a[i] = b[i] += 1; });
  });
  body.add([&](sycl::handler& h) {
    sycl::accessor a(moves, h, sycl::read_only_host_task);
    h.host_task([=] { std::printf("%d\n", a[0]); });
  });
  graph.add([&](sycl::handler& h) {
    sycl::accessor b(stays, h, sycl::write_only, sycl::no_init);
    h.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) { b[i] = 0; });
  });
  graph.add([&](sycl::handler& h) { sycl::ext::pianola::add_repeat(h, 2, body.finalize()); });
  q.ext_oneapi_graph(graph.finalize()).wait();
  return 0;
}

int start_with_few_threads() {
#if !defined(PIANOLA_EDGES_LIMITS_THREADS)
  return 77;
#endif
  try {
    sycl::queue q;
    sycl::buffer<int> b(16);
    add(q, b, 1);
    q.wait();
    std::printf("works\n");
  } catch (const sycl::exception& e) {
    std::printf("%s: %s\n", e.code() == sycl::errc::platform ? "platform" : "?", e.what());
  }
  std::fflush(stdout);
  return 0;
}

const std::map<std::string, std::function<int()>> cases = {
    {"few-threads", start_with_few_threads},
    {"exit-kernels", exit_with_kernels_in_flight},
    {"exit-host-task", exit_with_host_task_in_flight},
    {"exit-graph", exit_with_graph_in_flight},
    {"exit-output", exit_with_output_on_its_way},
    {"static-late", static_objects_that_end_late},
    {"static-function", static_objects_of_a_function},
    {"static-parts", static_buffer_of_parts},
    {"static-works", static_object_that_works_at_the_end},
    {"static-starts", static_object_that_starts_the_runtime},
    {"thread-local-works", thread_local_object_that_works_at_the_end},
    {"fork-after", fork_after_the_start},
    {"fork-capture", fork_while_queues_capture},
    {"fork-before", fork_before_the_start},
    {"unhandled", unhandled_error},
    {"devices", list_devices},
    {"work", work},
    {"hint-accessors", hint_for_an_accessor},
    {"hint-queue", hint_for_a_queue},
    {"hint-event", hint_for_an_event},
    {"hint-writer", hint_for_a_writer},
    {"hint-buffer", hint_for_the_end_of_a_buffer},
    {"hint-loop", hint_for_a_loop},
    {"moving-loop", loop_that_moves},
    {"repeats", repeat_until_captured},
    {"no-hint", waits_that_need_no_hint},
    {"no-hint-wanted", wait_that_another_thread_ends},
};

}  // namespace

int main(int argc, char** argv) {
  // A hang ends by a signal.
  alarm(100);
  if (argc == 3) threads_left = std::atoi(argv[2]);
  const auto it = argc == 2 || argc == 3 ? cases.find(argv[1]) : cases.end();
  return it == cases.end() ? 99 : it->second();
}
