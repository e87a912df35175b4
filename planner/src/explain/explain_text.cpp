// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>

#include "pianola/planner/explain/report.hpp"
#include "show/display.hpp"
#include "wording.hpp"

namespace pianola::planner {

using wording::counted;

namespace {

class explanation_text {
 public:
  explanation_text(const graph_view& graph, const plan& plan, const model::topology& machine,
                   std::size_t maximum)
      : graph_(graph), plan_(plan), machine_(machine), maximum_(maximum) {}
  explicit explanation_text(const explainer& e, std::size_t maximum)
      : explanation_text(e.graph(), e.plan(), e.machine(), maximum) {}

  [[nodiscard]] std::string command(model::command_id id) const {
    return wording::command(graph_, id);
  }
  // With where it runs, and where it is in the source, where that does not show in its name.
  [[nodiscard]] std::string command_at(model::command_id id, model::device_id device) const {
    const std::string source = wording::source_line(graph_.commands()[id.value()]);
    const std::string name = command(id);
    return name + (device.valid() ? " on " + display::device_name(machine_, device) : "") +
           (name.find(source) != std::string::npos ? "" : fmt::format(" ({})", source));
  }
  [[nodiscard]] std::string moved(const transfer_step& t, std::uint64_t bytes) const {
    return fmt::format("{}  {} -> {}  {}", display::box_of_buffer(graph_, t.buffer, t.elements),
                       display::memory_name(machine_, t.from), display::memory_name(machine_, t.to),
                       formats::bytes(bytes));
  }

  [[nodiscard]] std::string reason(const edge_reason& r) const {
    if (r.why == edge_reason::cause::asked_for)
      return "the program asks for it: an event, an in-order queue, a wait of the host or an edge "
             "of the graph";
    const model::buffer_info& b = graph_.buffers()[r.buffer.value()];
    const char* const what[] = {"", "reads what the first writes", "writes what the first reads",
                                "writes what the first writes"};
    std::string text = fmt::format("{} after {}: ", wording::access(graph_, r.second),
                                   wording::access(graph_, r.first));
    if (r.only_pages())
      return fmt::format("{}no element in common, only {}, {}", text,
                         counted(r.pages.count(), "page"),
                         formats::box_text(b.grid.elements_of(r.pages), b.dimensions));
    return fmt::format("{}the second {}, {}, {}", text, what[static_cast<unsigned>(r.why)],
                       display::box_of_buffer(graph_, r.buffer, r.elements),
                       counted(r.pages.count(), "page"));
  }
  [[nodiscard]] std::string reasons(const edge_explanation& e, const char* indent) const {
    std::string text;
    std::size_t shown = 0;
    for (const edge_reason& r : e.reasons)
      if (more(shown++)) text += fmt::format("{}{}\n", indent, reason(r));
    return text + left_out(e.reasons.size(), indent);
  }

  [[nodiscard]] std::string origin(const data_origin& o, model::buffer_id buffer) const {
    const std::string part = display::box_of_buffer(graph_, buffer, o.elements);
    if (!o.step.valid()) return part + " was there before the graph";
    const std::size_t index = o.step.value() - plan_.first_step;
    if (const auto* e = std::get_if<execute_step>(&plan_.steps[index].action))
      return fmt::format("{} written by {}{}", part, command_at(e->command, e->device),
                         writes_of(e->command, buffer));
    const auto& t = std::get<transfer_step>(plan_.steps[index].action);
    return fmt::format("{} brought by transfer {} from {}", part, o.step.value(),
                       display::memory_name(machine_, t.from));
  }

  [[nodiscard]] std::string causes(const transfer_explanation& t) const {
    std::string text = "needed by:\n";
    std::size_t shown = 0;
    for (const data_use& u : t.uses) {
      if (!more(shown++)) continue;
      const std::size_t index = u.step.value() - plan_.first_step;
      const auto& e = std::get<execute_step>(plan_.steps[index].action);
      text += fmt::format("  {}: {}, of it {}\n", command_at(u.access.command, e.device),
                          wording::access(graph_, u.access),
                          display::box_of_buffer(graph_, t.what.buffer, u.elements));
    }
    text += left_out(t.uses.size(), "  ");
    for (const model::step_id s : t.passed_on)
      text += fmt::format("  transfer {}, which passes it on\n", s.value());
    if (t.uses.empty() && t.passed_on.empty())
      text += "  nobody in the graph, but what comes after it\n";
    text += fmt::format("because {}{}, and in {}\n", display::memory_name(machine_, t.what.to),
                        t.was_there ? " has an older copy only" : " has no copy",
                        display::memory_name(machine_, t.what.from));
    shown = 0;
    for (const data_origin& o : t.origins)
      if (more(shown++))
        text += fmt::format("{}{}\n", std::string(2 + 2 * std::size_t{std::min(o.depth, 16U)}, ' '),
                            origin(o, t.what.buffer));
    return text + left_out(t.origins.size() + t.origins_left_out, "  ",
                           std::min(t.origins.size(), limit()));
  }

