// SPDX-License-Identifier: Apache-2.0
// sycl_ext_oneapi_graph: record commands once, replay them. Buffers may be used without the limits of that
// extension: with host data and write-back, through host accessors between replays, and by eager commands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <pianola/runtime/graphs.hpp>

#include <sycl/context.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/shared_state.hpp>
#include <sycl/device.hpp>
#include <sycl/dynamic_command_group.hpp>
#include <sycl/dynamic_parameter.hpp>
#include <sycl/ext/pianola/condition.hpp>
#include <sycl/ext/pianola/in_flight.hpp>
#include <sycl/ext/pianola/memory_budget.hpp>
#include <sycl/ext/pianola/multi_device_graph.hpp>
#include <sycl/ext/pianola/narrow_graph.hpp>
#include <sycl/ext/pianola/placed_graph.hpp>
#include <sycl/ext/pianola/stored_plan.hpp>
#include <sycl/graph_node.hpp>
#include <sycl/handler.hpp>
#include <sycl/queue.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace detail {
struct graph_access;
}

namespace ext::oneapi::experimental {

template <graph_state State = graph_state::modifiable>
class command_graph;

/// A graph that can be replayed any number of times, by one thread at a time or several. Copies name the
/// same graph.
template <>
class command_graph<graph_state::executable> {
 public:
  command_graph() = delete;

  /// Bytes of memory that the graph owns, for what its commands allocate and for buffers that are not there all the time
  /// (sycl::ext::pianola::property::buffer::temporary and evictable).
  std::size_t get_required_mem_size() const { return ::pianola::runtime::owned_bytes(*graph_); }

  /// From now on replays do what finalize() of `graph` would give, which has the same nodes and edges. Where the
  /// same buffers are used in the same way, nothing is planned again and only the commands that differ are
  /// exchanged; other buffers, accesses or kernels cost as much as finalize(). Replays under way go on as they are. Throws
  /// exception (errc::invalid) if the topology differs or the graph was finalized without property::graph::updatable:
  /// nothing has changed then.
  void update(const command_graph<graph_state::modifiable>& graph);
  /// The same for nodes of the graph that it was finalized from, in time that grows with their number alone.
  void update(const node& changed);
  void update(const std::vector<node>& changed);

  friend bool operator==(const command_graph& a, const command_graph& b) noexcept {
    return a.graph_ == b.graph_;
  }
  friend bool operator!=(const command_graph& a, const command_graph& b) noexcept {
    return !(a == b);
  }

 private:
  friend class command_graph<graph_state::modifiable>;
  friend struct sycl::detail::graph_access;

  command_graph(std::shared_ptr<::pianola::runtime::executable_graph> graph, bool updatable)
      : graph_(std::move(graph)), updatable_(updatable) {}

  void check_updatable() const;

  sycl::detail::shared_state<::pianola::runtime::executable_graph> graph_;
  bool updatable_;
};

/// A graph under construction. Copies name the same graph. Functions that change it throw exception
/// (errc::invalid) while a queue records into it.
template <>
class command_graph<graph_state::modifiable> {
 public:
  /// Throws exception (errc::invalid) if the device is not one of the context's.
  command_graph(const context& c, const device& d, const property_list& properties = {});
  explicit command_graph(const queue& q, const property_list& properties = {});
  explicit command_graph(const device& d, const property_list& properties = {});

  /// What is submitted to the queue from now on becomes nodes of this graph. Throws exception
  /// (errc::invalid) if the queue records already, or is of another device or context and the graph was not made with
  /// sycl::ext::pianola::property::graph::multi_device.
  void begin_recording(queue& q, const property_list& = {});
  void begin_recording(const std::vector<queue>& queues, const property_list& properties = {});

  /// All queues that record into this graph go back to executing.
  void end_recording();
  /// A queue that does not record is left alone. Throws exception (errc::invalid) if it records into
  /// another graph.
  void end_recording(queue& q);
  void end_recording(const std::vector<queue>& queues);

  /// An empty node.
  node add(const property_list& properties = {});
  /// The command that group(handler&) sets.
  template <class CommandGroup,
            class = std::enable_if_t<std::is_invocable<CommandGroup&, handler&>::value>>
  node add(CommandGroup group, const property_list& properties = {}) {
    const sycl::detail::node_place place = place_of_node(nodes_before(properties));
    ::pianola::runtime::submission submission;
    submission.place = &place;
    sycl::detail::handler_access::call(submission, group);
    return add_after(submission, place.after);
  }

