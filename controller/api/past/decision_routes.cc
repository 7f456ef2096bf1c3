// GET /v1/decisions/{position}: one past placement, worked out again step by step.
#include "controller/answers/decision/past_decision.h"
#include "controller/api/map/decision/decision_json.h"
#include "controller/api/map/event_json.h"
#include "controller/api/map/explanation_json.h"
#include "controller/api/past/moment.h"
#include "controller/api/past/past_call.h"

namespace berth::controller::api {
namespace {

constexpr std::size_t kRecordBytes = 1u << 20;

// A record that applied; nullopt: none is there.
Result<std::optional<v1::Record>> record_at(ApiContext& context, Offset offset) {
  const auto page = context.read_journal(offset, 1, kRecordBytes);
  if (!page.ok()) return page.error();
  for (const JournalRecord& one : page->records)
    if (one.offset == offset) return std::optional(*one.record);
  return std::optional<v1::Record>();
}

struct DecisionAsked {
  Offset offset = 0;
  std::optional<std::uint32_t> index;
};

Result<DecisionAsked> read_position(const std::string& text) {
  if (const auto id = parse_event_id(text)) return DecisionAsked{id->offset, id->index};
  const auto moment = parse_moment(text);
  if (!moment.ok()) return moment.error();
  if (moment->position) return DecisionAsked{*moment->position, std::nullopt};
  return make_error("invalid-moment", "a decision has a position, and not a time",
                    "1234-0, as events are named");
}

Result<void> check_bounds(ApiContext& context, Offset offset) {
  const auto bounds = context.past_bounds();
  if (!bounds.ok()) return bounds.error();
  if (offset > bounds->last.position)
    return make_error("future-moment", "position " + std::to_string(offset) + " is in the future",
                      "the journal is at position " + std::to_string(bounds->last.position));
  if (offset < bounds->first.position)
    return make_error("before-the-log", "nothing is written of that position: the journal begins later",
                      "GET /v1/past says when");
  return {};
}

// By the rights of now. A session that is in no table any more is for who sees all.
bool may_see(const Services& services, const SeesSession& sees, const projections::Actor& actor,
             const SessionId& id) {
  std::optional<bool> seen;
  services.context.with_state([&](const StateView& view) {
    if (const auto* row = view.state.sessions.find(id)) seen = sees(*row);
  });
  if (seen) return *seen;
  const auto ended = services.context.find_history(id);
  if (ended.ok() && *ended) return sees((*ended)->session);
  return projections::reach(actor, projections::Noun::kSession, projections::Verb::kSee) ==
         projections::Reach::kAll;
}

struct DecisionFound {
  RecordedDecision decision;
  PassRecord began;
  SeesSession sees;
};

Result<DecisionFound> find_decision(const Services& services, const Call& call, const DecisionAsked& asked) {
  ApiContext& context = services.context;
  if (const auto within = check_bounds(context, asked.offset); !within.ok()) return within.error();
  const auto record = record_at(context, asked.offset);
  if (!record.ok()) return record.error();
  const v1::Record found = *record ? **record : v1::Record();
  auto decision = decision_in(found, asked.offset, asked.index);
  if (!decision) return decision.error();
  const projections::Actor actor = actor_of(services, call);
  SeesSession sees;
  context.with_state([&](const StateView& view) { sees = sees_of(view.state, actor); });
  if (!may_see(services, sees, actor, decision->session()))
    return decision_in(v1::Record(), asked.offset, asked.index).error();
  auto began = find_pass(*decision, found, [&](Offset offset) { return record_at(context, offset); });
  if (!began) return began.error();
  return DecisionFound{std::move(*decision), std::move(*began), std::move(sees)};
}

HttpReply answer_with(const Call& call, const projections::PastState& before, const DecisionFound& found) {
  const auto replayed = replay_decision(*before.projection, found.began.record, found.decision, found.sees);
  if (!replayed) return problem_reply(to_problem(replayed.error()), call);
  return json_reply(200, decision_to_json(SlotKinds(before.state()), found.decision, found.began, *replayed));
}

void find_and_answer(const Services& services, const CallPtr& call, const Reply& reply,
                     const DecisionAsked& asked) {
  auto made = find_decision(services, *call, asked);
  if (!made.ok()) return reply(problem_reply(to_problem(made.error()), *call));
  const auto found = std::make_shared<const DecisionFound>(std::move(*made));
  if (found->began.offset == 0)
    return reply(problem_reply(make_problem("no-decision", "no pass began with the first record"), *call));
  projections::PastMoment moment;
  moment.position = found->began.offset - 1;
  with_past(services, call, reply, moment, [=](const projections::PastPtr& before) {
    take_turn(services, call, reply, Turns::Work::kScan, [=] { reply(answer_with(*call, *before, *found)); });
  });
}

void explain_decision(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query(call->target, errors).finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  const auto asked = read_position(call->path[0]);
  if (!asked) return reply(problem_reply(to_problem(asked.error()), *call));
  take_turn(services, call, reply, Turns::Work::kScan,
            [=] { find_and_answer(services, call, reply, *asked); });
}

}  // namespace

std::vector<Route> decision_routes() {
  const Route::Need see{projections::Noun::kSession, projections::Verb::kSee};
  return {{"GET", "/v1/decisions/{position}", "getDecision", explain_decision, see}};
}

}  // namespace berth::controller::api
