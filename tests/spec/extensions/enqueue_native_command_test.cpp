// SPDX-License-Identifier: Apache-2.0
// sycl_ext_codeplay_enqueue_native_command and 4.10.2 with drivers: what the program puts into the native stream, and
// the nodes that it adds to the native graph, have their place among the queue's commands and the graph's nodes.
// compiled alone: others have its short names, too.
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

namespace experimental = sycl::ext::oneapi::experimental;
using sycl::backend;

constexpr std::size_t items = 16;

template <class F>
F* find(void* library, const char* name) {
  auto* const f = reinterpret_cast<F*>(dlsym(library, name));
  if (f == nullptr) throw std::runtime_error(std::string("no ") + name);
  return f;
}

void* open(const char* variable, const char* usual) {
  const char* const chosen = std::getenv(variable);
  void* const library = dlopen(chosen != nullptr ? chosen : usual, RTLD_NOW);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return library;
}

// What a program that knows the driver calls; all return 0 for success.
template <backend B>
struct native;

template <>
struct native<backend::cuda> {
  struct memset_parameters {
    unsigned long long to;
    std::size_t pitch;
    unsigned value, element_bytes;
    std::size_t width, height;
  };
  static void* driver() { return open("PIANOLA_CUDA_DRIVER", "libcuda.so.1"); }
  // In the thread's current context.
  static int fill(void* to, unsigned char value, std::size_t n, void* stream) {
    return find<int(unsigned long long, unsigned char, std::size_t, void*)>(
        driver(), "cuMemsetD8Async")(reinterpret_cast<std::uintptr_t>(to), value, n, stream);
  }
  static int add_fill(void* graph, void* to, unsigned char value, std::size_t n, void* context) {
    const memset_parameters p{reinterpret_cast<std::uintptr_t>(to), 0, value, 1, n, 1};
    void* node = nullptr;
    return find<int(void**, void*, const void*, std::size_t, const memset_parameters*, void*)>(
        driver(), "cuGraphAddMemsetNode")(&node, graph, nullptr, 0, &p, context);
  }
  static std::size_t count_nodes(void* graph) {
    std::size_t n = 0;
    find<int(void*, void**, std::size_t*)>(driver(), "cuGraphGetNodes")(graph, nullptr, &n);
    return n;
  }
  // The context, where the thread has one.
  static void* current() {
    void* c = nullptr;
    find<int(void**)>(driver(), "cuCtxGetCurrent")(&c);
    return c;
  }
};

template <>
struct native<backend::hip> {
  struct memset_parameters {
    void* to;
    unsigned element_bytes;
    std::size_t height, pitch;
    unsigned value;
    std::size_t width;
  };
  static void* driver() { return open("PIANOLA_HIP_RUNTIME", "libamdhip64.so.5"); }
  static int fill(void* to, unsigned char value, std::size_t n, void* stream) {
    return find<int(void*, unsigned char, std::size_t, void*)>(driver(), "hipMemsetD8Async")(
        to, value, n, stream);
  }
  static int add_fill(void* graph, void* to, unsigned char value, std::size_t n, void*) {
    const memset_parameters p{to, 1, 1, n, value, n};
    void* node = nullptr;
    return find<int(void**, void*, const void*, std::size_t, const memset_parameters*)>(
        driver(), "hipGraphAddMemsetNode")(&node, graph, nullptr, 0, &p);
  }
};

template <class Test>
void on_each_driver(Test test) {
  bool any = false;
  for (const sycl::device& d : sycl::device::get_devices()) {
    if (d.get_backend() == backend::cuda) test(std::integral_constant<backend, backend::cuda>{}, d);
    if (d.get_backend() == backend::hip) test(std::integral_constant<backend, backend::hip>{}, d);
    any = any || d.get_backend() == backend::cuda || d.get_backend() == backend::hip;
  }
  if (!any) GTEST_SKIP() << "no device has a driver of its own";
}

std::vector<int> numbers(sycl::queue q, const int* from) {
  std::vector<int> v(items);
  q.memcpy(v.data(), from, items * sizeof(int)).wait();
  return v;
}

