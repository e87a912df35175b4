// SPDX-License-Identifier: Apache-2.0
// Recordings that go on over waits.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include <sycl/command_graph.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/shared_state.hpp>
#include <sycl/event.hpp>
#include <sycl/ext/pianola/graph_argument.hpp>
#include <sycl/property_list.hpp>
#include <sycl/queue.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::pianola {

namespace property::graph {

/// For the construction of a command_graph: what waits while a queue records, and would otherwise throw, cuts the recording.
/// That is queue::wait, event::wait of a recorded command, a host_accessor of a buffer that recorded commands use, and the end of
/// such a buffer. What was recorded so far is finalized, runs, and has finished when the wait returns: it is a leg of the
/// recording, which goes on in the next one. Events of legs that have run are those of finished commands, their nodes are gone,
/// and finalize() throws exception (errc::invalid): a graph_sequence holds the legs.
/// `values` is what the legs work on that run while they are recorded, in the places of parameters: {in = x, out = y}. Each leg
/// takes what it uses of them.
class split_at_waits {
 public:
  split_at_waits() = default;
  explicit split_at_waits(const std::vector<graph_argument>& values);
  /// Null for none.
  const std::vector<graph_argument>* values() const noexcept;

 private:
  std::shared_ptr<const void> values_;
};

}  // namespace property::graph

/// The legs of a recording that waits have cut (property::graph::split_at_waits), to be launched one by one. Copies are the
/// same sequence.
///
///     sequence.next(q).wait();      // up to where the recorded program waited
///     if (converged[0]) break;      // what the program did there
///     sequence.next(q).wait();      // and on
class graph_sequence {
 public:
  /// Of a graph into which no queue records any more. Parts that ran while they were recorded are not run again: the first
  /// call of next() launches what was recorded behind the last wait, if there is anything, and so ends the recorded run.
  /// Throws exception as finalize().
  explicit graph_sequence(
      const oneapi::experimental::command_graph<oneapi::experimental::graph_state::modifiable>&
          graph);

  /// Launches the next leg, after the one before it; the first one follows the last one. `values` is what it works on in the
  /// places of parameters; those of parameters that only other legs use change nothing, so that all legs can be given the same.
  /// Throws exception (errc::invalid) for a value that no leg takes, and as ext_oneapi_graph for one that is missing.
  event next(queue& q, const std::vector<graph_argument>& values);
  event next(queue& q);

  std::size_t size() const noexcept { return state_->legs.size(); }
  /// Of the leg that next() launches.
  std::size_t position() const;

 private:
  struct state {
    std::mutex mutex;
    std::vector<oneapi::experimental::command_graph<oneapi::experimental::graph_state::executable>>
        legs;
    std::size_t next = 0;
    event last;
  };
  sycl::detail::shared_state<state> state_;
};

}  // namespace ext::pianola

template <>
struct is_property<ext::pianola::property::graph::split_at_waits>
    : detail::known_property<detail::property_key(
          "ext::pianola::property::graph::split_at_waits")> {};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
