// SPDX-License-Identifier: Apache-2.0
#include "view/page_data.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <boost/container_hash/hash.hpp>

#include <pianola/formats/json_writer.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/planner/command_edges.hpp>
#include <pianola/planner/text.hpp>

namespace pianola::tool {

namespace {

using formats::json_writer;

// Longer names tell nobody more.
constexpr std::size_t name_characters = 2000;
// The page takes what it has room for out of the middle, where functions' own names are.
constexpr std::size_t short_characters = 400;
// Times are whole numbers of ticks, of which the plan takes about this many: short to write, and exact enough.
constexpr double ticks_of_plan = 1e10;

// Equal values once, numbered in order of first use.
template <class Value, class Hash = std::hash<Value>>
class numbered {
 public:
  std::size_t operator()(const Value& value) {
    const auto [at, is_new] = numbers_.try_emplace(value, values_.size());
    if (is_new) values_.push_back(value);
    return at->second;
  }
  [[nodiscard]] const std::vector<Value>& values() const noexcept { return values_; }

 private:
  std::unordered_map<Value, std::size_t, Hash> numbers_;
  std::vector<Value> values_;
};

struct box_hash {
  std::size_t operator()(const model::box& b) const noexcept {
    std::size_t h = 0;
    for (int d = 0; d < 3; ++d) {
      boost::hash_combine(h, b.lo.c[d]);
      boost::hash_combine(h, b.hi.c[d]);
    }
    return h;
  }
};

template <class Range, class Of>
void column(json_writer& w, const char* name, const Range& range, Of&& of) {
  w.key(name).open_array();
  for (const auto& entry : range) w.number(static_cast<std::uint64_t>(of(entry)));
  w.close();
}

void extent(json_writer& w, const char* name, const model::extent3& e) {
  w.key(name).open_array();
  for (const std::uint64_t c : e.c) w.number(c);
  w.close();
}

class writer {
 public:
  explicit writer(const page_content& content) : is_(content) {}

  std::string all() {
    w_.open_object(json_writer::layout::lines);
    w_.key("format").text("pianola.view/1");
    w_.key("title").text(formats::one_line(is_.title));
    w_.key("planned").text(is_.planned);
    w_.key("timed").text(is_.timed);
    if (!is_.served.empty()) w_.key("served").text(is_.served);
    machine();
    buffers();
    commands();
    edges();
    steps();
    residency();
    tables();
    w_.close();
    return w_.finish();
  }

 private:
  void machine() {
    w_.key("memories").open_array();
    for (std::size_t m = 0; m < is_.machine.memories.size(); ++m) {
      const model::memory_description& memory = is_.machine.memories[m];
      w_.open_object().key("name").text(formats::one_line(memory.name));
      w_.key("bytes").number(memory.bytes).key("peak").number(is_.times.peak_memory[m]).close();
    }
    w_.close().key("devices").open_array();
    for (std::size_t d = 0; d < is_.machine.devices.size(); ++d) {
      const model::device_description& device = is_.machine.devices[d];
      w_.open_object().key("name").text(formats::one_line(device.name));
      w_.key("backend").text(formats::one_line(device.backend));
      w_.key("memory").number(std::uint64_t{device.memory.value()});
      w_.key("busy").number(is_.times.devices[d].busy, "a busy time").close();
    }
    w_.close();
    column(w_, "lanes", is_.plan.lanes,
           [](const planner::lane_info& l) { return l.device.value(); });
  }

