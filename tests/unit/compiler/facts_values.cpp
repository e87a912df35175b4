// SPDX-License-Identifier: Apache-2.0
#include "facts_values.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace pianola::compiler;

namespace {

constexpr std::int64_t most_rounds = 100000;

std::uint64_t magnitude(std::int64_t n) {
  return n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
}

bool is_met(std::uint64_t kind, std::uint64_t a, std::uint64_t b) {
  const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
  switch (kind) {
    case PIANOLA_CONDITION_AT_LEAST:
      return x >= y;
    case PIANOLA_CONDITION_GREATER:
      return x > y;
    case PIANOLA_CONDITION_BELOW:
      return a < b;
    case PIANOLA_CONDITION_NOT_BELOW:
      return a >= b;
    default:
      return a != b;
  }
}

// Nothing if it cannot be trusted.
std::optional<sum> trusted(const index_sum& terms, bool narrow, const work_item& item) {
  const auto s = evaluate(terms, item);
  if (!s || s->largest > 4e18 || (narrow && !s->is_narrow)) return std::nullopt;
  return s;
}

}  // namespace

std::optional<sum> evaluate(const index_sum& terms, const work_item& item) {
  sum s;
  double largest = 0;
  for (const pianola_index_term& t : terms) {
    auto product = static_cast<std::uint64_t>(t.coefficient);
    double bound = static_cast<double>(magnitude(t.coefficient));
    for (const std::uint32_t f : t.factors) {
      const std::uint32_t where = f & PIANOLA_FACTOR_WHERE_MASK;
      std::uint64_t value = 1, most = 1;
      std::int32_t small;
      const auto* bytes = reinterpret_cast<const unsigned char*>(&item.object);
      switch (f >> PIANOLA_FACTOR_KIND_SHIFT) {
        case PIANOLA_FACTOR_U64:
          std::memcpy(&value, bytes + where, 8);
          most = value;
          break;
        case PIANOLA_FACTOR_S32:
          std::memcpy(&small, bytes + where, 4);
          if (small < 0) s.is_narrow = false;
          value = static_cast<std::uint64_t>(std::int64_t{small});
          most = magnitude(small);
          break;
        case PIANOLA_FACTOR_U32:
          std::memcpy(&small, bytes + where, 4);
          most = value = static_cast<std::uint32_t>(small);
          break;
        case PIANOLA_FACTOR_ID:
          value = item.id[where];
          most = random_global[where] - 1;
          break;
        case PIANOLA_FACTOR_GLOBAL:
          most = value = item.launch.global[where];
          break;
        case PIANOLA_FACTOR_OFFSET:
          most = value = item.launch.offset[where];
          break;
        case PIANOLA_FACTOR_GROUP:
          value = item.id[where] / random_local[where];
          most = random_global[where] / random_local[where] - 1;
          break;
        case PIANOLA_FACTOR_LOCAL_SIZE:
          most = value = random_local[where];
          break;
        case PIANOLA_FACTOR_GROUPS:
          most = value = random_global[where] / random_local[where];
          break;
        case PIANOLA_FACTOR_ONE:
          break;
        default:
          return std::nullopt;
      }
      product *= value;
      bound *= static_cast<double>(most);
    }
    s.value += product;
    largest += bound;
  }
  s.largest = largest;
  s.is_narrow = s.is_narrow && largest < 2147483648.0;
  return s;
}

met_conditions meets(const std::vector<access_condition>& all, bool narrow, const work_item& item) {
  met_conditions result;
  for (const access_condition& c : all) {
    const auto a = trusted(c.a, narrow, item), b = trusted(c.b, narrow, item);
    if (!a || !b)
      result.known = false;
    else if (!is_met(c.kind, a->value, b->value))
      result.met = false;
  }
  return result;
}

std::optional<std::int64_t> rounds_of(const access_loop& l, bool narrow, const work_item& item) {
  const auto count = evaluate(l.count, item);
  if (!count || count->largest > 4e18) return std::nullopt;
  std::int64_t n = static_cast<std::int64_t>(count->value);
  if ((l.flags & PIANOLA_LOOP_UNSIGNED) != 0 && n < 0) return std::nullopt;
  const double least = l.least == std::numeric_limits<std::int64_t>::min()
                           ? 0
                           : static_cast<double>(magnitude(l.least));
  if (narrow && (!count->is_narrow ||
                 count->largest + static_cast<double>(magnitude(l.plus)) + least >= 2147483648.0))
    return std::nullopt;
  if (n > most_rounds) return std::nullopt;
  n = std::max(n, l.least) + l.plus;
  if (n < 0) return std::nullopt;
  return n / static_cast<std::int64_t>(l.divisor) + l.extra;
}

std::optional<access_places> places_of(const argument_access& a, const work_item& item) {
  const bool narrow = (a.flags & PIANOLA_ACCESS_NARROW) != 0;
  access_places result;
  // Who resolves the list takes a condition that does not hold for one that may be met.
  const met_conditions conditions = meets(a.conditions, narrow, item);
  result.certain = conditions.known && (a.flags & PIANOLA_ACCESS_CERTAIN) != 0;
  if (!conditions.met) return result;
  const auto start = trusted(a.start, narrow, item);
  if (!start) return std::nullopt;
  double largest = start->largest + a.bytes;
  result.at = {start->value};
  for (const access_loop& l : a.loops) {
    const auto n = rounds_of(l, narrow, item);
    const auto stride = trusted(l.stride, narrow, item);
    if (!n || !stride || *n * static_cast<std::int64_t>(result.at.size()) > most_rounds)
      return std::nullopt;
    std::vector<std::uint64_t> further;
    for (std::int64_t k = 0; k < *n; ++k)
      for (const std::uint64_t p : result.at)
        further.push_back(p + static_cast<std::uint64_t>(k) * stride->value);
    result.at = std::move(further);
    if (*n > 0) largest += stride->largest * static_cast<double>(*n - 1);
  }
  if (largest > 4e18 || (narrow && largest >= 2147483648.0)) return std::nullopt;
  return result;
}
