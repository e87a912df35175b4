// SPDX-License-Identifier: Apache-2.0
#include "command_line/nearest_word.hpp"

#include <algorithm>
#include <cstddef>

namespace pianola::tool {

namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      const std::size_t other = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + other});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t longest = 40;
  if (word.empty() || word.size() > longest) return {};
  std::string best;
  std::size_t least = word.size();
  for (const std::string& k : known) {
    // The beginning of a word says which it is, too.
    const bool begins = word.size() >= 2 && k.compare(0, word.size(), word) == 0;
    const std::size_t d = begins ? 1 : distance(word, k);
    if (d < least && d <= std::max<std::size_t>(k.size() / 3, 1)) {
      least = d;
      best = k;
    }
  }
  return best;
}

}  // namespace pianola::tool
