// SPDX-License-Identifier: Apache-2.0
// Kernels that touch what they may not, one after the other. Without pianolacc only subscripts are checked.
#include "expect.hpp"

using sycl::access::decorated;
namespace graphs = sycl::ext::oneapi::experimental;

namespace {

// Of the statement behind the next comment.
constexpr int line_of_subscript = __LINE__ + 4;
template <class Accessor>
void write_behind(const Accessor& a, sycl::id<1> i) {
  // Here.
  a[i + 1] = 1;
}

constexpr int line_of_pointer = __LINE__ + 3;
inline void write_through(int* pointer, std::size_t i) {
  // Here.
  pointer[i + 3] = 1;
}

void subscripts() {
  expect_told("an index beyond the range", line_of_subscript,
              ": an accessor has no element {16}, its range is {16}", [](sycl::queue& q) {
                sycl::buffer<int> b(16);
                q.submit([&](sycl::handler& h) {
                  sycl::accessor a(b, h);
                  h.parallel_for(16, [=](sycl::id<1> i) { write_behind(a, i); });
                });
              });
  expect_told("an item", 0, ": an accessor has no element {4, 0}, its range is {4, 8}",
              [](sycl::queue& q) {
                sycl::buffer<int, 2> b(sycl::range(4, 8));
                q.submit([&](sycl::handler& h) {
                  sycl::accessor a(b, h);
                  h.parallel_for(sycl::range(5, 1), [=](sycl::item<2> i) { a[i] = 1; });
                });
              });
  expect_told("a row", 0, ": an accessor has no element {8}, its range is {8}", [](sycl::queue& q) {
    sycl::buffer<int, 2> b(sycl::range(4, 8));
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h);
      h.parallel_for(sycl::range(4, 9), [=](sycl::id<2> i) { a[i[0]][i[1]] = 1; });
    });
  });
  expect_told(
      "a plane", 0, ": an accessor has no element {3}, its range is {3}", [](sycl::queue& q) {
        sycl::buffer<int, 3> b(sycl::range(2, 3, 4));
        q.submit([&](sycl::handler& h) {
          sycl::accessor a(b, h);
          h.parallel_for(sycl::range(2, 4, 4), [=](sycl::id<3> i) { a[i[0]][i[1]][i[2]] = 1; });
        });
      });
  expect_told("a ranged accessor", 0, ": an accessor has no element {5}, its range is {5}",
              [](sycl::queue& q) {
                sycl::buffer<int> b(16);
                q.submit([&](sycl::handler& h) {
                  sycl::accessor a(b, h, sycl::range(5), sycl::id(4));
                  h.parallel_for(6, [=](sycl::id<1> i) { a[i] = 1; });
                });
              });
  expect_told("an index before the first", 0,
              ": an accessor has no element {18446744073709551615}, its range is {16}",
              [](sycl::queue& q) {
                sycl::buffer<int> b(16);
                q.submit([&](sycl::handler& h) {
                  sycl::accessor a(b, h);
                  h.parallel_for(16, [=](sycl::id<1> i) { a[i] = a[i[0] - 1]; });
                });
              });
  expect_told("local memory", 0, ": an accessor has no element {8}, its range is {8}",
              [](sycl::queue& q) {
                sycl::buffer<int> b(64);
                q.submit([&](sycl::handler& h) {
                  sycl::accessor a(b, h);
                  sycl::local_accessor<int> l(8, h);
                  h.parallel_for(sycl::nd_range<1>(64, 8), [=](sycl::nd_item<1> i) {
                    l[i.get_local_id(0) + 1] = 1;
                    sycl::group_barrier(i.get_group());
                    a[i.get_global_id()] = l[i.get_local_id(0)];
                  });
                });
              });
  expect_told("the host", 0, "an accessor has no element {16}, its range is {16}",
              [](sycl::queue&) {
                sycl::buffer<int> b(16);
                sycl::host_accessor a(b);
                a[16] = 1;
              });
}

#if defined(__PIANOLACC__)

