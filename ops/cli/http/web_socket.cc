#include "ops/cli/http/web_socket.h"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <map>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/websocket.hpp>

#include "controller/api/auth/maybe_tls_stream.h"
#include "ops/cli/http/server_trust.h"
#include "ops/cli/http/transport_errors.h"

namespace berth::cli {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;
using ErrorCode = boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kGoodbyeMax{1};
constexpr std::size_t kWriteBytes = 65'536;

using Tcp = beast::tcp_stream;

// Takes at once what is written, and sends it when the network does. Beast hears nothing while it writes: a
// ping wants an answer first. So a server that takes no stdin until its stdout was read would wait forever.
class SocketStream : public controller::api::MaybeTlsStream {
 public:
  using MaybeTlsStream::MaybeTlsStream;

  // Bytes that were taken and not sent.
  std::size_t unsent() const { return next_.size() + going_.size(); }

  template <class Buffers, class Handler> void async_write_some(const Buffers& buffers, Handler&& handler) {
    const std::string bytes = beast::buffers_to_string(buffers);
    next_ += bytes;
    flush();
    asio::post(get_executor(),
               beast::bind_front_handler(std::forward<Handler>(handler), error_, bytes.size()));
  }

 private:
  void flush() {
    if (!going_.empty() || next_.empty() || error_) return;
    going_.swap(next_);
    asio::async_write(static_cast<MaybeTlsStream&>(*this), asio::buffer(going_),
                      [this](ErrorCode code, std::size_t) {
                        going_.clear();
                        error_ = code;
                        flush();
                      });
  }

  std::string next_, going_;
  ErrorCode error_;
};

// What Beast looks for where a connection is to end. Both sides have said that it ends by then: TLS's own
// goodbye would say nothing more.
void beast_close_socket(SocketStream& stream) { stream.tcp().close(); }
template <class Handler> void async_teardown(beast::role_type, SocketStream& stream, Handler&& handler) {
  stream.tcp().close();
  asio::post(stream.get_executor(), beast::bind_front_handler(std::forward<Handler>(handler), ErrorCode()));
}

// One connection. Its handlers hold it, so that a dropped one lives until the last was called.
struct Connection {
  Connection(asio::io_context& context, asio::ssl::context* tls) : socket(Tcp(context), tls) {}

  Tcp& tcp() { return socket.next_layer().tcp(); }
  std::size_t unsent_bytes() const { return queued_bytes + socket.next_layer().unsent(); }

  websocket::stream<SocketStream> socket;
  beast::flat_buffer buffer;
  std::deque<SocketMessage> queue;  // for Beast, which takes one at a time
  std::size_t queued_bytes = 0;
  bool reads = false, writes = false;
  Clock::time_point heard = Clock::now();
  std::optional<SocketMessage> message;
  std::optional<SocketEnd> end;
};

// Descriptors that others hold, as one that Asio may take: Asio would make those themselves non-blocking, for
// every process that shares them. Regular files are always ready and not in it.
class WatchSet {
 public:
  explicit WatchSet(asio::io_context& context) : set_(context, ::epoll_create1(EPOLL_CLOEXEC)) {}

  void watch(const std::vector<Watch>& watches) {
    std::map<int, std::uint32_t> wanted;
    for (const Watch& watch : watches) wanted[watch.descriptor] |= watch.to_write ? EPOLLOUT : EPOLLIN;
    for (const auto& [descriptor, events] : watched_)
      if (!wanted.contains(descriptor)) change(EPOLL_CTL_DEL, descriptor, events);
    for (const auto& [descriptor, events] : wanted) {
      const auto before = watched_.find(descriptor);
      if (before == watched_.end())
        change(EPOLL_CTL_ADD, descriptor, events);
      else if (before->second != events)
        change(EPOLL_CTL_MOD, descriptor, events);
    }
    watched_ = std::move(wanted);
  }
  template <class Handler> void async_wait(Handler handler) {
    set_.async_wait(asio::posix::stream_descriptor::wait_read, std::move(handler));
  }
  void cancel() {
    ErrorCode ignored;
    set_.cancel(ignored);
  }

 private:
  void change(int what, int descriptor, std::uint32_t events) {
    epoll_event event{};
    event.events = events;
    ::epoll_ctl(set_.native_handle(), what, descriptor, &event);
  }

