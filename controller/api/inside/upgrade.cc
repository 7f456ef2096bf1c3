#include "controller/api/inside/upgrade.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "controller/api/auth/trimmed.h"
#include "controller/api/inside/messages.h"

namespace berth::controller::api {
namespace {

bool equal_words(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// Whether the comma list has the word.
bool lists(std::string_view list, std::string_view word) {
  while (true) {
    const auto comma = list.find(',');
    if (equal_words(trimmed(list.substr(0, comma)), word)) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

bool is_key(std::string_view key) {  // 16 bytes in Base64
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '+' || c == '/'; };
  return key.size() == 24 && key.ends_with("==") && std::ranges::all_of(key.substr(0, 22), fits);
}

}  // namespace

std::optional<Problem> check_upgrade(const HttpRequest& request) {
  if (request.method != "GET" || !lists(request.upgrade, "websocket") ||
      !lists(request.connection, "upgrade"))
    return make_problem(
        "upgrade-required", "this is a WebSocket: the request asks for none",
        "send Connection: Upgrade and Upgrade: websocket, or use berth session exec and shell");
  if (request.web_socket_version != "13")
    return make_problem("upgrade-required", "this server speaks version 13 of the WebSocket protocol alone",
                        "send Sec-WebSocket-Version: 13");
  if (!is_key(request.web_socket_key))
    return make_problem("malformed-request", "Sec-WebSocket-Key is not 16 bytes in Base64",
                        "RFC 6455 says how a WebSocket is opened");
  if (!lists(request.web_socket_protocol, kSubprotocol))
    return make_problem("unknown-subprotocol", "Sec-WebSocket-Protocol does not name what is spoken here",
                        std::string("send Sec-WebSocket-Protocol: ") + kSubprotocol);
  return std::nullopt;
}

std::optional<Problem> check_stream_origin(const PublicNames& names, const Provenance& from, bool by_cookie) {
  if (by_cookie && from.origin.empty())
    return make_problem("foreign-origin", "a browser opens this from a page of this server alone",
                        "send Origin, or sign the request with a key pair");
  return check_origin(names, from);
}

}  // namespace berth::controller::api
