#include "ops/cli/http/http_client.h"

#include <algorithm>
#include <csignal>
#include <optional>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/http/span_body.hpp>

#include "controller/api/auth/maybe_tls_stream.h"
#include "ops/cli/exit_code.h"
#include "ops/cli/http/server_trust.h"
#include "ops/cli/http/transport_errors.h"

namespace berth::cli {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using ErrorCode = boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kReplyBytesMax = 256u << 20;

using Stream = controller::api::MaybeTlsStream;

class HttpTransport final : public Transport {
 public:
  HttpTransport(const HttpServer& server, bool catch_signals)
      : host_(bare_host(server)), port_(server.port), trust_(server) {
    if (!catch_signals) return;
    signals_.emplace(context_, SIGINT, SIGTERM);
    struct sigaction hangup {};
    if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN)  // as nohup has it
      signals_->add(SIGHUP);
  }

  Result<HttpReply> call(const HttpRequest& request, Deadline deadline) override {
    const bool kept = kept_.has_value();
    auto reply = call_once(request, deadline);
    // A kept-alive connection may have been closed by the server meanwhile. Requests carry an idempotency key
    // or are reads.
    if (!reply && kept && is_unreachable(reply.error())) reply = call_once(request, deadline);
    return reply;
  }

  Result<HttpReply> stream(const HttpRequest& request, Deadline deadline, std::chrono::milliseconds idle,
                           const std::function<bool(std::string_view)>& on_bytes) override {
    Stream connection(beast::tcp_stream(context_), trust_.tls());
    if (auto error = open(connection, deadline)) return *error;
    if (auto error = send(connection, request, deadline)) return *error;
    beast::flat_buffer buffer;
    http::response_parser<http::buffer_body> parser;
    parser.body_limit(boost::none);
    if (auto error = run(connection, deadline, kReplyTimeoutCode, [&](auto done) {
          http::async_read_header(connection, buffer, parser,
                                  [done](ErrorCode code, std::size_t) { done(code); });
        }))
      return *error;
    HttpReply reply = head_of(parser.get());
    const bool collect = reply.status != 200;
    char chunk[16384];
    while (!parser.is_done()) {
      parser.get().body().data = chunk;
      parser.get().body().size = sizeof chunk;
      const auto limit = std::min(deadline, Clock::now() + idle);
      auto error =
          run(connection, limit, limit == deadline ? kReplyTimeoutCode : kStreamIdleCode, [&](auto done) {
            // read_some: an event must not wait until the buffer is full.
            http::async_read_some(connection, buffer, parser, [done](ErrorCode code, std::size_t) {
              done(code == http::error::need_buffer ? ErrorCode() : code);
            });
          });
      if (error && is_unreachable(*error) && !collect) break;  // the server ended the stream
      if (error) return *error;
      const std::string_view bytes(chunk, sizeof chunk - parser.get().body().size);
      if (collect)
        reply.body.append(bytes.substr(0, 65536));
      else if (!bytes.empty() && !on_bytes(bytes))
        break;
      if (collect && reply.body.size() > 65536) break;
    }
    return reply;
  }

  bool pause(std::chrono::milliseconds duration) override {
    asio::steady_timer timer(context_, duration);
    bool interrupted = false;
    if (signals_)
      signals_->async_wait([&](ErrorCode code, int) {
        if (!code) interrupted = true, timer.cancel();
      });
    timer.async_wait([&](ErrorCode) {
      if (signals_) signals_->cancel();
    });
    context_.restart();
    context_.run();
    return !interrupted;
  }

 private:
  Error unreachable(const std::string& why) const { return unreachable_error(host_, port_, why); }

  // Starts one asynchronous operation and waits for it, the deadline or a signal.
  template <class Start>
  std::optional<Error> run(Stream& connection, Deadline deadline, Code late, Start start) {
    ErrorCode result;
    bool interrupted = false;
    connection.tcp().expires_at(deadline);
    if (signals_)
      signals_->async_wait([&](ErrorCode code, int) {
        if (!code) interrupted = true, connection.tcp().cancel();
      });
    start([&](ErrorCode code) {
      result = code;
      if (signals_) signals_->cancel();
    });
    context_.restart();
    context_.run();
    connection.tcp().expires_never();
    if (interrupted) return interrupted_error();
    if (!result) return std::nullopt;
    if (result == beast::error::timeout)
      return make_error(late, "no answer in time from " + host_ + ":" + port_);
    if (result == http::error::body_limit)
      return make_error(kReplyTooLongCode, "the reply is longer than the CLI takes", "use --limit");
    return unreachable(result.message());
  }

