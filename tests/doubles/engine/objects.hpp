// SPDX-License-Identifier: Apache-2.0
// What handles stand for.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <pianola/abi/simulated.h>

#include "address_space.hpp"
#include "codes.hpp"
#include "helper.hpp"

namespace pianola::test::drivers {

struct object {
  virtual ~object() = default;
  void* handle = nullptr;
};

struct event;

/// A piece of work on its way through the device.
struct task {
  using result = std::pair<int, std::string>;
  /// Empty: nothing is to be done. Returns a code; not 0: the context is lost.
  std::function<result()> work;
  std::shared_ptr<context> owner;
  std::vector<std::shared_ptr<task>> next;
  unsigned unmet = 0;
  bool done = false;
  std::chrono::steady_clock::time_point when;
  /// Allocations that it uses: where they start, and their numbers.
  std::vector<std::pair<std::uintptr_t, std::uint64_t>> uses;
  /// Stands for this task from the task's end on.
  std::shared_ptr<event> records;
  /// Called when it has ended, also where it was left out, with the engine's mutex held.
  std::function<void()> at_end;
};

struct stream;
struct graph;
struct executable;

/// Of a capture: whom it forbids calls that do what no node can, such as allocating memory. Of a thread: whose captures it
/// heeds.
enum class capture_mode : std::uint8_t {
  global,      // all threads; those of its own and global ones of others
  own_thread,  // its own thread; those of its own
  relaxed      // nobody; none
};

/// Of what is put into streams, as nodes of a graph.
struct capture {
  std::shared_ptr<graph> made;
  const stream* origin = nullptr;
  std::vector<std::weak_ptr<stream>> streams;  // that take part
  bool own_graph = true;                       // made for it
  std::thread::id thread;
  capture_mode mode = capture_mode::global;
  bool invalid = false;  // something was done that cannot be captured
  bool ended = false;
};

struct context : object {
  static constexpr const char* kind = "context";
  unsigned device = 0;
  unsigned retained = 0;
  unsigned flags = 0;
  /// Not 0: an error of work on the device; nothing works any more.
  int error = 0;
  std::string error_text;
  std::size_t outstanding = 0;
  std::shared_ptr<stream> default_stream;
  std::vector<std::weak_ptr<stream>> streams;
  std::unique_ptr<helper> gpu;
  /// By kernels, and still to come out.
  std::string printed;
  /// Devices whose memory kernels of this one may touch.
  std::set<unsigned> peers;
};

struct stream : object {
  static constexpr const char* kind = "stream";
  std::shared_ptr<context> owner;
  bool non_blocking = false;
  bool legacy = false;
  unsigned flags = 0;
  int priority = 0;
  std::shared_ptr<task> last;
  /// Not null: what comes now is not run. `tips`: nodes that the next one comes after, by index.
  std::shared_ptr<capture> captured;
  std::vector<std::size_t> tips;
  // For a program that has asked: handles of the tips, and what is said of the edges from them, which is nothing.
  std::vector<void*> told;
  std::vector<std::uint64_t> told_edges;
};

struct event : object {
  static constexpr const char* kind = "event";
  std::shared_ptr<context> owner;
  bool timed = true;
  std::shared_ptr<task> recorded;
  /// Where it was recorded last; empty: nowhere, or in a graph.
  std::weak_ptr<stream> where;
  /// Not null: it was recorded into a stream that was captured, behind these nodes.
  std::shared_ptr<capture> captured;
  std::vector<std::size_t> tips;
};

struct function;

struct module_variable {
  void* start = nullptr;
  std::size_t bytes = 0;
};

struct module : object {
  static constexpr const char* kind = "module";
  std::shared_ptr<context> owner;
  std::uint64_t number = 0;
  std::string text;  // for the driver's own compiler; else empty
  std::map<std::string, std::shared_ptr<function>> functions;
  std::map<std::string, module_variable> variables;
};

struct function : object {
  static constexpr const char* kind = "function";
  std::shared_ptr<context> owner;
  std::string symbol;
  std::uint64_t number = 0;
  pianola_sim_kernel_info info{};
  std::uint32_t max_dynamic_local_bytes = 0;
  /// Gives a condition a number: the one kernel that comes as text. The bytes of its parameters.
  bool sets_condition = false;
  std::vector<std::uint32_t> parameters;
};

struct texture : object {
  static constexpr const char* kind = "texture";
  std::shared_ptr<context> owner;
};

enum class place : std::uint8_t { host, device, unified };

/// A box of bytes. Pitches are distances from row to row and from slice to slice.
struct copy_box {
  const void* source = nullptr;
  void* destination = nullptr;
  place from = place::unified;
  place to = place::unified;
  std::size_t width = 0;
  std::size_t height = 1;
  std::size_t depth = 1;
  std::size_t source_pitch = 0;
  std::size_t source_slice = 0;
  std::size_t destination_pitch = 0;
  std::size_t destination_slice = 0;
  bool line = false;  // of a call that knows one dimension only
  [[nodiscard]] bool one_dimensional() const { return height == 1 && depth == 1; }
};

struct fill_box {
  void* destination = nullptr;
  std::uint32_t value = 0;
  std::uint32_t element_bytes = 1;
  std::size_t width = 0;  // elements
  std::size_t height = 1;
  std::size_t pitch = 0;
};

/// The driver's order of dimensions: x first.
struct kernel_run {
  std::shared_ptr<drivers::function> function;
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint32_t dynamic_local_bytes = 0;
  std::vector<std::byte> functor;
  pianola_part_launch launch{};  // of a kernel that takes a pianola_launch its beginning
};

struct nothing {};
/// Of a launch: from then on the event stands for the end of this node.
struct recording {
  std::shared_ptr<event> what;
};
/// For what the event stands for when the graph is launched.
struct awaiting {
  std::shared_ptr<event> what;
};
using node_action = std::variant<nothing, kernel_run, copy_box, fill_box, recording, awaiting>;

/// As a conditional node decides.
struct decision {
  enum class kind : std::uint8_t { branch, loop, choice };
  kind what = kind::branch;
  std::uint64_t condition = 0;
};

struct node : object {
  static constexpr const char* kind = "node";
  graph* owner = nullptr;
  std::size_t index = 0;
  std::shared_ptr<context> where;
  node_action action;
  int priority = 0;
  std::vector<std::size_t> after;      // indices in the graph; ascending
  std::set<std::size_t> programmatic;  // of those, kernels whose end this one waits for itself
  /// Not null: the node is a copy of another graph, whose nodes have no handles. Its action is `nothing`.
  std::shared_ptr<graph> child;
  /// Of a conditional node, whose action is `nothing`, too: graphs of the program's with handles, which are the node's.
  std::vector<std::shared_ptr<graph>> bodies;
  std::vector<void*> body_handles;
  decision by;
  bool memory = false;  // it allocates or frees some
};

/// Real drivers do not synchronise calls on these: two threads must not use one at once, not even to read it.
struct unsynchronised : object {
  std::thread::id user;
  unsigned depth = 0;  // of the user's calls
};

struct graph : unsynchronised {
  static constexpr const char* kind = "graph";
  std::vector<std::shared_ptr<node>> nodes;
  /// Not null: it is a body of a conditional node, whose nodes run there.
  std::shared_ptr<context> body_of;
  struct condition {
    unsigned value = 0;     // when a launch begins
    bool assigned = false;  // it has that then; otherwise what it had
    bool used = false;      // by a node
  };
  std::map<std::uint64_t, condition> conditions;
  unsigned captures = 0;  // into it, under way
  /// Memory of the graph's own, at the same address in all launches.
  struct owned {
    void* start = nullptr;
    bool freed = false;  // by a node, too
  };
  std::vector<owned> memory;
  std::vector<std::weak_ptr<executable>> executables;
  /// Ends of launches of executables that have been destroyed.
  std::vector<std::shared_ptr<task>> left;
};

struct executable : unsynchronised {
  static constexpr const char* kind = "executable graph";
  struct step {
    void* of = nullptr;  // handle of the node
    std::shared_ptr<context> where;
    node_action action;
    /// Kinds and devices of what the action copied from and to, or filled, when it was given: drivers keep them, and so may
    /// the memory have been freed since.
    std::pair<int, int> source_home{-1, -1}, destination_home{-1, -1};
    int priority = 0;
    std::vector<std::size_t> after;
    std::vector<bool> programmatic;  // of those
    /// Graphs inside of graphs are between two steps that do nothing.
    enum class role : std::uint8_t { node, begins_child, ends_child, decides, has_decided };
    role what = role::node;
    /// Of one that decides; `has_decided` comes when no body is run any more.
    decision by;
    std::vector<std::shared_ptr<executable>> bodies;
  };
  std::vector<step> steps;
  std::weak_ptr<graph> of;        // empty: it is a body
  unsigned device = 0;            // current when it was made
  bool heeds_priorities = false;  // of its nodes, which must stay as they are then
  /// Also of its bodies. By number.
  std::map<std::uint64_t, graph::condition> conditions;
  std::map<std::uint64_t, unsigned> values;  // of the conditions, in the launch under way
  std::shared_ptr<task> last;
  bool keeps_memory = false;         // a launch leaves something allocated
  std::vector<graph::owned> memory;  // of the graph, since that has been destroyed
  bool launched = false;
};

}  // namespace pianola::test::drivers
