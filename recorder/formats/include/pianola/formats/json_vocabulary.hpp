// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pianola/model/array_view.hpp>
#include <pianola/model/vocabulary.hpp>

#include "json_reader.hpp"

namespace pianola::formats {

// The number of the word; as many as there are if it is none of them.
[[nodiscard]] std::size_t find_word(std::string_view, model::array_view<const char* const> words);

// The number of the word that comes next. An error names all of them.
[[nodiscard]] std::size_t read_word(json_reader&, model::array_view<const char* const> words);

template <class Enumeration>
[[nodiscard]] Enumeration read_word(json_reader& json) {
  return static_cast<Enumeration>(read_word(json, model::vocabulary<Enumeration>::words));
}

}  // namespace pianola::formats
