#include <algorithm>

#include "controller/api/login/by_producer.h"
#include "controller/api/routes/call.h"
#include "controller/api/routes/past_session.h"
#include "events/codec/describe.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::Noun;
using projections::Verb;

bool wants_stream(const Call& call) {
  return call.request.accept.find("text/event-stream") != std::string::npos;
}

std::optional<EventId> read_event_id(Query& query, const char* name, const std::string& text) {
  const auto id = parse_event_id(text);
  if (!id)
    query.fail("invalid-parameter", name, "'" + clipped(text) + "' is no event id",
               "OFFSET-INDEX, as the events carry it");
  return id;
}

// A session that is not in the state, as it was asked for, and the error if history has none either.
struct PastName {
  std::string name;
  Error not_found;
};

struct Wanted {
  WatchFrom from;
  EventFilter filter;
  bool from_now = false;
  std::optional<PastName> in_history;
  std::size_t limit = 100;
};

std::optional<Error> read_filter(const Services& services, const Call& call, Query& query, Wanted& wanted) {
  EventFilter& filter = wanted.filter;
  for (const std::string& type : query.list("type")) {
    if (!is_event_name(type))
      query.fail("invalid-parameter", "type", "'" + clipped(type) + "' is no type of an event",
                 "like SessionScheduled");
    filter.types.insert(type);
  }
  filter.reader = call.caller;
  services.context.with_state([&](const StateView& view) {
    filter.seen_by = actor_of(view.state, call.caller);
    filter.rights_at = view.position;
    filter.until = signed_in_until(view.state, call.caller);
  });
  const auto name = query.text("session");
  if (!name) return std::nullopt;
  if (const auto id = Uuid::parse(*name)) {  // by id also what left the state long ago
    filter.session = SessionId(*id);
  }
  std::optional<Error> not_found;
  services.context.with_state([&](const StateView& view) {
    const auto session = find_session(view.state, call.caller, *name);
    if (!session.ok()) {
      not_found = session.error();
      return;
    }
    filter.session = (*session)->id;
    filter.session_owner = (*session)->owner->owner;
    filter.add_kernels(**session);
  });
  if (!not_found || !is_unknown_session(*not_found)) return not_found;
  wanted.in_history = PastName{*name, *not_found};
  return std::nullopt;
}

void read_place(const Services& services, const Call& call, Query& query, Wanted& wanted) {
  const auto from = query.integer("from", 0, INT64_MAX), to = query.integer("to", 0, INT64_MAX);
  const auto after = query.text("after");
  const auto token = query.text("page_token");
  if (from) wanted.from.offset = static_cast<Offset>(*from);
  if (to) wanted.from.to = static_cast<Offset>(*to);
  if (after) wanted.from.after = read_event_id(query, "after", *after);
  if (token) wanted.from.after = read_event_id(query, "page_token", *token);
  if (const std::string& last = call.request.last_event_id; !last.empty()) {
    const auto id = read_event_id(query, "Last-Event-ID", last);
    if (wants_stream(call)) wanted.from.after = id;
  }
  wanted.from_now = wants_stream(call) && !from && !wanted.from.after;
  if (!wanted.from_now) return;
  services.context.with_state(
      [&](const StateView& view) { wanted.from.offset = view.any ? view.position + 1 : 0; });
}

void send_page(const Services& services, const CallPtr& call, const Reply& reply, const Wanted& wanted) {
  take_turn(services, call, reply, Turns::Work::kScan, [=] {
    const auto page = services.hub.page(wanted.from, wanted.filter, wanted.limit);
    if (!page.ok()) return reply(problem_reply(to_problem(page.error()), *call));
    json::array events;
    for (const auto& event : page->events) events.push_back(*event);
    HttpReply out;
    services.context.with_state([&](const StateView& view) {
      out = json_reply(view, json::object{{"events", std::move(events)},
                                          {"next_page_token", page->next ? json::value(to_string(*page->next))
                                                                         : json::value(nullptr)},
                                          {"position", position_or_null(view)}});
    });
    reply(std::move(out));
  });
}

