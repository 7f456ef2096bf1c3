#include "controller/api/http/agent_client.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>

#include "events/codec/framing.h"
#include "events/schema/v1/service.pb.h"

namespace berth::controller {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

Error unreachable(const std::string& address, const std::string& why) {
  return make_error("agent-unreachable", "the agent's services at " + address + " do not answer: " + why,
                    "is the agent running? `berth agent ls` shows its state");
}

Error invalid(const std::string& why) {
  return make_error("agent-answer-invalid", "the agent's answer " + why);
}

// An IP address and port; names are not looked up.
std::optional<tcp::endpoint> endpoint_of(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  error_code error;
  const auto ip = asio::ip::make_address(host, error);
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + colon + 1, end, port);
  if (error || parsed.ec != std::errc() || parsed.ptr != end || port == 0) return std::nullopt;
  return tcp::endpoint(ip, port);
}

// A TCP connection with one deadline for everything that is done on it.
class AgentConnection {
 public:
  AgentConnection(const Clock& clock, Duration patience)
      : clock_(clock), until_(clock.now().boottime + patience) {}

  error_code connect(const tcp::endpoint& endpoint) {
    return run([&](auto done) { socket_.async_connect(endpoint, done); });
  }
  error_code write(const std::string& bytes) {
    return run([&](auto done) { asio::async_write(socket_, asio::buffer(bytes), done); });
  }
  template <class Buffer> error_code read(Buffer& whole) {
    return run([&](auto done) { asio::async_read(socket_, asio::buffer(whole), done); });
  }

 private:
  // Starts one asynchronous operation and waits until it is done or the deadline passes.
  template <class Start> error_code run(Start start) {
    std::optional<error_code> result;
    start([&result](const error_code& error, std::size_t = 0) { result = error; });
    context_.restart();
    if (const Duration left = until_ - clock_.now().boottime; left > 0)
      context_.run_for(std::chrono::nanoseconds(left));
    if (result) return *result;
    error_code ignored;
    socket_.close(ignored);
    context_.run();  // the operation ends now: it refers to what our caller holds
    return asio::error::timed_out;
  }

  const Clock& clock_;
  const Timestamp until_;
  asio::io_context context_{1};
  tcp::socket socket_{context_};
};

Result<AgentLogPage> read_answer(const std::string& payload, const Signer& signer, const std::string& nonce) {
  const auto envelope = open_signed(signer, Channel::kService, payload);
  if (!envelope) return envelope.error();
  v1::Service answer;
  if (!answer.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size())))
    return invalid("does not parse");
  if (answer.nonce() != nonce) return invalid("is to another question");
  if (answer.has_error())
    return make_error(answer.error().code(), answer.error().message(), answer.error().hint());
  if (!answer.has_log_given() || answer.log_given().next() < answer.log_given().bytes().size())
    return invalid("holds no page");
  auto& given = *answer.mutable_log_given();
  AgentLogPage page;
  page.offset = given.next() - given.bytes().size();
  page.next = given.next();
  page.end = given.ended();
  page.bytes = std::move(*given.mutable_bytes());
  return page;
}

}  // namespace

Result<AgentLogPage> fetch_log(const AgentLogQuery& query, const Signer& signer, const Clock& clock,
                               RandomSource& random, Duration patience) {
  v1::Service question;
  question.set_nonce(std::string(random.uuid().view()));
  question.set_sent_ms(clock.now().wall / kMillisecond);
  auto& wanted = *question.mutable_log_wanted();
  wanted.set_kernel_id(std::string(query.kernel.view()));
  wanted.set_attempt(query.attempt);
  wanted.set_offset(query.offset);
  wanted.set_max_bytes(std::min(query.limit, kLogPageBytesMax));

  const auto endpoint = endpoint_of(query.address);
  if (!endpoint) return unreachable(query.address, "it is no IP address with a port");
  AgentConnection connection(clock, patience);
  error_code error = connection.connect(*endpoint);
  if (!error)
    error = connection.write(frame_of(signer.seal(Channel::kService, question.SerializeAsString())));
  FrameHeader header{};
  if (!error) error = connection.read(header);
  if (error) return unreachable(query.address, error.message());
  const auto length = frame_length(header, kAnswerBytesMax);
  if (!length) return invalid("is empty or too long");
  std::string payload(*length, '\0');
  error = connection.read(payload);
  if (error) return unreachable(query.address, error.message());
  return read_answer(payload, signer, question.nonce());
}

}  // namespace berth::controller
