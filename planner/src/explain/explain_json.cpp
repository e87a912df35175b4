// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <variant>
#include <vector>

#include <pianola/formats/json_writer.hpp>
#include <pianola/formats/text.hpp>

#include "pianola/planner/explain/report.hpp"
#include "show/display.hpp"
#include "wording.hpp"

namespace pianola::planner {

namespace {

using lines = formats::json_writer::layout;

class explanation_json {
 public:
  explanation_json(const graph_view& graph, const plan& plan, const model::topology& machine)
      : graph_(graph), plan_(plan), machine_(machine) {}
  explicit explanation_json(const explainer& e)
      : explanation_json(e.graph(), e.plan(), e.machine()) {}

  void begin(const char* format) {
    json_.open_object(lines::lines).key("format").text(format);
    json_.key("graph_hash").hexadecimal(graph_.structural_hash());
  }
  [[nodiscard]] std::string end() {
    json_.close();
    return json_.finish();
  }

  void command(const char* key, model::command_id id) {
    const model::command& c = graph_.commands()[id.value()];
    json_.key(key).open_object().key("command").number(std::uint64_t{id.value()});
    json_.key("name").text(display::command_name(c));
    if (const std::string source = wording::source_line(c); !source.empty())
      json_.key("source").text(source);
    json_.close();
  }
  void access(const char* key, const access_place& a) {
    json_.key(key).open_object().key("command").number(std::uint64_t{a.command.value()});
    json_.key("requirement").number(std::uint64_t{a.requirement});
    json_.key("text").text(wording::access(graph_, a)).close();
  }

  void edge(const edge_explanation& e) {
    command("from", e.from);
    command("to", e.to);
    json_.key("direct").truth(e.direct);
    json_.key("reasons").open_array(lines::lines);
    for (const edge_reason& r : e.reasons) {
      json_.open_object().key("cause").text(wording::cause(r.why));
      if (r.why != edge_reason::cause::asked_for) {
        access("first", r.first);
        access("second", r.second);
        json_.key("buffer").number(std::uint64_t{r.buffer.value()});
        json_.key("pages").box(r.pages).key("elements");
        if (r.elements.empty())
          json_.null();
        else
          json_.box(r.elements);
      }
      json_.close();
    }
    json_.close();
    if (!e.way.empty()) {
      json_.key("way").open_array();
      for (const model::command_id c : e.way) json_.number(std::uint64_t{c.value()});
      json_.close();
    }
  }

  void transfer(const transfer_explanation& t) {
    json_.key("step").number(t.step.value() - plan_.first_step);
    json_.key("buffer").number(std::uint64_t{t.what.buffer.value()});
    json_.key("name").text(display::buffer_name(graph_, t.what.buffer));
    json_.key("from").number(std::uint64_t{t.what.from.value()});
    json_.key("to").number(std::uint64_t{t.what.to.value()});
    json_.key("elements").box(t.what.elements);
    json_.key("bytes").number(t.bytes);
    json_.key("seconds").number(t.seconds, "the time of a transfer");
    json_.key("was_there").truth(t.was_there);
    json_.key("uses").open_array(lines::lines);
    for (const data_use& u : t.uses) {
      json_.open_object().key("step").number(u.step.value() - plan_.first_step);
      command("by", u.access.command);
      access("access", u.access);
      json_.key("elements").box(u.elements).close();
    }
    json_.close().key("passed_on").open_array();
    for (const model::step_id s : t.passed_on) json_.number(s.value() - plan_.first_step);
    json_.close().key("origins").open_array(lines::lines);
    for (const data_origin& o : t.origins) {
      json_.open_object().key("depth").number(std::uint64_t{o.depth}).key("step");
      if (!o.step.valid()) {
        json_.null();
      } else {
        const std::size_t index = o.step.value() - plan_.first_step;
        json_.number(std::uint64_t{index});
        if (const auto* e = std::get_if<execute_step>(&plan_.steps[index].action))
          command("written_by", e->command);
      }
      json_.key("elements").box(o.elements).close();
    }
    json_.close();
  }

  void outcome(const char* key, const graph_outcome& o) {
    json_.key(key).open_object().key("bytes").number(o.bytes);
    json_.key("transfers").number(o.transfers).key("edges").number(o.edges);
    json_.key("seconds").number(o.seconds, "an estimated time").close();
  }
  void tried(const tried_change& t) {
    json_.key("text").text(to_text(t.change, graph_, machine_));
    std::visit([this](const auto& c) { change(c); }, t.change);
    outcome("before", t.before);
    outcome("after", t.after);
  }
  template <class Explanation>
  void suggestions(const Explanation& e) {
    json_.key("suggestions").open_array(lines::lines);
    for (const tried_change& t : e.suggestions) {
      json_.open_object();
      tried(t);
      json_.close();
    }
    json_.close();
    effort(e.tried, e.not_tried);
  }
  void effort(std::size_t tried, std::size_t not_tried) {
    json_.key("tried").number(std::uint64_t{tried});
    json_.key("not_tried").number(std::uint64_t{not_tried});
  }

