// Call: one request on its way through the API; and the services that its handler gets.
#pragma once

#include <atomic>
#include <boost/json.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "controller/api/api_context.h"
#include "controller/api/auth/cookie.h"
#include "controller/api/http/http.h"
#include "controller/api/http/turns.h"
#include "controller/api/http/workers.h"
#include "controller/api/live/answer_board.h"
#include "controller/api/live/event_hub.h"
#include "controller/api/live/row_feed.h"
#include "controller/api/map/problem.h"
#include "controller/api/map/query.h"
#include "controller/api/map/session_lookup.h"
#include "controller/api/map/slot_amounts.h"
#include "events/base/trace_context.h"

namespace berth::controller::api {

struct AppEntry;
struct AppGate;
struct Route;
class Asker;
class AuditJobs;
class ObjectReader;
class Operations;
class OpenStreams;
class Metrics;
struct SignIn;
class StaticFiles;
class DiffCache;
class PastViews;
struct PastCall;

struct Call {
  HttpRequest request;
  Target target;                  // without the API's own parameters (min_position, wait)
  std::vector<std::string> path;  // the segments for the {} of the route's pattern
  Caller caller;
  std::string signature;                // of the request, checked; empty on an open route
  std::optional<BrowserCookie> cookie;  // checked; by which the caller signed in
  Timestamp began = 0;                  // boottime
  Uuid id;                              // X-Request-Id; of a write, also its id in the journal
  std::optional<TraceContext> trace;    // that it came with, or that this server made
  std::string span;                     // its id of 8 bytes; empty: this server makes no spans
  Timestamp asked = 0, answered = 0;    // boottime: of the journal; 0: it was not asked
  const Route* route = nullptr;
  std::shared_ptr<AppEntry> entry;                // the app answers, not the API
  std::shared_ptr<BodyStream> body;               // of a route that reads it as it comes; else null
  std::optional<projections::PastMoment> moment;  // at=
  std::shared_ptr<PastCall> past;                 // the state of then, when it is there
  std::atomic<bool> gone = false;                 // the client closed its connection: nobody reads the answer

  // By a key pair, or by a browser's cookie.
  bool is_signed_in() const { return !signature.empty() || cookie.has_value(); }
};
using CallPtr = std::shared_ptr<Call>;

// What is below the call in its trace. REQUIRES: call.trace.
TraceContext context_within(const Call& call);

struct Services {
  ApiContext& context;
  AnswerBoard& board;
  EventHub& hub;
  RowFeed& rows;
  OpenStreams& streams;
  AppGate& apps;
  Asker& asker;
  Metrics& metrics;
  SignIn& sign_in;
  const StaticFiles& console;
  Workers& quick;
  Turns& turns;
  DiffCache& diffs;
  PastViews& past_views;
  Operations& operations;
  AuditJobs& audits;
  // The same, of another state.
  Services with(ApiContext& other) const {
    return {other,   board,   hub,   rows,  streams, apps,       asker,      metrics,
            sign_in, console, quick, turns, diffs,   past_views, operations, audits};
  }
};

// Runs the task on one of the turns' threads when it is the caller's turn, if the client is still there.
// Where too many of the caller's tasks wait, the reply is too-many-requests.
void take_turn(const Services& services, const CallPtr& call, const Reply& reply, Turns::Work work,
               Turns::Task task);

using Handler = void (*)(const Services& services, const CallPtr& call, const Reply& reply);

// A route of the table. `pattern` has {name} for one segment.
struct Route {
  enum Access : std::uint8_t {
    kOpen,
    kLogin,  // open to who has a password or a link; a browser only on a page of this server
    kPage,   // of the console: open to browsers that know this server by one of its names
    kAnybody
  };
  struct Need {
    projections::Noun noun;
    projections::Verb verb;
  };
  // Who may ask: everybody who signed in, those with a reach in a right (the handler asks how far), or also
  // strangers.
  struct Askers {
    Askers(Access open) : access(open) {}  // NOLINT(google-explicit-constructor)
    Askers(Need right) : need(right) {}    // NOLINT(google-explicit-constructor)
    Askers(projections::Noun noun, projections::Verb verb) : need(Need{noun, verb}) {}
    Access access = kAnybody;
    std::optional<Need> need;
  };
  // Whether the route takes at=; openapi.json marks such a route with x-berth-past.
  enum Past : std::uint8_t { kNoPast, kPast, kOfSuperadmins };
  enum ProducerUse : std::uint8_t {
    kNothing,
    kThemselves,  // about the producer itself, whoever its owners are
    kRead,        // what is its owner's own, whatever role that owner has
    kAsk          // a request that its scope must name
  };
  // What producers may use the route for.
  struct Producers {
    Producers(ProducerUse what) : use(what) {}  // NOLINT(google-explicit-constructor)
    // NOLINTNEXTLINE(google-explicit-constructor)
    Producers(v1::Request::BodyCase asked) : use(kAsk), request(asked) {}
    ProducerUse use = kNothing;
    v1::Request::BodyCase request = v1::Request::BODY_NOT_SET;
  };
  // What few routes have.
  struct Traits {
    Past past = kNoPast;
    Producers producers = kNothing;
    bool streams_body = false;  // the handler is given Call::body, of up to BodyStream::kBytesMax
    bool host = false;          // the host's key pair asks here, and nowhere else
    bool ends_own_key = false;  // a key pair that only reads may end itself: the path names a key pair
    bool scraped = false;       // by Prometheus, which cannot sign: the server's metrics token reads it
  };
  const char* method;
  const char* pattern;
  const char* operation;  // operationId in openapi.json
  Handler handler;
  Askers askers;
  Traits traits = {};

