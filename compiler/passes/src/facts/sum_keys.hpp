// SPDX-License-Identifier: Apache-2.0
// Sums, loops and conditions as numbers in a row, which are the same where those are.
#pragma once

#include <cstdint>
#include <vector>

#include "pianola/compiler/argument_use.hpp"

namespace pianola::compiler {

using sum_key = std::vector<std::uint64_t>;

void put_key(const index_sum& sum, sum_key& to, bool with_constant = true);
void put_key(const access_loop& loop, sum_key& to);
void put_key(const std::vector<access_condition>& conditions, sum_key& to);

}  // namespace pianola::compiler
