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

// Beast keeps the fields of one name side by side.
inline const char* given_twice(const ClientRequest& request) {
  boost::beast::string_view before;
  for (const auto& field : request) {
    const auto name = field.name_string();
    if (boost::beast::iequals(name, before))
      for (const char* once : kOnce)
        if (boost::beast::iequals(name, once)) return once;
    before = name;
  }
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

// Whether the other side's bytes are no HTTP, and not the connection's failure.
inline bool is_of_http(const boost::system::error_code& error) {
  return error.category() ==
         boost::beast::http::make_error_code(boost::beast::http::error::bad_method).category();
}

// A list, "4, 4", is read differently by whom it is passed on to.
inline bool has_clear_length(const ClientRequest& request) {
  return header(request, "Content-Length").find_first_not_of("0123456789") == std::string::npos;
}

// Who speaks HTTP/1.0 takes an interim answer for the answer.
template <class Request> bool waits_for_leave(const Request& request) {
  return request.version() >= 11 && request.count("Expect") > 0;
}

struct KnownField {
  boost::beast::string_view name;
  std::string HttpRequest::*value;
  bool last = false;  // of several the last counts, since a proxy adds its own behind those that it was sent
};
inline constexpr KnownField kKnownFields[] = {{"Host", &HttpRequest::host},
                                              {"Content-Type", &HttpRequest::content_type},
                                              {"Accept", &HttpRequest::accept},
                                              {"Authorization", &HttpRequest::authorization},
                                              {"X-Berth-Date", &HttpRequest::date},
                                              {"X-Berth-Version", &HttpRequest::version},
                                              {"X-Berth-Content-SHA256", &HttpRequest::body_hash},
                                              {"Idempotency-Key", &HttpRequest::idempotency_key},
                                              {"Last-Event-ID", &HttpRequest::last_event_id},
                                              {"traceparent", &HttpRequest::traceparent},
                                              {"Cookie", &HttpRequest::cookie},
                                              {"X-Berth-CSRF", &HttpRequest::csrf},
                                              {"Origin", &HttpRequest::origin},
                                              {"Sec-Fetch-Site", &HttpRequest::sec_fetch_site},
                                              {"Sec-Fetch-Mode", &HttpRequest::sec_fetch_mode},
                                              {"Sec-Fetch-Dest", &HttpRequest::sec_fetch_dest},
                                              {"X-Berth-Background", &HttpRequest::background},
                                              {"X-Berth-Sha256", &HttpRequest::chunk_hash},
                                              {"Range", &HttpRequest::range},
                                              {"If-Range", &HttpRequest::if_range},
                                              {"User-Agent", &HttpRequest::user_agent},
                                              {"Accept-Encoding", &HttpRequest::accept_encoding},
                                              {"If-None-Match", &HttpRequest::if_none_match},
                                              {"X-Forwarded-For", &HttpRequest::forwarded_for, true},
                                              {"X-Forwarded-Host", &HttpRequest::forwarded_host, true},
                                              {"X-Forwarded-Proto", &HttpRequest::forwarded_proto, true},
                                              {"Connection", &HttpRequest::connection},
                                              {"Upgrade", &HttpRequest::upgrade},
                                              {"Sec-WebSocket-Key", &HttpRequest::web_socket_key},
                                              {"Sec-WebSocket-Version", &HttpRequest::web_socket_version},
                                              {"Sec-WebSocket-Protocol", &HttpRequest::web_socket_protocol}};

// One walk over what came, instead of a search for each name.
inline HttpRequest header_of(const ClientRequest& in) {
  HttpRequest out;
  out.method = std::string(in.method_string().data(), in.method_string().size());
  out.target = std::string(in.target().data(), in.target().size());
  boost::beast::string_view before;
  for (const auto& field : in) {
    const auto name = field.name_string();
    const bool again = boost::beast::iequals(name, before);
    before = name;
    for (const KnownField& known : kKnownFields)
      if (boost::beast::iequals(name, known.name)) {  // compares the lengths first
        if (!again || known.last) (out.*known.value).assign(field.value().data(), field.value().size());
        break;
      }
  }
  if (!out.traceparent.empty() && in.count("traceparent") > 1) out.traceparent.clear();  // two name no trace
  return out;
}

}  // namespace berth::controller::api
