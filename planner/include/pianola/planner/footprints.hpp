// SPDX-License-Identifier: Apache-2.0
// What kernels touch: from the compiler's facts and a launch's arguments to bytes, and from bytes to elements.
#pragma once
#include <cstddef>
#include <vector>

#include <pianola/model/arena.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/footprint.hpp>
#include <pianola/model/requirement.hpp>

namespace pianola::planner {

// Of a kernel's requirements those whose every access is known; ascending by requirement. Reads the kernel's facts, the
// bytes of its arguments, its slots and its index space; what it returns lives in `storage`. A requirement that no slot
// stands for has none, and nothing is known where the kernel touches memory that is not reached through its arguments.
[[nodiscard]] model::array_view<const model::footprint> resolve_footprints(
    const model::kernel_command& kernel, std::size_t requirements, model::arena& storage);

// Disjoint boxes of elements of a buffer, in row-major order of corners.
struct touched_elements {
  std::vector<model::box> read;     // holds every element of which a byte may be read
  std::vector<model::box> written;  // the same, written
  // Every byte of each of these elements is written, whatever happens. Never more than is true; all of it where `exact`.
  std::vector<model::box> overwritten;
  // `read` and `written` hold no element but those that the accesses name.
  bool exact = true;
};

// By the work-items of a launch whose ids (without the launch's offset) are in `ids`. Exact where accesses keep to rows
// and columns of the buffer, else the smallest boxes around them. Accesses outside of the buffer do not happen: there a
// condition was not understood.
[[nodiscard]] touched_elements elements_touched(const model::footprint& footprint,
                                                const model::box& ids,
                                                const model::buffer_info& buffer);

// A kernel's requirement becomes what all its work-items touch: of the elements that it names those that are touched, read
// only where nothing is written, no_init where all that it names is overwritten. Returns whether it has changed. A
// requirement of which nothing is touched stays.
bool narrow_requirement(const touched_elements& touched, model::requirement& requirement);

// The same where what is touched may be far apart, as rows i - k and i + k or two halves: if one box around all of it has
// at least twice the pages, it becomes several requirements, which have no page in common. `further` gets those besides the
// one that is changed.
bool narrow_requirement(const touched_elements& touched, const model::page_grid& grid,
                        model::requirement& requirement, std::vector<model::requirement>& further);

}  // namespace pianola::planner
