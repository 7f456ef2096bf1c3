// Where a browser's request comes from and whom it means: Host, Origin and Sec-Fetch-Site are compared with
// configured names, never with each other (a foreign name that resolves to this machine agrees with itself).
// Thread-safe after construction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "controller/api/map/problem.h"
#include "events/base/result.h"

namespace berth::controller::api {

// The fields of a request that say so.
struct Provenance {
  std::string host;            // "localhost:7410", behind a trusted proxy as the client said it
  std::string origin;          // "http://localhost:7410"; empty: not sent
  std::string sec_fetch_site;  // "same-origin"; empty: not sent
  std::uint16_t port = 0;      // of this server's socket
};

// "https://berth.example" as browsers write an origin: lower case, without a default port or a path.
// Code: invalid-url.
Result<std::string> origin_of_url(std::string_view url);

class PublicNames {
 public:
  // `origins`: of origin_of_url(). The names of loopback with the port of the socket are always known.
  explicit PublicNames(std::vector<std::string> origins = {}) : origins_(std::move(origins)) {}

  bool knows_host(std::string_view host, std::uint16_t port) const;
  bool knows_origin(std::string_view origin, std::uint16_t port) const;
  // For links that people open: the first configured origin; else the request's own host, if known.
  std::string origin_for(const Provenance& from, bool tls) const;

 private:
  std::vector<std::string> origins_;
};

// Code: misdirected-request.
std::optional<Problem> check_host(const PublicNames& names, const Provenance& from);
// Of what a page on this origin may ask alone. Code: foreign-origin.
std::optional<Problem> check_same_site(const Provenance& from);
// Of a write. Code: foreign-origin.
std::optional<Problem> check_origin(const PublicNames& names, const Provenance& from);

// The last address of X-Forwarded-For, which the trusted proxy itself wrote; empty if it is no IP address.
// An IPv4 address that is mapped into IPv6 is told as one of IPv4.
std::string forwarded_client(std::string_view forwarded_for);

// What counts as one client: an IPv4 address, or an IPv6 network of 64 bits.
std::string network_of(const std::string& address);

}  // namespace berth::controller::api
