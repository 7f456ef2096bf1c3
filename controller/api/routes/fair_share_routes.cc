// GET /v1/fair-share: what counts of the past in a group with that order, and who comes first.
#include <algorithm>

#include "controller/answers/fair_share_view.h"
#include "controller/api/map/time_text.h"
#include "controller/api/routes/asker.h"
#include "controller/api/routes/call.h"
#include "events/codec/words/enum_words.h"
#include "projections/subjects.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::Noun;
using projections::Verb;

json::object line_to_json(const SlotKinds& kinds, const FairShareLine& line) {
  json::object used;
  for (const auto& [slot, seconds] : line.used)
    used[slot] = kinds.kind_of(slot) == SlotKind::kBytes ? decimal_of(seconds) : decimal_of_micro(seconds);
  return {{"scope", word(line.scope)},
          {"id", line.id},
          {"weight", format_amount(SlotKind::kCount, line.weight)},
          {"used", std::move(used)},
          {"factor", factor_text(line.factor)},
          {"rank", line.rank}};
}

HttpReply not_there(const Call& call, Problem problem, unsigned status) {
  problem.status = status;
  return problem_reply(problem, call);
}

HttpReply fair_share_of(const StateView& view, const Call& call, const std::string& name, Timestamp time) {
  const auto* group = view.state.groups.find(name);
  const projections::Actor actor = actor_of(view.state, call.caller);
  if (group == nullptr || !sees_group(actor, group->def))
    return not_there(call,
                     make_problem("unknown-group", "no resource group is named '" + clipped(name) + "'",
                                  "berth group ls lists them"),
                     404);
  if (group->def.order() != "fair-share")
    return not_there(call,
                     make_problem("not-fair-share",
                                  "resource group '" + clipped(name) + "' has order " + group->def.order(),
                                  "berth group set " + clipped(name) + " --order fair-share"),
                     409);
  const Timestamp now = std::max(time, view.state.epoch().time);
  const SlotKinds kinds(view.state);
  json::array lines;
  for (const FairShareLine& line : fair_share_lines(view.state, name, now))
    if (may_see_limit(view.state, actor, line.scope, line.id))  // whose limits one sees, their share, too
      lines.push_back(line_to_json(kinds, line));
  return json_reply(view, json::object{{"group", name},
                                       {"until", format_time(slice_boundary(now))},
                                       {"shares", std::move(lines)},
                                       {"position", position_or_null(view)}});
}

void get_fair_share(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  const std::string group = query.text("group").value_or("default");
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  const Timestamp time = services.context.now();
  HttpReply out;
  services.context.with_state([&](const StateView& view) { out = fair_share_of(view, *call, group, time); });
  reply(std::move(out));
}

}  // namespace

std::vector<Route> fair_share_routes() {
  const Route::Need see{Noun::kGroup, Verb::kSee};
  return {{"GET", "/v1/fair-share", "getFairShare", get_fair_share, see, {.past = Route::kPast}}};
}

}  // namespace berth::controller::api
