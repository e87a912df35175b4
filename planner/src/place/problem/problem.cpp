// SPDX-License-Identifier: Apache-2.0
#include "place/problem.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <memory>
#include <unordered_map>

#include <boost/container_hash/hash.hpp>

#include "cost/link_lines.hpp"
#include "pianola/planner/cost/machine_costs.hpp"
#include "state/region_map.hpp"
#include "state/window.hpp"

namespace pianola::planner::place {

using model::box;

namespace {

struct box_of_buffer {
  std::uint32_t buffer;
  box where;
  friend bool operator==(const box_of_buffer& a, const box_of_buffer& b) noexcept {
    return a.buffer == b.buffer && a.where == b.where;
  }
};
struct box_hash {
  std::size_t operator()(const box_of_buffer& b) const noexcept {
    std::size_t h = 0;
    boost::hash_combine(h, b.buffer);
    for (int d = 0; d < 3; ++d) {
      boost::hash_combine(h, b.where.lo.c[d]);
      boost::hash_combine(h, b.where.hi.c[d]);
    }
    return h;
  }
};

}  // namespace

// Cuts buffers into cells, and says what commands use of them and what they wait for.
struct problem::cutter {
  cutter(problem& to, model::array_view<const model::command> from,
         model::array_view<const model::buffer_info> infos)
      : result(to), commands(from), buffers(infos) {}

  void run() {
    collect();
    cut();
    use_cells();
    order();
  }

 private:
  struct known_box {
    box where;
    std::uint32_t next;  // of the same buffer
    std::uint32_t first = 0, count = 0;
    std::uint64_t bytes = 0;
  };
  // A requirement's box for conflicts, and the one for its data.
  struct boxes {
    std::uint32_t pages, data;
  };

  std::uint32_t add_box(std::uint32_t buffer, const box& where) {
    // Most buffers are used in few ways.
    if (box_count[buffer] < 8)
      for (std::uint32_t b = newest[buffer]; b != none; b = all[b].next)
        if (all[b].where == where) return b;
    if (box_count[buffer] < 7) {
      all.push_back({where, newest[buffer]});
      newest[buffer] = static_cast<std::uint32_t>(all.size() - 1);
      ++box_count[buffer];
      return newest[buffer];
    }
    const auto [at, fresh] =
        names.try_emplace({buffer, where}, static_cast<std::uint32_t>(all.size()));
    if (fresh) {
      all.push_back({where, newest[buffer]});
      newest[buffer] = at->second;
      ++box_count[buffer];
    }
    return at->second;
  }

  void collect() {
    newest.assign(buffers.size(), none);
    box_count.assign(buffers.size(), 0);
    written.assign(buffers.size(), false);
    std::size_t requirements = 0;
    for (const model::command& c : commands) requirements += c.requirements.size();
    of_requirement.reserve(requirements);
    all.reserve(buffers.size());
    for (const model::command& c : commands)
      for (const model::requirement& r : c.requirements) {
        boxes& b = of_requirement.emplace_back(boxes{none, none});
        if (r.elements.empty()) continue;
        const std::uint32_t buffer = r.buffer.value();
        const box pages = buffers[buffer].grid.page_aligned(r.elements);
        b.pages = add_box(buffer, pages);
        // As insert_transfers: what is needed are pages, what is written without being needed are elements.
        b.data = r.needs_data() && needs_pages(c) ? b.pages : add_box(buffer, r.elements);
        written[buffer] = written[buffer] || model::writes(r.mode);
      }
  }

  std::uint32_t add_cell(std::uint64_t bytes) {
    result.cell_bytes_.push_back(bytes);
    return static_cast<std::uint32_t>(result.cell_bytes_.size() - 1);
  }

  void one_cell(std::uint32_t buffer, std::uint64_t bytes) {
    const std::uint32_t cell = add_cell(bytes);
    for (std::uint32_t b = newest[buffer]; b != none; b = all[b].next) {
      all[b].first = static_cast<std::uint32_t>(result.cells_.size());
      all[b].count = 1;
      all[b].bytes = bytes;
      result.cells_.push_back(cell);
    }
  }

