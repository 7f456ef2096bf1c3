// GET /v1/past: which moments can be asked for. GET /v1/diff: what changed between two.
#include <algorithm>
#include <charconv>

#include "controller/api/map/event_json.h"
#include "controller/api/map/json_values.h"
#include "controller/api/map/session_json.h"
#include "controller/api/map/time_text.h"
#include "controller/api/past/diff.h"
#include "controller/api/past/diff_nouns.h"
#include "controller/api/past/moment.h"
#include "controller/api/past/past_call.h"
#include "projections/session_access.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::PastPtr;

void answer_bounds(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query(call->target, errors).finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  take_turn(services, call, reply, Turns::Work::kShort, [services, call, reply] {
    const auto bounds = services.context.past_bounds();
    if (!bounds.ok()) return reply(problem_reply(to_problem(bounds.error()), *call));
    Timestamp pruned = 0;
    services.context.with_state([&](const StateView& view) { pruned = view.state.kept().pruned_before; });
    reply(json_reply(200, json::object{{"first", point_to_json(bounds->first)},
                                       {"last", point_to_json(bounds->last)},
                                       {"pruned_before", time_or_null(pruned)}}));
  });
}

struct DiffWanted {
  projections::PastMoment from, to;
  std::string noun;  // empty: all
  std::size_t limit = 100;
  std::size_t page = 0;  // the first change to look at
};

// "12.57.100": the change number 100 between two positions. A page names them, since without to= a later page
// would be of another difference.
std::string page_token(const Diff& diff, std::size_t change) {
  return std::to_string(diff.before()->point.position) + "." + std::to_string(diff.after()->point.position) +
         "." + std::to_string(change);
}

bool read_page_token(std::string_view text, DiffWanted& wanted) {
  std::uint64_t numbers[3] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), numbers[i]);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (i == 2) break;
    if (!text.starts_with('.')) return false;
    text.remove_prefix(1);
  }
  wanted.from = {numbers[0], 0};
  wanted.to = {numbers[1], 0};
  wanted.page = numbers[2];
  return text.empty();
}

std::optional<projections::PastMoment> read_moment(Query& query, const char* name, bool required) {
  const auto text = query.text(name);
  if (!text) {
    if (required) query.fail("missing-parameter", name, "is needed", "a position, or a time with its zone");
    return std::nullopt;
  }
  const auto moment = parse_moment(*text);
  if (!moment.ok()) query.fail(moment.error().code, name, moment.error().message, moment.error().hint);
  return moment.ok() ? std::optional(*moment) : std::nullopt;
}

// Without to=: until now.
DiffWanted read_diff(const Services& services, const Call& call, Errors& errors) {
  Query query(call.target, errors);
  DiffWanted wanted;
  wanted.from = read_moment(query, "from", true).value_or(projections::PastMoment{});
  if (const auto to = read_moment(query, "to", false))
    wanted.to = *to;
  else
    services.context.with_state([&](const StateView& view) { wanted.to.position = view.position; });
  wanted.noun = query.text("noun").value_or("");
  const auto nouns = diff_nouns();
  if (!wanted.noun.empty() &&
      std::ranges::none_of(nouns, [&](const DiffNoun& noun) { return noun.name == wanted.noun; }))
    query.fail("invalid-parameter", "noun", "'" + clipped(wanted.noun) + "' is no noun of a difference",
               "session, agent, folder, user, group, ...");
  wanted.limit = static_cast<std::size_t>(query.integer("limit", 1, 1000).value_or(100));
  if (const auto page = query.text("page"); page && !read_page_token(*page, wanted))
    query.fail("invalid-page-token", "page", "'" + clipped(*page) + "' is no page of a difference",
               "use next as it came, with the same query");
  query.finish();
  return wanted;
}

json::array events_of(const DiffChange& change) {
  json::array events;
  for (const DiffEvent& event : change.events)
    events.push_back(json::object{{"position", to_string(EventId{event.offset, event.index})},
                                  {"time", format_time(event.time)},
                                  {"type", event.type},
                                  {"line", event.line}});
  return events;
}

// A session that has left the state: as it was at its end.
json::value from_history(PastContext& context, const DiffView& view, const DiffChange& change) {
  const auto id = Uuid::from_bytes(change.key);
  if (change.noun != kSessionNoun || !id) return nullptr;
  const auto entry = context.find_history(SessionId(*id));
  if (!entry.ok() || !*entry || !may_see_session(view.actor, (*entry)->session.owner->owner, nullptr))
    return nullptr;
  return json::parse(history_to_json(view.kinds, **entry, view.actor));
}

