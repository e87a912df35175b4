// SPDX-License-Identifier: Apache-2.0
// Writes SYCL programs with random nd_range kernels. By construction a kernel
//  - has no data race: between two barriers a shared array is either written and read by each work-item in
//    its own slot only, or read by everybody and written by nobody; the generator keeps track of which;
//  - reaches every barrier with all work-items of the group: conditions around barriers are uniform; with `parting`,
//    work-items also wait one by one, but then touch nothing that others do until all have waited equally often;
//  - ends: every loop has a counter that only the loop itself changes;
//  - computes with unsigned integers only, so that there is one right result.
#pragma once
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace random_kernels {

struct options {
  std::uint64_t seed = 0;
  unsigned kernels = 6;
  bool groups = false;  // reductions, scans, votes, shuffles of groups and sub-groups
  bool sub_groups =
      false;  // sub-group operations and barriers under conditions uniform per sub-group only
  bool ways =
      false;  // lanes do more than others before all exchange something; with `groups` and `sub_groups`
  bool apart =
      false;  // lanes go different ways past exchanges that none of them comes to; with `groups` and `sub_groups`
  bool lanes = false;    // loops of sub-groups that end by data; with `groups` and `sub_groups`
  bool shapes = false;   // other types than u32, atomics, functions with many returns
  bool parting = false;  // barriers that not all work-items come to
  bool jumps = false;    // computed goto
};

class random {
 public:
  explicit random(std::uint64_t seed) : engine_(seed) {}
  // 0 ... n - 1. Not a standard distribution: those differ between libraries.
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(engine_() % n); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

struct shape {
  unsigned dimensions = 1;
  std::array<std::uint32_t, 3> groups{1, 1, 1}, local{1, 1, 1};
  std::uint32_t sub_group_size = 8;
  [[nodiscard]] std::uint32_t items() const { return local[0] * local[1] * local[2]; }
  [[nodiscard]] std::uint32_t global() const { return items() * groups[0] * groups[1] * groups[2]; }
};

// Memory that work-items of a group share: a, b in local memory, g in global memory.
enum class state : unsigned char { own, shared };
using states = std::array<state, 3>;
inline constexpr states all_own{state::own, state::own, state::own};

// Writes the body of one function.
class body {
 public:
  body(random& r, const options& o, const shape& s, unsigned indent)
      : random_(r), options_(o), shape_(s), indent_(indent) {}

  // The whole of a kernel, from its first statement to its last.
  void write_kernel(std::uint32_t helpers);
  // The whole of a helper function that returns std::uint32_t.
  // It may call the helpers with smaller numbers.
  void write_helper(std::uint32_t number);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  struct names {
    std::vector<std::string> uniform;         // readable
    std::vector<std::string> uniform_target;  // assignable in uniform control flow
    std::vector<std::string> varying;         // both
  };
  struct loop {
    states at_exit;
    unsigned depth;
  };

  void line(const std::string& text);
  void open(const std::string& text);
  void close(const std::string& text = "}");
  std::string fresh(const char* prefix) { return prefix + std::to_string(next_name_++); }
  template <class T>
  const T& one_of(const std::vector<T>& v) {
    return v[random_.below(static_cast<std::uint32_t>(v.size()))];
  }

  // expressions.cpp: texts of type std::uint32_t
  std::string constant();
  std::string uniform_leaf();
  std::string varying_leaf(unsigned depth);
  std::string expression(unsigned depth, bool varying);
  std::string condition(unsigned depth, bool varying);
  std::string own_slot(unsigned array);
  std::string any_slot(unsigned array, const std::string& index);
  std::string index_of(const std::string& value);
  std::string varying_target();

  // statements.cpp
  void declare_variables();
  void initialise_slots();
  void assign_varying();
  void uniform_block(unsigned depth, unsigned count);
  void uniform_statement(unsigned depth);
  void uniform_if(unsigned depth);
  void uniform_for(unsigned depth);
  void uniform_while(unsigned depth);
  void uniform_switch(unsigned depth);
  void scoped_variable(unsigned depth);
  void leave_loop();
  void barrier();
  void barrier_to(const states& wanted);
  void write_own_slot();
  void read_uniform_value();
  void call_helper();
  void call_lambda();
  void leave_function();
  void tail();
  // divergent.cpp
  void divergent_block(unsigned depth, unsigned count);
  void divergent_statement(unsigned depth);
  // parting.cpp
  enum class way : unsigned char { together, alone, parting };
  void parting_barrier();
  void parting_block(unsigned depth, unsigned count);
  void parting_statement(unsigned depth);
  void parting_region();
  void parting_end();
  void computed_jumps(way which);
  // group_operations.cpp
  void group_operation();
  void sub_group_control_flow();
  void two_ways_to_exchanges();
  void past_exchanges();
  // lanes.cpp
  void lane_statement();
  void lane_loop(unsigned depth);
  void lane_block(unsigned depth, unsigned count);
  void lane_exchange();
  void leave_lane_loop();
  // shapes.cpp
  void declare_typed();
  std::string typed_leaf(unsigned depth);
  void assign_typed();
  void mix_typed();
  void shape_statement();

  random& random_;
  const options& options_;
  const shape& shape_;
  unsigned indent_;
  std::string text_;
  names names_;
  states states_ = all_own;
  std::vector<loop> loops_;
  std::uint32_t helpers_ = 0;
  bool in_kernel_ = true;
  bool with_pointer_ = false;  // q, to private memory, live across barriers
  bool typed_ = false;         // there are variables of other types
  bool in_divergent_loop_ = false;
  bool in_jumps_ = false;
  static constexpr unsigned most_waits = 6;
  std::string
      waited_;  // the variable that counts the barriers of a region that parts; empty: nobody counts
  unsigned next_name_ = 0;
  // Barriers that are executed, not written: bounds the time of a run with fibers.
  std::uint64_t multiplier_ = 1;
  std::int64_t budget_ = 160;
};

[[nodiscard]] std::string program(const options&);

}  // namespace random_kernels
