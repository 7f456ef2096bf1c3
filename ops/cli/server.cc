// Which server and which key the settings lead to (settings.h).
#include <arpa/inet.h>

#include <algorithm>

#include "controller/api/auth/certificate.h"
#include "ops/cli/http/unit_hint.h"
#include "ops/cli/settings.h"

namespace berth::cli {
namespace {

constexpr Origin kLevels[] = {Origin::kFlag, Origin::kEnvironment, Origin::kFile, Origin::kContext,
                              Origin::kDefault};

std::string trimmed(std::string text) {
  const auto space = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (!text.empty() && space(text.back())) text.pop_back();
  while (!text.empty() && space(text.front())) text.erase(text.begin());
  return text;
}

Failure no_key(const std::string& message) {
  return {kDenied,
          kNoKeyCode,
          message,
          "berth login URL, or give --key-file FILE, BERTH_ACCESS_KEY and BERTH_SECRET_KEY, or --data DIR of "
          "the server (as the "
          "user that "
          "started it)",
          {}};
}

}  // namespace

Outcome<Server> parse_endpoint(const Setting& endpoint) {
  const auto bad = [&](const std::string& why) {
    return usage_failure(
        "'" + endpoint.value.substr(0, 200) + "' (" + endpoint.where + ") is no endpoint: " + why,
        "write http://HOST:PORT or https://HOST:PORT, like http://127.0.0.1:7410");
  };
  std::string rest = trimmed(endpoint.value);
  Server server;
  server.tls = rest.rfind("https://", 0) == 0;
  if (server.tls || rest.rfind("http://", 0) == 0) rest.erase(0, server.tls ? 8 : 7);
  while (!rest.empty() && rest.back() == '/') rest.pop_back();
  if (rest.find_first_of("/ ?#@") != std::string::npos) return bad("it has more than a host and a port");
  const auto bracket = rest.rfind(']');
  const auto colon = rest.find(':', bracket == std::string::npos ? 0 : bracket);
  server.host = rest.substr(0, colon);
  server.port = colon == std::string::npos ? "7410" : rest.substr(colon + 1);
  const bool digits =
      !server.port.empty() && server.port.size() <= 5 &&
      std::all_of(server.port.begin(), server.port.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (server.host.empty()) return bad("it has no host");
  if (!digits || std::stoi(server.port) < 1 || std::stoi(server.port) > 65535)
    return bad("its port is not 1..65535");
  server.endpoint = endpoint;
  server.endpoint.value = (server.tls ? "https://" : "http://") + server.host + ":" + server.port;
  return server;
}

bool is_loopback(const Server& server) {
  if (server.host == "localhost" || server.host == "[::1]") return true;
  in_addr address{};
  return ::inet_pton(AF_INET, server.host.c_str(), &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

namespace {

// How the certificate of an https server is known. Who names one for the endpoint expects TLS, and must not
// send a key or a token without it.
Outcome<Server> with_trust(Outcome<Server> server, const Settings& settings) {
  if (!server) return server;
  if (!server->tls) {
    for (const char* key : {"api.fingerprint", "api.ca"})
      if (const auto named = settings.get(key, server->endpoint.origin))
        return usage_failure("the certificate of " + server->endpoint.value + " is named (" + named->where +
                                 "), but there is none without TLS",
                             "write https://HOST:PORT");
    return server;
  }
  if (const auto ca = settings.get("api.ca")) server->ca = ca->value;
  const auto fingerprint = settings.get("api.fingerprint");
  if (!fingerprint) return server;
  if (!controller::api::is_fingerprint(fingerprint->value))
    return usage_failure("'" + fingerprint->value.substr(0, 200) + "' (" + fingerprint->where +
                             ") is no fingerprint of a certificate",
                         "sha256: and 64 hex digits in lower case, as the server prints it");
  server->fingerprint = fingerprint->value;
  return server;
}

// What a server writes into its data folder: its address, and the fingerprint of its certificate if it has
// one.
Outcome<Server> parse_endpoint_file(const std::string& text, Origin level, const std::string& path) {
  const auto line = text.find('\n');
  auto server = parse_endpoint({trimmed(text.substr(0, line)), level, path});
  if (server && line != std::string::npos) server->fingerprint = trimmed(text.substr(line));
  return server;
}

}  // namespace

namespace {

std::string start_hint(const std::string& data, const ReadFile& read) {
  const std::string unit = unit_of_machine([&](const std::string& path) { return read(path).has_value(); });
  if (!unit.empty() && data == "/var/lib/" + unit)
    return unit_hint(unit) + "; of a server of another user, give --endpoint and a key pair";
  return "start one with: berth up --data " + data +
         "; of a server of another user, give --endpoint and a key pair";
}

}  // namespace

Outcome<Server> find_server(const Settings& settings, const ReadFile& read) {
  for (const Origin level : kLevels) {
    if (const auto endpoint = settings.get("api.endpoint", level))
      return with_trust(parse_endpoint(*endpoint), settings);
    const auto data = settings.get("data.dir", level);
    if (!data) continue;
    const std::string path = data->value + "/berth.endpoint";
    if (const auto text = read(path)) return parse_endpoint_file(*text, level, path);
    if (level != Origin::kDefault)
      return Failure{
          kUnreachable,
          "not-running",
          "no Berth of yours runs on " + data->value + ": there is no berth.endpoint that you may read",
          start_hint(data->value, read),
          {}};
  }
  return parse_endpoint({kDefaultEndpoint, Origin::kDefault, "default"});
}

Outcome<Credentials> find_credentials(const Settings& settings, const ReadKeyFile& read) {
  for (const Origin level : kLevels) {
    const auto access = settings.get("api.access_key", level);
    const auto secret = settings.get("api.secret_key", level);
    if (access && secret) return Credentials{access->value, secret->value};
    if (access || secret)
      return no_key("of access and secret key only one is set, by " + (access ? access : secret)->where);
    const auto file = settings.get("api.key_file", level);
    const auto data = settings.get("data.dir", level);
    if (!file && !data) continue;
    const std::string path = file ? file->value : data->value + "/keys/admin.json";
    auto key = read(path);
    if (key) return *key;
    return no_key(key.error().message + " (" + (file ? file : data)->where + ")");
  }
  return no_key("no key is set");
}

}  // namespace berth::cli