TEST(enqueue_native_command, puts_work_into_the_stream_in_its_place) {
  on_each_driver([](auto which, const sycl::device& d) {
    constexpr backend B = which;
    sycl::queue q(d);
    int* const p = sycl::malloc_device<int>(items, q);
    const sycl::event before = q.fill(p, 5, items);
    const sycl::event native_command = q.submit([&](sycl::handler& h) {
      h.depends_on(before);
      h.ext_codeplay_enqueue_native_command([=](sycl::interop_handle ih) {
        EXPECT_FALSE(ih.ext_codeplay_has_graph());
        EXPECT_THROW((void)ih.ext_codeplay_get_native_graph<B>(), sycl::exception);
        EXPECT_EQ(native<B>::fill(p, 1, items, ih.get_native_queue<B>()), 0);
      });
    });
    q.submit([&](sycl::handler& h) {
      h.depends_on(native_command);
      h.parallel_for(sycl::range<1>(items), [=](sycl::id<1> i) { p[i] += static_cast<int>(i[0]); });
    });
    q.wait();
    const std::vector<int> v = numbers(q, p);
    for (std::size_t i = 0; i < items; ++i)
      EXPECT_EQ(v[i], static_cast<int>(i) + (i < 4 ? 0x01010101 : 5)) << i;
    sycl::free(p, q);
  });
}

// With buffers, so that the graph is told by requirements what comes before what.
TEST(enqueue_native_command, adds_nodes_to_a_graph_that_is_replayed) {
  on_each_driver([](auto which, const sycl::device& d) {
    constexpr backend B = which;
    sycl::queue q(d);
    std::vector<int> v(items, 7);
    int calls = 0;
    {
      sycl::buffer<int> b(v.data(), items);
      experimental::command_graph g(
          q.get_context(), d, {experimental::property::graph::assume_buffer_outlives_graph{}});
      g.begin_recording(q);
      const auto add_one = [&](sycl::handler& h) {
        sycl::accessor a{b, h, sycl::read_write};
        h.parallel_for(sycl::range<1>(items), [=](sycl::id<1> i) { a[i] += 1; });
      };
      q.submit(add_one);
      q.submit([&](sycl::handler& h) {
        sycl::accessor a{b, h, sycl::read_write};
        h.ext_codeplay_enqueue_native_command([=, &calls](sycl::interop_handle ih) {
          ++calls;
          ASSERT_TRUE(ih.ext_codeplay_has_graph());
          EXPECT_NE(ih.get_native_queue<B>(), nullptr) << "for capturing";
          void* const graph = ih.ext_codeplay_get_native_graph<B>();
          void* context = nullptr;
          if constexpr (B == backend::cuda) {
            context = ih.get_native_context<B>();
            EXPECT_EQ(native<B>::current(), context);
            EXPECT_EQ(native<B>::count_nodes(graph), 0U);
          }
          EXPECT_EQ(native<B>::add_fill(graph, ih.get_native_mem<B>(a), 2, 4, context), 0);
        });
      });
      q.submit(add_one);
      g.end_recording(q);
      auto body = g.finalize();
      for (int i = 0; i < 3; ++i) q.ext_oneapi_graph(body);
      q.wait();
      EXPECT_EQ(calls, 1) << "replays have what it did";
      if constexpr (B == backend::cuda) {
        EXPECT_NE(sycl::get_native<B>(body), nullptr);
      }
    }
    EXPECT_EQ(v[0], 0x02020202 + 1);
    for (std::size_t i = 1; i < items; ++i) EXPECT_EQ(v[i], 7 + 3 * 2) << i;
  });
}

// The same function eagerly and in a graph, of which it knows nothing; by both names.
TEST(enqueue_native_command, is_captured_where_it_puts_work_into_the_stream_of_a_graph) {
  on_each_driver([](auto which, const sycl::device& d) {
    constexpr backend B = which;
    for (const bool other_name : {false, true}) {
      sycl::queue q(d, sycl::property::queue::in_order());
      int* const p = sycl::malloc_device<int>(items, q);
      int calls = 0;
      const auto fill = [&, p](sycl::interop_handle ih) {
        ++calls;
        EXPECT_EQ(native<B>::fill(p, 1, 4, ih.get_native_queue<B>()), 0);
      };
      const auto submit = [&] {
        q.fill(p, 5, items);
        q.submit([&](sycl::handler& h) {
          if (other_name)
            h.AdaptiveCpp_enqueue_custom_operation(fill);
          else
            h.ext_codeplay_enqueue_native_command(fill);
        });
        q.parallel_for(sycl::range<1>(items), [=](sycl::id<1> i) { p[i] += 1; });
      };
      experimental::command_graph g(q.get_context(), d);
      g.begin_recording(q);
      submit();
      g.end_recording(q);
      auto body = g.finalize();
      EXPECT_EQ(calls, 1);
      for (int i = 0; i < 2; ++i) {
        q.memset(p, 0, items * sizeof(int));
        q.ext_oneapi_graph(body);
        const std::vector<int> v = numbers(q, p);
        EXPECT_EQ(v[0], 0x01010101 + 1);
        for (std::size_t k = 1; k < items; ++k) EXPECT_EQ(v[k], 6) << k;
      }
      EXPECT_EQ(calls, 1);
      submit();
      EXPECT_EQ(numbers(q, p)[0], 0x01010101 + 1);
      EXPECT_EQ(calls, 2);
      sycl::free(p, q);
    }
  });
}