  bool writes() const { return std::string_view(method) != "GET"; }
};

HttpReply json_reply(unsigned status, const boost::json::value& body);
// With the position of the state from which `body` was read.
HttpReply json_reply(const StateView& view, const boost::json::value& body);
// Of a body that is JSON text already.
HttpReply json_text_reply(unsigned status, std::string body);
HttpReply json_text_reply(const StateView& view, std::string body);
HttpReply problem_reply(const Problem& problem, const std::string& request_id);
HttpReply problem_reply(const Problem& problem, const Call& call);

// Berth-Time: by which clock the cluster counts (P16). On every reply, once a header time is known.
void tell_time(ApiContext& context, HttpReply& reply);

boost::json::value position_or_null(const StateView& view);

// The caller's rights as of now.
projections::Actor actor_of(const Services& services, const Call& call);

// The slot types as of now, so that a body can be read without the state's lock.
SlotKinds slot_kinds(const Services& services);

// The body as an object. A body needs `Content-Type: application/json`.
Result<boost::json::object> body_of(const Call& call);

// Reads the body of a call that takes no parameters with `read`, and says that nothing else may stand there.
// False: the call was replied to with all that is wrong.
bool read_body(const CallPtr& call, const Reply& reply, const std::function<void(ObjectReader&)>& read);

// The parts of the table, one per noun.
std::vector<Route> session_routes();
std::vector<Route> inside_routes();
std::vector<Route> app_routes();
std::vector<Route> app_control_routes();
std::vector<Route> agent_routes();
std::vector<Route> operator_routes();
std::vector<Route> definition_routes();
std::vector<Route> fair_share_routes();
std::vector<Route> limit_routes();
std::vector<Route> preset_routes();
std::vector<Route> removal_routes();
std::vector<Route> event_routes();
std::vector<Route> event_export_routes();
std::vector<Route> watch_routes();
std::vector<Route> terminate_routes();
std::vector<Route> cluster_routes();
std::vector<Route> journal_routes();
std::vector<Route> audit_routes();
std::vector<Route> scenario_routes();
std::vector<Route> login_routes();
std::vector<Route> password_routes();
std::vector<Route> browser_session_routes();
std::vector<Route> console_routes();
std::vector<Route> user_routes();
std::vector<Route> project_routes();
std::vector<Route> domain_routes();
std::vector<Route> key_routes();
std::vector<Route> producer_routes();
std::vector<Route> volume_routes();
std::vector<Route> folder_routes();
std::vector<Route> file_routes();
std::vector<Route> upload_routes();
std::vector<Route> past_routes();
std::vector<Route> decision_routes();
std::vector<Route> usage_routes();

}  // namespace berth::controller::api
