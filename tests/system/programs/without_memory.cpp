// SPDX-License-Identifier: Apache-2.0
// Operations in the middle of which the program's memory runs out: the n-th allocation of the calling thread fails, for each n
// in turn. Whatever was attempted has happened, or has thrown and has not happened; what comes later is right, and ends.
// Two processes, of which one has a single thread, which then does all of the work while it waits for it.
// host only: drivers have allocations of their own
// devices: simulated:2
// option: -fno-builtin
#include <sycl/sycl.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr long never = -1;
thread_local long allocations_left = never;
thread_local bool has_failed = false;

void* allocated(std::size_t bytes, std::size_t alignment) {
  if (allocations_left != never && allocations_left-- == 0) {
    allocations_left = never;
    has_failed = true;
    throw std::bad_alloc();
  }
  void* p = alignment <= alignof(std::max_align_t)
                ? std::malloc(bytes == 0 ? 1 : bytes)
                : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

}  // namespace

void* operator new(std::size_t n) { return allocated(n, 0); }
void* operator new[](std::size_t n) { return allocated(n, 0); }
void* operator new(std::size_t n, std::align_val_t a) { return allocated(n, std::size_t(a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return allocated(n, std::size_t(a)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
  try {
    return allocated(n, 0);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace {

using namespace sycl;
namespace exp = sycl::ext::oneapi::experimental;
namespace pia = sycl::ext::pianola;

constexpr std::size_t size = 256;
constexpr int torn = -1000000;  // not all elements are alike

// Where the process is, for who has to end it.
char place[160] = "";
void tell_and_end(int signal) {
  const char* what = signal == SIGALRM ? ": hangs\n" : ": the process ends\n";
  for (const char* text : {"without_memory: ", static_cast<const char*>(place), what})
    if (write(1, text, std::char_traits<char>::length(text)) < 0) break;
  _exit(1);
}

void add(queue& q, buffer<int>& b, int n, std::size_t first = 0, std::size_t count = size) {
  q.submit([&](handler& h) {
    accessor a{b, h, range<1>(count), id<1>(first), read_write};
    h.parallel_for(range<1>(count), [=](id<1> i) { a[i] += n; });
  });
}
void copy(queue& q, buffer<int>& from, buffer<int>& to) {
  q.submit([&](handler& h) {
    accessor a{from, h, read_only};
    accessor b{to, h, write_only, no_init};
    h.parallel_for(range<1>(size), [=](id<1> i) { b[i] = a[i]; });
  });
}
int value_of(buffer<int>& b) {
  host_accessor a{b, read_only};
  for (std::size_t i = 1; i < size; ++i)
    if (a[i] != a[0]) return torn;
  return a[0];
}

// What an operation works with, anew for each allocation that fails.
struct scene {
  long fails;
  int told = 0;  // asynchronous errors
  async_handler on_error = [this](exception_list all) { told += static_cast<int>(all.size()); };
  std::vector<int> memory = std::vector<int>(size, 1);
  queue first, second;
  buffer<int> data{range<1>(size)}, other{range<1>(size)};
  int expected = 1;    // all elements of `data`
  bool threw = false;  // what was attempted
  std::string wrong;

  scene(long n, bool captures)
      : fails(n),
        first(device::get_devices().front(), on_error,
              captures
                  ? property_list{property::queue::in_order(), pia::property::queue::auto_capture()}
                  : property_list{property::queue::in_order()}),
        second(device::get_devices().back(), on_error) {
    host_accessor a{data, write_only, no_init};
    for (std::size_t i = 0; i < size; ++i) a[i] = 1;
  }

  // Memory runs out in this.
  template <class F>
  bool attempt(F&& f) {
    allocations_left = fails;
    try {
      f();
    } catch (const std::exception&) {
      threw = true;
    }
    allocations_left = never;
    return !threw;
  }
  void expect(const char* what, int is, int should) {
    // Who was told that something did not run does not know what the data is.
    if (is == torn || (is != should && told == 0))
      wrong += std::string(what) + " is " + (is == torn ? "torn" : std::to_string(is)) +
               " instead of " + std::to_string(should) + (threw ? ", after an exception; " : "; ");
  }
  // What was refused may be told of once more, by who reads first.
  int read(buffer<int>& b) {
    try {
      return value_of(b);
    } catch (const sycl::exception&) {
      if (!threw) throw;
      return value_of(b);
    }
  }
  // What comes later.
  void go_on() {
    first.wait_and_throw();
    second.wait_and_throw();
    const int now = read(data);
    expect("the data", now, expected);
    told = 0;
    add(second, data, 10);
    add(first, data, 100);
    add(second, data, 1000, 0, size / 2);
    add(first, data, 1000, size / 2, size / 2);
    copy(second, data, other);
    second.wait_and_throw();
    first.wait_and_throw();
    expect("a copy made later", value_of(other), now + 1110);
    expect("the data later", value_of(data), now + 1110);
  }
};

using modifiable = exp::command_graph<exp::graph_state::modifiable>;

// A graph that adds n, in parts.
modifiable recorded(scene& s, int n) {
  modifiable g(s.first.get_context(), s.first.get_device());
  g.begin_recording(s.first);
  add(s.first, s.data, n);
  copy(s.first, s.data, s.other);
  g.end_recording(s.first);
  return g;
}

// Commands of the queue wait for the end of this.
class gate {
 public:
  explicit gate(queue& q) {
    q.submit([&](handler& h) {
      h.host_task([open = open_] {
        while (!open->load()) usleep(50);
      });
    });
  }
  ~gate() { open_->store(true); }

 private:
  std::shared_ptr<std::atomic<bool>> open_ = std::make_shared<std::atomic<bool>>(false);
};

struct operation {
  const char* name;
  std::function<void(scene&)> run;
  bool captures = false;
};

const operation operations[] = {
    {"submit",
     [](scene& s) {
       if (s.attempt([&] { add(s.first, s.data, 1); })) s.expected += 1;
     }},
    {"submit to another device",
     [](scene& s) {
       add(s.first, s.data, 1);
       s.expected += s.attempt([&] { add(s.second, s.data, 1); }) ? 2 : 1;
     }},
    {"submit to another queue behind parts",
     [](scene& s) {
       add(s.first, s.data, 1, 0, 10);
       add(s.second, s.data, 1, 10, 20);
       add(s.first, s.data, 1, 30, size - 30);
       s.expected += s.attempt([&] { add(s.second, s.data, 1); }) ? 2 : 1;
     }},
    {"submit a part",
     [](scene& s) {
       add(s.first, s.data, 1);
       s.expected += 1;
       // All of it, or what is left is made up for.
       if (s.attempt([&] { add(s.second, s.data, 1, 5, 90); })) {
         add(s.first, s.data, 1, 0, 5);
         add(s.first, s.data, 1, 95, size - 95);
         s.expected += 1;
       }
     }},
    {"submit the reading of many queues",
     [](scene& s) {
       std::vector<queue> queues;
       for (int i = 0; i < 6; ++i) queues.emplace_back(s.first.get_device(), s.on_error);
       std::vector<buffer<int>> copies;
       for (int i = 0; i < 6; ++i) copies.emplace_back(range<1>(size));
       s.attempt([&] {
         for (int i = 0; i < 6; ++i) copy(queues[i], s.data, copies[i]);
       });
     }},
    {"submit a host task",
     [](scene& s) {
       add(s.first, s.data, 1);
       s.expected += s.attempt([&] {
         s.second.submit([&](handler& h) {
           accessor<int, 1, access_mode::read_write, target::host_task> a{s.data, h};
           h.host_task([=] {
             for (std::size_t i = 0; i < size; ++i) a[i] += 1;
           });
         });
       })
                         ? 2
                         : 1;
     }},
    {"memory without buffers",
     [](scene& s) {
       int* const p = malloc_shared<int>(size, s.first);
       s.first.fill(p, 3, size).wait();
       const bool done =
           s.attempt([&] { s.first.parallel_for(range<1>(size), [=](id<1> i) { p[i] += 1; }); });
       s.first.wait();
       s.expect("shared memory", p[size - 1], done ? 4 : 3);
       free(p, s.first);
     }},
    {"malloc and memcpy",
     [](scene& s) {
       int* p = nullptr;
       std::vector<int> back(size, 0);
       const bool done = s.attempt([&] {
         p = malloc_device<int>(size, s.first);
         if (p == nullptr) throw std::bad_alloc();
         s.first.memcpy(p, s.memory.data(), size * sizeof(int));
         s.first.memcpy(back.data(), p, size * sizeof(int));
       });
       s.first.wait();
       if (done) s.expect("what was copied", back[size - 1], 1);
       if (p != nullptr) free(p, s.first);
     }},
    {"reduction",
     [](scene& s) {
       add(s.first, s.data, 1);
       s.expected += 1;
       buffer<int> sum{range<1>(1)};
       {
         host_accessor a{sum, write_only, no_init};
         a[0] = 5;
       }
       const bool done = s.attempt([&] {
         s.second.submit([&](handler& h) {
           accessor a{s.data, h, read_only};
           h.parallel_for(range<1>(size), reduction(sum, h, plus<int>()),
                          [=](id<1> i, auto& r) { r += a[i]; });
         });
       });
       const auto found = [&] {
         host_accessor a{sum, read_only};
         return a[0];
       };
       if (!done) try {
           found();
         } catch (const sycl::exception&) {
         }
       s.expect("the sum", found(), done ? 5 + 2 * static_cast<int>(size) : 5);
     }},
    {"host accessor",
     [](scene& s) {
       add(s.second, s.data, 1);
       s.expected += 1;
       if (s.attempt([&] {
             host_accessor a{s.data};
             for (std::size_t i = 0; i < size; ++i) a[i] += 1;
           }))
         s.expected += 1;
     }},
    {"host accessor of a part",
     [](scene& s) {
       add(s.second, s.data, 1);
       s.expected += 1;
       int found = s.expected;
       s.attempt([&] {
         host_accessor a{s.data, range<1>(20), id<1>(7), read_only};
         found = a[3];
       });
       s.expect("what was read", found, s.expected);
     }},
    {"end of a buffer",
     [](scene& s) {
       {
         auto b = std::make_unique<buffer<int>>(s.memory.data(), range<1>(size));
         add(s.second, *b, 1);
         s.attempt([&] { b.reset(); });
       }
       s.first.wait_and_throw();
       s.second.wait_and_throw();
       s.expect("memory of the program", s.memory[size - 1], 2);
     }},
    {"record and finalize",
     [](scene& s) {
       const bool done = s.attempt([&] {
         auto e = recorded(s, 1).finalize();
         s.first.ext_oneapi_graph(e);
       });
       if (done) s.expected += 1;
       // A recording that was not ended has ended with its graph.
     }},
    {"launch",
     [](scene& s) {
       auto e = recorded(s, 1).finalize();
       s.first.ext_oneapi_graph(e);
       add(s.second, s.data, 1);
       s.expected += 2;
       if (s.attempt([&] { s.first.ext_oneapi_graph(e); })) s.expected += 1;
       s.first.ext_oneapi_graph(e);
       s.expected += 1;
     }},
    {"launch again",
     [](scene& s) {
       auto e = recorded(s, 1).finalize();
       for (int i = 0; i < 3; ++i) s.first.ext_oneapi_graph(e);
       s.expected += 3;
       if (s.attempt([&] { s.first.ext_oneapi_graph(e); })) s.expected += 1;
     }},
    {"use after launches",
     [](scene& s) {
       auto e = recorded(s, 1).finalize();
       for (int i = 0; i < 3; ++i) s.first.ext_oneapi_graph(e);
       s.expected += 3;
       if (s.attempt([&] { add(s.second, s.data, 1); })) s.expected += 1;
     }},
    {"update",
     [](scene& s) {
       auto e = recorded(s, 1).finalize(exp::property::graph::updatable{});
       s.first.ext_oneapi_graph(e);
       s.expected += 1;
       auto more = recorded(s, 5);
       s.first.wait();
       const bool done = s.attempt([&] { e.update(more); });
       s.first.ext_oneapi_graph(e);
       s.expected += done ? 5 : 1;
     }},
    {"update under way",
     [](scene& s) {
       auto e = recorded(s, 1).finalize(exp::property::graph::updatable{});
       auto more = recorded(s, 5), back = recorded(s, 7);
       bool done = false;
       {
         const gate closed(s.first);
         s.first.ext_oneapi_graph(e);
         s.expected += 1;
         done = s.attempt([&] { e.update(more); });
         s.first.ext_oneapi_graph(e);
         s.expected += done ? 5 : 1;
         e.update(back);
         s.first.ext_oneapi_graph(e);
         s.expected += 7;
       }
       s.first.wait();
       e.update(more);
       s.first.ext_oneapi_graph(e);
       s.expected += 5;
     }},
    {"launch with values",
     [](scene& s) {
       pia::graph_parameter<buffer<int>> to{range<1>(size)};
       modifiable g(s.first.get_context(), s.first.get_device());
       g.add([&](handler& h) {
         accessor a{s.data, h, read_only};
         accessor b{*to, h, write_only, no_init};
         h.parallel_for(range<1>(size), [=](id<1> i) { b[i] = a[i] + 1; });
       });
       auto e = g.finalize();
       buffer<int> one{range<1>(size)}, two{range<1>(size)};
       s.first.ext_oneapi_graph(e, {to = one});
       const bool done = s.attempt([&] { s.first.ext_oneapi_graph(e, {to = two}); });
       if (done) s.expect("the second buffer", value_of(two), 2);
       s.expect("the first buffer", value_of(one), 2);
       s.first.ext_oneapi_graph(e, {to = s.other});
       s.expect("a later buffer", value_of(s.other), 2);
     }},
    {"wait",
     [](scene& s) {
       add(s.first, s.data, 1);
       s.expected += 1;
       s.attempt([&] { s.first.wait_and_throw(); });
     }},
    {"captured loop",
     [](scene& s) {
       const auto round = [&] {
         add(s.first, s.data, 1);
         s.expected += 1;
         copy(s.first, s.data, s.other);
         copy(s.first, s.other, s.data);
       };
       for (int i = 0; i < 12; ++i) round();
       for (int i = 0; i < 8; ++i)
         s.attempt([&] {
           add(s.first, s.data, 1);
           s.expected += 1;
           copy(s.first, s.data, s.other);
           copy(s.first, s.other, s.data);
         });
       for (int i = 0; i < 9; ++i) round();
     },
     true},
    {"loop that is to be captured",
     [](scene& s) {
       s.attempt([&] {
         for (int i = 0; i < 40; ++i) {
           add(s.first, s.data, 1);
           s.expected += 1;
           copy(s.first, s.data, s.other);
         }
       });
     },
     true},
    {"what ends a captured loop",
     [](scene& s) {
       for (int i = 0; i < 45; ++i) {
         add(s.first, s.data, 1);
         copy(s.first, s.data, s.other);
       }
       s.expected += 45;
       s.attempt([&] { value_of(s.data); });
     },
     true},
};

bool run(const operation& o, const char* only, long from) {
  if (only != nullptr && std::string(only) != o.name) return true;
  bool right = true;
  for (long n = from;; ++n) {
    std::snprintf(place, sizeof place, "%s, allocation %ld", o.name, n);
    alarm(300);
    has_failed = false;
    std::string wrong;
    try {
      scene s(n, o.captures);
      o.run(s);
      allocations_left = never;
      s.go_on();
      wrong = s.wrong;
    } catch (const std::exception& e) {
      allocations_left = never;
      wrong = std::string("what comes later throws: ") + e.what();
    }
    if (!wrong.empty()) {
      right = false;
      std::printf("without_memory: %s: %s\n", place, wrong.c_str());
    }
    if (!has_failed) {
      if (only != nullptr) std::printf("%s: %ld allocations\n", o.name, n);
      return right;
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  const pid_t alone = fork();
  if (alone == 0) setenv("OMP_NUM_THREADS", "1", 1);
  for (const int s : {SIGALRM, SIGABRT, SIGSEGV}) std::signal(s, tell_and_end);
  bool right = true;
  for (const operation& o : operations)
    right = run(o, count > 1 ? arguments[1] : nullptr, count > 2 ? std::atol(arguments[2]) : 0) &&
            right;
  if (alone == 0) return right ? 0 : 1;
  int status = 0;
  if (waitpid(alone, &status, 0) != alone || status != 0) {
    std::printf("without_memory: not right with one thread\n");
    right = false;
  }
  if (right) std::printf("without_memory: right\n");
  return right ? 0 : 1;
}
