// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/model/command.hpp>

namespace pianola::recorder {

// Where dynamic parameters are in the arguments of commands: behind an aligned word, their cookie.
class parameter_places {
 public:
  // Whether a word in the arguments is the cookie of a parameter.
  using word_test = bool (*)(std::uint64_t) noexcept;

  explicit parameter_places(word_test is_parameter) : is_parameter_(is_parameter) {}

  struct place {
    std::uint64_t cookie;
    std::uint32_t command;
    std::uint32_t offset;  // of the cookie
  };

  // The command has these arguments now.
  void note(std::uint32_t command, const model::argument_block& arguments);
  // Those of a command follow each other.
  [[nodiscard]] const std::vector<place>& all() const noexcept { return places_; }

 private:
  word_test is_parameter_;
  std::vector<place> places_;
};

}  // namespace pianola::recorder