  asio::posix::stream_descriptor set_;
  std::map<int, std::uint32_t> watched_;
};

bool find_ready(std::vector<Watch>& watches) {
  std::vector<pollfd> polled;
  for (const Watch& watch : watches)
    polled.push_back({watch.descriptor, static_cast<short>(watch.to_write ? POLLOUT : POLLIN), 0});
  const bool any = ::poll(polled.data(), polled.size(), 0) > 0;
  for (std::size_t i = 0; i < watches.size(); ++i) watches[i].ready = any && polled[i].revents != 0;
  return any;
}

HttpReply reply_of(const websocket::response_type& response) {
  HttpReply reply;
  reply.status = response.result_int();
  for (const auto& field : response) {
    std::string name(field.name_string());
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    reply.headers.emplace_back(std::move(name), std::string(field.value()));
  }
  reply.body = response.body();
  return reply;
}

class BeastWebSocket final : public WebSocket {
 public:
  explicit BeastWebSocket(const HttpServer& server)
      : host_(bare_host(server)), port_(server.port), trust_(server) {}
  ~BeastWebSocket() override { drop(); }

  Result<HttpReply> connect(const HttpRequest& request, Deadline deadline) override {
    drop();
    open_ = std::make_shared<Connection>(context_, trust_.tls());
    auto reply = open(request, deadline);
    if (!reply || reply->status != 101) drop();
    return reply;
  }

  void send(SocketMessage message) override {
    open_->queued_bytes += message.bytes.size();
    open_->queue.push_back(std::move(message));
    write();
  }

  std::size_t unsent() const override { return open_ ? open_->unsent_bytes() : 0; }

  Woken wait(std::vector<Watch>& watches, bool messages, Deadline deadline) override {
    if (open_ && messages) read();
    const std::size_t unsent_before = unsent();
    context_.restart();
    context_.poll();
    const auto has_news = [&] {
      return open_ && ((messages && (open_->message || open_->end)) || unsent() < unsent_before);
    };
    if (!has_news() && !find_ready(watches)) await(watches, deadline, has_news);
    find_ready(watches);
    Woken woken;
    if (!open_ || !messages) return woken;
    woken.message = std::exchange(open_->message, std::nullopt);
    if (woken.message) return woken;
    woken.end = open_->end;
    if (!woken.end && is_silent()) woken.end = SocketEnd{0, "nothing was heard for 45 s"};
    return woken;
  }

  void close() override {
    if (!open_) return;
    asio::steady_timer timer(context_, kGoodbyeMax);
    bool over = false;
    timer.async_wait([&](ErrorCode) { over = true; });
    context_.restart();
    while (!over && !open_->end && unsent() > 0) context_.run_one();
    if (!open_->end)
      open_->socket.async_close(websocket::close_code::normal,
                                [&over, held = open_](ErrorCode) { over = true; });
    while (!over && !open_->end) context_.run_one();
    drop();
    timer.cancel();
    context_.poll();  // handlers that refer to this call
  }

 private:
  Error unreachable(const std::string& why) const { return unreachable_error(host_, port_, why); }

  void drop() {
    if (!open_) return;
    open_->tcp().close();
    context_.restart();
    context_.poll();  // handlers of what it was doing
    open_.reset();
  }

  // Starts one asynchronous operation of a connection that is not open yet, and waits for it.
  template <class Start> ErrorCode run(Deadline deadline, Start start) {
    ErrorCode result;
    open_->tcp().expires_at(deadline);
    start([&result](ErrorCode code, auto&&...) { result = code; });
    context_.restart();
    context_.run();
    open_->tcp().expires_never();
    return result;
  }

  Error error_of(const ErrorCode& code) const {
    if (code == beast::error::timeout)
      return make_error(kReplyTimeoutCode, "no answer in time from " + host_ + ":" + port_);
    return unreachable(code.message());
  }

