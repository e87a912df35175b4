// SPDX-License-Identifier: Apache-2.0
// What both drivers' classes do with memory, streams and graphs, by test drivers that check every call and keep
// devices' memory apart. Kernels are tested by the backends' conformance suite.
#include "operations.hpp"

namespace pianola::gpu {
namespace {

std::vector<copy_operation> boxes() {
  std::vector<copy_operation> all(3);
  all[0].box.width = 100;
  all[1].box.width = 10, all[1].box.height = 5;
  all[2].box.width = 8, all[2].box.height = 3, all[2].box.depth = 4;
  for (auto& c : all) {
    auto& b = c.box;
    b.source_row_pitch = b.height > 1 ? 16 : b.width;
    b.destination_row_pitch = b.height > 1 ? 20 : b.width;
    b.source_slice_pitch = b.source_row_pitch * (b.height + (b.depth > 1 ? 2 : 0));
    b.destination_slice_pitch = b.destination_row_pitch * (b.height + (b.depth > 1 ? 1 : 0));
  }
  return all;
}

TEST_P(operations, copy_boxes_in_all_directions) {
  const bytes source = numbers(400), before(400, 0xee);
  for (copy_operation c : boxes())
    for (const bool from_device : {false, true})
      for (const bool to_device : {false, true})
        for (const bool recorded : {false, true}) {
          if (!from_device && !to_device) continue;
          unsigned char* const device_source = allocate(source.size());
          unsigned char* const device_destination = allocate(before.size());
          put(device_source, source);
          put(device_destination, before);
          bytes result = before, expected = before;
          c.from = from_device ? 0 : on_host;
          c.to = to_device ? 0 : on_host;
          c.box.source = from_device ? device_source : source.data();
          c.box.destination = to_device ? device_destination : result.data();
          if (recorded) {
            run_graph([&](graph g) {
              node n;
              check(d().add_copy(g, {}, c, n), "add_copy");
            });
          } else {
            check(d().copy(s(), c), "copy");
            wait();
          }
          expected_copy(c, source.data(), expected.data());
          if (to_device) result = get(device_destination, before.size());
          EXPECT_EQ(result, expected)
              << c.box.height << " rows, " << c.box.depth << " slices"
              << (from_device ? ", from a device" : "") << (to_device ? ", to a device" : "")
              << (recorded ? ", recorded" : "");
        }
}

TEST_P(operations, copy_between_devices) {
  const bytes source = numbers(400), before(400, 0xee);
  for (copy_operation c : boxes()) {
    unsigned char* const from = allocate(source.size(), 0);
    unsigned char* const to = allocate(before.size(), 1);
    put(from, source, 0);
    put(to, before, 1);
    c.from = 0;
    c.to = 1;
    c.device = 1;
    c.box.source = from;
    c.box.destination = to;
    check(d().copy(s(1), c), "copy");
    wait(1);
    bytes expected = before;
    expected_copy(c, source.data(), expected.data());
    EXPECT_EQ(get(to, before.size(), 1), expected);
  }
}

std::vector<fill_operation> fills() {
  std::vector<fill_operation> all;
  for (const std::uint32_t element : {1u, 2u, 4u})
    for (const std::uint64_t rows : {1, 2, 3, 6, 13})
      for (const std::uint64_t width : {1, 3}) {
        fill_operation f;
        f.value = element == 1 ? 0xa1 : element == 2 ? 0xa1b2 : 0xa1b2c3d4;
        f.element_bytes = element;
        f.width = width;
        f.rows = rows;
        f.pitch = rows == 1 ? width * element : 16;
        all.push_back(f);
      }
  return all;
}

TEST_P(operations, fill_rows) {
  const bytes before(256, 0xee);
  for (fill_operation f : fills())
    for (const bool recorded : {false, true}) {
      unsigned char* const memory = allocate(before.size());
      put(memory, before);
      f.destination = memory;
      if (recorded) {
        run_graph([&](graph g) {
          node n;
          check(d().add_fill(g, {}, f, n), "add_fill");
        });
      } else {
        check(d().fill(s(), f), "fill");
      }
      bytes expected = before;
      expected_fill(f, expected.data());
      EXPECT_EQ(get(memory, before.size()), expected)
          << f.rows << " rows of " << f.width << " elements of " << f.element_bytes
          << (recorded ? ", recorded" : "");
    }
}

TEST_P(operations, run_in_the_order_of_edges) {
  unsigned char* const memory = allocate(64);
  bytes result(64);
  run_graph([&](graph g) {
    fill_operation f;
    f.destination = memory;
    f.value = 1;
    f.width = 64;
    f.pitch = 64;
    node first, second, join, last;
    check(d().add_fill(g, {}, f, first), "add_fill");
    f.value = 2;
    f.width = 32;
    check(d().add_fill(g, {&first, 1}, f, second), "add_fill");
    const node both[] = {first, second};
    check(d().add_empty(g, both, join), "add_empty");
    check(d().add_copy(g, {&join, 1}, flat(result.data(), on_host, memory, 0, 64), last),
          "add_copy");
  });
  bytes expected(64, 1);
  std::fill_n(expected.begin(), 32, 2);
  EXPECT_EQ(result, expected);
}

TEST_P(operations, keep_the_order_where_many_wait_for_one) {
  unsigned char* const memory = allocate(64);
  bytes result(64);
  run_graph([&](graph g) {
    fill_operation f;
    f.destination = memory;
    f.value = 1;
    f.width = f.pitch = 64;
    node first, last;
    check(d().add_fill(g, {}, f, first), "add_fill");
    f.value = 2;
    f.width = f.pitch = 1;
    std::vector<node> all(10);
    for (node& n : all) {
      check(d().add_fill(g, {&first, 1}, f, n), "add_fill");
      f.destination = static_cast<unsigned char*>(f.destination) + 1;
    }
    node join;
    check(d().add_empty(g, all, join), "add_empty");
    check(d().add_copy(g, {&join, 1}, flat(result.data(), on_host, memory, 0, 64), last),
          "add_copy");
  });
  bytes expected(64, 1);
  std::fill_n(expected.begin(), 10, 2);
  EXPECT_EQ(result, expected);
}

TEST_P(operations, run_graphs_on_the_device_that_they_are_instantiated_for) {
  unsigned char* const memory = allocate(64, 1);
  put(memory, bytes(64), 1);
  graph inner, g;
  executable e;
  check(d().make_graph(inner), "make_graph");
  check(d().make_graph(g), "make_graph");
  fill_operation f;
  f.destination = memory;
  f.width = f.pitch = 8;
  f.device = 1;
  const auto fill = [&](graph to, node& out) {
    f.value += 1;
    check(d().add_fill(to, {}, f, out), "add_fill");
    f.destination = static_cast<unsigned char*>(f.destination) + 8;
  };
  node first, second, join, child, after;
  fill(inner, first);
  fill(g, first);
  fill(g, second);
  const node both[] = {first, second};
  check(d().add_empty(g, both, join), "add_empty");
  ASSERT_TRUE(d().can().child_graphs);
  check(d().add_child(g, {&join, 1}, inner, child), "add_child");
  d().destroy(inner);
  check(d().add_copy(g, {&child, 1}, flat(memory + 32, 1, memory, 1, 24), after), "add_copy");
  check(d().instantiate(g, 1, e), "instantiate");
  check(d().launch(e, 1, s(1)), "launch");
  wait(1);
  bytes expected(64);
  for (std::size_t i = 0; i < 24; ++i)
    expected[i] = expected[i + 32] = static_cast<unsigned char>(1 + i / 8);
  EXPECT_EQ(get(memory, 64, 1), expected);
  d().destroy(e);
  d().destroy(g);
}

TEST_P(operations, tell_which_device_a_stream_is_of) {
  for (std::uint32_t device = 0; device < 2; ++device) {
    std::uint32_t told = driver::untold;
    check(d().device_of(s(device), told), "device_of");
    EXPECT_EQ(told, device);
  }
}

TEST_P(operations, change_nodes_of_graphs) {
  const bytes first = numbers(256), second(first.rbegin(), first.rend()), before(256, 0xee);
  unsigned char* const memory = allocate(256);
  unsigned char *const source = allocate(256), *const other = allocate(256);
  put(memory, before);
  put(source, first);
  put(other, second);
  graph g;
  executable e;
  node copied, filled, rows;
  check(d().make_graph(g), "make_graph");
  check(d().add_copy(g, {}, flat(memory, 0, source, 0, 64), copied), "add_copy");
  fill_operation f;
  f.destination = memory + 64;
  f.value = 0x11111111;
  f.element_bytes = 4;
  f.width = 4;
  f.pitch = 16;
  check(d().add_fill(g, {}, f, filled), "add_fill");
  fill_operation r = f;
  r.destination = memory + 128;
  r.width = 1;
  r.rows = 5;
  check(d().add_fill(g, {}, r, rows), "add_fill");
  check(d().instantiate(g, 0, e), "instantiate");

  // In the executable graph.
  const copy_operation c = flat(memory, 0, other, 0, 64);
  f.value = 0x22222222;
  ASSERT_TRUE(d().can().node_updates);
  check(d().update_copy(e, copied, c), "update_copy");
  check(d().update_fill(e, filled, f), "update_fill");
  r.value = 0x33333333;
  const code several = d().update_fill(e, rows, r);
  EXPECT_TRUE(several == success || d().refused_update(several));
  check(d().launch(e, 0, s()), "launch");
  bytes expected = before;
  expected_copy(c, second.data(), expected.data());
  expected_fill(f, expected.data() + 64);
  if (several != success) r.value = 0x11111111;
  expected_fill(r, expected.data() + 128);
  EXPECT_EQ(get(memory, 256), expected);

  // In the graph, for another instance.
  f.value = 0x44444444;
  r.value = 0x55555555;
  check(d().set_copy(g, copied, flat(memory, 0, source, 0, 64)), "set_copy");
  check(d().set_fill(filled, f), "set_fill");
  check(d().set_fill(rows, r), "set_fill");
  // Older drivers do not take another fill of several rows.
  const code whole = d().can().whole_graph_updates ? d().update(e, g) : invalid;
  if (whole != success) {
    EXPECT_TRUE(d().refused_update(whole));
    d().destroy(e);
    check(d().instantiate(g, 0, e), "instantiate");
  }
  check(d().launch(e, 0, s()), "launch");
  expected_copy(flat(memory, 0, source, 0, 64), first.data(), expected.data());
  expected_fill(f, expected.data() + 64);
  expected_fill(r, expected.data() + 128);
  EXPECT_EQ(get(memory, 256), expected);
  d().destroy(e);
  d().destroy(g);
}

// Some versions of HIP would make it when they are told.
TEST_P(operations, make_copies_that_were_changed_when_the_graph_is_launched) {
  const bytes source = numbers(64), other(source.rbegin(), source.rend()), before(64, 0xee);
  unsigned char* const memory = allocate(64);
  put(memory, before);
  graph g;
  executable e;
  node n;
  check(d().make_graph(g), "make_graph");
  check(d().add_copy(g, {}, flat(memory, 0, source.data(), on_host, 64), n), "add_copy");
  check(d().instantiate(g, 0, e), "instantiate");
  const copy_operation c = flat(memory, 0, other.data(), on_host, 64);
  if (const code in_place = d().update_copy(e, n, c); in_place != success) {
    EXPECT_TRUE(d().refused_update(in_place));
    check(d().set_copy(g, n, c), "set_copy");
    d().destroy(e);
    check(d().instantiate(g, 0, e), "instantiate");
  }
  EXPECT_EQ(get(memory, 64), before);
  check(d().launch(e, 0, s()), "launch");
  EXPECT_EQ(get(memory, 64), other);
  d().destroy(e);
  d().destroy(g);
}

TEST_P(operations, order_graphs_in_graphs_with_all_that_is_around_them) {
  unsigned char* const memory = allocate(64);
  const auto fill = [&](std::uint32_t value) {
    fill_operation f;
    f.destination = memory;
    f.value = value;
    f.width = f.pitch = 64;
    return f;
  };
  for (const bool empty : {false, true}) {
    bytes one(64), two(64);
    graph inner;
    node n;
    check(d().make_graph(inner), "make_graph");
    if (!empty) check(d().add_fill(inner, {}, fill(3), n), "add_fill");
    run_graph([&](graph g) {
      node first, before, beside, child, last;
      check(d().add_fill(g, {}, fill(1), first), "add_fill");
      check(d().add_fill(g, {&first, 1}, fill(2), before), "add_fill");
      check(d().add_empty(g, {&first, 1}, beside), "add_empty");
      const node both[] = {before, beside};
      check(d().add_child(g, both, inner, child), "add_child");
      for (bytes* to : {&one, &two})
        check(d().add_copy(g, {&child, 1}, flat(to->data(), on_host, memory, 0, 64), last),
              "add_copy");
    });
    d().destroy(inner);
    EXPECT_EQ(one, bytes(64, empty ? 2 : 3));
    EXPECT_EQ(two, bytes(64, empty ? 2 : 3));
  }
}

TEST_P(operations, refuse_to_change_copies_of_several_dimensions) {
  const bytes source = numbers(400);
  unsigned char* const memory = allocate(400);
  copy_operation c = boxes()[1];
  c.from = on_host;
  c.to = 0;
  c.box.source = source.data();
  c.box.destination = memory;
  graph g;
  executable e;
  node n;
  check(d().make_graph(g), "make_graph");
  check(d().add_copy(g, {}, c, n), "add_copy");
  check(d().instantiate(g, 0, e), "instantiate");
  EXPECT_FALSE(d().can().multi_dimensional_node_updates);
  EXPECT_TRUE(d().refused_update(d().update_copy(e, n, c)));
  check(d().set_copy(g, n, c), "set_copy");
  d().destroy(e);
  d().destroy(g);
}

TEST_P(operations, order_streams_of_several_devices_by_events) {
  unsigned char* const first = allocate(64, 0);
  unsigned char* const second = allocate(64, 1);
  put(second, bytes(64, 9), 1);
  for (int time = 0; time < 10; ++time) {
    fill_operation f;
    f.destination = first;
    f.value = static_cast<std::uint32_t>(time);
    f.width = f.pitch = 64;
    check(d().fill(s(0), f), "fill");
    event done;
    check(d().make_event(0, false, done), "make_event");
    check(d().record(0, s(0), done), "record");
    check(d().wait(1, s(1), done), "wait");
    copy_operation c = flat(second, 1, first, 0, 64);
    check(d().copy(s(1), c), "copy");
    EXPECT_EQ(get(second, 64, 1), bytes(64, static_cast<unsigned char>(time)));
    d().destroy(0, done);
  }
}

TEST_P(operations, tell_the_time_between_events) {
  event from, to;
  check(d().make_event(0, true, from), "make_event");
  check(d().make_event(0, true, to), "make_event");
  check(d().record(0, s(), from), "record");
  check(d().record(0, s(), to), "record");
  check(d().synchronize(to), "synchronize");
  float milliseconds = -1;
  check(d().elapsed(from, to, milliseconds), "elapsed");
  EXPECT_GE(milliseconds, 0.0f);
  d().destroy(0, from);
  d().destroy(0, to);
}

TEST_P(operations, give_memory_of_the_host_and_of_both) {
  void* page_locked = nullptr;
  check(d().allocate_host(0, 1000, page_locked), "allocate_host");
  std::memset(page_locked, 3, 1000);
  unsigned char* const memory = allocate(1000);
  check(d().copy(s(), flat(memory, 0, page_locked, on_host, 1000)), "copy");
  EXPECT_EQ(get(memory, 1000), bytes(1000, 3));
  check(d().free_host(0, page_locked), "free_host");
  if (d().can().managed_memory) {
    void* shared = nullptr;
    check(d().allocate_managed(0, 1000, shared), "allocate_managed");
    std::memset(shared, 4, 1000);
    check(d().copy(s(), flat(memory, 0, shared, on_host, 1000)), "copy");
    EXPECT_EQ(get(memory, 1000), bytes(1000, 4));
    check(d().free_managed(0, shared), "free_managed");
  }
}

TEST_P(operations, tell_that_there_is_no_memory_left) {
  void* memory = nullptr;
  const code c = d().allocate_device(0, std::size_t{1} << 50, memory);
  EXPECT_EQ(d().explain(c, "allocating").code, model::error_code::memory_allocation);
  EXPECT_FALSE(d().is_fatal(c));
}

TEST_P(operations, end_graphs_after_the_stream_that_they_were_launched_on) {
  unsigned char* const memory = allocate(64);
  stream of_the_program;
  check(d().make_stream(0, of_the_program), "make_stream");
  graph g;
  check(d().make_graph(g), "make_graph");
  fill_operation f;
  f.destination = memory;
  f.value = 7;
  f.width = f.pitch = 64;
  node n;
  check(d().add_fill(g, {}, f, n), "add_fill");
  executable x;
  check(d().instantiate(g, 0, x), "instantiate");
  for (int i = 0; i < 3; ++i) check(d().launch(x, 0, of_the_program), "launch");
  event ended;
  check(d().make_event(0, false, ended), "make_event");
  check(d().record(0, of_the_program, ended), "record");
  check(d().synchronize(ended), "synchronize");
  d().destroy(0, ended);
  d().destroy(0, of_the_program);
  d().destroy(x);
  d().destroy(g);
  EXPECT_EQ(get(memory, 64), bytes(64, 7));
}

// Streams of the program's own go when it likes, and are captured when it likes.
class operations_in_streams_of_the_program : public operations {
 protected:
  template <class... Parameters>
  void call(const char* name, Parameters... parameters) {
    void* const library = dlopen(TEST_HIP_RUNTIME, RTLD_NOW | RTLD_NOLOAD);
    const auto f = reinterpret_cast<int (*)(Parameters...)>(dlsym(library, name));
    ASSERT_NE(f, nullptr) << name;
    EXPECT_EQ(f(parameters...), 0) << name;
  }
};

TEST_P(operations_in_streams_of_the_program, outlive_them) {
  stream native;
  call("hipStreamCreateWithFlags", &native.native, 1u);
  unsigned char* const memory = allocate(64);
  graph g;
  check(d().make_graph(g), "make_graph");
  fill_operation f;
  f.destination = memory;
  f.value = 7;
  f.width = f.pitch = 64;
  node n;
  check(d().add_fill(g, {}, f, n), "add_fill");
  executable x;
  check(d().instantiate(g, 0, x), "instantiate");
  check(d().launch(x, 0, native), "launch");
  event ended, timed;
  check(d().make_event(0, false, ended), "make_event");
  check(d().make_event(0, true, timed), "make_event");
  check(d().record(0, native, ended), "record");
  check(d().record(0, native, timed), "record");
  check(d().synchronize(ended), "synchronize");
  EXPECT_EQ(get(memory, 64), bytes(64, 7));
  call("hipStreamSynchronize", native.native);
  float milliseconds = -1;
  check(d().elapsed(timed, timed, milliseconds), "elapsed");
  EXPECT_EQ(milliseconds, 0.0f);
  call("hipStreamDestroy", native.native);
  code why = success;
  EXPECT_EQ(d().query(ended, why), event_state::reached);
  d().destroy(x);
  d().destroy(g);
  d().destroy(0, ended);
  d().destroy(0, timed);
  d().forget(0, native);
}

TEST_P(operations_in_streams_of_the_program, leave_its_captures_alone) {
  const test::environment version("PIANOLA_TEST_DRIVER_HIP_VERSION", "60300000");
  stream native;
  graph made;
  call("hipStreamCreateWithFlags", &native.native, 1u);
  event ended;
  check(d().make_event(0, false, ended), "make_event");
  check(d().record(0, native, ended), "record");
  call("hipStreamBeginCapture", native.native, 0);
  code why = success;
  while (d().query(ended, why) == event_state::not_reached) {
  }
  EXPECT_EQ(why, success);
  check(d().synchronize(ended), "synchronize");
  call("hipStreamEndCapture", native.native, &made.native);
  d().destroy(made);
  d().destroy(0, ended);
  d().forget(0, native);
  call("hipStreamDestroy", native.native);
}

INSTANTIATE_TEST_SUITE_P(on, operations_in_streams_of_the_program, testing::Values("hip"),
                         name_of_driver);

// Where there is none, only copies outside of graphs find another way.
TEST_P(operations, tell_whether_access_to_another_device_was_granted) {
  EXPECT_TRUE(d().reaches_in_graphs(0, 0));
  (void)allocate(8, 0);
  (void)allocate(8, 1);
  EXPECT_TRUE(d().reaches_in_graphs(0, 1));
  EXPECT_TRUE(d().reaches_in_graphs(1, 0));
  const std::string which = GetParam();
  if (which == "hip_on_cuda") return;
  // The first call is for the second device's, from it to the first.
  ASSERT_TRUE(control_->fail(
      which == "cuda" ? "cuCtxEnablePeerAccess" : "hipDeviceEnablePeerAccess", 1, 2));
  const auto refused = open_another();
  ASSERT_NE(refused, nullptr);
  void* memories[2] = {};
  for (std::uint32_t i = 0; i < 2; ++i)
    check(refused->allocate_device(i, 64, memories[i]), "allocate");
  EXPECT_FALSE(refused->reaches_in_graphs(1, 0));
  EXPECT_TRUE(refused->reaches_in_graphs(0, 1));
  // Boxes, too, by whichever calls can.
  const bytes source = numbers(40);
  copy_operation put = flat(memories[0], 0, source.data(), on_host, 40);
  check(refused->copy(s(0), put), "copy");
  wait(0);
  copy_operation across = flat(memories[1], 1, memories[0], 0, 8);
  across.box.height = 4;
  across.box.source_row_pitch = 10;
  across.box.destination_row_pitch = 8;
  check(refused->copy(s(1), across), "copy");
  wait(1);
  bytes result(32), expected(32);
  check(refused->copy(s(1), flat(result.data(), on_host, memories[1], 1, 32)), "copy");
  wait(1);
  for (std::size_t i = 0; i < 32; ++i) expected[i] = source[i / 8 * 10 + i % 8];
  EXPECT_EQ(result, expected);
  for (std::uint32_t i = 0; i < 2; ++i) check(refused->free_device(i, memories[i]), "free");
}

TEST_P(operations, do_without_attributes_that_the_driver_does_not_know) {
  const std::string which = GetParam();
  if (which == "hip_on_cuda") return;  // asks the other driver
  const char* const name = which == "cuda" ? "cuDeviceGetAttribute" : "hipDeviceGetAttribute";
  const auto before = control_->calls(name);
  ASSERT_NE(open_another(), nullptr);
  const auto questions = control_->calls(name) - before;
  ASSERT_GT(questions, 20U);
  int refused = 0;
  for (std::uint64_t i = 1; i <= questions; ++i) {
    ASSERT_TRUE(control_->fail(name, i, invalid));
    std::string reason;
    const auto opened = open_another(&reason);
    if (opened == nullptr) {
      ++refused;
      EXPECT_THAT(reason, testing::HasSubstr("cuDeviceGetAttribute(7")) << "compute capability";
      continue;
    }
    const auto& p = opened->devices()[0].properties;
    EXPECT_GE(p.max_work_group_size, 64U);
    EXPECT_GE(p.max_work_item_sizes[0], 64U);
    EXPECT_GE(p.max_work_groups[2], 65535U);
    EXPECT_GE(p.compute_units, 1U);
    EXPECT_EQ(p.sub_group_sizes.size(), 1U);
    EXPECT_GE(p.sub_group_sizes[0], 32U);
    EXPECT_GE(p.local_memory_bytes, 47U << 10);
  }
  EXPECT_EQ(refused, which == "cuda" ? 4 : 0);
}

TEST_P(operations, know_which_failures_are_the_images_fault) {
  for (const code c : {200, 209, 218, 500}) EXPECT_TRUE(d().wrong_image(c)) << c;
  for (const code c : {0, 1, 2, 700, 719}) EXPECT_FALSE(d().wrong_image(c)) << c;
  if (std::string(GetParam()) == "cuda") {
    EXPECT_TRUE(d().wrong_image(222)) << "PTX of a newer version";
  }
}

INSTANTIATE_TEST_SUITE_P(on, operations, every_driver(), name_of_driver);

}  // namespace
}  // namespace pianola::gpu
