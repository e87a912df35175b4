// SPDX-License-Identifier: Apache-2.0
#include <sycl/ext/pianola/auto_capture.hpp>

#include <pianola/runtime/auto_capture.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::pianola {

void set_auto_capture(bool on) noexcept { ::pianola::runtime::set_auto_capture_default(on); }

auto_capture_statistics get_auto_capture_statistics() noexcept {
  const auto s = ::pianola::runtime::get_auto_capture_statistics();
  return {s.sequences, s.replays,          s.replayed_commands,
          s.flushes,   s.flushed_commands, s.changed_commands};
}

void reset_auto_capture_statistics() noexcept {
  ::pianola::runtime::reset_auto_capture_statistics();
}

}  // namespace ext::pianola
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
