#include "controller/api/api.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "controller/api/auth/host_key.h"
#include "controller/api/auth/lower_case.h"
#include "controller/api/auth/signature.h"
#include "controller/api/login/by_cookie.h"
#include "controller/api/login/by_producer.h"
#include "controller/api/map/time_text.h"
#include "controller/api/past/moment.h"
#include "controller/api/past/past_call.h"
#include "projections/sealed_secrets.h"

namespace berth::controller::api {
namespace {

constexpr std::int64_t kWaitDefaultMs = 5'000;
constexpr std::int64_t kWaitMaxMs = 30'000;
constexpr Offset kAheadMax = 1'000'000;  // of a min_position, beyond what was read
constexpr std::size_t kIdempotencyKeyMax = 128;
constexpr std::chrono::seconds kStreamsPatience{5};  // who still has a stream then is a bug

Error malformed(const char* what) {
  return make_error("credential-malformed", what, "see the signature's recipe in the API's description");
}

std::optional<Problem> check_date(const HttpRequest& request, Timestamp now) {
  const auto date = parse_time(request.date);
  if (!date || (request.date.back() != 'Z' && !request.date.ends_with("+00:00")))
    return to_problem(malformed("X-Berth-Date is no RFC 3339 time in UTC"));
  if (*date > now + kDateSkewMax || *date < now - kDateSkewMax)
    return make_problem("stale-date",
                        "the request is dated " + format_second(*date) + " (X-Berth-Date), and " +
                            server_says(now) + ": more than 15 minutes apart",
                        std::string(kCheckClocks) + ", then sign again");
  return std::nullopt;
}

// min_position and wait belong to every GET; the handlers do not see them.
struct ReadAfter {
  std::optional<Offset> position;
  std::chrono::milliseconds wait{kWaitDefaultMs};
};

ReadAfter take_read_after(Target& target, Errors& errors) {
  ReadAfter out;
  Query query(target, errors);
  if (const auto position = query.integer("min_position", 0, INT64_MAX))
    out.position = static_cast<Offset>(*position);
  out.wait = std::chrono::milliseconds(query.duration_ms("wait", kWaitMaxMs).value_or(kWaitDefaultMs));
  std::erase_if(target.parameters, [](const auto& parameter) {
    return parameter.first == "min_position" || parameter.first == "wait";
  });
  return out;
}

std::string hash_of_body(const HttpRequest& request) {
  return request.body_hash.empty() ? sha256_hex("") : request.body_hash;
}

// A user's browsers count as one key pair, and so does each of a producer's owners.
std::string rate_key(const Caller& caller) {
  if (!caller.producer.empty()) return caller.access_key + "/" + caller.user;
  return caller.browser_session.is_nil() ? caller.access_key : "user:" + caller.user;
}

// A position of another journal, or none: no wait would bring it.
std::optional<Problem> never_written(Offset wanted, std::optional<Offset> position) {
  if (wanted <= position.value_or(0) + kAheadMax) return std::nullopt;
  return make_problem("invalid-parameter",
                      "min_position " + std::to_string(wanted) + " is far beyond the journal, which is at " +
                          (position ? std::to_string(*position) : "its beginning"),
                      "use a position that this cluster answered");
}

// Where the journal has not been written so far, it is no fault of this server's; else it lags behind.
Problem not_reached(ApiContext& context, Offset wanted) {
  Problem problem = make_problem("position-not-reached",
                                 "position " + std::to_string(wanted) + " was not read back in time",
                                 "ask again; wait= makes it wait longer");
  const auto end = context.read_raw_journal(UINT64_MAX, 1, 1);
  if (end.ok() && wanted >= end->end) problem.status = 412;
  return problem;
}

// Of a request that was read already.
class WholeBody final : public BodyStream {
 public:
  explicit WholeBody(std::string bytes) : bytes_(std::move(bytes)) {}
  void read(Read done) override { done(std::exchange(bytes_, {})); }

