// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include <pianola/formats/json_writer.hpp>

#include "pianola/planner/compare/difference.hpp"
#include "show/display.hpp"

namespace pianola::planner {

namespace {

using layout = formats::json_writer::layout;

void write_figures(formats::json_writer& json, const char* key, const graph_view& g,
                   const graph_figures& f) {
  json.key(key).open_object().key("graph_hash").hexadecimal(g.structural_hash());
  json.key("commands").number(f.commands).key("edges").number(f.edges);
  json.key("transfers").number(f.transfers).key("bytes").number(f.bytes);
  json.key("seconds").number(f.seconds, "an estimated time");
  if (f.measured > 0) json.key("measured").number(f.measured, "a measured time");
  json.close();
}

class difference_json {
 public:
  difference_json(const graph_difference& d, const compared_graph& a, const compared_graph& b)
      : d_(d), a_(a), b_(b) {}

  [[nodiscard]] std::string write(const std::string& recording) {
    json_.open_object(layout::lines).key("format").text("pianola.difference/1");
    if (!recording.empty()) json_.key("recording").text(recording);
    write_figures(json_, "a", a_.graph, d_.a);
    write_figures(json_, "b", b_.graph, d_.b);
    json_.key("same_commands").truth(d_.same_commands());
    json_.key("matches").open_array(layout::lines);
    for (const command_match& m : d_.matches) {
      if (m.same()) continue;
      json_.open_object();
      pair(m.a, m.b);
      json_.key("differ").open_array();
      for (const auto& [is, what] : {std::pair(m.name, "name"), std::pair(m.device, "device"),
                                     std::pair(m.size, "size"), std::pair(m.accesses, "accesses")})
        if (is) json_.text(what);
      json_.close().close();
    }
    json_.close();
    commands("deleted", a_.graph, d_.deleted);
    commands("inserted", b_.graph, d_.inserted);
    json_.key("moved").open_array(layout::lines);
    for (const auto& [x, y] : d_.moved) {
      json_.open_object();
      pair(x, y);
      json_.close();
    }
    json_.close();
    json_.key("buffers").open_array();
    for (const model::buffer_id b : d_.buffers)
      if (b.valid())
        json_.number(std::uint64_t{b.value()});
      else
        json_.null();
    json_.close();
    edges("edges_lost", d_.edges_lost);
    edges("edges_gained", d_.edges_gained);
    transfers("transfers_lost", a_, d_.transfers_lost);
    transfers("transfers_gained", b_, d_.transfers_gained);
    json_.close();
    return json_.finish();
  }

 private:
  void pair(model::command_id a, model::command_id b) {
    json_.key("a").number(std::uint64_t{a.value()}).key("b").number(std::uint64_t{b.value()});
    json_.key("name").text(display::command_name(b_.graph.commands()[b.value()]));
  }
  void commands(const char* key, const graph_view& g, const std::vector<model::command_id>& all) {
    json_.key(key).open_array(layout::lines);
    for (const model::command_id c : all)
      json_.open_object()
          .key("command")
          .number(std::uint64_t{c.value()})
          .key("name")
          .text(display::command_name(g.commands()[c.value()]))
          .close();
    json_.close();
  }
  void edges(const char* key,
             const std::vector<std::pair<model::command_id, model::command_id>>& all) {
    json_.key(key).open_array();
    for (const auto& [from, to] : all)
      json_.open_array()
          .number(std::uint64_t{from.value()})
          .number(std::uint64_t{to.value()})
          .close();
    json_.close();
  }
  void transfers(const char* key, const compared_graph& g, const std::vector<model::step_id>& all) {
    json_.key(key).open_array(layout::lines);
    for (const model::step_id s : all) {
      const std::size_t index = s.value() - g.plan.first_step;
      const auto& t = std::get<transfer_step>(g.plan.steps[index].action);
      json_.open_object().key("step").number(std::uint64_t{index});
      json_.key("buffer").number(std::uint64_t{t.buffer.value()});
      json_.key("from").number(std::uint64_t{t.from.value()});
      json_.key("to").number(std::uint64_t{t.to.value()});
      json_.key("elements").box(t.elements);
      json_.key("bytes").number(display::transfer_bytes(g.graph, t)).close();
    }
    json_.close();
  }

  const graph_difference& d_;
  const compared_graph &a_, &b_;
  formats::json_writer json_;
};

}  // namespace

std::string to_json(const graph_difference& d, const compared_graph& a, const compared_graph& b,
                    const std::string& recording) {
  return difference_json(d, a, b).write(recording);
}

std::string only_in_json(const graph_figures& figures, const compared_graph& g, bool in_first,
                         const std::string& recording) {
  const char* const where = in_first ? "a" : "b";
  formats::json_writer json;
  json.open_object(layout::lines).key("format").text("pianola.difference/1");
  json.key("recording").text(recording).key("only_in").text(where);
  write_figures(json, where, g.graph, figures);
  json.close();
  return json.finish();
}

}  // namespace pianola::planner
