// SPDX-License-Identifier: Apache-2.0
// A program that uses a bit of everything on a graphics processor and the CPU, and knows what it may find where a call
// of the driver has failed.
#pragma once
#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include <sycl/sycl.hpp>

namespace pianola::test {

class small_program {
 public:
  static constexpr int size = 64;

  // Empty, or what is wrong. Errors that were reported are in `errors`.
  std::string run(bool recorded) {
    errors.clear();
    std::string wrong;
    try {
      wrong = recorded ? run_recorded() : run_eager();
    } catch (const sycl::exception& e) {
      errors.push_back(e.what());
    } catch (const std::exception& e) {
      wrong = std::string("an exception that is not SYCL's: ") + e.what();
    }
    return wrong;
  }

  // What a queue on the CPU does is none of the other device's business.
  std::string run_on_cpu() {
    try {
      sycl::queue q(sycl::cpu_selector_v);
      std::vector<int> v(size, 1);
      {
        sycl::buffer<int> b(v.data(), sycl::range<1>(size));
        add(q, b, 4);
        add(q, b, 5);
      }
      return v == std::vector<int>(size, 10) ? "" : "the CPU computes something else";
    } catch (const std::exception& e) {
      return std::string("the CPU: ") + e.what();
    }
  }

  std::vector<std::string> errors;

