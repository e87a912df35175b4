// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

#include "command_line/options.hpp"
#include "command_line/whole_number.hpp"
#include "commands/subcommands.hpp"
#include "inputs/planned_graph.hpp"
#include "inputs/right_plan.hpp"
#include "outputs/print.hpp"
#include "outputs/stages.hpp"
#include "view/graph_page.hpp"
#include "view/http_server.hpp"
#include "view/page.hpp"
#include "view/served_graph.hpp"

namespace pianola::tool {

namespace {

constexpr std::string_view any_port = "any";

struct view_request {
  page_files files;
  std::string output;  // empty: standard output
  std::string port;    // empty: nothing is served
  bool json = false;   // what the page shows, without the page
};

[[noreturn]] void refuse_view(const std::string& reason) {
  throw model::user_error(model::error_code::invalid, "view: " + reason);
}

std::uint16_t port_of(const std::string& text) {
  if (text == any_port) return 0;
  const auto port = whole_number<std::uint16_t>(text);
  if (!port || *port == 0)
    refuse_view(fmt::format("--serve takes a port from 1 to 65535, and not '{}'",
                            formats::one_line(text, 40)));
  return *port;
}

int write_page(const view_request& request) {
  if (!request.json && request.output.empty() && ::isatty(STDOUT_FILENO) != 0)
    refuse_view("a page is nothing to read on a terminal; name a file with -o page.html");
  const page_files& files = request.files;
  const planned_graph p =
      open_planned(files.graph, files.plan, files.topology, kernel_costs::as_recorded);
  // What is simulated has to be right.
  if (!is_right(p.view(), p.plan, p.machine)) return exit_violation;
  begin_stage("making the page");
  put_out(request.output, request.json ? graph_content(p, files) : graph_page(p, files));
  return exit_good;
}

int serve_page(const view_request& request) {
  const std::uint16_t port = port_of(request.port);
  served_graph served(request.files);
  http_server server(
      port, {{"/", [&served](std::string_view) { return served.page(); }},
             {"/explain", [&served](std::string_view q) { return served.explanation(q); }}});
  print(server.address() + "\n");
  if (::isatty(STDERR_FILENO) != 0) std::fputs("pianola: Ctrl-C ends this\n", stderr);
  server.run();
  // Nobody waits for what is planned still.
  std::quick_exit(exit_good);
}

int view(const view_request& request) {
  if (page_pieces().empty() && !request.json)
    static_cast<void>(page_with({}));  // says why, before the work
  view_request found = request;
  std::error_code error;
  for (const std::string* const word : {&request.files.graph, &request.files.plan})
    if (!request.port.empty() && whole_number<std::uint32_t>(*word) &&
        !std::filesystem::exists(*word, error))
      refuse_view(fmt::format("the port goes behind a '=': --serve={}", *word));
  find_graph_of_plan(found.files.graph, found.files.plan);
  return request.port.empty() ? write_page(found) : serve_page(found);
}

}  // namespace

void add_view(CLI::App& app, int& code) {
  auto request = std::make_shared<view_request>();
  CLI::App* view_command = app.add_subcommand(
      "view", "Make one page for a browser: the graph, its plan over time, where data is");
  add_graph(*view_command, request->files.graph, request->files.plan, request->files.topology);
  auto* output = add_output_file(*view_command, request->output);
  view_command
      ->add_flag(
          "--serve{any}", request->port,
          "Serve the page to browsers on this machine until Ctrl-C: with --serve=PORT there, else "
          "where a port is free. It is made anew when the files change, and tells what would "
          "help, tried by planning again")
      ->type_name("PORT")
      ->excludes(output)
      ->excludes(view_command->add_flag("--json", request->json,
                                        "For programs: what the page shows, without the page: "
                                        "pianola.view/1"));
  view_command->footer(
      "Examples:\n  pianola view graph.json plan.json -o page.html\n"
      "  pianola view graph-0.plan.json -o page.html\n"
      "  pianola view graph.json --topology machine.json -o page.html\n"
      "  pianola view graph.json plan.json --serve\n"
      "  pianola view graph.json --serve=8080");
  view_command->callback([request, &code] { code = view(*request); });
}

}  // namespace pianola::tool
