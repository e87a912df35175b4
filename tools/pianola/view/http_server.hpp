// SPDX-License-Identifier: Apache-2.0
// A web server for those who are logged in to this machine.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace pianola::tool {

struct http_answer {
  unsigned status = 200;
  const char* type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body;
};

// Answers GET and HEAD at 127.0.0.1, for requests that name this server as their host and for the paths that it is given;
// no path is one of the file system. One thread speaks with all clients. Another one answers, one question after the
// other, and leaves out those whose client has gone.
//
// Clients may be hostile: what they send is bounded, each step of a conversation has its time, and where there are too
// many connections the oldest is given up for a new one.
class http_server {
 public:
  // Is called with what follows the question mark, not from the thread that runs the server. What it throws becomes an
  // answer with status 500.
  using answerer = std::function<http_answer(std::string_view query)>;

  // `answerers`: by path. `port` 0: one that is free. From here on clients can connect, and SIGINT and SIGTERM are run()'s.
  // Throws model::user_error (invalid) if the port cannot be had.
  http_server(std::uint16_t port, std::map<std::string, answerer, std::less<>> answerers);
  http_server(const http_server&) = delete;
  http_server& operator=(const http_server&) = delete;
  ~http_server();

  [[nodiscard]] std::string address() const;  // "http://127.0.0.1:8080/"
  // Returns when one of the signals comes. An answer may be in the making still, by the other thread, which does not end
  // before that is made.
  void run();

 private:
  class implementation;
  std::unique_ptr<implementation> is_;
};

}  // namespace pianola::tool
