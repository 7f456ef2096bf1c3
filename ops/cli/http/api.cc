#include "ops/cli/http/api.h"

#include <algorithm>

#include "events/base/text.h"
#include "events/codec/utf8.h"
#include "ops/cli/http/transport_errors.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/times.h"
#include "ops/cli/problem_codes.h"

namespace berth::cli {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kRetryMax{5'000};
constexpr milliseconds kBytesMax{120'000};   // for a piece of a file
constexpr milliseconds kStreamIdle{45'000};  // the server sends a comment every 15 s

Failure not_berth(const std::string& why) {
  return {kFailed,
          kNotBerthCode,
          "this is no answer of Berth: " + why,
          "is the address right (berth config show --origin), and no proxy or portal in between?",
          {}};
}

bool has_type(const HttpReply& reply, std::string_view type) {
  return reply.header("content-type").starts_with(type);
}

std::string type_of(const HttpReply& reply) {
  const std::string type = reply.header("content-type");
  return type.empty() ? "something without a type" : clipped(type);
}

Outcome<ApiReply> taken(HttpReply reply, bool bytes) {
  ApiReply result;
  if (bytes) {
    if (!has_type(reply, "application/octet-stream"))
      return not_berth("bytes were asked for, " + type_of(reply) + " came");
  } else if (reply.status == 204) {
    result.body = json::object();
  } else {
    boost::system::error_code error;
    if (has_type(reply, "application/json")) result.body = json::parse(reply.body, error);
    if (!result.body.is_object())
      return not_berth("a JSON object was asked for, " + type_of(reply) + " came");
  }
  const json::value position(reply.header("x-berth-position"));
  const std::string text =
      scalar_text(position).empty() ? text_at(result.body, "position") : scalar_text(position);
  result.position = text.empty() ? -1 : integer_at(json::value(json::object{{"p", text}}), "p");
  result.raw = reply.body;
  result.http = std::move(reply);
  return result;
}

Failure failure_of_transport(const Error& error) {
  if (is_reply_timeout(error) || is_stream_idle(error)) return failure_of(error, kTimeout);
  return failure_of(error, is_unreachable(error) ? kUnreachable : kFailed);
}

const json::value* find_member(const json::value& body, const char* member) {
  const auto* found = find_path(body, member);
  return found == nullptr || found->is_null() ? nullptr : found;
}

bool is_problem(const HttpReply& reply, Code code) { return failure_of_reply(reply).code == code; }

}  // namespace

std::string percent_encoded(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    const auto byte = static_cast<unsigned char>(c);
    if (plain)
      out += c;
    else
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return out;
}

std::string with_query(std::string path,
                       std::initializer_list<std::pair<const char*, std::string>> parameters) {
  char separator = path.find('?') == std::string::npos ? '?' : '&';
  for (const auto& [name, value] : parameters) {
    if (value.empty()) continue;
    path += separator + std::string(name) + "=" + percent_encoded(value);
    separator = '&';
  }
  return path;
}

Failure no_past_failure() {
  return usage_failure("--at shows what was: nothing is changed, followed or run there",
                       "leave --at away, or use it with what lists and shows");
}

Failure failure_of_reply(const HttpReply& reply) {
  boost::system::error_code error;
  const json::value problem = json::parse(reply.body, error);
  Failure failure;
  if (!error && problem.is_object()) failure.problem = json::serialize(problem);
  failure.code = code_at(problem, "code");
  if (failure.code.empty()) failure.code = kNotBerthCode;
  failure.message = text_at(problem, "detail");
  failure.hint = text_at(problem, "hint");
  failure.request_id = text_at(problem, "request_id");
  if (failure.message.empty()) failure.message = text_at(problem, "title");
  if (failure.message.empty())
    failure.message = "the server answered " + std::to_string(reply.status) + " without a reason";
  for (const auto& place : array_at(problem, "errors")) {
    const std::string line = text_at(place, "place") + ": " + text_at(place, "message");
    if (failure.message.find(text_at(place, "message")) == std::string::npos)
      failure.message += "\n  " + line;
  }
  failure.exit = exit_code_of(reply.status, failure.code);
  return failure;
}

std::optional<Failure> lacking(const json::value& body, std::initializer_list<const char*> members) {
  for (const char* member : members)
    if (find_member(body, member) == nullptr) return not_berth("it has no '" + std::string(member) + "'");
  return std::nullopt;
}

Outcome<ApiReply> having(Outcome<ApiReply> reply, std::initializer_list<const char*> members) {
  if (!reply) return reply;
  auto failure = lacking(reply->body, members);
  return failure ? Outcome<ApiReply>(std::move(*failure)) : std::move(reply);
}

Outcome<ApiReply> having_list(Outcome<ApiReply> reply, const char* member) {
  if (!reply) return reply;
  const auto* found = find_member(reply->body, member);
  if (found != nullptr && found->is_array()) return reply;
  return not_berth("it has no list '" + std::string(member) + "'");
}

Api::Api(Transport& transport, RequestSigner sign, ApiOptions options)
    : transport_(transport), sign_(std::move(sign)), options_(std::move(options)) {}

// `patient`: a server that goes away is waited for (it restarts); else only one that was never there fails at
// once.
std::optional<milliseconds> Api::retry_delay(const Result<HttpReply>& reply, int attempt,
                                             bool patient) const {
  const milliseconds growing =
      std::min<milliseconds>(kRetryMax, milliseconds(100) * (1 << std::min(attempt, 6)));
  if (!reply) {
    const bool lost = is_unreachable(reply.error()) && (reached_ || attempt > 0);
    return lost && (patient || attempt < 5) ? std::optional(growing) : std::nullopt;
  }
  const bool again = reply->status == 503 || reply->status == 429 ||
                     (reply->status == 504 && is_problem(*reply, kOutcomeUnknown));
  if (!again) return std::nullopt;
  const std::int64_t asked = integer_at(json::value(json::object{{"s", reply->header("retry-after")}}), "s");
  return asked > 0 ? std::min<milliseconds>(kRetryMax, milliseconds(asked * 1000)) : growing;
}

std::optional<Timestamp> Api::cluster_time() const {
  if (!told_time_) return std::nullopt;
  return told_time_->time + std::chrono::nanoseconds(Clock::now() - told_time_->at).count();
}

Api::Sending Api::usual() const { return {Clock::now() + options_.timeout, options_.timeout}; }

Outcome<ApiReply> Api::send(HttpRequest request, const Sending& how) {
  if (!options_.at.empty() && request.method != "GET") return no_past_failure();
  // Who asks is who asks now.
  if (!options_.at.empty() && request.target != "/v1/whoami")
    request.target = with_query(request.target, {{"at", options_.at}});
  std::optional<HttpReply>
      told;  // the last thing that a server said: better than "no answer" at the deadline
  for (int attempt = 0;; ++attempt) {
    // Of a chunk of a file no second copy is made.
    HttpRequest signed_request{request.method, request.target, request.headers, std::move(request.body),
                               request.body_hash};
    sign_(signed_request);
    auto reply = transport_.call(signed_request, std::min(how.deadline, Clock::now() + how.call_max));
    request.body = std::move(signed_request.body);
    if (reply) reached_ = true;
    if (reply)
      if (const auto time = parse_time(reply->header("berth-time"))) told_time_ = {*time, Clock::now()};
    if (reply && reply->status >= 200 && reply->status < 300) {
      const std::string moment = reply->header("berth-at");  // "1234-0 TIME"
      if (!moment.empty()) moment_ = parse_time(moment.substr(moment.find(' ') + 1));
      return taken(std::move(*reply), how.bytes);
    }
    const auto delay = retry_delay(reply, attempt, how.patient);
    if (reply)
      told = std::move(*reply);
    else if (!is_reply_timeout(reply.error()))
      told.reset();
    if (how.once || !delay || Clock::now() + *delay >= how.deadline)
      return told ? failure_of_reply(*told) : failure_of_transport(reply.error());
    if (options_.note && attempt == 1)
      options_.note(told ? "the server is busy; trying again" : "the server does not answer; trying again");
    if (!transport_.pause(*delay)) return interrupted_failure();
  }
}

Outcome<ApiReply> Api::get(const std::string& target) { return send({"GET", target, {}, {}}, usual()); }

Outcome<ApiReply> Api::get_once(const std::string& target) {
  Sending how = usual();
  how.once = true;
  return send({"GET", target, {}, {}}, how);
}

Outcome<ApiReply> Api::get_bytes(const std::string& target) {
  Sending how = usual();
  how.bytes = true;
  return send({"GET", target, {}, {}}, how);
}

Outcome<ApiReply> Api::get_range(const std::string& target, std::uint64_t first, std::uint64_t last) {
  const std::string range = "bytes=" + std::to_string(first) + "-" + std::to_string(last);
  return send({"GET", target, {{"Range", range}}, {}}, {Clock::now() + kBytesMax, kBytesMax, false, true});
}

Outcome<ApiReply> Api::put_bytes(const std::string& target, std::string bytes, std::string hash) {
  HttpRequest request{"PUT",
                      target,
                      {{"Idempotency-Key", options_.new_key()}, {"Content-Type", "application/octet-stream"}},
                      std::move(bytes),
                      std::move(hash)};
  return send(std::move(request), {Clock::now() + kBytesMax, kBytesMax});
}

Outcome<ApiReply> Api::post(const std::string& target, const json::value& body) {
  return write("POST", target, body);
}
Outcome<ApiReply> Api::put(const std::string& target, const json::value& body) {
  return write("PUT", target, body);
}
Outcome<ApiReply> Api::patch(const std::string& target, const json::value& body) {
  return write("PATCH", target, body);
}

Outcome<ApiReply> Api::write(const char* method, const std::string& target, const json::value& body) {
  HttpRequest request{method, target, {{"Idempotency-Key", options_.new_key()}}, {}};
  if (!body.is_null()) {
    request.body = json::serialize(body);
    if (!is_utf8(request.body))
      return usage_failure("a word of the command line is no UTF-8", "names and texts are UTF-8");
    request.headers.emplace_back("Content-Type", "application/json");
  }
  return send(std::move(request), usual());
}

Outcome<ApiReply> Api::remove(const std::string& target) {
  return send({"DELETE", target, {{"Idempotency-Key", options_.new_key()}}, {}}, usual());
}

Outcome<ApiReply> Api::remove_within(const std::string& target, milliseconds most) {
  return send({"DELETE", target, {{"Idempotency-Key", options_.new_key()}}, {}}, {Clock::now() + most, most});
}

Outcome<std::optional<ApiReply>> Api::get_after(const std::string& target, std::int64_t position,
                                                Deadline deadline) {
  // In pieces, so that no proxy or idle limit cuts a long wait, and so that the deadline is kept.
  const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
  if (left.count() <= 0) return timeout_failure();
  const auto wait = std::clamp<std::int64_t>(left.count(), 1, 10'000);
  const auto asked = with_query(target, {{"min_position", position < 0 ? "" : std::to_string(position + 1)},
                                         {"wait", position < 0 ? "" : std::to_string(wait) + "ms"}});
  auto reply = send({"GET", asked, {}, {}}, {deadline + milliseconds(500), options_.timeout, true});
  if (reply) return std::optional<ApiReply>(std::move(*reply));
  if (reply.failure().code == kPositionNotReached) return std::optional<ApiReply>();
  return reply.failure();
}

Outcome<bool> Api::body(const std::string& target, std::string_view type,
                        const std::function<bool(std::string_view)>& on_bytes) {
  if (!options_.at.empty()) return no_past_failure();
  HttpRequest request{"GET", target, {}, {}};
  sign_(request);
  bool stopped = false;
  auto reply = transport_.stream(request, never(), kBytesMax, [&](std::string_view bytes) {
    stopped = !on_bytes(bytes);
    return !stopped;
  });
  if (stopped) return true;
  if (!reply) return failure_of_transport(reply.error());
  reached_ = true;
  if (reply->status != 200) return failure_of_reply(*reply);
  if (!has_type(*reply, type))
    return not_berth(std::string(type) + " was asked for, " + type_of(*reply) + " came");
  return true;
}

Outcome<bool> Api::events(const std::string& target, const std::string& last_id, Deadline deadline,
                          const std::function<bool(const SseEvent&)>& on_event) {
  if (!options_.at.empty()) return no_past_failure();
  std::string resume = last_id;
  bool ended = false, stopped = false;
  for (int attempt = 0;; ++attempt) {
    SseParser parser;
    HttpRequest request{"GET", target, {{"Accept", "text/event-stream"}}, {}};
    if (!resume.empty()) request.headers.emplace_back("Last-Event-ID", resume);
    sign_(request);
    const auto take = [&](const SseEvent& event) {
      if (!event.id.empty()) resume = event.id;
      if (event.event != "error") attempt = 0;
      ended = event.event == "end";
      stopped = !ended && !on_event(event);
      return !ended && !stopped;
    };
    auto reply = transport_.stream(request, deadline, kStreamIdle,
                                   [&](std::string_view bytes) { return parser.feed(bytes, take); });
    if (ended || stopped) return true;
    if (parser.too_long())
      return Failure{
          kFailed, kReplyTooLongCode, "an event of the stream is longer than the CLI takes", {}, {}};
    if (reply) reached_ = true;
    if (reply && reply->status == 200 && !has_type(*reply, "text/event-stream"))
      return not_berth("a stream of events was asked for, " + type_of(*reply) + " came");
    if (!reply && (is_interrupted(reply.error()) || is_reply_timeout(reply.error())))
      return failure_of_transport(reply.error());
    if (reply && reply->status != 200 && !retry_delay(reply, attempt, true)) return failure_of_reply(*reply);
    if (!reply && !reached_) return failure_of_transport(reply.error());
    const milliseconds delay =
        std::min<milliseconds>(kRetryMax, milliseconds(100) * (1 << std::min(attempt, 6)));
    if (options_.note && attempt == 1)
      options_.note("the stream broke; going on behind " + (resume.empty() ? "now" : resume));
    if (Clock::now() + delay >= deadline) return timeout_failure();
    if (!transport_.pause(delay)) return interrupted_failure();
  }
}

}  // namespace berth::cli