 private:
  std::string bytes_;
};

// A key pair that only reads may still say that it is out of use: berth logout.
bool ends_itself(const Call& call) {
  return call.route->traits.ends_own_key && call.path[0] == call.caller.access_key;
}

}  // namespace

Api::Api(ApiContext& context, ApiOptions options)
    : context_(context),
      options_(std::move(options)),
      rate_(options_.rate),
      quick_(options_.quick_threads),
      turns_(options_.turns),
      sign_in_(options_.sign_in, cookie_name(context.facts().cluster_id)),
      board_(std::make_shared<AnswerBoard>(quick_)),
      hub_(context_, *board_, quick_, turns_, options_.events),
      rows_(context_, quick_, options_.rows, options_.sign_in.idle),
      streams_(context_, quick_, options_.streams, options_.sign_in.idle),
      apps_(options_.sign_in.app_origin, context_.clock().now().boottime),
      operations_(context_, metrics_, quick_, turns_),
      asker_(context_, board_, options_.asker),
      audits_(std::make_shared<AuditJobs>(context_, turns_)),
      services_{context_, *board_,           hub_,   rows_,  streams_, apps_,       asker_,      metrics_,
                sign_in_, *options_.console, quick_, turns_, diffs_,   past_views_, operations_, *audits_} {}

Api::~Api() { stop(); }

void Api::start() {
  running_ = true;
  hub_.start();
  rows_.start();
  operations_.start();
}

// Streams into kernels count themselves here when they go, which may be on a thread of the tunnel's: they go
// first.
void Api::stop() {
  streams_.stop(kStreamsPatience);
  if (running_) {
    hub_.stop();
    rows_.stop();
  }
  running_ = false;
  sign_in_.passwords.stop();
  audits_->stop();
  board_->close();
  turns_.stop();
  quick_.stop();
}

// The journal says whose a key pair is, and has its secret sealed. Before the first definitions the key file
// alone says that its pair is the superadmin's.
Result<Api::Signatory> Api::signatory_of(const std::string& access_key) const {
  Signatory out;
  out.key.set_active(true);
  if (access_key == kHostAccessKey && !options_.host_secret.empty()) {
    out.caller.role = v1::ROLE_SUPERADMIN;
    out.caller.access_key = access_key;
    out.caller.host = true;
    out.secret = options_.host_secret;
    return out;
  }
  if (const auto producer = find_producer_key(context_, access_key)) {
    out.key.set_active(!producer->disabled);
    out.caller.producer = producer->name;
    out.caller.access_key = access_key;
    out.secret = producer->secret;
    return out;
  }
  out.key.set_user("admin");
  out.caller.role = v1::ROLE_SUPERADMIN;
  bool is_lost = false;  // its sealing key is destroyed
  context_.with_state([&](const StateView& view) {
    if (const auto* row = view.state.key_pairs.find(access_key)) {
      out.key = row->def;
      out.caller.role = v1::ROLE_USER;
    }
    read_user(view.state, out.key.user(), out.caller);
    const auto* user = view.state.users.find(out.key.user());
    out.disabled = user != nullptr && user->def.disabled();
    is_lost = out.key.has_secret() && projections::is_destroyed(view.state, out.key.secret().key());
  });
  out.caller.access_key = access_key;
  out.caller.read_only = out.key.read_only();
  if (out.key.has_secret()) {
    auto secret = context_.key_pairs().open(out.key);
    if (!secret && is_lost)
      return make_error("key-inactive", "the sealing key of this key pair's secret is destroyed",
                        "sign in anew: berth login");
    if (!secret) return secret.error();
    out.secret = std::move(*secret);
  } else if (options_.file_key && options_.file_key->access_key == access_key) {
    out.secret = options_.file_key->secret_key;
  } else {
    return make_error("unknown-key", "no key pair has the id '" + clipped(access_key, 40) + "'",
                      "is it the key of another cluster?");
  }
  return out;
}

std::optional<Problem> Api::authenticate(Call& call) {
  constexpr std::string_view kBearer = "bearer ";
  const std::string scheme =
      lower_case(std::string_view(call.request.authorization).substr(0, kBearer.size()));
  if (scheme == kBearer)
    return authenticate_by_token(call, std::string_view(call.request.authorization).substr(kBearer.size()));
  const auto cookie = find_cookie(call.request.cookie, sign_in_.cookie_of(call.request));
  if (call.request.authorization.empty() && !cookie)
    return make_problem("credential-missing",
                        "this request is neither signed nor of a browser that signed in",
                        "berth finds the key in DATA/keys/admin.json; see --key-file");
  if (context_.catches_up()) {  // a good key may not be known yet
    Problem problem = make_problem("not-ready", "this server's state has not come to the log's end yet",
                                   "ask again soon; /readyz?verbose=1 says how far it is");
    problem.retry_after_s = 1;
    return problem;
  }
  if (call.request.authorization.empty()) return authenticate_by_cookie(services_, call, *cookie);
  const auto refused = authenticate_by_key(call);
  return refused ? std::optional(to_problem(*refused)) : std::nullopt;
}

// Prometheus cannot sign. Hashes are compared, so that neither length nor content shows in the time it takes.
std::optional<Problem> Api::authenticate_by_token(Call& call, std::string_view token) {
  const bool scraped = call.route != nullptr && call.route->traits.scraped;
  if (!scraped || options_.metrics_token.empty())
    return to_problem(
        malformed("a bearer's token reads /metrics alone, of a server with --metrics-token-file"));
  if (!equal_signatures(sha256_hex(token), sha256_hex(options_.metrics_token)))
    return make_problem("bad-signature", "this is not the token of /metrics",
                        "it is in the file of the server's --metrics-token-file");
  call.caller.role = v1::ROLE_MONITOR;
  call.caller.access_key = "metrics-token";
  call.caller.read_only = true;
  return std::nullopt;
}

std::optional<Error> Api::authenticate_by_key(Call& call) {
  const HttpRequest& request = call.request;
  const auto authorization = parse_authorization(request.authorization);
  if (!authorization)
    return malformed("the Authorization header is not 'BERTH-HMAC-SHA256 key=ID, signature=HEX'");
  if (request.host.empty()) return malformed("there is no Host header");
  if (request.version == "1")
    return make_error("signature-outdated",
                      "this request is signed as X-Berth-Version 1 says; 2 signs Idempotency-Key and "
                      "X-Berth-Content-SHA256 too",
                      "use a `berth` of this server's version, or sign as the API's description says");
  if (request.version != kApiVersion) return malformed("X-Berth-Version is not 2");
  if (const auto stale = check_date(request, context_.clock().now().wall))
    return make_error(stale->code, stale->detail, stale->hint);
  auto signatory = signatory_of(authorization->access_key);
  if (!signatory) return signatory.error();
  const Timestamp now = context_.now();
  const std::string body_hash = hash_of_body(request);
  const SignedRequest parts{
      request.method,  request.target,          request.date, request.host, request.content_type,
      request.version, request.idempotency_key, body_hash};
  if (!equal_signatures(sign(signatory->secret, parts), authorization->signature))
    return make_error("bad-signature", "the signature does not match this request",
                      "wrong secret key, or something on the way changed the request (Host, Content-Type, "
                      "Idempotency-Key, the target's encoding)");
  if (!signatory->key.active())
    return make_error("key-inactive", "this key pair was switched off", "ask an administrator");
  if (signatory->disabled)
    return make_error("user-disabled", "this user may not sign in", "ask an administrator");
  if (const Timestamp end = signatory->key.expires_ns(); end != 0 && end <= now)
    return make_error(
        "key-expired", "this key pair was good until " + format_second(end) + ", and " + cluster_says(now),
        std::string("sign in anew: berth login, or ask an administrator; if a time is wrong, ") +
            kCheckClocks);
  if (signatory->key.has_secret() &&
      sign_in_.last_use.is_new(signatory->key.id(), signatory->key.used_ns(), now))
    record_use_of_key(context_, signatory->key.id());
  call.caller = std::move(signatory->caller);
  call.signature = authorization->signature;
  return std::nullopt;
}

// A write without a key of its own gets its signature's hash, so that a copy of it meets the first answer, on
// whichever server.
std::optional<Problem> Api::take_request_id(Call& call) const {
  const std::string& key = call.request.idempotency_key;
  if (key.empty()) {
    if (!call.signature.empty()) call.id = Uuid::from_hash(blake2b_128("signature:" + call.signature));
    return std::nullopt;
  }
  const bool printable = std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (key.size() > kIdempotencyKeyMax || !printable)
    return make_problem("invalid-value", "Idempotency-Key must be 1 to 128 visible ASCII characters",
                        "a fresh UUID is best");
  const auto id = Uuid::parse(key);
  call.id = id && !id->is_nil() ? *id : Uuid::from_hash(blake2b_128("idempotency-key:" + key));
  return std::nullopt;
}

// A path of the console, which routes by itself, is the console's page.
RouteTable::Match Api::find_route(const Call& call) const {
  auto match = options_.routes.find(call.request.method, call.target.segments);
  const auto& segments = call.target.segments;
  const bool of_api = segments.empty() || segments[0] == "v1" || segments[0] == "assets";
  const bool wants_page = call.request.accept.find("text/html") != std::string::npos ||
                          (segments.size() == 1 && options_.console->find(segments[0]) != nullptr);
  if (match.route != nullptr || !match.allow.empty() || of_api || !wants_page) return match;
  return options_.routes.find(call.request.method, {});
}

std::optional<Problem> Api::check_access(Call& call) {
  switch (call.route == nullptr ? Route::kAnybody : call.route->askers.access) {
    case Route::kOpen: return std::nullopt;
    case Route::kLogin: return check_page(sign_in_, call.request, true);
    case Route::kPage: return check_host(sign_in_.names, sign_in_.provenance_of(call.request));
    case Route::kAnybody: return authenticate(call);
  }
  return std::nullopt;
}

std::optional<Problem> Api::check(Call& call) {
  if (is_on_app_origin(services_, call.request)) return check_app_request(services_, call);
  Result<Target> target = parse_target(call.request.target);
  if (!target.ok()) return to_problem(target.error());
  call.target = std::move(*target);
  const RouteTable::Match match = find_route(call);
  call.route = match.route;
  call.path = match.path;
  const bool open = match.route != nullptr && match.route->askers.access < Route::kAnybody;
  if (open && !call.request.in_chunks && call.request.body_bytes > kOpenBodyBytesMax)
    return make_problem("body-too-large", "the body is larger than 4 KiB", "nothing unsigned needs more");
  if (auto refused = check_access(call)) {
    metrics_.count_rejected(refused->code.word());
    return refused;
  }
  if (!open) {
    if (!rate_.take(rate_key(call.caller), context_.clock().now().boottime))
      return make_problem("too-many-requests", "this key asks too often, or for too many bytes",
                          "wait a second");
    // What streams is bounded by how fast it is taken.
    if (match.route == nullptr || !match.route->traits.streams_body)
      rate_.spend(rate_key(call.caller), call.request.body_bytes);
  }
  if (auto refused = take_owner(services_, call)) {
    metrics_.count_rejected(refused->code.word());
    return refused;
  }
  if (match.route == nullptr && match.allow.empty())
    return make_problem("no-such-route", "there is nothing at " + clipped(call.request.target),
                        "/openapi.json lists all routes");
  if (match.route == nullptr) {
    Problem problem =
        make_problem("method-not-allowed", clipped(call.request.method, 20) + " is not possible here",
                     "possible: " + match.allow);
    problem.allow = match.allow;
    return problem;
  }
  if (call.caller.host && !match.route->traits.host)
    return make_problem("denied", "the host's key pair makes login links alone", "berth login-link USER");
  const auto& need = match.route->askers.need;
  if (need && !call.caller.host)
    if (reach(actor_of(services_, call), need->noun, need->verb) == projections::Reach::kNone)
      return make_problem(
          "denied",
          "this takes the right " + std::string(name_of(need->noun)) + "." + std::string(name_of(need->verb)),
          "berth whoami shows your rights");
  // A job that reads, like an audit, is begun by a POST.
  const bool reads = !match.route->writes() || (need && need->verb == projections::Verb::kSee);
  if (call.caller.read_only && !reads && !ends_itself(call))
    return make_problem("key-read-only", "this key pair reads, and its requests change nothing",
                        "use another key pair");
  if (auto refused = take_moment(services_, call)) return refused;
  return match.route->writes() ? take_request_id(call) : std::nullopt;
}

void Api::dispatch(const CallPtr& call, const Reply& reply) {
  const auto run = [this, call, reply] {
    if (call->moment) return answer_in_past(services_, call, reply);
    try {
      call->route->handler(services_, call, reply);
    } catch (const std::exception& error) {
      reply(problem_reply(make_problem("internal-error", std::string("the API failed: ") + error.what()),
                          *call));
    }
  };
  if (call->route->writes()) return run();
  Errors errors;
  const ReadAfter after = take_read_after(call->target, errors);
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  if (!after.position) return run();
  if (const auto absurd = never_written(*after.position, board_->position()))
    return reply(problem_reply(*absurd, *call));
  board_->wait_position(*after.position, after.wait,
                        [this, call, reply, run, wanted = *after.position](bool reached) {
                          if (reached) return run();
                          take_turn(services_, call, reply, Turns::Work::kShort, [this, call, reply, wanted] {
                            reply(problem_reply(not_reached(context_, wanted), *call));
                          });
                        });
}

// After take_request_id(): a trace of its own is named after the request, as trace_of_session() names it.
void Api::begin_trace(Call& call) {
  call.trace = parse_traceparent(call.request.traceparent);
  if (!options_.makes_spans) return;
  if (!call.trace) call.trace = TraceContext{call.id.bytes, {}, 1};
  const Uuid id = context_.new_id();
  call.span = std::string(id.view().substr(0, sizeof(SpanId)));
}

void Api::stamp(HttpReply& reply, const std::string& request_id) const {
  reply.set("X-Request-Id", request_id);
  tell_time(context_, reply);
}

void Api::finish(const Call& call, HttpReply& reply) {
  stamp(reply, to_string(call.id));
  if (call.trace) reply.set("traceresponse", to_traceparent(context_within(call)));
  rate_.spend(rate_key(call.caller), reply.body.size());
  metrics_.count_request(call, reply.status, context_.clock().now().boottime - call.began);
  if (options_.on_answer) options_.on_answer(call, reply.status);
}

Api::Admission Api::admit(HttpRequest header) {
  Admission admission{std::make_shared<Call>(), std::nullopt};
  Call& call = *admission.call;
  call.request = std::move(header);
  call.id = context_.new_id();
  call.began = context_.clock().now().boottime;
  const auto problem = check(call);
  begin_trace(call);
  if (problem) {
    admission.refusal =
        is_on_app_origin(services_, call.request)
            ? app_problem_page(*problem, to_string(call.id), console_page(services_, call.request))
            : problem_reply(*problem, call);
    finish(call, *admission.refusal);
  }
  return admission;
}

Reply Api::finished(const CallPtr& call, Reply reply) {
  return [this, call, reply = std::move(reply)](HttpReply out) {
    finish(*call, out);
    reply(std::move(out));
  };
}

void Api::handle(const CallPtr& call, std::string body, Reply reply) {
  call->request.body = std::move(body);
  const Reply out = finished(call, std::move(reply));
  if (!call->signature.empty() && sha256_hex(call->request.body) != hash_of_body(call->request))
    return out(
        problem_reply(make_problem("body-hash-mismatch", "the body is not the one of X-Berth-Content-SHA256",
                                   "it is the SHA-256 of the body, 64 hex digits in lower case"),
                      *call));
  dispatch(call, out);
}

// Whoever takes the bytes compares them with the hash that was signed.
void Api::handle(const CallPtr& call, std::shared_ptr<BodyStream> body, Reply reply) {
  call->body = std::move(body);
  dispatch(call, finished(call, std::move(reply)));
}

bool Api::streams_body(const HttpRequest& header) const {
  const auto target = parse_target(header.target);
  const Route* route = target.ok() ? options_.routes.find(header.method, target->segments).route : nullptr;
  return route != nullptr && route->traits.streams_body;
}

void Api::handle(HttpRequest request, Reply reply) {
  std::string body = std::move(request.body);
  request.body_bytes = body.size();
  auto [call, refusal] = admit(std::move(request));
  if (refusal) return reply(std::move(*refusal));
  if (call->route->traits.streams_body)
    return handle(call, std::make_shared<WholeBody>(std::move(body)), std::move(reply));
  handle(call, std::move(body), std::move(reply));
}

}  // namespace berth::controller::api
