// SPDX-License-Identifier: Apache-2.0
// Executable graphs that one process saves and another one loads.
#include <cstring>
#include <string_view>

#include <pianola/formats/file.hpp>

#include "run_program.hpp"
#include "use_file.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;
using ::testing::HasSubstr;

class saved_executable : public in_folder {
 protected:
  static constexpr const char* stored = "0 stored 1";

  std::string save(const std::string& what = "save", const std::string& how = "") {
    const outcome o = program("", what + " '" + file() + "' " + how);
    EXPECT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_FALSE(o.line("result").empty());
    return o.line("result");
  }
  [[nodiscard]] outcome load(const std::string& what = "load", const std::string& how = "") const {
    return program("", what + " '" + file() + "' " + how);
  }
  void expect_refused(const outcome& o, int code, const std::string& reason) {
    EXPECT_EQ(o.code, 3) << o.out << o.err;
    EXPECT_EQ(o.line("error").substr(0, o.line("error").find(':')), std::to_string(code));
    EXPECT_THAT(o.out, HasSubstr(reason));
  }
  // The loop that is command 1 requires one element of its buffer where its graph works on all.
  void break_a_loop() {
    std::string bytes = formats::read_file(file());
    const auto& header = *reinterpret_cast<const executable::file_header*>(bytes.data());
    std::size_t commands = 0, requirements = 0, boxes = 0, next = 0;
#define PIANOLA_PLACE(name, record)                                                         \
  if (std::string_view(#name) == "commands") commands = header.places[next].offset;         \
  if (std::string_view(#name) == "requirements") requirements = header.places[next].offset; \
  if (std::string_view(#name) == "boxes") boxes = header.places[next].offset;               \
  ++next;
    PIANOLA_EXECUTABLE_SECTIONS(PIANOLA_PLACE)
#undef PIANOLA_PLACE
    const auto* all = reinterpret_cast<const executable::command_record*>(bytes.data() + commands);
    auto* required = reinterpret_cast<executable::requirement_record*>(bytes.data() + requirements);
    const auto* box = reinterpret_cast<const executable::box_record*>(bytes.data() + boxes);
    std::uint32_t one = 0;
    while (to_box(box[one]).count() != 1) ++one;
    for (std::uint32_t i = 0; i < all[1].requirement_count; ++i)
      required[all[1].first_requirement + i].box = one;
    sum_up(bytes);
    formats::write_file(file(), bytes);
  }
  [[nodiscard]] std::string file() const { return path("app.exe"); }
};

TEST_F(saved_executable, gives_the_same_bytes_in_another_process_that_records_and_plans_nothing) {
  for (const char* devices : machines) {
    SCOPED_TRACE(devices);
    devices_ = devices;
    const std::string result = save();
    for (const char* how : {"", "verify", "numbers"}) {
      const outcome o = load("load", how);
      EXPECT_EQ(o.code, 0) << o.out << o.err;
      EXPECT_EQ(o.line("result"), result) << how;
      EXPECT_EQ(o.line("planned"), stored);
    }
  }
}

TEST_F(saved_executable, can_be_nested_in_a_graph_and_saved_again) {
  const std::string result = save();
  const outcome o = load("nested");
  EXPECT_EQ(o.code, 0) << o.out << o.err;
  EXPECT_EQ(o.line("result"), result);
  EXPECT_EQ(program("", "load '" + file() + ".again'").line("result"), result);
}

TEST_F(saved_executable, works_on_memory_of_the_program_that_loads_it) {
  for (const char* devices : machines) {
    SCOPED_TRACE(devices);
    devices_ = devices;
    const std::string result = save("save-usm");
    for (const char* how : {"", "inside"}) {
      const outcome o = load("load-usm", how);
      EXPECT_EQ(o.code, 0) << o.out << o.err;
      EXPECT_EQ(o.line("result"), result) << how;
      EXPECT_EQ(o.line("planned"), stored);
    }
    expect_refused(load("load-usm", "kind"), 8, "the memory 'in' was a host allocation");
    expect_refused(load("load-usm", "short"), 8, "the memory 'in' had 1024 bytes");
  }
}

TEST_F(saved_executable, has_loops_and_branches_and_loops_in_them) {
  for (const char* devices : machines) {
    SCOPED_TRACE(devices);
    devices_ = devices;
    const std::string result = program("", "run-loops").line("result");
    EXPECT_EQ(save("save-loops"), result);
    for (const char* how : {"", "verify", "again"}) {
      const outcome o = load("load-loops", how);
      EXPECT_EQ(o.code, 0) << o.out << o.err;
      EXPECT_EQ(o.line("result"), result) << how;
      EXPECT_EQ(o.line("planned").substr(0, 9), "0 stored ") << how;
    }
    EXPECT_EQ(program("", "load-loops '" + file() + ".again' verify").line("result"), result);
#if defined(PIANOLA_TOOL)
    EXPECT_EQ(shell(std::string(PIANOLA_TOOL) + " verify '" + file() + "'").out, "valid\n");
#endif
    break_a_loop();
#if defined(PIANOLA_TOOL)
    EXPECT_THAT(shell(std::string(PIANOLA_TOOL) + " verify '" + file() + "'").out,
                HasSubstr("command 1: it does not require what the graphs that it runs need"));
#endif
    expect_refused(load("load-loops", "verify"), 8,
                   "commands/1: it does not require what the graphs that it runs need");
  }
}

TEST_F(saved_executable, is_bound_to_what_has_the_shapes_that_it_was_saved_with) {
  save();
  expect_refused(load("load", "wide"), 8,
                 "the buffer 'now' had 24x40 elements, the one that is bound has 24x80");
  expect_refused(load("load", "pages"), 8,
                 "the buffer 'now' had pages of 8x40 elements, the one that is bound of 12x40");
  expect_refused(load("load", "unbound"), 8, "the buffer 'copy' (number 3) is not bound");
  expect_refused(load("load", "unknown"), 8, "has nothing of the name of a binding: 'other'");
  expect_refused(load("load", "twice"), 8, "'next' and 'copy' are bound to one buffer");
}

TEST_F(saved_executable, has_numbers_for_what_was_not_named) {
  const std::string result = save("save", "unnamed");
  EXPECT_EQ(load("load", "numbers").line("result"), result);
  expect_refused(load(), 8, "the buffer 'buffer 0' (number 0) is not bound");
}

TEST_F(saved_executable, is_refused_on_another_machine) {
  devices_ = "simulated:1";
  save();
  devices_ = "openmp";
  expect_refused(load(), 8, "was saved on another machine: it had 2 memories, here are 1");
  devices_ = "simulated:2";
  expect_refused(load(), 8, "was saved on another machine: its device 1 was");
}

TEST_F(saved_executable, is_never_made_of_what_means_nothing_in_another_process) {
  const auto refused = [&](const char* how) {
    return program("", "refused '" + file() + "' " + how);
  };
  expect_refused(refused("host-task"), 12, "it is a host task, a function of this program");
  expect_refused(refused("object"), 12, "its function object is not trivially copyable");
  expect_refused(refused("pointer"), 12,
                 "its arguments hold what looks like an address of this process");
  expect_refused(refused("memory"), 12, "it works on memory that is no USM allocation");
  EXPECT_FALSE(std::filesystem::exists(file()));
  EXPECT_EQ(refused("any").out, "saved\n");
}

TEST_F(saved_executable, has_specialization_constants_that_kernels_find_in_memory) {
  for (const char* devices : machines) {
    SCOPED_TRACE(devices);
    devices_ = devices;
    const std::string result = program("", "run-constants").line("result");
#if !defined(PIANOLA_PLANS_HAVE_IMAGES)
    // Compiled by another compiler than pianolacc.
    expect_refused(load("save-constants"), 12,
                   "the graph cannot be saved: a kernel of it has specialization constants in "
                   "memory, which are known by addresses of this process");
    continue;
#endif
    EXPECT_EQ(save("save-constants"), result);
    for (const char* how : {"", "verify", "again"}) {
      const outcome o = load("load-constants", how);
      EXPECT_EQ(o.code, 0) << o.out << o.err;
      EXPECT_EQ(o.line("result"), result) << how;
      EXPECT_EQ(o.line("planned").substr(0, 9), "0 stored ") << how;
    }
    EXPECT_EQ(program("", "load-constants '" + file() + ".again' verify").line("result"), result);
  }
}

TEST_F(saved_executable, is_bound_to_images) {
  for (const char* devices : machines) {
    SCOPED_TRACE(devices);
    devices_ = devices;
    const std::string result = program("", "run-images").line("result");
    EXPECT_EQ(save("save-images"), result);
    for (const char* how : {"", "verify", "numbers"}) {
      const outcome o = load("load-images", how);
      EXPECT_EQ(o.code, 0) << o.out << o.err;
      EXPECT_EQ(o.line("result"), result) << how;
      EXPECT_EQ(o.line("planned"), stored) << how;
    }
    expect_refused(load("load-images", "small"), 8,
                   "the buffer 'picture' had 960 elements, the one that is bound has 480");
  }
}

TEST_F(saved_executable, takes_other_values_of_the_parameters_that_it_was_saved_with) {
  for (const char* devices : machines) {
    SCOPED_TRACE(devices);
    devices_ = devices;
    const std::string half = save("save-values");
    const std::string quarter = program("", "run-values '' quarter").line("result");
    const std::string other = program("", "run-values '' other").line("result");
    EXPECT_NE(half, quarter);
    EXPECT_NE(half, other);
    EXPECT_EQ(load("load-values").line("result"), half);
    for (const char* how : {"bound", "update", "number", "again"}) {
      const outcome o = load("load-values", how);
      EXPECT_EQ(o.code, 0) << o.out << o.err;
      EXPECT_EQ(o.line("result"), quarter) << how;
      EXPECT_EQ(o.line("planned"), stored) << how;
    }
    EXPECT_EQ(load("load-values", "whole").line("result"), quarter);
    EXPECT_EQ(program("", "load-values '" + file() + ".again'").line("result"), quarter);
    EXPECT_EQ(load("load-values", "pointer").line("result"), other);
  }
}

TEST_F(saved_executable, takes_only_values_of_its_parameters_and_only_if_it_may_be_updated) {
  save("save-values");
  expect_refused(load("load-values", "size"), 8,
                 "update: the parameter 'factor' has 4 bytes, the value 8");
  expect_refused(load("load-values", "unknown"), 8, "update: the graph has no parameter 'other'");
  expect_refused(load("load-values", "memory"), 8, "update: the binding 'added' is no dynamic_par");
  expect_refused(load("load-values", "fixed"), 8,
                 "update: the graph was loaded without property::graph::updatable");
  expect_refused(load("save-values", "twice"), 8, "save: a dynamic_parameter is named twice");
  expect_refused(load("save-values", "unused"), 8,
                 "save: no kernel of the graph uses the parameter 'unused'");
}

TEST_F(saved_executable, has_the_storage_of_temporary_and_evictable_buffers) {
  for (const char* devices : machines) {
    SCOPED_TRACE(devices);
    devices_ = devices;
    for (const std::string kind : {"temporary", "evicted"}) {
      // The memory of the processor is the host's, to which buffers would leave.
      if (kind == "evicted" && devices_ == "openmp") continue;
      const outcome saved = program("", "save-" + kind + " '" + file() + "'");
      ASSERT_EQ(saved.code, 0) << saved.out << saved.err;
      EXPECT_NE(saved.line("block"), "0");
      const outcome o = load("load-" + kind);
      EXPECT_EQ(o.code, 0) << o.out << o.err;
      EXPECT_EQ(o.line("result"), saved.line("result"));
      EXPECT_EQ(o.line("block"), saved.line("block"));
      EXPECT_EQ(o.line("planned"), stored);
      expect_refused(load("load-" + kind, "ordinary"), 8, ", the one that is bound is an ordinary");
    }
  }
}

TEST_F(saved_executable, names_the_kernel_that_a_program_has_not) {
  save();
  std::string bytes = formats::read_file(file());
  executable::file_header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  constexpr std::size_t kernels = 3;  // the section's number in layout.hpp
  const std::size_t at = header.places[kernels].offset;
  bytes[at] = static_cast<char>(bytes[at] ^ 1);  // its identity
  sum_up(bytes);
  formats::write_file(file(), bytes);
  expect_refused(load(), 13, "this program has no kernel '");
}

TEST_F(saved_executable, that_was_damaged_is_not_loaded) {
  save();
  std::string bytes = formats::read_file(file());
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  formats::write_file(file(), bytes);
  expect_refused(load(), 8, "its checksum is wrong: the file was damaged");
  formats::write_file(file(), bytes.substr(0, bytes.size() - 1));
  expect_refused(load(), 8, "it was cut or added to");
  formats::write_file(file(), "{}");
  expect_refused(load(), 8, "is no executable graph of Pianola");
}

#ifdef PIANOLA_TOOL
TEST_F(saved_executable, is_shown_and_verified_by_the_tool) {
  devices_ = "simulated:1";
  save();
  const outcome shown = shell("'" PIANOLA_TOOL "' show '" + file() + "'");
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("  buffer 0  'now'  24x40 elements of 4 B\n"));
  EXPECT_THAT(shown.out, HasSubstr("6 commands"));
  EXPECT_THAT(shown.out, HasSubstr("valid at entry:"));
  const outcome verified = shell("'" PIANOLA_TOOL "' verify '" + file() + "'");
  EXPECT_EQ(verified.code, 0) << verified.err;
  EXPECT_EQ(verified.out, "valid\n");
  const outcome twice = shell("'" PIANOLA_TOOL "' verify '" + file() + "' '" + file() + "'");
  EXPECT_EQ(twice.code, 2);
  save("save-values");
  EXPECT_THAT(shell("'" PIANOLA_TOOL "' show '" + file() + "'").out,
              HasSubstr("may be given other values:\n  parameter 0  'factor'  4 B\n"
                        "  parameter 1  'from'  8 B\n"));
  EXPECT_THAT(twice.err, HasSubstr("an executable graph has a plan of its own"));
}
#endif

}  // namespace
