#include "controller/api/http/agent_client.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "events/schema/v1/service.pb.h"

namespace berth::controller {
namespace {

constexpr std::uint32_t kAnswerBytesMax = (1u << 20) + (64u << 10);
constexpr std::uint32_t kPageBytesMax = 1u << 20;

Error unreachable(const std::string& address, const std::string& why) {
  return make_error("agent-unreachable", "the agent's services at " + address + " do not answer: " + why,
                    "is the agent running? `berth agent ls` shows its state");
}

Error invalid(const std::string& why) {
  return make_error("agent-answer-invalid", "the agent's answer " + why);
}

// An IP address and port; names are not looked up.
bool parse_address(const std::string& text, sockaddr_storage& out, socklen_t& size) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return false;
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  std::uint16_t port = 0;
  const auto parsed = std::from_chars(text.data() + colon + 1, text.data() + text.size(), port);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || port == 0) return false;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&out);
  if (inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    size = sizeof *v4;
    return true;
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&out);
  if (inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) != 1) return false;
  v6->sin6_family = AF_INET6;
  v6->sin6_port = htons(port);
  size = sizeof *v6;
  return true;
}

// A TCP connection with one deadline for all that is done on it.
class Connection {
 public:
  Connection(const Clock& clock, Duration patience)
      : clock_(clock), until_(clock.now().boottime + patience) {}
  ~Connection() {
    if (fd_ >= 0) ::close(fd_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool connect(const sockaddr_storage& address, socklen_t size) {
    fd_ = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd_ < 0) return false;
    if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), size) == 0) return true;
    if (errno != EINPROGRESS || !wait(POLLOUT)) return false;
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &length);
    errno = error;
    return error == 0;
  }
  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent > 0)
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      else if (!retry(POLLOUT))
        return false;
    }
    return true;
  }
  bool read(std::string& out, std::size_t size) {
    out.resize(size);
    for (std::size_t at = 0; at < size;) {
      const auto got = recv(fd_, out.data() + at, size - at, 0);
      if (got > 0) {
        at += static_cast<std::size_t>(got);
      } else if (got == 0) {
        errno = ECONNRESET;
        return false;
      } else if (!retry(POLLIN)) {
        return false;
      }
    }
    return true;
  }

 private:
  bool retry(short events) {
    return errno == EINTR || ((errno == EAGAIN || errno == EWOULDBLOCK) && wait(events));
  }
  bool wait(short events) {
    for (;;) {
      const Duration left = until_ - clock_.now().boottime;
      pollfd ready{fd_, events, 0};
      const int n = left > 0 ? poll(&ready, 1, static_cast<int>(left / kMillisecond) + 1) : 0;
      if (n > 0) return true;
      if (n == 0) errno = ETIMEDOUT;
      if (n == 0 || errno != EINTR) return false;
    }
  }

  const Clock& clock_;
  Timestamp until_;
  int fd_ = -1;
};

std::string framed(const std::string& payload) {
  std::string frame;
  for (int i = 0; i < 4; ++i) frame += static_cast<char>(payload.size() >> (8 * i));
  return frame + payload;
}

std::uint32_t length_in(const std::string& header) {
  std::uint32_t length = 0;
  for (int i = 0; i < 4; ++i) length |= std::uint32_t{static_cast<std::uint8_t>(header[i])} << (8 * i);
  return length;
}

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
  wanted.set_max_bytes(std::min(query.limit, kPageBytesMax));

  sockaddr_storage address{};
  socklen_t size = 0;
  if (!parse_address(query.address, address, size))
    return unreachable(query.address, "it is no IP address with a port");
  Connection connection(clock, patience);
  std::string header, payload;
  if (!connection.connect(address, size) ||
      !connection.write(framed(signer.seal(Channel::kService, question.SerializeAsString()))) ||
      !connection.read(header, 4))
    return unreachable(query.address, std::strerror(errno));
  if (length_in(header) > kAnswerBytesMax) return invalid("is too long");
  if (!connection.read(payload, length_in(header))) return unreachable(query.address, std::strerror(errno));
  return read_answer(payload, signer, question.nonce());
}

}  // namespace berth::controller