  Result<HttpReply> open(const HttpRequest& request, Deadline deadline) {
    ErrorCode code;
    asio::ip::tcp::resolver resolver(context_);
    const auto found = resolver.resolve(host_, port_, code);
    if (code) return unreachable(code.message());
    code = run(deadline, [&](auto done) { open_->tcp().async_connect(found, done); });
    if (code) return unreachable(code.message());
    open_->tcp().socket().set_option(asio::ip::tcp::no_delay(true), code);
    if (auto* tls = open_->socket.next_layer().tls()) {
      if (auto error = trust_.prepare(*tls->native_handle())) return *error;
      code = run(deadline, [&](auto done) { tls->async_handshake(asio::ssl::stream_base::client, done); });
      if (auto refusal = trust_.refusal(code)) return *refusal;
      if (code) return unreachable(code.message());
      if (auto error = trust_.check(*tls->native_handle())) return *error;
    }
    return ask_for_the_switch(request, deadline);
  }

  Result<HttpReply> ask_for_the_switch(const HttpRequest& request, Deadline deadline) {
    auto& socket = open_->socket;
    socket.set_option(websocket::stream_base::decorator([&request](websocket::request_type& asked) {
      for (const auto& [name, value] : request.headers) asked.set(name, value);
    }));
    socket.auto_fragment(false);
    socket.write_buffer_bytes(kWriteBytes);
    socket.read_message_max(kMessageMax);
    websocket::response_type response;
    const ErrorCode code = run(deadline, [&](auto done) {
      socket.async_handshake(response, host_ + ":" + port_, request.target, done);
    });
    if (code && code != websocket::error::upgrade_declined) return error_of(code);
    socket.control_callback([connection = open_.get()](websocket::frame_type, beast::string_view) {
      connection->heard = Clock::now();
    });
    open_->heard = Clock::now();
    return reply_of(response);
  }

  void read() {
    if (open_->reads || open_->message || open_->end) return;
    open_->reads = true;
    open_->heard = Clock::now();
    open_->socket.async_read(open_->buffer, [held = open_](ErrorCode code, std::size_t) {
      held->reads = false;
      held->heard = Clock::now();
      if (code) {
        const auto& reason = held->socket.reason();
        const bool closed = code == websocket::error::closed;
        held->end = SocketEnd{closed ? static_cast<std::uint16_t>(reason.code) : std::uint16_t{0},
                              closed ? std::string(reason.reason.c_str()) : code.message()};
        return;
      }
      held->message.emplace(
          SocketMessage{held->socket.got_binary(), beast::buffers_to_string(held->buffer.data())});
      held->buffer.consume(held->buffer.size());
    });
  }

  void write() { write_of(open_); }

  static void write_of(const std::shared_ptr<Connection>& connection) {
    if (connection->writes || connection->queue.empty()) return;
    connection->writes = true;
    connection->socket.binary(connection->queue.front().binary);
    connection->socket.async_write(asio::buffer(connection->queue.front().bytes),
                                   [held = connection](ErrorCode code, std::size_t) {
                                     held->writes = false;
                                     held->queued_bytes -= held->queue.front().bytes.size();
                                     held->queue.pop_front();
                                     if (!code) write_of(held);
                                   });
  }

  bool is_silent() const { return open_->reads && Clock::now() - open_->heard >= kSilenceMax; }

  template <class Done>
  void await(const std::vector<Watch>& watches, Deadline deadline, const Done& has_news) {
    bool woken = false;
    watched_.watch(watches);
    watched_.async_wait([&woken](ErrorCode code) { woken = woken || !code; });
    asio::steady_timer timer(context_);
    context_.restart();
    while (!woken && !has_news()) {
      const bool listens = open_ && open_->reads;
      const auto limit = listens ? std::min(deadline, open_->heard + kSilenceMax) : deadline;
      if (Clock::now() >= limit) break;
      bool late = false;
      timer.expires_at(limit);
      timer.async_wait([&late](ErrorCode) { late = true; });
      while (!woken && !late && !has_news()) context_.run_one();
      timer.cancel();
      while (!late) context_.run_one();
    }
    watched_.cancel();
    context_.poll();  // handlers that refer to this call
  }

  const std::string host_, port_;
  ServerTrust trust_;
  asio::io_context context_{1};
  WatchSet watched_{context_};
  std::shared_ptr<Connection> open_;
};

}  // namespace

std::unique_ptr<WebSocket> make_web_socket(const HttpServer& server) {
  return std::make_unique<BeastWebSocket>(server);
}

}  // namespace berth::cli