  void cut() {
    result.buffer_bytes_.reserve(buffers.size());
    result.cell_bytes_.reserve(all.size());
    result.cells_.reserve(all.size());
    for (std::uint32_t buffer = 0; buffer < buffers.size(); ++buffer) {
      result.buffer_bytes_.push_back(buffers[buffer].bytes());
      if (box_count[buffer] == 0) continue;
      if (box_count[buffer] == 1) {
        one_cell(buffer, all[newest[buffer]].where.count() * buffers[buffer].element_size);
        continue;
      }
      cut_buffer(buffer);
    }
  }

  void cut_buffer(std::uint32_t buffer) {
    // Which boxes cover a point, as one number.
    region_map<std::size_t> covered(box::of(buffers[buffer].grid.range()), 0);
    for (std::uint32_t b = newest[buffer]; b != none; b = all[b].next)
      covered.update(all[b].where, [b](const box&, std::size_t& v) {
        boost::hash_combine(v, b);
        return true;
      });
    const std::size_t cells_before = result.cell_bytes_.size();
    const std::size_t lists_before = result.cells_.size();
    std::size_t next = cells_before;
    covered.transform([&next](std::size_t& v) { v = next++; });
    result.cell_bytes_.resize(next, 0);
    const std::size_t limit = lists_before + 64 * std::size_t{box_count[buffer]} + 4096;
    for (std::uint32_t b = newest[buffer]; b != none; b = all[b].next) {
      known_box& k = all[b];
      k.first = static_cast<std::uint32_t>(result.cells_.size());
      k.bytes = k.where.count() * buffers[buffer].element_size;
      covered.visit(k.where, [&](const box& part, std::size_t cell) {
        result.cell_bytes_[cell] = part.count() * buffers[buffer].element_size;
        result.cells_.push_back(static_cast<std::uint32_t>(cell));
      });
      k.count = static_cast<std::uint32_t>(result.cells_.size()) - k.first;
      if (result.cells_.size() > limit) {
        result.cell_bytes_.resize(cells_before);
        result.cells_.resize(lists_before);
        one_cell(buffer, buffers[buffer].bytes());
        return;
      }
    }
  }

  void use_cells() {
    std::size_t at = 0;
    result.reads_.reserve(of_requirement.size());
    result.writes_.reserve(of_requirement.size());
    result.first_read_.reserve(commands.size() + 1);
    result.first_write_.reserve(commands.size() + 1);
    for (const model::command& c : commands) {
      result.first_read_.push_back(static_cast<std::uint32_t>(result.reads_.size()));
      result.first_write_.push_back(static_cast<std::uint32_t>(result.writes_.size()));
      const bool by_host = std::holds_alternative<model::host_access_command>(c.payload);
      bool home = true;
      for (const model::requirement& r : c.requirements) {
        const boxes& b = of_requirement[at++];
        if (b.pages == none) continue;
        const auto memory = r.memory.valid() ? static_cast<std::uint16_t>(r.memory.value())
                            : by_host ? static_cast<std::uint16_t>(model::host_memory.value())
                                      : data_use::own_memory;
        home = home && memory == data_use::own_memory;
        const known_box& read = all[b.data];
        const known_box& changed = r.needs_data() ? all[b.pages] : read;
        const auto use_of = [&](const known_box& k) {
          return data_use{k.first, k.count, r.buffer.value(), memory, k.bytes};
        };
        if (r.needs_data()) result.reads_.push_back(use_of(read));
        if (model::writes(r.mode)) result.writes_.push_back(use_of(changed));
      }
      result.at_home_.push_back(home);
    }
    result.first_read_.push_back(static_cast<std::uint32_t>(result.reads_.size()));
    result.first_write_.push_back(static_cast<std::uint32_t>(result.writes_.size()));
  }

