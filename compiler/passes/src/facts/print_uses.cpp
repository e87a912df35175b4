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

void print_rounds(llvm::raw_ostream& out, const access_loop& loop) {
  const bool has_least = loop.least != std::numeric_limits<std::int64_t>::min();
  out << ", each of ";
  if (loop.divisor != 1) out << '(';
  if (has_least) out << "max(" << loop.least << ", ";
  print_sum(out, loop.count);
  if (has_least) out << ')';
  if (loop.plus != 0) out << " + " << loop.plus;
  if (loop.divisor != 1) out << ") / " << loop.divisor;
  if (loop.extra != 0) out << " + " << loop.extra;
  out << " rounds";
}

void print_condition(llvm::raw_ostream& out, const access_condition& c) {
  static constexpr const char* signs[] = {">=", ">", "below", "not below", "!="};
  print_sum(out, c.a);
  out << ' ' << signs[c.kind] << ' ';
  print_sum(out, c.b);
}

void print_conditions(llvm::raw_ostream& out, const std::vector<access_condition>& all) {
  const char* between = " where ";
  for (const access_condition& c : all) {
    print_condition(out << between, c);
    between = " and ";
  }
}

void print_reduction(llvm::raw_ostream& out, std::uint32_t by) {
  static constexpr const char* names[] = {"",
                                          "add",
                                          "multiply",
                                          "and",
                                          "or",
                                          "xor",
                                          "minimum",
                                          "maximum",
                                          "unsigned minimum",
                                          "unsigned maximum",
                                          "float add",
                                          "float multiply",
                                          "float minimum",
                                          "float maximum"};
  if (by != PIANOLA_REDUCTION_NONE) out << "for " << names[by] << ' ';
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
      out << " not listed: " << use.unlisted_for << '\n';
      continue;
    }
    out << '\n';
    for (const argument_access& a : use.accesses) {
      out << ((a.flags & PIANOLA_ACCESS_CERTAIN) != 0 ? "  " : "  maybe ");
      if ((a.flags & PIANOLA_ACCESS_READ) != 0) out << "read ";
      if ((a.flags & PIANOLA_ACCESS_WRITTEN) != 0) out << "written ";
      print_reduction(out, a.flags >> PIANOLA_ACCESS_REDUCTION_SHIFT);
      print_sum(out << a.bytes << " bytes at ", a.start);
      for (const access_loop& loop : a.loops) {
        print_rounds(out, loop);
        print_sum(out << ' ', loop.stride);
        out << " further";
      }
      print_conditions(out, a.conditions);
      if ((a.flags & PIANOLA_ACCESS_NARROW) != 0) out << ", narrow";
      out << '\n';
    }
  }
}

void print_operations(llvm::raw_ostream& out, const kernel_uses& uses) {
  if ((uses.flags & PIANOLA_KERNEL_OPERATIONS_KNOWN) == 0) {
    out << "operations: not known\n";
    return;
  }
  out << "operations:\n";
  for (const counted_operations& o : uses.operations) {
    const char* between = "  ";
    const auto put = [&](std::uint32_t count, const char* what) {
      if (count == 0) return;
      out << between << count << ' ' << what;
      between = " + ";
    };
    put(o.each.simple, "simple");
    put(o.each.divisions, "divisions");
    put(o.each.functions, "functions");
    for (const access_loop& loop : o.loops) print_rounds(out, loop);
    print_conditions(out, o.conditions);
    if ((o.flags & PIANOLA_OPERATIONS_NARROW) != 0) out << ", narrow";
    out << '\n';
  }
}

}  // namespace pianola::compiler
