// SPDX-License-Identifier: Apache-2.0
// Where the host tasks of recorded graphs find the data of their accessors: with the buffer, wherever a launch has that.
#include <sys/mman.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <pianola/test/all_devices.hpp>

namespace pianola::test {
namespace {

namespace exp = sycl::ext::oneapi::experimental;
namespace pia = sycl::ext::pianola;
using modifiable = exp::command_graph<exp::graph_state::modifiable>;
using executable = exp::command_graph<exp::graph_state::executable>;
using int_buffer = sycl::buffer<int>;

constexpr std::size_t size = 8;
constexpr int forbidden = -777;

#if defined(__SANITIZE_THREAD__)
constexpr bool notes_each_address = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr bool notes_each_address = true;
#else
constexpr bool notes_each_address = false;
#endif
#else
constexpr bool notes_each_address = false;
#endif

int first(int_buffer& b) { return sycl::host_accessor{b, sycl::read_only}[0]; }

struct thrown {
  sycl::errc code = sycl::errc::success;
  std::string what;
};
template <class F>
thrown by(F&& f) {
  try {
    f();
  } catch (const sycl::exception& e) {
    return {static_cast<sycl::errc>(e.code().value()), e.what()};
  }
  return {};
}

class host_tasks_of_graphs : public ::testing::Test {
 protected:
  // What a program would free when its buffer has ended: nothing may read it, or write it.
  class memory_of_the_program {
   public:
    explicit memory_of_the_program(int value) : data_(size, value) {}
    int_buffer& buffer() { return *buffer_; }
    int* data() { return data_.data(); }
    void end() {
      buffer_.reset();
      data_.assign(size, forbidden);
    }
    [[nodiscard]] bool untouched() const { return data_ == std::vector<int>(size, forbidden); }

   private:
    std::vector<int> data_;
    std::optional<int_buffer> buffer_{std::in_place, data_.data(), sycl::range<1>(size)};
  };

  // Records what `group` says of a buffer over memory of the program and of another buffer, ends the first one, and looks
  // at what the graph makes of its contents, which are all 5: the first element of the other buffer.
  template <class Group>
  static int result_after_the_end(sycl::queue q, Group&& group, bool launched_before) {
    memory_of_the_program from(5);
    int_buffer to(size);
    modifiable g(q);
    g.add([&](sycl::handler& h) { group(h, from.buffer(), to); });
    const executable made = g.finalize();
    if (launched_before) q.ext_oneapi_graph(made).wait();
    from.end();
    q.ext_oneapi_graph(made).wait();
    EXPECT_TRUE(from.untouched());
    return first(to);
  }
  template <class Group>
  void expect_after_the_end(int wanted, Group&& group) {
    for (auto& q : queues)
      for (const bool launched_before : {false, true})
        EXPECT_EQ(result_after_the_end(q, group, launched_before), wanted) << launched_before;
  }

