// SPDX-License-Identifier: Apache-2.0
#include "generator.hpp"

namespace random_kernels {

std::string body::constant() {
  switch (random_.below(4)) {
    case 0:
      return std::to_string(random_.below(4)) + "u";
    case 1:
      return std::to_string(random_.below(64)) + "u";
    case 2:
      return std::to_string(random_.below(0xffffffffU)) + "u";
    default:
      return "0x80000000u";
  }
}

std::string body::uniform_leaf() {
  const std::string d = std::to_string(random_.below(shape_.dimensions));
  switch (random_.below(10)) {
    case 0:
      return constant();
    case 1:
      return "u32(item.get_group(" + d + "))";
    case 2:
      return "u32(item.get_group_linear_id())";
    case 3:
      return "u32(item.get_local_range(" + d + "))";
    case 4:
      return "k" + std::to_string(random_.below(2));
    default:
      return one_of(names_.uniform);
  }
}

std::string body::index_of(const std::string& value) {
  return "(" + value + ") % " + std::to_string(shape_.items()) + "u";
}

std::string body::own_slot(unsigned array) {
  switch (array) {
    case 0:
      return "a[own]";
    case 1:
      return "b[own][" + std::to_string(random_.below(2)) + "]";
    default:
      return "g[base + own]";
  }
}

std::string body::any_slot(unsigned array, const std::string& index) {
  switch (array) {
    case 0:
      return "a[" + index + "]";
    case 1:
      return "u32(b[" + index + "][" + std::to_string(random_.below(2)) + "] >> " +
             std::to_string(random_.below(33)) + ")";
    default:
      return "g[base + " + index + "]";
  }
}

std::string body::varying_leaf(unsigned depth) {
  const std::string d = std::to_string(random_.below(shape_.dimensions));
  const unsigned below = depth == 0 ? 0 : depth - 1;
  if (typed_ && random_.one_in(4)) return typed_leaf(depth);
  switch (random_.below(16)) {
    case 0:
      return "own";
    case 1:
      return "u32(item.get_local_id(" + d + "))";
    case 2:
      return "u32(item.get_global_id(" + d + "))";
    case 3:
      return "u32(item.get_global_linear_id())";
    case 4:
      return "in[(" + expression(below, true) + ") & 255u]";
    case 5:
    case 6:
      return "p[(" + expression(below, true) + ") & 7u]";
    case 7:
      return with_pointer_ ? "*q" : "s.first";
    case 8:
      return "u32(s.second >> " + std::to_string(random_.below(33)) + ")";
    case 9:
    case 10:
    case 11: {
      const unsigned array = random_.below(3);
      if (states_[array] == state::shared)
        return any_slot(array, index_of(expression(below, true)));
      return array == 1 ? "u32(" + own_slot(array) + ")" : own_slot(array);
    }
    default:
      return one_of(names_.varying);
  }
}

std::string body::expression(unsigned depth, bool varying) {
  if (depth == 0 || random_.one_in(4))
    return varying && !random_.one_in(4) ? varying_leaf(depth) : uniform_leaf();
  const std::string x = expression(depth - 1, varying), y = expression(depth - 1, varying);
  switch (random_.below(12)) {
    case 0:
    case 1:
      return "(" + x + " + " + y + ")";
    case 2:
      return "(" + x + " - " + y + ")";
    case 3:
      return "(" + x + " * " + y + ")";
    case 4:
      return "(" + x + " ^ " + y + ")";
    case 5:
      return "(" + x + " & " + y + ")";
    case 6:
      return "(" + x + " | " + y + ")";
    case 7:
      return "(" + x + " >> (" + y + " & 31u))";
    case 8:
      return "(" + x + " << (" + y + " & 31u))";
    case 9:
      return "(" + x + " / (" + y + " | 1u))";
    case 10:
      return "(" + condition(depth - 1, varying) + " ? " + x + " : " + y + ")";
    default:
      return "~(" + x + " + " + y + ")";
  }
}

std::string body::condition(unsigned depth, bool varying) {
  const std::string x = expression(depth, varying);
  switch (random_.below(6)) {
    case 0:
      return "((" + x + ") & 1u) != 0u";
    case 1:
      return "((" + x + ") % 3u) == 1u";
    case 2:
      return "(" + x + ") < " + expression(depth, varying);
    case 3:
      return "((" + x + ") & 3u) != 0u";
    case 4:
      return "(" + x + ") >= " + expression(depth, varying);
    default:
      if (depth == 0) return "((" + x + ") & 2u) == 0u";
      return "(" + condition(depth - 1, varying) + (random_.one_in(2) ? ") && (" : ") || (") +
             condition(depth - 1, varying) + ")";
  }
}

std::string body::varying_target() {
  switch (random_.below(6)) {
    case 0:
      return "p[(" + expression(1, true) + ") & 7u]";
    case 1:
      return "p[" + std::to_string(random_.below(8)) + "]";
    case 2:
      return random_.one_in(2) ? "s.first" : "s.second";
    case 3:
      if (with_pointer_) return "*q";
      [[fallthrough]];
    default:
      return one_of(names_.varying);
  }
}

}  // namespace random_kernels
