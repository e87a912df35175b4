// SPDX-License-Identifier: Apache-2.0
// With PIANOLA_CHECK_BARRIERS=on a group whose work-items do not all come to a barrier is an error that says where; one
// whose work-items agree, though no compiler can know it, is none. Only pianolacc looks; the lines are the same without.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <sycl/sycl.hpp>

namespace {

constexpr std::size_t items = 32, all = 3 * items;

// What the run reports, apart from the place, which has to be in this file.
std::string run(const char* value, std::size_t bound) {
  setenv("PIANOLA_CHECK_BARRIERS", value, 1);
  std::string found = "nothing";
  sycl::queue queue([&found](const sycl::exception_list& list) {
    for (const std::exception_ptr& one : list) {
      try {
        std::rethrow_exception(one);
      } catch (const sycl::exception& e) {
        const std::string text = e.what();
        const bool whole = e.code() == sycl::errc::kernel &&
                           text.find("work-items of one group part at ") != std::string::npos &&
                           text.find("checked_barriers.cpp:36 ") != std::string::npos;
        found = whole ? "where they part" : text;
      }
    }
  });
  auto* out = sycl::malloc_shared<std::size_t>(all, queue);
  auto* end = sycl::malloc_shared<std::size_t>(1, queue);
  *end = bound;
  queue.parallel_for(sycl::nd_range<1>(all, items), [=](sycl::nd_item<1> item) {
    const std::size_t g = item.get_global_id(0);
    if (g >= *end) return;
    out[g] = g;
    sycl::group_barrier(item.get_group());
    if (item.get_local_id(0) == 0) out[g] += out[g + 1];
  });
  queue.wait_and_throw();
  sycl::free(out, queue);
  sycl::free(end, queue);
  return found;
}

void expect(const char* what, const std::string& found, const char* compiled) {
#if defined(__PIANOLACC__)
  std::printf("%s: %s\n", what, found == compiled ? "as it should be" : found.c_str());
#else
  (void)found, (void)compiled;
  std::printf("%s: as it should be\n", what);
#endif
}

}  // namespace

int main(int argc, char**) {
  // The variable is read once, when a group first parts: groups that agree do not ask.
  expect("all agree", run("on", all), "nothing");
  expect("a whole group leaves", run("on", 2 * items), "nothing");
  expect("some leave", run("on", all - 7), "where they part");
  expect("some leave later on", run("off", all - 7), "where they part");
  return argc - 1;
}
