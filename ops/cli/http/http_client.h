// The Transport that speaks to a real server, one kept-alive connection for calls and one for each stream.
#pragma once

#include <memory>
#include <string>

#include "ops/cli/http/transport.h"

namespace berth::cli {

struct HttpServer {
  std::string host, port;  // a name or an address
  bool tls = false;
  std::string fingerprint;  // of its certificate; empty: it must be vouched for
  std::string ca;           // by this authority, a file in PEM; empty: by one that this machine trusts
};

// The host without the brackets of an IPv6 address.
std::string bare_host(const HttpServer& server);

// Further code of this transport: untrusted (the server's certificate). While a call runs and `catch_signals`
// is set, SIGINT and SIGTERM end the call with the code interrupted; else they keep their default effect.
std::unique_ptr<Transport> make_http_transport(const HttpServer& server, bool catch_signals);

}  // namespace berth::cli
