// Which server and which key the settings lead to (settings.h).
#include <algorithm>

#include "ops/cli/settings.h"

namespace berth::cli {
namespace {

constexpr Origin kLevels[] = {Origin::kFlag, Origin::kEnvironment, Origin::kFile, Origin::kDefault};

std::string trimmed(std::string text) {
  const auto space = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (!text.empty() && space(text.back())) text.pop_back();
  while (!text.empty() && space(text.front())) text.erase(text.begin());
  return text;
}

Failure no_key(const std::string& message) {
  return {kDenied,
          "no-key",
          message,
          "give --key-file FILE, BERTH_ACCESS_KEY and BERTH_SECRET_KEY, or --data DIR of the server (as the "
          "user that "
          "started it)",
          {}};
}

}  // namespace

Outcome<Server> parse_endpoint(const Setting& endpoint) {
  const auto bad = [&](const std::string& why) {
    return usage_failure(
        "'" + endpoint.value.substr(0, 200) + "' (" + endpoint.where + ") is no endpoint: " + why,
        "write http://HOST:PORT, like http://127.0.0.1:7410");
  };
  std::string rest = trimmed(endpoint.value);
  if (rest.rfind("https://", 0) == 0) return bad("TLS ends at a proxy in front of Berth");
  if (rest.rfind("http://", 0) == 0) rest.erase(0, 7);
  while (!rest.empty() && rest.back() == '/') rest.pop_back();
  if (rest.find_first_of("/ ?#@") != std::string::npos) return bad("it has more than a host and a port");
  Server server;
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
  server.endpoint.value = "http://" + server.host + ":" + server.port;
  return server;
}

Outcome<Server> find_server(const Settings& settings, const ReadFile& read) {
  for (const Origin level : kLevels) {
    if (const auto endpoint = settings.get("api.endpoint", level)) return parse_endpoint(*endpoint);
    const auto data = settings.get("data.dir", level);
    if (!data) continue;
    const std::string path = data->value + "/berth.endpoint";
    if (const auto text = read(path)) return parse_endpoint({trimmed(*text), level, path});
    if (level != Origin::kDefault)
      return Failure{
          kUnreachable,
          "not-running",
          "no Berth of yours runs on " + data->value + ": there is no berth.endpoint that you may read",
          "start one with: berth up --data " + data->value +
              "; of a server of another user, give --endpoint "
              "and a key pair",
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
