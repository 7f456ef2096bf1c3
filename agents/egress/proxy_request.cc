#include "agents/egress/proxy_request.h"

#include <algorithm>
#include <vector>

#include "agents/egress/allow_list.h"

namespace berth::agents {
namespace {

using Reading = std::variant<ProxyRequest, ProxyRefusal>;

struct Field {
  std::string name;  // lower case
  std::string_view value;
  std::string_view line;
};

struct Head {
  std::string_view method, target;
  std::vector<Field> fields;
};

bool is_token(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

bool is_visible(unsigned char c) { return c > 0x20 && c < 0x7f; }

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

// False: it is no request line of HTTP/1.
bool read_first_line(std::string_view line, Head& head) {
  const std::size_t first = line.find(' '), second = line.find(' ', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return false;
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, second - first - 1);
  const std::string_view version = line.substr(second + 1);
  return is_token(head.method) && !head.target.empty() &&
         std::all_of(head.target.begin(), head.target.end(), is_visible) &&
         (version == "HTTP/1.1" || version == "HTTP/1.0");
}

bool read_field(std::string_view line, Field& field) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return false;
  field = {lower(line.substr(0, colon)), trimmed(line.substr(colon + 1)), line};
  return std::all_of(field.value.begin(), field.value.end(),
                     [](char c) { return is_visible(c) || c == ' ' || c == '\t'; });
}

// `text`: whole lines, each with its end, without the empty one.
bool read_head(std::string_view text, Head& head) {
  for (bool first = true; !text.empty(); first = false) {
    const std::size_t end = text.find("\r\n");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 2);
    Field field;
    if (first ? !read_first_line(line, head) : !read_field(line, field)) return false;
    if (!first) head.fields.push_back(std::move(field));
  }
  return true;
}

// "host:port"; `standard`: the port where none is said, 0: one must be said.
bool read_authority(std::string_view text, std::uint16_t standard, ProxyRequest& request) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos && standard == 0) return false;
  request.host = host_name_in(text.substr(0, colon));
  request.port = colon == std::string_view::npos ? standard : port_in(text.substr(colon + 1));
  return !request.host.empty() && request.port != 0;
}

bool is_between_hops(const Field& field, const std::string& connection) {
  const std::string listed = "," + connection + ",";
  return field.name == "connection" || field.name == "keep-alive" || field.name == "te" ||
         field.name == "trailer" || field.name == "upgrade" || field.name == "host" ||
         field.name.starts_with("proxy-") || listed.find("," + field.name + ",") != std::string::npos;
}

// The names that Connection gives, in lower case, by ",".
std::string connection_of(const Head& head) {
  std::string names;
  for (const Field& field : head.fields) {
    if (field.name != "connection") continue;
    for (const char c : lower(field.value))
      if (c != ' ' && c != '\t') names += c;
    names += ',';
  }
  return names;
}

Reading read_url(const Head& head, ProxyRequest request) {
  constexpr std::string_view kScheme = "http://";
  if (lower(head.target.substr(0, kScheme.size())) != kScheme)
    return ProxyRefusal{400, "the proxy takes CONNECT and http:// URLs"};
  const std::string_view rest = head.target.substr(kScheme.size());
  const std::size_t slash = std::min(rest.find_first_of("/?#"), rest.size());
  if (!read_authority(rest.substr(0, slash), 80, request))
    return ProxyRefusal{400, "the URL names no host by a name of DNS"};
  std::string_view path = rest.substr(slash);
  path = path.substr(0, path.find('#'));
  const std::string connection = connection_of(head);
  request.forward = std::string(head.method) + " " + (path.starts_with("/") ? "" : "/") + std::string(path) +
                    " HTTP/1.1\r\nHost: " + request.host +
                    (request.port == 80 ? "" : ":" + std::to_string(request.port)) + "\r\n";
  for (const Field& field : head.fields)
    if (!is_between_hops(field, connection)) request.forward += std::string(field.line) + "\r\n";
  request.forward += "Connection: close\r\n\r\n";
  return request;
}

Reading read_whole(const Head& head, std::size_t size) {
  for (const Field& field : head.fields)
    if (field.name == "transfer-encoding" || (field.name == "content-length" && field.value != "0"))
      return ProxyRefusal{400, "the proxy takes no request with a body"};
  ProxyRequest request;
  request.size = size;
  if (head.method == "GET" || head.method == "HEAD") return read_url(head, std::move(request));
  if (head.method != "CONNECT") return ProxyRefusal{405, "the proxy takes CONNECT, GET and HEAD"};
  request.tunnels = true;
  if (!read_authority(head.target, 0, request))
    return ProxyRefusal{400, "CONNECT names no host by a name of DNS with its port"};
  return request;
}

}  // namespace

std::optional<Reading> read_proxy_request(std::string_view bytes) {
  bytes = bytes.substr(0, kProxyHeadMax);
  const std::size_t end = bytes.find("\r\n\r\n");
  // What no head may have is not waited for to its end: a line that ends without \r, other control bytes.
  const std::string_view seen = bytes.substr(0, end == std::string_view::npos ? bytes.size() : end + 4);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const auto c = static_cast<unsigned char>(seen[i]);
    const bool line_ends = c == '\n' && i > 0 && seen[i - 1] == '\r';
    const bool line_may_end = c == '\r' && (i + 1 == seen.size() || seen[i + 1] == '\n');
    if (!line_ends && !line_may_end && (c == 0x7f || (c < 0x20 && c != 0x09)))
      return ProxyRefusal{400, "this is no request of HTTP/1"};
  }
  if (end == std::string_view::npos && bytes.size() == kProxyHeadMax)
    return ProxyRefusal{431, "the head of the request has more than 8 KiB"};
  if (end == std::string_view::npos) return std::nullopt;
  Head head;
  if (!read_head(bytes.substr(0, end + 2), head)) return ProxyRefusal{400, "this is no request of HTTP/1"};
  return read_whole(head, end + 4);
}

std::string proxy_answer(const ProxyRefusal& refusal) {
  const std::string text = "berth: " + refusal.why + "\n";
  return "HTTP/1.1 " + std::to_string(refusal.status) + " berth: " + refusal.why +
         "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: " + std::to_string(text.size()) +
         "\r\nConnection: close\r\n\r\n" + text;
}

}  // namespace berth::agents
