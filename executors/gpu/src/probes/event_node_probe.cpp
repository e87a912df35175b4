// SPDX-License-Identifier: Apache-2.0
#include "probes/event_node_probe.hpp"

#include <cstddef>

namespace pianola::gpu {

namespace {

constexpr std::size_t bytes = std::size_t{8} << 20;

// What the question takes; goes away with it.
class probe {
 public:
  probe(driver& d, std::uint32_t device) noexcept : d_(d), device_(device) {}
  ~probe() {
    if (executable_.native != nullptr) d_.destroy(executable_);
    if (graph_.native != nullptr) d_.destroy(graph_);
    if (waiting_.native != nullptr) d_.destroy(waiting_);
    if (waiting_graph_.native != nullptr) d_.destroy(waiting_graph_);
    for (const event e : {awaited_, waited_})
      if (e.native != nullptr) d_.destroy(device_, e);
    if (recorded_.native != nullptr) d_.destroy(device_, recorded_);
    if (gate_.native != nullptr) d_.destroy(device_, gate_);
    if (memory_ != nullptr) d_.free_device(device_, memory_);
    for (const stream s : {stream_, other_})
      if (s.native != nullptr) d_.destroy(device_, s);
  }
  probe(const probe&) = delete;
  probe& operator=(const probe&) = delete;

  [[nodiscard]] bool make() noexcept {
    node n;
    return done(d_.make_stream(device_, stream_)) &&
           done(d_.allocate_device(device_, bytes, memory_)) &&
           done(d_.make_event(device_, false, recorded_)) &&
           done(d_.make_event(device_, false, gate_)) && done(d_.make_graph(graph_)) &&
           done(d_.add_record(graph_, {}, device_, recorded_, n)) &&
           done(d_.instantiate(graph_, device_, executable_)) &&
           done(d_.make_stream(device_, other_)) && done(d_.make_event(device_, false, awaited_)) &&
           done(d_.make_event(device_, false, waited_)) && done(d_.make_graph(waiting_graph_)) &&
           done(d_.add_wait(waiting_graph_, {}, device_, awaited_, n)) &&
           done(d_.instantiate(waiting_graph_, device_, waiting_));
  }
  [[nodiscard]] code why() const noexcept { return why_; }

  enum class answer { yes, no, too_quick, failed };
  // Whether an event that a graph records is unreached from the launch on.
  [[nodiscard]] answer ask_records(int fills) noexcept {
    const bool sent = keep_busy(stream_, fills) && done(d_.record(device_, stream_, gate_)) &&
                      done(d_.launch(executable_, device_, stream_));
    const event_state node = sent ? state_of(recorded_) : event_state::broken;
    const event_state gate = sent ? state_of(gate_) : event_state::broken;
    // The stream has to be idle before anything goes away.
    if (!done(d_.record(device_, stream_, gate_)) || !done(d_.synchronize(gate_)))
      return answer::failed;
    if (node == event_state::not_reached) return answer::yes;
    if (node == event_state::broken || gate == event_state::broken) return answer::failed;
    return gate == event_state::not_reached ? answer::no : answer::too_quick;
  }

  // Whether a node waits for what was recorded before its graph was launched, and not for what is recorded by the time
  // that the node is run: events are recorded again as soon as they have been reached, and graphs that are still to run
  // may have nodes that wait for them.
  [[nodiscard]] answer ask_waits(int fills) noexcept {
    bool sent = done(d_.record(device_, stream_, awaited_)) && done(d_.synchronize(awaited_));
    // The other stream is busy for much longer than this one.
    sent = sent && keep_busy(other_, 3 * fills) && keep_busy(stream_, fills) &&
           done(d_.record(device_, stream_, gate_)) &&
           done(d_.launch(waiting_, device_, stream_)) &&
           done(d_.record(device_, stream_, waited_)) && done(d_.record(device_, other_, awaited_));
    // Before the node is run.
    const event_state gate = sent ? state_of(gate_) : event_state::broken;
    sent = done(d_.synchronize(sent ? waited_ : awaited_)) && sent;
    const event_state awaited = sent ? state_of(awaited_) : event_state::broken;
    if (!done(d_.record(device_, other_, gate_)) || !done(d_.synchronize(gate_)) || !sent)
      return answer::failed;
    if (gate == event_state::reached) return answer::too_quick;
    if (gate == event_state::broken || awaited == event_state::broken) return answer::failed;
    return awaited == event_state::not_reached ? answer::yes : answer::no;
  }

 private:
  bool keep_busy(stream where, int fills) noexcept {
    fill_operation f;
    // The streams are not ordered: each has a half of its own.
    f.destination =
        static_cast<std::byte*>(memory_) + (where.native == other_.native ? bytes / 2 : 0);
    f.element_bytes = 4;
    f.width = bytes / 2 / 4;
    f.device = device_;
    for (int i = 0; i < fills; ++i)
      if (!done(d_.fill(where, f))) return false;
    return true;
  }
  // Keeps the first error.
  bool done(code c) noexcept {
    if (c != success && why_ == success) why_ = c;
    return c == success;
  }
  event_state state_of(event e) noexcept {
    code c = success;
    const event_state s = d_.query(e, c);
    done(c);
    return s;
  }

  driver& d_;
  std::uint32_t device_;
  code why_ = success;
  stream stream_, other_;
  void* memory_ = nullptr;
  event recorded_, gate_, awaited_, waited_;
  graph graph_, waiting_graph_;
  executable executable_, waiting_;
};

}  // namespace

bool event_nodes_keep_to_launches(driver& d, std::uint32_t device, code& why) noexcept {
  probe p(d, device);
  probe::answer a = p.make() ? probe::answer::too_quick : probe::answer::failed;
  for (const int fills : {4, 16, 64, 256, 1024})
    if (a == probe::answer::too_quick) a = p.ask_records(fills);
  if (a == probe::answer::yes) {
    a = probe::answer::too_quick;
    // The other stream may have been done by chance: no is believed the second time.
    int refusals = 0;
    for (const int fills : {4, 16, 64, 256, 1024})
      if (a == probe::answer::too_quick || (a == probe::answer::no && refusals < 2)) {
        a = p.ask_waits(fills);
        refusals += a == probe::answer::no ? 1 : 0;
      }
  }
  why = p.why();
  return a == probe::answer::yes;
}

}  // namespace pianola::gpu
