// SPDX-License-Identifier: Apache-2.0
// Random programs, each of which is run in one of the ways that there are to run one: command by command, on queues that
// capture, as graphs that are updated, recorded anew, cut at waits, or launched on other data. Programs follow each other on the
// same data. The numbers must be those of an interpreter, whatever the way.
// compiled alone: others have its short names, too.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <ostream>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sycl/sycl.hpp>

#include "drawn_device.hpp"

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
namespace pia = sycl::ext::pianola;
using executable = graphs::command_graph<graphs::graph_state::executable>;
using modifiable = graphs::command_graph<graphs::graph_state::modifiable>;
using word = std::uint32_t;
using words = sycl::buffer<word>;
using numbers = std::vector<word>;

constexpr std::size_t buffers = 4, in_parameters = 2, memories = 3, group = 8;

enum class task : std::uint8_t {
  update,      // of a range of elements
  overwrite,   // without a look at what was there
  part,        // of a sub-buffer
  square,      // as a buffer of two dimensions
  pairs,       // as a buffer of 64-bit words
  groups,      // by work-groups with local memory
  redirected,  // of another buffer in each iteration
  sized,       // as many elements as a kernel has computed
  copy,
  fill,
  on_host,
  failing,  // a host task that throws; what it should have written is overwritten
  memory,   // of the program, by pointers
  memory_fill,
  memory_copy,
  to_memory,  // from a buffer
  scratch,    // memory that commands allocate and free
  barrier,
  repeat,
  loop,
  branch,
  count
};
constexpr const char* names[] = {
    "update",      "overwrite", "part",    "square",  "pairs",   "groups", "redirected",
    "sized",       "copy",      "fill",    "on_host", "failing", "memory", "memory_fill",
    "memory_copy", "to_memory", "scratch", "barrier", "repeat",  "loop",   "branch"};

struct step;
using block = std::vector<step>;
struct step {
  task what = task::update;
  std::size_t to = 0, from = 0;      // places of buffers, or of memory
  std::size_t data = 0;              // place of a buffer, where `to` is one of memory
  std::size_t first = 0, count = 1;  // elements
  word seed = 0;
  bool varies = false;  // its seed is another one in each iteration
  std::size_t queue = 0;
  block inner;

  [[nodiscard]] bool in_memory() const {
    return what == task::memory || what == task::memory_fill || what == task::memory_copy ||
           what == task::to_memory;
  }
  [[nodiscard]] bool is_control() const { return what >= task::repeat; }
  // Where `redirected` works.
  [[nodiscard]] std::size_t place(std::size_t iteration) const {
    return (to + (varies ? iteration : 0)) % buffers;
  }
  [[nodiscard]] word salt(std::size_t iteration) const {
    return varies ? seed + static_cast<word>(iteration) * 977U : seed;
  }
};

std::ostream& operator<<(std::ostream& out, const step& s) {
  out << names[static_cast<std::size_t>(s.what)] << ' ' << s.to << '[' << s.first << ", "
      << s.first + s.count << ") from " << s.from << " with " << s.data << " seed " << s.seed
      << (s.varies ? " varying" : "") << " on " << s.queue;
  for (const step& i : s.inner) out << " { " << i << " }";
  return out;
}

// What the host does to an element behind a leg.
struct share {
  std::size_t buffer, element;
  word add;
};
struct leg {
  block steps;
  share after;
};

enum class way : std::uint8_t { eager, captured, updated, recorded_anew, cut, rebound, count };
constexpr const char* ways[] = {"eager", "captured", "updated", "recorded anew", "cut", "rebound"};

// Which buffer and which memory stand for each place.
struct binding {
  std::vector<std::size_t> data, memory;
};

class data_of_all {
 public:
  std::size_t length = 0;
  std::vector<numbers> buffer, memory;
  numbers victim;
  std::size_t errors = 0;

  void run(const block& b, const binding& at, std::size_t iteration) {
    for (const step& s : b) run(s, at, iteration);
  }

