// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/device_library.hpp"

#include <algorithm>
#include <iterator>

namespace pianola::compiler {
namespace {

constexpr llvm::StringLiteral math_functions[] = {
    "acos",      "acosh",     "asin",      "asinh", "atan",      "atan2",  "atanh",  "cbrt",
    "ceil",      "copysign",  "cos",       "cosh",  "erf",       "erfc",   "exp",    "exp10",
    "exp2",      "expm1",     "fabs",      "fdim",  "floor",     "fma",    "fmax",   "fmin",
    "fmod",      "frexp",     "hypot",     "ilogb", "ldexp",     "lgamma", "llrint", "llround",
    "log",       "log10",     "log1p",     "log2",  "logb",      "lrint",  "lround", "modf",
    "nan",       "nearbyint", "nextafter", "pow",   "remainder", "remquo", "rint",   "round",
    "roundeven", "scalbln",   "scalbn",    "sin",   "sincos",    "sinh",   "sqrt",   "tan",
    "tanh",      "tgamma",    "trunc",
};

bool is_listed(llvm::StringRef name) {
  return std::find(std::begin(math_functions), std::end(math_functions), name) !=
         std::end(math_functions);
}

}  // namespace

bool is_device_math(llvm::StringRef name) {
  // "erf" ends in f, too.
  return is_listed(name) || (name.ends_with("f") && is_listed(name.drop_back()));
}

bool is_device_function(llvm::StringRef name) {
  if (name == "__pianola_work_group" || name == "__pianola_group_storage")
    return false;  // of the host's lowering
  return name.starts_with("__pianola_") || name == "memcpy" || name == "memmove" ||
         name == "memset" || name == "printf";
}

}  // namespace pianola::compiler
