// SPDX-License-Identifier: Apache-2.0
// A vocabulary is a closed set of words that are the same in the program, in files and in messages. It is written down
// once, as a table in the order of its numbers: a macro that calls its argument for each word,
//   #define PIANOLA_COLOURS(WORD) WORD(red) WORD(green)
// The enumeration is made of it, and the names, for which see name_of.
#pragma once
#include <cstddef>

#define PIANOLA_ENUMERATOR(word) word,
#define PIANOLA_WORD_TEXT(word) #word,
// In namespace pianola::model: gives the enumeration the words of the table.
#define PIANOLA_VOCABULARY(enumeration, table)                         \
  template <>                                                          \
  struct vocabulary<enumeration> {                                     \
    static constexpr const char* words[] = {table(PIANOLA_WORD_TEXT)}; \
  };

namespace pianola::model {

template <class Enumeration>
struct vocabulary;

template <class Enumeration>
inline constexpr std::size_t word_count = sizeof(vocabulary<Enumeration>::words) / sizeof(char*);

// As in the table; null for other numbers.
template <class Enumeration, class = decltype(vocabulary<Enumeration>::words)>
constexpr const char* name_of(Enumeration e) noexcept {
  const auto number = static_cast<std::size_t>(e);
  return number < word_count<Enumeration> ? vocabulary<Enumeration>::words[number] : nullptr;
}

}  // namespace pianola::model
