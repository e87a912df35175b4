// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <pianola/formats/json_writer.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/runtime/devices.hpp>

#include "commands/subcommands.hpp"
#include "outputs/print.hpp"

namespace pianola::tool {

namespace {

constexpr std::size_t columns = 7;
using row = std::array<std::string, columns>;

const char* type_name(runtime::device_type type) {
  switch (type) {
    case runtime::device_type::cpu:
      return "cpu";
    case runtime::device_type::gpu:
      return "gpu";
    case runtime::device_type::accelerator:
      return "accelerator";
    case runtime::device_type::custom:
      break;
  }
  return "custom";
}

std::string table(const std::vector<row>& rows) {
  std::array<std::size_t, columns> widths{};
  for (const row& r : rows)
    for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], r[i].size());
  std::string text;
  for (const row& r : rows) {
    std::string line;
    for (std::size_t i = 0; i < columns; ++i) {
      line += r[i];
      if (i + 1 < columns) line.append(widths[i] - r[i].size() + 2, ' ');
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string json_of_devices() {
  using layout = formats::json_writer::layout;
  formats::json_writer json;
  json.open_object(layout::lines).key("format").text("pianola.devices/1");
  json.key("devices").open_array(layout::lines);
  for (std::size_t i = 0; i < runtime::device_count(); ++i) {
    const model::device_id id(static_cast<model::device_id::rep>(i));
    const runtime::device_properties& d = runtime::device(id);
    json.open_object().key("name").text(d.name).key("backend").text(d.backend);
    json.key("type").text(type_name(d.type)).key("memory").number(std::uint64_t{d.memory.value()});
    json.key("bytes").number(std::uint64_t{d.global_memory_bytes});
    json.key("units").number(std::uint64_t{d.compute_units});
    json.key("default").truth(id == runtime::default_device()).close();
  }
  json.close().key("absent").open_array(layout::lines);
  for (const runtime::absent_backend& b : runtime::absent_backends())
    json.open_object().key("name").text(b.name).key("reason").text(b.reason).close();
  json.close().close();
  return json.finish();
}

int devices(bool json) {
  if (json) {
    print(json_of_devices());
    return exit_good;
  }
  std::vector<row> rows = {{"device", "backend", "type", "memory", "size", "units", "name"}};
  const std::size_t count = runtime::device_count();
  for (std::size_t i = 0; i < count; ++i) {
    const model::device_id id(static_cast<model::device_id::rep>(i));
    const runtime::device_properties& d = runtime::device(id);
    rows.push_back({fmt::format("{}{}", i, id == runtime::default_device() ? "*" : ""), d.backend,
                    type_name(d.type), std::to_string(d.memory.value()),
                    formats::bytes(d.global_memory_bytes), std::to_string(d.compute_units),
                    formats::one_line(d.name)});
  }
  std::string text = count == 0 ? "no devices\n" : table(rows) + "* chosen by default\n";
  for (const runtime::absent_backend& b : runtime::absent_backends())
    text += fmt::format("absent: {}: {}\n", formats::one_line(b.name), formats::one_line(b.reason));
  print(text);
  return exit_good;
}

}  // namespace

void add_devices(CLI::App& app, int& code) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand(
      "devices", "List the devices that PIANOLA_DEVICES chooses, and why backends are absent");
  command->add_flag("--json", *json, "For programs: pianola.devices/1");
  command->footer("Examples:\n  PIANOLA_DEVICES=openmp,simulated:2 pianola devices");
  command->callback([json, &code] { code = devices(*json); });
}

}  // namespace pianola::tool
