// SPDX-License-Identifier: Apache-2.0
// Code without barriers, under conditions that differ between work-items.
#include "generator.hpp"

namespace random_kernels {

void body::divergent_block(unsigned depth, unsigned count) {
  for (unsigned i = 0; i < count; ++i) divergent_statement(depth);
}

void body::divergent_statement(unsigned depth) {
  const unsigned below = depth == 0 ? 0 : depth - 1;
  const unsigned kind = random_.below(depth == 0 ? 5 : 10);
  const bool outer_loop = in_divergent_loop_;
  if (options_.jumps && !in_jumps_ && depth != 0 && random_.one_in(8)) {
    computed_jumps(way::alone);
    return;
  }
  switch (kind) {
    case 0:
    case 1:
    case 2:
      assign_varying();
      return;
    case 3:
      write_own_slot();
      return;
    case 4:
      if (in_divergent_loop_ && random_.one_in(2)) {
        line("if (" + condition(1, true) + ") " + (random_.one_in(2) ? "break;" : "continue;"));
        return;
      }
      line("mix(" + one_of(names_.varying) + ", " + expression(1, true) + ");");
      return;
    case 5:
    case 6:
      open("if (" + condition(2, true) + ") {");
      divergent_block(below, 1 + random_.below(2));
      if (random_.one_in(2)) {
        close("} else {");
        ++indent_;
        divergent_block(below, 1 + random_.below(2));
      }
      close();
      return;
    case 7: {
      const std::string i = fresh("i");
      open("for (u32 " + i + " = 0; " + i + " < ((" + expression(1, true) + ") & 3u); ++" + i +
           ") {");
      in_divergent_loop_ = true;
      divergent_block(below, 1 + random_.below(3));
      in_divergent_loop_ = outer_loop;
      close();
      return;
    }
    case 8: {
      const std::string i = fresh("n");
      line("u32 " + i + " = (" + expression(1, true) + ") % 4u;");
      open("while (" + i + "-- != 0u) {");
      in_divergent_loop_ = true;
      divergent_block(below, 1 + random_.below(2));
      in_divergent_loop_ = outer_loop;
      close();
      return;
    }
    default: {
      open("switch ((" + expression(1, true) + ") & 3u) {");
      for (unsigned c = 0; c < 3; ++c) {
        line((c == 2 ? std::string("default") : "case " + std::to_string(c)) + ":");
        ++indent_;
        // `break` would leave the switch and not the loop, which is as good.
        divergent_statement(0);
        line(c == 2 || !random_.one_in(3) ? "break;" : "[[fallthrough]];");
        --indent_;
      }
      close();
      return;
    }
  }
}

}  // namespace random_kernels
