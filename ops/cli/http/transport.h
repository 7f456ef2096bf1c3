// The interface to HTTP: http_client.cc implements it with Beast, tests with a fake.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/base/result.h"

namespace berth::cli {

struct HttpRequest {
  std::string method = "GET";
  std::string target;  // "/v1/sessions?limit=5"
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string body_hash = {};  // where it is known already: the body's SHA-256, hex, for the signature
};

struct HttpReply {
  unsigned status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;

  // "" if absent. `name` in lower case.
  std::string header(std::string_view name) const {
    for (const auto& [key, value] : headers)
      if (key == name) return value;
    return {};
  }
};

// One thread at a time. Error codes: unreachable (no connection, or it broke before the reply was whole),
// reply-timeout, interrupted (Ctrl-C), stream-idle (stream() only: nothing came for `idle`), reply-too-long.
class Transport {
 public:
  using Deadline = std::chrono::steady_clock::time_point;
  virtual ~Transport() = default;

  virtual Result<HttpReply> call(const HttpRequest& request, Deadline deadline) = 0;

  // Sends the request and hands out the body as it comes, until on_bytes returns false (ok: the reply so
  // far), the server ends the body (ok) or the deadline passes (reply-timeout). A reply other than 200 is
  // returned whole, without on_bytes.
  virtual Result<HttpReply> stream(const HttpRequest& request, Deadline deadline,
                                   std::chrono::milliseconds idle,
                                   const std::function<bool(std::string_view)>& on_bytes) = 0;

  // Waits, e.g. before a retry; false if Ctrl-C ended the wait.
  virtual bool pause(std::chrono::milliseconds duration) = 0;
};

}  // namespace berth::cli
