// SiteUrl: where a registry lies, as settings name it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::agents {

struct SiteUrl {
  bool tls = true;
  std::string host;  // lower case
  std::uint16_t port = 443;
  std::string text;              // the URL without a user and a password
  bool had_credentials = false;  // which are nobody's in a kernel
};

// nullopt: it is no http:// or https:// URL with a host's name, has a blank, or is longer than 2 KiB.
std::optional<SiteUrl> parse_site_url(std::string_view text);

}  // namespace berth::agents
