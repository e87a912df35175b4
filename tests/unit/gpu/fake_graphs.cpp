// SPDX-License-Identifier: Apache-2.0
// Graphs of the fake driver.
#include <algorithm>
#include <utility>

#include "fake_driver.hpp"
#include "fake_objects.hpp"

namespace pianola::test {

using gpu::code;
using gpu::success;

fake_node fake_driver::node_of(const gpu::kernel_launch& l) {
  fake_node n;
  n.what = fake_node::kind::kernel;
  n.priority = l.priority;
  n.device = l.device;
  n.overlapping = l.overlapping;
  n.work = work_of(l);
  return n;
}
fake_node fake_driver::node_of(const gpu::copy_operation& o) {
  fake_node n;
  n.what = fake_node::kind::copy;
  n.device = o.device;
  n.copy = o;
  n.work = work_of(o);
  return n;
}
fake_node fake_driver::node_of(const gpu::fill_operation& o) {
  fake_node n;
  n.what = fake_node::kind::fill;
  n.device = o.device;
  n.fill = o;
  n.work = work_of(o);
  return n;
}

code fake_driver::make_graph(gpu::graph& out) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("make_graph", -1); c != success) return c;
  auto* g = new fake_graph();
  keep(g);
  out.native = g;
  made("graph", 1);
  return success;
}

void fake_driver::destroy(gpu::graph g) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  end(g.native);
  made("graph", -1);
}

code fake_driver::add(gpu::graph g, model::array_view<const gpu::node> after, fake_node n,
                      gpu::node& out) {
  auto& in = *static_cast<fake_graph*>(g.native);
  for (const gpu::node a : after) {
    const auto& p = *static_cast<placed_node*>(a.native);
    if (p.in != &in || std::find(n.after.begin(), n.after.end(), p.index) != n.after.end()) {
      complain("an edge is wrong");
      return invalid;
    }
    n.after.push_back(p.index);
  }
  in.handles.push_back(std::make_unique<placed_node>(placed_node{&in, in.nodes.size()}));
  in.nodes.push_back(std::move(n));
  out.native = in.handles.back().get();
  return success;
}

code fake_driver::add_kernel(gpu::graph g, model::array_view<const gpu::node> after,
                             const gpu::kernel_launch& l, gpu::node& out) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("add_kernel", -1); c != success) return c;
  if (!takes(l)) return invalid;
  return add(g, after, node_of(l), out);
}
code fake_driver::add_copy(gpu::graph g, model::array_view<const gpu::node> after,
                           const gpu::copy_operation& o, gpu::node& out) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("add_copy", -1); c != success) return c;
  for (const std::int32_t other : {o.from, o.to})
    if (other >= 0 && !reaches_in_graphs(o.device, static_cast<std::uint32_t>(other)))
      complain("a node copies from or to a device that its own does not reach");
  return add(g, after, node_of(o), out);
}
code fake_driver::add_fill(gpu::graph g, model::array_view<const gpu::node> after,
                           const gpu::fill_operation& o, gpu::node& out) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("add_fill", -1); c != success) return c;
  return add(g, after, node_of(o), out);
}
code fake_driver::add_empty(gpu::graph g, model::array_view<const gpu::node> after,
                            gpu::node& out) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("add_empty", -1); c != success) return c;
  return add(g, after, fake_node{}, out);
}
code fake_driver::add_child(gpu::graph g, model::array_view<const gpu::node> after,
                            gpu::graph child, gpu::node& out) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("add_child", -1); c != success) return c;
  fake_node n;
  n.what = fake_node::kind::child;
  n.work = [this, nodes = static_cast<fake_graph*>(child.native)->nodes] { run_nodes(nodes); };
  return add(g, after, std::move(n), out);
}

code fake_driver::instantiate(gpu::graph g, std::uint32_t, gpu::executable& out) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("instantiate", -1); c != success) return c;
  auto* of = static_cast<fake_graph*>(g.native);
  for (const fake_node& n : of->nodes)
    if (n.overlapping && refuse_overlapping_graphs) return invalid;
  auto* e = new fake_executable{std::make_shared<fake_nodes>(of->nodes), of};
  keep(e);
  out.native = e;
  made("executable", 1);
  return success;
}

void fake_driver::destroy(gpu::executable e) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  end(e.native);
  made("executable", -1);
}

code fake_driver::upload(gpu::executable, std::uint32_t device, gpu::stream) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  return enter("upload", device);
}

