// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <pianola/model/allocation.hpp>
#include <pianola/model/arena.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/requirement.hpp>

namespace pianola::recorder {

// Hash of everything planning depends on (buffers' shapes, kinds of commands, requirements, edges,
// placement), and of nothing else (no addresses, no argument bytes).
[[nodiscard]] std::uint64_t structural_hash(model::array_view<const model::command> commands,
                                            model::array_view<const model::buffer_info> buffers);

// A sequence of commands in submission order with their requirements and explicit edges: what was
// recorded, before anything is planned. Appending costs in proportion to the command alone, whatever
// the size of the graph or the number of pages of its buffers.
//
// Owns everything the commands refer to: argument bytes, slots, requirements, labels. Function
// objects are moved in by `adopt_arguments` and destroyed with the graph. What a command refers to never changes: who
// copies commands finds it as it was, as long as it keeps the graph and what `exchanged` gives.
class command_graph {
 public:
  command_graph() = default;
  ~command_graph() = default;
  command_graph(command_graph&&) noexcept = default;
  command_graph& operator=(command_graph&&) = delete;
  command_graph(const command_graph&) = delete;
  command_graph& operator=(const command_graph&) = delete;

  // Buffers are named densely, in order of first use. `external` is the caller's own name for the
  // buffer (0 for none); adding the same non-zero external name again returns the same id.
  model::buffer_id add_buffer(const model::buffer_info& info, std::uint64_t external = 0,
                              const char* label = "");

  // Copies requirements, slots, label and `after` into the graph. Argument bytes are taken over as
  // they are: pass what `adopt_arguments` returned. Every id in `after` must name an earlier command
  // and every requirement a known buffer and a box within its range: model::user_error (invalid) otherwise, and the
  // graph is unchanged. Boxes that are empty, as an accessor's to no elements is, become box().
  model::command_id append(const model::command& command);

  // The same command as an earlier one, which was not exchanged, but for its order. Both share what they refer to.
  model::command_id append_again(model::command_id same,
                                 model::array_view<const std::uint64_t> after);

  // USM allocations, for files: named densely, in order of first use. A command names those that it works on: of a
  // copy source and destination, of other memory operations the one, of a kernel those that its arguments point to;
  // model::no_allocation for what is none. Throws model::user_error (invalid) if a name is unknown.
  std::uint32_t add_allocation(const model::usm_allocation&);
  void set_allocations(model::command_id, model::array_view<const std::uint32_t>);
  // When the allocation was made and freed, as model::usm_allocation has it.
  void set_life(std::uint32_t allocation, std::uint64_t allocated, std::uint64_t freed) {
    allocations_[allocation].allocated = allocated;
    allocations_[allocation].freed = freed;
  }
  // Throws model::user_error (invalid) if its command or allocation is not known, if it touches nothing, or if it comes
  // before one of an earlier command.
  void add_usm_access(const model::usm_access&);
  // The same of a buffer.
  void add_buffer_read(const model::buffer_read&);
  // Of a run: nothing had been written to the buffer before the first command, by the host neither.
  void set_unwritten(model::buffer_id id);

  // A graph that a command runs, of kind subgraph, for files: a loop's body, a branch. Each has as many as the command says.
  struct body {
    model::command_id command;
    std::vector<model::buffer_id> buffers;  // index: its buffer; what that is called here
    std::shared_ptr<const command_graph> graph;
    std::string plan;  // of format pianola.plan/1
  };
  // Throws model::user_error (invalid) if the command runs no other graphs, if a buffer is not known or not of this shape, or
  // if it comes before one of an earlier command.
  void add_body(body b);

  // Storage for `source`, copy-constructed (or copied bytewise), owned by the graph from now on.
  model::argument_block adopt_arguments(const model::argument_block& source);

  // Adds an explicit edge between two recorded commands. Throws model::user_error (invalid) if one
  // is unknown or the edge does not point forward in submission order.
  void add_edge(model::command_id from, model::command_id to);

  // Another command in the place of a recorded one; edges stay. Copies what the command refers to, its arguments too, and
  // returns what the old one referred to, which ends with it: its destructors are the program's. `kept_alive` lives as
  // long as what the command refers to. Throws as `append`.
  std::shared_ptr<const void> exchange(model::command_id id, const model::command& command,
                                       std::vector<std::shared_ptr<void>> kept_alive);
  // What was kept alive stays so.
  std::shared_ptr<const void> exchange(model::command_id id, const model::command& command);
  // Another index space of a kernel. Throws model::user_error (invalid) if the command is no kernel.
  void set_geometry(model::command_id id, const model::launch_geometry& geometry);
  // Gives a kernel or host task a copy of its arguments with other bytes in a part of it. Returns as `exchange`. Throws
  // model::user_error (invalid) if the part leaves the arguments.
  std::shared_ptr<const void> write_arguments(model::command_id id, std::uint32_t offset,
                                              const void* bytes, std::uint32_t size);