void send(const Services& services, const CallPtr& call, const Reply& reply, const Wanted& wanted) {
  if (!wants_stream(*call)) return send_page(services, call, reply, wanted);
  HttpReply out;
  out.content_type = "text/event-stream";
  out.set("Cache-Control", "no-store");
  out.stream = services.hub.watch(wanted.from, wanted.filter);
  reply(std::move(out));
}

// The name of a session may have to be looked up in history; by id also what left it long ago. Later events
// name its kernels alone, and one may begin to read behind those that tell whose they are.
void send_from_history(const Services& services, const CallPtr& call, const Reply& reply, Wanted wanted) {
  const PastName& past_name = *wanted.in_history;
  const auto past = find_past(services, call->caller, past_name.name, past_name.not_found);
  const bool all = wanted.filter.seen_by &&
                   reach(*wanted.filter.seen_by, Noun::kEvent, Verb::kSee) == projections::Reach::kAll;
  if (!past.ok() && (!wanted.filter.session || !all))
    return reply(problem_reply(to_problem(past.error()), *call));
  if (past.ok()) {
    wanted.filter.session = past->session.id;
    wanted.filter.session_owner = past->session.owner->owner;
    wanted.filter.add_kernels(past->session);
    std::vector<KernelId> kernels;
    for (const auto& kernel : past->kernels) kernels.push_back(kernel.id);
    wanted.filter.add_kernels(kernels);
  }
  send(services, call, reply, wanted);
}

void events(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  Wanted wanted;
  read_place(services, *call, query, wanted);
  wanted.limit = static_cast<std::size_t>(query.integer("limit", 1, 1000).value_or(100));
  const auto not_found = read_filter(services, *call, query, wanted);
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  if (not_found) return reply(problem_reply(to_problem(*not_found), *call));
  if (!wanted.in_history) return send(services, call, reply, wanted);
  take_turn(services, call, reply, Turns::Work::kShort,
            [=] { send_from_history(services, call, reply, wanted); });
}

// What became of a producer's requests: all of it is the producer's to see, whosever the sessions are.
void answers(const Services& services, const CallPtr& call, const Reply& reply) {
  const std::string& producer = call->path[0];
  if (!may_see_producer(services, *call, producer))
    return reply(problem_reply(make_problem("denied", "these answers are not yours to see"), *call));
  Errors errors;
  Query query(call->target, errors);
  Wanted wanted;
  read_place(services, *call, query, wanted);
  wanted.limit = static_cast<std::size_t>(query.integer("limit", 1, 1000).value_or(100));
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  bool known = false;
  wanted.filter.asked_by = "producer:" + producer;
  wanted.filter.reader = call->caller;
  services.context.with_state([&](const StateView& view) {
    known = view.state.producers.find(producer) != nullptr ||
            view.state.is_retired(v1::DEFINITION_KIND_PRODUCER, producer);
    wanted.filter.rights_at = view.position;
    wanted.filter.until = signed_in_until(view.state, call->caller);
    if (call->caller.producer.empty()) wanted.filter.seen_by = actor_of(view.state, call->caller);
  });
  if (!known)
    return reply(
        problem_reply(make_problem("unknown-producer", "no producer is named '" + clipped(producer) + "'",
                                   "berth producer ls lists them"),
                      *call));
  send(services, call, reply, wanted);
}

}  // namespace

std::vector<Route> event_routes() {
  const Route::Need see{Noun::kEvent, Verb::kSee};
  return {{"GET", "/v1/events", "listEvents", events, see, {.producers = Route::kRead}},
          {"GET",
           "/v1/producers/{producer}/answers",
           "watchProducerAnswers",
           answers,
           Route::kAnybody,
           {.producers = Route::kThemselves}}};
}

}  // namespace berth::controller::api
