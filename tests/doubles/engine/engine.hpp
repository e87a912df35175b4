// SPDX-License-Identifier: Apache-2.0
// What both test drivers are underneath: devices with memory of their own, streams, events, graphs and kernels,
// with every rule of the real drivers that a program can break looked after. The fronts translate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <pianola/test/driver_control.hpp>

#include "address_space.hpp"
#include "handle_table.hpp"
#include "objects.hpp"
#include "scheduler.hpp"

namespace pianola::test::drivers {

struct traits {
  const char* name;  // "CUDA"
  /// Variables that say which devices there are, ended by null.
  const char* hide_devices[4];
  /// Dynamic local memory above 48 KiB must be allowed for the kernel first.
  bool local_memory_is_opt_in;
  /// What kernels print comes out when the driver is waited for, or a kernel launched outside of a graph; and never
  /// where neither happens any more.
  bool prints_when_waited_for;
  std::uint32_t max_local_bytes;  // of a group, static and dynamic
  std::uint32_t sub_group_size;
  std::uint32_t max_group_size;
  std::uint32_t max_block[3];  // x first
  std::uint32_t max_grid[3];
  std::uint64_t max_items;  // of a launch in one dimension; 0: any number
  std::uint32_t max_parameter_bytes;
  bool sets_conditions;  // kernels may: graphs have conditional nodes
};

inline constexpr std::uint32_t local_memory_without_opt_in = 48 << 10;

using lock = std::unique_lock<std::mutex>;

std::string text_of(const void* address);

class engine {
 public:
  /// The front's.
  static engine& instance();
  explicit engine(const traits& t);
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// One call of the program: counted, made to fail if a test wants it, checked, its error reported.
  template <class F>
  int enter(const char* name, bool needs_initialisation, F&& f) {
    lock held(mutex_);
    held_by_thread() = &held;
    if (const int code = begin(held, name, needs_initialisation); code != 0) return code;
    try {
      const int code = f(held);
      linger(held, name);
      return code;
    } catch (const failure& x) {
      return end(name, x);
    } catch (const std::exception& x) {
      return end(name, {codes::unknown, x.what(), false});
    }
  }

  // -- devices and contexts
  void initialise();
  [[nodiscard]] unsigned device_count() const { return devices_; }
  void check_device(int ordinal) const;
  [[nodiscard]] bool are_peers(unsigned a, unsigned b) const { return peers_ && a != b; }
  [[nodiscard]] const std::string& architecture() const { return architecture_; }
  [[nodiscard]] const traits& its_traits() const { return traits_; }
  std::shared_ptr<context> retain(unsigned device);
  /// Waits for what is under way if nobody retains the context any more, and ends all that belongs to it.
  void release(lock& held, unsigned device);
  void reset(lock& held, unsigned device);
  [[nodiscard]] const std::shared_ptr<context>& primary(unsigned device) {
    return primary_[device];
  }
  /// What kernels of the context have printed comes out.
  static void print(context& c);
  /// Throws if work in the context has failed before.
  static void check(const context& c);
  void enable_peer(context& from, context& to);
  void synchronize(lock& held, context& c);
  void free_memory_of(unsigned device, std::size_t& free, std::size_t& total) const;

  // -- memory
  void* allocate(const std::shared_ptr<context>& c, memory_type type, std::size_t bytes);
  /// `host`: memory of allocate() with memory_type::host, otherwise of the others.
  void free(lock& held, void* start, bool host);
  /// Memory of the program's own is locked for the devices to copy from and to, until it is let go.
  void lock_pages(const std::shared_ptr<context>& c, void* start, std::size_t bytes);
  /// In the stream's order. In one that is captured it is the graph's, which gives no two launches other addresses.
  void* allocate(const std::shared_ptr<stream>& s, std::size_t bytes);
  void free(const std::shared_ptr<stream>& s, void* start);
  void unlock_pages(lock& held, void* start);
  /// Physical memory, and addresses that it is put behind: all of it in whole address_space::unit.
  std::uint64_t make_physical(unsigned device, std::size_t bytes);
  void release_physical(std::uint64_t number);
  void* reserve_addresses(std::size_t bytes);
  void release_addresses(void* start, std::size_t bytes);
  void map(void* start, std::size_t bytes, std::size_t offset, std::uint64_t number);
  void unmap(lock& held, void* start, std::size_t bytes);
  /// What is behind these addresses may be used by these devices.
  void allow(void* start, std::size_t bytes, const std::set<unsigned>& devices);
  /// Null: ordinary memory of the program, for all that is known. A pointer to what has been freed is a
  /// violation.
  allocation* find(const void* address);