  // Conflicts as derive_dependencies finds them: on pages, where anybody writes.
  void order() {
    const std::size_t cells = result.cell_bytes_.size();
    struct reader {
      std::uint32_t command, next;
    };
    // Together, as each access asks for all of it.
    struct history {
      std::uint32_t writer = none, readers = none;
      std::uint32_t maker = none;    // of the data, which a no_init write makes in parts
      std::uint32_t counted = none;  // by which command: a cell that it needs twice counts once
    };
    std::vector<history> known(cells);
    std::vector<reader> list;
    std::vector<std::uint32_t> seen(commands.size(), none);  // where in before_, for this command
    list.reserve(of_requirement.size());
    result.before_.reserve(of_requirement.size());
    result.first_before_.reserve(commands.size() + 1);
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < commands.size(); ++i) {
      const model::command& c = commands[i];
      result.first_before_.push_back(static_cast<std::uint32_t>(result.before_.size()));
      const auto first = static_cast<std::uint32_t>(result.before_.size());
      const auto add = [&](std::uint32_t earlier, std::uint64_t bytes) {
        if (earlier == none || earlier == i) return;
        if (seen[earlier] != none && seen[earlier] >= first) {
          result.before_[seen[earlier]].bytes += bytes;
          return;
        }
        seen[earlier] = static_cast<std::uint32_t>(result.before_.size());
        result.before_.push_back({earlier, bytes});
      };
      for (const std::uint64_t after : c.after) add(static_cast<std::uint32_t>(after), 0);
      const std::size_t first_requirement = at;
      for (const model::requirement& r : c.requirements) {
        const boxes& b = of_requirement[at++];
        if (b.pages == none || !written[r.buffer.value()]) continue;
        if (r.needs_data())
          for (const std::uint32_t cell : cells_of(b.data)) {
            history& h = known[cell];
            if (h.counted == i) continue;
            h.counted = i;
            add(h.maker, result.cell_bytes_[cell]);
          }
        for (const std::uint32_t cell : cells_of(b.pages)) {
          const history& h = known[cell];
          add(h.writer, 0);
          if (!model::writes(r.mode)) continue;
          for (std::uint32_t reads = h.readers; reads != none; reads = list[reads].next)
            add(list[reads].command, 0);
        }
      }
      // All of a command's accesses are met before any counts for those that follow.
      at = first_requirement;
      for (const model::requirement& r : c.requirements) {
        const boxes& b = of_requirement[at++];
        if (b.pages == none || !written[r.buffer.value()]) continue;
        if (model::writes(r.mode)) {
          for (const std::uint32_t cell : cells_of(b.pages)) {
            known[cell].writer = i;
            known[cell].readers = none;
          }
          for (const std::uint32_t cell : cells_of(r.needs_data() ? b.pages : b.data))
            known[cell].maker = i;
          continue;
        }
        for (const std::uint32_t cell : cells_of(b.pages)) {
          history& h = known[cell];
          if (h.writer == i) continue;
          list.push_back({i, h.readers});
          h.readers = static_cast<std::uint32_t>(list.size() - 1);
        }
      }
    }
    result.first_before_.push_back(static_cast<std::uint32_t>(result.before_.size()));
  }

  [[nodiscard]] model::array_view<const std::uint32_t> cells_of(std::uint32_t b) const {
    return {result.cells_.data() + all[b].first, all[b].count};
  }

  problem& result;
  model::array_view<const model::command> commands;
  model::array_view<const model::buffer_info> buffers;
  std::unordered_map<box_of_buffer, std::uint32_t, box_hash> names;
  std::vector<known_box> all;
  std::vector<std::uint32_t> newest, box_count;  // index: buffer
  std::vector<bool> written;                     // index: buffer
  std::vector<boxes> of_requirement;             // of all commands, one after the other
};

problem::problem(model::array_view<const model::command> commands,
                 model::array_view<const model::buffer_info> buffers,
                 const model::topology& machine)
    : memories_(machine.memories.size()),
      mask_words_((machine.memories.size() + 63) / 64),
      devices_(machine.devices.size()),
      links_(machine) {
  add_ways(machine);
  add_choices(commands, buffers, machine);
  cutter(*this, commands, buffers).run();
}

