// SPDX-License-Identifier: Apache-2.0
// The logarithm that g++ and pianolacc call in loops of kernels, in its forms for the vectors of every instruction set.
#if defined(__x86_64__)

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

extern "C" {
float pianola_log_f(float);
// In truth these take and return vectors.
void _ZGVbN4v_pianola_log_f();
void _ZGVcN8v_pianola_log_f();
void _ZGVdN8v_pianola_log_f();
void _ZGVeN16v_pianola_log_f();
}

namespace {

using form = void (*)();

// Calls as the vector function ABI says, in whatever instruction set this file is compiled for.
#define PIANOLA_CALL(move, vector)                                                               \
  __asm__ volatile("movq %%rsp, %%rbx\n\tsubq $128, %%rsp\n\tandq $-64, %%rsp\n\t" move          \
                   " (%[in]), %%" vector "0\n\tcall *%[function]\n\t" move " %%" vector          \
                   "0, (%[out])\n\tmovq %%rbx, %%rsp"                                            \
                   :                                                                             \
                   : [in] "r"(in), [out] "r"(out), [function] "r"(function)                      \
                   : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", \
                     "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",     \
                     "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc")

void call_16(form function, const void* in, void* out) { PIANOLA_CALL("movups", "xmm"); }
void call_32(form function, const void* in, void* out) {
  PIANOLA_CALL("vmovups", "ymm");
  __asm__ volatile("vzeroupper");
}
void call_64(form function, const void* in, void* out) {
  PIANOLA_CALL("vmovups", "zmm");
  __asm__ volatile("vzeroupper");
}

struct instruction_set {
  const char* name;
  bool here;
  std::size_t bytes;
  void (*call)(form, const void*, void*);
  form log;
};

std::vector<instruction_set> instruction_sets() {
  return {
      {"SSE2", true, 16, call_16, _ZGVbN4v_pianola_log_f},
      {"AVX", __builtin_cpu_supports("avx") != 0, 32, call_32, _ZGVcN8v_pianola_log_f},
      {"AVX2", __builtin_cpu_supports("avx2") != 0, 32, call_32, _ZGVdN8v_pianola_log_f},
      {"AVX-512", __builtin_cpu_supports("avx512f") != 0, 64, call_64, _ZGVeN16v_pianola_log_f}};
}

std::vector<float> logarithms(const instruction_set& set, std::vector<float> in) {
  const std::size_t lanes = set.bytes / sizeof(float);
  in.resize((in.size() + lanes - 1) / lanes * lanes, 1.0F);
  std::vector<float> out(in.size());
  for (std::size_t i = 0; i < in.size(); i += lanes) set.call(set.log, &in[i], &out[i]);
  return out;
}

float from_bits(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

std::vector<float> floats() {
  std::vector<float> all;
  for (std::uint64_t bits = 0; bits <= 0xffffffff; bits += 104'729)
    all.push_back(from_bits(static_cast<std::uint32_t>(bits)));
  for (std::uint32_t bits = 0x3f000000; bits < 0x40000000; bits += 97)
    all.push_back(from_bits(bits));
  return all;
}

double units_off(float result, double exact) {
  if (std::isnan(exact) || std::isinf(exact))
    return std::isnan(result) == std::isnan(exact) && (std::isnan(exact) || result == exact)
               ? 0
               : std::numeric_limits<double>::infinity();
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::fabs(result - exact) / std::ldexp(1, std::max(exponent - 24, -149));
}

TEST(vector_math, logarithms_are_within_two_units_in_the_last_place_in_every_instruction_set) {
  const std::vector<float> in = floats();
  for (const instruction_set& set : instruction_sets()) {
    if (!set.here) continue;
    const std::vector<float> out = logarithms(set, in);
    double worst = 0;
    float at = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double off = units_off(out[i], std::log(static_cast<double>(in[i])));
      if (!(off <= worst)) worst = off, at = in[i];
    }
    EXPECT_LE(worst, 2) << set.name << ": log(" << at << ")";
  }
}

TEST(vector_math, logarithms_of_special_numbers_are_right_whatever_is_beside_them) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float special[] = {
      0.0F,      -0.0F,     infinity,   -infinity, std::numeric_limits<float>::quiet_NaN(), -1.0F,
      0x1p-149F, 0x1p-130F, -0x1p-140F, 0x1p-126F, std::numeric_limits<float>::max(),       1.0F};
  for (const instruction_set& set : instruction_sets()) {
    if (!set.here) continue;
    for (const float x : special)
      for (std::size_t lane = 0; lane < set.bytes / 4; ++lane) {
        std::vector<float> in(set.bytes / 4, 2.0F);
        in[lane] = x;
        const std::vector<float> out = logarithms(set, in);
        for (std::size_t i = 0; i < in.size(); ++i)
          EXPECT_LE(units_off(out[i], std::log(static_cast<double>(in[i]))), 2)
              << set.name << ": log(" << in[i] << ") is " << out[i] << ", lane " << i;
      }
  }
}

TEST(vector_math, the_logarithm_of_one_number_is_as_precise) {
  EXPECT_LE(units_off(pianola_log_f(3.0F), std::log(3.0)), 2);
  EXPECT_EQ(pianola_log_f(0.0F), -std::numeric_limits<float>::infinity());
}

}  // namespace

#endif
