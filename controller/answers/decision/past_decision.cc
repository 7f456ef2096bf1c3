#include "controller/answers/decision/past_decision.h"

#include <algorithm>

#include "controller/answers/decision/decision_steps.h"
#include "controller/answers/decision/watched_pass.h"
#include "controller/decide/place_session.h"

namespace berth::controller {
namespace {

constexpr Offset kRecordsBack = 10'000;

using projections::Position;
using projections::Projection;
using projections::SessionRow;
using projections::State;

Error unknown_inputs(std::string why) {
  return make_error("inputs-not-recorded", std::move(why),
                    "GET /v1/sessions/{session}/why?at= tells what was known");
}

Error lost_pass() { return unknown_inputs("the record in which its pass began is not where it says"); }

Error no_decision(const std::string& what) {
  return make_error("no-decision", what + " places no session",
                    "`berth event tail --no-follow --type SessionScheduled` lists placements");
}

bool decides(const v1::Event& event) { return event.has_session_scheduled() || event.has_session_reserved(); }

// The state that the pass saw: up to its first event. False: the record does not continue the state.
bool fold_up_to(Projection& projection, const v1::Record& began, std::uint32_t index) {
  if (projection.own().continues(began.header()) != projections::VoidReason::kNone) return false;
  projection.own().open(began.header());
  for (int i = 0; i < began.events_size() && i < static_cast<int>(index); ++i)
    if (!projection.own().add(began.events(i)).empty()) return false;
  return true;
}

// Sessions in quarantine that still wait: the scheduler does without them once it has tried one, and when it
// did is its memory.
std::vector<const SessionRow*> withheld_in(const State& state, const std::string& group) {
  std::vector<const SessionRow*> rows;
  for (const std::string& what : state.quarantine.sorted_keys()) {
    constexpr std::string_view kSession = "session:";
    if (!what.starts_with(kSession) || !state.quarantine.find(what)->answered) continue;
    const auto id = Uuid::parse(what.substr(kSession.size()));
    const SessionRow* row = id ? state.sessions.find(SessionId(*id)) : nullptr;
    if (row != nullptr && projections::is_waiting(row->status) && row->spec->spec.group() == group)
      rows.push_back(row);
  }
  return rows;
}

// What the leader's pass does before and in it (cell/leader/rounds.cc), on a feed of its own.
struct Again {
  Again(const State& state, Timestamp now, bool withholds, const std::string& group, const SessionId& session)
      : pass(feed.limits(), feed.cluster(), session, PastDecision::kSearchesMax) {
    feed.rebuild(state, now);
    for (const std::string& agent : state.unreachable.sorted_keys()) feed.set_reachable(agent, false);
    if (withholds)
      for (const SessionRow* row : withheld_in(state, group)) feed.withhold(*row);
    feed.refresh(state, now);
    feed.limits().begin_pass(state);
    queue = queue_of(feed.cluster(), group);
    is_held = feed.cluster().is_reserved(session);
    placement::pass(feed.cluster(), group, {~0u, false, false, now}, pass);
  }
  const PassDecision* decision_about(const SessionId& session) const {
    using What = PassDecision::What;
    for (const PassDecision& one : pass.all)
      if (one.session == session && (one.what == What::kPlaced || one.what == What::kReserved)) return &one;
    return nullptr;
  }