void pointers() {
  expect_told("a pointer before what is named", line_of_pointer,
              " writes 4 bytes at element {3} of a buffer of which accessor 0 of its command group "
              "gives it elements {4} to {11}",
              [](sycl::queue& q) {
                sycl::buffer<int> b(16);
                q.submit([&](sycl::handler& h) {
                  sycl::accessor a(b, h, sycl::range(8), sycl::id(4));
                  h.parallel_for(8, [=](sycl::id<1> i) {
                    write_through(a.get_multi_ptr<decorated::no>().get(), i[0]);
                  });
                });
              });
  expect_told("a pointer behind the buffer", 0,
              " writes 4 bytes behind the last element of a buffer of {16} elements, which "
              "accessor 0 of its command group is of",
              [](sycl::queue& q) {
                sycl::buffer<int> b(16);
                q.submit([&](sycl::handler& h) {
                  sycl::accessor a(b, h);
                  h.parallel_for(16, [=](sycl::id<1> i) { (&a[0])[i + 1] = 1; });
                });
              });
  expect_told("a pointer into the next row", 0,
              " reads 8 bytes at element {1, 6} of a buffer of which accessor 1 of its command "
              "group gives it elements {0, 2} to {3, 5}",
              [](sycl::queue& q) {
                sycl::buffer<double, 2> b(sycl::range(4, 8)), c(sycl::range(4, 8));
                q.submit([&](sycl::handler& h) {
                  sycl::accessor to(c, h);
                  sycl::accessor from(b, h, sycl::range(4, 4), sycl::id(0, 2), sycl::read_only);
                  h.parallel_for(1, [=](sycl::id<1> i) { to[0][0] = (&from[0][0])[12 + i]; });
                });
              });
  expect_told(
      "writing what is only read", 0,
      " writes 4 bytes at element {0} of a buffer that accessor 0 of its command group only reads",
      [](sycl::queue& q) {
        sycl::buffer<int> b(16);
        q.submit([&](sycl::handler& h) {
          sycl::accessor a(b, h, sycl::read_only);
          h.parallel_for(1, [=](sycl::id<1> i) { const_cast<int&>(a[i]) = 1; });
        });
      });
  expect_told(
      "writing what has been read", 0,
      " writes 4 bytes at element {0} of a buffer that accessor 0 of its command group only reads",
      [](sycl::queue& q) {
        sycl::buffer<int> b(16);
        q.submit([&](sycl::handler& h) {
          sycl::accessor a(b, h, sycl::read_only);
          h.parallel_for(1, [=](sycl::id<1> i) {
            volatile int& element = const_cast<int&>(a[i]);
            element = element + 1;
          });
        });
      });
  expect_told(
      "an atomic operation on what is only read", 0, " of its command group only reads",
      [](sycl::queue& q) {
        sycl::buffer<int> b(16);
        q.submit([&](sycl::handler& h) {
          sycl::accessor a(b, h, sycl::read_only);
          h.parallel_for(1, [=](sycl::id<1> i) {
            ++sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(
                const_cast<int&>(a[i]));
          });
        });
      });
  expect_told("a buffer of another command group", 0,
              " writes 4 bytes of a buffer that no accessor of its command group names; make one "
              "in the command group",
              [](sycl::queue& q) {
                sycl::buffer<int> b(16), c(16);
                int** const where = sycl::malloc_shared<int*>(1, q);
                q.submit([&](sycl::handler& h) {
                  sycl::accessor a(b, h);
                  h.single_task([=] { *where = &a[0]; });
                });
                q.wait();
                q.submit([&](sycl::handler& h) {
                  sycl::accessor a(c, h);
                  h.parallel_for(16, [=](sycl::id<1> i) { (*where)[i] = a[i]; });
                });
                q.wait();
                sycl::free(where, q);
              });
  expect_told("a structure that is copied", 0,
              " behind the last element of a buffer of {2} elements, which accessor 0 of its "
              "command group is of",
              [](sycl::queue& q) {
                struct large {
                  long numbers[9];
                };
                sycl::buffer<large> b(2);
                q.submit([&](sycl::handler& h) {
                  sycl::accessor a(b, h);
                  h.parallel_for(2, [=](sycl::id<1> i) { a[0] = (&a[0])[i + 1]; });
                });
              });
  expect_told("a work-group", 0,
              " writes 4 bytes behind the last element of a buffer of {64} elements, which "
              "accessor 0 of its command group is of",
              [](sycl::queue& q) {
                sycl::buffer<int> b(64);
                q.submit([&](sycl::handler& h) {
                  sycl::accessor a(b, h);
                  h.parallel_for(sycl::nd_range<1>(64, 8), [=](sycl::nd_item<1> i) {
                    sycl::group_barrier(i.get_group());
                    (&a[0])[i.get_global_id(0) + 1] = 1;
                  });
                });
              });
}

void replays() {
  sycl::buffer<int> b(16);
  const auto submit = [&](sycl::queue& q, std::size_t behind) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::range(8), sycl::id(4));
      h.parallel_for(8, [=](sycl::id<1> i) { (&a[0])[i[0] + behind] = 1; });
    });
  };
  const auto replay = [&](sycl::queue& q, std::size_t behind) {
    graphs::command_graph graph(q, {graphs::property::graph::assume_buffer_outlives_graph()});
    graph.begin_recording(q);
    submit(q, behind);
    graph.end_recording();
    auto executable = graph.finalize();
    for (int i = 0; i < 3; ++i) q.ext_oneapi_graph(executable);
    q.wait();
  };
  const auto update = [&](sycl::queue& q, std::size_t behind) {
    const auto record = [&](std::size_t where) {
      graphs::command_graph graph(q, {graphs::property::graph::assume_buffer_outlives_graph()});
      graph.begin_recording(q);
      submit(q, where);
      graph.end_recording();
      return graph;
    };
    auto executable = record(0).finalize(graphs::property::graph::updatable());
    q.ext_oneapi_graph(executable).wait();
    executable.update(record(behind));
    for (int i = 0; i < 3; ++i) q.ext_oneapi_graph(executable);
    q.wait();
  };
  expect_nothing("an update", [&](sycl::queue& q) { update(q, 0); });
  expect_told("a replay after an update", 0,
              " writes 4 bytes at element {12} of a buffer of which accessor 0 of its command "
              "group gives it elements {5} to {11}",
              [&](sycl::queue& q) { update(q, 1); });
  expect_nothing("replays", [&](sycl::queue& q) { replay(q, 0); });
  expect_told("a replay", 0,
              " writes 4 bytes at element {12} of a buffer of which accessor 0 of its command "
              "group gives it elements {5} to {11}",
              [&](sycl::queue& q) { replay(q, 1); });
}

#endif

}  // namespace

int main() {
  subscripts();
#if defined(__PIANOLACC__)
  pointers();
  replays();
#endif
  return failures == 0 ? 0 : 1;
}
