// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <variant>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>

#include "pianola/planner/compare/difference.hpp"
#include "show/display.hpp"

namespace pianola::planner {

namespace {

class difference_text {
 public:
  difference_text(const graph_difference& d, const compared_graph& a, const compared_graph& b,
                  std::size_t maximum)
      : d_(d), a_(a), b_(b), maximum_(maximum == 0 ? SIZE_MAX : maximum) {}

  [[nodiscard]] std::string write() const {
    std::string text;
    figure(text, "commands", d_.a.commands, d_.b.commands);
    figure(text, "edges", d_.a.edges, d_.b.edges);
    figure(text, "transfers", d_.a.transfers, d_.b.transfers);
    text += row("bytes", formats::bytes(d_.a.bytes), formats::bytes(d_.b.bytes),
                percent(static_cast<double>(d_.a.bytes), static_cast<double>(d_.b.bytes)));
    seconds(text, "estimated", d_.a.seconds, d_.b.seconds);
    if (d_.a.measured > 0 && d_.b.measured > 0)
      seconds(text, "measured", d_.a.measured, d_.b.measured);

    list(text, "deleted", d_.deleted, [this](model::command_id c) { return command(a_, c); }, "- ");
    list(
        text, "inserted", d_.inserted, [this](model::command_id c) { return command(b_, c); },
        "+ ");
    list(
        text, "moved", d_.moved,
        [this](const auto& m) {
          return fmt::format("{} -> {}", command(a_, m.first), number(m.second));
        },
        "  ");
    std::vector<command_match> changed;
    for (const command_match& m : d_.matches)
      if (!m.same()) changed.push_back(m);
    list(text, "changed", changed, [this](const command_match& m) { return change(m); }, "  ");
    buffers(text);
    const auto edge = [](const compared_graph& g) {
      return [&g](const auto& e) {
        return fmt::format("{} -> {}", command(g, e.first), command(g, e.second));
      };
    };
    list(text, "edges lost", d_.edges_lost, edge(a_), "- ");
    list(text, "edges gained", d_.edges_gained, edge(b_), "+ ");
    list(
        text, "transfers lost", d_.transfers_lost,
        [this](model::step_id s) { return transfer(a_, s); }, "- ");
    list(
        text, "transfers gained", d_.transfers_gained,
        [this](model::step_id s) { return transfer(b_, s); }, "+ ");
    if (d_.same_commands()) text += "the same commands\n";
    return text;
  }

 private:
  static std::string number(model::command_id c) { return fmt::format("#{}", c.value()); }
  static std::string command(const compared_graph& g, model::command_id c) {
    return fmt::format("{} {}", number(c), display::command_name(g.graph.commands()[c.value()]));
  }
  static std::string percent(double a, double b) {
    if (a == b || a <= 0) return {};
    const double part = 100 * (b - a) / a;
    const long whole = std::lround(part);
    return fmt::format("{}{} %", part > 0 ? "+" : "",
                       whole == 0 ? std::string(part > 0 ? "0" : "-0") : fmt::to_string(whole));
  }
  static std::string row(const char* what, const std::string& a, const std::string& b,
                         const std::string& difference) {
    std::string text = what;
    text.append(text.size() < 11 ? 11 - text.size() : 1, ' ');
    text += a;
    if (a == b && difference.empty()) return text + "\n";
    return fmt::format("{} -> {}{}\n", text, b,
                       (difference.empty() ? "" : fmt::format(" ({})", difference)));
  }
  static void figure(std::string& text, const char* what, std::uint64_t a, std::uint64_t b) {
    text += row(what, fmt::to_string(a), fmt::to_string(b),
                percent(static_cast<double>(a), static_cast<double>(b)));
  }
  static void seconds(std::string& text, const char* what, double a, double b) {
    // What adding up in another order makes is no difference.
    text += row(what, formats::seconds(a), formats::seconds(b),
                std::fabs(a - b) <= 1e-9 * std::fabs(a) ? std::string() : percent(a, b));
  }

