// SPDX-License-Identifier: Apache-2.0
// What programs are made of besides u32: values of all widths, vectors, small structs that go by value, functions with many
// returns, atomics on local memory, two buffers in turns, functions of the group over ranges.
#include "generator.hpp"

namespace random_kernels {

// Small whole numbers, so that floating point has one right result.
void body::declare_typed() {
  line("std::uint8_t w_byte = std::uint8_t(own);");
  line("std::int16_t w_short = std::int16_t(v0);");
  line("std::int64_t w_long = std::int64_t(v1) << 20;");
  line("float w_float = float(own);");
  line("double w_double = double(v2 & 4095u);");
  line("sycl::half w_half = sycl::half(float(own & 255u));");
  line("bool w_bool = (v3 & 1u) != 0u;");
  line("sycl::vec<u32, 4> w_vec(v0, own, v2, 3u);");
  line("sycl::vec<std::uint8_t, 3> w_bytes{std::uint8_t(1), std::uint8_t(2), std::uint8_t(v1)};");
  line("sycl::marray<std::uint16_t, 3> w_array{std::uint16_t(v4)};");
  line("triple w_triple = {std::uint16_t(v2), v3, {1, 2, std::uint8_t(own)}};");
  typed_ = true;
}

std::string body::typed_leaf(unsigned depth) {
  const std::string i = expression(depth == 0 ? 0 : depth - 1, true);
  switch (random_.below(12)) {
    case 0:
      return "u32(w_byte)";
    case 1:
      return "u32(w_short)";
    case 2:
      return "u32(w_long >> " + std::to_string(random_.below(40)) + ")";
    case 3:
      return "whole(w_float)";
    case 4:
      return "whole(w_double)";
    case 5:
      return "whole(w_half)";
    case 6:
      return "u32(w_bool)";
    case 7:
      return "w_vec[(" + i + ") & 3u]";
    case 8:
      return "w_vec." + std::string(1, "xyzw"[random_.below(4)]) + "()";
    case 9:
      return "u32(w_bytes[(" + i + ") % 3u])";
    case 10:
      return "u32(w_array[(" + i + ") % 3u])";
    default:
      return random_.one_in(2) ? "w_triple.value" : "u32(w_triple.bytes[(" + i + ") % 3u])";
  }
}

void body::assign_typed() {
  const std::string x = expression(2, true);
  switch (random_.below(14)) {
    case 0:
      line("w_byte = std::uint8_t(" + std::string(random_.one_in(2) ? "w_byte + " : "") + x + ");");
      return;
    case 1:
      line("w_short = std::int16_t((" + x + ") >> " + std::to_string(random_.below(17)) + ");");
      return;
    case 2:
      line("w_long = std::int64_t(std::uint64_t(w_long) + (std::uint64_t(" + x + ") << " +
           std::to_string(random_.below(40)) + "));");
      return;
    case 3:
      line(random_.one_in(2) ? "w_float += float((" + x + ") & 15u);"
                             : "w_float = float((" + x + ") & 65535u);");
      return;
    case 4:
      line(random_.one_in(2) ? "w_double += double((" + x + ") & 1023u);"
                             : "w_double = double(" + x + ");");
      return;
    case 5:
      line("w_half = sycl::half(float((" + x + ") & 1023u));");
      return;
    case 6:
      line("w_bool = " + condition(1, true) + ";");
      return;
    case 7:
      line("w_vec[(" + expression(1, true) + ") & 3u] = " + x + ";");
      return;
    case 8:
      line(random_.one_in(2) ? "w_vec = w_vec.swizzle<1, 2, 3, 0>() + " + x + ";"
                             : "w_vec ^= w_vec.swizzle<3, 2, 1, 0>() >> 3u;");
      return;
    case 9:
      line("w_bytes[(" + expression(1, true) + ") % 3u] += std::uint8_t(" + x + ");");
      return;
    case 10:
      line("w_array[(" + expression(1, true) + ") % 3u] = std::uint16_t(" + x + ");");
      return;
    case 11:
      line("w_triple.bytes[(" + expression(1, true) + ") % 3u] = std::uint8_t(" + x + ");");
      return;
    case 12:
      line("w_triple = turned(w_triple, " + x + ", p);");
      return;
    default:
      line(varying_target() + " = found(" + x + ", " + expression(1, true) + ", in, p);");
      return;
  }
}

void body::mix_typed() {
  line(
      "mix(result, w_byte); mix(result, u32(w_short)); mix(result, u32(w_long ^ (w_long >> 32)));");
  line("mix(result, u32(w_float)); mix(result, whole(w_double)); mix(result, whole(w_half));");
  line(
      "mix(result, w_bool); mix(result, w_vec.x() ^ w_vec.y() * 3u ^ w_vec.z() * 5u ^ w_vec.w() * "
      "7u);");
  line(
      "for (int i = 0; i < 3; ++i) mix(result, w_bytes[i] ^ w_array[i] * 3u ^ w_triple.bytes[i] * "
      "5u);");
  line("mix(result, w_triple.first ^ w_triple.value);");
}

// Memory of the group that only these statements use, and leave behind a barrier.
void body::shape_statement() {
  const std::string items = std::to_string(shape_.items()) + "u";
  const std::string& v = one_of(names_.varying);
  const std::string wait = "sycl::group_barrier(item.get_group());";
  constexpr std::int64_t usual_barriers = 5;
  budget_ -= usual_barriers * static_cast<std::int64_t>(multiplier_);
  switch (random_.below(6)) {
    case 0: {
      static constexpr const char* operations[] = {"fetch_add", "fetch_xor", "fetch_or",
                                                   "fetch_max", "fetch_sub", "fetch_and"};
      const std::string i = fresh("i");
      line("for (u32 " + i + " = own; " + i + " < 16u; " + i + " += " + items + ") e[" + i +
           "] = " + expression(1, false) + ";");
      line(wait);
      const std::string add = std::string(
                                  "sycl::atomic_ref<u32, sycl::memory_order::relaxed, "
                                  "sycl::memory_scope::work_group>(e[(") +
                              expression(2, true) + ") & 15u])." + operations[random_.below(6)] +
                              "(" + expression(2, true) + ");";
      switch (random_.below(3)) {
        case 0:
          line(add);
          break;
        case 1:
          line("if (" + condition(1, true) + ") " + add);
          break;
        default: {
          const std::string j = fresh("i");
          line("for (u32 " + j + " = 0; " + j + " < ((" + expression(1, true) + ") & 3u); ++" + j +
               ") " + add);
        }
      }
      line(wait);
      line(v + " += e[(" + expression(1, true) + ") & 15u];");
      if (random_.one_in(2))
        line(one_of(names_.uniform_target) + " = e[(" + expression(1, false) + ") & 15u];");
      line(wait);
      return;
    }
    case 1: {
      const std::string from = fresh("from"), to = fresh("to"), i = fresh("i"), t = fresh("t");
      line("u32* " + from + " = &f[0];");
      line("u32* " + to + " = &f[" + items + "];");
      line(from + "[own] = " + expression(2, true) + ";");
      const std::string n = fresh("n");
      line("const u32 " + n + " = (" + expression(1, false) + ") & 3u;");
      open("for (u32 " + i + " = 0; " + i + " < " + n + "; ++" + i + ") {");
      line(wait);
      line(to + "[own] = " + from + "[(own + " + i + " + " + std::to_string(random_.below(9)) +
           "u) % " + items + "] ^ " + from + "[own];");
      if (random_.one_in(2)) divergent_statement(1);
      line("u32* const " + t + " = " + from + ";");
      line(from + " = " + to + ";");
      line(to + " = " + t + ";");
      close();
      line(wait);
      line(v + " += " + from + "[" + index_of(expression(1, true)) + "];");
      line(wait);
      return;
    }
    case 2: {
      static constexpr const char* functions[] = {"sycl::plus<u32>()", "sycl::bit_xor<u32>()",
                                                  "sycl::minimum<u32>()"};
      const std::string first = fresh("first");
      line("const u32* const " + first + " = in + ((" + expression(1, false) + ") & 127u);");
      const std::string last = first + " + ((" + expression(1, false) + ") & 127u)";
      const bool whole = random_.one_in(2);
      line((whole ? one_of(names_.uniform_target) : v) + std::string(" ^= sycl::joint_reduce(") +
           (whole ? "item.get_group(), " : "item.get_sub_group(), ") + first + ", " + last + ", " +
           std::to_string(random_.below(100)) + "u, " + functions[random_.below(3)] + ");");
      return;
    }
    case 3: {
      line("f[own] = " + expression(2, true) + ";");
      line(wait);
      line(std::string("sycl::joint_") + (random_.one_in(2) ? "exclusive" : "inclusive") +
           "_scan(item.get_group(), &f[0], &f[" + items + "], &f[" + items +
           "], sycl::plus<u32>());");
      line(wait);
      line(v + " ^= f[" + items + " + " + index_of(expression(1, true)) + "];");
      line(wait);
      return;
    }
    case 4: {
      line("d[own * 2u] = std::uint16_t(" + expression(2, true) + ");");
      line("d[own * 2u + 1u] = std::uint16_t(" + expression(1, true) + ");");
      line("c[own][own & 1u][2] = std::uint8_t(" + expression(1, true) + ");");
      line(wait);
      line(v + " += u32(d[(" + expression(1, true) + ") % (2u * " + items + ")]) * 3u;");
      const std::string at = fresh("at");
      line("const u32 " + at + " = " + index_of(expression(1, true)) + ";");
      line(v + " ^= u32(c[" + at + "][" + at + " & 1u][2]);");
      line(wait);
      return;
    }
    default: {
      const bool whole = random_.one_in(2);
      const std::string group = whole ? "item.get_group()" : "item.get_sub_group()";
      static constexpr const char* types[] = {"std::uint8_t", "std::int16_t", "std::int64_t",
                                              "float",        "double",       "std::uint64_t"};
      const std::string type = types[random_.below(6)];
      const std::string x = type + "((" + expression(2, true) + ") & 1023u)";
      static constexpr const char* functions[] = {"plus", "minimum", "maximum"};
      const std::string function =
          std::string("sycl::") + functions[random_.below(3)] + "<" + type + ">()";
      switch (random_.below(4)) {
        case 0:
          line((whole ? one_of(names_.uniform_target) : v) + " = u32(sycl::reduce_over_group(" +
               group + ", " + x + ", " + function + "));");
          return;
        case 1:
          line(v + " = u32(sycl::inclusive_scan_over_group(" + group + ", " + x + ", " + function +
               "));");
          return;
        case 2:
          line((whole ? one_of(names_.uniform_target) : v) + " ^= u32(sycl::group_broadcast(" +
               group + ", " + x + ", typename decltype(" + group + ")::linear_id_type((" +
               expression(1, false) + ") % u32(" + group + ".get_local_linear_range()))));");
          return;
        default:
          if (random_.one_in(2))
            line(
                "w_triple = sycl::select_from_group(item.get_sub_group(), w_triple, "
                "sycl::sub_group::id_type((" +
                expression(1, true) + ") % item.get_sub_group().get_local_linear_range()));");
          else
            line(
                "w_long ^= sycl::select_from_group(item.get_sub_group(), w_long, "
                "sycl::sub_group::id_type((" +
                expression(1, true) + ") % item.get_sub_group().get_local_linear_range()));");
          return;
      }
    }
  }
}

}  // namespace random_kernels
