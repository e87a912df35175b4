// SPDX-License-Identifier: Apache-2.0
// The page that `pianola view --serve` serves, as browsers and others ask for it.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <pianola/planner/plan_json.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "run_tool.hpp"
#include "sample_graph.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// `pianola view ... --serve` beside the test.
class server {
 public:
  explicit server(std::vector<std::string> words) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    words.insert(words.begin(), {PIANOLA_TOOL, "view"});
    std::vector<char*> argv;
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(ends[1], 1);
      ::close(ends[0]);
      ::close(ends[1]);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    for (char c = 0; ::read(ends[0], &c, 1) == 1 && c != '\n';) address_ += c;
    out_ = ends[0];
  }
  server(const server&) = delete;
  server& operator=(const server&) = delete;
  ~server() {
    if (child_ > 0) end_with(SIGKILL);
    ::close(out_);
  }

  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] std::string port() const {
    const std::size_t colon = address_.rfind(':');
    return address_.substr(colon + 1, address_.size() - colon - 2);
  }
  [[nodiscard]] std::ptrdiff_t open_descriptors() const {
    const std::filesystem::directory_iterator all("/proc/" + std::to_string(child_) + "/fd");
    return std::distance(begin(all), end(all));
  }
  // Its exit code; -1: the signal has ended it.
  int end_with(int signal) {
    ::kill(child_, signal);
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t child_ = -1;
  int out_ = -1;
  std::string address_;
};

class connection {
 public:
  explicit connection(const server& to, const char* address = "127.0.0.1")
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval patience{120, 0};  // far above what anything needs
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<std::uint16_t>(std::stoi(to.port())));
    ::inet_pton(AF_INET, address, &at.sin_addr);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
  }
  connection(connection&& other) noexcept : socket_(other.socket_), connected_(other.connected_) {
    other.socket_ = -1;
  }
  ~connection() {
    if (socket_ >= 0) ::close(socket_);
  }

  [[nodiscard]] bool is_connected() const { return connected_; }
  // False: the other side did not want all of it.
  bool send(const std::string& text) const {
    std::size_t done = 0;
    for (ssize_t n = 1; n > 0 && done < text.size(); done += n > 0 ? std::size_t(n) : 0)
      n = ::send(socket_, text.data() + done, text.size() - done, MSG_NOSIGNAL);
    return done == text.size();
  }
  [[nodiscard]] std::string receive_some() const {
    std::string piece(4096, ' ');
    const ssize_t n = ::recv(socket_, piece.data(), piece.size(), 0);
    piece.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return piece;
  }
  // All until the other side closes.
  [[nodiscard]] std::string receive() const {
    std::string all;
    for (std::string piece = receive_some(); !piece.empty(); piece = receive_some()) all += piece;
    return all;
  }

 private:
  int socket_;
  bool connected_ = false;
};

struct reply {
  std::string status;  // "200"
  std::string header;
  std::string body;
};
reply replied(const connection& c) {
  const std::string all = c.receive();
  const std::size_t end = std::min(all.find("\r\n\r\n"), all.size());
  if (!all.starts_with("HTTP/1.1 ")) return {"none", all, {}};
  return {all.substr(9, 3), all.substr(0, end), all.substr(std::min(end + 4, all.size()))};
}
reply ask(const server& s, const std::string& request) {
  const connection c(s);
  c.send(request);
  return replied(c);
}
std::string request_for(const server& s, const std::string& target, const std::string& more = "",
                        const std::string& method = "GET") {
  return method + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + s.port() + "\r\n" + more +
         "\r\n";
}
reply get(const server& s, const std::string& target, const std::string& more = "") {
  return ask(s, request_for(s, target, more));
}

json content_of(const std::string& page) {
  static const std::string begin = "<script id=\"content\" type=\"application/json\">";
  const std::size_t from = page.find(begin) + begin.size();
  return json::parse(page.substr(from, page.find("</script>", from) - from));
}

void expect_one_plain_line(const reply& r, const char* status, const char* part) {
  EXPECT_EQ(r.status, status) << r.header << r.body;
  EXPECT_THAT(r.header, HasSubstr("Content-Type: text/plain"));
  EXPECT_THAT(r.header, HasSubstr("X-Content-Type-Options: nosniff"));
  EXPECT_THAT(r.body, HasSubstr(part));
  EXPECT_EQ(r.body.find('\n'), r.body.size() - 1) << r.body;
}