  void buffers() {
    const auto infos = is_.graph.buffers();
    w_.key("buffers").open_array();
    for (std::size_t b = 0; b < infos.size(); ++b) {
      const model::buffer_info& info = infos[b];
      const model::buffer_id id(static_cast<model::buffer_id::rep>(b));
      w_.open_object().key("name").text(
          formats::one_line(is_.graph.buffer_label(id), name_characters));
      w_.key("dimensions").number(std::uint64_t{info.dimensions});
      extent(w_, "range", info.grid.range());
      extent(w_, "page", info.grid.page());
      w_.key("element").number(std::uint64_t{info.element_size});
      w_.key("temporary").truth(info.temporary).close();
    }
    w_.close().key("allocations").open_array();
    for (const model::usm_allocation& a : is_.graph.allocations()) {
      const char* const kind = model::name_of(a.what);
      w_.open_object().key("kind").text(kind != nullptr ? kind : "unknown");
      w_.key("memory").number(std::uint64_t{a.memory.value()});
      w_.key("bytes").number(a.bytes).close();
    }
    w_.close();
  }

  void commands() {
    const auto all = is_.graph.commands();
    w_.key("commands").open_object(json_writer::layout::lines);
    column(w_, "kind", all,
           [this](const model::command& c) { return texts_(formats::kind_name(c)); });
    // The name is made of what the command has, so commands of one name have one text.
    column(w_, "name", all, [this](const model::command& c) {
      return texts_(formats::one_line(formats::full_name(c), name_characters));
    });
    column(w_, "short", all, [this](const model::command& c) {
      return texts_(
          formats::one_line(formats::short_name(formats::full_name(c), short_characters)));
    });
    column(w_, "detail", all,
           [this](const model::command& c) { return texts_(planner::detail_text(c)); });
    // 0: none, else the number after.
    column(w_, "device", all, [](const model::command& c) {
      return c.device.valid() ? std::uint64_t{c.device.value()} + 1 : 0;
    });
    column(w_, "needs", all, [](const model::command& c) { return c.requirements.size(); });
    column(w_, "follows", all, [](const model::command& c) { return c.after.size(); });
    flat("after", all, [this](const model::command& c) {
      for (const std::uint64_t a : c.after) w_.number(a);
    });
    w_.key("measured").open_array();
    if (!is_.measured.empty())
      for (std::uint32_t i = 0; i < all.size(); ++i)
        w_.number(is_.measured.of(model::command_id(i)), "a measured time");
    w_.close();
    w_.key("allocations").open_array();
    if (!is_.graph.allocations().empty())
      for (std::uint32_t i = 0; i < all.size(); ++i) {
        w_.open_array();
        for (const std::uint32_t a : is_.graph.allocations_of(model::command_id(i)))
          if (a < is_.graph.allocations().size()) w_.number(std::uint64_t{a});
        w_.close();
      }
    w_.close().close();

    w_.key("requirements").open_object(json_writer::layout::lines);
    requirement_column("buffer", [](const model::requirement& r) { return r.buffer.value(); });
    // Reads: 1, writes: 2, both: 3, and 4 where the old contents are not needed.
    requirement_column("mode", [](const model::requirement& r) {
      return (reads(r.mode) ? 1U : 0U) + (writes(r.mode) ? 2U : 0U) + (r.no_init ? 4U : 0U);
    });
    requirement_column("box", [this](const model::requirement& r) { return boxes_(r.elements); });
    w_.close();
  }

  template <class Range, class Write>
  void flat(const char* name, const Range& range, Write&& write) {
    w_.key(name).open_array();
    for (const auto& entry : range) write(entry);
    w_.close();
  }

  template <class Of>
  void requirement_column(const char* name, Of&& of) {
    flat(name, is_.graph.commands(), [&](const model::command& c) {
      for (const model::requirement& r : c.requirements)
        w_.number(static_cast<std::uint64_t>(of(r)));
    });
  }

  void edges() {
    const auto all = planner::command_edges(is_.graph.commands(), is_.graph.buffers());
    w_.key("edges").open_object(json_writer::layout::lines);
    column(w_, "from", all, [](const auto& e) { return e.first; });
    column(w_, "to", all, [](const auto& e) { return e.second; });
    w_.close();
  }

  // 0: of the other kind of step, else the number after.
  template <class Action, class Of>
  void action_column(const char* name, Of&& of) {
    column(w_, name, is_.plan.steps, [&of](const planner::step& s) {
      const auto* const action = std::get_if<Action>(&s.action);
      return action == nullptr ? std::uint64_t{0} : static_cast<std::uint64_t>(of(*action)) + 1;
    });
  }

