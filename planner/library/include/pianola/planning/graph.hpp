// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine.hpp"
#include "types.hpp"

namespace pianola::planning {

struct buffer_description {
  std::string name{};
  extent range{};                  // elements
  std::uint32_t element_size = 4;  // bytes
  extent page{};           // elements; accesses conflict by pages. None: the buffer is one page
  bool temporary = false;  // nothing is valid before the graph or after it
  bool evictable = false;  // may leave a device's memory where room is short
};

enum class usm_kind : std::uint8_t { host, device, shared };

// Memory that commands name by pointers. Nothing is moved for it, and its order is up to whoever adds edges; check() looks
// for what is wrong with that.
struct allocation_description {
  usm_kind kind = usm_kind::device;
  memory_id memory = host_memory;
  std::uint64_t bytes = 0;
};

enum class access : std::uint8_t { read, write, read_write };

// What a command needs of a buffer.
struct requirement {
  buffer_id buffer{};
  access mode = access::read_write;
  bool no_init = false;               // writes, and what was there before is not needed
  std::optional<box> elements{};      // none: all of the buffer
  std::optional<memory_id> memory{};  // where it is needed; none: where the command runs
};
[[nodiscard]] requirement reads(buffer_id buffer, std::optional<box> elements = {});
[[nodiscard]] requirement overwrites(buffer_id buffer, std::optional<box> elements = {});
[[nodiscard]] requirement updates(buffer_id buffer, std::optional<box> elements = {});

// The bytes [begin, end) of an allocation. Exact: each of them is accessed for certain; else none outside of them. What is
// added is in the allocation; in a graph that was recorded a kernel may touch what is in front of it (below 0) and behind.
struct usm_range {
  allocation_id allocation{};
  std::int64_t begin = 0;
  std::int64_t end = 0;
  access mode = access::read_write;
  bool exact = true;
};

// In the words of files.
enum class command_kind : std::uint8_t {
  empty,
  kernel,
  copy,
  fill,
  host_task,
  barrier,
  prefetch,
  advise,
  host_access,
  acquire,
  subgraph,
  allocate,
  free
};

struct command {
  command_kind kind = command_kind::kernel;
  std::string name{};
  // None: for a kernel the first of the candidates; for what the host does, the host's device where there is one.
  std::optional<device_id> device{};
  std::vector<device_id> candidates{};  // where it may be placed instead
  // Those of a host task or host access are met in the host's memory unless they name one. A copy has two, with boxes of
  // one shape: what is read and what is written; a fill has one.
  std::vector<requirement> requirements{};
  std::vector<command_id> after{};        // edges besides those that follow from buffers
  std::vector<usm_range> usm{};           // a copy or fill may have one in place of a requirement
  extent range{1};                        // of a kernel: work-items
  extent group{};                         // of a kernel: their groups; none: it has no groups
  double bytes = 0;                       // that a kernel reads and writes in all; 0: not known
  double operations = 0;                  // likewise, arithmetic
  std::optional<std::uint64_t> kernel{};  // none: kernel_of(name)
  double measured = 0;                    // seconds that it took when it ran; 0: not known
};

// `to` waits for `from`.
struct edge {
  command_id from{};
  command_id to{};
};

enum class finding_kind : std::uint8_t {
  race,
  freed_in_use,
  use_after_free,
  never_written,
  out_of_bounds
};

// What is wrong with accesses to an allocation, or to a buffer.
struct finding {
  finding_kind kind = finding_kind::race;
  command_id first{};
  std::optional<command_id> second{};  // of a race
  allocation_id allocation{};          // where it is about none, 0
  std::optional<buffer_id> buffer{};   // where it is about one
  std::int64_t begin = 0, end = 0;     // the first bytes that it is about; below 0: in front
  bool first_writes = false, second_writes = false;
  bool certain = true;
  std::string text{};  // in words, one paragraph
};

namespace detail {
struct graph_data;
}

// Commands in the order of submission, with what each needs. Copies are independent of each other; a plan keeps the graph
// as it was when it was made.
class graph {
 public:
  // For a machine; commands name its devices and memories.
  explicit graph(const planning::machine& machine);
  ~graph();
  graph(const graph&);
  graph& operator=(const graph&);

  buffer_id add_buffer(const buffer_description& buffer);
  allocation_id add_allocation(const allocation_description& allocation);
  // Kinds empty, kernel, copy, fill, host_task, barrier and host_access; others come from files.
  command_id add(const command& command);
  command_id add_kernel(std::string name, device_id device, extent range,
                        std::vector<requirement> requirements, std::vector<command_id> after = {});

  [[nodiscard]] const planning::machine& machine() const noexcept;
  [[nodiscard]] std::size_t buffer_count() const noexcept;
  [[nodiscard]] std::size_t allocation_count() const noexcept;
  [[nodiscard]] std::size_t command_count() const noexcept;
  // These throw if there is none of that number.
  [[nodiscard]] buffer_description buffer(buffer_id id) const;
  [[nodiscard]] allocation_description allocation(allocation_id id) const;
  [[nodiscard]] planning::command command(command_id id) const;
  // The elements of a box of pages, and the smallest box that holds the bytes [begin, end) of the buffer.
  [[nodiscard]] box elements_of_pages(buffer_id id, const box& pages) const;
  [[nodiscard]] box elements_of_bytes(buffer_id id, std::uint64_t begin, std::uint64_t end) const;
  // What commands wait for, from buffers and as asked for. Sorted.
  [[nodiscard]] std::vector<edge> edges() const;
  // Of everything that planning depends on: plans name it.
  [[nodiscard]] std::uint64_t structural_hash() const;
  // Races for allocations, reads of what was never written, uses of what was freed. `suspicions`: also what may be.
  [[nodiscard]] std::vector<finding> check(bool suspicions = false) const;
  // For people: at most `maximum` of anything, 0: all.
  [[nodiscard]] std::string to_text(std::size_t maximum = 400) const;

 private:
  friend struct detail::graph_data;
  explicit graph(std::shared_ptr<detail::graph_data> data);
  detail::graph_data& own();
  std::shared_ptr<detail::graph_data> data_;
};

// Format pianola.graph/1. These throw planning::error: "<source>: <JSON path>: <reason>". A folder stands for the run that
// `pianola record` wrote into it.
[[nodiscard]] graph read_graph(std::string_view json, std::string_view source = "graph");
[[nodiscard]] graph load_graph(const std::string& path);
[[nodiscard]] std::string to_json(const graph&);
void save(const graph&, const std::string& path);

}  // namespace pianola::planning