  /// The command of the group that is chosen; choosing another one changes the node. Throws exception (errc::invalid) if
  /// the groups were made for another graph.
  node add(dynamic_command_group& groups, const property_list& properties = {});

  /// Loops and branches that run to their end without the program's threads (sycl_ext_pianola_graph_control): nodes that
  /// run copies of other graphs so many times, or as long as a value that kernels write is not zero, or if it is not, or the
  /// one of several that it numbers. Throw exception (errc::invalid) for a negative count, a body without nodes or one that
  /// was finalized from this graph, and for a loop whose body does not write the condition.
  node add_repeat(std::int64_t count, const command_graph<graph_state::executable>& body,
                  const property_list& properties = {});
  node add_while(const pianola::condition& holds,
                 const command_graph<graph_state::executable>& body,
                 const property_list& properties = {});
  node add_if(const pianola::condition& holds, const command_graph<graph_state::executable>& then,
              const property_list& properties = {});
  node add_if(const pianola::condition& holds, const command_graph<graph_state::executable>& then,
              const command_graph<graph_state::executable>& otherwise,
              const property_list& properties = {});
  node add_switch(const pianola::condition& value,
                  const std::vector<command_graph<graph_state::executable>>& cases,
                  const property_list& properties = {});

  /// Throws exception (errc::invalid) if a node is not of this graph, both are the same, or the edge would
  /// close a cycle.
  void make_edge(node& from, node& to);

  /// Plans the graph as it is now, or uses the plan of property ext::pianola::property::graph::plan. It may be changed and
  /// finalized again. Also takes property::graph::updatable, property::graph::enable_profiling (times of nodes:
  /// sycl/ext/pianola/node_times.hpp), the properties of sycl/ext/pianola/placed_graph.hpp, and in_flight.hpp.
  command_graph<graph_state::executable> finalize(const property_list& properties = {}) const;

  /// Never the same for two graphs of this process, and greater for those that are made later.
  std::size_t get_id() const noexcept { return ::pianola::runtime::id_of(*graph()); }

  /// In the order in which they were added.
  std::vector<node> get_nodes() const;
  std::vector<node> get_root_nodes() const;
  bool empty() const;

  /// Writes the graph in the language of Graphviz. Throws exception (errc::invalid) if the path does not
  /// end in .dot or cannot be written.
  void print_graph(std::string path, bool verbose = false) const;

  /// The same by another name.
  void print_dot_graph(const std::string& path, bool verbose = false) const {
    print_graph(path, verbose);
  }

  /// Calls the callback with copies of the arguments when neither this graph nor anything that was made of it is left,
  /// in whatever thread lets go of it last; several callbacks in the order in which they were set. They must not throw.
  template <class Callback, class... Arguments>
  void set_destruction_callback(Callback&& callback, Arguments&&... arguments) {
    using kept = std::tuple<std::decay_t<Callback>, std::decay_t<Arguments>...>;
    const auto called =
        new kept(std::forward<Callback>(callback), std::forward<Arguments>(arguments)...);
    ::pianola::runtime::keep_with(*graph(), std::shared_ptr<void>(called, [](void* p) {
      const std::unique_ptr<kept> mine(static_cast<kept*>(p));
      std::apply([](auto& f, auto&... a) { f(a...); }, *mine);
    }));
  }

  friend bool operator==(const command_graph& a, const command_graph& b) noexcept {
    return a.graph() == b.graph();
  }
  friend bool operator!=(const command_graph& a, const command_graph& b) noexcept {
    return !(a == b);
  }

 private:
  friend class command_graph<graph_state::executable>;
  friend class dynamic_command_group;
  friend struct sycl::detail::graph_access;

  struct state {
    context the_context;
    device the_device;
    std::shared_ptr<::pianola::runtime::graph> graph;
  };

  command_graph(const context& c, const device& d,
                std::shared_ptr<::pianola::runtime::graph> graph);

