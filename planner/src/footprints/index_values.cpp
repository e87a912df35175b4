// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/index_values.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace pianola::planner {

namespace {

using model::index_factor;

constexpr wide limit = wide{1} << 100;

struct factor_value {
  wide value = 1;
  int dimension = -1;  // of an id or a group; -1: it is neither
  bool is_group = false;
};

template <class Number>
std::optional<factor_value> read(const launch_values& from, std::size_t at) {
  Number n = 0;
  if (at + sizeof n > from.size) return std::nullopt;
  std::memcpy(&n, static_cast<const unsigned char*>(from.arguments) + at, sizeof n);
  return factor_value{n, -1, false};
}

std::optional<factor_value> value_of(const index_factor& f, const launch_values& launch) {
  const model::launch_geometry& g = launch.geometry;
  const auto of_groups = [&](factor_value value) -> std::optional<factor_value> {
    // Without groups of its own a launch has those that an executor likes.
    if (!g.grouped) return std::nullopt;
    return value;
  };
  switch (f.what) {
    case index_factor::kind::one:
      return factor_value{};
    case index_factor::kind::unsigned64:
      // What wraps around in 64 bits is a negative number there, and here.
      return read<std::int64_t>(launch, f.where);
    case index_factor::kind::signed32:
      return read<std::int32_t>(launch, f.where);
    case index_factor::kind::unsigned32:
      return read<std::uint32_t>(launch, f.where);
    case index_factor::kind::id:
      return factor_value{1, static_cast<int>(f.where), false};
    case index_factor::kind::global:
      return factor_value{wide{g.global[f.where]}, -1, false};
    case index_factor::kind::offset:
      return factor_value{wide{g.offset[f.where]}, -1, false};
    case index_factor::kind::group:
      return of_groups({1, static_cast<int>(f.where), true});
    case index_factor::kind::local_size:
      return of_groups({wide{g.local[f.where]}, -1, false});
    case index_factor::kind::groups:
      return of_groups({g.grouped ? wide{g.groups()[f.where]} : wide{1}, -1, false});
  }
  return std::nullopt;
}

}  // namespace

bool affine_value::is_constant() const noexcept {
  const auto is_zero = [](wide n) { return n == 0; };
  return std::all_of(per_id, per_id + 3, is_zero) && std::all_of(per_group, per_group + 3, is_zero);
}

std::optional<affine_value> value_of(const model::index_sum& sum,
                                     const launch_values& launch) noexcept {
  affine_value result;
  for (const model::index_term& term : sum) {
    wide product = term.coefficient;
    int dimension = -1;
    bool is_group = false;
    for (const index_factor& factor : term.factors) {
      const auto v = value_of(factor, launch);
      if (!v) return std::nullopt;
      if (v->value < 0) result.is_negative_somewhere = true;
      if (v->dimension >= 0) {
        if (dimension >= 0) return std::nullopt;
        dimension = v->dimension;
        is_group = v->is_group;
      }
      product *= v->value;
      if (magnitude(product) > limit >> 40) return std::nullopt;
    }
    if (dimension < 0) {
      result.constant += product;
      result.largest += magnitude(product);
    } else {
      const auto d = static_cast<std::size_t>(dimension);
      (is_group ? result.per_group : result.per_id)[d] += product;
      const wide extent =
          is_group ? wide{launch.geometry.groups()[d]} : wide{launch.geometry.global[d]};
      if (extent > limit >> 64) return std::nullopt;
      result.largest += magnitude(product) * std::max<wide>(extent - 1, 0);
    }
    if (result.largest > limit) return std::nullopt;
  }
  if (result.largest >= address_limit) return std::nullopt;
  return result;
}

}  // namespace pianola::planner
