// SPDX-License-Identifier: Apache-2.0
#include "view/http_server.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <exception>
#include <iterator>
#include <list>
#include <new>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

namespace pianola::tool {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;
using namespace std::chrono_literals;

constexpr std::size_t most_connections = 64;
constexpr std::uint32_t most_of_header = 16384;  // bytes
constexpr auto time_to_ask = 10s;                // for the whole request
constexpr auto time_to_take = 30s;               // for each piece of the answer
constexpr auto time_to_leave = 2s;

http_answer complaint(unsigned status, std::string_view reason) {
  return {status, "text/plain; charset=utf-8",
          std::make_shared<const std::string>(formats::one_line(reason) + "\n")};
}

}  // namespace

class http_server::implementation {
 public:
  using answerers = std::map<std::string, answerer, std::less<>>;

  implementation(std::uint16_t port, answerers known)
      : answerers_(std::move(known)), signals_(io_, SIGINT, SIGTERM), acceptor_(io_), pause_(io_) {
    listen(port);
    names_ = {fmt::format("127.0.0.1:{}", port_), fmt::format("localhost:{}", port_)};
    if (port_ == 80) names_.insert(names_.end(), {"127.0.0.1", "localhost"});
  }

  [[nodiscard]] std::string address() const { return "http://" + names_.front() + "/"; }

  void run() {
    signals_.async_wait([this](const beast::error_code& error, int) {
      if (!error) io_.stop();
    });
    accept();
    io_.run();
  }

 private:
  // One request, and its answer: then it is closed, so that nobody holds one without asking for something.
  class connection : public std::enable_shared_from_this<connection> {
   public:
    connection(tcp::socket socket, implementation& server)
        : server_(server), stream_(std::move(socket)), heard_(most_of_header) {
      parser_.header_limit(most_of_header);
      parser_.body_limit(UINT64_MAX);  // nobody reads it
    }

    void begin() {
      stream_.expires_after(time_to_ask);
      // What follows the header is of no interest.
      http::async_read_header(stream_, heard_, parser_,
                              [self = shared_from_this()](const beast::error_code& error,
                                                          std::size_t) { self->hear(error); });
    }
    void close() {
      gone_ = true;
      stream_.close();
    }
    // Whether there is anybody to answer.
    [[nodiscard]] bool is_gone() const noexcept { return gone_; }

    // While the answer is made: nobody waits for one who has closed.
    void wait() {
      stream_.expires_never();
      stream_.socket().async_wait(
          tcp::socket::wait_read, [self = shared_from_this()](const beast::error_code& error) {
            beast::error_code failed;
            if (!self->answering_ && !error && self->stream_.socket().available(failed) == 0)
              self->close();
          });
    }

    void answer(http_answer a) {
      if (gone_) return;
      given_ = std::move(a);
      response_.version(11);
      response_.result(given_.status);
      response_.keep_alive(false);
      response_.set(http::field::content_type, given_.type);
      response_.set(http::field::cache_control, "no-store");
      response_.set("X-Content-Type-Options", "nosniff");
      response_.set("Cross-Origin-Resource-Policy", "same-origin");
      response_.set(http::field::x_frame_options, "DENY");
      if (given_.status == 405) response_.set(http::field::allow, "GET, HEAD");
      response_.content_length(given_.body->size());
      if (parser_.get().method() != http::verb::head)
        response_.body() = {given_.body->data(), given_.body->size()};
      answering_ = true;
      write();
    }

   private:
    void hear(const beast::error_code& error) {
      if (!error) return server_.handle(shared_from_this(), parser_.get());
      if (error == http::error::header_limit || error == beast::errc::message_size ||
          error == http::error::buffer_overflow)
        return answer(complaint(431, "the header of the request is too long"));
      const bool left =
          error == http::error::end_of_stream || error == http::error::partial_message;
      if (!left && error.category() == beast::error_code(http::error::bad_method).category())
        return answer(complaint(400, "the request is no HTTP: " + error.message()));
      close();
    }

    // A piece at a time: there may be many, and each takes its time.
    void write() {
      stream_.expires_after(time_to_take);
      http::async_write_some(
          stream_, serializer_,
          [self = shared_from_this()](const beast::error_code& error, std::size_t) {
            if (error) return self->close();
            if (!self->serializer_.is_done()) return self->write();
            beast::error_code ignored;
            static_cast<void>(self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored));
            self->stream_.expires_after(time_to_leave);
            self->leave();
          });
    }
    // Closed with something unread, the answer would be lost on its way.
    void leave() {
      stream_.async_read_some(
          asio::buffer(rest_),
          [self = shared_from_this()](const beast::error_code& error, std::size_t) {
            if (error) return self->close();
            self->leave();
          });
    }