  [[nodiscard]] std::size_t size() const noexcept { return commands_.size(); }
  [[nodiscard]] bool empty() const noexcept { return commands_.empty(); }
  [[nodiscard]] const model::command& command(model::command_id id) const {
    return commands_[id.value()];
  }
  [[nodiscard]] model::array_view<const model::command> commands() const noexcept {
    return {commands_.data(), commands_.size()};
  }
  // Keeps alive what the command refers to if it was exchanged; null if it was not.
  [[nodiscard]] std::shared_ptr<const void> exchanged(model::command_id id) const {
    return id.value() < exchanged_.size() ? exchanged_[id.value()] : nullptr;
  }
  [[nodiscard]] std::size_t buffer_count() const noexcept { return buffers_.size(); }
  [[nodiscard]] const model::buffer_info& buffer(model::buffer_id id) const {
    return buffers_[id.value()];
  }
  [[nodiscard]] model::array_view<const model::buffer_info> buffers() const noexcept {
    return {buffers_.data(), buffers_.size()};
  }
  [[nodiscard]] std::uint64_t external(model::buffer_id id) const { return external_[id.value()]; }
  [[nodiscard]] const char* buffer_label(model::buffer_id id) const {
    return buffer_labels_[id.value()];
  }

  [[nodiscard]] model::array_view<const model::usm_allocation> allocations() const noexcept {
    return {allocations_.data(), allocations_.size()};
  }
  [[nodiscard]] model::array_view<const std::uint32_t> allocations_of(model::command_id id) const {
    if (id.value() >= used_allocations_.size()) return {};
    return used_allocations_[id.value()];
  }

  // Ascending by command.
  [[nodiscard]] model::array_view<const model::usm_access> usm_accesses() const noexcept {
    return {usm_accesses_.data(), usm_accesses_.size()};
  }

  // Ascending by command.
  [[nodiscard]] model::array_view<const model::buffer_read> buffer_reads() const noexcept {
    return {buffer_reads_.data(), buffer_reads_.size()};
  }
  [[nodiscard]] bool is_unwritten(model::buffer_id id) const noexcept {
    return id.value() < unwritten_.size() && unwritten_[id.value()];
  }
  [[nodiscard]] const std::vector<body>& bodies() const noexcept { return bodies_; }

  [[nodiscard]] std::uint64_t structural_hash() const {
    return recorder::structural_hash(commands(), buffers());
  }

 private:
  // What commands refer to.
  class storage {
   public:
    explicit storage(std::size_t block_bytes) : arena(block_bytes) {}
    ~storage();
    storage(storage&&) noexcept = default;
    storage& operator=(storage&&) = delete;
    storage(const storage&) = delete;
    storage& operator=(const storage&) = delete;

    // Everything that the command refers to, but its arguments, becomes this one's own.
    void adopt(model::command& command);
    model::argument_block adopt_arguments(const model::argument_block& source);

    model::arena arena;
    std::vector<std::shared_ptr<void>> kept_alive;
    model::array_view<const model::device_id> candidates;  // of the command before: mostly the same

   private:
    struct owned_object {
      void* object;
      const model::object_operations* operations;
    };
    std::vector<owned_object> objects_;
  };

  // The predecessors of a command that got some one by one, and how many there is room for. As long as they ascend, what
  // is new among them is found without a look at each.
  struct growing_list {
    std::uint64_t* commands = nullptr;
    std::size_t room = 0;
    bool ascends = true;
  };

  static void check_order(model::array_view<const std::uint64_t> after, std::uint64_t number);
  void check_requirements(const model::command& command, std::uint64_t number) const;

  storage own_{model::arena::large_blocks};
  // Of exchanged commands: each has its own. Index: command; as long as it has to be.
  std::vector<std::shared_ptr<storage>> exchanged_;
  std::vector<model::command> commands_;
  std::vector<model::buffer_info> buffers_;
  std::vector<std::uint64_t> external_;
  std::vector<const char*> buffer_labels_;
  std::vector<model::usm_allocation> allocations_;
  std::vector<model::usm_access> usm_accesses_;
  std::vector<model::buffer_read> buffer_reads_;
  std::vector<bool> unwritten_;  // index: buffer; may be shorter
  std::vector<body> bodies_;
  std::vector<model::array_view<const std::uint32_t>>
      used_allocations_;  // index: command; may be shorter
  std::unordered_map<std::uint64_t, model::buffer_id> by_external_;
  std::unordered_map<std::uint32_t, growing_list> growing_;  // by command
};

}  // namespace pianola::recorder