  // -- streams and events
  std::shared_ptr<stream> make_stream(const std::shared_ptr<context>& c, unsigned flags,
                                      bool non_blocking, int priority);
  void destroy(stream& s);
  /// `handle` of the program; null is the context's default stream.
  std::shared_ptr<stream> stream_of(const std::shared_ptr<context>& current, const void* handle);
  void synchronize(lock& held, stream& s);
  int query(stream& s);
  std::shared_ptr<event> make_event(const std::shared_ptr<context>& c, bool timed);
  void record(event& e, const std::shared_ptr<stream>& s);
  void wait(const std::shared_ptr<stream>& s, event& e);
  void synchronize(lock& held, event& e);
  int query(event& e);
  float milliseconds(event& from, event& to);

  // -- capturing what is put into streams
  /// Into `known`, behind its nodes `after`; into a new graph if it is null.
  void begin_capture(const std::shared_ptr<stream>& s, int mode,
                     const std::shared_ptr<graph>& known, const void* const* after,
                     std::size_t count);
  std::shared_ptr<graph> end_capture(stream& s);
  /// The nodes that the next one comes after. The stream has them, until it is used.
  const std::vector<void*>& tips_of(stream& s);
  /// The thread's mode becomes that; returns what it was.
  static int exchange_capture_mode(int mode);
  /// Of calls that do what no node of a graph can: some captures forbid them, and are lost by them.
  void check_captures();

  // -- work
  void copy(lock& held, const std::shared_ptr<stream>& s, const copy_box& box, bool asynchronous);
  void fill(lock& held, const std::shared_ptr<stream>& s, const fill_box& box, bool asynchronous);
  void launch(const std::shared_ptr<context>& current, const std::shared_ptr<stream>& s,
              kernel_run run);

  // -- kernels
  std::shared_ptr<module> load(const std::shared_ptr<context>& c, const void* image,
                               std::size_t known_bytes);
  void unload(lock& held, module& m);
  std::shared_ptr<function> find(module& m, const std::string& symbol);
  /// Memory of the device that a variable of the image is filled from before each kernel.
  module_variable find_variable(module& m, const std::string& symbol);
  void allow_local_memory(function& f, int bytes) const;
  /// On one compute unit, as many as its 2048 work-items and the local memory of one group are enough for.
  [[nodiscard]] int resident_groups(const function& f, int group_size,
                                    std::size_t dynamic_local_bytes) const;
  [[nodiscard]] static std::uint32_t static_local_bytes(const function& f) {
    return PIANOLA_SIM_GROUP_SCRATCH_BYTES + f.info.group_object_bytes;
  }
  /// Takes the parameters' bytes.
  static void bind(kernel_run& run, void** parameters, void** extra);

  // -- textures
  std::shared_ptr<texture> make_texture(const std::shared_ptr<context>& c, helper_texture how);
  void destroy(texture& t);

  // -- graphs
  std::shared_ptr<graph> make_graph();
  void destroy(graph& g);
  void destroy(executable& e);
  /// The call that uses the graph meanwhile. It gives way to other threads once, so that another call is seen.
  class alone {
   public:
    alone(engine& e, unsynchronised& o);
    ~alone() { --object_.depth; }
    alone(const alone&) = delete;
    alone& operator=(const alone&) = delete;

