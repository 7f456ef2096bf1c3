// GET /v1/watch: the rows that change, as a stream.
#include <algorithm>

#include "controller/api/map/session_json.h"
#include "controller/api/routes/call.h"
#include "controller/api/routes/user_in_group.h"

namespace berth::controller::api {
namespace {

std::string all_tables() {
  std::string names;
  for (const std::string_view name : kWatchedTables) names += (names.empty() ? "" : ",") + std::string(name);
  return names;
}

WatchedTables read_tables(Query& query) {
  WatchedTables tables;
  for (const std::string& name : query.list("tables")) {
    const auto found = std::find(kWatchedTables.begin(), kWatchedTables.end(), name);
    if (found == kWatchedTables.end())
      query.fail("invalid-parameter", "tables", "'" + clipped(name) + "' is no table that can be watched",
                 "a comma list of " + all_tables());
    else
      tables.set(static_cast<std::size_t>(found - kWatchedTables.begin()));
  }
  if (tables.none())
    query.fail("invalid-parameter", "tables", "names no table", "for example tables=sessions,agents");
  return tables;
}

WatchFilter read_filter(Query& query) {
  WatchFilter filter{read_tables(query), read_session_filter(query), ""};
  filter.group = filter.sessions.group;
  filter.sessions.user = query.name("user");
  return filter;
}

void watch(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  const WatchFilter filter = read_filter(query);
  const auto after = query.integer("after", 0, INT64_MAX);
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  std::optional<Problem> missing;
  services.context.with_state(
      [&](const StateView& view) { missing = missing_group(view.state, call->caller, filter.group); });
  if (missing) return reply(problem_reply(*missing, *call));
  HttpReply out;
  out.content_type = "text/event-stream";
  out.set("Cache-Control", "no-store");
  out.stream = services.rows.watch(call->caller, filter,
                                   after ? std::optional<Offset>(static_cast<Offset>(*after)) : std::nullopt);
  reply(std::move(out));
}

}  // namespace

std::vector<Route> watch_routes() {
  const Route::Need see{projections::Noun::kSession, projections::Verb::kSee};
  return {{"GET", "/v1/watch", "watchRows", watch, see, {.producers = Route::kRead}}};
}

}  // namespace berth::controller::api
