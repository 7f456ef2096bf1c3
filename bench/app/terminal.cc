#include "bench/app/terminal.h"

#include "bench/kernel_rig.h"
#include "bench/tools.h"
#include "controller/api/auth/signature.h"
#include "controller/api/map/time_text.h"

namespace berth::bench {
namespace {

namespace api = controller::api;

constexpr char kText = 1, kBinary = 2, kPing = 9, kPong = 10;
constexpr unsigned char kLast = 0x80, kMasked = 0x80;

[[noreturn]] void lost_terminal(const std::string& why) {
  give_up(make_error("internal-error", "a terminal: " + why));
}

std::string upgrade_of(const BerthUp& up, const api::KeyPair& by, const std::string& target) {
  const Timestamp now = wall_ns();
  const std::string date = format_time(now - now % kSecond), host = up.host(), empty = api::sha256_hex("");
  const api::SignedRequest parts{"GET", target, date, host, "", api::kApiVersion, "", empty};
  return "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nX-Berth-Date: " + date +
         "\r\nX-Berth-Version: " + std::string(api::kApiVersion) +
         "\r\nAuthorization: " + api::authorization_header(by.access_key, api::sign(by.secret_key, parts)) +
         "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
         "AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: berth.session.v1\r\n\r\n";
}

}  // namespace

Terminal::Terminal(const BerthUp& up, const api::KeyPair& by, const std::string& session,
                   const std::string& name, const std::string& command)
    : client_(up.port()) {
  client_.send(upgrade_of(up, by, "/v1/sessions/" + session + "/shell"));
  std::string& bytes = client_.bytes();
  while (bytes.find("\r\n\r\n") == std::string::npos) client_.read();
  if (!bytes.starts_with("HTTP/1.1 101")) lost_terminal(bytes);
  bytes.erase(0, bytes.find("\r\n\r\n") + 4);
  send(kText, "{\"name\":\"" + name + "\",\"command\":" + command + "}");
}

// Masked by zeros.
void Terminal::send(char opcode, const std::string& payload) {
  std::string frame{static_cast<char>(kLast | opcode)};
  if (payload.size() < 126) {
    frame += static_cast<char>(kMasked | payload.size());
  } else {
    frame += static_cast<char>(kMasked | 126);
    frame += static_cast<char>(payload.size() >> 8);
    frame += static_cast<char>(payload.size());
  }
  client_.send(frame + std::string(4, '\0') + payload);
}

void Terminal::read() {
  client_.read();
  while (take_frame()) continue;
}

bool Terminal::take_frame() {
  std::string& bytes = client_.bytes();
  const auto at = [&bytes](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.size() < 2) return false;
  std::size_t size = at(1), head = 2;
  if (size > 125) {
    const std::size_t wide = size == 126 ? 2 : 8;
    if (bytes.size() < head + wide) return false;
    size = 0;
    for (std::size_t i = 0; i < wide; ++i) size = size << 8 | at(head + i);
    head += wide;
  }
  if (bytes.size() < head + size) return false;
  const char opcode = static_cast<char>(at(0) & 0x0F);
  const std::string payload = bytes.substr(head, size);
  bytes.erase(0, head + size);
  if (bytes.empty()) bytes = {};
  if (opcode == kPing) {
    send(kPong, payload);
  } else if (opcode == kBinary) {
    printed_ = payload;
  } else if (payload.starts_with("{\"problem\"") || payload.starts_with("{\"ended\"") || opcode > kBinary) {
    lost_terminal(payload);
  }
  return true;
}

}  // namespace berth::bench