void problem::add_ways(const model::topology& machine) {
  ways_.reserve(memories_ * memories_);
  for (std::size_t from = 0; from < memories_; ++from)
    for (std::size_t to = 0; to < memories_; ++to)
      ways_.push_back({links_.between(model::memory_id(static_cast<std::uint16_t>(from)),
                                      model::memory_id(static_cast<std::uint16_t>(to))),
                       0});
  for (const model::device_description& d : machine.devices)
    memory_of_device_.push_back(d.memory.value());
  const link_lines lines(machine);
  resources_ = lines.count;
  for (std::size_t i = 0; i < machine.links.size(); ++i) {
    const model::link_description& l = machine.links[i];
    ways_[l.from.value() * memories_ + l.to.value()].resource = lines.of_link[i];
  }
  std::size_t pairs = 0;
  least_latency_ = least_per_byte_ = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < devices_; ++a)
    for (std::size_t b = 0; b < devices_; ++b) {
      if (a == b) continue;
      ++pairs;
      const std::size_t from = machine.devices[a].memory.value();
      const std::size_t to = machine.devices[b].memory.value();
      if (from == to) {
        least_latency_ = least_per_byte_ = 0;
        continue;
      }
      mean_latency_ += between(from, to).latency;
      mean_per_byte_ += between(from, to).per_byte;
      least_latency_ = std::min(least_latency_, between(from, to).latency);
      least_per_byte_ = std::min(least_per_byte_, between(from, to).per_byte);
    }
  if (pairs != 0) {
    mean_latency_ /= static_cast<double>(pairs);
    mean_per_byte_ /= static_cast<double>(pairs);
  } else {
    least_latency_ = least_per_byte_ = 0;
  }
}

// Makes the lists of choices, each once: of many devices few differ, and of many commands few.
class problem::choice_lists {
 public:
  choice_lists(problem& to, model::array_view<const model::buffer_info> buffers,
               const model::topology& machine)
      : result_(to), buffers_(buffers), machine_(machine), costs_(machine) {
    const std::vector<std::uint32_t> classes = costs_.alike_devices();
    class_of_.assign(classes.begin(), classes.end());
  }

  choice_list list_of(const model::command& c) {
    const model::array_view<const model::device_id> devices =
        c.candidates.size() < 2 ? model::array_view<const model::device_id>{&c.device, 1}
                                : c.candidates;
    candidates& where = known_candidates(devices);
    key_.clear();
    // What a copy takes depends on the memory that it is made in, which no other device has.
    if (std::holds_alternative<model::copy_command>(c.payload))
      for (const model::device_id d : devices) key_.push_back(costs_.seconds(c, buffers_, d));
    else
      for (const model::device_id d : where.of_classes)
        key_.push_back(costs_.seconds(c, buffers_, d));
    if (&where == last_of_ && key_ == last_key_) return last_list_;
    const auto [at, fresh] = where.lists.try_emplace(key_);
    last_of_ = &where;
    last_key_ = key_;
    if (!fresh) return last_list_ = at->second;
    at->second = {static_cast<std::uint32_t>(result_.choices_.size()),
                  static_cast<std::uint32_t>(devices.size())};
    const bool for_each = key_.size() == devices.size();
    for (std::size_t k = 0; k < devices.size(); ++k)
      result_.choices_.push_back(
          {devices[k], static_cast<std::uint16_t>(machine_.memory_of(devices[k]).value()),
           key_[for_each ? k : where.classes[k]]});
    result_.lists_.push_back(at->second);
    return last_list_ = at->second;
  }

