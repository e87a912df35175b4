// SPDX-License-Identifier: Apache-2.0
// The Python module's compiled part: pianola/planning.hpp, with numbers for ids. What is made of it for people (tables, plots)
// is Python, in pianola/.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>

#include <pianola/planning.hpp>

namespace py = pybind11;
namespace pl = pianola::planning;

// Ids are plain numbers in Python.
namespace pybind11::detail {
template <class Id>
struct id_caster {
  using number = std::underlying_type_t<Id>;
  PYBIND11_TYPE_CASTER(Id, const_name("int"));
  bool load(handle source, bool convert) {
    make_caster<number> as_number;
    if (!as_number.load(source, convert)) return false;
    value = Id(cast_op<number>(as_number));
    return true;
  }
  static handle cast(Id id, return_value_policy, handle) {
    return PyLong_FromSize_t(pl::number_of(id));
  }
};
template <>
struct type_caster<pl::memory_id> : id_caster<pl::memory_id> {};
template <>
struct type_caster<pl::device_id> : id_caster<pl::device_id> {};
template <>
struct type_caster<pl::buffer_id> : id_caster<pl::buffer_id> {};
template <>
struct type_caster<pl::allocation_id> : id_caster<pl::allocation_id> {};
template <>
struct type_caster<pl::command_id> : id_caster<pl::command_id> {};
template <>
struct type_caster<pl::step_id> : id_caster<pl::step_id> {};

// A number, or a sequence of one to three.
template <>
struct type_caster<pl::extent> {
  PYBIND11_TYPE_CASTER(pl::extent, const_name("int | Sequence[int]"));
  bool load(handle source, bool convert) {
    make_caster<std::uint64_t> one;
    if (one.load(source, convert)) {
      value = pl::extent(cast_op<std::uint64_t>(one));
      return true;
    }
    make_caster<std::vector<std::uint64_t>> several;
    if (!several.load(source, convert)) return false;
    const auto& v = cast_op<std::vector<std::uint64_t>&>(several);
    if (v.empty()) value = pl::extent();
    if (v.size() == 1) value = pl::extent(v[0]);
    if (v.size() == 2) value = pl::extent(v[0], v[1]);
    if (v.size() == 3) value = pl::extent(v[0], v[1], v[2]);
    return v.size() <= 3;
  }
  static handle cast(const pl::extent& e, return_value_policy, handle) {
    tuple t(e.size());
    for (std::size_t i = 0; i < e.size(); ++i) t[i] = e[i];
    return t.release();
  }
};

// (begin, end)
template <>
struct type_caster<pl::box> {
  PYBIND11_TYPE_CASTER(pl::box, const_name("tuple[Extent, Extent]"));
  bool load(handle source, bool convert) {
    make_caster<std::pair<pl::extent, pl::extent>> both;
    if (!both.load(source, convert)) return false;
    const auto pair = cast_op<std::pair<pl::extent, pl::extent>>(both);
    value = {pair.first, pair.second};
    return true;
  }
  static handle cast(const pl::box& b, return_value_policy, handle) {
    return make_tuple(b.begin, b.end).release();
  }
};
}  // namespace pybind11::detail

