// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <pianola/executors/backend.hpp>

#include "graph/graph_watcher.hpp"
#include "graph/node_stamps.hpp"
#include "graph/outside_links.hpp"
#include "operations/step_operations.hpp"
#include "pianola/gpu/driver.hpp"

namespace pianola::gpu {

class engine;

// A recorded plan as a graph of the driver. A step is a chain of nodes, most often one; edges are the waits.
// Keeps what its steps do, so that it can also be run step by step.
class gpu_graph final : public executors::native_graph {
 public:
  struct kept_step {
    executors::resolved_action action;
    std::uint32_t device = 0;
    int priority = 0;
    model::array_view<const std::byte> context;
    std::shared_ptr<loaded_kernel> kernel;
    std::uint32_t first_node = 0;
    std::uint32_t node_count = 0;
    std::uint64_t* range_word = nullptr;  // see step_operations::set_range_word
    bool stale = false;  // the graph's nodes are not what the executable graph's are
    // Of a resolved_control: what it runs, and where the iterations that are left are counted.
    std::vector<std::shared_ptr<gpu_graph>> bodies;
    std::shared_ptr<void> counter;
    std::shared_ptr<gpu_graph> alone;  // the same as a graph by itself; made when it is needed
  };

  explicit gpu_graph(engine& e) noexcept : engine_(e), links_(e), stamps_(e) {}
  // No launch is under way.
  ~gpu_graph() override;
  gpu_graph(const gpu_graph&) = delete;
  gpu_graph& operator=(const gpu_graph&) = delete;

  // Steps that follow those before them, of so many in all.
  executors::status add(model::array_view<const executors::graph_step> steps, std::size_t count);
  executors::status build();
  executors::status update(model::array_view<const std::uint32_t> indices,
                           model::array_view<const executors::graph_step> steps);
  // The first half needs that nobody asks for the graph's signals meanwhile.
  code prepare_launch() noexcept;
  code launch(std::uint32_t device, stream where) noexcept;

  [[nodiscard]] const std::vector<kept_step>& steps() const noexcept { return steps_; }
  [[nodiscard]] outside_links& links() noexcept { return links_; }
  [[nodiscard]] node_stamps& stamps() noexcept { return stamps_; }
  // Some kernel reads how much of its geometry it runs.
  [[nodiscard]] bool reads_ranges() const noexcept { return reads_ranges_; }
  // A launch has finished. Calls told(step, number) for what was beyond a bound.
  template <class F>
  void tell_ranges(const F& told) noexcept {
    for (const kept_step& s : steps_)
      if (s.range_word != nullptr)
        if (const std::uint64_t number = range_words::read(s.range_word); number != 0)
          told(s, number);
  }
  [[nodiscard]] executors::lane_position signal(std::uint32_t step) const noexcept override;
  // In whose list it is, and the next one there. Of who holds the lane's mutex; but the destructor asks whom to tell, so
  // `watched_by` is written last where a graph is taken from a list.
  std::atomic<graph_watcher*> watched_by{nullptr};
  gpu_graph* next_watched = nullptr;
  [[nodiscard]] graph native() const noexcept { return graph_; }
  [[nodiscard]] executable native_executable() const noexcept { return executable_; }
  // For people: "running a graph of 12 steps".
  [[nodiscard]] std::string describe() const;
  // The driver would run all of it on one device, so it is always run step by step.
  [[nodiscard]] bool only_stepwise(std::uint32_t launched_on) const noexcept;
  // Some step's call may take long, see engine::blocks().
  [[nodiscard]] bool blocks_stepwise() const noexcept;
  // The call for its launch may.
  [[nodiscard]] bool launch_blocks() const noexcept;
  // A stream of this graph on a device, for running it step by step.
  code side_stream(std::uint32_t device, stream& out);
  // A step that is a resolved_control, when the graph is run step by step.
  executors::status run_control(std::uint32_t step, stream where);

 private:
  // What can be exchanged by giving a node other parameters.
  struct built_node {
    enum class kind : unsigned char { kernel, copy, fill, empty, native, control };
    kind what = kind::empty;
    std::uint8_t dimensions = 1;  // of a copy
    std::int32_t from = on_host;
    std::int32_t to = on_host;
    bool overlapping = false;  // a kernel, see kernel_launch
    node native;
    friend bool same_kind(const built_node& a, const built_node& b) noexcept {
      return a.what == b.what && a.from == b.from && a.to == b.to;
    }
  };
  static built_node describe_node(const memory_operation& o) noexcept;

  executors::status collect(model::array_view<const executors::graph_step> steps);
  // In place of the bodies that the action refers to.
  executors::status take_control(kept_step& s);
  // As a body: the graph's nodes in a graph of a node, and behind all of them the setting by which a loop goes on.
  executors::status build_in(graph made, const condition_setting& set, bool loop);
  executors::status add_control(kept_step& s, std::vector<node>& after);
  executors::status build_nodes();
  executors::status add_nodes(kept_step& s, std::vector<node>& after);
  // Step i waits for nothing but one kernel of its own device.
  [[nodiscard]] bool follows_one_kernel(std::size_t i) noexcept;
  // What the function adds; `after` as in add_nodes().
  executors::status add_native(executors::resolved_host_task& task, std::uint32_t device,
                               std::vector<node>& after);
  executors::status prepare(kept_step& s);
  // Gives a kernel that reads its range the word for it.
  executors::status take_range_word(kept_step& s);
  executors::status instantiate();
  executors::status reinstantiate();
  executors::status exchange(model::array_view<const std::uint32_t> indices,
                             model::array_view<const executors::graph_step> steps);
  executors::status build_anew();
  // Until the next update it is run step by step.
  void lose_native() noexcept;
  // Some step copies between devices of which one does not reach the other: only step by step the driver finds a way.
  [[nodiscard]] bool copies_past_graphs() noexcept;
  // More steps one after the other than the driver takes.
  [[nodiscard]] bool has_long_chains() const;
  [[nodiscard]] bool past_graphs();
  // Without nodes: what steps need is looked for all the same.
  executors::status prepare_stepwise();
  [[nodiscard]] bool fits_nodes(const kept_step& s) const noexcept;
  // Gives the nodes of a step what is prepared; the graph's nodes or those of the executable graph.
  code set_nodes(const kept_step& s) noexcept;
  code update_nodes(const kept_step& s) noexcept;
  [[nodiscard]] bool updatable(const kept_step& s) const noexcept;
  void destroy_native() noexcept;

  engine& engine_;
  std::vector<kept_step> steps_;
  std::vector<std::uint32_t> waits_;
  std::vector<std::uint32_t> first_wait_;  // one more than there are steps
  std::vector<built_node> nodes_;
  std::vector<std::uint32_t> devices_;
  std::vector<std::pair<std::uint32_t, stream>> side_streams_;
  outside_links links_;
  node_stamps stamps_;
  graph graph_;
  executable executable_;
  step_operations operations_;
  bool reads_ranges_ = false;
  bool copies_of_host_ = false;  // some step copies memory of the host
  bool body_ = false;            // graph_ is a node's
  bool one_executable_ = false;  // there must not be a second one at the same time
  std::vector<node> ends_;       // of a body: what nothing in it waits for
  bool lost_ = false;  // an update failed half-way, or past_graphs(): there is no native graph
  bool overlap_refused_ = false;  // the driver did not take a graph with overlapping kernels
};

}  // namespace pianola::gpu
