// The HTTP API as the commands use it: signed requests, idempotency keys, retries, problems as failures.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "events/base/clock.h"
#include "ops/cli/exit_code.h"
#include "ops/cli/http/sse.h"
#include "ops/cli/http/transport.h"

namespace berth::cli {

using Deadline = Transport::Deadline;

struct ApiReply {
  boost::json::value body;  // an object, empty of a 204; null of get_bytes()
  std::string raw;
  std::int64_t position = -1;  // of the state read, or of the write
  HttpReply http;
};

// One thread at a time. Adds date, host, version and signature to an otherwise complete request.
using RequestSigner = std::function<void(HttpRequest&)>;

struct ApiOptions {
  std::chrono::milliseconds timeout{30'000};     // for one answer, retries included
  std::function<std::string()> new_key;          // a fresh idempotency key
  std::function<void(const std::string&)> note;  // progress for people, e.g. "retrying"; may be empty
  std::string at = {};                           // --at: each read is of that moment, and nothing is changed
};

class Api {
 public:
  Api(Transport& transport, RequestSigner sign, ApiOptions options);

  // Each answer is Berth's or a failure: a proxy, a portal or another server answers 200, too. Failure:
  // not-berth.
  Outcome<ApiReply> get(const std::string& target);
  // One try: for who goes on without the answer too.
  Outcome<ApiReply> get_once(const std::string& target);
  // Of bytes, which are in `raw`, instead of JSON.
  Outcome<ApiReply> get_bytes(const std::string& target);
  // Bytes `first` to `last` of a file, or as many as there are: 206, or 200 with all of it. Waits longer than
  // others, for a slow line.
  Outcome<ApiReply> get_range(const std::string& target, std::uint64_t first, std::uint64_t last);
  // A piece of a file; what keeps it compares it with `hash`, its SHA-256, which the signature covers. Waits
  // as get_range().
  Outcome<ApiReply> put_bytes(const std::string& target, std::string bytes, std::string hash);
  // Retries with the same idempotency key on 503, 429, 504 outcome-unknown and a broken connection. `body`
  // null: none.
  Outcome<ApiReply> post(const std::string& target, const boost::json::value& body);
  Outcome<ApiReply> put(const std::string& target, const boost::json::value& body);
  Outcome<ApiReply> patch(const std::string& target, const boost::json::value& body);
  Outcome<ApiReply> remove(const std::string& target);
  // The same in less time than others have, for who is about to leave.
  Outcome<ApiReply> remove_within(const std::string& target, std::chrono::milliseconds most);

  // Like get(), but waits until the state has moved beyond `position`; nullopt if it has not for a while.
  // Survives a restart of the server until the deadline. Failures: timeout, those of get.
  Outcome<std::optional<ApiReply>> get_after(const std::string& target, std::int64_t position,
                                             Deadline deadline);

  // Reads the Server-Sent Events of `target`, resuming behind the last one after every break, until on_event
  // returns false (ok), the server ends the stream with an "end" event (ok), the deadline passes (timeout) or
  // the server refuses.
  Outcome<bool> events(const std::string& target, const std::string& last_id, Deadline deadline,
                       const std::function<bool(const SseEvent&)>& on_event);

  // The body of the answer as it comes, until on_bytes returns false (ok) or the server ends it (ok). One
  // try: who has had a part knows how to go on. Failures: those of get(); unreachable and timeout, where it
  // broke.
  Outcome<bool> body(const std::string& target, std::string_view type,
                     const std::function<bool(std::string_view)>& on_bytes);

  // The time of the moment of --at, as the last answer said it; nullopt: nothing was answered of the past.
  std::optional<Timestamp> moment() const { return moment_; }

  // The cluster's time, by the last answer; nullopt: none told it.
  std::optional<Timestamp> cluster_time() const;

  // Waits without a request; false if Ctrl-C ended the wait.
  bool pause(std::chrono::milliseconds duration) { return transport_.pause(duration); }
  // The deadline if none is given.
  static Deadline never() { return std::chrono::steady_clock::now() + std::chrono::hours(24 * 365); }

 private:
  Outcome<ApiReply> write(const char* method, const std::string& target, const boost::json::value& body);
  struct Sending {
    Deadline deadline;
    std::chrono::milliseconds call_max;  // for one try
    bool patient = false;                // see retry_delay()
    bool bytes = false;                  // come back, instead of JSON
    bool once = false;                   // no second try
  };
  Sending usual() const;
  Outcome<ApiReply> send(HttpRequest request, const Sending& how);
  std::optional<std::chrono::milliseconds> retry_delay(const Result<HttpReply>& reply, int attempt,
                                                       bool patient) const;

  Transport& transport_;
  RequestSigner sign_;
  ApiOptions options_;
  std::optional<Timestamp> moment_;
  struct Told {
    Timestamp time = 0;
    std::chrono::steady_clock::time_point at;
  };
  std::optional<Told> told_time_;
  bool reached_ =
      false;  // a server answered: from then on a lost connection is a restart, not a wrong address
};

// The failure not-berth if the answer lacks a member that the command needs (a path, see find_path), or has
// null there; nullopt if it has all.
std::optional<Failure> lacking(const boost::json::value& body, std::initializer_list<const char*> members);
// The answer itself if it lacks nothing.
Outcome<ApiReply> having(Outcome<ApiReply> reply, std::initializer_list<const char*> members);
// The same of one member that is a list.
Outcome<ApiReply> having_list(Outcome<ApiReply> reply, const char* member);

// What --at is no option for.
Failure no_past_failure();

// The Failure of a reply that is no success.
Failure failure_of_reply(const HttpReply& reply);

// RFC 3986: everything but unreserved characters as %XX.
std::string percent_encoded(std::string_view text);
// `path` with the parameters whose value is not empty.
std::string with_query(std::string path,
                       std::initializer_list<std::pair<const char*, std::string>> parameters);

}  // namespace berth::cli
