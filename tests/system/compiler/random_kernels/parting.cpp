// SPDX-License-Identifier: Apache-2.0
// Barriers that work-items come to one by one, and computed jumps.
#include "generator.hpp"

namespace random_kernels {

// Counts, so that in the end all have waited equally often: what work-items share is as before then.
void body::parting_barrier() {
  if (waited_.empty()) {
    line("sycl::group_barrier(item.get_group());");
    return;
  }
  open("if (" + waited_ + " < " + std::to_string(most_waits) + "u) {");
  line("++" + waited_ + ";");
  line("sycl::group_barrier(item.get_group());");
  close();
}

void body::parting_block(unsigned depth, unsigned count) {
  for (unsigned i = 0; i < count; ++i) parting_statement(depth);
}

void body::parting_statement(unsigned depth) {
  const bool outer_loop = in_divergent_loop_;
  const unsigned below = depth == 0 ? 0 : depth - 1;
  switch (random_.below(depth == 0 ? 4 : 8)) {
    case 0:
    case 1:
      parting_barrier();
      return;
    case 2:
      divergent_statement(1);
      return;
    case 3:
      // Leaves for good.
      if (!waited_.empty() || in_jumps_) {
        write_own_slot();
        return;
      }
      open("if (" + condition(1, true) + ") {");
      line("out[item.get_global_linear_id()] = " + expression(2, true) + ";");
      line("return;");
      close();
      return;
    case 4:
      open("if (" + condition(2, true) + ") {");
      parting_block(below, 1 + random_.below(2));
      if (random_.one_in(2)) {
        close("} else {");
        ++indent_;
        parting_block(below, 1 + random_.below(2));
      }
      close();
      return;
    case 5: {
      const std::string i = fresh("i");
      open("for (u32 " + i + " = 0; " + i + " < ((" + expression(1, true) + ") & 3u); ++" + i +
           ") {");
      in_divergent_loop_ = true;
      parting_block(below, 1 + random_.below(3));
      in_divergent_loop_ = outer_loop;
      close();
      return;
    }
    case 6: {
      const std::string n = fresh("n");
      line("u32 " + n + " = (" + expression(1, true) + ") % 4u;");
      open("do {");
      in_divergent_loop_ = true;
      parting_block(below, 1 + random_.below(2));
      in_divergent_loop_ = outer_loop;
      close("} while (" + n + "-- != 0u && " + n + " < 4u);");
      return;
    }
    default:
      if (options_.jumps && !in_jumps_)
        computed_jumps(way::parting);
      else
        parting_barrier();
      return;
  }
}

// Afterwards all work-items are together again.
void body::parting_region() {
  const std::string outer = waited_;
  waited_ = fresh("waited");
  line("u32 " + waited_ + " = 0;");
  parting_block(2, 2 + random_.below(2));
  open("while (" + waited_ + " < " + std::to_string(most_waits) + "u) {");
  line("++" + waited_ + ";");
  line("sycl::group_barrier(item.get_group());");
  close();
  waited_ = outer;
  budget_ -= most_waits * static_cast<std::int64_t>(multiplier_);
}

// The last barriers of a kernel. The first work-item waits at one of them at least, as fibers want it.
void body::parting_end() {
  barrier_to(states_);
  parting_block(2, 2 + random_.below(3));
}

// In a function of their own: a computed jump must not pass the declaration of a variable.
void body::computed_jumps(way which) {
  const bool varying = which != way::together;
  const states before = states_;
  const bool outer_jumps = in_jumps_, outer_loop = in_divergent_loop_;
  std::vector<loop> outer;
  outer.swap(loops_);
  in_jumps_ = true;
  in_divergent_loop_ = false;
  const std::string n = fresh("jumps"), label = fresh("label");
  constexpr unsigned labels = 3;
  const auto jump = [&] {
    return "goto *table[(" + expression(1, varying) + ") % " + std::to_string(labels) + "u];";
  };
  open("[&] {");
  line(std::string(random_.one_in(2) ? "static " : "") + "const void* const table[] = {&&" + label +
       "_0, &&" + label + "_1, &&" + label + "_2};");
  line("u32 " + n + " = " + std::to_string(random_.below(4)) + "u;");
  line(jump());
  for (unsigned i = 0; i < labels; ++i) {
    line(label + "_" + std::to_string(i) + ":");
    open("{");
    if (which == way::parting) {
      parting_block(1, 1 + random_.below(2));
    } else if (which == way::alone) {
      divergent_block(1, 1);
    } else {
      write_own_slot();
      if (random_.one_in(2)) {
        barrier();
        read_uniform_value();
        if (states_ != before) barrier_to(before);
      }
    }
    close();
    open("if (" + n + " != 0u) {");
    line("--" + n + ";");
    line(jump());
    close();
  }
  close("}();");
  loops_.swap(outer);
  in_jumps_ = outer_jumps;
  in_divergent_loop_ = outer_loop;
}

}  // namespace random_kernels