  void bodies(const std::vector<explained_body>& all) {
    json_.key("graphs").open_array(lines::lines);
    for (const explained_body& b : all) {
      json_.open_object();
      command("of", model::command_id(b.command));
      json_.key("how").text(b.how).key("in_each_iteration").truth(b.in_each_iteration);
      json_.key("bytes").number(b.bytes).key("transfers").number(b.transfers);
      json_.key("explanation").raw(b.json).close();
    }
    json_.close();
  }

  formats::json_writer& json() noexcept { return json_; }

 private:
  void change(const page_change& c) {
    json_.key("change").text("page_size").key("buffer").number(std::uint64_t{c.buffer.value()});
    json_.key("page").point(c.page);
  }
  void change(const access_change& c) {
    json_.key("change").text(c.what == access_change::to::no_init ? "no_init" : "read_only");
    json_.key("accesses").open_array();
    for (const access_place& a : c.accesses)
      json_.open_object()
          .key("command")
          .number(std::uint64_t{a.command.value()})
          .key("requirement")
          .number(std::uint64_t{a.requirement})
          .close();
    json_.close();
  }
  void change(const device_change& c) {
    json_.key("change").text("device").key("device").number(std::uint64_t{c.device.value()});
    json_.key("commands").open_array();
    for (const model::command_id id : c.commands) json_.number(std::uint64_t{id.value()});
    json_.close();
  }
  void change(const order_change& c) {
    json_.key("change").text(c.everywhere ? "only_needed_order" : "no_order");
    json_.key("pairs").open_array();
    for (const auto& [from, to] : c.pairs)
      json_.open_array()
          .number(std::uint64_t{from.value()})
          .number(std::uint64_t{to.value()})
          .close();
    json_.close();
  }
  void change(const move_change& c) {
    json_.key("change").text("move").key("command").number(std::uint64_t{c.command.value()});
    json_.key("before_command").number(std::uint64_t{c.before.value()});
  }

  const graph_view& graph_;
  const plan& plan_;
  const model::topology& machine_;
  formats::json_writer json_;
};

}  // namespace

std::string to_json(const edge_explanation& e, const explainer& of) {
  explanation_json w(of);
  w.begin("pianola.explanation/1");
  w.json().key("what").text("edge");
  w.edge(e);
  w.suggestions(e);
  return w.end();
}

std::string to_json(const transfer_explanation& t, const explainer& of) {
  explanation_json w(of);
  w.begin("pianola.explanation/1");
  w.json().key("what").text("transfer");
  w.transfer(t);
  w.suggestions(t);
  return w.end();
}

std::string to_json(const command_explanation& c, const explainer& of) {
  explanation_json w(of);
  w.begin("pianola.explanation/1");
  w.json().key("what").text("node");
  w.command("node", c.command);
  w.json().key("waits_for").open_array(lines::lines);
  for (const edge_explanation& e : c.waits_for) {
    w.json().open_object();
    w.edge(e);
    w.json().close();
  }
  w.json().close().key("awaited_by").open_array();
  for (const model::command_id id : c.awaited_by) w.json().number(std::uint64_t{id.value()});
  w.json().close().key("transfers").open_array(lines::lines);
  for (const transfer_explanation& t : c.transfers) {
    w.json().open_object();
    w.transfer(t);
    w.json().close();
  }
  w.json().close();
  w.suggestions(c);
  return w.end();
}

std::string summary_json(const explainer& of, const std::vector<explained_body>& bodies) {
  of.prepare();
  explanation_json w(of);
  w.begin("pianola.explanation/1");
  w.json().key("what").text("graph");
  w.json().key("transfers").open_array(lines::lines);
  for (const transfer_explanation& t : of.transfers()) {
    w.json().open_object();
    w.transfer(t);
    w.json().close();
  }
  w.json().close().key("edges").open_array(lines::lines);
  for (const edge_explanation& e : of.edges()) {
    w.json().open_object();
    w.edge(e);
    w.json().close();
  }
  w.json().close();
  if (!bodies.empty()) w.bodies(bodies);
  return w.end();
}

std::string to_json(const advice_list& list, const graph_view& graph, const plan& plan,
                    const model::topology& machine, const advised_recording* recording) {
  explanation_json w(graph, plan, machine);
  w.begin("pianola.advice/1");
  if (recording != nullptr)
    w.json().key("recording").text(recording->name).key("runs").number(recording->runs);
  w.outcome("now", list.now);
  w.json().key("transfers").number(std::uint64_t{list.transfers});
  w.json().key("page_edges").number(std::uint64_t{list.page_edges});
  w.json().key("needless_edges").number(std::uint64_t{list.needless_edges});
  w.json().key("advice").open_array(lines::lines);
  for (const advice& a : list.entries) {
    w.json().open_object();
    w.tried(a.tried);
    w.json().key("transfers").open_array();
    for (const model::step_id s : a.transfers) w.json().number(s.value() - plan.first_step);
    w.json().close().key("edges").open_array();
    for (const auto& [from, to] : a.edges)
      w.json()
          .open_array()
          .number(std::uint64_t{from.value()})
          .number(std::uint64_t{to.value()})
          .close();
    w.json().close().close();
  }
  w.json().close();
  w.effort(list.tried, list.not_tried);
  return w.end();
}

}  // namespace pianola::planner
