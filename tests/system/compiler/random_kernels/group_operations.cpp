// SPDX-License-Identifier: Apache-2.0
#include "generator.hpp"

namespace random_kernels {

namespace {

constexpr const char* functions[] = {"sycl::plus<u32>()",    "sycl::bit_xor<u32>()",
                                     "sycl::bit_or<u32>()",  "sycl::bit_and<u32>()",
                                     "sycl::minimum<u32>()", "sycl::maximum<u32>()"};

}  // namespace

void body::group_operation() {
  const bool whole = random_.one_in(2);
  const std::string group = whole ? "item.get_group()" : "item.get_sub_group()";
  const std::string x = expression(2, true);
  const std::string function = functions[random_.below(6)];
  // The value is the same for the group, which for a sub-group is not what uniform means here.
  const std::string& target = whole ? one_of(names_.uniform_target) : one_of(names_.varying);
  const std::string& varying = one_of(names_.varying);
  constexpr std::int64_t barriers_inside = 3;
  budget_ -= barriers_inside * static_cast<std::int64_t>(multiplier_);
  switch (random_.below(whole ? 5 : 9)) {
    case 0:
      line(target + " = sycl::reduce_over_group(" + group + ", " + x + ", " + function + ");");
      return;
    case 1:
      line(varying + " = sycl::exclusive_scan_over_group(" + group + ", " + x + ", " + function +
           ");");
      return;
    case 2:
      line(varying + " = sycl::inclusive_scan_over_group(" + group + ", " + x + ", " + function +
           ");");
      return;
    case 3: {
      static constexpr const char* votes[] = {"any", "all", "none"};
      line(target + " = sycl::" + votes[random_.below(3)] + "_of_group(" + group + ", " +
           condition(1, true) + ") ? " + constant() + " : " + constant() + ";");
      return;
    }
    case 4:
      line(target + " = sycl::group_broadcast(" + group + ", " + x + ");");
      return;
    // What comes from beyond the sub-group's end is undefined and not used.
    case 5: {
      const std::string d = std::to_string(random_.below(8));
      line(varying + " = shifted_left(" + group + ", " + x + ", " + d + "u);");
      return;
    }
    case 6: {
      const std::string d = std::to_string(random_.below(8));
      line(varying + " = shifted_right(" + group + ", " + x + ", " + d + "u);");
      return;
    }
    case 7: {
      const std::string mask = std::to_string(random_.below(8));
      line(varying + " = permuted(" + group + ", " + x + ", " + mask + "u);");
      return;
    }
    default:
      line(varying + " = selected(" + group + ", " + x + ", " + expression(1, true) + ");");
      return;
  }
}

void body::sub_group_control_flow() {
  const std::string& v = one_of(names_.varying);
  open("if (((u32(item.get_sub_group().get_group_linear_id()) + " + uniform_leaf() +
       ") & 1u) != 0u) {");
  if (options_.groups && random_.one_in(2)) {
    line(v + " = sycl::reduce_over_group(item.get_sub_group(), " + expression(2, true) + ", " +
         functions[random_.below(6)] + ");");
  } else {
    // Neighbours within the sub-group see what was written before its barrier.
    for (unsigned array = 0; array < 3; array += 2)
      if (states_[array] == state::own) {
        const std::string slot = array == 0 ? "a[" : "g[base + ";
        line(slot + "own] = " + expression(2, true) + ";");
        line("sycl::group_barrier(item.get_sub_group());");
        line(v + " += " + slot + "sub_group_neighbour(item)];");
        line("sycl::group_barrier(item.get_sub_group());");
        break;
      }
  }
  divergent_statement(1);
  close();
  budget_ -= 2 * static_cast<std::int64_t>(multiplier_);
}

// Lanes that do more than others before all of them exchange something, equally often. What knows how often may jump past the
// question for an optimiser.
void body::two_ways_to_exchanges() {
  const std::string n = fresh("n");
  const std::string& v = one_of(names_.varying);
  const std::string of_sub_group =
      random_.one_in(2) ? " + u32(item.get_sub_group().get_group_linear_id())" : "";
  line("const u32 " + n + " = ((" + expression(1, false) + ")" + of_sub_group + ") & 3u;");
  const auto loop = [&](const auto& inside) {
    const std::string i = fresh("i");
    open("for (u32 " + i + " = 0; " + i + " < " + n + "; ++" + i + ") {");
    inside();
    close();
  };
  open("if (" + condition(1, true) + ") {");
  loop([&] { divergent_block(1, 1); });
  if (random_.one_in(2)) {
    close("} else {");
    ++indent_;
    loop([&] { assign_varying(); });
  }
  close();
  loop([&] {
    if (random_.one_in(2))
      line(v + " += permuted(item.get_sub_group(), " + expression(1, true) + ", " +
           std::to_string(random_.below(8)) + "u);");
    else
      line(v + " = sycl::reduce_over_group(item.get_sub_group(), " + expression(1, true) + ", " +
           functions[random_.below(6)] + ");");
  });
  budget_ -= 6 * static_cast<std::int64_t>(multiplier_);
}

// What is exchanged, and whether, depends on a number that all lanes have; what each lane brings, and what it does where
// nothing is exchanged, on its own. Memory is read so that branches stay branches.
void body::past_exchanges() {
  const std::string n = fresh("n");
  const std::string& v = one_of(names_.varying);
  line("const u32 " + n + " = (" + expression(1, false) + ") & 3u;");
  const std::string x = fresh("brought");
  line("const u32 " + x + " = (" + condition(1, true) + ") ? in[(" + expression(1, true) +
       ") & 255u] : " + n + " == 1u ? 0xffffffffu : " + n + " == 2u ? 1u : 0u;");
  const unsigned first = random_.below(6);
  for (unsigned k = 0; k < 3; ++k) {
    open((k == 0 ? "if (" : "} else if (") + n + " == " + std::to_string(k) + "u) {");
    line(v + " = sycl::reduce_over_group(item.get_sub_group(), " + x + ", " +
         functions[(first + k) % 6] + ");");
    --indent_;
  }
  ++indent_;
  close();
  open("if (" + n + " == 3u || (" + condition(1, true) + ")) {");
  line(v + " ^= in[(" + expression(1, true) + ") & 255u];");
  open("if (" + n + " == 3u) {");
  line(v + " += permuted(item.get_sub_group(), " + expression(1, true) + ", " +
       std::to_string(random_.below(8)) + "u);");
  close();
  divergent_statement(1);
  close();
  budget_ -= 6 * static_cast<std::int64_t>(multiplier_);
}

}  // namespace random_kernels
