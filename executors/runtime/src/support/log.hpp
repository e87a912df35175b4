// SPDX-License-Identifier: Apache-2.0
// PIANOLA_LOG=warn|info|trace|plan to standard error.
#pragma once
#include <string_view>

#include <fmt/format.h>

namespace pianola::runtime {

enum class log_level : unsigned char { off, warn, info, trace, plan };

[[nodiscard]] log_level current_log_level() noexcept;
void log_line(log_level, std::string_view text) noexcept;

template <class... A>
void log_warn(fmt::format_string<A...> f, A&&... a) {
  if (current_log_level() >= log_level::warn)
    log_line(log_level::warn, fmt::format(f, std::forward<A>(a)...));
}
template <class... A>
void log_info(fmt::format_string<A...> f, A&&... a) {
  if (current_log_level() >= log_level::info)
    log_line(log_level::info, fmt::format(f, std::forward<A>(a)...));
}
template <class... A>
void log_trace(fmt::format_string<A...> f, A&&... a) {
  if (current_log_level() >= log_level::trace)
    log_line(log_level::trace, fmt::format(f, std::forward<A>(a)...));
}

}  // namespace pianola::runtime
