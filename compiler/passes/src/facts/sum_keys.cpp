// SPDX-License-Identifier: Apache-2.0
#include "facts/sum_keys.hpp"

#include <algorithm>
#include <iterator>

#include "pianola/compiler/index_polynomial.hpp"

namespace pianola::compiler {

void put_key(const index_sum& sum, sum_key& to, bool with_constant) {
  const std::size_t count = to.size();
  to.push_back(0);
  for (const pianola_index_term& t : sum) {
    const bool constant = std::all_of(std::begin(t.factors), std::end(t.factors),
                                      [](atom f) { return kind_of(f) == PIANOLA_FACTOR_ONE; });
    if (constant && !with_constant) continue;
    ++to[count];
    to.push_back(static_cast<std::uint64_t>(t.coefficient));
    to.insert(to.end(), std::begin(t.factors), std::end(t.factors));
  }
}

void put_key(const access_loop& loop, sum_key& to) {
  put_key(loop.stride, to);
  put_key(loop.count, to);
  to.insert(to.end(),
            {static_cast<std::uint64_t>(loop.least), static_cast<std::uint64_t>(loop.plus),
             loop.divisor, loop.extra, loop.flags});
}

void put_key(const std::vector<access_condition>& conditions, sum_key& to) {
  to.push_back(conditions.size());
  for (const access_condition& c : conditions) {
    to.push_back(c.kind);
    put_key(c.a, to);
    put_key(c.b, to);
  }
}

}  // namespace pianola::compiler
