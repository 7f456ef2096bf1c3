// How the CLI speaks HTTP, without saying with what: http_client.cc does it with Beast, tests with a fake.
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
};

struct HttpReply {
  unsigned status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;

  // "" where it is absent. `name` in lower case.
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

  // Sends the request and hands out the body as it comes, until on_bytes says false (ok: its reply so far),
  // the server ends it (ok) or the deadline passes (reply-timeout). A reply that is not 200 comes back whole,
  // on_bytes is not called.
  virtual Result<HttpReply> stream(const HttpRequest& request, Deadline deadline,
                                   std::chrono::milliseconds idle,
                                   const std::function<bool(std::string_view)>& on_bytes) = 0;

  // Waits, e.g. before trying again; false if Ctrl-C ended it.
  virtual bool pause(std::chrono::milliseconds duration) = 0;
};

}  // namespace berth::cli
