// SPDX-License-Identifier: Apache-2.0
#include "log.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace pianola::runtime {

namespace {

log_level level_from_environment() noexcept {
  const char* text = std::getenv("PIANOLA_LOG");
  if (text == nullptr || *text == '\0') return log_level::warn;
  if (std::strcmp(text, "off") == 0) return log_level::off;
  if (std::strcmp(text, "warn") == 0) return log_level::warn;
  if (std::strcmp(text, "info") == 0) return log_level::info;
  if (std::strcmp(text, "trace") == 0) return log_level::trace;
  if (std::strcmp(text, "plan") == 0) return log_level::plan;
  std::fprintf(
      stderr,
      "pianola: warn: PIANOLA_LOG is '%s'; it takes off, warn, info, trace or plan (using warn)\n",
      text);
  return log_level::warn;
}

}  // namespace

log_level current_log_level() noexcept {
  static const log_level level = level_from_environment();
  return level;
}

void log_line(log_level level, std::string_view text) noexcept {
  const char* name = level == log_level::warn    ? "warn"
                     : level == log_level::info  ? "info"
                     : level == log_level::trace ? "trace"
                                                 : "plan";
  std::fprintf(stderr, "pianola: %s: %.*s\n", name, static_cast<int>(text.size()), text.data());
}

}  // namespace pianola::runtime