 private:
  void run(const step& s, const binding& at, std::size_t iteration) {
    const word salt = s.salt(iteration);
    const std::size_t n = length;
    if (s.in_memory()) return run_in_memory(s, at, salt);
    numbers& to = buffer[at.data[s.to]];
    const numbers from = buffer[at.data[s.from]];
    const std::size_t end = s.first + s.count;
    switch (s.what) {
      case task::update:
      case task::part:
      case task::square:
      case task::on_host:
        for (std::size_t i = s.first; i < end; ++i)
          to[i] = 3 * to[i] + from[(i + 5) % n] + salt + static_cast<word>(i);
        break;
      case task::overwrite:
        for (std::size_t i = s.first; i < end; ++i) to[i] = salt ^ static_cast<word>(i);
        break;
      case task::fill:
        for (std::size_t i = s.first; i < end; ++i) to[i] = salt;
        break;
      case task::copy:
        for (std::size_t i = s.first; i < end; ++i) to[i] = from[i];
        break;
      case task::pairs:
        for (std::size_t i = 0; i < n; i += 2) {
          std::uint64_t pair = to[i] | std::uint64_t{to[i + 1]} << 32;
          pair = pair * 3 + salt;
          to[i] = static_cast<word>(pair);
          to[i + 1] = static_cast<word>(pair >> 32);
        }
        break;
      case task::groups: {
        const numbers old = to;
        for (std::size_t i = 0; i < n; ++i)
          to[i] = old[i / group * group + (i + 1) % group] * 5 + from[i] + salt;
        break;
      }
      case task::redirected:
        for (word& w : buffer[at.data[s.place(iteration)]]) w = w * 5 + s.seed;
        break;
      case task::sized:
        for (std::size_t i = s.first; i < s.first + (from[s.first] ^ s.seed) % (s.count + 1); ++i)
          to[i] = 3 * to[i] + salt;
        break;
      case task::failing:
        ++errors;
        for (std::size_t i = 0; i < victim.size(); ++i) victim[i] = salt + static_cast<word>(i);
        break;
      case task::scratch:
        for (std::size_t i = 0; i < n; ++i) to[i] += s.seed + salt;
        break;
      case task::repeat:
        for (word k = s.seed % 4; k > 0; --k) run(s.inner, at, iteration);
        break;
      case task::loop:
        for (word k = (from[s.first] ^ s.seed) % 4; k > 0; --k) run(s.inner, at, iteration);
        break;
      case task::branch:
        if ((from[s.first] ^ s.seed) % 2 != 0) run(s.inner, at, iteration);
        break;
      default:
        break;
    }
  }

  void run_in_memory(const step& s, const binding& at, word salt) {
    numbers& to = memory[at.memory[s.to]];
    const numbers& from = memory[at.memory[s.from]];
    const numbers& b = buffer[at.data[s.data]];
    for (std::size_t i = s.first; i < s.first + s.count; ++i) {
      if (s.what == task::memory)
        to[i] = 3 * to[i] + from[i] + b[i] + salt;
      else if (s.what == task::memory_fill)
        to[i] = salt;
      else if (s.what == task::memory_copy)
        to[i] = from[i];
      else
        to[i] = b[i];
    }
  }
};

// Who used memory last: there events make the order.
struct uses_of_memory {
  struct use {
    std::vector<sycl::event> written, read;
  };
  std::vector<use> of{memories};

  [[nodiscard]] std::vector<sycl::event> before(const step& s) const {
    std::vector<sycl::event> all = of[s.to].read;
    all.insert(all.end(), of[s.to].written.begin(), of[s.to].written.end());
    all.insert(all.end(), of[s.from].written.begin(), of[s.from].written.end());
    return all;
  }
  void note(const step& s, const sycl::event& e) {
    // The same command may be named by both.
    if (of[s.from].read.size() == 16) of[s.from].read.erase(of[s.from].read.begin());
    if (s.from != s.to) of[s.from].read.push_back(e);
    of[s.to] = {{e}, {}};
  }
  [[nodiscard]] std::vector<sycl::event> all() const {
    std::vector<sycl::event> events;
    for (const use& u : of) {
      events.insert(events.end(), u.written.begin(), u.written.end());
      events.insert(events.end(), u.read.begin(), u.read.end());
    }
    return events;
  }
  void note_all(const sycl::event& e) {
    for (use& u : of) u = {{e}, {}};
  }
};

