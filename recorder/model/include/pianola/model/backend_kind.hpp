// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "vocabulary.hpp"

namespace pianola::model {

// The backends that this library comes with. PIANOLA_DEVICES and the topologies in files name them by these words; a
// topology may have devices of others, of which nothing else is known.
// clang-format off
#define PIANOLA_BACKEND_KINDS(WORD) \
  WORD(openmp) \
  WORD(simulated) \
  WORD(cuda) \
  WORD(hip)
// clang-format on

enum class backend_kind : std::uint8_t { PIANOLA_BACKEND_KINDS(PIANOLA_ENUMERATOR) };
PIANOLA_VOCABULARY(backend_kind, PIANOLA_BACKEND_KINDS)

// Nothing if it is none of the words.
constexpr std::optional<backend_kind> backend_kind_of(std::string_view word) noexcept {
  for (std::size_t i = 0; i < word_count<backend_kind>; ++i)
    if (word == vocabulary<backend_kind>::words[i]) return static_cast<backend_kind>(i);
  return std::nullopt;
}

// Whether kernels are the program's own code there, run by the processor; device_properties says the same of a device that
// is here.
constexpr bool runs_host_code(std::string_view backend) noexcept {
  const std::optional<backend_kind> kind = backend_kind_of(backend);
  return kind == backend_kind::openmp || kind == backend_kind::simulated;
}

}  // namespace pianola::model
