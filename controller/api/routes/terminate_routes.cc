// POST /v1/sessions/terminate: many sessions ended by one request, and an answer for each.
#include <algorithm>
#include <unordered_set>

#include "controller/api/map/json_reader.h"
#include "controller/api/map/session_json.h"
#include "controller/api/routes/asker.h"
#include "controller/api/routes/call.h"
#include "events/base/hash.h"
#include "events/base/plain_text.h"
#include "projections/rights.h"
#include "projections/session_access.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::SessionRow;

constexpr std::size_t kIdsMax = 10'000;
constexpr std::size_t kChunk = 500;  // ids of one request in the journal
constexpr std::size_t kReasonMax = 200;

struct TerminateBody {
  std::vector<SessionId> ids;
  std::optional<SessionFilter> filter;
  std::size_t expected = 0;
  bool forced = false;
  std::string reason;
};

// One call under way: its chunks are asked for one after the other.
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
  out.filter->only_live = true;
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
  return out;
}

bool may_end(const projections::Actor& actor, const SessionRow& session) {
  return may(actor, projections::Noun::kSession, projections::Verb::kEnd, session.owner->owner);
}

// The live sessions of the filter that the caller may end, in order of arrival.
std::vector<SessionId> select(const projections::State& state, const Caller& caller,
                              const SessionFilter& filter) {
  const projections::Actor actor = actor_of(state, caller);
  std::vector<const SessionRow*> found;
  state.sessions.for_each_unordered([&](const SessionRow& session) {
    if (filter.matches(session) && may_end(actor, session)) found.push_back(&session);
  });
  std::sort(found.begin(), found.end(),
            [](const SessionRow* a, const SessionRow* b) { return a->created < b->created; });
  std::vector<SessionId> ids;
  ids.reserve(found.size());
  for (const SessionRow* session : found) ids.push_back(session->id);
  return ids;
}

// The request's id of each chunk follows from the call's, so that a repeated call repeats its chunks.
Uuid id_of_chunk(const Call& call, std::size_t first) {
  if (first == 0) return call.id;
  return Uuid::from_hash(
      blake2b_128("terminate:" + std::string(call.id.view()) + ":" + std::to_string(first / kChunk)));
}

// A call by filter that was answered before: the sessions that it ended, chunk by chunk.
std::vector<SessionId> ended_before(const projections::State& state, const Call& call) {
  std::vector<SessionId> ids;
  for (std::size_t first = 0;; first += kChunk) {
    const auto* row =
        state.requests.find(projections::RequestRow::make_key(call.caller.actor(), id_of_chunk(call, first)));
    if (row == nullptr) return ids;
    ids.insert(ids.end(), row->sessions.begin(), row->sessions.end());
  }
}

// Fills `ids` from the filter.
std::optional<Problem> apply_filter(const StateView& view, const Call& call, TerminateBody& body) {
  if (!body.filter) return std::nullopt;
  body.ids = ended_before(view.state, call);
  if (!body.ids.empty()) return std::nullopt;
  body.ids = select(view.state, call.caller, *body.filter);
  const std::size_t count = body.ids.size();
  if (count > kIdsMax)
    return make_problem("too-many-sessions",
                        "the filter has " + std::to_string(count) + " sessions, at most 10000 end at once",
                        "narrow it");
  if (count == body.expected) return std::nullopt;
  return make_problem(
      "count-changed",
      "the filter has " + std::to_string(count) + " live sessions now, not " + std::to_string(body.expected),
      "look again, and send the count that you mean");
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

v1::Request request_of_chunk(const Terminating& job) {
  v1::Request request = request_of(job.services, *job.call);
  request.set_id(std::string(id_of_chunk(*job.call, job.asked).view()));
  v1::TerminateSessions& terminate = *request.mutable_terminate_sessions();
  const std::size_t end = std::min(job.asked + kChunk, job.body.ids.size());
  for (std::size_t i = job.asked; i < end; ++i)
    terminate.add_session_ids(std::string(job.body.ids[i].view()));
  terminate.set_forced(job.body.forced);
  terminate.set_reason(job.body.reason);
  return request;
}

void ask_next(const std::shared_ptr<Terminating>& job) {
  if (job->asked >= job->body.ids.size())
    return job->services.blocking.post([job] { job->reply(results_of(*job)); });  // may read history
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

void terminate(const Services& services, const CallPtr& call, const Reply& reply) {
  auto job = std::make_shared<Terminating>(Terminating{services, call, reply, {}});
  if (!read_body(call, reply, [&](ObjectReader& in) { job->body = read_terminate(in); })) return;
  std::optional<Problem> refused;
  services.context.with_state([&](const StateView& view) {
    job->position = view.position;
    refused = apply_filter(view, *call, job->body);
  });
  if (refused) return reply(problem_reply(*refused, *call));
  ask_next(job);
}

}  // namespace

std::vector<Route> terminate_routes() {
  const Route::Need ends{projections::Noun::kSession, projections::Verb::kEnd};
  const Route::Traits asks_terminate_sessions{.producers = v1::Request::kTerminateSessions};
  return {{"POST", "/v1/sessions/terminate", "terminateSessions", terminate, ends, asks_terminate_sessions}};
}

}  // namespace berth::controller::api