  std::optional<Error> open(Stream& connection, Deadline deadline) {
    ErrorCode code;
    asio::ip::tcp::resolver resolver(context_);
    const auto found = resolver.resolve(host_, port_, code);
    if (code) return unreachable(code.message());
    auto error = run(connection, deadline, kUnreachableCode, [&](auto done) {
      connection.tcp().async_connect(
          found, [done](ErrorCode result, const asio::ip::tcp::endpoint&) { done(result); });
    });
    if (error) return error;
    connection.tcp().socket().set_option(asio::ip::tcp::no_delay(true), code);
    return connection.tls() == nullptr ? std::nullopt : shake_hands(connection, deadline);
  }

  // Nothing was sent before the server is known.
  std::optional<Error> shake_hands(Stream& connection, Deadline deadline) {
    SSL& session = *connection.tls()->native_handle();
    if (auto error = trust_.prepare(session)) return error;
    ErrorCode result;
    auto error = run(connection, deadline, kUnreachableCode, [&](auto done) {
      connection.tls()->async_handshake(asio::ssl::stream_base::client, [&result, done](ErrorCode code) {
        result = code;
        done(code);
      });
    });
    if (auto refusal = trust_.refusal(result)) return refusal;
    return error ? error : trust_.check(session);
  }

  std::optional<Error> send(Stream& connection, const HttpRequest& request, Deadline deadline) {
    http::request<http::span_body<const char>> message;  // of the request's own bytes
    message.method_string(request.method);
    message.target(request.target);
    message.version(11);
    for (const auto& [name, value] : request.headers) message.set(name, value);
    message.body() = {request.body.data(), request.body.size()};
    if (!request.body.empty() || request.method != "GET") message.prepare_payload();
    return run(connection, deadline, kReplyTimeoutCode, [&](auto done) {
      http::async_write(connection, message, [done](ErrorCode code, std::size_t) { done(code); });
    });
  }

  template <class Message> static HttpReply head_of(const Message& message) {
    HttpReply reply;
    reply.status = message.result_int();
    for (const auto& field : message) {
      std::string name(field.name_string());
      for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      reply.headers.emplace_back(std::move(name), std::string(field.value()));
    }
    return reply;
  }

  Result<HttpReply> call_once(const HttpRequest& request, Deadline deadline) {
    if (!kept_) {
      kept_.emplace(beast::tcp_stream(context_), trust_.tls());
      if (auto error = open(*kept_, deadline)) return dropped(*error);
    }
    if (auto error = send(*kept_, request, deadline)) return dropped(*error);
    beast::flat_buffer buffer;
    http::response_parser<http::string_body> parser;
    parser.body_limit(kReplyBytesMax);
    if (request.method == "HEAD") parser.skip(true);
    if (auto error = run(*kept_, deadline, kReplyTimeoutCode, [&](auto done) {
          http::async_read(*kept_, buffer, parser, [done](ErrorCode code, std::size_t) { done(code); });
        }))
      return dropped(*error);
    HttpReply reply = head_of(parser.get());
    if (!parser.get().keep_alive()) kept_.reset();
    reply.body = std::move(parser.get().body());
    return reply;
  }

  Error dropped(Error error) {
    kept_.reset();
    return error;
  }

  const std::string host_, port_;
  ServerTrust trust_;
  asio::io_context context_{1};
  std::optional<asio::signal_set> signals_;
  std::optional<Stream> kept_;
};

}  // namespace

std::string bare_host(const HttpServer& server) {
  const std::string& host = server.host;
  return host.size() > 2 && host.front() == '[' ? host.substr(1, host.size() - 2) : host;
}

std::unique_ptr<Transport> make_http_transport(const HttpServer& server, bool catch_signals) {
  return std::make_unique<HttpTransport>(server, catch_signals);
}

}  // namespace berth::cli
