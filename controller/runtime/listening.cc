#include "controller/runtime/listening.h"

#include <arpa/inet.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "controller/api/apps/app_names.h"
#include "controller/api/console/static_files.h"
#include "controller/api/http/server.h"
#include "controller/api/login/sign_in.h"
#include "controller/api/map/time_text.h"
#include "events/base/files/descriptor_limit.h"
#include "events/base/files/private_files.h"

namespace berth::controller {
namespace {

constexpr std::size_t kKeptMin = 4, kKeptMax = 64;  // descriptors for what is opened later
constexpr std::size_t kConnectionsMin = 2;
constexpr std::size_t kMetricsTokenMin = 16, kMetricsTokenMax = 256;

bool is_any(const std::string& address) { return address == "0.0.0.0" || address == "::"; }

// What is no address at all is the server's to refuse.
bool others_can_connect(const std::string& address) {
  in_addr four{};
  in6_addr six{};
  if (::inet_pton(AF_INET, address.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 != 127;
  return ::inet_pton(AF_INET6, address.c_str(), &six) == 1 && !IN6_IS_ADDR_LOOPBACK(&six);
}

std::vector<std::string> names_of_this_machine(const std::string& address) {
  std::vector<std::string> names = {"localhost", "127.0.0.1", "::1"};
  if (!is_any(address) && std::find(names.begin(), names.end(), address) == names.end())
    names.push_back(address);
  char host[256] = {};
  if (::gethostname(host, sizeof host - 1) == 0 && host[0] != '\0') names.emplace_back(host);
  return names;
}

// A quarter is for clients of the HTTP API: a store or log that cannot open a file waits, so connections end
// long before descriptors do. The store keeps up to 256 files open, each log as many
// (rocks::open_files_max()), and an agent in the same process some for each kernel and for each channel into
// one.
constexpr std::size_t connections_that_fit(std::size_t descriptors) { return descriptors / 4; }

// The connections that the descriptors allow, said in the log.
void bound_connections(const Listening& listening, api::ServerOptions& options) {
  const auto [before, now] = raise_descriptor_limit();
  options.connections_max =
      std::max(kConnectionsMin, std::min(listening.connections_max, connections_that_fit(now)));
  options.connections_per_address_max =
      std::clamp<std::size_t>(listening.connections_per_address_max, 1, options.connections_max / 2);
  spdlog::info("descriptors: {}, raised from {}; connections: at most {}, {} from one address", now, before,
               options.connections_max, options.connections_per_address_max);
  if (options.connections_max < listening.connections_max)
    spdlog::warn("only {} connections instead of {}: the limit of open descriptors (ulimit -Hn) is {}",
                 options.connections_max, listening.connections_max, now);
}

std::size_t descriptors_in_use() {
  std::error_code failed;
  std::size_t count = 0;
  for (std::filesystem::directory_iterator it("/proc/self/fd", failed), end; !failed && it != end;
       it.increment(failed))
    ++count;
  return count;
}

Result<Duration> time_of(const std::string& text, const char* option) {
  const auto milliseconds = api::parse_duration_ms(text);
  if (milliseconds && *milliseconds > 0) return *milliseconds * kMillisecond;
  return make_error("invalid-value", std::string(option) + ": '" + clipped(text) + "' is no time",
                    "for example 12h or 14d");
}

// Empty: there is none. What is below it is no console: a public URL must not be there.
Result<std::string> app_origin_of(const Listening& listening, const std::vector<std::string>& origins) {
  if (listening.app_domain.empty()) return std::string();
  auto origin = api::origin_of_url(listening.app_domain);
  if (!origin) return origin.error();
  for (const std::string& own : origins)
    if (own == *origin || api::AppNames(*origin).is_of_apps(own.substr(own.find("://") + 3)))
      return make_error("invalid-url", "the console's own name " + own + " is one of --app-domain",
                        "give apps a domain of their own, for example https://apps.berth.example");
  return *origin;
}

}  // namespace

Result<void> fit_connections(api::ServerOptions& options) {
  const std::size_t most = raise_descriptor_limit().now, used = descriptors_in_use();
  const std::size_t kept = std::clamp<std::size_t>(most / 16, kKeptMin, kKeptMax);
  if (most < used + kept + kConnectionsMin)
    return make_error("descriptors-too-few",
                      "this process may open " + std::to_string(most) + " descriptors, and needs " +
                          std::to_string(used + kept + kConnectionsMin) + " to serve",
                      "raise the limit: LimitNOFILE= of the unit, or ulimit -n; 1024 do for a small cluster");
  const std::size_t free = most - used - kept;
  if (free >= options.connections_max) return {};
  options.connections_max = free;
  options.connections_per_address_max =
      std::clamp<std::size_t>(options.connections_per_address_max, 1, free / 2);
  spdlog::warn(
      "only {} connections: {} of {} descriptors are in use, and {} are kept for the log and the state", free,
      used, most, kept);
  return {};
}

Result<api::ServerOptions> server_options_of(const Listening& listening, const std::string& data) {
  if (listening.tls_certificate.empty() != listening.tls_key.empty())
    return make_error("tls-incomplete", "a certificate and its key go together",
                      "give both --tls-cert and --tls-key");
  if (!listening.with_tls() && !listening.insecure_http && others_can_connect(listening.address))
    return make_error("tls-missing",
                      "on " + listening.address + " others could read requests, answers and agents' keys",
                      "add --tls (a certificate that the server makes), --tls-cert and --tls-key, or "
                      "--insecure-http if something else protects the network");
  api::ServerOptions options;
  options.address = listening.address;
  options.port = listening.port;
  bound_connections(listening, options);
  if (!listening.tls_certificate.empty()) {
    if (auto checked = api::check_key_of_certificate(listening.tls_key); !checked.ok())
      return checked.error();
    if (auto read = api::end_of_certificate(listening.tls_certificate); !read.ok()) return read.error();
    options.tls = api::CertificateFiles{listening.tls_certificate, listening.tls_key};
  } else if (listening.tls) {
    auto made = api::load_or_create_certificate(data, names_of_this_machine(listening.address));
    if (!made.ok()) return made.error();
    options.tls = *made;
  }
  return options;
}

Result<api::SignInOptions> sign_in_options_of(const Listening& listening, const api::ServerOptions& server) {
  api::SignInOptions options;
  for (const std::string& url : listening.public_urls) {
    auto origin = api::origin_of_url(url);
    if (!origin) return origin.error();
    options.origins.push_back(std::move(*origin));
  }
  if (auto origin = app_origin_of(listening, options.origins); !origin)
    return origin.error();
  else
    options.app_origin = std::move(*origin);
  if (!is_any(server.address) && others_can_connect(server.address))
    if (auto own = api::origin_of_url(endpoint_of(server, server.port))) options.origins.push_back(*own);
  for (const std::string& address : listening.trusted_proxies)
    if (api::forwarded_client(address) != address)
      return make_error("invalid-value", "--trusted-proxy: '" + clipped(address) + "' is no IP address",
                        "for example 10.0.0.7");
  options.trusted_proxies = listening.trusted_proxies;
  const auto idle = time_of(listening.browser_idle, "--browser-idle");
  if (!idle) return idle.error();
  const auto lifetime = time_of(listening.browser_lifetime, "--browser-lifetime");
  if (!lifetime) return lifetime.error();
  options.idle = *idle;
  options.lifetime = *lifetime;
  options.security_log = [](const std::string& line) { spdlog::warn("{}", line); };
  return options;
}

Result<std::string> metrics_token_of(const Listening& listening) {
  if (listening.metrics_token_file.empty()) return std::string();
  auto text = read_private_file(listening.metrics_token_file, "metrics-token",
                                "make one: (umask 077; openssl rand -hex 32 > FILE)");
  if (!text) return text.error();
  while (!text->empty() && (text->back() == '\n' || text->back() == '\r')) text->pop_back();
  const bool visible = std::ranges::all_of(*text, [](char c) { return c > ' ' && c <= '~'; });
  if (!visible || text->size() < kMetricsTokenMin || text->size() > kMetricsTokenMax)
    return make_error("metrics-token-invalid",
                      listening.metrics_token_file + " holds no token of 16 to 256 visible ASCII characters",
                      "make one: (umask 077; openssl rand -hex 32 > FILE)");
  return text;
}

Result<std::shared_ptr<const api::StaticFiles>> console_of(const Listening& listening) {
  std::error_code error;
  std::string folder = listening.console;
  if (folder.empty()) {
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    // Of a build, and as installed.
    const auto top = self.parent_path().parent_path();
    for (const auto& place : {top / "console", top / "share" / "berth" / "console"})
      if (folder.empty() && std::filesystem::is_directory(place, error)) folder = place.string();
    if (folder.empty()) return std::make_shared<const api::StaticFiles>();
  }
  auto files = api::StaticFiles::read(folder);
  if (!files) return files.error();
  return std::make_shared<const api::StaticFiles>(std::move(*files));
}

std::string endpoint_of(const api::ServerOptions& options, std::uint16_t port) {
  std::string host = options.address;
  if (is_any(host)) host = host == "::" ? "::1" : "127.0.0.1";
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return (options.tls ? "https://" : "http://") + host + ":" + std::to_string(port);
}

}  // namespace berth::controller
