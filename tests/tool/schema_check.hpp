// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <regex>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include <pianola/formats/file.hpp>

namespace pianola::testing {

// Checks a value against the part of JSON Schema that docs/schemas uses; a keyword beyond that is an
// error of the schema. Returns the first violation, or nothing.
class schema_check {
 public:
  using json = nlohmann::json;

  explicit schema_check(std::string folder) : folder_(std::move(folder)) {}

  std::string check(const std::string& file, const json& value) {
    const json schema = load(file);
    return check(schema, schema, value, "");
  }

 private:
  json load(const std::string& file) { return json::parse(formats::read_file(folder_ + file)); }

  static bool has_type(const json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "null") return value.is_null();
    throw std::runtime_error("unknown type in a schema: " + type);
  }

  std::string check(const json& root, const json& schema, const json& value,
                    const std::string& at) {
    for (const auto& [keyword, rule] : schema.items()) {
      const std::string error = check_keyword(root, schema, keyword, rule, value, at);
      if (!error.empty()) return error;
    }
    return {};
  }

  std::string check_keyword(const json& root, const json& schema, const std::string& keyword,
                            const json& rule, const json& value, const std::string& at) {
    const auto wrong = [&] { return at + ": " + keyword + " " + rule.dump(); };
    if (keyword == "$schema" || keyword == "title" || keyword == "description" ||
        keyword == "$defs")
      return {};
    if (keyword == "$ref") {
      const std::string target = rule;
      const std::size_t hash = target.find('#');
      const json other = hash == 0 ? root : load(target.substr(0, hash));
      return check(other, other.at(json::json_pointer(target.substr(hash + 1))), value, at);
    }
    if (keyword == "type") {
      if (rule.is_string()) return has_type(value, rule) ? "" : wrong();
      for (const auto& type : rule)
        if (has_type(value, type)) return {};
      return wrong();
    }
    if (keyword == "const") return value == rule ? "" : wrong();
    if (keyword == "enum")
      return std::find(rule.begin(), rule.end(), value) != rule.end() ? "" : wrong();
    if (keyword == "pattern")
      return !value.is_string() || std::regex_search(value.get<std::string>(),
                                                     std::regex(rule.get<std::string>()))
                 ? ""
                 : wrong();
    if (keyword == "minimum") return !value.is_number() || value >= rule ? "" : wrong();
    if (keyword == "exclusiveMinimum") return !value.is_number() || value > rule ? "" : wrong();
    if (keyword == "maximum") return !value.is_number() || value <= rule ? "" : wrong();
    if (keyword == "minItems") return !value.is_array() || value.size() >= rule ? "" : wrong();
    if (keyword == "maxItems") return !value.is_array() || value.size() <= rule ? "" : wrong();
    if (keyword == "required") {
      for (const auto& name : rule)
        if (value.is_object() && !value.contains(name.get<std::string>())) return wrong();
      return {};
    }
    if (keyword == "oneOf") {
      int matching = 0;
      for (const auto& choice : rule) matching += check(root, choice, value, at).empty() ? 1 : 0;
      return matching == 1 ? "" : wrong();
    }
    if (keyword == "items") {
      if (!value.is_array()) return {};
      for (std::size_t i = 0; i < value.size(); ++i)
        if (std::string e = check(root, rule, value[i], at + "/" + std::to_string(i)); !e.empty())
          return e;
      return {};
    }
    if (keyword == "properties") {
      if (!value.is_object()) return {};
      for (const auto& [name, part] : value.items())
        if (rule.contains(name))
          if (std::string e = check(root, rule[name], part, at + "/" + name); !e.empty()) return e;
      return {};
    }
    if (keyword == "additionalProperties") {
      if (!value.is_object() || rule != false) return {};
      for (const auto& [name, part] : value.items())
        if (!schema["properties"].contains(name)) return at + "/" + name + ": unknown member";
      return {};
    }
    throw std::runtime_error("unknown keyword in a schema: " + keyword);
  }

  std::string folder_;
};

}  // namespace pianola::testing