// In a random order that the edges allow.
void fake_driver::run_nodes(const fake_nodes& nodes) {
  std::vector<bool> done(nodes.size(), false);
  for (std::size_t left = nodes.size(); left != 0; --left) {
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (!done[i] && std::all_of(nodes[i].after.begin(), nodes[i].after.end(),
                                  [&](std::size_t a) { return done[a]; }))
        ready.push_back(i);
    const std::size_t next = ready[random_() % ready.size()];
    if (nodes[next].work) nodes[next].work();
    done[next] = true;
  }
}

code fake_driver::launch(gpu::executable e, std::uint32_t device, gpu::stream s) noexcept {
  std::unique_lock<std::mutex> lock(mutex_);
  if (const code c = enter("launch_graph", device); c != success) return c;
  auto nodes = static_cast<fake_executable*>(e.native)->nodes;
  const auto done = std::make_shared<bool>(false);
  static_cast<fake_stream*>(s.native)->operations.push_back({operation::kind::work,
                                                             [this, nodes, done] {
                                                               run_nodes(*nodes);
                                                               *done = true;
                                                             },
                                                             nullptr, 0});
  changed_.notify_all();
  if (patient_copies && can().graphs_wait_for_copies &&
      std::any_of(nodes->begin(), nodes->end(), [this](const fake_node& n) {
        return n.what == fake_node::kind::copy && pageable(n.copy);
      }))
    changed_.wait(lock, [&] { return *done || stopping_ || broken_.count(device) != 0; });
  return success;
}

code fake_driver::set(fake_node& to, fake_node from) {
  if (to.what != from.what) return refused;
  from.after = std::move(to.after);
  to = std::move(from);
  return success;
}

fake_nodes fake_driver::nodes_of(gpu::graph g) {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<fake_graph*>(g.native)->nodes;
}

namespace {

bool flat(const gpu::copy_operation& o) { return o.box.height == 1 && o.box.depth == 1; }

}  // namespace

code fake_driver::update_kernel(gpu::executable e, gpu::node n,
                                const gpu::kernel_launch& l) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("update_kernel", -1); c != success) return c;
  if (refuse_node_updates) return refused;
  auto& nodes = static_cast<fake_executable*>(e.native)->nodes;
  nodes = std::make_shared<fake_nodes>(*nodes);
  return set((*nodes)[static_cast<placed_node*>(n.native)->index], node_of(l));
}
code fake_driver::update_copy(gpu::executable e, gpu::node n,
                              const gpu::copy_operation& o) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("update_copy", -1); c != success) return c;
  auto& nodes = static_cast<fake_executable*>(e.native)->nodes;
  fake_node& old = (*nodes)[static_cast<placed_node*>(n.native)->index];
  if (!can().multi_dimensional_node_updates && (!flat(o) || !flat(old.copy))) {
    complain("a copy node of several dimensions cannot be updated");
    return refused;
  }
  if (refuse_node_updates) return refused;
  nodes = std::make_shared<fake_nodes>(*nodes);
  return set((*nodes)[static_cast<placed_node*>(n.native)->index], node_of(o));
}
code fake_driver::update_fill(gpu::executable e, gpu::node n,
                              const gpu::fill_operation& o) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("update_fill", -1); c != success) return c;
  if (refuse_node_updates) return refused;
  auto& nodes = static_cast<fake_executable*>(e.native)->nodes;
  nodes = std::make_shared<fake_nodes>(*nodes);
  return set((*nodes)[static_cast<placed_node*>(n.native)->index], node_of(o));
}
code fake_driver::set_kernel(gpu::node n, const gpu::kernel_launch& l) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("set_kernel", -1); c != success) return c;
  auto& p = *static_cast<placed_node*>(n.native);
  return set(p.in->nodes[p.index], node_of(l));
}
code fake_driver::set_copy(gpu::graph, gpu::node n, const gpu::copy_operation& o) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("set_copy", -1); c != success) return c;
  auto& p = *static_cast<placed_node*>(n.native);
  if (can().copies_keep_dimensions && flat(o) != flat(p.in->nodes[p.index].copy))
    complain("a copy node of one dimension cannot become one of several");
  return set(p.in->nodes[p.index], node_of(o));
}
code fake_driver::set_fill(gpu::node n, const gpu::fill_operation& o) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("set_fill", -1); c != success) return c;
  auto& p = *static_cast<placed_node*>(n.native);
  return set(p.in->nodes[p.index], node_of(o));
}
code fake_driver::update(gpu::executable e, gpu::graph g) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const code c = enter("update_graph", -1); c != success) return c;
  if (refuse_graph_updates) return refused;
  static_cast<fake_executable*>(e.native)->nodes =
      std::make_shared<fake_nodes>(static_cast<fake_graph*>(g.native)->nodes);
  return success;
}

}  // namespace pianola::test
