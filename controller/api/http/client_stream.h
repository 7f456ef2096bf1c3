// ClientStream: the stream of one client's connection, as Beast reads and writes HTTP and WebSockets on it.
// Includes Beast, which is slow to compile: for the files of berth_api_server alone.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "controller/api/auth/maybe_tls_stream.h"

namespace berth::controller::api {

using ClientStream = MaybeTlsStream;
using ClientRequest = boost::beast::http::request<boost::beast::http::string_body>;

}  // namespace berth::controller::api
