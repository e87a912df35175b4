// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cg {

/// A square matrix by compressed rows: the entries of row i are those from first[i] to first[i + 1], by column.
struct sparse_matrix {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> column;
  std::vector<double> value;

  std::size_t rows() const { return first.size() - 1; }
};

/// Reads a Matrix Market file of the kind "matrix coordinate real|integer general|symmetric". Repeated entries are
/// added up. Throws samples::input_error, one line with the line number, for anything else: not square, no entry in
/// some row, indices out of range, values that are not finite, more than 100 million entries, text after the end.
sparse_matrix read_matrix_market(const std::string& path);

}  // namespace cg
