// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <limits>

#include <llvm/Support/raw_ostream.h>

#include "pianola/compiler/analyse_arguments.hpp"
#include "pianola/compiler/index_polynomial.hpp"

namespace pianola::compiler {

namespace {

void print_factor(llvm::raw_ostream& out, atom factor) {
  static constexpr const char* names[] = {"u64@",   "s32@",  "u32@",       "id",    "global",
                                          "offset", "group", "local_size", "groups"};
  static constexpr char dimensions[] = "zyx";
  const std::uint32_t where = factor & PIANOLA_FACTOR_WHERE_MASK;
  out << names[kind_of(factor)];
  if (kind_of(factor) >= PIANOLA_FACTOR_ID)
    out << '.' << dimensions[where];
  else
    out << where;
}

void print_sum(llvm::raw_ostream& out, const index_sum& sum) {
  bool first = true;
  for (const pianola_index_term& term : sum) {
    out << (first ? "" : " + ") << term.coefficient;
    for (const std::uint32_t factor : term.factors)
      if (kind_of(factor) != PIANOLA_FACTOR_ONE) print_factor(out << '*', factor);
    first = false;
  }
  if (first) out << '0';
}

void print_loop(llvm::raw_ostream& out, const access_loop& loop) {
  const bool has_least = loop.least != std::numeric_limits<std::int64_t>::min();
  out << ", each of ";
  if (loop.divisor != 1) out << '(';
  if (has_least) out << "max(" << loop.least << ", ";
  print_sum(out, loop.count);
  if (has_least) out << ')';
  if (loop.plus != 0) out << " + " << loop.plus;
  if (loop.divisor != 1) out << ") / " << loop.divisor;
  if (loop.extra != 0) out << " + " << loop.extra;
  out << " rounds ";
  print_sum(out, loop.stride);
  out << " further";
}

void print_condition(llvm::raw_ostream& out, const access_condition& c) {
  static constexpr const char* signs[] = {">=", ">", "below", "not below", "!="};
  print_sum(out, c.a);
  out << ' ' << signs[c.kind] << ' ';
  print_sum(out, c.b);
}

}  // namespace

void print(llvm::raw_ostream& out, const kernel_uses& uses) {
  out << ((uses.flags & PIANOLA_KERNEL_USES_KNOWN) == 0  ? "nothing known"
          : (uses.flags & PIANOLA_KERNEL_USES_ONLY) == 0 ? "uses, other memory"
                                                         : "uses only")
      << '\n';
  for (const argument_use& use : uses.uses) {
    out << "  @" << use.offset << ':';
    if ((use.flags & PIANOLA_USE_UNKNOWN) != 0) out << " unknown";
    if ((use.flags & PIANOLA_USE_READ) != 0) out << " read";
    if ((use.flags & PIANOLA_USE_WRITTEN) != 0) out << " written";
    if ((use.flags & PIANOLA_USE_ELEMENT_WISE) != 0) {
      print_sum(out << ", " << use.element_bytes << " bytes at ", use.terms);
      if ((use.flags & PIANOLA_USE_NARROW) != 0) out << ", narrow";
    }
    out << '\n';
  }
}

void print_accesses(llvm::raw_ostream& out, const kernel_uses& uses) {
  for (const argument_use& use : uses.uses) {
    out << '@' << use.offset << ':';
    if ((use.flags & PIANOLA_USE_LISTED) == 0) {
      out << " not listed\n";
      continue;
    }
    out << '\n';
    for (const argument_access& a : use.accesses) {
      out << ((a.flags & PIANOLA_ACCESS_CERTAIN) != 0 ? "  " : "  maybe ");
      if ((a.flags & PIANOLA_ACCESS_READ) != 0) out << "read ";
      if ((a.flags & PIANOLA_ACCESS_WRITTEN) != 0) out << "written ";
      print_sum(out << a.bytes << " bytes at ", a.start);
      for (const access_loop& loop : a.loops) print_loop(out, loop);
      bool first = true;
      for (const access_condition& c : a.conditions) {
        print_condition(out << (first ? " where " : " and "), c);
        first = false;
      }
      if ((a.flags & PIANOLA_ACCESS_NARROW) != 0) out << ", narrow";
      out << '\n';
    }
  }
}

}  // namespace pianola::compiler
