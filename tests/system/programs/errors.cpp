// SPDX-License-Identifier: Apache-2.0
// What programs do about errors: codes of exceptions thrown at once, asynchronous ones by a handler of the queue.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <stdexcept>
#include <string>

using namespace sycl;

template <typename F>
bool throws(const char* what, errc expected, F&& f) {
  try {
    f();
  } catch (const sycl::exception& e) {
    if (e.code() == expected && e.category() == sycl_category() && !std::string(e.what()).empty())
      return true;
    std::printf("errors: %s: another code, %d: %s\n", what, e.code().value(), e.what());
    return false;
  }
  std::printf("errors: %s: no exception\n", what);
  return false;
}

int main() {
  int seen = 0;
  std::string message;
  const auto on_error = [&](exception_list list) {
    for (const std::exception_ptr& e : list) try {
        std::rethrow_exception(e);
      } catch (const std::runtime_error& error) {
        ++seen;
        message = error.what();
      } catch (const sycl::exception& error) {
        seen += 100;
        std::printf("errors: another one: %s\n", error.what());
      }
  };
  queue q(default_selector_v, on_error);
  bool right = true;

  right &= throws("a work-group larger than any device has", errc::nd_range, [&] {
    const size_t most = q.get_device().get_info<info::device::max_work_group_size>();
    q.parallel_for(nd_range<1>(most * 4, most * 4), [=](nd_item<1>) {}).wait();
  });
  right &= throws("a range that its groups do not divide", errc::nd_range, [&] {
    q.submit([](handler& h) { h.parallel_for(nd_range<1>(10, 4), [=](nd_item<1>) {}); });
  });
  right &= throws("a selector that wants nothing", errc::runtime,
                  [] { device d([](const device&) { return -1; }); });
  right &= throws("an accessor beyond its buffer", errc::invalid, [&] {
    buffer<int> b(8);
    q.submit([&](handler& h) {
      accessor a(b, h, range<1>(6), id<1>(4), read_write);
      h.single_task([=] { a[0] = 1; });
    });
  });
  right &= throws("two actions in one command group", errc::invalid, [&] {
    q.submit([&](handler& h) {
      h.single_task([=] {});
      h.single_task([=] {});
    });
  });

  int after = 0;
  {
    buffer<int> b(&after, 1);
    q.submit([&](handler& h) {
      accessor a{b, h, read_write_host_task};
      h.host_task([=] {
        a[0] = 1;
        throw std::runtime_error("from the host task");
      });
    });
    q.wait_and_throw();
  }
  if (seen != 1 || message != "from the host task" || after != 1) {
    std::printf("errors: the handler saw %d errors, '%s'; the buffer holds %d\n", seen,
                message.c_str(), after);
    right = false;
  }
  // The queue goes on.
  q.single_task([=] {}).wait_and_throw();
  return right ? 0 : 1;
}
