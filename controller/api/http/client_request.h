// The header of a client's request, from Beast's form to the API's. For connection.cc alone.
#pragma once

#include <string>

#include "controller/api/http/client_stream.h"
#include "controller/api/http/http.h"

namespace berth::controller::api {

inline std::string header(const ClientRequest& request, boost::beast::string_view name) {
  const auto found = request.find(name);
  if (found == request.end()) return {};
  return std::string(found->value().data(), found->value().size());
}

// A proxy may add its own behind those that it was sent.
inline std::string last_header(const ClientRequest& request, boost::beast::string_view name) {
  std::string last;
  const auto [begin, end] = request.equal_range(name);
  for (auto field = begin; field != end; ++field) last.assign(field->value().data(), field->value().size());
  return last;
}

// What a proxy and this server must not read differently, or what a signature covers.
inline constexpr const char* kOnce[] = {"Host",
                                        "Content-Type",
                                        "Content-Length",
                                        "Transfer-Encoding",
                                        "Authorization",
                                        "X-Berth-Date",
                                        "X-Berth-Version",
                                        "X-Berth-Content-SHA256",
                                        "X-Berth-Sha256",
                                        "Range",
                                        "If-Range",
                                        "Idempotency-Key",
                                        "Cookie",
                                        "Origin",
                                        "Sec-Fetch-Site",
                                        "X-Berth-CSRF",
                                        "Upgrade",
                                        "Sec-WebSocket-Key",
                                        "Sec-WebSocket-Version",
                                        "Sec-WebSocket-Protocol"};

inline const char* given_twice(const ClientRequest& request) {
  for (const char* name : kOnce)
    if (request.count(name) > 1) return name;
  return nullptr;
}

// Where the body ends is told in one way that everybody reads alike. Empty: it is.
inline std::string unclear_end(const ClientRequest& request) {
  if (request.count("Transfer-Encoding") == 0) return {};
  if (request.version() < 11) return "HTTP/1.0 knows no Transfer-Encoding";
  if (!boost::beast::iequals(header(request, "Transfer-Encoding"), "chunked"))
    return "no Transfer-Encoding but 'chunked' is known";
  return request.count("Content-Length") > 0 ? "it has a Content-Length and a Transfer-Encoding" : "";
}

inline HttpRequest header_of(const ClientRequest& in) {
  HttpRequest out;
  out.method = std::string(in.method_string().data(), in.method_string().size());
  out.target = std::string(in.target().data(), in.target().size());
  out.host = header(in, "Host");
  out.content_type = header(in, "Content-Type");
  out.accept = header(in, "Accept");
  out.authorization = header(in, "Authorization");
  out.date = header(in, "X-Berth-Date");
  out.version = header(in, "X-Berth-Version");
  out.body_hash = header(in, "X-Berth-Content-SHA256");
  out.idempotency_key = header(in, "Idempotency-Key");
  out.last_event_id = header(in, "Last-Event-ID");
  out.traceparent = in.count("traceparent") == 1 ? header(in, "traceparent") : "";  // two name no trace
  out.cookie = header(in, "Cookie");
  out.csrf = header(in, "X-Berth-CSRF");
  out.origin = header(in, "Origin");
  out.sec_fetch_site = header(in, "Sec-Fetch-Site");
  out.sec_fetch_mode = header(in, "Sec-Fetch-Mode");
  out.sec_fetch_dest = header(in, "Sec-Fetch-Dest");
  out.background = header(in, "X-Berth-Background");
  out.chunk_hash = header(in, "X-Berth-Sha256");
  out.range = header(in, "Range");
  out.if_range = header(in, "If-Range");
  out.user_agent = header(in, "User-Agent");
  out.accept_encoding = header(in, "Accept-Encoding");
  out.if_none_match = header(in, "If-None-Match");
  out.forwarded_for = last_header(in, "X-Forwarded-For");
  out.forwarded_host = last_header(in, "X-Forwarded-Host");
  out.forwarded_proto = last_header(in, "X-Forwarded-Proto");
  out.connection = header(in, "Connection");
  out.upgrade = header(in, "Upgrade");
  out.web_socket_key = header(in, "Sec-WebSocket-Key");
  out.web_socket_version = header(in, "Sec-WebSocket-Version");
  out.web_socket_protocol = header(in, "Sec-WebSocket-Protocol");
  return out;
}

}  // namespace berth::controller::api
