#include "bench/app/app_client.h"

#include <sys/socket.h>

#include <memory>
#include <string_view>

#include "bench/tools.h"

namespace berth::bench {
namespace {

constexpr std::size_t kClientPiece = 256u << 10;
constexpr std::size_t kEchoBytes = 64;

[[noreturn]] void lost_app(const std::string& why) { give_up(make_error("internal-error", why)); }

}  // namespace

std::string AppClient::get_request(const std::string& fields, std::uint64_t bytes) {
  return "GET /" + std::to_string(bytes) + " HTTP/1.1\r\n" + fields + "\r\n";
}

std::size_t AppClient::read_header(const std::string& status) {
  std::string& bytes = client_.bytes();
  bytes.clear();
  while (bytes.find("\r\n\r\n") == std::string::npos) client_.read();
  if (!bytes.starts_with("HTTP/1.1 " + status)) lost_app(bytes.substr(0, 4096));
  return bytes.size() - bytes.find("\r\n\r\n") - 4;
}

void AppClient::get(std::uint64_t bytes) {
  static thread_local const std::unique_ptr<char[]> piece = std::make_unique<char[]>(kClientPiece);
  client_.send(get_request(fields_, bytes));
  for (std::uint64_t come = read_header("200"); come < bytes;) {
    const ssize_t got = ::recv(client_.fd(), piece.get(), kClientPiece, 0);
    if (got <= 0) lost_app("a body ends before its end");
    come += static_cast<std::uint64_t>(got);
  }
}

void AppClient::post(std::uint64_t bytes) {
  static const std::string piece(kClientPiece, 'x');
  client_.send("POST / HTTP/1.1\r\n" + fields_ +
               "Content-Type: application/octet-stream\r\nContent-Length: " + std::to_string(bytes) +
               "\r\n\r\n");
  for (std::uint64_t gone = 0; gone < bytes;) {
    const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(kClientPiece, bytes - gone));
    client_.send(std::string_view(piece).substr(0, size));
    gone += size;
  }
  read_header("200");
}

void AppClient::upgrade() {
  client_.send("GET / HTTP/1.1\r\n" + fields_ +
               "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
               "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n");
  read_header("101");
}

// A binary frame by RFC 6455, masked by zeros; it comes back without a mask.
void AppClient::echo() {
  static const std::string frame = std::string("\x82\xC0\0\0\0\0", 6) + std::string(kEchoBytes, 'x');
  client_.send(frame);
  std::string& bytes = client_.bytes();
  bytes.clear();
  while (bytes.size() < 2 + kEchoBytes) client_.read();
  if (bytes.size() > 2 + kEchoBytes || bytes[0] != frame[0])
    lost_app("another frame came back than was sent");
}

}  // namespace berth::bench