 private:
  struct key_hash {
    std::size_t operator()(const std::vector<double>& key) const noexcept {
      std::uint64_t h = key.size();
      for (const double seconds : key) {
        h = (h ^ std::bit_cast<std::uint64_t>(seconds)) * 0x9e3779b97f4a7c15ULL;
        h ^= h >> 29;
      }
      return static_cast<std::size_t>(h);
    }
  };
  // Devices that some commands may run on.
  struct candidates {
    std::vector<model::device_id> devices;
    std::vector<std::uint32_t> classes;        // index: as devices; place in of_classes
    std::vector<model::device_id> of_classes;  // one device of each class
    // By the seconds on each of of_classes, or on each of the devices.
    std::unordered_map<std::vector<double>, choice_list, key_hash> lists;
  };

  candidates& known_candidates(model::array_view<const model::device_id> devices) {
    const auto same = [&](const candidates& c) {
      return std::equal(c.devices.begin(), c.devices.end(), devices.begin(), devices.end());
    };
    if (last_ != nullptr && same(*last_)) return *last_;
    std::size_t hash = 0;
    for (const model::device_id d : devices) boost::hash_combine(hash, d.value());
    std::vector<std::unique_ptr<candidates>>& alike = known_[hash];
    for (const auto& c : alike)
      if (same(*c)) return *(last_ = c.get());
    candidates& c = *alike.emplace_back(std::make_unique<candidates>());
    c.devices.assign(devices.begin(), devices.end());
    std::unordered_map<std::uint32_t, std::uint32_t> places;
    for (const model::device_id d : devices) {
      const auto [at, fresh] =
          places.try_emplace(class_of_[d.value()], static_cast<std::uint32_t>(places.size()));
      if (fresh) c.of_classes.push_back(d);
      c.classes.push_back(at->second);
    }
    return *(last_ = &c);
  }

  problem& result_;
  model::array_view<const model::buffer_info> buffers_;
  const model::topology& machine_;
  const machine_costs costs_;
  std::vector<std::uint32_t> class_of_;  // index: device
  std::unordered_map<std::size_t, std::vector<std::unique_ptr<candidates>>> known_;
  candidates* last_ = nullptr;
  // Mostly a command is as the one before it.
  std::vector<double> key_, last_key_;
  const candidates* last_of_ = nullptr;
  choice_list last_list_{};
};

void problem::add_choices(model::array_view<const model::command> commands,
                          model::array_view<const model::buffer_info> buffers,
                          const model::topology& machine) {
  choice_lists lists(*this, buffers, machine);
  choices_of_.reserve(commands.size());
  submitted_.reserve(commands.size());
  for (std::uint32_t i = 0; i < commands.size(); ++i) {
    choices_of_.push_back(lists.list_of(commands[i]));
    const std::uint32_t mine = choice_with(i, commands[i].device, commands[i].device.value());
    submitted_.push_back(mine == none ? 0 : mine);
    if (choices_of_.back().count > 1) free_.push_back(i);
  }
}

std::size_t problem::source_for(const std::uint64_t* valid, std::size_t to, std::uint64_t bytes,
                                bool& over_host) const {
  over_host = false;
  if (mask_words_ != 1) {
    const route found = links_.cheapest(valid, mask_words_,
                                        model::memory_id(static_cast<std::uint16_t>(to)), bytes);
    over_host = found.over_host;
    return found.source.value();
  }
  const std::uint64_t all = valid[0];
  if ((all & (all - 1)) == 0) {
    const auto only = static_cast<std::size_t>(__builtin_ctzll(all));
    over_host = !between(only, to).direct;
    return only;
  }
  // The same rule: of a few, each looked up in the table that is here is sooner done.
  const auto cheapest_into = [&](std::size_t target) {
    std::size_t best = none;
    double least = 0;
    for (std::uint64_t left = all; left != 0; left &= left - 1) {
      const auto from = static_cast<std::size_t>(__builtin_ctzll(left));
      const way& w = between(from, target);
      if (!w.direct) continue;
      const double seconds = w.seconds(bytes);
      if (best != none && seconds >= least) continue;
      best = from;
      least = seconds;
    }
    return best;
  };
  if (const std::size_t direct = cheapest_into(to); direct != none) return direct;
  over_host = true;
  return cheapest_into(0);
}

}  // namespace pianola::planner::place