  void steps() {
    const auto& all = is_.plan.steps;
    w_.key("steps").open_object(json_writer::layout::lines);
    using planner::execute_step;
    using planner::transfer_step;
    action_column<execute_step>("command", [](const auto& e) { return e.command.value(); });
    action_column<execute_step>("device", [](const auto& e) { return e.device.value(); });
    action_column<transfer_step>("buffer", [](const auto& t) { return t.buffer.value(); });
    action_column<transfer_step>("from", [](const auto& t) { return t.from.value(); });
    action_column<transfer_step>("to", [](const auto& t) { return t.to.value(); });
    action_column<transfer_step>("box", [this](const auto& t) { return boxes_(t.elements); });
    column(w_, "lane", all, [](const planner::step& s) { return s.lane.value(); });
    column(w_, "waits", all, [](const planner::step& s) { return s.wait_count; });
    flat("waits_for", all, [this](const planner::step& s) {
      for (const model::step_id i : is_.plan.waits_of(s))
        w_.number(i.value() - is_.plan.first_step);
    });
    const double tick = is_.times.makespan > 0 ? is_.times.makespan / ticks_of_plan : 1;
    const auto ticks = [tick](double seconds) { return std::llround(seconds / tick); };
    column(w_, "start", is_.times.steps, [&](const auto& t) { return ticks(t.start); });
    column(w_, "end", is_.times.steps, [&](const auto& t) { return ticks(t.end); });
    w_.key("tick").number(tick, "the unit of times");
    column(w_, "critical", is_.times.critical_path,
           [this](const model::step_id s) { return s.value() - is_.plan.first_step; });
    w_.key("makespan").number(is_.times.makespan, "the makespan");
    w_.key("work").number(is_.times.work, "T1");
    w_.key("span").number(is_.times.span, "Tinf");
    w_.close();
  }

  void validity(const char* name, const std::vector<planner::validity_entry>& entries) {
    w_.key(name).open_array();
    for (const planner::validity_entry& e : entries) {
      w_.open_object().key("buffer").number(std::uint64_t{e.buffer.value()});
      w_.key("box").number(std::uint64_t{boxes_(e.elements)}).key("memories").open_array();
      e.memories.for_each([&](model::memory_id m) { w_.number(std::uint64_t{m.value()}); });
      w_.close().close();
    }
    w_.close();
  }

  void residency() {
    validity("contract", is_.plan.contract);
    w_.key("slots").open_array();
    for (const planner::storage_slot& s : is_.plan.slots) {
      w_.open_array()
          .number(std::uint64_t{s.buffer.value()})
          .number(std::uint64_t{s.memory.value()});
      w_.number(std::uint64_t{s.first}).number(std::uint64_t{s.last}).close();
    }
    w_.close();
  }

  // Last: all else refers to them.
  void tables() {
    w_.key("boxes").open_array();
    for (const model::box& b : boxes_.values()) {
      for (const std::uint64_t c : b.lo.c) w_.number(c);
      for (const std::uint64_t c : b.hi.c) w_.number(c);
    }
    w_.close().key("texts").open_array();
    for (const std::string& t : texts_.values()) w_.text(t);
    w_.close();
  }

  const page_content& is_;
  json_writer w_;
  numbered<std::string> texts_;
  numbered<model::box, box_hash> boxes_;
};

// JSON has these characters in strings only, where they may be written as escapes. Without them no name can end the
// element that holds the data, or begin another one or a comment.
std::string safe_in_html(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    switch (c) {
      case '<':
        safe += "\\u003c";
        break;
      case '>':
        safe += "\\u003e";
        break;
      case '&':
        safe += "\\u0026";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

}  // namespace

std::string page_data(const page_content& content) { return safe_in_html(writer(content).all()); }

}  // namespace pianola::tool
