#include "controller/api/auth/origin.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "controller/api/auth/lower_case.h"
#include "controller/api/auth/trimmed.h"
#include "events/base/hash.h"

namespace berth::controller::api {
namespace {

constexpr std::array kLoopbackNames = {"127.0.0.1", "localhost", "[::1]"};
constexpr std::size_t kUrlMax = 512;

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == ':' ||
         c == '[' || c == ']';
}

std::string without_default_port(std::string_view scheme, std::string host) {
  const std::string_view port = scheme == "https" ? ":443" : ":80";
  if (host.ends_with(port)) host.resize(host.size() - port.size());
  return host;
}

bool is_loopback(std::string_view host, std::uint16_t port) {
  const std::string behind = ":" + std::to_string(port);
  return std::any_of(kLoopbackNames.begin(), kLoopbackNames.end(), [&](const char* name) {
    return host == name + behind || (host == name && (port == 80 || port == 443));
  });
}

// Scheme and host of "https://host".
std::pair<std::string_view, std::string_view> parts_of(std::string_view origin) {
  const auto mark = origin.find("://");
  if (mark == std::string_view::npos) return {};
  return {origin.substr(0, mark), origin.substr(mark + 3)};
}

Problem foreign(std::string detail) {
  return make_problem("foreign-origin", std::move(detail),
                      "open the console under this server's own name; --public-url adds a name");
}

}  // namespace

Result<std::string> origin_of_url(std::string_view url) {
  const std::string text = lower_case(url);
  auto [scheme, rest] = parts_of(text);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const bool known = scheme == "http" || scheme == "https";
  if (!known || rest.empty() || url.size() > kUrlMax ||
      !std::all_of(rest.begin(), rest.end(), is_host_character))
    return make_error("invalid-url", "'" + clipped(url) + "' is no URL of a server",
                      "for example https://berth.example");
  return std::string(scheme) + "://" + without_default_port(scheme, std::string(rest));
}

bool PublicNames::knows_host(std::string_view host, std::uint16_t port) const {
  const std::string asked = lower_case(host);
  if (is_loopback(asked, port)) return true;
  return std::any_of(origins_.begin(), origins_.end(), [&](const std::string& origin) {
    const auto [scheme, name] = parts_of(origin);
    return without_default_port(scheme, asked) == name;
  });
}

bool PublicNames::knows_origin(std::string_view origin, std::uint16_t port) const {
  const std::string asked = lower_case(origin);
  const auto [scheme, name] = parts_of(asked);
  if ((scheme == "http" || scheme == "https") && is_loopback(name, port)) return true;
  return std::find(origins_.begin(), origins_.end(), asked) != origins_.end();
}

std::string PublicNames::origin_for(const Provenance& from, bool tls) const {
  if (!origins_.empty()) return origins_.front();
  const std::string scheme = tls ? "https://" : "http://";
  if (knows_host(from.host, from.port)) return scheme + lower_case(from.host);
  return scheme + kLoopbackNames[0] + ":" + std::to_string(from.port);
}

std::optional<Problem> check_host(const PublicNames& names, const Provenance& from) {
  if (names.knows_host(from.host, from.port)) return std::nullopt;
  return make_problem("misdirected-request",
                      "this server is not known as '" + clipped(from.host) + "' to browsers",
                      "use 127.0.0.1 or localhost with its port, or start it with --public-url URL");
}

std::optional<Problem> check_same_site(const Provenance& from) {
  const std::string& site = from.sec_fetch_site;
  if (site.empty() || site == "same-origin" || site == "none") return std::nullopt;
  return foreign("a page of another origin asks for this");
}

std::optional<Problem> check_origin(const PublicNames& names, const Provenance& from) {
  if (from.origin.empty() || names.knows_origin(from.origin, from.port)) return std::nullopt;
  return foreign("'" + clipped(from.origin) + "' is no origin of this server");
}

std::string forwarded_client(std::string_view forwarded_for) {
  const auto comma = forwarded_for.rfind(',');
  const std::string text(
      trimmed(comma == std::string_view::npos ? forwarded_for : forwarded_for.substr(comma + 1)));
  unsigned char bytes[16];
  if (::inet_pton(AF_INET, text.c_str(), bytes) == 1) return text;
  if (::inet_pton(AF_INET6, text.c_str(), bytes) != 1) return {};
  static constexpr unsigned char kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (!std::equal(std::begin(kMapped), std::end(kMapped), bytes)) return text;
  char mapped[INET_ADDRSTRLEN];
  return ::inet_ntop(AF_INET, bytes + sizeof kMapped, mapped, sizeof mapped);
}

std::string network_of(const std::string& address) {
  unsigned char bytes[16];
  if (::inet_pton(AF_INET6, address.c_str(), bytes) != 1) return address;
  return to_hex({reinterpret_cast<const char*>(bytes), 8}) + "::/64";
}

}  // namespace berth::controller::api
