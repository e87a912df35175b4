// SPDX-License-Identifier: Apache-2.0
#include "event_node_probe.hpp"

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
    if (recorded_.native != nullptr) d_.destroy(device_, recorded_);
    if (gate_.native != nullptr) d_.destroy(device_, gate_);
    if (memory_ != nullptr) d_.free_device(device_, memory_);
    if (stream_.native != nullptr) d_.destroy(device_, stream_);
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
           done(d_.instantiate(graph_, device_, executable_));
  }
  [[nodiscard]] code why() const noexcept { return why_; }

  enum class answer { yes, no, too_quick, failed };
  [[nodiscard]] answer ask(int fills) noexcept {
    fill_operation f;
    f.destination = memory_;
    f.width = bytes;
    f.device = device_;
    bool sent = true;
    for (int i = 0; i < fills && sent; ++i) sent = done(d_.fill(stream_, f));
    sent = sent && done(d_.record(device_, stream_, gate_)) &&
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

 private:
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
  stream stream_;
  void* memory_ = nullptr;
  event recorded_, gate_;
  graph graph_;
  executable executable_;
};

}  // namespace

bool launches_renew_events(driver& d, std::uint32_t device, code& why) noexcept {
  probe p(d, device);
  probe::answer a = p.make() ? probe::answer::too_quick : probe::answer::failed;
  for (const int fills : {4, 16, 64, 256, 1024})
    if (a == probe::answer::too_quick) a = p.ask(fills);
  why = p.why();
  return a == probe::answer::yes;
}

}  // namespace pianola::gpu