 private:
  static void add(sycl::queue& q, sycl::buffer<int>& b, int n) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a{b, h, sycl::read_write};
      h.parallel_for(b.get_range(), [=](sycl::id<1> i) { a[i] += n; });
    });
  }
  static void sum(sycl::queue& q, sycl::buffer<int>& from, sycl::buffer<int>& to) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a{from, h, sycl::read_only};
      sycl::accessor b{to, h, sycl::read_write};
      h.parallel_for(to.get_range(), [=](sycl::id<1> i) { b[i] += a[i]; });
    });
  }
  static void add_on_host(sycl::queue& q, sycl::buffer<int>& b, int n) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::host_task> a{b, h};
      h.host_task([=] {
        for (int i = 0; i < size; ++i) a[i] += n;
      });
    });
  }

  template <class Selector>
  sycl::queue queue_on(const Selector& selector) {
    return sycl::queue(selector, [this](const sycl::exception_list& list) {
      for (const std::exception_ptr& e : list) {
        try {
          std::rethrow_exception(e);
        } catch (const std::exception& x) {
          errors.push_back(x.what());
        }
      }
    });
  }

  // All elements of a buffer are alike, whatever was left out; where it cannot be told, reading it says why.
  std::string look(sycl::buffer<int>& b, int expected, const char* name) {
    int first = 0;
    try {
      sycl::host_accessor a{b, sycl::read_only};
      first = a[0];
      for (int i = 1; i < size; ++i)
        if (a[i] != first)
          return std::string(name) + ": element " + std::to_string(i) + " is " +
                 std::to_string(a[i]) + ", the first one " + std::to_string(first);
    } catch (const sycl::exception& e) {
      errors.push_back(e.what());
      return "";
    }
    if (first == expected) return "";
    return errors.empty() ? std::string(name) + ": " + std::to_string(first) + " instead of " +
                                std::to_string(expected) + ", and no error"
                          : "";
  }

  // Data that the CPU has made and the device only reads: it is there whatever happens to the device.
  std::string look_at_kept(sycl::buffer<int>& b) {
    try {
      sycl::host_accessor a{b, sycl::read_only};
      for (int i = 0; i < size; ++i)
        if (a[i] != 3) return "data of the CPU was lost: " + std::to_string(a[i]);
      return "";
    } catch (const std::exception& e) {
      return std::string("data of the CPU was lost: ") + e.what();
    }
  }

  std::string run_eager() {
    std::vector<int> start(size, 1), start_of_b(size, 1), back(size, 0), ones(size, 1);
    sycl::buffer<int> kept{sycl::range<1>(size)}, a(start.data(), sycl::range<1>(size)),
        b(start_of_b.data(), sycl::range<1>(size));
    a.set_final_data(nullptr);
    b.set_final_data(nullptr);
    sycl::queue cpu = queue_on(sycl::cpu_selector_v);
    cpu.submit([&](sycl::handler& h) {
      sycl::accessor x{kept, h, sycl::write_only, sycl::no_init};
      h.parallel_for(kept.get_range(), [=](sycl::id<1> i) { x[i] = 3; });
    });
    std::string wrong;
    int* device = nullptr;
    try {
      sycl::queue q = queue_on(sycl::gpu_selector_v);
      device = sycl::malloc_device<int>(size, q);
      if (device == nullptr) errors.push_back("no memory");
      try {
        sum(q, kept, a);
        q.submit([&](sycl::handler& h) {
          sycl::accessor x{b, h, sycl::write_only, sycl::no_init};
          h.fill(x, 7);
        });
        add(q, b, 1);
        add_on_host(q, a, 10);
        sum(q, b, a);
        if (device != nullptr) {
          const sycl::event e = q.memcpy(device, ones.data(), sizeof(int) * size);
          const sycl::event f = q.parallel_for(sycl::range<1>(size), e,
                                               [=](sycl::id<1> i) { device[i] += int(i[0]); });
          q.memcpy(back.data(), device, sizeof(int) * size, f);
        }
        add(cpu, b, 1);
      } catch (const sycl::exception& e) {
        errors.push_back(e.what());
      }
      q.wait_and_throw();
      cpu.wait_and_throw();
      if (errors.empty())
        for (int i = 0; i < size; ++i)
          if (back[i] != i + 1) wrong = "a copy from the device is wrong, and no error";
      if (wrong.empty()) wrong = look(a, 22, "a");
      if (wrong.empty()) wrong = look(b, 9, "b");
      if (device != nullptr) sycl::free(device, q);
    } catch (const sycl::exception& e) {
      errors.push_back(e.what());
    }
    if (wrong.empty()) wrong = look_at_kept(kept);
    return wrong;
  }

  std::string run_recorded() {
    namespace exp = sycl::ext::oneapi::experimental;
    std::vector<int> start(size, 1), start_of_b(size, 1);
    sycl::buffer<int> kept{sycl::range<1>(size)}, a(start.data(), sycl::range<1>(size)),
        b(start_of_b.data(), sycl::range<1>(size));
    a.set_final_data(nullptr);
    b.set_final_data(nullptr);
    sycl::queue cpu = queue_on(sycl::cpu_selector_v);
    cpu.submit([&](sycl::handler& h) {
      sycl::accessor x{kept, h, sycl::write_only, sycl::no_init};
      h.parallel_for(kept.get_range(), [=](sycl::id<1> i) { x[i] = 3; });
    });
    std::string wrong;
    try {
      sycl::queue q = queue_on(sycl::gpu_selector_v);
      try {
        exp::command_graph g(q.get_context(), q.get_device());
        g.begin_recording(q);
        sum(q, kept, a);
        q.submit([&](sycl::handler& h) {
          sycl::accessor x{b, h, sycl::write_only, sycl::no_init};
          h.fill(x, 7);
        });
        add(q, b, 1);
        add_on_host(q, a, 10);
        sum(q, b, a);
        g.end_recording(q);
        auto replay = g.finalize();
        for (int i = 0; i < 3; ++i) q.ext_oneapi_graph(replay);
        add(cpu, b, 1);
      } catch (const sycl::exception& e) {
        errors.push_back(e.what());
      }
      q.wait_and_throw();
      cpu.wait_and_throw();
      wrong = look(a, 1 + 3 * 21, "a");
      if (wrong.empty()) wrong = look(b, 9, "b");
    } catch (const sycl::exception& e) {
      errors.push_back(e.what());
    }
    if (wrong.empty()) wrong = look_at_kept(kept);
    return wrong;
  }
};

}  // namespace pianola::test
