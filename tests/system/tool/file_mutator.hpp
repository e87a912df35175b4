// SPDX-License-Identifier: Apache-2.0
// Random damage to good files.
#pragma once
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace pianola::testing {

class file_mutator {
 public:
  explicit file_mutator(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  // Some bytes overwritten, inserted, removed, doubled; or the end cut off.
  std::string bytes(std::string text) {
    static constexpr std::string_view interesting = "{}[]\",:\\-+.eE0123456789ntfu \n\x7f\xFF\x80";
    for (std::size_t n = 1 + below(4); n > 0 && !text.empty(); --n) {
      const std::size_t at = below(text.size());
      const char c = below(2) == 0 ? interesting[below(interesting.size())]
                                   : static_cast<char>(random_() & 0xFF);
      switch (below(5)) {
        case 0:
          text[at] = c;
          break;
        case 1:
          text.insert(at, 1, c);
          break;
        case 2:
          text.erase(at, 1 + below(8));
          break;
        case 3:
          text.insert(at, text.substr(at, 1 + below(64)));
          break;
        default:
          text.resize(at);
          break;
      }
    }
    return text;
  }

  // Values changed, moved, removed, repeated: still JSON, and mostly still nearly right.
  std::string structure(const std::string& text) {
    nlohmann::json file = nlohmann::json::parse(text, nullptr, false);
    if (file.is_discarded() || file.empty()) return bytes(text);
    for (std::size_t n = 1 + below(3); n > 0; --n) {
      std::vector<std::string> places;
      const nlohmann::json flat = file.flatten();
      for (const auto& [pointer, value] : flat.items()) places.push_back(pointer);
      std::string place = places[below(places.size())];
      for (std::size_t up = below(4); up > 0 && place.rfind('/') != 0; --up)
        place.erase(place.rfind('/'));
      change(file, nlohmann::json::json_pointer(place));
    }
    file.erase("structural_hash");
    return file.dump();
  }

 private:
  void change(nlohmann::json& file, const nlohmann::json::json_pointer& place) {
    nlohmann::json& value = file[place];
    nlohmann::json& parent = file[place.parent_pointer()];
    switch (below(8)) {
      case 0:
        value = odd_value();
        break;
      case 1:
        if (parent.is_object()) parent.erase(place.back());
        break;
      case 2:
        if (parent.is_array()) parent.push_back(nlohmann::json(value));
        break;
      case 3:
        if (parent.is_array() && !parent.empty()) parent.erase(below(parent.size()));
        break;
      case 4:
        if (parent.is_array() && parent.size() > 1)
          std::swap(parent[below(parent.size())], parent[below(parent.size())]);
        break;
      default:
        if (value.is_number_unsigned())
          value = below(2) == 0 ? value.get<std::uint64_t>() + below(3) - 1 : below(20);
        else
          value = odd_value();
    }
  }
  nlohmann::json odd_value() {
    switch (below(12)) {
      case 0:
        return nullptr;
      case 1:
        return UINT64_MAX;
      case 2:
        return std::uint64_t{1} << (31 + below(33));
      case 3:
        return -1;
      case 4:
        return 1e300;
      case 5:
        return 0.5;
      case 6:
        return "\x1b[2J\n\"&\\";
      case 7:
        return nlohmann::json::array();
      case 8:
        return nlohmann::json::object();
      case 9:
        return true;
      case 10:
        return "pianola.graph/2";
      default:
        return below(100);
    }
  }

  std::mt19937_64 random_;
};

}  // namespace pianola::testing
