// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <ctime>
#include <deque>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <pianola/host/clock.hpp>
#include <pianola/journal/words.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/topology.hpp>
#include <pianola/planner/plan.hpp>
#include <pianola/recorder/command_graph.hpp>

#include "data/pointer_registry.hpp"
#include "queues/outside_events.hpp"
#include "recording/graph_times.hpp"
#include "recording/journal_thread.hpp"

namespace pianola::runtime {

class process;
class queue;
struct buffer_entry;
struct event_record;
struct submission;

// PIANOLA_CHECK: whether a program is told of what it does wrong with USM.
enum class checking : unsigned char { off, certain, suspicions };

// PIANOLA_RECORD=directory: tells a journal what an unmodified program does outside of graphs (commands, replays of
// graphs, host accesses, and what the host waited for) and the steps that ran it. When the program ends a short journal
// becomes a graph and a plan (journal::read_run); a longer one is the recording, and left to who reads it.
//
// All functions expect the runtime's lock to be held, unless they say otherwise.
class eager_recorder final : private allocation_observer {
 public:
  // Null if the variable is not set. Throws model::user_error (invalid) if the directory is not
  // there and cannot be made, or cannot be written to, or if PIANOLA_RECORD_TIMES or _FACTS cannot be followed.
  static std::unique_ptr<eager_recorder> from_environment(const model::topology& topology,
                                                          model::device_id host);

  eager_recorder(std::string directory, const model::topology& topology, model::device_id host,
                 bool times, bool facts, checking check);
  ~eager_recorder();

  // What is known of the next command that is planned, besides the command: what the program wants it to come after,
  // also where that has finished, and words of a kernel's arguments that may be pointers.
  void submitting(queue& q, const submission& s);
  // What a kernel reads of buffers, the next command that is planned. `slots`: of its buffers.
  void reads_buffers(const model::kernel_command& kernel, const model::argument_block& arguments,
                     model::array_view<const model::argument_slot> slots,
                     model::array_view<const model::requirement> requirements);
  // What each replay of a graph reads and leaves, as its plan says. Returns the number by which that is known.
  // `recorded`: its hash, by which it has the name of its file.
  [[nodiscard]] std::uint64_t tell_replays(process& rt, const model::command& replay,
                                           const std::vector<model::requirement>& requirements,
                                           std::uint64_t recorded);
  // The file of a graph: what replays of it are called. Of graphs that are alike the first one's.
  void name_graph(std::uint64_t recorded, std::string name);
  // A replay that is known by this number, and comes after `outside` for the sake of its commands.
  void replaying(const process& rt, queue& q, const submission& s, const outside_events& outside,
                 std::uint64_t number);
  // No replay has this number any more.
  void replays_end(std::uint64_t number) noexcept;
  // An empty step on the lane of the last replay, which stands for that.
  void settling() { settling_ = true; }
  // What was planned is given to the executors.
  void planned(process& rt, model::array_view<const model::command> commands,
               const planner::plan& window);

  // PIANOLA_RECORD_TIMES: commands are timed. Needs no lock.
  [[nodiscard]] bool times() const noexcept { return times_; }
  // Whether those of this queue are: all are, or it profiles and looks at the clock anyway.
  [[nodiscard]] bool times_of(const queue& q) const noexcept;
  // Of the command that was planned last.
  void timed(std::shared_ptr<event_record> record);
  // A launch of a graph that notes when it runs each command.
  void timed_nodes(std::shared_ptr<graph_times> of, std::shared_ptr<event_record> launch);
  // A graph in a file that is written again at the end, with what its commands have taken.
  void keep_for_times(std::string path, recorder::command_graph graph,
                      std::shared_ptr<const graph_times> times);

  // The host has waited for the step, or has seen that it has finished.
  void host_waited(model::step_id step, const char* how);
  // The first `below` commands of them.
  void host_waited_for_queue(const queue& q, std::uint64_t below);
  [[nodiscard]] std::uint64_t commands() const noexcept { return commands_; }
  // The program may do with the buffer's data what it wants: all that used them has finished.
  void host_waited_for_buffer(process& rt, model::buffer_id buffer);

  // Whether graphs become files. Needs no lock.
  [[nodiscard]] bool writes_files() const noexcept { return !directory_.empty(); }
  // Says on standard error what is found, if that is wanted. Needs no lock.
  void check(const recorder::command_graph& graph, const std::string& name) const;

  // Nothing more is recorded.
  void give_up() noexcept;
  void write() noexcept;
  // Needs no lock.
  [[nodiscard]] std::string next_graph_name();
  // Before the first file is written: what an earlier process has left goes out of the way. By any thread, with or without
  // the lock. Throws model::user_error (invalid) if it cannot go.
  void make_room();

