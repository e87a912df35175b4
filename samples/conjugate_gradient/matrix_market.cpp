// SPDX-License-Identifier: Apache-2.0
#include "matrix_market.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "common/file.hpp"
#include "common/input_error.hpp"

namespace cg {
namespace {

constexpr std::size_t most_entries = 100000000;
constexpr std::size_t most_rows = 10000000;

struct entry {
  std::uint32_t row;
  std::uint32_t column;
  double value;
};

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Goes through a text line by line and word by word.
class line_reader {
 public:
  line_reader(const std::string& text, const std::string& path)
      : at_(text.data()), end_(at_ + text.size()), path_(path) {}

  /// Moves to the next line; false at the end of the text.
  bool next_line() {
    if (at_ == end_) return false;
    word_ = at_;
    line_end_ = std::find(at_, end_, '\n');
    at_ = line_end_ == end_ ? end_ : line_end_ + 1;
    ++number_;
    return true;
  }

  /// Moves to the next line that is neither empty nor, with `comments`, a comment.
  bool next_content(bool comments) {
    while (next_line()) {
      const char* c = std::find_if_not(word_, line_end_, is_space);
      if (c != line_end_ && !(comments && *c == '%')) return true;
    }
    return false;
  }

  std::string word() {
    word_ = std::find_if_not(word_, line_end_, is_space);
    const char* first = word_;
    word_ = std::find_if(word_, line_end_, is_space);
    std::string result(first, word_);
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
  }

  std::size_t whole(const char* what, std::size_t least, std::size_t most) {
    const std::string text = word();
    std::size_t value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || value < least ||
        value > most)
      fail(std::string(what) + " is '" + samples::printable(text) +
           "', but must be a whole number from " + std::to_string(least) + " to " +
           std::to_string(most));
    return value;
  }

  double real(const char* what) {
    const std::string text = word();
    const char* first = text.data() + (!text.empty() && text[0] == '+' ? 1 : 0);
    double value = 0;
    const auto parsed = std::from_chars(first, text.data() + text.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() ||
        !std::isfinite(value))
      fail(std::string(what) + " is '" + samples::printable(text) +
           "', but must be a finite number");
    return value;
  }

  void end_of_line() {
    const std::string text = word();
    if (!text.empty()) fail("unexpected '" + samples::printable(text) + "'");
  }

  std::size_t characters_left() const { return static_cast<std::size_t>(end_ - at_); }

  [[noreturn]] void fail(const std::string& what) const {
    throw samples::input_error("'" + samples::printable(path_) + "', line " +
                               std::to_string(number_) + ": " + what);
  }

 private:
  const char* at_;
  const char* end_;
  const char* word_ = nullptr;
  const char* line_end_ = nullptr;
  std::size_t number_ = 0;
  const std::string& path_;
};

/// Reads the first line and returns whether the matrix is symmetric.
bool read_banner(line_reader& in) {
  if (!in.next_line() || in.word() != "%%matrixmarket")
    in.fail("not a Matrix Market file: the first word must be %%MatrixMarket");
  if (in.word() != "matrix") in.fail("only the object 'matrix' is supported");
  const std::string format = in.word(), field = in.word(), symmetry = in.word();
  if (format != "coordinate")
    in.fail("the format is '" + samples::printable(format) +
            "', but only 'coordinate' is supported");
  if (field == "pattern")
    in.fail("a pattern matrix has no values to solve with; 'real' or 'integer' is needed");
  if (field != "real" && field != "integer")
    in.fail("the field is '" + samples::printable(field) +
            "', but only 'real' and 'integer' are supported");
  if (symmetry != "general" && symmetry != "symmetric")
    in.fail("the symmetry is '" + samples::printable(symmetry) +
            "', but only 'general' and 'symmetric' are supported");
  in.end_of_line();
  return symmetry == "symmetric";
}

std::vector<entry> read_entries(line_reader& in, std::size_t rows, std::size_t count,
                                bool symmetric) {
  std::vector<entry> entries;
  entries.reserve(symmetric ? 2 * count : count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!in.next_content(true))
      in.fail("the file ends after " + std::to_string(i) + " of " + std::to_string(count) +
              " entries");
    entry e{};
    e.row = static_cast<std::uint32_t>(in.whole("the row", 1, rows) - 1);
    e.column = static_cast<std::uint32_t>(in.whole("the column", 1, rows) - 1);
    e.value = in.real("the value");
    in.end_of_line();
    if (symmetric && e.column > e.row) in.fail("a symmetric matrix lists its lower triangle only");
    entries.push_back(e);
    if (symmetric && e.row != e.column) entries.push_back({e.column, e.row, e.value});
  }
  if (in.next_content(true))
    in.fail("more entries than the " + std::to_string(count) + " announced");
  return entries;
}

}  // namespace

sparse_matrix read_matrix_market(const std::string& path) {
  const std::string text = samples::read_file(path);
  line_reader in(text, path);
  const bool symmetric = read_banner(in);
  if (!in.next_content(true)) in.fail("the file ends before the size line");
  const std::size_t rows = in.whole("the number of rows", 1, most_rows);
  const std::size_t columns = in.whole("the number of columns", 1, most_rows);
  const std::size_t count = in.whole("the number of entries", 1, most_entries);
  in.end_of_line();
  if (rows != columns)
    in.fail("the matrix is " + std::to_string(rows) + " x " + std::to_string(columns) +
            ", but must be square");
  // Nothing is allocated for entries that cannot be there: the shortest one is "1 1 1".
  if (count > in.characters_left() / 5 + 1)
    in.fail("the file is too short for " + std::to_string(count) + " entries");
  if (rows > 2 * count)
    in.fail(std::to_string(count) + " entries leave some of " + std::to_string(rows) +
            " rows without any");

  std::vector<entry> entries = read_entries(in, rows, count, symmetric);
  std::sort(entries.begin(), entries.end(), [](const entry& a, const entry& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  sparse_matrix m;
  m.first.reserve(rows + 1);
  for (const entry& e : entries) {
    const bool new_row = m.first.size() <= e.row;
    if (new_row && e.row != m.first.size()) break;
    if (new_row) m.first.push_back(static_cast<std::uint32_t>(m.column.size()));
    if (!new_row && m.column.back() == e.column) {
      m.value.back() += e.value;
      continue;
    }
    m.column.push_back(e.column);
    m.value.push_back(e.value);
  }
  if (m.first.size() != rows)
    throw samples::input_error("'" + samples::printable(path) + "': row " +
                               std::to_string(m.first.size() + 1) +
                               " has no entries, so the matrix is singular");
  m.first.push_back(static_cast<std::uint32_t>(m.column.size()));
  return m;
}

}  // namespace cg
