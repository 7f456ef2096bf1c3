// ProxyRequest: what a program in a kernel asks its proxy for, as the head of an HTTP/1 request: CONNECT to a
// host, or GET or HEAD of a whole URL. Read strictly: whoever sends it may be hostile. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace berth::agents {

inline constexpr std::size_t kProxyHeadMax = 8192;  // bytes, the empty line included

struct ProxyRequest {
  bool tunnels = false;  // CONNECT; else `forward` is sent to the host
  std::string host;      // lower case
  std::uint16_t port = 0;
  // The request as the host gets it: its own path, no fields that are between the program and its proxy, one
  // Host, "Connection: close". A GET has no body.
  std::string forward;
  std::size_t size = 0;  // bytes of the head
};

// An answer of the proxy's own.
struct ProxyRefusal {
  int status = 400;
  std::string why;  // one line for people
};

// nullopt: the head is not there whole yet. `bytes`: at most kProxyHeadMax of them are looked at.
std::optional<std::variant<ProxyRequest, ProxyRefusal>> read_proxy_request(std::string_view bytes);

// The bytes of an answer with `why` as its text, after which the connection closes. pip and apt show the
// reason of the first line, curl and browsers the text.
std::string proxy_answer(const ProxyRefusal& refusal);
inline constexpr std::string_view kTunnelMade = "HTTP/1.1 200 Connection established\r\n\r\n";

}  // namespace berth::agents
