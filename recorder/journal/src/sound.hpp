// SPDX-License-Identifier: Apache-2.0
// What a journal may say of buffers and commands so that graphs that are made of it can be planned, verified and shown: the
// same that recorder::read_graph promises. A journal is input from anywhere, whatever its checksums say. All of them throw
// model::user_error (invalid).
#pragma once
#include <pianola/model/command.hpp>
#include <pianola/model/geometry.hpp>
#include <pianola/model/topology.hpp>

namespace pianola::journal {

void require_sound_buffer(const model::extent3& range, const model::extent3& page,
                          std::uint64_t element_size, std::uint64_t dimensions);

// All but requirements' buffers, which are known, and what they hold of those.
void require_sound(const model::command& command, const model::topology& machine);
// `of_buffer`: its range.
void require_sound(const model::requirement& r, const model::extent3& of_buffer);

// What was numbered before must still be there.
void require_growth(const model::topology& before, const model::topology& after);

}  // namespace pianola::journal
