// GET /v1/events/export: events as a file, CSV or JSON lines.
#include <algorithm>

#include "controller/api/live/event_export.h"
#include "controller/api/past/diff_subjects.h"
#include "controller/api/past/moment.h"
#include "controller/api/routes/call.h"
#include "events/codec/describe.h"

namespace berth::controller::api {
namespace {

using projections::Noun;
using projections::PastMoment;
using projections::Verb;

struct ExportAsked {
  std::optional<PastMoment> from, to;
  ExportWanted wanted;
};

std::optional<PastMoment> export_moment(Query& query, const char* name) {
  const auto text = query.text(name);
  if (!text) return std::nullopt;
  const auto moment = parse_moment(*text);
  if (!moment.ok()) query.fail(moment.error().code, name, moment.error().message, moment.error().hint);
  return moment.ok() ? std::optional(*moment) : std::nullopt;
}

bool is_swapped(const ExportAsked& asked) {
  if (!asked.from || !asked.to || asked.from->position.has_value() != asked.to->position.has_value())
    return false;
  return asked.from->position ? *asked.from->position > *asked.to->position
                              : asked.from->time > asked.to->time;
}

void read_selection(Query& query, EventFilter& filter) {
  for (const std::string& type : query.list("type")) {
    if (!is_event_name(type))
      query.fail("invalid-parameter", "type", "'" + clipped(type) + "' is no type of an event",
                 "like SessionScheduled");
    filter.types.insert(type);
  }
  const auto nouns = event_nouns();
  for (const std::string& noun : query.list("noun")) {
    if (std::ranges::find(nouns, noun) == nouns.end())
      query.fail("invalid-parameter", "noun", "'" + clipped(noun) + "' is no noun of events",
                 "session, agent, folder, user, key, ...; cluster is what is about none of them");
    filter.nouns.insert(noun);
  }
  for (const std::string& actor : query.list("actor")) {
    const bool whole = actor == "controller" || actor.find(':') != std::string::npos;
    filter.actors.insert(whole ? actor : "user:" + actor);
  }
}

ExportAsked read_export(const Services& services, const Call& call, Errors& errors) {
  Query query(call.target, errors);
  ExportAsked asked;
  asked.from = export_moment(query, "from");
  asked.to = export_moment(query, "to");
  ExportWanted& wanted = asked.wanted;
  if (const auto after = query.text("after")) {
    wanted.after = parse_event_id(*after);
    if (!wanted.after)
      query.fail("invalid-parameter", "after", "'" + clipped(*after) + "' is no event id",
                 "OFFSET-INDEX, as the events carry it");
  }
  const auto format = query.text("format").value_or("jsonl");
  if (format != "csv" && format != "jsonl")
    query.fail("invalid-parameter", "format", "is neither csv nor jsonl");
  wanted.csv = format == "csv";
  if (const auto limit = query.integer("limit", 1, INT64_MAX))
    wanted.limit = static_cast<std::uint64_t>(*limit);
  read_selection(query, wanted.filter);
  query.finish();
  if (errors.empty() && is_swapped(asked))
    errors.add("swapped-ends", "?from", "from= is after to=", "swap them");
  wanted.filter.reader = call.caller;
  services.context.with_state([&](const StateView& view) {
    wanted.filter.seen_by = actor_of(view.state, call.caller);
    wanted.filter.rights_at = view.position;
    wanted.filter.until = signed_in_until(view.state, call.caller);
    wanted.end = view.any ? view.position + 1 : 0;
  });
  return asked;
}

// The records of the window; what is still to come is not waited for.
Result<void> find_window(ApiContext& context, ExportAsked& asked) {
  const Offset all = asked.wanted.end;
  if (asked.to && asked.to->position) {
    asked.wanted.end = *asked.to->position < all ? *asked.to->position + 1 : all;
  } else if (asked.to) {
    const auto end = first_not_before(context, asked.to->time + 1, all);
    if (!end.ok()) return end.error();
    asked.wanted.end = *end;
  }
  if (asked.from && asked.from->position) {
    asked.wanted.from = *asked.from->position;
  } else if (asked.from) {
    const auto from = first_not_before(context, asked.from->time, all);
    if (!from.ok()) return from.error();
    asked.wanted.from = *from;
  }
  return {};
}

void export_window(const Services& services, const CallPtr& call, const Reply& reply, ExportAsked asked) {
  if (const auto found = find_window(services.context, asked); !found.ok())
    return reply(problem_reply(to_problem(found.error()), *call));
  const bool csv = asked.wanted.csv;
  auto stream = export_events(services.hub, services.context, services.turns, std::move(asked.wanted));
  if (!stream.ok()) return reply(problem_reply(to_problem(stream.error()), *call));
  HttpReply out;
  out.content_type = csv ? "text/csv; charset=utf-8" : "application/x-ndjson";
  out.set("Cache-Control", "no-store");
  out.set("Content-Disposition",
          std::string("attachment; filename=\"berth-events.") + (csv ? "csv\"" : "jsonl\""));
  out.stream = std::move(*stream);
  reply(std::move(out));
}

void export_route(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  auto asked = read_export(services, *call, errors);
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  take_turn(services, call, reply, Turns::Work::kScan, [services, call, reply, asked = std::move(asked)] {
    export_window(services, call, reply, asked);
  });
}

}  // namespace

std::vector<Route> event_export_routes() {
  return {{"GET", "/v1/events/export", "exportEvents", export_route, {Noun::kEvent, Verb::kSee}}};
}

}  // namespace berth::controller::api