  ClusterFeed feed;
  WatchedPass pass;
  std::vector<Queueing> queue;  // as the pass found it
  bool is_held = false;
};

v1::Event event_of(const State& state, const Again& again, const RecordedDecision& recorded) {
  const PassDecision* decision = again.decision_about(recorded.session());
  if (decision == nullptr) return {};
  static const InHistory kNothingAsked = [](const SessionId&) { return std::optional<PastSession>(); };
  const DecisionContext context{state, recorded.pass(), recorded.time, kNothingAsked};
  const SessionRow& row = *state.sessions.find(recorded.session());
  const auto named = again.feed.cluster().named(decision->kernels);
  EventList events = decision->what == PassDecision::What::kPlaced
                         ? place_session(context, row, named, decision->turn)
                         : reserve_session(context, row, named, decision->victims, decision->mode);
  v1::Event event = std::move(*events.list().rbegin());
  const v1::Position pass = recorded.is_held() ? recorded.event.session_reserved().pass()
                                               : recorded.event.session_scheduled().pass();
  if (event.has_session_scheduled()) *event.mutable_session_scheduled()->mutable_pass() = pass;
  if (event.has_session_reserved()) *event.mutable_session_reserved()->mutable_pass() = pass;
  return event;
}

bool is_same(const v1::Event& a, const v1::Event& b) {
  if (a.body_case() != b.body_case()) return false;
  return a.has_session_scheduled()
             ? a.session_scheduled().SerializeAsString() == b.session_scheduled().SerializeAsString()
             : a.session_reserved().SerializeAsString() == b.session_reserved().SerializeAsString();
}

// Why a pass that comes out otherwise may have seen what no log says; empty: there is no such thing.
std::string unrecorded(const State& state, const v1::Record& began, const RecordedDecision& recorded,
                       const std::string& group) {
  if (!withheld_in(state, group).empty())
    return "sessions of its group were in quarantine, and since when the scheduler did without them is in no "
           "log";
  for (int i = 0; i < began.events_size() && i < static_cast<int>(recorded.pass().index); ++i)
    if (began.events(i).has_clock_confirmed())
      return "the clock was confirmed in the record in which its pass began: the pass's time is in no log";
  return {};
}

void describe(const State& state, const Again& again, const RecordedDecision& recorded,
              const SeesSession& sees, PastDecision& out) {
  const SessionRow& row = *state.sessions.find(recorded.session());
  out.session = row.id;
  out.name = row.name;
  out.user = row.owner->owner.user();
  out.group = row.spec->spec.group();
  out.held = recorded.is_held();
  out.attempt = out.held ? state.next_attempt(row) : recorded.event.session_scheduled().attempt();
  out.pass = recorded.pass();
  if (const auto* group = state.groups.find(out.group)) {
    out.order = group->def.order();
    out.head_of_line = group->def.head_of_line();
    out.select = group->def.select();
  }
  out.was_held = again.is_held;
  out.behind_head = again.pass.behind_head();
  const DecisionSteps steps{state, again.feed.cluster(), again.pass, sees};
  out.order_count = again.queue.size();
  out.queue = steps.queue(again.queue, row.id, PastDecision::kOrderMax);
  for (const placement::Searched& search : again.pass.searches())
    out.searches.push_back(steps.search(row, search));
  out.searches_count =
      row.spec->spec.mode() == v1::MULTI_NODE && !out.was_held
          ? static_cast<std::size_t>(std::max(recorded.event.session_scheduled().placements_size(),
                                              recorded.event.session_reserved().placements_size()))
          : out.searches.size();
  if (const PassDecision* decision = again.decision_about(row.id)) {
    out.victims_count = decision->victims.size();
    for (const SessionId& victim : decision->victims)
      if (const SessionRow* one = state.sessions.find(victim); one != nullptr && sees(*one))
        out.victims.push_back(victim);
  }
}

}  // namespace

Position RecordedDecision::pass() const {
  return projections::from_proto(is_held() ? event.session_reserved().pass()
                                           : event.session_scheduled().pass());
}

SessionId RecordedDecision::session() const {
  const std::string& bytes =
      is_held() ? event.session_reserved().session_id() : event.session_scheduled().session_id();
  return SessionId(Uuid::from_bytes(bytes).value_or(Uuid{}));
}

Result<RecordedDecision> decision_in(const v1::Record& record, Offset offset,
                                     std::optional<std::uint32_t> index) {
  const std::string at = "position " + std::to_string(offset) + (index ? "-" + std::to_string(*index) : "");
  for (int i = 0; i < record.events_size(); ++i) {
    const auto here = static_cast<std::uint32_t>(i);
    if ((index && *index != here) || !decides(record.events(i))) continue;
    return RecordedDecision{offset, here, record.header().time_ns(), record.events(i)};
  }
  return no_decision(at);
}

// A pass decides about some hundred sessions: its records follow each other, but for void ones in between.
Result<PassRecord> find_pass(const RecordedDecision& recorded, const v1::Record& decided,
                             const RecordAt& read) {
  const Position pass = recorded.pass();
  const v1::RecordHeader& header = decided.header();
  if (pass.sequence == 0)
    return unknown_inputs("it was recorded by a version that did not say what its pass began with");
  if (pass.epoch != header.epoch() || pass.sequence > header.sequence()) return lost_pass();
  if (pass.sequence == header.sequence()) return PassRecord{recorded.offset, decided};
  for (Offset back = header.sequence() - pass.sequence; back <= recorded.offset && back < kRecordsBack;
       ++back) {
    auto record = read(recorded.offset - back);
    if (!record) return record.error();
    if (!*record || (*record)->header().epoch() != pass.epoch ||
        (*record)->header().sequence() > pass.sequence)
      continue;
    if ((*record)->header().sequence() < pass.sequence) break;
    return PassRecord{recorded.offset - back, std::move(**record)};
  }
  return lost_pass();
}

Result<PastDecision> replay_decision(const Projection& before, const v1::Record& began,
                                     const RecordedDecision& recorded, const SeesSession& sees) {
  Projection then(before);
  if (!fold_up_to(then, began, recorded.pass().index)) return lost_pass();
  const State& state = then.state();
  const SessionRow* row = state.sessions.find(recorded.session());
  if (row == nullptr || !projections::is_waiting(row->status))
    return unknown_inputs("its session did not wait where its pass began");
  const std::string& group = row->spec->spec.group();
  if (const auto* defined = state.groups.find(group); defined != nullptr && defined->def.select() == "custom")
    return unknown_inputs("its group selects by the custom library '" + defined->def.custom() +
                          "', whose answers are in no log");
  const Timestamp now = began.header().time_ns();
  auto again = std::make_unique<Again>(state, now, true, group, row->id);
  PastDecision out;
  out.recorded = recorded.event;
  out.pass_time = now;
  out.again = event_of(state, *again, recorded);
  out.equal = is_same(out.again, recorded.event);
  if (!out.equal && !withheld_in(state, group).empty()) {  // by a leader that had not tried them yet
    again = std::make_unique<Again>(state, now, false, group, row->id);
    out.again = event_of(state, *again, recorded);
    out.equal = is_same(out.again, recorded.event);
  }
  if (!out.equal)
    if (std::string why = unrecorded(state, began, recorded, group); !why.empty())
      return unknown_inputs(std::move(why));
  describe(state, *again, recorded, sees, out);
  return out;
}

}  // namespace berth::controller
