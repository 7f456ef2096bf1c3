// What the proxy changes of header fields on their way to an app and back: an app never sees what opens
// Berth, and its answers say nothing about other origins. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::controller::api {

// In the order of the message; names as they came.
using HeaderFields = std::vector<std::pair<std::string, std::string>>;

// Removed: what holds for one connection alone, Authorization, cookies that begin with "berth_", what proxies
// write, and X-Berth-*. Content-Length stays; of a body in chunks the caller says so anew.
HeaderFields fields_for_app(const HeaderFields& fields);

// To what a client asks to change the protocol, by the values of its Connection and Upgrade: "websocket".
// Empty: to nothing, or to HTTP/2 alone.
std::string upgrade_for_app(std::string_view connection, std::string_view upgrade);

// Removed: what holds for one connection alone, Access-Control-*, Service-Worker-Allowed, Clear-Site-Data,
// Strict-Transport-Security, Alt-Svc, and cookies with a Domain or of our names.
HeaderFields fields_from_app(const HeaderFields& fields);

}  // namespace berth::controller::api