class world {
 public:
  explicit world(std::uint64_t seed) : random_(seed) {
    constexpr std::size_t lengths[] = {64, 96, 1024, 4096, 24576};
    n_ = lengths[below(std::size(lengths))];
    is_.length = n_;
    const std::size_t page = below(3) == 0 ? n_ : 16 * (1 + below(n_ / 16));
    using pia::property::buffer::page_size;
    paged_ = {page_size<1>(sycl::range<1>(page))};
    for (std::size_t b = 0; b < buffers; ++b) {
      is_.buffer.push_back(random_numbers());
      kept_.push_back(is_.buffer.back());
    }
    // Some on the host's own data, which is written back.
    for (std::size_t b = 0; b < buffers; ++b) {
      if (below(2) == 0) {
        buffers_.emplace_back(kept_[b].data(), sycl::range<1>(n_), paged_);
      } else {
        buffers_.emplace_back(sycl::range<1>(n_), paged_);
        sycl::host_accessor a(buffers_.back(), sycl::write_only, sycl::no_init);
        std::copy(kept_[b].begin(), kept_[b].end(), a.begin());
      }
    }
    is_.victim.resize(16);
    sycl::host_accessor{victim_, sycl::write_only, sycl::no_init}[0] = 0;
    for (std::size_t m = 0; m < memories; ++m) {
      is_.memory.push_back(random_numbers());
      memory_.push_back(sycl::malloc<word>(n_, home_, kind_));
      home_.memcpy(memory_[m], is_.memory[m].data(), n_ * sizeof(word)).wait();
    }
    for (std::size_t q = 0; q < 2; ++q) queues_.push_back(some_queue(false));
  }
  world(const world&) = delete;
  world& operator=(const world&) = delete;
  ~world() {
    for (sycl::queue& q : queues_) q.wait();
    home_.wait();
    for (word* m : memory_) sycl::free(m, home_);
  }

  void act(std::uint64_t seed) {
    random_.seed(seed);
    how_ = static_cast<way>(below(static_cast<std::size_t>(way::count)));
    const std::size_t iterations = 1 + below(how_ == way::captured ? 12 : 5);
    std::vector<leg> legs(1 + below(3));
    for (leg& l : legs) {
      l.steps = some_steps(5, 2);
      l.after = {below(buffers), below(n_), next()};
    }
    RC_LOG() << ways[static_cast<std::size_t>(how_)] << ", " << iterations << " times\n";
    for (const leg& l : legs) {
      for (const step& s : l.steps) RC_LOG() << "  " << s << '\n';
      RC_LOG() << "  host: " << l.after.buffer << '[' << l.after.element << "]\n";
    }
    switch (how_) {
      case way::eager:
      case way::captured:
        return run_by_commands(legs, iterations);
      case way::cut:
        return run_cut(legs, iterations);
      default:
        return run_as_graphs(legs, iterations);
    }
  }

  void check() {
    for (sycl::queue& q : queues_) q.wait_and_throw();
    for (std::size_t b = 0; b < buffers; ++b) {
      const sycl::host_accessor a(buffers_[b], sycl::read_only);
      for (std::size_t i = 0; i < n_; ++i) same("buffer", b, i, a[i], is_.buffer[b][i]);
    }
    if (is_.errors != 0) {
      const sycl::host_accessor a(victim_, sycl::read_only);
      for (std::size_t i = 0; i < is_.victim.size(); ++i) same("victim", 0, i, a[i], is_.victim[i]);
    }
    wait_for_memory();
    numbers got(n_);
    for (std::size_t m = 0; m < memories; ++m) {
      home_.memcpy(got.data(), memory_[m], n_ * sizeof(word)).wait();
      for (std::size_t i = 0; i < n_; ++i) same("memory", m, i, got[i], is_.memory[m][i]);
    }
    if (errors_ != is_.errors)
      throw std::runtime_error(std::to_string(errors_) + " errors instead of " +
                               std::to_string(is_.errors));
  }