  std::vector<std::string> errors;
  std::vector<sycl::queue> queues = queues_on_all_devices({}, &errors);
};

TEST_F(host_tasks_of_graphs, go_on_with_what_a_buffer_leaves_when_it_ends) {
  expect_after_the_end(6, [](sycl::handler& h, int_buffer& from, int_buffer& to) {
    sycl::accessor a(from, h, sycl::read_only_host_task);
    sycl::accessor b(to, h, sycl::read_write_host_task);
    h.host_task([=] {
      for (std::size_t i = 0; i < size; ++i) b[i] = a[i] + 1;
    });
  });
}

TEST_F(host_tasks_of_graphs, find_it_in_accessors_of_all_kinds_and_places) {
  using plain = sycl::accessor<int, 1, sycl::access_mode::read, sycl::target::host_task>;
  const auto expect = [&](auto&& read) {
    expect_after_the_end(7, [&](sycl::handler& h, int_buffer& from, int_buffer& to) {
      const auto value = read(h, from);
      sycl::accessor b(to, h, sycl::write_only_host_task);
      h.host_task([=] { b[0] = value() + 2; });
    });
  };
  expect([](sycl::handler& h, int_buffer& from) {
    sycl::accessor a(from, h, sycl::range<1>(3), sycl::id<1>(4), sycl::read_only_host_task);
    return [=] { return a[2]; };
  });
  expect([](sycl::handler& h, int_buffer& from) {
    const int_buffer part(from, sycl::id<1>(2), sycl::range<1>(4));
    int_buffer of = part;
    const plain a(of, h);
    return [=] { return a[1]; };
  });
  expect([](sycl::handler& h, int_buffer& from) {
    auto cube = from.reinterpret<int, 3>(sycl::range<3>(2, 2, 2));
    sycl::accessor a(cube, h, sycl::range<3>(1, 2, 1), sycl::id<3>(1, 0, 1),
                     sycl::read_only_host_task);
    return [=] { return a[sycl::id<3>(0, 1, 0)]; };
  });
  expect([](sycl::handler& h, int_buffer& from) {
    const plain a(from);  // made without a handler
    h.require(a);
    return [=] { return a[2]; };
  });
  expect([](sycl::handler& h, int_buffer& from) {
    const std::array<std::optional<plain>, 2> a{std::nullopt, plain(from, h)};
    return [=] { return (*a[1])[2]; };
  });
  expect([](sycl::handler& h, int_buffer& from) {
    const sycl::accessor<int, 1, sycl::access_mode::read, sycl::target::host_task,
                         sycl::accessor_variant::raw>
        a = plain(from, h);
    return [=] { return a[2]; };
  });
  expect([](sycl::handler& h, int_buffer& from) {
    const int* const a = plain(from, h).get_pointer();
    return [=] { return a[2]; };
  });
  expect([](sycl::handler& h, int_buffer& from) {
    const plain a(from, h);
    return [=, held = std::make_shared<int>(0)] { return a[2] + *held; };
  });
}

TEST_F(host_tasks_of_graphs, leave_pointers_alone_that_are_the_programs_own) {
  for (auto& q : queues) {
    memory_of_the_program from(5);
    int* const own = from.data();
    const int* seen = nullptr;
    const int** const saw = &seen;
    modifiable g(q);
    g.add([&](sycl::handler& h) {
      sycl::accessor a(from.buffer(), h, sycl::read_write_host_task);
      h.host_task([own, a, saw] {
        a[0] += 1;
        *saw = own;
      });
    });
    const executable made = g.finalize();
    from.end();
    q.ext_oneapi_graph(made).wait();
    EXPECT_EQ(seen, own);
    EXPECT_TRUE(from.untouched());
  }
}

TEST_F(host_tasks_of_graphs, go_on_in_loops_and_in_nested_graphs) {
  for (auto& q : queues)
    for (const bool repeated : {true, false}) {
      memory_of_the_program from(5);
      int_buffer to(size);
      modifiable body(q), g(q);
      body.add([&](sycl::handler& h) {
        sycl::accessor a(from.buffer(), h, sycl::read_write_host_task);
        sycl::accessor b(to, h, sycl::write_only_host_task);
        h.host_task([=] { b[0] = a[0]++; });
      });
      const executable inner = body.finalize();
      if (repeated)
        g.add_repeat(3, inner);
      else
        g.add([&](sycl::handler& h) { h.ext_oneapi_graph(inner); });
      const executable made = g.finalize();
      q.ext_oneapi_graph(made).wait();
      from.end();
      q.ext_oneapi_graph(made).wait();
      EXPECT_EQ(first(to), repeated ? 10 : 6);
      EXPECT_TRUE(from.untouched());
    }
}

TEST_F(host_tasks_of_graphs, share_temporary_buffers_with_kernels) {
  for (auto& q : queues)
    for (const bool behind_a_pointer : {false, true}) {
      const sycl::property_list temporary{pia::property::buffer::temporary{}};
      int_buffer in(size), t(size, temporary), u(size, temporary), out(size);
      modifiable g(q);
      g.begin_recording(q);
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(in, h, sycl::write_only, sycl::no_init);
        h.parallel_for(size, [=](sycl::id<1> i) { a[i] = static_cast<int>(i[0]); });
      });
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(in, h, sycl::read_only);
        sycl::accessor b(t, h, sycl::write_only, sycl::no_init);
        h.parallel_for(size, [=](sycl::id<1> i) { b[i] = a[i] + 1; });
      });
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(t, h, sycl::read_only_host_task);
        sycl::accessor b(u, h, sycl::write_only_host_task, sycl::no_init);
        const auto work = [=] {
          for (std::size_t i = 0; i < size; ++i) b[i] = 10 * a[i];
        };
        if (behind_a_pointer)
          h.host_task([held = std::make_shared<decltype(work)>(work)] { (*held)(); });
        else
          h.host_task(work);
      });
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(u, h, sycl::read_only);
        sycl::accessor b(out, h, sycl::write_only, sycl::no_init);
        h.parallel_for(size, [=](sycl::id<1> i) { b[i] = a[i] + 1; });
      });
      g.end_recording(q);
      const executable one = g.finalize(), other = g.finalize();
      for (const executable& made : {one, other, one}) {
        q.ext_oneapi_graph(made).wait();
        const sycl::host_accessor r(out, sycl::read_only);
        for (std::size_t i = 0; i < size; ++i)
          EXPECT_EQ(r[i], 10 * static_cast<int>(i) + 11) << behind_a_pointer;
      }
    }
}