  template <class Explanation>
  [[nodiscard]] std::string suggestions(const Explanation& e) const {
    std::string text;
    for (const tried_change& t : e.suggestions)
      text += fmt::format("  {}: {}\n", to_text(t.change, graph_, machine_), wording::gain(t));
    if (text.empty())
      text = fmt::format("of {} tried none gains anything\n", counted(e.tried, "change"));
    else
      text = "what would help (each was tried):\n" + text;
    return text + wording::effort(e.tried, e.not_tried);
  }

  [[nodiscard]] std::size_t limit() const noexcept { return maximum_ == 0 ? SIZE_MAX : maximum_; }
  [[nodiscard]] bool more(std::size_t shown) const noexcept { return shown < limit(); }
  [[nodiscard]] std::string left_out(std::size_t count, const char* indent) const {
    return left_out(count, indent, std::min(count, limit()));
  }
  [[nodiscard]] static std::string left_out(std::size_t count, const char* indent,
                                            std::size_t shown) {
    if (count <= shown) return {};
    return fmt::format("{}... and {} more\n", indent, count - shown);
  }

 private:
  [[nodiscard]] std::string writes_of(model::command_id id, model::buffer_id buffer) const {
    const model::command& c = graph_.commands()[id.value()];
    for (std::uint32_t r = 0; r < c.requirements.size(); ++r)
      if (c.requirements[r].buffer == buffer && writes(c.requirements[r].mode))
        return ": " + wording::access(graph_, {id, r});
    return {};
  }

