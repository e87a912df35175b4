// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

namespace pianola::formats {

// How much is done of what takes long: told by what does it, asked for by who shows it, both from any thread. There is one
// for the whole process: what was told last counts.
void tell_progress(std::uint64_t done, std::uint64_t all) noexcept;
// Something else begins, of which nobody knows yet.
void forget_progress() noexcept;
// From 0 to 100; nothing where nobody has told.
[[nodiscard]] std::optional<unsigned> percent_done() noexcept;

}  // namespace pianola::formats
