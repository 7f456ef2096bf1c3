// Listening: where and how a process serves the HTTP API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "events/base/result.h"

namespace berth::controller {

namespace api {
struct ServerOptions;
struct SignInOptions;
class StaticFiles;
}  // namespace api

struct Listening {
  std::string address = "127.0.0.1";
  std::uint16_t port = 7410;
  std::size_t connections_max = 4'096;              // fewer if descriptors are short
  std::size_t connections_per_address_max = 1'024;  // never more than half of them
  bool tls = false;             // with the next two, else with a certificate that the server makes for itself
  std::string tls_certificate;  // PEM, an operator's
  std::string tls_key;          // PEM
  bool insecure_http = false;   // no TLS although others than this machine can connect
  std::vector<std::string> public_urls;      // by which browsers know this server, besides loopback
  std::string app_domain;                    // a URL, to whose subdomains a wildcard name leads; empty: none
  std::vector<std::string> trusted_proxies;  // addresses whose X-Forwarded-* count
  std::string browser_idle = "12h";          // of a browser session
  std::string browser_lifetime = "14d";
  std::string metrics_token_file;  // whose token reads /metrics; empty: key pairs alone do
  std::string otlp_url;  // of a collector that spans go to; empty: OTEL_EXPORTER_OTLP_ENDPOINT's, or none
  std::string console;   // folder of the built console; empty: the one beside this program, if there is one

  bool with_tls() const { return tls || !tls_certificate.empty(); }
};

// What that makes of a server; `data`: its data folder. Raises the limit of descriptors. Codes: tls-missing
// (others could listen in), tls-incomplete, those of load_or_create_certificate(), end_of_certificate()
// and check_key_of_certificate().
Result<api::ServerOptions> server_options_of(const Listening& listening, const std::string& data);

// Fewer connections, where what is open by now leaves no descriptors for so many beside those that are kept
// for the log, the state and an agent in this process. For when all but the port is open. Code:
// descriptors-too-few.
Result<void> fit_connections(api::ServerOptions& options);

// How people sign in. Codes: invalid-url, invalid-value (a duration, an address).
Result<api::SignInOptions> sign_in_options_of(const Listening& listening, const api::ServerOptions& server);

// Empty: there is none. Codes: metrics-token-invalid, and metrics-token-missing, -unreadable, -open,
// -foreign, -too-large of the file.
Result<std::string> metrics_token_of(const Listening& listening);

// Without files if there is no console beside this program. Codes: those of StaticFiles::read() of a folder
// that was named.
Result<std::shared_ptr<const api::StaticFiles>> console_of(const Listening& listening);

// "https://127.0.0.1:7410", for clients on this machine where the address is any.
std::string endpoint_of(const api::ServerOptions& options, std::uint16_t port);

}  // namespace berth::controller