  const std::shared_ptr<::pianola::runtime::graph>& graph() const noexcept { return state_->graph; }
  static const std::shared_ptr<::pianola::runtime::queue>& runtime_of(const queue& q) {
    return sycl::detail::queue_access::state(q).runtime;
  }

  void check_queue(const queue& q) const;
  void check_node(const node& n, const char* where) const;

  sycl::detail::node_place place_of_node(std::vector<::pianola::model::command_id> after) const;

  node add(::pianola::runtime::submission& submission, const property_list& properties);
  node add_after(::pianola::runtime::submission& submission,
                 const std::vector<::pianola::model::command_id>& after) {
    return node(graph(), sycl::detail::translate([&] {
                  return ::pianola::runtime::add_node(*graph(), submission, after);
                }));
  }
  std::vector<::pianola::model::command_id> nodes_before(const property_list& properties) const;

  sycl::detail::shared_state<const state> state_;
};

command_graph(const context&, const device&, const property_list& = {})
    -> command_graph<graph_state::modifiable>;
command_graph(const queue&, const property_list& = {}) -> command_graph<graph_state::modifiable>;
command_graph(const device&, const property_list& = {}) -> command_graph<graph_state::modifiable>;

}  // namespace ext::oneapi::experimental

namespace ext::oneapi::experimental {

inline void command_graph<graph_state::executable>::update(
    const command_graph<graph_state::modifiable>& graph) {
  check_updatable();
  sycl::detail::translate([&] { return ::pianola::runtime::update(*graph_, *graph.graph()); });
}

}  // namespace ext::oneapi::experimental

namespace detail {

/// For the other classes of the interface.
struct graph_access {
  /// The graph that the queue records into. Throws exception (errc::invalid) if it does not record.
  static auto recorded_by(const queue& q) {
    using graph = ext::oneapi::experimental::command_graph<
        ext::oneapi::experimental::graph_state::modifiable>;
    auto found = translate(
        [&] { return pianola::runtime::recording_graph(*queue_access::state(q).runtime); });
    if (found == nullptr)
      throw_error(errc::invalid,
                  "ext_oneapi_get_graph: the queue does not record into a graph; call "
                  "command_graph::begin_recording first");
    const auto id = pianola::runtime::device_of(*found);
    if (id == device_access::id(q.get_device()))
      return graph(q.get_context(), q.get_device(), std::move(found));
    const device home = device_access::make(id);
    return graph(default_context(home), home, std::move(found));
  }

  static auto make_executable(std::shared_ptr<pianola::runtime::executable_graph> graph,
                              bool updatable) {
    return ext::oneapi::experimental::command_graph<
        ext::oneapi::experimental::graph_state::executable>(std::move(graph), updatable);
  }
  static auto place(const ext::oneapi::experimental::node& n) {
    return std::make_pair(n.graph_.get(), n.id_);
  }
  static bool is_updatable(const ext::oneapi::experimental::command_graph<
                           ext::oneapi::experimental::graph_state::executable>& graph) {
    return graph.updatable_;
  }

  template <class Graph>
  static const auto& handle(const Graph& g) noexcept {
    if constexpr (std::is_same<Graph,
                               ext::oneapi::experimental::command_graph<
                                   ext::oneapi::experimental::graph_state::executable>>::value)
      return g.graph_;
    else
      return g.state_->graph;
  }
};

template <class Graph>
std::shared_ptr<pianola::runtime::graph> recorded_graph_of(const Graph& graph) {
  return graph_access::handle(graph);
}

}  // namespace detail

inline queue::modifiable_graph queue::ext_oneapi_get_graph() const {
  return detail::graph_access::recorded_by(*this);
}

inline void handler::ext_oneapi_graph(const ext::oneapi::experimental::command_graph<
                                      ext::oneapi::experimental::graph_state::executable>& graph) {
  auto& command = set<pianola::model::subgraph_command>();
  submission_.graph = detail::graph_access::handle(graph);
  command.graph = submission_.graph.get();
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <sycl::ext::oneapi::experimental::graph_state State>
struct std::hash<sycl::ext::oneapi::experimental::command_graph<State>> {
  std::size_t operator()(
      const sycl::ext::oneapi::experimental::command_graph<State>& g) const noexcept {
    return std::hash<const void*>()(sycl::detail::graph_access::handle(g).get());
  }
};