   private:
    unsynchronised& object_;
  };
  std::shared_ptr<node> add_node(const std::shared_ptr<graph>& g, const void* const* after,
                                 std::size_t count, const std::shared_ptr<context>& where,
                                 node_action action);
  /// A copy of `child`, as one node.
  std::shared_ptr<node> add_child(const std::shared_ptr<graph>& g, const void* const* after,
                                  std::size_t count, const std::shared_ptr<context>& where,
                                  const graph& child);
  /// A number by which one node of the graph will decide.
  std::uint64_t make_condition(graph& g, const context& where, unsigned value, bool assigned);
  std::shared_ptr<node> add_conditional(const std::shared_ptr<graph>& g, const void* const* after,
                                        std::size_t count, const std::shared_ptr<context>& where,
                                        decision by, std::size_t bodies);
  /// `programmatic[i]`: the second kernel may start before the first one has finished; null: none may.
  void add_edges(graph& g, const void* const* from, const void* const* to, std::size_t count,
                 const bool* programmatic = nullptr);
  void set_action(node& n, node_action action);
  std::shared_ptr<executable> instantiate(graph& g);
  /// Some node's graph has nothing to do.
  static bool has_idle_body(const graph& g);
  void launch(const std::shared_ptr<executable>& e, const std::shared_ptr<stream>& s);
  /// Returns when the last launch has ended, if copies are patient and some of the graph's are of memory that is not known.
  void wait_for_pageable_copies(lock& held, const executable& e);
  void update_step(executable& e, const void* node_handle, node_action action);
  /// Refuses with codes::update_failed and tells which of the results of the whole-graph update it is.
  enum class update_result : int {
    done = 0,
    failed = 1,
    topology_changed = 2,
    node_type_changed = 3,
    function_changed = 4,
    parameters_changed = 5,
    attributes_changed = 8
  };
  update_result update(executable& e, graph& g, void*& node_handle);

  handle_table handles;

  // -- control
  const driver_control& control();
  void note_violation(const std::string& text);
  [[nodiscard]] scheduler& tasks() { return scheduler_; }

 private:
  /// Of the call that the thread makes.
  static lock*& held_by_thread();
  friend struct control_functions;
  struct entry {
    std::uint64_t calls = 0;
    std::uint64_t fail_at = 0;
    int code = 0;
    unsigned linger = 0;  // milliseconds, of the next call
  };
  entry any_;  // of all calls
  struct copy_counter {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };
  struct prepared {
    std::shared_ptr<task> what;
    bool pageable = false;  // touches memory that the driver does not know
  };
  struct side {
    allocation* memory = nullptr;
    std::byte* at = nullptr;
  };

  int begin(lock& held, const char* name, bool needs_initialisation);
  int end(const char* name, const failure& x);
  int injected(entry& e);
  /// Returns late if a test wants it, without the mutex meanwhile.
  void linger(lock& held, const char* name);
  /// Of work that begins: 0, or the code that it shall fail with. Takes the mutex.
  int begin_work(const char* name);
  static void at_exit();
  static void lose(context& where, int code, const std::string& text);
  static void release_memory_of(task& t);
  static void ended(const std::shared_ptr<task>& t);