class served : public ::testing::Test {
 protected:
  void SetUp() override {
    const tool_result r = run_tool({"view", graph_, plan_});
    if (r.exit_code == 2 && r.err.find("built without its page") != std::string::npos)
      GTEST_SKIP() << "npm was not there when this program was built";
  }

  temporary_folder folder_;
  std::string graph_ = folder_.file("g.json", recorder::to_json(halo_graph(), two_devices()));
  std::string plan_ = folder_.file("p.json", planner::to_json(halo_plan(), halo_graph()));
};

TEST_F(served, is_the_page_that_may_ask_its_server) {
  const server s({graph_, plan_, "--serve"});
  EXPECT_EQ(s.address(), "http://127.0.0.1:" + s.port() + "/");
  const reply r = get(s, "/");
  EXPECT_EQ(r.status, "200");
  EXPECT_THAT(r.header, HasSubstr("Content-Type: text/html"));
  EXPECT_THAT(r.header, HasSubstr("X-Content-Type-Options: nosniff"));
  EXPECT_THAT(r.header, HasSubstr("Cache-Control: no-store"));
  const std::string alone = run_tool({"view", graph_, plan_}).out;
  EXPECT_THAT(r.body, HasSubstr("worker-src blob:; connect-src 'self'\">"));
  EXPECT_THAT(alone, HasSubstr("worker-src blob:\">"));
  json content = content_of(r.body);
  EXPECT_NE(content["served"], "");
  content.erase("served");
  EXPECT_EQ(content, content_of(alone));
}

TEST_F(served, explains_what_the_command_line_explains) {
  const server s({graph_, plan_, "--serve"});
  const reply r = get(s, "/explain?transfer=2");
  EXPECT_EQ(r.status, "200") << r.body;
  EXPECT_THAT(r.header, HasSubstr("Content-Type: application/json"));
  EXPECT_FALSE(json::parse(r.body)["suggestions"].empty());
  EXPECT_EQ(r.body, run_tool({"explain", graph_, plan_, "--transfer", "2", "--json"}).out);
  EXPECT_EQ(get(s, "/explain?edge=c0-c2").body,
            run_tool({"explain", graph_, plan_, "--edge", "0:2", "--json"}).out);
  const std::string page = content_of(get(s, "/").body)["served"];
  EXPECT_EQ(get(s, "/explain?node=c3&page=" + page).body,
            run_tool({"explain", graph_, plan_, "--node", "3", "--json"}).out);
}

TEST_F(served, shows_files_as_they_are_now) {
  const server s({graph_, "--serve"});
  const json before = content_of(get(s, "/").body);
  const std::string question = "/explain?node=c0&page=" + before["served"].get<std::string>();
  EXPECT_EQ(content_of(get(s, "/").body), before);
  EXPECT_EQ(get(s, question).status, "200");

  formats::write_file(graph_, recorder::to_json(graph_of_every_kind(), two_devices()));
  expect_one_plain_line(get(s, question), "409", "load it again");
  EXPECT_EQ(content_of(get(s, "/").body)["commands"]["kind"].size(), graph_of_every_kind().size());
  formats::write_file(graph_, "{\"format\": \"pianola.graph/1\",\n\x1b<script>");
  expect_one_plain_line(get(s, "/"), "500", "g.json: /: line 2");
  expect_one_plain_line(get(s, "/explain?node=c0"), "500", "g.json: /: line 2");
  formats::write_file(graph_, recorder::to_json(halo_graph(), two_devices()));
  EXPECT_EQ(content_of(get(s, "/").body)["commands"], before["commands"]);
}

TEST_F(served, refuses_a_plan_that_is_not_right_any_more) {
  const server s({graph_, plan_, "--serve"});
  planner::plan wrong = halo_plan();
  wrong.steps[2].wait_count = 0;
  formats::write_file(plan_, planner::to_json(wrong, halo_graph()));
  expect_one_plain_line(get(s, "/"), "500", "p.json: the plan is not right: step 2: ");
}

