#include "agents/egress/site_url.h"

#include <algorithm>

#include "agents/egress/allow_list.h"

namespace berth::agents {
namespace {

constexpr std::size_t kUrlMax = 2048;  // bytes

bool begins_with(std::string_view text, std::string_view scheme) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  return text.size() >= scheme.size() &&
         std::equal(scheme.begin(), scheme.end(), text.begin(), [&](char b, char a) { return same(a, b); });
}

}  // namespace

std::optional<SiteUrl> parse_site_url(std::string_view text) {
  const auto visible = [](unsigned char c) { return c > 0x20 && c < 0x7f && c != '"' && c != '\\'; };
  SiteUrl url;
  url.tls = begins_with(text, "https://");
  if (text.size() > kUrlMax || !std::all_of(text.begin(), text.end(), visible) ||
      !(url.tls || begins_with(text, "http://")))
    return std::nullopt;
  const std::string_view rest = text.substr(url.tls ? 8 : 7);
  std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  const std::string_view path = rest.substr(authority.size());
  const std::size_t at = authority.rfind('@');
  url.had_credentials = at != std::string_view::npos;
  if (url.had_credentials) authority.remove_prefix(at + 1);
  const std::size_t colon = authority.find(':');
  url.host = host_name_in(authority.substr(0, colon));
  const std::uint16_t standard = url.tls ? 443 : 80;
  url.port = colon == std::string_view::npos ? standard : port_in(authority.substr(colon + 1));
  if (url.host.empty() || url.port == 0) return std::nullopt;
  url.text = std::string(url.tls ? "https://" : "http://") + url.host +
             (url.port == standard ? "" : ":" + std::to_string(url.port)) + std::string(path);
  return url;
}

}  // namespace berth::agents