TEST_F(host_tasks_of_graphs, refuse_to_go_on_without_an_accessor_that_cannot_be_found) {
  for (auto& q : queues)
    for (const bool repeated : {false, true}) {
      memory_of_the_program from(5);
      int_buffer to(size);
      modifiable body(q), g(q);
      body.add([&](sycl::handler& h) {
        sycl::accessor a(from.buffer(), h, sycl::read_only_host_task);
        sycl::accessor b(to, h, sycl::write_only_host_task);
        h.host_task(std::function<void()>([=] { b[0] = a[0] + 1; }));
      });
      if (repeated) g.add_repeat(2, body.finalize());
      const executable made = repeated ? g.finalize() : body.finalize();
      q.ext_oneapi_graph(made).wait();
      EXPECT_EQ(first(to), 6);
      from.end();
      for (int again = 0; again < 2; ++again) {
        const thrown t = by([&] { q.ext_oneapi_graph(made).wait(); });
        EXPECT_EQ(t.code, sycl::errc::invalid);
        EXPECT_NE(t.what.find("capture the accessor itself"), std::string::npos) << t.what;
      }
      EXPECT_TRUE(from.untouched());
    }
}

TEST_F(host_tasks_of_graphs, go_on_if_an_accessor_is_there_for_the_order) {
  int runs = 0;
  int* const counted = &runs;
  expect_after_the_end(0, [=](sycl::handler& h, int_buffer& from, int_buffer& to) {
    sycl::accessor a(from, h, sycl::read_only_host_task);
    sycl::accessor b(to, h, sycl::write_only_host_task);
    h.host_task([=] { b[0] = 0 * ++*counted; });
  });
  EXPECT_NE(runs, 0);
}

TEST_F(host_tasks_of_graphs, refuse_parameters_behind_pointers) {
  for (auto& q : queues) {
    pia::graph_parameter<int_buffer> at{sycl::range<1>(size)};
    int_buffer b(size);
    modifiable g(q);
    g.add([&](sycl::handler& h) {
      sycl::accessor a(*at, h, sycl::write_only_host_task);
      h.host_task(std::function<void()>([=] { a[0] = 1; }));
    });
    const executable made = g.finalize();
    const thrown t = by([&] { q.ext_oneapi_graph(made, {at = b}).wait(); });
    EXPECT_EQ(t.code, sycl::errc::invalid);
    EXPECT_NE(t.what.find("another buffer than the recorded one"), std::string::npos) << t.what;
  }
}

TEST_F(host_tasks_of_graphs, are_not_launched_if_what_a_buffer_leaves_has_no_place) {
  if (notes_each_address) GTEST_SKIP() << "the sanitizer's shadow would grow as large";
  // Addresses for one of these, but not for two.
  constexpr std::size_t bytes = std::size_t{1} << 46;
  void* const data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) GTEST_SKIP() << "needs a large range of addresses";
  sycl::queue& q = queues[0];
  {
    std::optional<sycl::buffer<char>> b(std::in_place, static_cast<char*>(data),
                                        sycl::range<1>(bytes));
    modifiable g(q);
    g.add([&](sycl::handler& h) {
      sycl::accessor a(*b, h, sycl::range<1>(1), sycl::read_write_host_task);
      h.host_task([=] { a[0] = 1; });
    });
    const executable made = g.finalize();
    q.ext_oneapi_graph(made).wait();
    b.reset();
    EXPECT_EQ(*static_cast<char*>(data), 1);
    *static_cast<char*>(data) = 0;
    EXPECT_EQ(by([&] { q.ext_oneapi_graph(made).wait(); }).code, sycl::errc::memory_allocation);
    EXPECT_EQ(*static_cast<char*>(data), 0);
  }
  ::munmap(data, bytes);
}

}  // namespace
}  // namespace pianola::test
