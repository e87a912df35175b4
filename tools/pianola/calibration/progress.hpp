// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <string>

namespace pianola::tool {

// A bar on standard error while something takes long; nothing if that is no terminal.
class progress {
 public:
  explicit progress(std::size_t steps) : steps_(steps), shown_(::isatty(2) != 0) {}
  ~progress() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  // The next step begins. `what` is made fit for a terminal.
  void step(const std::string& what) {
    const std::size_t done = done_++;
    if (!shown_) return;
    constexpr std::size_t width = 30;
    const std::size_t full = steps_ == 0 ? width : done * width / steps_;
    std::fprintf(stderr, "\r\033[K[%s%s] %s", std::string(full, '#').c_str(),
                 std::string(width - (full < width ? full : width), '.').c_str(), what.c_str());
    std::fflush(stderr);
  }

 private:
  std::size_t steps_;
  std::size_t done_ = 0;
  bool shown_;
};

}  // namespace pianola::tool