  template <class List, class F>
  void list(std::string& text, const char* what, const List& all, F&& line,
            const char* mark) const {
    if (all.empty()) return;
    text += fmt::format("{}: {}\n", what, all.size());
    for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), maximum_); ++i)
      text += fmt::format("  {}{}\n", mark, line(all[i]));
    if (all.size() > maximum_)
      text += fmt::format("  ... and {} more (raise --limit)\n", all.size() - maximum_);
  }

  [[nodiscard]] std::string change(const command_match& m) const {
    std::string what;
    const auto add = [&what](bool is, const std::string& text) {
      if (is) what += (what.empty() ? ": " : "; ") + text;
    };
    const model::command &x = a_.graph.commands()[m.a.value()],
                         &y = b_.graph.commands()[m.b.value()];
    add(m.name, "now " + display::command_name(y));
    add(m.device, fmt::format("device {} -> {}", device(x), device(y)));
    add(m.size, fmt::format("{} -> {}", display::command_detail(x), display::command_detail(y)));
    add(m.accesses, fmt::format("{} -> {}", accesses(a_.graph, x), accesses(b_.graph, y)));
    return fmt::format("{} -> {}{}", command(a_, m.a), number(m.b), what);
  }
  static std::string device(const model::command& c) {
    return c.device.valid() ? fmt::to_string(c.device.value()) : "none";
  }
  static std::string accesses(const graph_view& g, const model::command& c) {
    std::string text;
    for (std::size_t r = 0; r < c.requirements.size() && r < 8; ++r)
      text += (text.empty() ? "" : ", ") + display::requirement_text(g, c, r);
    return text.empty() ? "no buffers" : text + (c.requirements.size() > 8 ? ", ..." : "");
  }

  void buffers(std::string& text) const {
    std::vector<bool> found(b_.graph.buffers().size(), false);
    std::vector<std::string> lines;
    for (std::uint32_t i = 0; i < d_.buffers.size(); ++i) {
      const model::buffer_id a(i), b = d_.buffers[i];
      const std::string name = display::buffer_name(a_.graph, a);
      if (!b.valid()) {
        lines.push_back("- " + name);
        continue;
      }
      found[b.value()] = true;
      const model::buffer_info &x = a_.graph.buffers()[i], &y = b_.graph.buffers()[b.value()];
      if (x.grid.range() != y.grid.range())
        lines.push_back(fmt::format("  {}: {} -> {} elements", name,
                                    formats::extent_text(x.grid.range(), x.dimensions),
                                    formats::extent_text(y.grid.range(), y.dimensions)));
      else if (x.grid.page() != y.grid.page())
        lines.push_back(fmt::format("  {}: pages of {} -> {}", name,
                                    formats::extent_text(x.grid.page(), x.dimensions),
                                    formats::extent_text(y.grid.page(), y.dimensions)));
    }
    for (std::uint32_t i = 0; i < found.size(); ++i)
      if (!found[i]) lines.push_back("+ " + display::buffer_name(b_.graph, model::buffer_id(i)));
    list(text, "buffers", lines, [](const std::string& line) { return line; }, "");
  }

  static std::string transfer(const compared_graph& g, model::step_id s) {
    const auto& t = std::get<transfer_step>(g.plan.steps[s.value() - g.plan.first_step].action);
    return fmt::format("{}  {} -> {}  {}", display::box_of_buffer(g.graph, t.buffer, t.elements),
                       display::memory_name(g.machine, t.from),
                       display::memory_name(g.machine, t.to),
                       formats::bytes(display::transfer_bytes(g.graph, t)));
  }

  const graph_difference& d_;
  const compared_graph &a_, &b_;
  std::size_t maximum_;
};

}  // namespace

std::string to_text(const graph_difference& d, const compared_graph& a, const compared_graph& b,
                    std::size_t maximum) {
  return difference_text(d, a, b, maximum).write();
}

}  // namespace pianola::planner