 private:
  // What one recording has of what changes.
  struct changing {
    std::function<void(std::size_t iteration)> change;
    graphs::node node;
    const modifiable* graph;  // the leg's, or a body's
  };
  // What the commands of a program work on.
  struct places {
    std::vector<words*> data;
    std::vector<word*> memory;
  };
  // Where they go: to queues, which may record.
  struct target {
    std::vector<sycl::queue>& queues;
    places at;
    uses_of_memory uses;
    modifiable* graph = nullptr;  // into which the queues record
    std::deque<changing>* changes = nullptr;
    std::size_t iteration = 0;
  };

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  word next() { return static_cast<word>(random_()); }
  numbers random_numbers() {
    numbers all(n_);
    for (word& w : all) w = next();
    return all;
  }
  static void same(const char* what, std::size_t which, std::size_t i, word got, word wanted) {
    if (got != wanted)
      throw std::runtime_error(std::string(what) + ' ' + std::to_string(which) + '[' +
                               std::to_string(i) + "] is " + std::to_string(got) + " instead of " +
                               std::to_string(wanted));
  }

  sycl::queue some_queue(bool captures) {
    const auto count = [this](const sycl::exception_list& list) { errors_ += list.size(); };
    const pia::property::queue::auto_capture capture(captures);
    using order = sycl::property::queue::in_order;
    return sycl::queue(
        home_.get_context(), home_.get_device(), count,
        below(2) == 0 ? sycl::property_list{capture, order{}} : sycl::property_list{capture});
  }

  static bool has_kernel(task what) {
    return what <= task::sized || what == task::failing || what == task::memory ||
           what == task::scratch;
  }

  block some_steps(std::size_t most, int depth) {
    block all(1 + below(most));
    for (step& s : all) {
      s.what = static_cast<task>(
          below(static_cast<std::size_t>(depth > 0 ? task::count : task::repeat)));
      // Iterations end with one that fails, all of a graph's memory is in it itself, and nodes of bodies keep their data.
      if (depth < 2 &&
          (s.what == task::failing || s.what == task::scratch || s.what == task::redirected))
        s.what = task::update;
      const std::size_t places = s.in_memory() ? memories : buffers;
      s.to = below(places);
      s.from = (s.to + 1 + below(places - 1)) % places;
      s.data = below(buffers);
      s.first = below(n_);
      s.count = 1 + below(n_ - s.first);
      if (s.what == task::part) s.first = below(n_ / 16) * 16, s.count = 16;
      if (s.what == task::square || below(3) == 0) s.first = 0, s.count = n_;
      s.seed = next();
      s.varies = below(2) == 0 && how_ != way::cut && how_ != way::rebound &&
                 (how_ != way::updated || has_kernel(s.what));
      s.queue = below(4) == 0 ? 1 : 0;
      if (s.is_control()) {
        s.inner = some_steps(3, depth - 1);
        s.varies = false;
      }
    }
    return all;
  }

  places real() {
    places p;
    for (words& b : buffers_) p.data.push_back(&b);
    p.memory = memory_;
    return p;
  }
  static binding identity() {
    binding b{std::vector<std::size_t>(buffers), std::vector<std::size_t>(memories)};
    std::iota(b.data.begin(), b.data.end(), std::size_t{0});
    std::iota(b.memory.begin(), b.memory.end(), std::size_t{0});
    return b;
  }
  void wait_for_memory() {
    for (sycl::event& e : outside_.all()) e.wait();
    outside_ = {};
  }

  void do_share(const share& s) {
    sycl::host_accessor a(buffers_[s.buffer]);
    same("the host's look at buffer", s.buffer, s.element, a[s.element],
         is_.buffer[s.buffer][s.element]);
    a[s.element] += s.add;
    is_.buffer[s.buffer][s.element] += s.add;
  }
  // Something from elsewhere between iterations.
  void disturb() {
    switch (below(8)) {
      case 0: {
        const std::size_t to = below(buffers);
        const word salt = next();
        sycl::queue other(pianola::testing::drawn_device(random_));
        other.submit([&](sycl::handler& h) {
          const sycl::accessor a(buffers_[to], h);
          h.parallel_for(n_, [=](sycl::id<1> i) { a[i] = a[i] * 7 + salt; });
        });
        for (word& w : is_.buffer[to]) w = w * 7 + salt;
        return;
      }
      case 1:
        return queues_[below(queues_.size())].wait();
      case 2:
        return do_share({below(buffers), below(n_), next()});
      default:
        return;
    }
  }