  side resolve(const void* address, place expected, std::size_t bytes, const char* what,
               bool host_allowed);
  prepared prepare(const std::shared_ptr<context>& where, const copy_box& box);
  prepared prepare(const std::shared_ptr<context>& where, const fill_box& box);
  prepared prepare(const std::shared_ptr<context>& where, const kernel_run& run);
  prepared prepare(const std::shared_ptr<context>& where, const nothing&);
  prepared prepare(const std::shared_ptr<context>& where, const recording& r);
  prepared prepare(const std::shared_ptr<context>& where, const awaiting& a);
  /// Of nodes that copy: only streams find a way between devices that do not reach each other.
  void check_reach(const context& where, const node_action& a);
  /// True: the stream is being captured, and the work is a node now.
  bool captured(const std::shared_ptr<stream>& s, const node_action& action);
  static void join(const std::shared_ptr<stream>& s, const event& e);
  /// What asks, or waits for, a stream or an event cannot be captured.
  static void refuse_captured(const stream& s);
  static void refuse_captured(const event& e);
  void check_event(const event& e) const;
  /// Of nodes that have to do with one.
  void check_event(const node_action& a) const;
  void uses(task& t, allocation& a);
  void enqueue(const std::shared_ptr<stream>& s, const std::shared_ptr<task>& t);
  [[nodiscard]] std::vector<std::shared_ptr<task>> before(stream& s) const;
  void finish_call(lock& held, const std::shared_ptr<stream>& s, const prepared& p,
                   bool asynchronous);
  helper& gpu_of(const std::shared_ptr<context>& c);
  void protect(const allocation& a, bool accessible);
  /// What the context's kernels may use of such an allocation.
  void show(const context& c, const allocation& a) const;
  allocation& reservation_at(void* start, std::size_t bytes);
  [[nodiscard]] static bool reaches(const context& c, const allocation& a);
  void tear_down(lock& held, const std::shared_ptr<context>& c);
  void check_launch(const kernel_run& run) const;
  /// The graph's nodes, behind the step `entry` if that is one, as steps of `e`. Tells those that nothing waits for.
  std::vector<std::size_t> append_steps(executable& e, const graph& g, const std::size_t* entry);
  /// What nodes of a conditional node's graph must not be.
  void check_body(const graph& g, const node& n);
  void append_decision(executable& e, std::size_t step, const node& n);
  void forget_nodes(graph& g);
  /// Some node, in bodies as well, can be in one executable at a time only.
  static bool is_for_one(const graph& g);
  std::shared_ptr<executable> flatten(graph& g);
  void release(allocation& a);
  /// Of a graph that has been destroyed, as its executable has.
  void release_memory_of(const std::vector<graph::owned>& memory);

  // -- launches
  std::vector<prepared> prepare_steps(const std::shared_ptr<executable>& root, const executable& e);
  /// `e` is the root or a body in it. What nothing has come before comes after `first`.
  void add_steps(const std::shared_ptr<executable>& root, const executable& e,
                 const std::vector<prepared>& all, const std::shared_ptr<task>& first,
                 const std::shared_ptr<task>& last);
  /// Runs what the condition says, and opens the gate when that has finished.
  void decide(const std::shared_ptr<executable>& root, const executable::step& s,
              const std::shared_ptr<task>& gate);
  /// Null: nothing will be run.
  prepared prepare_setting(const std::shared_ptr<context>& where, const kernel_run& run,
                           const std::shared_ptr<executable>& root);
  static std::vector<std::uint32_t> parameters_in(const std::string& text,
                                                  const std::string& symbol);
  /// -1, -1: nothing is there any more.
  [[nodiscard]] std::pair<int, int> home(const void* address);
  void give_action(executable::step& to, node_action action);
  std::string refusal(const executable::step& old, const node_action& now, const context* where,
                      bool whole);

  traits traits_;
  std::mutex mutex_;
  bool initialised_ = false;
  bool deinitialised_ = false;
  bool strict_ = false;
  bool report_ = false;
  bool peers_ = true;
  bool late_records_ = false;
  bool late_waits_ = false;
  bool patient_copies_ = false;
  unsigned devices_ = 1;
  std::size_t memory_bytes_ = std::size_t{8} << 30;
  std::string architecture_ = "pianola-sim";
  scheduler scheduler_{mutex_};
  std::unique_ptr<address_space> memory_;
  std::vector<std::shared_ptr<context>> primary_;
  std::vector<std::shared_ptr<context>> all_contexts_;
  std::map<std::string, entry> entries_;
  copy_counter copies_[5];
  std::uint64_t kernels_ = 0;
  std::uint64_t violations_ = 0;
  std::string last_violation_;
  std::uint64_t modules_made_ = 0;
  std::uint64_t conditions_made_ = 0;
  std::size_t allocations_ = 0;
  unsigned lingering_ = 0;  // calls
  std::vector<std::weak_ptr<capture>> captures_;
};

}  // namespace pianola::test::drivers
