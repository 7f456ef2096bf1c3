// Collector: where spans go, by HTTP, or by HTTPS to one whose certificate is of its name and of an authority
// that this machine trusts, or that the file SSL_CERT_FILE has. One POST a connection: once a second that
// costs nothing, and nothing is left over from a collector that hangs.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "events/base/result.h"

namespace berth {

struct CollectorUrl {
  bool tls = false;
  std::string host, port, path;
};

// "http://127.0.0.1:4318", "https://collector.example/v1/traces". Without a path: /v1/traces. Code:
// otlp-url-invalid (also of a URL with a user or a query).
Result<CollectorUrl> parse_collector_url(std::string_view url);

// What an operator named, or else OpenTelemetry's own variable OTEL_EXPORTER_OTLP_ENDPOINT; nothing: there is
// no collector, and no spans are made. Code: otlp-url-invalid.
Result<std::optional<CollectorUrl>> find_collector(std::string url);

class Collector {
 public:
  explicit Collector(CollectorUrl url);
  ~Collector();

  // Posts JSON and returns the status of the answer; its body is not read. Gives up after `patience`, or when
  // cancel() is called. Blocks; one call at a time. Code: collector-unreachable.
  Result<unsigned> post(const std::string& body, std::chrono::milliseconds patience);
  // Any thread: post() under way returns soon, later ones at once.
  void cancel();

 private:
  struct Exchange;
  struct Shared;
  const CollectorUrl url_;
  std::unique_ptr<Shared> shared_;
};

}  // namespace berth