// A library that knows streams alone works on buffers; requirements put it in its place, and launches may name other buffers.
TEST(enqueue_native_command, of_a_library_that_is_captured_works_on_buffers) {
  on_each_driver([](auto which, const sycl::device& d) {
    constexpr backend B = which;
    sycl::queue q(d);
    std::vector<unsigned char> first(items), second(items);
    int calls = 0;
    {
      sycl::buffer<unsigned char> x(first.data(), items), sum(second.data(), items);
      experimental::command_graph g(q.get_context(), d);
      g.begin_recording(q);
      q.submit([&](sycl::handler& h) {
        sycl::accessor a{x, h, sycl::write_only, sycl::no_init};
        h.parallel_for(sycl::range<1>(items), [=](sycl::id<1> i) { a[i] = 1; });
      });
      q.submit([&](sycl::handler& h) {
        sycl::accessor a{x, h, sycl::read_write};
        h.ext_codeplay_enqueue_native_command([=, &calls](sycl::interop_handle ih) {
          ++calls;
          EXPECT_EQ(
              native<B>::fill(ih.get_native_mem<B>(a), 3, items / 2, ih.get_native_queue<B>()), 0);
        });
      });
      q.submit([&](sycl::handler& h) {
        sycl::accessor a{x, h, sycl::read_only};
        sycl::accessor s{sum, h, sycl::read_write};
        h.parallel_for(sycl::range<1>(items),
                       [=](sycl::id<1> i) { s[i] = static_cast<unsigned char>(s[i] + a[i]); });
      });
      g.end_recording(q);
      auto body = g.finalize();
      EXPECT_EQ(calls, 1);
      for (int i = 0; i < 3; ++i) {
        q.ext_oneapi_graph(body);
        // The host between the launches, on the same data.
        sycl::host_accessor s(sum, sycl::read_write);
        for (std::size_t k = 0; k < items; ++k) {
          EXPECT_EQ(s[k], (k < items / 2 ? 3 : 1) + 10 * i) << i << " " << k;
          s[k] = static_cast<unsigned char>(10 * (i + 1));
        }
      }
      EXPECT_EQ(calls, 1) << "replays have what it did";
    }
    for (std::size_t k = 0; k < items; ++k) {
      EXPECT_EQ(first[k], k < items / 2 ? 3 : 1) << k;
      EXPECT_EQ(second[k], 30) << k;
    }
  });
}

TEST(enqueue_native_command, that_throws_ends_finalize_or_is_an_asynchronous_error) {
  on_each_driver([](auto, const sycl::device& d) {
    std::string told;
    sycl::queue q(d, [&](const sycl::exception_list& errors) {
      for (const std::exception_ptr& e : errors) try {
          std::rethrow_exception(e);
        } catch (const std::exception& x) {
          told = x.what();
        }
    });
    const auto failing = [](sycl::handler& h) {
      h.ext_codeplay_enqueue_native_command(
          [](sycl::interop_handle) { throw std::runtime_error("no such library"); });
    };
    q.submit(failing);
    q.wait_and_throw();
    EXPECT_EQ(told, "no such library");
    experimental::command_graph g(q.get_context(), d);
    g.add(failing);
    try {
      (void)g.finalize();
      ADD_FAILURE() << "the graph lacks what the function should have added";
    } catch (const std::exception& x) {
      EXPECT_NE(std::string(x.what()).find("no such library"), std::string::npos) << x.what();
    }
  });
}

}  // namespace
