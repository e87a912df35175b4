// SPDX-License-Identifier: Apache-2.0
#include "inputs/launches.hpp"

#include <filesystem>
#include <limits>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <pianola/formats/file.hpp>
#include <pianola/formats/json_reader.hpp>

namespace pianola::tool {

namespace {

// As many as the graph has commands.
std::vector<std::uint64_t> times(formats::json_reader& in, std::size_t commands) {
  std::vector<std::uint64_t> all;
  in.array([&](std::uint64_t i) {
    const std::uint64_t time = in.whole_number();
    if (i >= commands) in.fail(fmt::format("the graph has {} commands", commands));
    all.push_back(time);
  });
  if (all.size() != commands) in.fail(fmt::format("the graph has {} commands", commands));
  return all;
}

planner::measured_launches::place place(formats::json_reader& in) {
  static constexpr formats::member members[] = {{"device"}, {"lane"}};
  planner::measured_launches::place p;
  in.object(members, [&](std::size_t member) {
    if (member == 1)
      p.lane = static_cast<std::uint32_t>(
          in.whole_number(std::numeric_limits<std::uint32_t>::max() - 1));
    else if (!in.null())
      p.device = model::device_id(static_cast<std::uint16_t>(in.whole_number(65533)));
  });
  return p;
}

planner::measured_launches::launch launch(formats::json_reader& in, std::size_t commands) {
  static constexpr formats::member members[] = {{"submit"}, {"start"}, {"end"}};
  planner::measured_launches::launch l;
  in.object(members, [&](std::size_t member) {
    if (member == 0)
      l.submitted = in.whole_number();
    else
      (member == 1 ? l.started : l.ended) = times(in, commands);
  });
  return l;
}

}  // namespace

planner::measured_launches read_launches(std::string_view text, const planner::graph_view& graph,
                                         std::string_view source) {
  static constexpr formats::member members[] = {
      {"format"}, {"graph_hash"}, {"commands"}, {"left_out"}, {"launches"}};
  const std::size_t commands = graph.commands().size();
  formats::json_reader in(text, source);
  planner::measured_launches all;
  in.object(members, [&](std::size_t member) {
    switch (member) {
      case 0:
        return in.format("pianola.launches/1");
      case 1:
        if (in.hexadecimal() != graph.structural_hash()) in.fail("it is of another graph");
        return;
      case 2:
        in.array([&](std::uint64_t i) {
          const planner::measured_launches::place p = place(in);
          if (i >= commands) in.fail(fmt::format("the graph has {} commands", commands));
          all.places.push_back(p);
        });
        if (all.places.size() != commands)
          in.fail(fmt::format("the graph has {} commands", commands));
        return;
      case 3:
        static_cast<void>(in.whole_number());
        return;
      default:
        in.array([&](std::uint64_t) { all.launches.push_back(launch(in, commands)); });
    }
  });
  in.end();
  return all;
}

planner::measured_launches load_launches(const std::string& path,
                                         const planner::graph_view& graph) {
  return read_launches(formats::read_file(path), graph, path);
}

std::string launches_beside(const std::string& graph) {
  constexpr std::string_view ending = ".graph.json";
  if (!graph.ends_with(ending)) return {};
  const std::string beside = graph.substr(0, graph.size() - ending.size()) + ".launches.json";
  std::error_code error;
  return std::filesystem::is_regular_file(beside, error) ? beside : std::string();
}

}  // namespace pianola::tool