namespace {

void bind_words(py::module_& m) {
  py::enum_<pl::access>(m, "Access", "How a command uses what it needs.")
      .value("read", pl::access::read)
      .value("write", pl::access::write)
      .value("read_write", pl::access::read_write);
  py::enum_<pl::usm_kind>(m, "UsmKind", "Kind of an allocation.")
      .value("host", pl::usm_kind::host)
      .value("device", pl::usm_kind::device)
      .value("shared", pl::usm_kind::shared);
  py::enum_<pl::command_kind>(m, "CommandKind", "What a command does, in the words of files.")
      .value("empty", pl::command_kind::empty)
      .value("kernel", pl::command_kind::kernel)
      .value("copy", pl::command_kind::copy)
      .value("fill", pl::command_kind::fill)
      .value("host_task", pl::command_kind::host_task)
      .value("barrier", pl::command_kind::barrier)
      .value("prefetch", pl::command_kind::prefetch)
      .value("advise", pl::command_kind::advise)
      .value("host_access", pl::command_kind::host_access)
      .value("acquire", pl::command_kind::acquire)
      .value("subgraph", pl::command_kind::subgraph)
      .value("allocate", pl::command_kind::allocate)
      .value("free", pl::command_kind::free);
  py::enum_<pl::finding_kind>(m, "FindingKind", "What Graph.check found.")
      .value("race", pl::finding_kind::race)
      .value("freed_in_use", pl::finding_kind::freed_in_use)
      .value("use_after_free", pl::finding_kind::use_after_free)
      .value("never_written", pl::finding_kind::never_written)
      .value("out_of_bounds", pl::finding_kind::out_of_bounds);
  py::enum_<pl::objective>(m, "Objective", "What is to be small; then the others in this order.")
      .value("makespan", pl::objective::makespan)
      .value("bytes", pl::objective::bytes)
      .value("memory", pl::objective::memory);
  py::enum_<pl::placement>(m, "Placement", "Who decides where commands with candidates run.")
      .value("as_submitted", pl::placement::as_submitted)
      .value("list_scheduling", pl::placement::list_scheduling)
      .value("heft", pl::placement::heft)
      .value("exact", pl::placement::exact)
      .value("refined", pl::placement::refined)
      .value("anywhere", pl::placement::anywhere);
}

void bind_machine(py::module_& m) {
  py::class_<pl::memory_description>(m, "Memory", "A memory of a machine; bytes that it has.")
      .def_readwrite("name", &pl::memory_description::name)
      .def_readwrite("bytes", &pl::memory_description::bytes);
  py::class_<pl::device_description>(
      m, "Device", "A device of a machine. Speeds are what was measured, 0: nobody has.")
      .def_readwrite("name", &pl::device_description::name)
      .def_readwrite("backend", &pl::device_description::backend)
      .def_readwrite("memory", &pl::device_description::memory)
      .def_readwrite("maximum_lanes", &pl::device_description::maximum_lanes)
      .def_readwrite("launch", &pl::device_description::launch)
      .def_readwrite("bandwidth", &pl::device_description::bandwidth)
      .def_readwrite("operations", &pl::device_description::operations)
      .def_readwrite("host_task", &pl::device_description::host_task)
      .def_readwrite("listed", &pl::device_description::listed);
  py::class_<pl::link_description>(m, "Link",
                                   "One direction: n bytes take latency + n / bandwidth seconds.")
      .def_readwrite("source", &pl::link_description::from)
      .def_readwrite("target", &pl::link_description::to)
      .def_readwrite("bandwidth", &pl::link_description::bandwidth)
      .def_readwrite("latency", &pl::link_description::latency)
      .def_readwrite("bus", &pl::link_description::bus);
  py::class_<pl::machine>(m, "Machine",
                          "A machine to plan for: memories (0 is the host's), devices and links.")
      .def(py::init<>())
      .def_static(
          "read", [](const std::string& json) { return pl::read_machine(json); }, py::arg("json"),
          "A machine from text of format pianola.topology/1.")
      .def_static("load", &pl::load_machine, py::arg("path"),
                  "A machine from a file of format pianola.topology/1.")
      .def(
          "save", [](const pl::machine& self, const std::string& path) { pl::save(self, path); },
          py::arg("path"))
      .def("to_json", [](const pl::machine& self) { return pl::to_json(self); })
      .def("add_memory", &pl::machine::add_memory, py::arg("name"), py::arg("bytes"),
           "Adds a memory and returns its number.")
      .def(
          "add_device",
          [](pl::machine& self, std::string name, pl::memory_id memory, std::string backend,
             std::uint32_t lanes, double launch, double bandwidth, double operations,
             double host_task) {
            return self.add_device({std::move(name), std::move(backend), memory, lanes, launch,
                                    bandwidth, operations, host_task});
          },
          py::arg("name"), py::arg("memory"), py::kw_only(), py::arg("backend") = "simulated",
          py::arg("maximum_lanes") = 8, py::arg("launch") = 0.0, py::arg("bandwidth") = 0.0,
          py::arg("operations") = 0.0, py::arg("host_task") = 0.0,
          "Adds a device and returns its number. Seconds, bytes per second, operations per second; "
          "0: not known.")
      .def("connect", &pl::machine::connect, py::arg("a"), py::arg("b"), py::kw_only(),
           py::arg("bandwidth"), py::arg("latency"), "Links two memories in both directions.")
      .def(
          "set_kernel_time",
          [](pl::machine& self, const std::string& kernel, pl::device_id device, double start,
             double per_unit) {
            self.kernel_times.push_back({pl::kernel_of(kernel), device, start, per_unit});
          },
          py::arg("kernel"), py::arg("device"), py::kw_only(), py::arg("start"),
          py::arg("per_unit"),
          "A kernel of this name takes start + units * per_unit seconds on the device.")
      .def_readwrite("memories", &pl::machine::memories)
      .def_readwrite("devices", &pl::machine::devices)
      .def_readwrite("links", &pl::machine::links);
}

void bind_descriptions(py::module_& m) {
  py::class_<pl::buffer_description>(m, "Buffer",
                                     "A buffer: range and page in elements, sizes in bytes.")
      .def_readonly("name", &pl::buffer_description::name)
      .def_readonly("range", &pl::buffer_description::range)
      .def_readonly("element_size", &pl::buffer_description::element_size)
      .def_readonly("page", &pl::buffer_description::page)
      .def_readonly("temporary", &pl::buffer_description::temporary)
      .def_readonly("evictable", &pl::buffer_description::evictable);
  py::class_<pl::allocation_description>(m, "Allocation", "Memory that commands name by pointers.")
      .def_readonly("kind", &pl::allocation_description::kind)
      .def_readonly("memory", &pl::allocation_description::memory)
      .def_readonly("bytes", &pl::allocation_description::bytes);
  py::class_<pl::requirement>(m, "Requirement", "What a command needs of a buffer.")
      .def(py::init([](pl::buffer_id buffer, pl::access mode, bool no_init,
                       std::optional<pl::box> elements, std::optional<pl::memory_id> memory) {
             return pl::requirement{buffer, mode, no_init, elements, memory};
           }),
           py::arg("buffer"), py::arg("mode") = pl::access::read_write, py::arg("no_init") = false,
           py::arg("elements") = py::none(), py::arg("memory") = py::none())
      .def_readonly("buffer", &pl::requirement::buffer)
      .def_readonly("mode", &pl::requirement::mode)
      .def_readonly("no_init", &pl::requirement::no_init)
      .def_readonly("elements", &pl::requirement::elements)
      .def_readonly("memory", &pl::requirement::memory);
  m.def("reads", &pl::reads, py::arg("buffer"), py::arg("elements") = py::none(),
        "The requirement of who reads: all of the buffer, or the box (begin, end) of it.");
  m.def("overwrites", &pl::overwrites, py::arg("buffer"), py::arg("elements") = py::none(),
        "The requirement of who writes and does not need what was there.");
  m.def("updates", &pl::updates, py::arg("buffer"), py::arg("elements") = py::none(),
        "The requirement of who reads and writes.");
  py::class_<pl::usm_range>(m, "UsmRange", "Bytes of an allocation that a command accesses.")
      .def(py::init([](pl::allocation_id allocation, std::int64_t begin, std::int64_t end,
                       pl::access mode,
                       bool exact) { return pl::usm_range{allocation, begin, end, mode, exact}; }),
           py::arg("allocation"), py::arg("begin"), py::arg("end"),
           py::arg("mode") = pl::access::read_write, py::arg("exact") = true)
      .def_readonly("allocation", &pl::usm_range::allocation)
      .def_readonly("begin", &pl::usm_range::begin)
      .def_readonly("end", &pl::usm_range::end)
      .def_readonly("mode", &pl::usm_range::mode)
      .def_readonly("exact", &pl::usm_range::exact);
  py::class_<pl::command>(m, "Command", "A command of a graph.")
      .def_readonly("kind", &pl::command::kind)
      .def_readonly("name", &pl::command::name)
      .def_readonly("device", &pl::command::device)
      .def_readonly("candidates", &pl::command::candidates)
      .def_readonly("requirements", &pl::command::requirements)
      .def_readonly("after", &pl::command::after)
      .def_readonly("usm", &pl::command::usm)
      .def_readonly("range", &pl::command::range)
      .def_readonly("group", &pl::command::group)
      .def_readonly("bytes", &pl::command::bytes)
      .def_readonly("operations", &pl::command::operations)
      .def_readonly("measured", &pl::command::measured);
  py::class_<pl::finding>(m, "Finding",
                          "Something wrong with accesses to an allocation or a buffer.")
      .def_readonly("kind", &pl::finding::kind)
      .def_readonly("first", &pl::finding::first)
      .def_readonly("second", &pl::finding::second)
      .def_property_readonly("allocation",
                             [](const pl::finding& f) {
                               return f.buffer ? std::nullopt : std::optional(f.allocation);
                             })
      .def_readonly("buffer", &pl::finding::buffer)
      .def_readonly("begin", &pl::finding::begin)
      .def_readonly("end", &pl::finding::end)
      .def_readonly("first_writes", &pl::finding::first_writes)
      .def_readonly("second_writes", &pl::finding::second_writes)
      .def_readonly("certain", &pl::finding::certain)
      .def_readonly("text", &pl::finding::text)
      .def("__str__", [](const pl::finding& f) { return f.text; });
}

pl::command_id add_command(pl::graph& g, pl::command_kind kind, std::string name,
                           std::optional<pl::device_id> device,
                           std::vector<pl::requirement> requirements,
                           std::vector<pl::command_id> after, std::vector<pl::device_id> candidates,
                           std::vector<pl::usm_range> usm, pl::extent range, pl::extent group,
                           double bytes, double operations, double measured) {
  pl::command c;
  c.kind = kind;
  c.name = std::move(name);
  c.device = device;
  c.requirements = std::move(requirements);
  c.after = std::move(after);
  c.candidates = std::move(candidates);
  c.usm = std::move(usm);
  c.range = range;
  c.group = group;
  c.bytes = bytes;
  c.operations = operations;
  c.measured = measured;
  return g.add(c);
}

void bind_graph(py::module_& m) {
  py::class_<pl::graph>(m, "Graph", "Commands in the order of submission, with what each needs.")
      .def(py::init<const pl::machine&>(), py::arg("machine"))
      .def_static(
          "read", [](const std::string& json) { return pl::read_graph(json); }, py::arg("json"),
          "A graph from text of format pianola.graph/1.")
      .def_static(
          "load", &pl::load_graph, py::arg("path"),
          "A graph from a file of format pianola.graph/1, or from the folder of a recorded run.")
      .def(
          "save", [](const pl::graph& self, const std::string& path) { pl::save(self, path); },
          py::arg("path"))
      .def("to_json", [](const pl::graph& self) { return pl::to_json(self); })
      .def(
          "add_buffer",
          [](pl::graph& self, std::string name, pl::extent range, std::uint32_t element_size,
             pl::extent page, bool temporary, bool evictable) {
            return self.add_buffer(
                {std::move(name), range, element_size, page, temporary, evictable});
          },
          py::arg("name"), py::arg("range"), py::arg("element_size") = 4, py::kw_only(),
          py::arg("page") = pl::extent(), py::arg("temporary") = false,
          py::arg("evictable") = false,
          "Adds a buffer of so many elements and returns its number. page: () is one page.")
      .def(
          "add_allocation",
          [](pl::graph& self, std::uint64_t bytes, pl::memory_id memory, pl::usm_kind kind) {
            return self.add_allocation({kind, memory, bytes});
          },
          py::arg("bytes"), py::arg("memory"), py::arg("kind") = pl::usm_kind::device,
          "Adds an allocation and returns its number.")
      .def("add", &add_command, py::arg("kind"), py::arg("name") = "",
           py::arg("device") = py::none(), py::arg("requirements") = std::vector<pl::requirement>(),
           py::kw_only(), py::arg("after") = std::vector<pl::command_id>(),
           py::arg("candidates") = std::vector<pl::device_id>(),
           py::arg("usm") = std::vector<pl::usm_range>(), py::arg("range") = pl::extent(1),
           py::arg("group") = pl::extent(), py::arg("bytes") = 0.0, py::arg("operations") = 0.0,
           py::arg("measured") = 0.0,
           "Adds a command of any kind that can be added by hand; returns its number.")
      .def(
          "add_kernel",
          [](pl::graph& self, std::string name, std::optional<pl::device_id> device,
             pl::extent range, std::vector<pl::requirement> requirements,
             std::vector<pl::command_id> after, std::vector<pl::device_id> candidates,
             std::vector<pl::usm_range> usm, pl::extent group, double bytes, double operations) {
            return add_command(self, pl::command_kind::kernel, std::move(name), device,
                               std::move(requirements), std::move(after), std::move(candidates),
                               std::move(usm), range, group, bytes, operations, 0);
          },
          py::arg("name"), py::arg("device"), py::arg("range"), py::arg("requirements"),
          py::kw_only(), py::arg("after") = std::vector<pl::command_id>(),
          py::arg("candidates") = std::vector<pl::device_id>(),
          py::arg("usm") = std::vector<pl::usm_range>(), py::arg("group") = pl::extent(),
          py::arg("bytes") = 0.0, py::arg("operations") = 0.0,
          "Adds a kernel and returns its number.")
      .def_property_readonly("machine", [](const pl::graph& self) { return self.machine(); })
      .def_property_readonly("buffers",
                             [](const pl::graph& self) {
                               std::vector<pl::buffer_description> all;
                               for (std::size_t i = 0; i < self.buffer_count(); ++i)
                                 all.push_back(self.buffer(pl::buffer_id(i)));
                               return all;
                             })
      .def_property_readonly("allocations",
                             [](const pl::graph& self) {
                               std::vector<pl::allocation_description> all;
                               for (std::size_t i = 0; i < self.allocation_count(); ++i)
                                 all.push_back(self.allocation(pl::allocation_id(i)));
                               return all;
                             })
      .def_property_readonly("commands",
                             [](const pl::graph& self) {
                               std::vector<pl::command> all;
                               for (std::size_t i = 0; i < self.command_count(); ++i)
                                 all.push_back(self.command(pl::command_id(i)));
                               return all;
                             })
      .def("__len__", &pl::graph::command_count)
      .def("__str__", [](const pl::graph& self) { return self.to_text(); })
      .def("elements_of_pages", &pl::graph::elements_of_pages, py::arg("buffer"), py::arg("pages"),
           "The elements of a box of pages.")
      .def("elements_of_bytes", &pl::graph::elements_of_bytes, py::arg("buffer"), py::arg("begin"),
           py::arg("end"), "The smallest box of elements that holds these bytes of the buffer.")
      .def(
          "edges",
          [](const pl::graph& self) {
            std::vector<std::pair<pl::command_id, pl::command_id>> all;
            for (const pl::edge& e : self.edges()) all.emplace_back(e.from, e.to);
            return all;
          },
          "Pairs of commands: the second waits for the first.")
      .def("structural_hash", &pl::graph::structural_hash)
      .def("check", &pl::graph::check, py::arg("suspicions") = false,
           "Races for allocations, uses of what was freed, reads of what was never written.");
}

void bind_results(py::module_& m) {
  py::class_<pl::transfer>(m, "Transfer", "A box of a buffer that is made valid in another memory.")
      .def_readonly("buffer", &pl::transfer::buffer)
      .def_readonly("source", &pl::transfer::from)
      .def_readonly("target", &pl::transfer::to)
      .def_readonly("elements", &pl::transfer::elements)
      .def_readonly("bytes", &pl::transfer::bytes);
  py::class_<pl::step>(m, "Step", "A step of a plan: a command, or a transfer.")
      .def_readonly("id", &pl::step::id)
      .def_readonly("lane", &pl::step::lane)
      .def_readonly("device", &pl::step::device)
      .def_readonly("waits", &pl::step::waits)
      .def_readonly("command", &pl::step::command)
      .def_readonly("transfer", &pl::step::transfer);
  py::class_<pl::violation>(m, "Violation", "What is wrong with a plan.")
      .def_readonly("step", &pl::violation::step)
      .def_readonly("reason", &pl::violation::reason)
      .def("__str__", [](const pl::violation& v) { return v.reason; });
  py::class_<pl::step_times>(m, "StepTimes", "Seconds from the start of the plan.")
      .def_readonly("start", &pl::step_times::start)
      .def_readonly("end", &pl::step_times::end);
  py::class_<pl::device_use>(m, "DeviceUse", "Seconds that a device had something to do.")
      .def_readonly("busy", &pl::device_use::busy)
      .def_readonly("work", &pl::device_use::work)
      .def_readonly("commands", &pl::device_use::commands);
  py::class_<pl::link_use>(m, "LinkUse", "What went over a link.")
      .def_readonly("source", &pl::link_use::from)
      .def_readonly("target", &pl::link_use::to)
      .def_readonly("bytes", &pl::link_use::bytes)
      .def_readonly("transfers", &pl::link_use::transfers);
  py::class_<pl::simulation>(m, "Simulation",
                             "What a plan takes on its machine; seconds and bytes.")
      .def_readonly("makespan", &pl::simulation::makespan)
      .def_readonly("work", &pl::simulation::work)
      .def_readonly("span", &pl::simulation::span)
      .def_readonly("critical_path", &pl::simulation::critical_path)
      .def_readonly("steps", &pl::simulation::steps)
      .def_readonly("devices", &pl::simulation::devices)
      .def_readonly("links", &pl::simulation::links)
      .def_readonly("peak_memory", &pl::simulation::peak_memory);
  py::class_<pl::suggestion>(m, "Suggestion",
                             "A change of the program that was tried by planning again.")
      .def_readonly("text", &pl::suggestion::text)
      .def_readonly("bytes_before", &pl::suggestion::bytes_before)
      .def_readonly("bytes_after", &pl::suggestion::bytes_after)
      .def_readonly("transfers_before", &pl::suggestion::transfers_before)
      .def_readonly("transfers_after", &pl::suggestion::transfers_after)
      .def_readonly("seconds_before", &pl::suggestion::seconds_before)
      .def_readonly("seconds_after", &pl::suggestion::seconds_after);
  py::class_<pl::explanation>(m, "Explanation", "Why something is moved or waited for.")
      .def_readonly("text", &pl::explanation::text)
      .def_readonly("json", &pl::explanation::json)
      .def_readonly("suggestions", &pl::explanation::suggestions)
      .def_readonly("tried", &pl::explanation::tried)
      .def_readonly("not_tried", &pl::explanation::not_tried)
      .def("__str__", [](const pl::explanation& e) { return e.text; });
}

void bind_plan(py::module_& m) {
  using free_of_lock = py::call_guard<py::gil_scoped_release>;
  py::class_<pl::plan>(m, "Plan", "A plan of one graph for one machine, both of which it keeps.")
      .def_static(
          "read",
          [](const std::string& json, const pl::graph& graph,
             const std::optional<pl::machine>& machine) {
            return machine ? pl::read_plan(json, graph, *machine) : pl::read_plan(json, graph);
          },
          py::arg("json"), py::arg("graph"), py::arg("machine") = py::none(),
          "A plan from text of format pianola.plan/1.")
      .def_static(
          "load",
          [](const std::string& path, const pl::graph& graph,
             const std::optional<pl::machine>& machine) {
            return machine ? pl::load_plan(path, graph, *machine) : pl::load_plan(path, graph);
          },
          py::arg("path"), py::arg("graph"), py::arg("machine") = py::none(),
          "A plan from a file of format pianola.plan/1, or from the folder of a recorded run.")
      .def(
          "save", [](const pl::plan& self, const std::string& path) { pl::save(self, path); },
          py::arg("path"))
      .def("to_json", [](const pl::plan& self) { return pl::to_json(self); })
      .def_property_readonly("graph", [](const pl::plan& self) { return self.graph(); })
      .def_property_readonly("machine", [](const pl::plan& self) { return self.machine(); })
      .def_property_readonly("steps", &pl::plan::steps)
      .def("__len__", &pl::plan::step_count)
      .def("__str__", [](const pl::plan& self) { return self.to_text(); })
      .def("verify", &pl::plan::verify, free_of_lock(),
           "What is wrong with the plan; None if it is right.")
      .def("simulate", &pl::plan::simulate, free_of_lock(), "What the plan takes on its machine.")
      .def("simulation_json", &pl::plan::simulation_json, "Text of format pianola.simulation/1.")
      .def("trace_json", &pl::plan::trace_json, "Text that Perfetto and chrome://tracing show.")
      .def("explain_transfer", &pl::plan::explain_transfer, py::arg("step"),
           py::arg("effort") = 100000,
           "Why the transfer of this step is made, and what would remove it.")
      .def("explain_edge", &pl::plan::explain_edge, py::arg("first"), py::arg("second"),
           py::arg("effort") = 100000,
           "Why the second command waits for the first, and what would remove that.")
      .def("explain_command", &pl::plan::explain_command, py::arg("command"),
           py::arg("effort") = 100000, "What a command waits for and has moved.");
  m.def(
      "make_plan",
      [](const pl::graph& graph, const std::optional<pl::machine>& machine, pl::objective objective,
         pl::placement placement, double search_seconds, std::uint64_t memory_budget, bool coalesce,
         bool single_lane) {
        const pl::plan_options options{objective,     placement, search_seconds,
                                       memory_budget, coalesce,  single_lane};
        const py::gil_scoped_release free;
        return machine ? pl::make_plan(graph, *machine, options) : pl::make_plan(graph, options);
      },
      py::arg("graph"), py::arg("machine") = py::none(), py::kw_only(),
      py::arg("objective") = pl::objective::makespan,
      py::arg("placement") = pl::placement::as_submitted, py::arg("search_seconds") = 0.1,
      py::arg("memory_budget") = 0, py::arg("coalesce") = true, py::arg("single_lane") = false,
      "Plans the graph for its machine, or another one.");
}

}  // namespace

PYBIND11_MODULE(_planning, m) {
  m.doc() = "Compiled part of the module pianola.";
  py::register_exception<pl::error>(m, "Error", PyExc_ValueError).attr("__module__") = "pianola";
  bind_words(m);
  bind_machine(m);
  bind_descriptions(m);
  bind_graph(m);
  bind_results(m);
  bind_plan(m);
}