    implementation& server_;
    beast::tcp_stream stream_;
    beast::flat_buffer heard_;
    http::request_parser<http::empty_body> parser_;
    http_answer given_;
    http::response<http::span_body<const char>> response_;
    http::response_serializer<http::span_body<const char>> serializer_{response_};
    bool answering_ = false;
    std::array<char, 4096> rest_{};
    std::atomic<bool> gone_{false};
  };

  using request = http::request<http::empty_body>;

  void listen(std::uint16_t port) {
    const tcp::endpoint at(asio::ip::address_v4::loopback(), port);
    try {
      acceptor_.open(at.protocol());
      acceptor_.set_option(tcp::acceptor::reuse_address(true));
      acceptor_.bind(at);
      acceptor_.listen();
    } catch (const boost::system::system_error& e) {
      const bool taken = e.code() == beast::errc::address_in_use;
      throw model::user_error(
          model::error_code::invalid,
          fmt::format("view: port {}{}", port,
                      taken ? " is taken; name another one, or none for any that is free"
                            : " cannot be had: " + e.code().message()));
    }
    port_ = acceptor_.local_endpoint().port();
  }

  void accept() {
    acceptor_.async_accept([this](const beast::error_code& error, tcp::socket socket) {
      if (!error) {
        add(std::move(socket));
        return accept();
      }
      // No descriptor is left, say.
      give_up_oldest();
      pause_.expires_after(100ms);
      pause_.async_wait([this](const beast::error_code&) { accept(); });
    });
  }
  void add(tcp::socket socket) {
    connections_.remove_if([](const std::weak_ptr<connection>& c) { return c.expired(); });
    if (connections_.size() >= most_connections) give_up_oldest();
    const auto made = std::make_shared<connection>(std::move(socket), *this);
    connections_.push_back(made);
    made->begin();
  }
  void give_up_oldest() {
    if (connections_.empty()) return;
    if (const auto oldest = connections_.front().lock()) oldest->close();
    connections_.pop_front();
  }

  void handle(const std::shared_ptr<connection>& asking, const request& asked) {
    // A page from elsewhere may have a name that leads here, but not this one.
    const auto [host, last] = asked.equal_range(http::field::host);
    if (host == last || std::next(host) != last || !is_own_name(host->value()))
      return asking->answer(complaint(
          403, fmt::format("this is {}; from another machine use the same port on both sides",
                           address())));
    if (asked.method() != http::verb::get && asked.method() != http::verb::head)
      return asking->answer(complaint(405, "only GET and HEAD are answered"));
    const std::string_view target(asked.target().data(), asked.target().size());
    const std::size_t mark = std::min(target.find('?'), target.size());
    const auto found = answerers_.find(target.substr(0, mark));
    if (found == answerers_.end()) return asking->answer(complaint(404, "there is nothing here"));
    // Nor may it make this machine work; only links may lead here.
    const auto site = asked["Sec-Fetch-Site"];
    if (!site.empty() && site != "same-origin" && site != "none" &&
        asked["Sec-Fetch-Mode"] != "navigate")
      return asking->answer(complaint(403, "pages from elsewhere are not answered"));

    asking->wait();
    asio::post(others_,
               [this, asking, answer = &found->second,
                query = std::string(target.substr(std::min(mark + 1, target.size())))]() mutable {
                 http_answer made;
                 if (!asking->is_gone()) made = answered(*answer, query);
                 // Sockets are the other thread's.
                 asio::post(io_, [asking = std::move(asking), made = std::move(made)] {
                   if (made.body) asking->answer(made);
                 });
               });
  }
  [[nodiscard]] bool is_own_name(beast::string_view host) const {
    return std::any_of(names_.begin(), names_.end(),
                       [host](const std::string& n) { return beast::iequals(host, n); });
  }
  static http_answer answered(const answerer& by, const std::string& query) {
    try {
      return by(query);
    } catch (const std::bad_alloc&) {
      return complaint(500, "not enough memory for this");
    } catch (const std::exception& e) {
      return complaint(500, e.what());
    }
  }

  const answerers answerers_;
  std::uint16_t port_ = 0;
  std::vector<std::string> names_;  // the first is its address
  asio::io_context io_{1};
  asio::signal_set signals_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::list<std::weak_ptr<connection>> connections_;  // oldest first
  asio::thread_pool others_{1};
};

http_server::http_server(std::uint16_t port, std::map<std::string, answerer, std::less<>> answerers)
    : is_(std::make_unique<implementation>(port, std::move(answerers))) {}
http_server::~http_server() = default;
std::string http_server::address() const { return is_->address(); }
void http_server::run() { is_->run(); }

}  // namespace pianola::tool
