// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#if defined(__cpp_rtti)
#include <typeinfo>
#endif

namespace pianola::glue {

/// FNV-1a; the same text gives the same value in every run and with every compiler.
constexpr std::uint64_t hash_text(const char* text,
                                  std::uint64_t hash = 0xcbf29ce484222325ULL) noexcept {
  for (; *text != '\0'; ++text) {
    hash ^= static_cast<unsigned char>(*text);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

/// Contains the name of the type, between text that is the same for every type.
template <class T>
constexpr const char* decorated_type_name() noexcept {
  return __PRETTY_FUNCTION__;
}

/// Identifies a type among all translation units of a program: equal names occur in different units.
template <class T>
std::uint64_t type_hash(const char* translation_unit) noexcept {
  const std::uint64_t unit = hash_text(translation_unit);
#if defined(__cpp_rtti)
  // The mangled name numbers the lambdas of a function; g++'s readable one does not.
  return hash_text(typeid(T).name(), unit);
#else
  return hash_text(decorated_type_name<T>(), unit);
#endif
}

/// Name of a type for people. Folders are cut from the places that clang puts into names of lambdas.
template <class T>
const char* readable_type_name() noexcept {
  struct text {
    char characters[sizeof(__PRETTY_FUNCTION__) + 512];
    text() noexcept {
      const char* from = decorated_type_name<T>();
      std::size_t length = 0;
      // "... [with T = name]" of g++, "... [T = name]" of clang.
      for (const char* p = from; *p != '\0'; ++p)
        if (p[0] == 'T' && p[1] == ' ' && p[2] == '=' && p[3] == ' ' &&
            (p[-1] == '[' || p[-1] == ' ')) {
          from = p + 4;
          break;
        }
      for (; from[0] != '\0' && !(from[0] == ']' && from[1] == '\0'); ++from) {
        if (*from == '/') {  // back to the start of this path
          while (length > 0 && characters[length - 1] != ' ') --length;
          continue;
        }
        if (length + 1 == sizeof(characters)) break;
        characters[length++] = *from;
      }
      characters[length] = '\0';
    }
  };
  static const text name;
  return name.characters;
}

}  // namespace pianola::glue
