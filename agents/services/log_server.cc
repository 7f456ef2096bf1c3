#include "agents/services/log_server.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include <charconv>
#include <cstdlib>
#include <optional>

#include "events/base/edge_errors.h"
#include "events/codec/framing.h"
#include "events/schema/v1/service.pb.h"

namespace berth::agents {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kConnectionsMax = 256;
constexpr std::int64_t kSkewMsMax = 60'000;
constexpr auto kSilenceMax = std::chrono::seconds(30);

std::optional<tcp::endpoint> endpoint_of(const std::string& address) {
  const auto colon = address.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  error_code error;
  const auto ip = asio::ip::make_address(host, error);
  std::uint16_t port = 0;
  const char* end = address.data() + address.size();
  const auto parsed = std::from_chars(address.data() + colon + 1, end, port);
  if (error || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return tcp::endpoint(ip, port);
}

std::string text_of(const tcp::endpoint& endpoint) {
  const std::string ip = endpoint.address().to_string();
  return (endpoint.address().is_v6() ? "[" + ip + "]" : ip) + ":" + std::to_string(endpoint.port());
}

}  // namespace

class LogServer::Impl {
 public:
  Impl(Signer signer, const Clock& clock, ReadLog read_log)
      : signer_(std::move(signer)), clock_(clock), read_log_(std::move(read_log)) {}

  Result<std::string> start(const std::string& address);
  void stop();
  std::uint64_t refused() const { return refused_; }

 private:
  struct Connection {
    explicit Connection(tcp::socket s) : socket(std::move(s)), silence(socket.get_executor()) {}
    tcp::socket socket;
    asio::steady_timer silence;
    FrameHeader header{};
    std::string buffer;
  };
  using Held = std::shared_ptr<Connection>;

  void accept();
  void read_header(const Held& held);
  void read_body(const Held& held);
  void answer(const Held& held);
  void close(const Held& held, bool refuse);
  std::optional<v1::Service> answer_to(const std::string& payload);

  Signer signer_;
  const Clock& clock_;
  ReadLog read_log_;
  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  std::size_t connections_ = 0;
  std::atomic<std::uint64_t> refused_{0};
  std::thread thread_;
};

Result<std::string> LogServer::Impl::start(const std::string& address) {
  const auto endpoint = endpoint_of(address);
  if (!endpoint)
    return make_error("address-invalid", "'" + address + "' is no address to serve on",
                      "write IP:PORT, port 0 for any free one");
  error_code error;
  acceptor_.open(endpoint->protocol(), error);
  if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor_.bind(*endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error == asio::error::address_in_use)
    return make_error(kPortInUse, address + " is in use",
                      "choose another agent.services, or port 0 for any free one");
  if (error) return make_error("listen-failed", address + ": " + error.message());
  accept();
  thread_ = std::thread([this] { io_.run(); });
  return text_of(acceptor_.local_endpoint());
}

void LogServer::Impl::stop() {
  io_.stop();
  if (thread_.joinable()) thread_.join();
}

void LogServer::Impl::accept() {
  acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error && connections_ < kConnectionsMax) {
      ++connections_;
      read_header(std::make_shared<Connection>(std::move(socket)));
    }
    accept();
  });
}

void LogServer::Impl::close(const Held& held, bool refuse) {
  if (refuse) ++refused_;
  error_code ignored;
  held->silence.cancel();
  if (held->socket.is_open()) --connections_;
  held->socket.close(ignored);
}

void LogServer::Impl::read_header(const Held& held) {
  held->silence.expires_after(kSilenceMax);
  held->silence.async_wait([this, held](const error_code& error) {
    if (!error) close(held, false);
  });
  asio::async_read(held->socket, asio::buffer(held->header),
                   [this, held](const error_code& error, std::size_t) {
                     if (error) return close(held, false);
                     const auto length = frame_length(held->header, kQuestionBytesMax);
                     if (!length) return close(held, true);
                     held->buffer.resize(*length);
                     read_body(held);
                   });
}

void LogServer::Impl::read_body(const Held& held) {
  asio::async_read(held->socket, asio::buffer(held->buffer),
                   [this, held](const error_code& error, std::size_t) {
                     if (error) return close(held, false);
                     answer(held);
                   });
}

void LogServer::Impl::answer(const Held& held) {
  const auto reply = answer_to(held->buffer);
  if (!reply) return close(held, true);
  held->buffer = frame_of(signer_.sign(Channel::kService, reply->SerializeAsString()));
  asio::async_write(held->socket, asio::buffer(held->buffer),
                    [this, held](const error_code& error, std::size_t) {
                      if (error) return close(held, false);
                      read_header(held);
                    });
}

// Nothing for a payload that is not signed by this agent's key, is no question, or is too old.
std::optional<v1::Service> LogServer::Impl::answer_to(const std::string& payload) {
  const auto envelope = open_signed(signer_, Channel::kService, payload);
  v1::Service asked;
  if (!envelope || !asked.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size())))
    return std::nullopt;
  if (!asked.has_log_wanted() || std::llabs(asked.sent_ms() - clock_.now().wall / kMillisecond) > kSkewMsMax)
    return std::nullopt;
  const auto& wanted = asked.log_wanted();
  const auto kernel = Uuid::from_bytes(wanted.kernel_id());
  v1::Service reply;
  reply.set_nonce(asked.nonce());
  reply.set_sent_ms(clock_.now().wall / kMillisecond);
  const auto page = kernel ? read_log_({KernelId(*kernel), wanted.attempt()}, wanted.offset(),
                                       std::min(wanted.max_bytes(), kLogPageBytesMax))
                           : Result<LogPage>(make_error("unknown-kernel", "the kernel id is malformed"));
  if (page.ok()) {
    auto& given = *reply.mutable_log_given();
    given.set_bytes(page->bytes);
    given.set_next(page->next);
    given.set_ended(page->ended);
  } else {
    reply.mutable_error()->set_code(page.error().code);
    reply.mutable_error()->set_message(page.error().message);
    reply.mutable_error()->set_hint(page.error().hint);
  }
  return reply;
}

LogServer::LogServer(Signer signer, const Clock& clock, ReadLog read_log)
    : impl_(std::make_unique<Impl>(std::move(signer), clock, std::move(read_log))) {}
LogServer::~LogServer() { stop(); }
Result<std::string> LogServer::start(const std::string& address) { return impl_->start(address); }
void LogServer::stop() { impl_->stop(); }
std::uint64_t LogServer::refused() const { return impl_->refused(); }

}  // namespace berth::agents
