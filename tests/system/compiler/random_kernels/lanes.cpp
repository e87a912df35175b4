// SPDX-License-Identifier: Apache-2.0
// Loops of sub-groups whose ends depend on data: votes, broadcasts and reductions say how long they go on.
#include "generator.hpp"

namespace random_kernels {

namespace {

constexpr const char* sub_group = "item.get_sub_group()";
constexpr const char* functions[] = {"sycl::plus<u32>()", "sycl::bit_xor<u32>()",
                                     "sycl::minimum<u32>()", "sycl::maximum<u32>()"};

}  // namespace

// What lanes tell each other, where all of a sub-group are.
void body::lane_exchange() {
  const std::string& v = one_of(names_.varying);
  const std::string x = expression(2, true);
  switch (random_.below(8)) {
    case 0:
      line(v + " = sycl::reduce_over_group(" + sub_group + ", " + x + ", " +
           functions[random_.below(4)] + ");");
      return;
    case 1:
      line(v + " += sycl::exclusive_scan_over_group(" + sub_group + ", " + x + ", " +
           functions[random_.below(4)] + ");");
      return;
    case 2:
      line(v + " ^= selected(" + sub_group + ", " + x + ", " + expression(1, true) + ");");
      return;
    case 3:
      line(v + " += permuted(" + sub_group + ", " + x + ", " + std::to_string(random_.below(16)) +
           "u);");
      return;
    case 4:
      line(v + " = shifted_left(" + sub_group + ", " + x + ", " + std::to_string(random_.below(8)) +
           "u);");
      return;
    case 5:
      line(v + " += sycl::any_of_group(" + sub_group + ", " + condition(1, true) + ") ? " +
           constant() + " : " + expression(1, true) + ";");
      return;
    case 6:
      line("l[own] = " + x + ";");
      line(std::string("sycl::group_barrier(") + sub_group + ");");
      line(v + " += l[sub_group_neighbour(item)];");
      line(std::string("sycl::group_barrier(") + sub_group + ");");
      return;
    default:
      line(v + " ^= sycl::group_broadcast(" + sub_group + ", " + x + ");");
      return;
  }
}

void body::lane_block(unsigned depth, unsigned count) {
  for (unsigned i = 0; i < count; ++i) switch (random_.below(depth == 0 ? 3 : 5)) {
      case 0:
      case 1:
        lane_exchange();
        break;
      case 2:
        divergent_statement(random_.below(2));
        break;
      default:
        lane_loop(depth - 1);
        break;
    }
}

// Inside of a loop that the sub-group leaves together.
void body::leave_lane_loop() {
  const char* how = random_.one_in(2) ? "break;" : "continue;";
  switch (random_.below(3)) {
    case 0:
      line(std::string("if (sycl::") + (random_.one_in(2) ? "any" : "all") + "_of_group(" +
           sub_group + ", " + condition(1, true) + ")) " + how);
      return;
    case 1:
      line(std::string("if ((sycl::reduce_over_group(") + sub_group + ", " + expression(1, true) +
           ", sycl::plus<u32>()) & 1u) != 0u) " + how);
      return;
    default:
      open(std::string("if (sycl::group_broadcast(") + sub_group + ", " + expression(1, true) +
           ") > " + constant() + ") {");
      lane_exchange();
      line(how);
      close();
      return;
  }
}

void body::lane_loop(unsigned depth) {
  const bool outer_loop = in_divergent_loop_;
  in_divergent_loop_ = false;
  const std::string n = fresh("n");
  const std::string i = fresh("i");
  switch (random_.below(7)) {
    // As long as one of them has work.
    case 0:
      line("u32 " + n + " = (" + expression(2, true) + ") & 3u;");
      open(std::string("while (sycl::any_of_group(") + sub_group + ", " + n + " != 0u)) {");
      open("if (" + n + " != 0u) {");
      line("--" + n + ";");
      divergent_block(1, 1);
      close();
      lane_block(depth, 1 + random_.below(2));
      close();
      break;
    // As often as one of them says.
    case 1:
      line("const u32 " + n + " = sycl::group_broadcast(" + sub_group + ", (" +
           expression(1, true) + ") & 3u);");
      open("for (u32 " + i + " = 0; " + i + " < " + n + "; ++" + i + ") {");
      lane_block(depth, 1 + random_.below(2));
      if (random_.one_in(2)) leave_lane_loop();
      divergent_block(1, 1);
      close();
      break;
    case 2:
      line("const u32 " + n + " = sycl::reduce_over_group(" + sub_group + ", " +
           expression(1, true) + ", sycl::plus<u32>()) & 3u;");
      open("for (u32 " + i + " = " + n + "; " + i + " != 0u; --" + i + ") {");
      if (random_.one_in(2)) leave_lane_loop();
      lane_block(depth, 1 + random_.below(2));
      close();
      break;
    // One key after the other.
    case 3: {
      const std::string key = fresh("key"), first = fresh("first");
      line("const u32 " + key + " = (" + expression(1, true) + ") & 3u;");
      line("bool " + n + " = true;");
      open(std::string("while (sycl::any_of_group(") + sub_group + ", " + n + ")) {");
      line("const u32 " + first + " = sycl::reduce_over_group(" + sub_group + ", " + n + " ? " +
           key + " : 9u, sycl::minimum<u32>());");
      lane_block(0, 1);
      open("if (" + n + " && " + key + " == " + first + ") {");
      line(n + " = false;");
      divergent_block(1, 1);
      close();
      close();
      break;
    }
    // One lane after the other.
    case 4: {
      const std::string lane = fresh("lane");
      line("u32 " + n + " = 0;");
      line("sycl::ext::oneapi::group_ballot(" + std::string(sub_group) + ", " + condition(1, true) +
           ").extract_bits(" + n + ");");
      line(n + " &= 0x" + std::to_string(1 + random_.below(9)) + std::to_string(random_.below(9)) +
           "u;");
      open("while (" + n + " != 0u) {");
      line("const u32 " + lane + " = u32(__builtin_ctz(" + n + "));");
      line(n + " &= " + n + " - 1u;");
      line(one_of(names_.varying) + " += selected(" + sub_group + ", " + expression(1, true) +
           ", " + lane + ");");
      lane_block(0, 1);
      close();
      break;
    }
    // Ends in the middle.
    case 5:
      open("for (u32 " + i + " = 0; " + i + " < 3u; ++" + i + ") {");
      lane_block(depth, 1);
      leave_lane_loop();
      divergent_block(1, 1);
      lane_block(depth, 1);
      close();
      break;
    // A number that all have, by memory, which nobody proves.
    default:
      line("const u32 " + n + " = (in[(" + expression(1, false) + ") & 255u] + u32(" + sub_group +
           ".get_group_linear_id())) & 3u;");
      open("for (u32 " + i + " = 0; " + i + " < " + n + "; ++" + i + ") {");
      open("if (" + condition(1, true) + ") {");
      divergent_block(1, 1);
      close();
      lane_block(depth, 1 + random_.below(2));
      close();
      break;
  }
  in_divergent_loop_ = outer_loop;
}

void body::lane_statement() {
  const auto loops = loops_;
  loops_.clear();
  if (random_.one_in(3)) {
    open("if (((in[(" + expression(1, false) + ") & 255u] + u32(" + sub_group +
         ".get_group_linear_id())) & 1u) != 0u) {");
    lane_loop(1);
    close();
  } else {
    lane_loop(2);
  }
  loops_ = loops;
  constexpr std::int64_t usual_waits = 12;
  budget_ -= usual_waits * static_cast<std::int64_t>(multiplier_);
}

}  // namespace random_kernels
