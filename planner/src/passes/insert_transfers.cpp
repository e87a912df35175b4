// SPDX-License-Identifier: Apache-2.0
#include "insert_transfers.hpp"

#include <optional>
#include <string>

#include <fmt/format.h>

#include <pianola/model/error.hpp>

#include "coalesce_transfers.hpp"
#include "cost/routes.hpp"
#include "evict_buffers.hpp"

namespace pianola::planner {

using model::box;
using model::memory_id;

namespace {

// Steps that are promised for this command but have no number yet: the level is added.
constexpr std::uint64_t promised = std::uint64_t{1} << 53;

class inserter {
 public:
  inserter(window& window, planning_state& state) : window_(window), im_(state.internals()) {
    if (!window.room.empty()) room_.emplace(window, im_);
  }

  void insert(std::uint32_t position) {
    const std::uint32_t index = window_.command_at(position);
    const model::command& c = window_.commands[index];
    const placement& place = window_.places[index];
    if (room_) [[unlikely]]
      room_->make_room(position, [this](const evictor::departure& d) { leave(d); });
    window_.outdated.clear();
    window_.found.clear();
    for (const model::requirement& r : c.requirements)
      if (r.needs_data() && !r.elements.empty())
        meet(c, r, r.memory.valid() ? r.memory : place.memory);
    if (!window_.outdated.empty()) make_transfers();

    const std::uint64_t step = window_.first + window_.nodes.size();
    window_.node_of_command[index] = static_cast<std::uint32_t>(window_.nodes.size());
    node& n = window_.nodes.emplace_back();
    n.index = index;
    n.device = place.device;
    n.first_edge = static_cast<std::uint32_t>(window_.data_edges.size());
    n.edge_count = static_cast<std::uint32_t>(window_.found.size());
    for (const std::uint64_t producer : window_.found) window_.data_edges.push_back(producer);

    // What a graph launch writes is said by its exit state.
    if (!window_.recorded && std::holds_alternative<model::subgraph_command>(c.payload)) return;
    for (const model::requirement& r : c.requirements)
      if (writes(r.mode) && !r.elements.empty())
        write(r, r.memory.valid() ? r.memory : place.memory, step);
  }

  // All commands have been inserted. What rests on the host between replays gets there.
  void finish() {
    if (!room_) return;
    room_->finish([this](const evictor::departure& d) { leave(d); });
    for (std::size_t i = 0; i < im_.buffers.size(); ++i) {
      if (window_.rests_on_host[i] == 0) continue;
      window_.outdated.clear();
      window_.found.clear();
      const model::buffer_id id(static_cast<std::uint32_t>(i));
      buffer_state& b = im_.buffers[i];
      b.valid.update(b.valid.domain(), [&](const box& where, validity& v) {
        if (v.valid.empty() || v.valid.contains(model::host_memory)) return false;
        const memory_id from = v.valid.lowest();
        promise({level_after(v, from), id, from, model::host_memory, where}, v);
        return true;
      });
      if (!window_.outdated.empty()) make_transfers();
    }
  }

 private:
  // A buffer leaves a memory. What is nowhere else goes to the host, if somebody will need it.
  void leave(const evictor::departure& d) {
    buffer_state& b = im_.at(d.buffer);
    if (d.keep) {
      window_.outdated.clear();
      window_.found.clear();
      b.valid.update(b.valid.domain(), [&](const box& where, validity& v) {
        if (!v.valid.contains(d.memory) || !v.valid.at_most_one()) return false;
        promise({level_after(v, d.memory), d.buffer, d.memory, model::host_memory, where}, v);
        return true;
      });
      if (!window_.outdated.empty()) make_transfers();
    }
    b.valid.update(b.valid.domain(), [&](const box&, validity& v) {
      if (!v.valid.contains(d.memory)) return false;
      v.valid.remove(d.memory);
      v.producers.remove(d.memory);
      return true;
    });
  }

