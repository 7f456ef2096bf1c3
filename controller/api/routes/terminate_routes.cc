// POST /v1/sessions/terminate: many sessions ended by one request, and an answer for each.
#include <algorithm>
#include <unordered_set>

#include "controller/api/map/json_reader.h"
#include "controller/api/map/session_json.h"
#include "controller/api/routes/asker.h"
#include "controller/api/routes/call.h"
#include "events/base/hash.h"
#include "events/base/plain_text.h"
#include "projections/session_access.h"
#include "projections/tables/session_bounds.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::SessionRow;

constexpr std::size_t kIdsMax = projections::kSelectedMax;
constexpr std::size_t kChunk = projections::kEndsPerRequestMax;  // sessions of one request in the journal
constexpr std::size_t kReasonMax = 200;

struct TerminateBody {
  std::vector<SessionId> ids;
  std::optional<SessionFilter> filter;
  std::size_t expected = 0;
  bool forced = false;
  std::string reason;
};

// One call under way: its requests are asked for one after the other. With a filter the first one selects the
// sessions, and the others name it; else each has a chunk of the ids.
struct Terminating {
  Services services;
  CallPtr call;
  Reply reply;
  TerminateBody body;
  std::size_t asked = 0;  // ids
  std::unordered_set<std::string> ended = {};
  Offset position = 0;
  bool replayed = false;
};

void read_ids(ObjectReader& in, TerminateBody& out) {
  const json::array* ids = in.array("ids", kIdsMax);
  if (ids == nullptr) return;
  std::unordered_set<std::string> seen;
  for (const std::string& text : texts_of(*ids, in.place_of("ids"), 64, in.errors())) {
    const auto id = Uuid::parse(text);
    if (!id)
      in.fail("invalid-value", "ids", "'" + clipped(text) + "' is no session id", "ids are UUIDs");
    else if (seen.insert(std::string(id->view())).second)
      out.ids.emplace_back(*id);
  }
}

void read_filter(ObjectReader& in, TerminateBody& out) {
  const json::object* filter = in.object("filter");
  if (filter == nullptr) return;
  ObjectReader fields(*filter, "filter", in.errors());
  Target target;
  for (const char* name : {"state", "group", "user", "project", "name"})
    if (const auto value = fields.text(name, 1024)) target.parameters.emplace_back(name, *value);
  fields.finish();
  Query query(target, in.errors());
  out.filter = read_session_filter(query);
  out.filter->user = query.name("user");
}

TerminateBody read_terminate(ObjectReader& in) {
  TerminateBody out;
  read_ids(in, out);
  read_filter(in, out);
  const auto expected = in.integer("expected", 0, INT32_MAX);
  out.expected = static_cast<std::size_t>(expected.value_or(0));
  out.forced = in.boolean("forced").value_or(false);
  out.reason = in.text("reason", kReasonMax).value_or("");
  if (has_control_character(out.reason))
    in.fail("invalid-value", "reason", "has a control character", "plain text alone");
  const bool has_ids = in.raw("ids") != nullptr;
  if (has_ids == out.filter.has_value())
    in.fail("invalid-value", "ids", "name sessions by ids or by a filter, one of the two");
  if (out.filter) in.require("expected", expected.has_value());
  if (has_ids && expected)
    in.fail("invalid-value", "expected", "counts what a filter selects, and ids are counted by themselves",
            "leave expected away");
  return out;
}

// The request's id follows from the call's, so that a repeated call repeats its requests.
Uuid id_of_request(const Call& call, std::size_t number) {
  if (number == 0) return call.id;
  return Uuid::from_hash(
      blake2b_128("terminate:" + std::string(call.id.view()) + ":" + std::to_string(number)));
}

bool has_ended_in_history(const Terminating& job, const projections::Actor& actor, const SessionId& id) {
  const auto past = job.services.context.find_history(id);
  return past.ok() && past->has_value() && may_see_session(actor, (*past)->session.owner->owner, nullptr);
}

