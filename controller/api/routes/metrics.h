// Metrics of the API itself, for /metrics. Base units, bounded labels (routes by their pattern). Thread-safe.
#pragma once

#include <memory>
#include <string>

#include "controller/api/api_context.h"

namespace berth::controller::api {

class Metrics {
 public:
  Metrics();
  ~Metrics();

  // `route`: the operation's id, "none" if there is no such route.
  void count_request(const std::string& route, const std::string& method, unsigned status,
                     std::int64_t nanoseconds);
  // A connection or request was turned away before its route was known: "too-many-connections",
  // "bad-signature", "timeout".
  void count_rejected(const std::string& reason);
  // "password", "link"
  void count_login_failure(const std::string& by);
  void connection_opened();
  void connection_closed();

  // Prometheus text form, with the cluster's own numbers from the context.
  std::string text(ApiContext& context, std::size_t watchers, std::size_t inside_streams);

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace berth::controller::api