TEST_F(served, answers_only_to_its_own_name) {
  const server s({graph_, "--serve"});
  const auto status_for = [&s](const std::string& hosts) {
    return ask(s, "GET / HTTP/1.1\r\n" + hosts + "\r\n").status;
  };
  EXPECT_EQ(status_for("Host: LocalHost:" + s.port() + "\r\n"), "200");
  EXPECT_EQ(status_for("Host: localhost\r\n"), "403");
  EXPECT_EQ(status_for("Host: evil.example:" + s.port() + "\r\n"), "403");
  EXPECT_EQ(status_for("Host: 127.0.0.1:" + s.port() + ".evil.example\r\n"), "403");
  EXPECT_EQ(status_for(""), "403");
  const std::string own = "Host: 127.0.0.1:" + s.port() + "\r\n";
  EXPECT_EQ(status_for(own + "Host: evil.example\r\n"), "403");
  expect_one_plain_line(ask(s, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), "403",
                        "the same port on both sides");
  EXPECT_FALSE(connection(s, "127.0.0.2").is_connected()) << "it listens elsewhere, too";
}

TEST_F(served, works_for_no_page_from_elsewhere) {
  const server s({graph_, "--serve"});
  const std::string elsewhere = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: ";
  expect_one_plain_line(get(s, "/explain?node=c0", elsewhere + "no-cors\r\n"), "403", "elsewhere");
  EXPECT_EQ(get(s, "/", elsewhere + "navigate\r\n").status, "200");
  EXPECT_EQ(
      get(s, "/explain?node=c0", "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\n").status,
      "200");
}

TEST_F(served, reads_and_does_nothing_else) {
  const server s({graph_, "--serve"});
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "FROB"}) {
    const reply r = ask(s, request_for(s, "/", "Content-Length: 9\r\n", method) + "something");
    expect_one_plain_line(r, "405", "only GET and HEAD");
    EXPECT_THAT(r.header, HasSubstr("Allow: GET, HEAD"));
  }
  const connection talkative(s);
  EXPECT_TRUE(talkative.send(request_for(s, "/", "Content-Length: 16777216\r\n", "POST") +
                             std::string(16 << 20, 'x')));
  EXPECT_EQ(replied(talkative).status, "405");
  const reply head = ask(s, request_for(s, "/", "", "HEAD"));
  EXPECT_EQ(head.status, "200");
  EXPECT_EQ(head.body, "");
  EXPECT_THAT(head.header, HasSubstr("Content-Length: " + std::to_string(get(s, "/").body.size())));
}

TEST_F(served, knows_two_paths_and_no_files) {
  const server s({graph_, "--serve"});
  for (const std::string& target :
       {std::string("/g.json"), graph_, std::string("/../g.json"), std::string("/explain/"),
        std::string("//"), std::string("/%2e%2e/etc/passwd"), std::string("*"),
        "http://127.0.0.1:" + s.port() + "/"})
    expect_one_plain_line(get(s, target), "404", "nothing here");
}

TEST_F(served, refuses_questions_that_make_no_sense) {
  const server s({graph_, plan_, "--serve"});
  for (const char* query : {"",
                            "?",
                            "?node",
                            "?node=",
                            "?node=3",
                            "?node=c",
                            "?node=c3x",
                            "?node=c99",
                            "?node=c-1",
                            "?node=c99999999999999999999",
                            "?node=s2",
                            "?edge=c0",
                            "?edge=c0-",
                            "?edge=-",
                            "?edge=c2-c0",
                            "?edge=c0-c99",
                            "?transfer=0",
                            "?transfer=99",
                            "?transfer=c2",
                            "?transfer=18446744073709551615",
                            "?node=c1&node=c2",
                            "?node=c1&edge=c0-c1",
                            "?file=g.json",
                            "?node=c%33",
                            "?node=c0&",
                            "?page=",
                            "?&&&=&"}) {
    const reply r = get(s, std::string("/explain") + query);
    if (std::strcmp(query, "?node=c0&") == 0)
      EXPECT_EQ(r.status, "200") << r.body;
    else if (std::strcmp(query, "?page=") == 0)
      expect_one_plain_line(r, "409", "load it again");
    else
      expect_one_plain_line(r, "400", "");
  }
}

