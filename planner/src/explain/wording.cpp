// SPDX-License-Identifier: Apache-2.0
#include "wording.hpp"

#include <cmath>
#include <variant>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>

#include "pianola/planner/explain/report.hpp"
#include "show/display.hpp"

namespace pianola::planner {

namespace wording {

std::string counted(std::uint64_t n, const char* one) {
  return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
}

std::string command(const graph_view& graph, model::command_id id) {
  return fmt::format("#{} {}", id.value(), display::command_name(graph.commands()[id.value()]));
}

std::string source_line(const model::command& c) {
  const std::string name = formats::full_name(c);
  return formats::one_line(formats::source_place(name), 200);
}

std::string access(const graph_view& graph, const access_place& a) {
  return display::requirement_text(graph, graph.commands()[a.command.value()], a.requirement);
}

std::string gain(const tried_change& t) {
  std::string text;
  const auto add = [&text](bool less, const std::string& what) {
    text += (text.empty() ? "" : ", ") + std::string(less ? "-" : "+") + what;
  };
  const double seconds = t.after.seconds - t.before.seconds;
  const auto count = [&](std::uint64_t before, std::uint64_t after, const char* what) {
    if (after != before)
      add(after < before, counted(after < before ? before - after : after - before, what));
  };
  if (t.after.bytes != t.before.bytes)
    add(t.after.bytes < t.before.bytes,
        formats::bytes(t.after.bytes < t.before.bytes ? t.before.bytes - t.after.bytes
                                                      : t.after.bytes - t.before.bytes));
  count(t.before.transfers, t.after.transfers, "transfer");
  count(t.before.edges, t.after.edges, "edge");
  if (std::fabs(seconds) > 1e-6 * t.before.seconds)
    add(seconds < 0, fmt::format("{} of {}", formats::seconds(std::fabs(seconds)),
                                 formats::seconds(t.before.seconds)));
  return text.empty() ? "no difference" : text;
}

std::string gain_of_runs(const tried_change& t, std::uint64_t runs) {
  const double saved = t.before.seconds - t.after.seconds;
  if (runs < 2 || saved <= 1e-6 * t.before.seconds) return {};
  return fmt::format(", in {} replays -{}", runs,
                     formats::seconds(saved * static_cast<double>(runs)));
}

const char* cause(edge_reason::cause why) noexcept {
  switch (why) {
    case edge_reason::cause::asked_for:
      return "asked_for";
    case edge_reason::cause::read_after_write:
      return "read_after_write";
    case edge_reason::cause::write_after_read:
      return "write_after_read";
    case edge_reason::cause::write_after_write:
      return "write_after_write";
  }
  return "";
}

std::string effort(std::size_t tried, std::size_t not_tried) {
  if (not_tried == 0) return {};
  return fmt::format("tried {} of {}, {} not (--effort 0 tries all)\n", tried,
                     counted(tried + not_tried, "change"), not_tried);
}

}  // namespace wording

namespace {

class change_writer {
 public:
  change_writer(const graph_view& graph, const model::topology& machine)
      : graph_(graph), machine_(machine) {}

  std::string operator()(const page_change& c) const {
    const model::buffer_info& b = graph_.buffers()[c.buffer.value()];
    return fmt::format(
        "pages of {} elements for {}, instead of {}", formats::extent_text(c.page, b.dimensions),
        display::buffer_name(graph_, c.buffer), formats::extent_text(b.grid.page(), b.dimensions));
  }
  std::string operator()(const access_change& c) const {
    const access_place& a = c.accesses.front();
    const model::requirement& r = graph_.commands()[a.command.value()].requirements[a.requirement];
    const std::string name = display::buffer_name(graph_, r.buffer),
                      who = wording::command(graph_, a.command) + more(c.accesses.size() - 1);
    if (c.what == access_change::to::read_only)
      return fmt::format("read_only access to {} in {}, if that does not write it", name, who);
    return fmt::format(
        "write_only access with no_init to {} in {}, if that overwrites all of it and reads "
        "nothing",
        name, who);
  }
  std::string operator()(const device_change& c) const {
    return fmt::format("{}{} on {}", wording::command(graph_, c.commands.front()),
                       more(c.commands.size() - 1), display::device_name(machine_, c.device));
  }
  std::string operator()(const order_change& c) const {
    const auto& [from, to] = c.pairs.front();
    const std::string first = wording::command(graph_, from), second = wording::command(graph_, to);
    if (c.everywhere)
      return fmt::format(
          "no order but where commands touch the same data, instead of events and queues in order, "
          "if nothing else needs it: {} waits for {} for nothing{}",
          second, first,
          c.pairs.size() == 1
              ? ""
              : fmt::format(", and so do {}", wording::counted(c.pairs.size() - 1, "more pair")));
    return fmt::format(
        "{} without waiting for {}{}: they name no data in common; if nothing else needs the order",
        second, first,
        c.pairs.size() == 1 ? "" : fmt::format(", and {} more pairs like it", c.pairs.size() - 1));
  }
  std::string operator()(const move_change& c) const {
    return fmt::format("{} not before {} needs the same, if it may see what is there then",
                       wording::command(graph_, c.command), wording::command(graph_, c.before));
  }

 private:
  static std::string more(std::size_t n) {
    return n == 0 ? std::string() : fmt::format(" and {} more like it", n);
  }
  const graph_view& graph_;
  const model::topology& machine_;
};

}  // namespace

std::string to_text(const graph_change& change, const graph_view& graph,
                    const model::topology& machine) {
  return std::visit(change_writer(graph, machine), change);
}

}  // namespace pianola::planner
