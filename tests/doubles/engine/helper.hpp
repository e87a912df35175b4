// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "helper_protocol.hpp"

namespace pianola::test::drivers {

class address_space;

/// The process that runs a device's kernels. Calls may come from several threads at once.
class helper {
 public:
  /// Throws std::runtime_error: it cannot be started.
  explicit helper(const address_space& memory);
  helper(const helper&) = delete;
  helper& operator=(const helper&) = delete;
  /// Ends the process.
  ~helper();

  struct answer {
    /// The process has ended before it answered.
    bool lost = false;
    helper_reply reply{};
    std::string text;
  };
  /// Something short.
  answer ask(const helper_request& request, std::string_view bytes = {});
  /// A launch, which may take long.
  answer run(std::string_view launch);

  void protect(std::uintptr_t address, std::size_t bytes, bool accessible);
  void map(std::uintptr_t address, std::size_t bytes, std::size_t offset);
  /// Ends the process; calls that wait for it come back.
  void end();

 private:
  bool start(const address_space& memory, const std::string& program);
  static answer talk(int socket, const helper_request& request, std::string_view bytes);

  pid_t process_ = -1;
  std::vector<int> sockets_;  // the first one for short requests
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> free_;
  std::mutex asking_;
};

}  // namespace pianola::test::drivers
