// The Transport that speaks to a real server, one kept-alive connection for calls and one for each stream.
#pragma once

#include <memory>
#include <string>

#include "ops/cli/http/transport.h"

namespace berth::cli {

// `host` may be a name or an address. While a call runs and `catch_signals` is set, SIGINT and SIGTERM end
// the call with the code interrupted; else they keep their default effect.
std::unique_ptr<Transport> make_http_transport(std::string host, std::string port, bool catch_signals);

}  // namespace berth::cli
