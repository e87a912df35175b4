// SPDX-License-Identifier: Apache-2.0
#include "command_line/description.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <pianola/formats/json_writer.hpp>

#include "command_line/declared.hpp"

namespace pianola::tool {

namespace {

// Text of a manual: nothing in it is a request or a special character.
std::string roff(const std::string& text) {
  std::string out;
  bool beginning = true;
  for (const char c : text) {
    if (beginning && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    beginning = c == '\n';
  }
  return out;
}

void append_options(std::string& text, const CLI::App& app) {
  for (const CLI::Option* o : app.get_options([](const CLI::Option*) { return true; })) {
    std::string names;
    for (const std::string& n : names_of(*o))
      names += (names.empty() ? "\\fB" : ", \\fB") + roff(n) + "\\fR";
    if (o->get_positional()) names = "\\fI" + roff(o->get_name(true)) + "\\fR";
    const std::string type = o->get_type_name();
    if (!o->get_positional() && o->get_expected_min() > 0 && !type.empty())
      names += " \\fI" + roff(type) + "\\fR";
    text += ".TP\n" + names + "\n" + roff(folded(o->get_description())) + "\n";
  }
}

// As it stands, line for line.
std::string lines(const std::string& text) {
  return text.empty() ? std::string() : ".nf\n" + roff(text) + "\n.fi\n";
}

}  // namespace

std::string manual_page(const CLI::App& app, const std::string& version) {
  std::string text = ".TH PIANOLA 1 \"\" \"Pianola " + roff(version) + "\"\n.SH NAME\n" +
                     "pianola \\- " + roff(app.get_description()) + "\n.SH SYNOPSIS\n" +
                     ".B pianola\n\\fISUBCOMMAND\\fR ...\n.SH OPTIONS\n";
  append_options(text, app);
  text += ".SH SUBCOMMANDS\n";
  for (const CLI::App* s : subcommands_of(app)) {
    text += ".SS \"pianola " + roff(s->get_name()) + "\"\n" + roff(folded(s->get_description())) +
            ".\n";
    append_options(text, *s);
    if (!s->get_footer().empty()) text += ".PP\n" + lines(s->get_footer());
  }
  const std::string footer = app.get_footer();
  const std::size_t examples = std::min(footer.find("Examples:"), footer.size());
  text += ".SH EXIT STATUS\n" + roff(folded(footer.substr(0, examples))) + "\n";
  if (examples != footer.size())
    text += ".SH EXAMPLES\n" + lines(footer.substr(footer.find('\n', examples) + 1)) + "\n";
  return text;
}

std::string json_of_command_line(const CLI::App& app) {
  using layout = formats::json_writer::layout;
  formats::json_writer json;
  json.open_object(layout::lines).key("format").text("pianola.command_line/1");
  json.key("subcommands").open_array(layout::lines);
  for (const CLI::App* s : subcommands_of(app)) {
    json.open_object(layout::lines).key("name").text(s->get_name());
    json.key("description").text(folded(s->get_description()));
    json.key("takes").open_array(layout::lines);
    for (const CLI::Option* o : s->get_options([](const CLI::Option*) { return true; })) {
      json.open_object().key("names").open_array();
      if (o->get_positional()) json.text(o->get_name(true));
      for (const std::string& n : names_of(*o)) json.text(n);
      json.close().key("required").truth(o->get_required());
      json.key("value");
      if (const std::string type = o->get_type_name(); o->get_expected_min() > 0 && !type.empty())
        json.text(type);
      else
        json.null();
      json.key("description").text(folded(o->get_description())).close();
    }
    json.close().close();
  }
  json.close().close();
  return json.finish();
}

}  // namespace pianola::tool