HttpReply results_of(const Terminating& job) {
  json::array results;
  std::vector<std::pair<std::size_t, SessionId>> not_in_state;
  projections::Actor actor;
  job.services.context.with_state([&](const StateView& view) {
    actor = actor_of(view.state, job.call->caller);
    for (const SessionId& id : job.body.ids) {
      const SessionRow* session = view.state.sessions.find(id);
      const char* outcome = "unknown";
      if (job.ended.contains(std::string(id.view())))
        outcome = "ending";
      else if (session == nullptr)
        not_in_state.emplace_back(results.size(), id);
      else if (may_see_session(view.state, actor, *session))
        outcome = projections::is_end(session->status) ? "ended-already"
                  : session->terminating               ? "ending"
                                                       : "unknown";
      results.push_back(json::object{{"id", to_string(id)}, {"outcome", outcome}});
    }
  });
  for (const auto& [at, id] : not_in_state)
    if (has_ended_in_history(job, actor, id)) results[at].as_object()["outcome"] = "ended-already";
  HttpReply out = json_reply(200, json::object{{"results", std::move(results)}, {"position", job.position}});
  if (job.replayed) out.set("Idempotency-Replayed", "true");
  return out;
}

// Nothing of the chunk could be ended: what each of its sessions is, the results say.
bool is_about_the_sessions(const Problem& problem) {
  return problem.code == kUnknownSession || problem.code == "session-ended" ||
         problem.code == "session-terminating" || problem.code == "nothing-to-end";
}

v1::Request bare_request(const Terminating& job, std::size_t number) {
  v1::Request request = request_of(job.services, *job.call);
  request.set_id(std::string(id_of_request(*job.call, number).view()));
  request.mutable_terminate_sessions()->set_forced(job.body.forced);
  request.set_reason(job.body.reason);
  return request;
}

v1::Request request_of_chunk(const Terminating& job) {
  const std::size_t number = job.asked / kChunk;
  if (job.body.filter) {
    v1::Request request = bare_request(job, number + 1);
    request.mutable_terminate_sessions()->set_begun_by(std::string(job.call->id.view()));
    request.mutable_terminate_sessions()->set_from(static_cast<std::uint32_t>(job.asked));
    return request;
  }
  v1::Request request = bare_request(job, number);
  const std::size_t end = std::min(job.asked + kChunk, job.body.ids.size());
  for (std::size_t i = job.asked; i < end; ++i)
    request.mutable_terminate_sessions()->add_session_ids(std::string(job.body.ids[i].view()));
  return request;
}

void ask_next(const std::shared_ptr<Terminating>& job) {
  if (job->asked >= job->body.ids.size())
    return job->services.turns.go_on(job->call->caller.actor(), Turns::Work::kShort,
                                     [job] { job->reply(results_of(*job)); });  // may read history
  v1::Request request = request_of_chunk(*job);
  job->services.asker.ask(std::move(request), [job](const RequestAnswer& answer) {
    if (answer.problem && !is_about_the_sessions(*answer.problem))
      return job->reply(problem_reply(*answer.problem, *job->call));
    for (const SessionId& id : answer.row.sessions) job->ended.insert(std::string(id.view()));
    job->position = std::max(job->position, answer.position);
    job->replayed = job->replayed || answer.replayed;
    job->asked += kChunk;
    ask_next(job);
  });
}

// The answer says which sessions they are: those of the first answer where the call is a repeat.
void ask_selection(const std::shared_ptr<Terminating>& job) {
  v1::Request request = bare_request(*job, 0);
  *request.mutable_terminate_sessions()->mutable_filter() = projections::to_proto(*job->body.filter);
  request.mutable_terminate_sessions()->set_expected(static_cast<std::uint32_t>(job->body.expected));
  job->services.asker.ask(std::move(request), [job](const RequestAnswer& answer) {
    if (answer.problem) return job->reply(problem_reply(*answer.problem, *job->call));
    job->body.ids = answer.row.selected;
    job->position = std::max(job->position, answer.position);
    job->replayed = answer.replayed;
    ask_next(job);
  });
}

void terminate(const Services& services, const CallPtr& call, const Reply& reply) {
  auto job = std::make_shared<Terminating>(Terminating{services, call, reply, {}});
  if (!read_body(call, reply, [&](ObjectReader& in) { job->body = read_terminate(in); })) return;
  services.context.with_state([&](const StateView& view) { job->position = view.position; });
  if (job->body.filter) return ask_selection(job);
  ask_next(job);
}

}  // namespace

std::vector<Route> terminate_routes() {
  const Route::Need ends{projections::Noun::kSession, projections::Verb::kEnd};
  const Route::Traits asks_terminate_sessions{.producers = v1::Request::kTerminateSessions};
  return {{"POST", "/v1/sessions/terminate", "terminateSessions", terminate, ends, asks_terminate_sessions}};
}

}  // namespace berth::controller::api