json::value diff_name(const DiffNoun& noun, const DiffChange& change, const json::value& before,
                      const json::value& after, const Diff& diff) {
  for (const auto& state : {diff.after(), diff.before()})
    if (std::string name = noun.name_of(state->state(), change.key); !name.empty()) return json::value(name);
  for (const auto* row : {&after, &before})
    if (row->is_object())
      if (const auto* name = row->as_object().if_contains("name"); name != nullptr && name->is_string())
        return *name;
  return json::value(noun.id_of(change.key));
}

// Null: the actor sees neither side.
json::value change_to_json(ApiContext& context, const Diff& diff, const DiffView& before,
                           const DiffView& after, const DiffChange& change) {
  const DiffNoun& noun = diff_nouns()[change.noun];
  json::value was = noun.show(before, change.key), is = noun.show(after, change.key);
  PastContext then(context, diff.after());
  if (is.is_null()) is = from_history(then, after, change);
  if (was.is_null() && is.is_null()) return nullptr;
  json::value name = diff_name(noun, change, was, is, diff);
  return json::object{{"noun", noun.name},
                      {"id", noun.id_of(change.key)},
                      {"name", std::move(name)},
                      {"before", std::move(was)},
                      {"after", std::move(is)},
                      {"events", events_of(change)},
                      {"more_events", change.more_events}};
}

HttpReply page_of(const Services& services, const Call& call, const Diff& diff, const DiffWanted& wanted) {
  const projections::Actor actor = actor_today(services, call);
  const SlotKinds kinds_before(diff.before()->state()), kinds_after(diff.after()->state());
  const DiffView before{diff.before()->state(), kinds_before, actor};
  const DiffView after{diff.after()->state(), kinds_after, actor};
  json::array changes;
  json::value next;
  for (std::size_t i = wanted.page; i < diff.changes().size(); ++i) {
    const DiffChange& change = diff.changes()[i];
    if (!wanted.noun.empty() && wanted.noun != diff_nouns()[change.noun].name) continue;
    json::value shown = change_to_json(services.context, diff, before, after, change);
    if (shown.is_null()) continue;
    if (changes.size() == wanted.limit) {
      next = page_token(diff, i);
      break;
    }
    changes.push_back(std::move(shown));
  }
  return json_reply(200, json::object{{"from", point_to_json(diff.before()->point)},
                                      {"to", point_to_json(diff.after()->point)},
                                      {"changes", std::move(changes)},
                                      {"next", std::move(next)}});
}

void answer_diff(const Services& services, const CallPtr& call, const Reply& reply, const DiffWanted& wanted,
                 const PastPtr& before, const PastPtr& after) {
  if (before->point.position > after->point.position)
    return reply(problem_reply(make_problem("swapped-ends", "from= is after to=", "swap them"), *call));
  auto diff = services.diffs.find(before, after);
  if (diff == nullptr) {
    auto made = Diff::make(services.context, before, after);
    if (!made.ok()) return reply(problem_reply(to_problem(made.error()), *call));
    diff = std::move(*made);
    services.diffs.keep(diff);
  }
  reply(page_of(services, *call, *diff, wanted));
}

void ask_diff(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  const DiffWanted wanted = read_diff(services, *call, errors);
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  const auto swapped = [](const auto& from, const auto& to) {
    return from.position.has_value() == to.position.has_value() &&
           (from.position ? *from.position > *to.position : from.time > to.time);
  };
  if (swapped(wanted.from, wanted.to))
    return reply(problem_reply(make_problem("swapped-ends", "from= is after to=", "swap them"), *call));
  with_past(services, call, reply, wanted.from, [=](const PastPtr& before) {
    with_past(services, call, reply, wanted.to, [=](const PastPtr& after) {
      take_turn(services, call, reply, Turns::Work::kScan,
                [=] { answer_diff(services, call, reply, wanted, before, after); });
    });
  });
}

}  // namespace

std::vector<Route> past_routes() {
  return {{"GET", "/v1/past", "getPast", answer_bounds, Route::kAnybody},
          {"GET", "/v1/diff", "getDiff", ask_diff, Route::kAnybody}};
}

}  // namespace berth::controller::api
