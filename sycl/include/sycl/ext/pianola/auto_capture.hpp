// SPDX-License-Identifier: Apache-2.0
// Queues that capture repeated sequences of commands by themselves.
#pragma once

#include <cstdint>

#include <sycl/detail/mode.hpp>
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::pianola {

namespace property::queue {

/// For the construction of a queue. Sequences of commands that are submitted to it again and again are found, recorded,
/// planned, and from then on replayed, with the values that they have each time; the program sees nothing of it but time. With
/// `false` the queue does not, whatever set_auto_capture() or PIANOLA_AUTOCAPTURE say.
class auto_capture {
 public:
  explicit auto_capture(bool on = true) noexcept : on_(on) {}
  bool is_on() const noexcept { return on_; }

 private:
  bool on_;
};

}  // namespace property::queue

/// Whether queues that are constructed from now on, without the property, capture. Takes the place of PIANOLA_AUTOCAPTURE.
void set_auto_capture(bool on) noexcept;

/// What the queues of the process that capture have done since its start or the last reset_auto_capture_statistics().
struct auto_capture_statistics {
  std::uint64_t sequences = 0;          ///< found and recorded
  std::uint64_t replays = 0;            ///< of them
  std::uint64_t replayed_commands = 0;  ///< of the program, that ran as a part of a replay
  /// Times that the program did not go on as expected, or wanted to see something, while commands were held back.
  std::uint64_t flushes = 0;
  std::uint64_t flushed_commands = 0;  ///< that were submitted by themselves then
  std::uint64_t changed_commands =
      0;  ///< that were exchanged in a recorded sequence for other values
};
auto_capture_statistics get_auto_capture_statistics() noexcept;
void reset_auto_capture_statistics() noexcept;

}  // namespace ext::pianola

template <>
struct is_property<ext::pianola::property::queue::auto_capture>
    : detail::known_property<detail::property_key("ext::pianola::property::queue::auto_capture")> {
};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
