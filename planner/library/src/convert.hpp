// SPDX-License-Identifier: Apache-2.0
// Between the interface's types and those of the model.
#pragma once
#include <string>

#include <pianola/model/geometry.hpp>
#include <pianola/model/requirement.hpp>
#include <pianola/model/topology.hpp>

#include "pianola/planning/graph.hpp"
#include "pianola/planning/machine.hpp"

namespace pianola::planning::detail {

// Padded on the left with `fill`.
[[nodiscard]] model::point3 to_model(const extent& e, std::uint64_t fill) noexcept;
[[nodiscard]] extent from_model(const model::point3& p, unsigned dimensions) noexcept;
[[nodiscard]] model::box to_model(const box& b) noexcept;
[[nodiscard]] box from_model(const model::box& b, unsigned dimensions) noexcept;

// Throws planning::error for a machine that could not be planned for.
[[nodiscard]] model::topology to_model(const machine& m);
[[nodiscard]] machine from_model(const model::topology& t);

// Throws planning::error for what no file could hold.
[[nodiscard]] model::buffer_info to_model(const buffer_description& b);
[[nodiscard]] buffer_description from_model(const model::buffer_info& b, const char* name);

template <class To, class From>
[[nodiscard]] To id_as(From id) noexcept {
  return To(static_cast<typename To::rep>(id));
}

}  // namespace pianola::planning::detail
