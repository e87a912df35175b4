// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "run_tool.hpp"

namespace pianola::testing {

// Checks values against the schemas in docs/schemas, with the validator of check_schemas.py. For each pair of a schema's
// name and a value: the first violation, or nothing.
inline std::vector<std::string> check_schemas(
    const std::vector<std::pair<std::string, nlohmann::json>>& values) {
  temporary_folder folder;
  std::string lines;
  for (const auto& [schema, value] : values)
    lines += nlohmann::json::array({schema, value}).dump() + "\n";
  const std::string in = folder.file("values", lines), out = folder.file("violations");
  const std::string command = "'" PIANOLA_PYTHON "' '" PIANOLA_SOURCE_DIR
                              "/tests/system/tool/check_schemas.py' '" PIANOLA_SOURCE_DIR
                              "/docs/schemas' <'" +
                              in + "' >'" + out + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << "install python3-jsonschema";
  std::vector<std::string> violations;
  std::istringstream text(formats::read_file(out));
  for (std::string line; std::getline(text, line);) violations.push_back(line);
  EXPECT_EQ(violations.size(), values.size());
  violations.resize(values.size());
  return violations;
}

inline std::string check_schema(const std::string& schema, const nlohmann::json& value) {
  return check_schemas({{schema, value}}).front();
}

}  // namespace pianola::testing
