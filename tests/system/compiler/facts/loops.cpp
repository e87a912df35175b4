// SPDX-License-Identifier: Apache-2.0
// loops HOW: loops whose condition is in USM. Prints the error of one that no kernel of its body ends, or how often the others ran.
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sycl/sycl.hpp>

namespace {

namespace graphs = sycl::ext::oneapi::experimental;

// Three words of memory, the last of which is the condition.
struct flag_after_two {
  int count, unused, flag;
};

template <class Body>
void run_until_zero(sycl::queue& q, int* condition, const Body& body) {
  graphs::command_graph recorded(q), graph(q);
  recorded.add([&](sycl::handler& h) { h.single_task(body); });
  graph.add_while(condition, recorded.finalize());
  auto made = graph.finalize();
  q.ext_oneapi_graph(made).wait();
}

// Whoever looks after loops has said so.
void wait_for_a_line(const char* file) {
  struct stat now{};
  while (::stat(file, &now) != 0 || now.st_size == 0) std::this_thread::yield();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  sycl::queue q;
  int* const left = sycl::malloc_shared<int>(1, q);
  int* const counted = sycl::malloc_shared<int>(1, q);
  *left = 3;
  *counted = 0;
  try {
    if (how == "elsewhere") {
      run_until_zero(q, left, [=] { *counted += 1; });
    } else if (how == "there") {
      run_until_zero(q, left, [=] {
        *counted += 1;
        *left -= 1;
      });
    } else if (how == "beside") {
      // The same allocation, from another address.
      auto* const all = sycl::malloc_shared<flag_after_two>(1, q);
      *all = {0, 0, 3};
      run_until_zero(q, &all->flag, [=] { all->count += 1, all->flag -= 1; });
      *counted = all->count;
      sycl::free(all, q);
    } else if (how == "through_memory") {
      // What leads there is not among the kernel's arguments.
      int** const way = sycl::malloc_shared<int*>(1, q);
      *way = left;
      run_until_zero(q, left, [=] {
        *counted += 1;
        **way -= 1;
      });
      sycl::free(way, q);
    } else if (how == "from_outside") {
      // The host ends it, when a line of the log says that it lasts.
      const int file = ::open("told", O_CREAT | O_WRONLY | O_TRUNC | O_APPEND, 0600);
      if (file < 0 || ::dup2(file, 2) < 0) return 1;
      std::thread end([=] {
        wait_for_a_line("told");
        __atomic_store_n(left, 0, __ATOMIC_RELEASE);
      });
      run_until_zero(q, left, [=] { *counted = *left; });
      end.join();
    }
    std::printf("%d\n", *counted);
  } catch (const sycl::exception& e) {
    std::printf("%s\n", e.what());
  }
  sycl::free(left, q);
  sycl::free(counted, q);
}
