// Metrics of the API itself, for /metrics. Base units, bounded labels (routes by their pattern). Thread-safe.
#pragma once

#include <prometheus/client_metric.h>

#include <cstdint>
#include <memory>
#include <string>

#include "controller/api/api_context.h"

namespace berth::controller::api {

struct Call;

class Metrics {
 public:
  Metrics();
  ~Metrics();

  // Under the operation's id, or "none" if there is no such route.
  void count_request(const Call& call, unsigned status, std::int64_t nanoseconds);
  // A connection or request was turned away before its route was known: "too-many-connections",
  // "bad-signature", "timeout".
  void count_rejected(const std::string& reason);
  // "password", "link"
  void count_login_failure(const std::string& by);
  // A request that was passed on to an app, by the status of its answer: the app's, or the proxy's own.
  void count_app_request(unsigned status);
  // A client's connection that speaks with an app; see AppStreamCount.
  void app_stream_opened();
  void app_stream_closed();
  void connection_opened();
  void connection_closed();

  // Requests that were answered, and how long writes took until their reply was ready, in seconds.
  std::uint64_t answered() const;
  prometheus::ClientMetric::Histogram writes() const;

  // Prometheus text form, with the cluster's own numbers from the context.
  std::string text(ApiContext& context, std::size_t watchers, std::size_t inside_streams);

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

// One of them, for as long as this lives. The metrics outlive it.
class AppStreamCount {
 public:
  explicit AppStreamCount(Metrics& metrics) : metrics_(metrics) { metrics_.app_stream_opened(); }
  ~AppStreamCount() { metrics_.app_stream_closed(); }
  AppStreamCount(const AppStreamCount&) = delete;
  AppStreamCount& operator=(const AppStreamCount&) = delete;

 private:
  Metrics& metrics_;
};

}  // namespace berth::controller::api
