#include "tests/unit/api/server/web_socket_client.h"

#include <boost/json.hpp>

namespace berth::testing {
namespace {

std::string big_endian(std::uint64_t number, int bytes) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(number >> (8 * i) & 0xFF);
  return out;
}

std::uint64_t number_of(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char c : bytes) number = number << 8 | static_cast<unsigned char>(c);
  return number;
}

}  // namespace

WebSocketClient::WebSocketClient(std::uint16_t port, const std::string& request) : client_(port) {
  client_.send(request);
  while (!client_.closed() && !head_.ends_with("\r\n\r\n")) head_ += client_.take(1);
}

bool WebSocketClient::send(std::uint8_t opcode, std::string_view payload, const Form& form) {
  const std::uint64_t size = form.announces.value_or(payload.size());
  std::string bytes(1, static_cast<char>((form.last ? 0x80 : 0) | form.reserved << 4 | opcode));
  const int mask = form.masked ? 0x80 : 0;
  if (size < 126)
    bytes += static_cast<char>(mask | static_cast<int>(size));
  else if (size < 1u << 16)
    bytes += static_cast<char>(mask | 126) + big_endian(size, 2);
  else
    bytes += static_cast<char>(mask | 127) + big_endian(size, 8);
  constexpr std::string_view kMask = "mask";
  if (form.masked) bytes += kMask;
  for (std::size_t i = 0; i < payload.size(); ++i)
    bytes += form.masked ? static_cast<char>(payload[i] ^ kMask[i % 4]) : payload[i];
  return client_.send(bytes);
}

std::optional<WebSocketClient::Frame> WebSocketClient::frame() {
  const std::string head = client_.take(2);
  if (head.size() < 2) return std::nullopt;
  const auto first = static_cast<unsigned char>(head[0]);
  std::uint64_t size = static_cast<unsigned char>(head[1]) & 0x7Fu;
  if (size == 126) size = number_of(client_.take(2));
  if (size == 127) size = number_of(client_.take(8));
  Frame out{static_cast<std::uint8_t>(first & 0x0F), (first & 0x80) != 0, client_.take(size)};
  return out.payload.size() == size ? std::optional(out) : std::nullopt;
}

std::string WebSocketClient::message() {
  std::string all;
  while (const auto next = frame()) {
    if (next->opcode == kPing) {
      send(kPong, next->payload);
      continue;
    }
    if (next->opcode == kPong) continue;
    if (next->opcode == kClose) return "close " + std::to_string(number_of(next->payload.substr(0, 2)));
    all += next->payload;
    if (next->last) return all;
  }
  return "nothing";
}

std::string WebSocketClient::end() {
  std::string code;
  while (true) {
    const std::string next = message();
    if (next == "nothing") return code + "cut";
    if (next.starts_with("close ")) return code + next.substr(6);
    boost::system::error_code error;
    const auto value = boost::json::parse(next, error);
    const auto* problem = error ? nullptr : value.as_object().if_contains("problem");
    if (problem != nullptr) code = std::string(problem->at("code").as_string()) + " ";
  }
}

}  // namespace berth::testing
