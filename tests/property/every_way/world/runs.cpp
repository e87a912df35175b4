// SPDX-License-Identifier: Apache-2.0
// Programs in each of the ways.
#include "every_way/world.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace every_way {

void world::run_by_commands(const std::vector<leg>& legs, std::size_t iterations) {
  std::vector<sycl::queue> queues;
  for (int q = 0; q < 2; ++q) queues.push_back(some_queue(how_ == way::captured));
  target t{queues, real(), std::exchange(outside_, {})};
  const bool shares = below(2) == 0;
  for (t.iteration = 0; t.iteration < iterations; ++t.iteration) {
    for (const leg& l : legs) {
      submit(l.steps, t);
      is_.run(l.steps, identity(), t.iteration);
      if (shares) do_share(l.after);
    }
    if (how_ == way::captured ? below(8) == 0 : true) disturb();
  }
  outside_ = t.uses;
  for (sycl::queue& q : queues) q.wait_and_throw();
}

void world::run_as_graphs(const std::vector<leg>& legs, std::size_t iterations) {
  made_.resize(legs.size());
  for (std::size_t iteration = 0; iteration < iterations; ++iteration)
    for (std::size_t l = 0; l < legs.size(); ++l) {
      run_leg(legs[l].steps, made_[l], iteration);
      if (below(2) == 0) do_share(legs[l].after);
      disturb();
    }
  made_.clear();
  bodies_.clear();
}

void world::run_leg(const block& steps, recorded_leg& r, std::size_t iteration) {
  if (!r.made) {
    record(steps, r, iteration);
    r.made = r.graph->finalize(properties(steps));
  } else if (how_ == way::recorded_anew) {
    recorded_leg fresh;
    record(steps, fresh, iteration);
    if (below(4) == 0)
      r.made = fresh.graph->finalize(properties(steps));
    else
      r.made->update(*fresh.graph);
    r.graph = std::move(fresh.graph);
    r.changes = std::move(fresh.changes);
  } else if (how_ == way::updated) {
    std::map<const modifiable*, std::vector<graphs::node>> nodes;
    for (changing& c : r.changes) {
      c.change(iteration);
      nodes[c.graph].push_back(c.node);
    }
    for (auto& [graph, of_graph] : nodes) {
      std::shuffle(of_graph.begin(), of_graph.end(), random_);
      r.made->update(of_graph);
    }
  }
  launch(steps, r, iteration);
}

sycl::property_list world::properties(const block& steps) {
  using graphs::property::graph::enable_profiling;
  using graphs::property::graph::updatable;
  const bool times = below(6) == 0;
  const bool allocates = std::any_of(steps.begin(), steps.end(),
                                     [](const step& s) { return s.what == task::scratch; });
  if (how_ == way::rebound && !allocates && below(2) == 0) {
    const pia::property::graph::in_flight many(static_cast<std::uint32_t>(1 + below(3)));
    return {updatable{}, many};
  }
  return times ? sycl::property_list{updatable{}, enable_profiling{}}
               : sycl::property_list{updatable{}};
}

void world::record(const block& steps, recorded_leg& r, std::size_t iteration) {
  r.graph.emplace(home_.get_context(), home_.get_device());
  target t{queues_, real(), outside_, &*r.graph, &r.changes, iteration};
  if (how_ == way::rebound) {
    // What the program waits for is said at each launch.
    t.uses = {};
    put_parameters(t.at);
  }
  r.graph->begin_recording(queues_);
  submit(steps, t);
  if (how_ == way::rebound) use_parameters();
  r.graph->end_recording();
}

void world::put_parameters(places& at) {
  for (std::size_t i = 0; i < in_parameters; ++i) {
    at.data[i] = &*data_parameters_[i];
    at.memory[i] = memory_parameters_[i].get();
  }
}

binding world::drawn_binding() {
  binding at = identity();
  std::shuffle(at.data.begin(), at.data.begin() + in_parameters, random_);
  std::shuffle(at.memory.begin(), at.memory.begin() + in_parameters, random_);
  return at;
}

std::vector<pia::graph_argument> world::values_for(const binding& at) {
  std::vector<pia::graph_argument> values;
  for (std::size_t i = 0; i < in_parameters; ++i) {
    values.push_back(data_parameters_[i] = buffers_[at.data[i]]);
    values.push_back(memory_parameters_[i] = memory_[at.memory[i]]);
  }
  return values;
}

void world::use_parameters() {
  queues_[0].submit([&](sycl::handler& h) {
    for (auto& p : data_parameters_) sycl::accessor used(*p, h, sycl::range<1>(1), sycl::read_only);
    word *const x = memory_parameters_[0].get(), *const y = memory_parameters_[1].get();
    h.single_task([=] { static_cast<void>(x), static_cast<void>(y); });
  });
}

void world::launch(const block& steps, recorded_leg& r, std::size_t iteration) {
  sycl::queue& q = queues_[below(queues_.size())];
  const binding at = how_ == way::rebound ? drawn_binding() : identity();
  const sycl::event done = how_ == way::rebound
                               ? q.ext_oneapi_graph(*r.made, values_for(at), outside_.all())
                               : q.ext_oneapi_graph(*r.made, outside_.all());
  outside_.note_all(done);
  is_.run(steps, at, iteration);
}

void world::run_cut(const std::vector<leg>& legs, std::size_t iterations) {
  const bool with_parameters = below(2) == 0;
  binding at = with_parameters ? drawn_binding() : identity();
  const auto values = [&] {
    return with_parameters ? values_for(at) : std::vector<pia::graph_argument>();
  };
  modifiable graph(home_.get_context(), home_.get_device(),
                   {pia::property::graph::split_at_waits(values())});
  target t{queues_, real(), {}, &graph};
  for (std::size_t m = 0; m < memories; ++m) t.uses.of[m] = outside_.of[at.memory[m]];
  if (with_parameters) put_parameters(t.at);
  graph.begin_recording(queues_);
  if (with_parameters) use_parameters();
  for (std::size_t l = 0; l < legs.size(); ++l) {
    submit(legs[l].steps, t);
    if (l + 1 == legs.size()) break;
    is_.run(legs[l].steps, at, 0);
    if (below(2) == 0) {
      queues_[below(queues_.size())].wait();
      do_share(legs[l].after);
    } else {
      // A look at what has been recorded cuts, and so does this wait where it has not.
      do_share(legs[l].after);
      queues_[below(queues_.size())].wait();
    }
  }
  graph.end_recording();
  pia::graph_sequence sequence(graph);
  if (sequence.size() != legs.size())
    throw std::runtime_error(std::to_string(sequence.size()) + " legs instead of " +
                             std::to_string(legs.size()));
  outside_ = {};
  for (std::size_t iteration = 0; iteration < iterations; ++iteration) {
    if (iteration != 0 && with_parameters) at = drawn_binding();
    for (std::size_t l = iteration == 0 ? legs.size() - 1 : 0; l < legs.size(); ++l) {
      sycl::queue& q = queues_[below(queues_.size())];
      outside_.note_all(sequence.next(q, values()));
      is_.run(legs[l].steps, at, 0);
      do_share(legs[l].after);
      disturb();
    }
  }
  wait_for_memory();
}

}  // namespace every_way