  // Notes who made the data valid, or, for outdated parts, what has to be moved.
  void meet(const model::command& c, const model::requirement& r, memory_id memory) {
    buffer_state& b = im_.at(r.buffer);
    bool written = false;
    auto meet_box = [&](const box& where, validity& v) {
      written = written || !v.valid.empty();
      if (v.valid.contains(memory)) {
        const std::uint64_t producer = v.producers.find(memory);
        if (producer != no_step) {
          if (producer < promised) add(producer);
          return false;
        }
        if (!window_.recorded || v.taken.contains(memory)) return false;
        v.taken.add(memory);
        return true;
      }
      if (v.valid.empty()) return false;
      const box needed = needs_pages(c) ? b.info.grid.page_aligned(r.elements) : r.elements;
      const route way = choose_route(im_.links, *window_.machine, v.valid, memory,
                                     needed.count() * b.info.element_size);
      std::uint32_t level = level_after(v, way.source);
      memory_id from = way.source;
      if (way.over_host) {
        promise({level++, r.buffer, from, model::host_memory, where}, v);
        from = model::host_memory;
      }
      promise({level, r.buffer, from, memory, where}, v);
      return true;
    };
    if (needs_pages(c))
      update_pages(b, b.valid, r.elements, meet_box);
    else
      update_elements(b.valid, r.elements, meet_box);
    if (window_.recorded && b.info.temporary && r.mode == model::access_mode::read && !written)
        [[unlikely]]
      throw model::user_error(
          model::error_code::invalid,
          fmt::format("command {} reads {}, a temporary buffer of which no command before it has "
                      "written anything there; temporary buffers hold nothing when a graph begins. "
                      "Write it first, or leave property::buffer::temporary out",
                      &c - window_.commands.data(), window_.wanted->name_of(r.buffer)));
  }

  static std::uint32_t level_after(const validity& v, memory_id source) {
    const std::uint64_t producer = v.producers.find(source);
    if (producer == no_step || producer < promised) return 0;
    return static_cast<std::uint32_t>(producer - promised) + 1;
  }

  void promise(const outdated_box& o, validity& v) {
    window_.outdated.push_back(o);
    v.valid.add(o.to);
    v.producers.set(o.to, promised + o.level);
  }

  void add(std::uint64_t step) {
    if (step < window_.retired) return;
    if (!window_.found.empty() && window_.found.back() == step) return;
    window_.found.push_back(step);
  }

  // Numbers the transfers and puts the numbers in the place of the promises. Levels come in order,
  // so the sources of a transfer are numbered when its turn comes.
  void make_transfers() {
    if (window_.wanted->coalesce)
      coalesce_outdated(window_.outdated, window_.boxes);
    else
      sort_outdated(window_.outdated);
    for (const outdated_box& o : window_.outdated) {
      const std::uint64_t step = window_.first + window_.nodes.size();
      node& n = window_.nodes.emplace_back();
      n.index = static_cast<std::uint32_t>(window_.transfers.size());
      n.transfer = true;
      n.device = im_.transferring.of(o.from, o.to);
      n.first_edge = static_cast<std::uint32_t>(window_.data_edges.size());
      im_.at(o.buffer).valid.update(o.elements, [&](const box&, validity& v) {
        const std::uint64_t producer = v.producers.find(o.from);
        if (producer != no_step) {
          if (producer >= window_.retired &&
              (window_.data_edges.size() == n.first_edge || window_.data_edges.back() != producer))
            window_.data_edges.push_back(producer);
        } else if (window_.recorded) {
          v.taken.add(o.from);
        }
        v.producers.set(o.to, step);
        return true;
      });
      n.edge_count = static_cast<std::uint32_t>(window_.data_edges.size()) - n.first_edge;
      window_.transfers.push_back({o.buffer, o.from, o.to, o.elements});
      window_.found.push_back(step);
    }
  }

  void write(const model::requirement& r, memory_id memory, std::uint64_t step) {
    buffer_state& b = im_.at(r.buffer);
    const model::memory_set here(memory);
    auto write_box = [&](const box&, validity& v) {
      // A launch may leave the same data in several memories.
      const bool also_elsewhere = !v.valid.empty() && v.producers.find(v.valid.lowest()) == step;
      if (also_elsewhere) {
        v.valid.add(memory);
        v.producers.set(memory, step);
      } else {
        v.valid = here;
        v.producers.assign(memory, step);
      }
      return true;
    };
    if (r.needs_data())
      update_pages(b, b.valid, r.elements, write_box);
    else
      update_elements(b.valid, r.elements, write_box);
  }

  window& window_;
  planning_state::implementation& im_;
  std::optional<evictor> room_;
};

}  // namespace

void insert_transfers(window& window, planning_state& state) {
  inserter all(window, state);
  const auto n = static_cast<std::uint32_t>(window.commands.size());
  window.node_of_command.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) all.insert(i);
  all.finish();
}

}  // namespace pianola::planner
