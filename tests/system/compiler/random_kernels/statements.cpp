// SPDX-License-Identifier: Apache-2.0
// Code that all work-items of a group run together: uniform control flow, barriers.
#include <algorithm>

#include "generator.hpp"

namespace random_kernels {

void body::line(const std::string& text) {
  text_.append(static_cast<std::size_t>(2) * indent_, ' ');
  text_ += text;
  text_ += '\n';
}
void body::open(const std::string& text) {
  line(text);
  ++indent_;
}
void body::close(const std::string& text) {
  --indent_;
  line(text);
}

void body::declare_variables() {
  line("const u32 own = u32(item.get_local_linear_id());");
  line("const std::size_t base = item.get_group_linear_id() * " + std::to_string(shape_.items()) +
       "u;");
  for (unsigned i = 0; i < 3; ++i) {
    const std::string u = "u" + std::to_string(i);
    line("u32 " + u + " = " + (names_.uniform.empty() ? "k0 + " + constant() : uniform_leaf()) +
         ";");
    names_.uniform.push_back(u);
    names_.uniform_target.push_back(u);
  }
}

void body::initialise_slots() {
  line("a[own] = v0 ^ own;");
  line("b[own][0] = std::uint64_t{v1} << 20;");
  line("b[own][1] = own;");
  line("g[base + own] = v2;");
}

void body::assign_varying() {
  if (typed_ && random_.one_in(3)) {
    assign_typed();
    return;
  }
  if (with_pointer_ && random_.one_in(8)) {
    static constexpr const char* places[] = {"&s.first", "&v4", "&p[2]"};
    line("q = " + condition(1, true) + " ? &p[(" + expression(1, true) +
         ") & 7u] : " + places[random_.below(3)] + ";");
    return;
  }
  static constexpr const char* operators[] = {" = ", " += ", " ^= ", " *= ", " -= "};
  const std::string target = varying_target();
  line(target + operators[random_.below(5)] + expression(2 + random_.below(2), true) + ";");
}

void body::write_own_slot() {
  for (unsigned tries = 0; tries < 3; ++tries) {
    const unsigned array = random_.below(3);
    if (states_[array] != state::own) continue;
    line(own_slot(array) + (random_.one_in(2) ? " = " : " += ") + expression(2, true) + ";");
    return;
  }
  assign_varying();
}

void body::barrier_to(const states& wanted) {
  static constexpr const char* barriers[] = {
      "sycl::group_barrier(item.get_group());", "sycl::group_barrier(item.get_group());",
      "sycl::group_barrier(item.get_group(), sycl::memory_scope::device);"};
  line(barriers[random_.below(3)]);
  states_ = wanted;
  budget_ -= static_cast<std::int64_t>(multiplier_);
}

void body::barrier() {
  states wanted = states_;
  for (state& s : wanted)
    if (!random_.one_in(3)) s = random_.one_in(3) ? state::own : state::shared;
  barrier_to(wanted);
}

// What the compiler cannot know to be uniform: a value that all work-items read at the same place.
void body::read_uniform_value() {
  for (unsigned tries = 0; tries < 4; ++tries) {
    const unsigned array = random_.below(3);
    if (states_[array] != state::shared) continue;
    line(one_of(names_.uniform_target) + " = " + any_slot(array, index_of(expression(1, false))) +
         ";");
    return;
  }
  line(one_of(names_.uniform_target) + " = " + expression(2, false) + ";");
}

void body::uniform_if(unsigned depth) {
  const states before = states_;
  open("if (" + condition(2, false) + ") {");
  uniform_block(depth - 1, 1 + random_.below(3));
  const states after = states_;
  const bool two = random_.one_in(2);
  if (two) {
    close("} else {");
    ++indent_;
    states_ = before;
    uniform_block(depth - 1, 1 + random_.below(3));
    if (states_ != after) barrier_to(after);
  } else if (states_ != before) {
    barrier_to(before);
  }
  close();
}

void body::uniform_for(unsigned depth) {
  constexpr std::uint32_t most_trips = 4;
  const std::string i = fresh("i");
  const states before = states_;
  std::string trips;
  if (random_.one_in(3))
    trips = std::to_string(1 + random_.below(most_trips)) + "u";
  else
    trips = "((" + expression(1, false) + ") & 3u)";
  // The bound is computed once: the body may change what it depends on.
  const std::string n = fresh("n");
  line("const u32 " + n + " = " + trips + ";");
  const std::string type = random_.one_in(2) ? "u32 " : "std::size_t ";
  if (random_.one_in(3))
    open("for (" + type + i + " = " + n + "; " + i + " > 0u; --" + i + ") {");
  else
    open("for (" + type + i + " = 0; " + i + " < " + n + "; ++" + i + ") {");
  const std::uint64_t outer = multiplier_;
  multiplier_ *= most_trips;
  names_.uniform.push_back("u32(" + i + ")");
  loops_.push_back({before, depth});
  uniform_block(depth - 1, 2 + random_.below(3));
  if (states_ != before) barrier_to(before);
  loops_.pop_back();
  names_.uniform.pop_back();
  multiplier_ = outer;
  close();
}

void body::uniform_while(unsigned depth) {
  constexpr std::uint64_t most_trips = 4;
  const std::string n = fresh("n");
  const states before = states_;
  const bool bottom = random_.one_in(2);
  line("u32 " + n + " = (" + expression(1, false) + ") & 3u;");
  open(bottom ? "do {" : "while (" + n + "-- != 0u) {");
  const std::uint64_t outer = multiplier_;
  multiplier_ *= most_trips;
  names_.uniform.push_back(n);
  loops_.push_back({before, depth});
  uniform_block(depth - 1, 1 + random_.below(3));
  if (states_ != before) barrier_to(before);
  loops_.pop_back();
  names_.uniform.pop_back();
  multiplier_ = outer;
  if (bottom)
    close("} while (" + n + "-- > 1u && " + n + " < 4u);");
  else
    close();
}

void body::uniform_switch(unsigned depth) {
  const states before = states_;
  const unsigned cases = 2 + random_.below(3);
  open("switch ((" + expression(1, false) + ") % " + std::to_string(cases + 1) + "u) {");
  // Inside a switch, `break` leaves the switch; breaks of the loop around are not written.
  std::vector<loop> outer;
  outer.swap(loops_);
  for (unsigned c = 0; c < cases; ++c) {
    open((c + 1 == cases && random_.one_in(2) ? std::string("default")
                                              : "case " + std::to_string(c)) +
         ": {");
    states_ = before;
    uniform_block(depth - 1, 1 + random_.below(2));
    if (states_ != before) barrier_to(before);
    line(c + 1 == cases || !random_.one_in(3) ? "break;" : "[[fallthrough]];");
    close();
  }
  loops_.swap(outer);
  states_ = before;
  close();
}

void body::scoped_variable(unsigned depth) {
  const std::string t = fresh("t");
  open("{");
  line("u32 " + t + " = " + expression(2, true) + ";");
  names_.varying.push_back(t);
  uniform_block(depth - 1, 2 + random_.below(2));
  line(names_.varying[random_.below(static_cast<std::uint32_t>(names_.varying.size() - 1))] +
       " ^= " + t + ";");
  names_.varying.pop_back();
  close();
}

void body::leave_loop() {
  const states now = states_;
  open("if (" + condition(1, false) + ") {");
  if (random_.one_in(2)) assign_varying();
  if (states_ != loops_.back().at_exit) barrier_to(loops_.back().at_exit);
  line(random_.one_in(2) ? "break;" : "continue;");
  close();
  states_ = now;
}

void body::call_helper() {
  if (states_ != all_own) barrier_to(all_own);
  line(one_of(names_.varying) + " += helper" + std::to_string(random_.below(helpers_)) + "<" +
       std::to_string(shape_.dimensions) + ">(item, a, b, g, in, " + expression(1, false) + ", " +
       expression(1, false) +
       (in_kernel_ ? ", v" + std::to_string(random_.below(2)) + ", v" +
                         std::to_string(2 + random_.below(2))
                   : std::string(", y1, z")) +
       ", p, s);");
  constexpr std::int64_t usual_cost = 10;
  budget_ -= usual_cost * static_cast<std::int64_t>(multiplier_);
}

// A lambda with barriers that refers to the kernel's variables.
void body::call_lambda() {
  if (states_[0] != state::own) {
    assign_varying();
    return;
  }
  line(one_of(names_.varying) + " += exchange(" + expression(2, true) + ", " +
       expression(1, false) + ");");
  budget_ -= 2 * static_cast<std::int64_t>(multiplier_);
}

// The whole group leaves.
void body::leave_function() {
  open("if (" + condition(1, false) + ") {");
  if (in_kernel_)
    line("out[item.get_global_linear_id()] = " + expression(2, true) + ";");
  else if (const states now = states_; now != all_own) {
    barrier_to(all_own);
    states_ = now;
  }
  line(in_kernel_ ? "return;" : "return " + one_of(names_.varying) + ";");
  close();
}

void body::uniform_statement(unsigned depth) {
  // A barrier costs as often as the loops around it run.
  const bool affordable = budget_ >= static_cast<std::int64_t>(multiplier_);
  if (options_.lanes && in_kernel_ && affordable && random_.one_in(6)) {
    lane_statement();
    return;
  }
  if (typed_ && affordable && random_.one_in(6)) {
    shape_statement();
    return;
  }
  if (options_.parting && affordable && random_.one_in(8)) {
    parting_region();
    return;
  }
  if (options_.jumps && affordable && random_.one_in(10)) {
    computed_jumps(way::together);
    constexpr std::int64_t usual_waits = 6;
    budget_ -= usual_waits * static_cast<std::int64_t>(multiplier_);
    return;
  }
  switch (random_.below(depth == 0 ? 9 : 18)) {
    case 0:
    case 1:
      assign_varying();
      return;
    case 2:
    case 3:
      write_own_slot();
      return;
    case 4:
      read_uniform_value();
      return;
    case 5:
    case 6:
      if (affordable)
        barrier();
      else
        assign_varying();
      return;
    case 7:
      if (options_.groups && affordable)
        group_operation();
      else if (!loops_.empty())
        leave_loop();
      else
        assign_varying();
      return;
    case 8:
      if (options_.apart && affordable && random_.one_in(2))
        past_exchanges();
      else if (options_.ways && affordable && random_.one_in(2))
        two_ways_to_exchanges();
      else if (options_.sub_groups && affordable)
        sub_group_control_flow();
      else if (!loops_.empty())
        leave_loop();
      else
        write_own_slot();
      return;
    case 9:
    case 10:
      divergent_block(2, 1 + random_.below(2));
      return;
    case 11:
    case 12:
      uniform_if(depth);
      return;
    case 13:
      uniform_for(depth);
      return;
    case 14:
      uniform_while(depth);
      return;
    case 15:
      uniform_switch(depth);
      return;
    case 16:
      if (helpers_ != 0 && affordable)
        call_helper();
      else if (in_kernel_ && affordable && random_.one_in(2))
        call_lambda();
      else if (random_.one_in(4))
        leave_function();
      else
        scoped_variable(depth);
      return;
    default:
      scoped_variable(depth);
      return;
  }
}

void body::uniform_block(unsigned depth, unsigned count) {
  const std::size_t known = names_.varying.size();
  for (unsigned i = 0; i < count; ++i) uniform_statement(depth);
  names_.varying.resize(known);
}

// After the last barrier work-items may leave one by one.
void body::tail() {
  for (unsigned i = random_.below(3); i > 0; --i) {
    divergent_block(1, 1);
    open("if (" + condition(1, true) + ") {");
    line("out[item.get_global_linear_id()] = " + expression(2, true) + ";");
    line("return;");
    close();
  }
}

void body::write_kernel(std::uint32_t helpers) {
  helpers_ = helpers;
  declare_variables();
  for (unsigned i = 0; i < 5; ++i) {
    const std::string v = "v" + std::to_string(i);
    line("u32 " + v + " = in[(own * " + std::to_string(1 + random_.below(200)) + "u + " +
         std::to_string(random_.below(256)) + "u) & 255u];");
    names_.varying.push_back(v);
  }
  line("u32 p[8] = {v0, v1, v2, v3, v4, own, 7u, k1};");
  line("record s = {v3, v4};");
  with_pointer_ = random_.one_in(3);
  if (with_pointer_) line("u32* q = &p[own & 7u];");
  if (options_.shapes) declare_typed();
  open("[[maybe_unused]] const auto exchange = [&](u32 value, u32 by) {");
  line("a[own] = value + v0;");
  line("sycl::group_barrier(item.get_group());");
  line("const u32 got = a[(own + by) % " + std::to_string(shape_.items()) + "u] ^ p[by & 7u];");
  line("sycl::group_barrier(item.get_group());");
  line("return got;");
  close("};");
  initialise_slots();
  constexpr unsigned nesting = 4;
  uniform_block(nesting, 6 + random_.below(6));
  if (options_.parting) parting_end();
  tail();
  line("u32 result = u0 ^ (u1 * 3u) ^ (u2 * 5u) ^ s.first ^ u32(s.second) ^ u32(s.second >> 32);");
  line("for (u32 i = 0; i < 8u; ++i) mix(result, p[i]);");
  for (const std::string& v : names_.varying) line("mix(result, " + v + ");");
  if (typed_) mix_typed();
  for (unsigned array = 0; array < states_.size(); ++array)
    line("mix(result, u32(" +
         (states_[array] == state::own ? own_slot(array) : any_slot(array, index_of("own + 1u"))) +
         "));");
  line("out[item.get_global_linear_id()] = result;");
}

void body::write_helper(std::uint32_t number) {
  in_kernel_ = false;
  helpers_ = number;
  constexpr std::int64_t small = 8;
  budget_ = small;
  names_.uniform = {"x0", "x1", "k0", "k1"};
  declare_variables();
  names_.varying = {"y0", "y1"};
  line("u32 z = y0 + " + constant() + ";");
  names_.varying.push_back("z");
  constexpr unsigned nesting = 2;
  uniform_block(nesting, 3 + random_.below(3));
  if (states_ != all_own) barrier_to(all_own);
  line("return z ^ u0 ^ u1 ^ u2;");
}

}  // namespace random_kernels
