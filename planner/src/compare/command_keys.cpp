// SPDX-License-Identifier: Apache-2.0
#include "command_keys.hpp"

#include <string>
#include <string_view>
#include <tuple>
#include <variant>

#include <boost/container_hash/hash.hpp>

#include <pianola/formats/text.hpp>

namespace pianola::planner {

namespace {

// Good enough to tell commands of two files apart.
class mixer {
 public:
  mixer& add(std::uint64_t word) noexcept {
    boost::hash_combine(value_, word);
    return *this;
  }
  mixer& add(std::string_view text) noexcept {
    boost::hash_range(value_, text.begin(), text.end());
    return add(std::uint64_t{text.size()});
  }
  mixer& add(const model::point3& p) noexcept { return add(p.c[0]).add(p.c[1]).add(p.c[2]); }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::size_t value_ = 0;
};

using sizes = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                         std::uint64_t, std::uint64_t>;

sizes of_extents(const model::extent3& a, const model::extent3& b, std::uint64_t more) {
  return {a.c[0], a.c[1], a.c[2], b.c[0], b.c[1], b.c[2], more};
}

// How much a command does: what is particular to its kind and no name.
class size_of_command {
 public:
  sizes operator()(const model::kernel_command& c) const {
    const model::launch_geometry& g = c.geometry;
    mixer more;
    more.add(g.offset).add(g.grouped ? 1U : 0U).add(c.logical_group).add(c.local_memory_bytes);
    if (g.part != nullptr) more.add(g.part->lo).add(g.part->hi);
    return of_extents(g.global, g.local, more.value());
  }
  sizes operator()(const model::copy_command& c) const {
    mixer more;
    more.add(c.source.byte_offset).add(c.destination.byte_offset);
    return of_extents({{c.depth, c.height, c.width}}, {}, more.value());
  }
  sizes operator()(const model::fill_command& c) const {
    mixer more;
    more.add(c.destination.byte_offset).add(c.pattern_bytes);
    return of_extents({{c.depth, c.height, c.width}}, {}, more.value());
  }
  sizes operator()(const model::prefetch_command& c) const { return only(c.bytes); }
  sizes operator()(const model::advise_command& c) const { return only(c.bytes); }
  sizes operator()(const model::subgraph_command& c) const {
    return {c.nodes, static_cast<std::uint64_t>(c.control), c.count, c.bodies, 0, 0, 0};
  }
  sizes operator()(const model::allocate_command& c) const { return only(c.bytes); }
  sizes operator()(const model::free_command& c) const { return only(c.bytes); }
  sizes operator()(const model::host_task_command&) const { return only(0); }
  sizes operator()(const model::empty_command&) const { return only(0); }
  sizes operator()(const model::barrier_command&) const { return only(0); }
  sizes operator()(const model::host_access_command&) const { return only(0); }
  sizes operator()(const model::acquire_command&) const { return only(0); }

 private:
  static sizes only(std::uint64_t n) { return {n, 0, 0, 0, 0, 0, 0}; }
};

sizes size_of(const model::command& c) { return std::visit(size_of_command(), c.payload); }

// A kernel's number follows from its name, and from the file that it is in, which says nothing about what it does; nor does
// the line, which moves with whatever is written above it.
std::string name_of(const model::command& c) { return formats::without_source_places(c.label); }

}  // namespace

std::uint64_t key_of(const model::command& c, const buffer_keys& buffers, likeness how) {
  mixer key;
  key.add(static_cast<std::uint64_t>(model::kind_of(c.payload)));
  if (how == likeness::name) {
    const std::string name = name_of(c);
    key.add(std::string_view(name));
    if (name.empty())
      for (const model::requirement& r : c.requirements) key.add(buffers[r.buffer.value()]);
    return key.value();
  }
  if (how == likeness::all) key.add(std::string_view(c.label));
  if (how != likeness::where_runs) key.add(c.device.valid() ? c.device.value() + 1U : 0U);
  std::apply([&key](auto... word) { (key.add(word), ...); }, size_of(c));
  for (const model::requirement& r : c.requirements) {
    key.add(buffers[r.buffer.value()]).add(static_cast<std::uint64_t>(r.mode));
    key.add(r.no_init ? 1U : 0U).add(r.elements.lo).add(r.elements.hi);
  }
  return key.add(c.requirements.size()).value();
}

buffer_keys shape_keys(const graph_view& graph, bool with_names) {
  buffer_keys keys;
  for (std::uint32_t i = 0; i < graph.buffers().size(); ++i) {
    const model::buffer_info& b = graph.buffers()[i];
    mixer key;
    key.add(b.grid.range()).add(b.element_size).add(b.dimensions);
    if (with_names) key.add(std::string_view(graph.buffer_label(model::buffer_id(i))));
    keys.push_back(key.value());
  }
  return keys;
}

command_match compared(const graph_view& a, model::command_id in_a, const graph_view& b,
                       model::command_id in_b, const std::vector<model::buffer_id>& buffers) {
  const model::command &x = a.commands()[in_a.value()], &y = b.commands()[in_b.value()];
  command_match m{in_a, in_b};
  m.name = name_of(x) != name_of(y);
  m.device = x.device != y.device;
  m.size = size_of(x) != size_of(y);
  m.accesses = x.requirements.size() != y.requirements.size();
  for (std::size_t r = 0; !m.accesses && r < x.requirements.size(); ++r) {
    const model::requirement &p = x.requirements[r], &q = y.requirements[r];
    m.accesses = buffers[p.buffer.value()] != q.buffer || p.mode != q.mode ||
                 p.no_init != q.no_init || p.elements != q.elements || p.memory != q.memory;
  }
  return m;
}

}  // namespace pianola::planner