 private:
  // These need no lock.
  void allocated(const user_allocation& allocation) override;
  void freed(std::uint64_t serial) noexcept override;
  [[nodiscard]] bool wants_freed_memory_kept() const noexcept override {
    return check_ != checking::off;
  }

  // Nor does one become files that these would tell at much greater length.
  static constexpr std::uint64_t most_converted_words = std::uint64_t{1} << 15;
  static constexpr std::size_t most_texts = std::size_t{1} << 14;

  void begin(const std::string& journal, bool nameless);
  void add_accesses(const model::kernel_command& kernel, const model::argument_block& arguments);
  void add_operands(const model::command& command);
  void write_times() const;
  void tell_machine();
  void tell_text(std::uint32_t number, std::string_view text);
  [[nodiscard]] std::uint32_t label_of(const model::command& command);
  [[nodiscard]] std::uint32_t text_number(std::string_view text);
  // The same, with where the program has called the library.
  [[nodiscard]] std::uint32_t placed_number(std::string_view what);
  // What files call the buffer; tells of it if it is new.
  std::uint64_t name(model::buffer_id live, const buffer_entry& b);
  void tell_buffer(model::buffer_id live, const buffer_entry& b, std::uint64_t key);
  void name_all(process& rt, model::array_view<const model::requirement> requirements);
  void tell(journal::record_kind kind, std::initializer_list<std::uint64_t> words);
  void tell_time(std::uint64_t command, std::uint64_t from, std::uint64_t to);
  void write_settled_times();
  std::uint64_t* write_steps(process& rt, std::uint64_t* to, const planner::plan& window);

  std::string directory_;
  std::string base_;  // what the files' paths begin with
  int directory_lock_ = -1;
  bool sets_aside_ = false;  // what an earlier process has left
  std::once_flag room_;
  std::timespec started_{};
  const model::topology& topology_;
  const model::device_id host_;
  const bool times_;
  const bool facts_;  // what is known of kernels is told
  const checking check_;
  const std::uint64_t began_ = host::nanoseconds_now();
  struct timed_graph {
    std::string path;
    recorder::command_graph graph;
    std::shared_ptr<const graph_times> times;
  };
  std::deque<timed_graph> timed_graphs_;
  std::deque<std::pair<std::uint64_t, std::shared_ptr<event_record>>> timed_;  // by command
  std::deque<std::pair<std::shared_ptr<graph_times>, std::shared_ptr<event_record>>> launches_;
  std::unique_ptr<journal_thread> journal_;
  bool over_ = false;
  std::uint64_t commands_ = 0;
  std::size_t told_devices_ = 0;

  // The command that is planned next.
  std::vector<std::uint64_t> after_, pointers_, accesses_;
  // What kernels do to memory is found out once for the same arguments and index space.
  struct known_launch {
    const model::kernel_facts* facts = nullptr;
    model::launch_geometry geometry;
    std::vector<unsigned char> arguments;
    std::vector<std::uint64_t> accesses;  // words of the journal
  };
  std::unordered_map<std::uint64_t, known_launch> launches_known_;  // by a hash
  std::uint64_t replays_ = 0;
  std::unordered_map<std::uint64_t, std::string> graph_names_;  // by hash
  std::uint64_t queue_ = 0;                                     // 0: none
  std::uint64_t flags_ = 0;
  std::uint64_t replay_ = 0;  // its number; 0: none
  bool settling_ = false;

  // What the journal knows already.
  std::vector<std::uint64_t> told_buffers_;  // index: live buffer; its key plus 1
  std::unordered_map<std::string, std::uint32_t> texts_;
  std::unordered_map<std::uint64_t, std::uint32_t> kernels_;  // their labels
  std::uint64_t last_kernel_ = 0;
  std::uint32_t last_kernel_label_ = 0;
  std::string last_text_;
  std::uint32_t last_text_number_ = 0;
  std::uint32_t next_text_ = 0;
  struct placed_text {
    std::string what;
    std::uint32_t place = 0;
    std::uint32_t number = 0;
  };
  std::unordered_map<std::uint64_t, placed_text> placed_;
  std::uint64_t last_waited_step_ = ~std::uint64_t{0};
  std::pair<std::uint64_t, std::uint64_t> last_waited_queue_{0, 0};

  std::vector<journal::named_buffer> names_;  // scratch storage
  unsigned written_ = 0;
};

// The host has waited for the step, or seen that it has finished: tells the recording, if there is one. Takes the lock.
void note_host_wait(model::step_id step, const char* how) noexcept;

}  // namespace pianola::runtime