TEST_F(served, refuses_what_is_no_request) {
  const server s({graph_, "--serve"});
  expect_one_plain_line(ask(s, "hello\r\n\r\n"), "400", "no HTTP");
  expect_one_plain_line(ask(s, std::string("GET / HTTP/1.1\r\n\0\x01\r\n\r\n", 23)), "400",
                        "no HTTP");
  expect_one_plain_line(get(s, "/", "X: " + std::string(100000, 'x') + "\r\n"), "431", "too long");
  expect_one_plain_line(get(s, "/" + std::string(100000, 'x')), "431", "too long");
  EXPECT_EQ(get(s, "/").status, "200");
}

// More of them than it holds: the oldest are given up.
TEST_F(served, is_there_for_others_beside_clients_that_never_finish) {
  const server s({graph_, "--serve"});
  std::vector<connection> slow;
  for (int i = 0; i < 200; ++i) {
    slow.emplace_back(s);
    if (i % 2 == 0) slow.back().send("GET / HTTP/1.1\r\nHost: 127");
    if (i % 50 == 0) EXPECT_EQ(get(s, "/").status, "200") << i;
  }
  EXPECT_EQ(get(s, "/").status, "200");
  EXPECT_LT(s.open_descriptors(), 100);
  EXPECT_EQ(slow.front().receive(), "");
  slow.back().send("GET / HTTP/1.1\r\nHost: 127.0.0.1:" + s.port() + "\r\n\r\n");
  EXPECT_EQ(replied(slow.back()).status, "200") << "the newest is not given up";
}

TEST_F(served, goes_on_when_clients_go_away) {
  model::topology machine = two_devices();
  const std::string longest(1 << 20, 'x');  // of these more than the system takes at once
  for (int i = 0; i < 20; ++i) machine.memories.push_back({longest, 1 << 30});
  formats::write_file(graph_, recorder::to_json(halo_graph(), machine));
  const server s({graph_, plan_, "--serve"});
  for (int i = 0; i < 20; ++i) connection(s).send(request_for(s, "/explain?transfer=2"));
  for (int i = 0; i < 5; ++i) {
    const connection c(s);
    c.send(request_for(s, "/"));
    EXPECT_THAT(c.receive_some(), StartsWith("HTTP/1.1 200")) << "and leaves the rest";
  }
  const reply r = get(s, "/");
  EXPECT_EQ(r.status, "200");
  EXPECT_EQ(content_of(r.body)["memories"][22]["name"], longest);
}

TEST_F(served, ends_well_when_it_is_told_to) {
  for (const int signal : {SIGTERM, SIGINT}) {
    server s({graph_, "--serve"});
    const connection open(s);
    open.send("GET /");
    EXPECT_EQ(get(s, "/").status, "200");
    EXPECT_EQ(s.end_with(signal), 0);
  }
}

// What should not be served, as one line says.
void expect_refusal(const std::vector<std::string>& words, const std::string& part) {
  ASSERT_EQ(server(words).address(), "");
  std::vector<std::string> all = words;
  all.insert(all.begin(), "view");
  const tool_result r = run_tool(all);
  expect_one_line_of_complaint(r);
  EXPECT_THAT(r.err, HasSubstr(part));
}

TEST_F(served, is_at_the_port_that_is_named_if_that_is_free) {
  std::string port;
  {
    const server s({graph_, "--serve"});
    port = s.port();
    expect_refusal({graph_, "--serve=" + port}, "port " + port + " is taken");
    EXPECT_EQ(get(s, "/").status, "200");
  }
  const server again({"--serve=" + port, graph_});
  EXPECT_EQ(again.port(), port);
  EXPECT_EQ(get(again, "/").status, "200");
}

TEST_F(served, is_nothing_that_makes_no_sense) {
  for (const char* port : {"0", "65536", "-1", "http", "80x", "\x1b[2J"})
    expect_refusal({graph_, std::string("--serve=") + port},
                   "--serve takes a port from 1 to 65535");
  expect_refusal({graph_, "--serve", "-o", folder_.file("o.html")}, "excludes");
  expect_refusal({"--serve"}, "graph is required");
  const temporary_folder elsewhere;
  expect_refusal({elsewhere.file("p.json", formats::read_file(plan_)), "--serve"}, "p.json: ");
  expect_refusal({graph_, graph_, "--serve"}, "g.json: ");
}

}  // namespace