  void run_by_commands(const std::vector<leg>& legs, std::size_t iterations) {
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

  void run_as_graphs(const std::vector<leg>& legs, std::size_t iterations) {
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

  struct recorded_leg {
    std::optional<modifiable> graph;
    std::deque<changing> changes;
    std::optional<executable> made;
  };

  void run_leg(const block& steps, recorded_leg& r, std::size_t iteration) {
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

  sycl::property_list properties(const block& steps) {
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

  void record(const block& steps, recorded_leg& r, std::size_t iteration) {
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
  void put_parameters(places& at) {
    for (std::size_t i = 0; i < in_parameters; ++i) {
      at.data[i] = &*data_parameters_[i];
      at.memory[i] = memory_parameters_[i].get();
    }
  }
  binding drawn_binding() {
    binding at = identity();
    std::shuffle(at.data.begin(), at.data.begin() + in_parameters, random_);
    std::shuffle(at.memory.begin(), at.memory.begin() + in_parameters, random_);
    return at;
  }
  std::vector<pia::graph_argument> values_for(const binding& at) {
    std::vector<pia::graph_argument> values;
    for (std::size_t i = 0; i < in_parameters; ++i) {
      values.push_back(data_parameters_[i] = buffers_[at.data[i]]);
      values.push_back(memory_parameters_[i] = memory_[at.memory[i]]);
    }
    return values;
  }
  // Each is used.
  void use_parameters() {
    queues_[0].submit([&](sycl::handler& h) {
      for (auto& p : data_parameters_)
        sycl::accessor used(*p, h, sycl::range<1>(1), sycl::read_only);
      word *const x = memory_parameters_[0].get(), *const y = memory_parameters_[1].get();
      h.single_task([=] { static_cast<void>(x), static_cast<void>(y); });
    });
  }

  void launch(const block& steps, recorded_leg& r, std::size_t iteration) {
    sycl::queue& q = queues_[below(queues_.size())];
    const binding at = how_ == way::rebound ? drawn_binding() : identity();
    const sycl::event done = how_ == way::rebound
                                 ? q.ext_oneapi_graph(*r.made, values_for(at), outside_.all())
                                 : q.ext_oneapi_graph(*r.made, outside_.all());
    outside_.note_all(done);
    is_.run(steps, at, iteration);
  }

  void run_cut(const std::vector<leg>& legs, std::size_t iterations) {
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

  void submit(const block& steps, target& t) {
    for (const step& s : steps) submit(s, t);
  }

  void submit(const step& s, target& t) {
    sycl::queue& q = t.queues[s.queue % t.queues.size()];
    switch (s.what) {
      case task::barrier:
        q.ext_oneapi_submit_barrier();
        return;
      case task::repeat:
      case task::loop:
      case task::branch:
        return t.graph == nullptr ? decide(s, t) : record_control(s, t, q);
      case task::scratch:
        return submit_scratch(s, t, q);
      case task::failing:
        return submit_failing(s, t, q);
      case task::sized:
        return submit_sized(s, t, q);
      case task::redirected:
        return submit_redirected(s, t, q);
      default:
        break;
    }
    const sycl::event e =
        with_salt(s, t, q, [&](sycl::handler& h, const auto& salt) { put(s, t, h, salt); });
    if (s.in_memory()) t.uses.note(s, e);
  }

  // With the step's number for this iteration, or a parameter that has it, where a recording is to be given others.
  template <class Put>
  sycl::event with_salt(const step& s, target& t, sycl::queue& q, const Put& f) {
    const word salt = s.salt(t.iteration);
    if (t.changes == nullptr || !s.varies || !has_kernel(s.what))
      return q.submit([&](sycl::handler& h) { f(h, salt); });
    graphs::dynamic_parameter<word> value(*t.graph, salt);
    const sycl::event e =
        q.submit([&](sycl::handler& h) { f(h, pia::dynamic_argument<word>(value)); });
    t.changes->push_back({[&s, value](std::size_t i) mutable { value.update(s.salt(i)); },
                          graphs::node::get_node_from_event(e), t.graph});
    return e;
  }

  template <class Salt>
  void put(const step& s, const target& t, sycl::handler& h, const Salt& salt) {
    const std::size_t first = s.first, count = s.count, n = n_;
    if (s.in_memory()) return put_in_memory(s, t, h, salt);
    words &to = *t.at.data[s.to], &from = *t.at.data[s.from];
    const sycl::range<1> range(count);
    const sycl::id<1> offset(first);
    switch (s.what) {
      case task::update: {
        const sycl::accessor b(from, h, sycl::read_only);
        const sycl::accessor a(to, h, range, offset, sycl::read_write);
        return h.parallel_for(range, [=](sycl::id<1> i) {
          const std::size_t at = first + i[0];
          a[i] = 3 * a[i] + b[(at + 5) % n] + salt + static_cast<word>(at);
        });
      }
      case task::overwrite: {
        const sycl::accessor a(to, h, range, offset, sycl::write_only, sycl::no_init);
        return h.parallel_for(
            range, [=](sycl::id<1> i) { a[i] = salt ^ static_cast<word>(first + i[0]); });
      }
      case task::part: {
        words of(to, offset, range);
        const sycl::accessor b(from, h, sycl::read_only);
        const sycl::accessor a(of, h, sycl::read_write);
        return h.parallel_for(range, [=](sycl::id<1> i) {
          const std::size_t at = first + i[0];
          a[i] = 3 * a[i] + b[(at + 5) % n] + salt + static_cast<word>(at);
        });
      }
      case task::square: {
        const std::size_t columns = 16;
        auto square = to.reinterpret<word, 2>(sycl::range<2>(n / columns, columns));
        const sycl::accessor b(from, h, sycl::read_only);
        const sycl::accessor a(square, h, sycl::read_write);
        return h.parallel_for(sycl::range<2>(n / columns, columns), [=](sycl::id<2> i) {
          const std::size_t at = i[0] * columns + i[1];
          a[i] = 3 * a[i] + b[(at + 5) % n] + salt + static_cast<word>(at);
        });
      }
      case task::pairs: {
        auto pairs = to.reinterpret<std::uint64_t, 1>(sycl::range<1>(n / 2));
        const sycl::accessor a(pairs, h, sycl::read_write);
        return h.parallel_for(n / 2,
                              [=](sycl::id<1> i) { a[i] = a[i] * 3 + static_cast<word>(salt); });
      }
      case task::groups: {
        const sycl::accessor b(from, h, sycl::read_only);
        const sycl::accessor a(to, h, sycl::read_write);
        const sycl::local_accessor<word, 1> near(sycl::range<1>(group), h);
        return h.parallel_for(sycl::nd_range<1>(n, group), [=](sycl::nd_item<1> i) {
          const std::size_t l = i.get_local_id(0), g = i.get_global_id(0);
          near[l] = a[g];
          sycl::group_barrier(i.get_group());
          a[g] = near[(l + 1) % group] * 5 + b[g] + salt;
        });
      }
      case task::copy: {
        const sycl::accessor b(from, h, range, offset, sycl::read_only);
        const sycl::accessor a(to, h, range, offset, sycl::write_only, sycl::no_init);
        return h.copy(b, a);
      }
      case task::fill: {
        const sycl::accessor a(to, h, range, offset, sycl::write_only, sycl::no_init);
        return h.fill(a, static_cast<word>(salt));
      }
      default: {
        const sycl::accessor b(from, h, sycl::read_only_host_task);
        const sycl::accessor a(to, h, range, offset, sycl::read_write_host_task);
        return h.host_task([=, salt = static_cast<word>(salt)] {
          for (std::size_t i = 0; i < count; ++i)
            a[i] = 3 * a[i] + b[(first + i + 5) % n] + salt + static_cast<word>(first + i);
        });
      }
    }
  }

  template <class Salt>
  void put_in_memory(const step& s, const target& t, sycl::handler& h, const Salt& salt) {
    h.depends_on(t.uses.before(s));
    word* const to = t.at.memory[s.to] + s.first;
    const word* const from = t.at.memory[s.from] + s.first;
    const sycl::range<1> range(s.count);
    const sycl::id<1> offset(s.first);
    if (s.what == task::memory_fill) return h.fill(to, static_cast<word>(salt), s.count);
    if (s.what == task::memory_copy) return h.memcpy(to, from, s.count * sizeof(word));
    const sycl::accessor b(*t.at.data[s.data], h, range, offset, sycl::read_only);
    if (s.what == task::to_memory) return h.copy(b, to);
    h.parallel_for(range,
                   [=](sycl::id<1> i) { to[i[0]] = 3 * to[i[0]] + from[i[0]] + b[i] + salt; });
  }

  void submit_scratch(const step& s, target& t, sycl::queue& q) {
    word* own = nullptr;
    const sycl::event made = q.submit([&](sycl::handler& h) {
      own =
          static_cast<word*>(graphs::async_malloc(h, sycl::usm::alloc::device, n_ * sizeof(word)));
    });
    const sycl::event filled = q.fill(own, s.seed, n_, made);
    const sycl::event added = with_salt(s, t, q, [&](sycl::handler& h, const auto& by) {
      h.depends_on(filled);
      const sycl::accessor a(*t.at.data[s.to], h, sycl::read_write);
      h.parallel_for(n_, [=](sycl::id<1> i) { a[i] += own[i[0]] + by; });
    });
    q.submit([&](sycl::handler& h) {
      h.depends_on(added);
      graphs::async_free(h, own);
    });
  }

  void submit_failing(const step& s, target& t, sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor a(victim_, h, sycl::write_only_host_task, sycl::no_init);
      h.host_task([a] {
        a[0] = 1;
        throw std::runtime_error("a host task gives up");
      });
    });
    with_salt(s, t, q, [&](sycl::handler& h, const auto& salt) {
      const sycl::accessor a(victim_, h, sycl::write_only, sycl::no_init);
      h.parallel_for(victim_.get_range(),
                     [=](sycl::id<1> i) { a[i] = salt + static_cast<word>(i[0]); });
    });
  }

  void submit_redirected(const step& s, target& t, sycl::queue& q) {
    const word seed = s.seed;
    words& now = *t.at.data[s.place(t.iteration)];
    if (t.changes == nullptr || !s.varies) {
      q.submit([&](sycl::handler& h) {
        const sycl::accessor a(now, h, sycl::read_write);
        h.parallel_for(n_, [=](sycl::id<1> i) { a[i] = a[i] * 5 + seed; });
      });
      return;
    }
    graphs::dynamic_parameter where(*t.graph, sycl::accessor(now, sycl::read_write));
    const sycl::event e = q.submit([&](sycl::handler& h) {
      h.require(where);
      const pia::dynamic_argument a(where);
      h.parallel_for(n_, [=](sycl::id<1> i) { a.get()[i] = a.get()[i] * 5 + seed; });
    });
    t.changes->push_back({[this, &s, where](std::size_t i) mutable {
                            where.update(sycl::accessor(buffers_[s.place(i)], sycl::read_write));
                          },
                          graphs::node::get_node_from_event(e), t.graph});
  }

  void submit_sized(const step& s, target& t, sycl::queue& q) {
    sycl::buffer<int>& size = sizes_.emplace_back(sycl::range<1>(1));
    const word seed = s.seed, most = static_cast<word>(s.count + 1);
    const std::size_t first = s.first;
    q.submit([&](sycl::handler& h) {
      const sycl::accessor b(*t.at.data[s.from], h, sycl::read_only);
      const sycl::accessor k(size, h, sycl::write_only, sycl::no_init);
      h.single_task([=] { k[0] = static_cast<int>((b[first] ^ seed) % most); });
    });
    const sycl::range<1> count(s.count);
    with_salt(s, t, q, [&](sycl::handler& h, const auto& salt) {
      const sycl::accessor k(size, h, sycl::read_only);
      const sycl::accessor a(*t.at.data[s.to], h, count, sycl::id<1>(first), sycl::read_write);
      pia::parallel_for(h, pia::indirect_range(k, count),
                        [=](sycl::id<1> i) { a[i] = 3 * a[i] + salt; });
    });
  }

  // The host decides.
  void decide(const step& s, target& t) {
    word times = s.seed % 4;
    if (s.what != task::repeat) {
      const sycl::host_accessor b(*t.at.data[s.from], sycl::read_only);
      times = (b[s.first] ^ s.seed) % (s.what == task::loop ? 4 : 2);
    }
    for (; times > 0; --times) submit(s.inner, t);
  }

  // The graph decides.
  void record_control(const step& s, target& t, sycl::queue& q) {
    // Nodes are known as long as their graph lives.
    modifiable& body = bodies_.emplace_back(home_.get_context(), home_.get_device());
    sycl::buffer<int>& left = sizes_.emplace_back(sycl::range<1>(1));
    // The others record into the outer graph.
    std::vector<sycl::queue> inside;
    for (std::size_t k = 0; k < 2; ++k) inside.push_back(some_queue(false));
    target of_body{inside, t.at, {}, &body, t.changes, t.iteration};
    body.begin_recording(inside);
    submit(s.inner, of_body);
    if (s.what == task::loop)
      inside[0].submit([&](sycl::handler& h) {
        const sycl::accessor l(left, h, sycl::read_write);
        h.single_task([=] { l[0] -= 1; });
      });
    body.end_recording();
    const executable made = body.finalize();
    const word seed = s.seed, choices = s.what == task::loop ? 4 : 2;
    const std::size_t first = s.first;
    if (s.what != task::repeat)
      q.submit([&](sycl::handler& h) {
        const sycl::accessor b(*t.at.data[s.from], h, sycl::read_only);
        const sycl::accessor l(left, h, sycl::write_only, sycl::no_init);
        h.single_task([=] { l[0] = static_cast<int>((b[first] ^ seed) % choices); });
      });
    const std::vector<sycl::event> before = t.uses.all();
    const sycl::event done = q.submit([&](sycl::handler& h) {
      h.depends_on(before);
      if (s.what == task::repeat) return pia::add_repeat(h, seed % 4, made);
      if (s.what == task::loop) return pia::add_while(h, left, made);
      pia::add_if(h, left, made);
    });
    t.uses.note_all(done);
  }

  std::mt19937_64 random_;
  std::atomic<std::size_t> errors_{0};
  sycl::queue home_{pianola::testing::drawn_device(random_)};
  sycl::usm::alloc kind_ =
      pianola::testing::drawn_usm(random_, home_.get_device(), /*device_only=*/true);
  way how_ = way::eager;
  std::size_t n_ = 0;
  sycl::property_list paged_;
  data_of_all is_;
  std::vector<numbers> kept_;
  std::deque<words> buffers_;
  words victim_{sycl::range<1>(16)};
  std::vector<word*> memory_;
  std::vector<sycl::queue> queues_;
  std::deque<sycl::buffer<int>> sizes_;
  std::deque<recorded_leg> made_;
  std::deque<modifiable> bodies_;
  uses_of_memory outside_;
  std::deque<pia::graph_parameter<words>> data_parameters_;
  std::deque<pia::graph_parameter<word*>> memory_parameters_;

 public:
  void make_parameters() {
    for (std::size_t i = 0; i < in_parameters; ++i) {
      data_parameters_.emplace_back(sycl::range<1>(n_), paged_);
      memory_parameters_.emplace_back(n_, home_, kind_);
    }
  }
};

TEST(programs_run_in_every_way, give_the_numbers_of_an_interpreter) {
  EXPECT_TRUE(rc::check([] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto actions = *rc::gen::scale(
        0.1, rc::gen::container<std::vector<std::uint64_t>>(rc::gen::arbitrary<std::uint64_t>()));
    try {
      world w(seed);
      w.make_parameters();
      for (const std::uint64_t a : actions) w.act(a);
      w.check();
    } catch (const std::exception& e) {
      RC_FAIL(e.what());
    }
  }));
}

}  // namespace
