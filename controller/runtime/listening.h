// Listening: where and how a process serves the HTTP API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "events/base/result.h"

namespace berth::controller {

namespace api {
struct ServerOptions;
}

struct Listening {
  std::string address = "127.0.0.1";
  std::uint16_t port = 7410;
  std::size_t connections_max = 4'096;              // fewer if descriptors are short
  std::size_t connections_per_address_max = 1'024;  // never more than half of them
  bool tls = false;             // with the next two, else with a certificate that the server makes for itself
  std::string tls_certificate;  // PEM, an operator's
  std::string tls_key;          // PEM
  bool insecure_http = false;   // no TLS although others than this machine can connect

  bool with_tls() const { return tls || !tls_certificate.empty(); }
};

// What that makes of a server; `data`: its data folder. Raises the limit of descriptors. Codes: tls-missing
// (others could listen in), tls-incomplete, those of load_or_create_certificate(), end_of_certificate()
// and check_key_of_certificate().
Result<api::ServerOptions> server_options_of(const Listening& listening, const std::string& data);

// "https://127.0.0.1:7410", for clients on this machine where the address is any.
std::string endpoint_of(const api::ServerOptions& options, std::uint16_t port);

}  // namespace berth::controller
