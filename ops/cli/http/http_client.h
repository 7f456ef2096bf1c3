// The Transport that speaks to a real server, one kept-alive connection for calls and one for each stream.
#pragma once

#include <memory>
#include <string>

#include "ops/cli/http/transport.h"

namespace berth::cli {

// `host` may be a name or an address. SIGINT and SIGTERM end what is going on with the code interrupted while
// a call runs and `catch_signals` is set; else they keep their default effect.
std::unique_ptr<Transport> make_http_transport(std::string host, std::string port, bool catch_signals);

}  // namespace berth::cli