  const graph_view& graph_;
  const plan& plan_;
  const model::topology& machine_;
  std::size_t maximum_;
};

}  // namespace

std::string to_text(const edge_explanation& e, const explainer& of, std::size_t maximum) {
  const explanation_text w(of, maximum);
  const auto& commands = of.graph().commands();
  std::string text =
      fmt::format("edge {} -> {}\n", w.command_at(e.from, commands[e.from.value()].device),
                  w.command_at(e.to, commands[e.to.value()].device));
  if (!e.reasons.empty()) text += "the second waits for the first, because\n" + w.reasons(e, "  ");
  if (e.direct) return text + w.suggestions(e);
  if (e.way.empty())
    return text + (e.reasons.empty()
                       ? "the second does not wait for the first: nothing orders them\n"
                       : "nothing orders them\n");
  text += e.reasons.empty()
              ? "neither needs the other, but the second comes after the first by way of\n"
              : "others imply this edge:\n";
  for (std::size_t i = 0; i < e.way.size() && w.more(i); ++i)
    text += fmt::format("  {}\n", w.command(e.way[i]));
  return text + w.left_out(e.way.size(), "  ");
}

std::string to_text(const transfer_explanation& t, const explainer& of, std::size_t maximum) {
  const explanation_text w(of, maximum);
  return fmt::format("transfer {}: {}, about {}\n{}{}", t.step.value(), w.moved(t.what, t.bytes),
                     formats::seconds(t.seconds), w.causes(t), w.suggestions(t));
}

std::string to_text(const command_explanation& c, const explainer& of, std::size_t maximum) {
  const explanation_text w(of, maximum);
  const model::command& what = of.graph().commands()[c.command.value()];
  std::string text = fmt::format("command {}\n", w.command_at(c.command, what.device));
  for (std::uint32_t r = 0; r < what.requirements.size() && w.more(r); ++r)
    text += fmt::format("  {}\n", wording::access(of.graph(), {c.command, r}));
  text += w.left_out(what.requirements.size(), "  ");
  text += c.waits_for.empty() ? "waits for no command\n" : "waits for:\n";
  std::size_t shown = 0;
  for (const edge_explanation& e : c.waits_for)
    if (w.more(shown++)) text += fmt::format("  {}\n{}", w.command(e.from), w.reasons(e, "    "));
  text += w.left_out(c.waits_for.size(), "  ");
  if (!c.awaited_by.empty()) {
    text += "awaited by:";
    for (std::size_t i = 0; i < c.awaited_by.size() && w.more(i); ++i)
      text += (i == 0 ? " " : ", ") + w.command(c.awaited_by[i]);
    text += "\n" + w.left_out(c.awaited_by.size(), "  ");
  }
  text += c.transfers.empty() ? "nothing has to be moved for it\n" : "moved for it:\n";
  shown = 0;
  for (const transfer_explanation& t : c.transfers)
    if (w.more(shown++))
      text += fmt::format(
          "  transfer {}: {}, about {}\n{}", t.step.value(), w.moved(t.what, t.bytes),
          formats::seconds(t.seconds),
          t.origins.empty() ? std::string()
                            : fmt::format("    {}\n", w.origin(t.origins.front(), t.what.buffer)));
  text += w.left_out(c.transfers.size(), "  ");
  return text + w.suggestions(c);
}

std::string summary_text(const explainer& of, std::size_t maximum) {
  of.prepare();
  const explanation_text w(of, maximum);
  std::uint64_t bytes = 0, count = 0;
  for (const step& s : of.plan().steps)
    if (const auto* t = std::get_if<transfer_step>(&s.action)) {
      ++count;
      bytes += display::transfer_bytes(of.graph(), *t);
    }
  std::string text = fmt::format("{}, {}\n{}", counted(count, "transfer"), formats::bytes(bytes),
                                 display::replays_line(of.graph()));
  for (const transfer_explanation& t : of.transfers(w.limit())) {
    text += fmt::format("  --transfer {}  {}", t.step.value(), w.moved(t.what, t.bytes));
    if (!t.uses.empty()) text += "  for " + w.command(t.uses.front().access.command);
    if (t.uses.size() > 1) text += fmt::format(" and {} more", t.uses.size() - 1);
    text += "\n";
  }
  text += w.left_out(count, "  ");
  text += counted(of.edge_count(), "edge") + " between commands\n";
  for (const edge_explanation& e : of.edges(w.limit())) {
    text += fmt::format("  --edge {}:{}  {} -> {}", e.from.value(), e.to.value(), w.command(e.from),
                        w.command(e.to));
    const bool pages =
        !e.reasons.empty() && std::all_of(e.reasons.begin(), e.reasons.end(),
                                          [](const edge_reason& r) { return r.only_pages(); });
    if (pages)
      text += "  only pages in common";
    else if (!e.reasons.empty() && e.reasons.front().why == edge_reason::cause::asked_for)
      text += "  asked for";
    text += "\n";
  }
  return text + w.left_out(of.edge_count(), "  ");
}

std::string to_text(const advice_list& list, const graph_view& graph, const plan& plan,
                    const model::topology& machine, std::size_t maximum, std::uint64_t runs) {
  const explanation_text w(graph, plan, machine, maximum);
  std::string text =
      fmt::format("now: {} in {}, {}, about {}\n{}", formats::bytes(list.now.bytes),
                  counted(list.now.transfers, "transfer"), counted(list.now.edges, "edge"),
                  formats::seconds(list.now.seconds), display::replays_line(graph));
  if (list.page_edges != 0)
    text += counted(list.page_edges, "edge") + " between commands that share pages and no data\n";
  if (list.needless_edges != 0)
    text += counted(list.needless_edges, "edge") +
            " that the program asks for, between commands that name no data in common\n";
  std::size_t number = 0;
  for (const advice& a : list.entries) {
    if (!w.more(number++)) break;
    text += fmt::format("{}. {}\n   {}\n", number, to_text(a.tried.change, graph, machine),
                        wording::gain(a.tried) + wording::gain_of_runs(a.tried, runs));
    if (!a.transfers.empty()) {
      const std::size_t step = a.transfers.front().value() - plan.first_step;
      const auto& t = std::get<transfer_step>(plan.steps[step].action);
      text += fmt::format("   see --transfer {}: {}{}\n", a.transfers.front().value(),
                          w.moved(t, display::transfer_bytes(graph, t)),
                          a.transfers.size() == 1
                              ? ""
                              : ", and " + counted(a.transfers.size() - 1, "more transfer"));
    }
    if (!a.edges.empty())
      text += fmt::format(
          "   see --edge {}:{}: {} -> {}{}\n", a.edges.front().first.value(),
          a.edges.front().second.value(), w.command(a.edges.front().first),
          w.command(a.edges.front().second),
          a.edges.size() == 1 ? "" : ", and " + counted(a.edges.size() - 1, "more edge"));
  }
  text += w.left_out(list.entries.size(), "");
  if (list.entries.empty())
    text += fmt::format("of {} tried none gains anything\n", counted(list.tried, "change"));
  return text + wording::effort(list.tried, list.not_tried);
}

}  // namespace pianola::planner
