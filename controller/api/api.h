// Api: the HTTP API without its sockets. Authenticates, limits, routes; handlers do the rest.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "controller/api/audit/audit_jobs.h"
#include "controller/api/auth/key_file.h"
#include "controller/api/console/static_files.h"
#include "controller/api/http/rate_limit.h"
#include "controller/api/inside/app_gate.h"
#include "controller/api/inside/open_streams.h"
#include "controller/api/live/operations.h"
#include "controller/api/login/sign_in.h"
#include "controller/api/past/diff.h"
#include "controller/api/past/past_views.h"
#include "controller/api/routes/asker.h"
#include "controller/api/routes/call.h"
#include "controller/api/routes/metrics.h"
#include "controller/api/routes/route_table.h"

namespace berth::controller::api {

struct ApiOptions {
  // The superadmin's pair of this server's key file: it signs as long as the journal has no secret for it.
  std::optional<KeyPair> file_key;
  std::string metrics_token;  // lets its bearer read /metrics, and nothing else; empty: there is none
  std::string host_secret;    // of host_secret_key(); empty: there is no such key pair
  Asker::Limits asker;
  EventHub::Limits events;
  RowFeed::Limits rows;
  OpenStreams::Limits streams;
  RateLimit::Limits rate;
  SignInOptions sign_in;
  std::shared_ptr<const StaticFiles> console = std::make_shared<StaticFiles>();  // not null
  RouteTable routes = RouteTable::make();
  // Each call is a span of a trace: the one that it came with, or one that is named after its id.
  bool makes_spans = false;
  // Told of each call when its reply is ready, on any thread; quick. Empty: nobody is.
  std::function<void(const Call& call, unsigned status)> on_answer = {};
  int quick_threads = 2;
  Turns::Limits turns{};  // of the threads for what may take long
};

class Api {
 public:
  // `context` must outlive it. start() before the first handle().
  Api(ApiContext& context, ApiOptions options);
  ~Api();

  void start();
  // Ends the streams into kernels with a word to each client; takes no more. Before the sockets close.
  void end_streams(std::chrono::milliseconds patience) { streams_.stop(patience); }
  // Ends streams and drops waiters; requests under way are not answered any more. Called by the destructor
  // too.
  void stop();

  static constexpr std::size_t kOpenBodyBytesMax = 4u << 10;  // of a request that nobody signed

  struct Admission {
    CallPtr call;
    std::optional<HttpReply> refusal;  // then the body is not to be read
  };                                   // of a call with an entry the app is asked, with the body as it comes
  // What the header alone decides: the route, who asks, whether the caller may. The length of a body in
  // chunks is left to the reader. Thread-safe.
  Admission admit(HttpRequest header);
  // Goes on with an admitted call. Thread-safe; `reply` is called once unless stop() comes first. Never
  // blocks for long.
  void handle(const CallPtr& call, std::string body, Reply reply);
  // The same of a call whose route streams its body.
  void handle(const CallPtr& call, std::shared_ptr<BodyStream> body, Reply reply);
  // Both, for a request that is whole.
  void handle(HttpRequest request, Reply reply);

  // Whether the request's route reads the body as it comes.
  bool streams_body(const HttpRequest& header) const;

  // For an answer to what is no request that admit() could take.
  std::string new_request_id() const { return to_string(context_.new_id()); }
  // What every reply has, such an answer too.
  void stamp(HttpReply& reply, const std::string& request_id) const;
  Metrics& metrics() { return metrics_; }
  const RouteTable& route_table() const { return options_.routes; }
  const Services& services() const { return services_; }

 private:
  struct Signatory {
    Caller caller;
    v1::KeyPairDefined key;
    bool disabled = false;  // the user is
    std::string secret;     // of the key pair, opened
  };
  std::optional<Problem> authenticate(Call& call);
  std::optional<Problem> authenticate_by_token(Call& call, std::string_view token);
  std::optional<Error> authenticate_by_key(Call& call);
  // Codes: unknown-key, and those of KeyPairSeal::open.
  Result<Signatory> signatory_of(const std::string& access_key) const;
  RouteTable::Match find_route(const Call& call) const;
  std::optional<Problem> check_access(Call& call);
  std::optional<Problem> check(Call& call);
  std::optional<Problem> take_request_id(Call& call) const;
  void begin_trace(Call& call);
  void dispatch(const CallPtr& call, const Reply& reply);
  // Adds what every reply has, and counts it.
  void finish(const Call& call, HttpReply& reply);
  Reply finished(const CallPtr& call, Reply reply);

  ApiContext& context_;
  const ApiOptions options_;
  Metrics metrics_;
  RateLimit rate_;
  Workers quick_;
  Turns turns_;
  SignIn sign_in_;
  const std::shared_ptr<AnswerBoard> board_;
  EventHub hub_;
  RowFeed rows_;
  OpenStreams streams_;
  AppGate apps_;
  Operations operations_;
  Asker asker_;
  DiffCache diffs_;
  PastViews past_views_;
  const std::shared_ptr<AuditJobs> audits_;
  const Services services_;
  bool running_ = false;
};

}  // namespace berth::controller::api
