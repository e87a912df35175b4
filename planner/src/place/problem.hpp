// SPDX-License-Identifier: Apache-2.0
// A recorded graph as placement sees it: flat lists of numbers, made once, gone through many times.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/model/requirement.hpp>
#include <pianola/model/topology.hpp>

#include "pianola/planner/cost/links.hpp"

namespace pianola::planner::place {

// Where a command may run, and how long it takes there with its data in place.
struct choice {
  model::device_id device;
  std::uint16_t memory;  // of the device
  double seconds;
};

// Some cells that a command needs, or writes: problem::cells[first, first + count).
struct data_use {
  static constexpr std::uint16_t own_memory = 0xffff;
  std::uint32_t first;
  std::uint32_t count;
  std::uint32_t buffer;
  std::uint16_t memory;  // own_memory: that of the device
  std::uint64_t bytes;   // of all the cells
};

// What comes before a command: another, of which so many bytes are read. 0: order alone.
struct predecessor {
  std::uint32_t command;
  std::uint64_t bytes;
};

// The way from one memory to another.
struct way : planner::way {
  std::uint32_t resource = 0;  // who goes the same way, or over the same bus, waits for it
};

// A cell is a part of a buffer that every command uses as a whole or not at all, so that where it is valid is one set of
// memories.
// A buffer whose boxes overlap so wildly that its cells would be too many counts as one cell: then more bytes are
// expected to move than will.
class problem {
 public:
  // Commands without candidates have one choice. The machine must outlive this.
  problem(model::array_view<const model::command> commands,
          model::array_view<const model::buffer_info> buffers, const model::topology& machine);

  [[nodiscard]] std::size_t size() const noexcept { return choices_of_.size(); }
  [[nodiscard]] std::size_t memories() const noexcept { return memories_; }
  // Words that have a bit for each memory.
  [[nodiscard]] std::size_t mask_words() const noexcept { return mask_words_; }
  [[nodiscard]] std::size_t devices() const noexcept { return devices_; }
  [[nodiscard]] std::size_t resources() const noexcept { return resources_; }
  [[nodiscard]] std::size_t cell_count() const noexcept { return cell_bytes_.size(); }
  [[nodiscard]] std::uint64_t bytes_of_cell(std::uint32_t cell) const { return cell_bytes_[cell]; }
  [[nodiscard]] std::size_t buffer_count() const noexcept { return buffer_bytes_.size(); }
  [[nodiscard]] std::uint64_t bytes_of_buffer(std::uint32_t b) const { return buffer_bytes_[b]; }

  [[nodiscard]] model::array_view<const choice> choices(std::size_t command) const {
    const choice_list& list = choices_of_[command];
    return {choices_.data() + list.first, list.count};
  }
  // Which of the choices is the device; none: it has no such. Mostly it is that of the same number as in another command.
  static constexpr std::uint32_t none = 0xffffffffU;
  [[nodiscard]] std::uint32_t choice_with(std::size_t command, model::device_id device,
                                          std::size_t likely) const {
    const auto all = choices(command);
    if (likely < all.size() && all[likely].device == device)
      return static_cast<std::uint32_t>(likely);
    for (std::uint32_t k = 0; k < all.size(); ++k)
      if (all[k].device == device) return k;
    return none;
  }
  // Which of the choices the queue made.
  [[nodiscard]] std::uint32_t submitted(std::size_t command) const { return submitted_[command]; }
  [[nodiscard]] model::array_view<const data_use> reads(std::size_t command) const {
    return part(reads_, first_read_, command);
  }
  [[nodiscard]] model::array_view<const data_use> writes(std::size_t command) const {
    return part(writes_, first_write_, command);
  }
  [[nodiscard]] model::array_view<const std::uint32_t> cells(const data_use& use) const {
    return {cells_.data() + use.first, use.count};
  }
  [[nodiscard]] model::array_view<const predecessor> before(std::size_t command) const {
    return part(before_, first_before_, command);
  }
  // Whether all that the command uses is in the memory of its device.
  [[nodiscard]] bool at_home(std::size_t command) const { return at_home_[command]; }
  // A number for each device, the same for those that can change places in any placement in which no other of them has
  // anything to do, and nothing that it comes to changes.
  [[nodiscard]] std::vector<std::uint32_t> kinds_of_devices() const;
  // Commands with more than one choice, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& free_commands() const noexcept { return free_; }

  [[nodiscard]] const way& between(std::size_t from, std::size_t to) const {
    return ways_[from * memories_ + to];
  }
  // Seconds of a transfer alone, over the host's memory where there is no link; 0 of nothing, and from a memory to itself.
  [[nodiscard]] double transfer_seconds(std::size_t from, std::size_t to,
                                        std::uint64_t bytes) const {
    return bytes == 0 ? 0 : between(from, to).seconds(bytes);
  }
  // The memory to take data from that is valid in these, by connections::cheapest. `valid`: mask_words.
  [[nodiscard]] std::size_t source_for(const std::uint64_t* valid, std::size_t to,
                                       std::uint64_t bytes, bool& over_host) const;
  // Between any two different devices at least.
  [[nodiscard]] double least_transfer_seconds(std::uint64_t bytes) const noexcept {
    return bytes == 0 ? 0 : least_latency_ + static_cast<double>(bytes) * least_per_byte_;
  }
  // Of a transfer of so many bytes, over all pairs of different devices.
  [[nodiscard]] double mean_transfer_seconds(std::uint64_t bytes) const noexcept {
    return bytes == 0 ? 0 : mean_latency_ + static_cast<double>(bytes) * mean_per_byte_;
  }

 private:
  template <class T>
  static model::array_view<const T> part(const std::vector<T>& all,
                                         const std::vector<std::uint32_t>& first, std::size_t i) {
    return {all.data() + first[i], first[i + 1] - first[i]};
  }
  void add_ways(const model::topology& machine);
  void add_choices(model::array_view<const model::command> commands,
                   model::array_view<const model::buffer_info> buffers,
                   const model::topology& machine);
  struct cutter;

  // Commands that may run on the same devices and take the same there share one.
  struct choice_list {
    std::uint32_t first, count;
  };
  class choice_lists;

  std::size_t memories_;
  std::size_t mask_words_;
  std::size_t devices_;
  std::size_t resources_ = 0;
  connections links_;
  std::vector<way> ways_;
  std::vector<std::uint16_t> memory_of_device_;
  double mean_latency_ = 0;
  double mean_per_byte_ = 0;
  double least_latency_ = 0;
  double least_per_byte_ = 0;

  std::vector<choice> choices_;
  std::vector<choice_list> choices_of_;
  std::vector<choice_list> lists_;  // each once
  std::vector<std::uint32_t> submitted_, free_;
  std::vector<data_use> reads_, writes_;
  std::vector<std::uint32_t> first_read_, first_write_;
  std::vector<bool> at_home_;
  std::vector<std::uint32_t> cells_;
  std::vector<std::uint64_t> cell_bytes_, buffer_bytes_;
  std::vector<predecessor> before_;
  std::vector<std::uint32_t> first_before_;
};

// Of each command, by index, which of its choices.
using placing_of_all = std::vector<std::uint32_t>;

}  // namespace pianola::planner::place
