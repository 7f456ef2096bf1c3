#include "controller/answers/dry_run_answer.h"

#include <map>

#include "controller/answers/dry_run.h"
#include "controller/answers/never_text.h"
#include "controller/placement/pass/explain.h"

namespace berth::controller {
namespace {

std::string sessions_text(std::size_t count, const char* which) {
  return (count == 1 ? "the session " : "the " + std::to_string(count) + " sessions ") + which;
}

// The state has room for the session: others take it first.
void blame_others(const WouldBe& session, Explanation& why) {
  if (session.room_for_same + session.room_for_others == 0) return;
  std::string who;
  if (session.room_for_same > 0)
    who = sessions_text(session.room_for_same, "asked for before it in the same request");
  if (session.room_for_others > 0)
    who += (who.empty() ? "" : " and ") +
           sessions_text(session.room_for_others, "that the next pass starts before it");
  const bool one = session.room_for_same + session.room_for_others == 1;
  why.text = who + (one ? " takes the room" : " take the room");
  why.hint = "alone it would start now";
}

std::string note_of(const DryRun& run) {
  const std::string policy = run.policy_not_asked();
  if (policy.empty()) return {};
  return "the group's policy \"" + policy +
         "\" is not asked for a dry run: places are as if the group concentrated";
}

// All sessions of a request fit alike.
void add_warnings(const AnswerContext& c, const DryRun& run, DryRunAnswer& out) {
  if (run.sessions().empty()) return;
  const projections::SessionRow& row = run.sessions().front().row;
  const placement::Reason never = placement::why_never(c.feed.cluster(), row.id);
  if (never.code == placement::Code::kNone) return;
  out.warnings.push_back(
      never_warning(c.state, row.spec->spec, std::string(c.feed.cluster().slot_name(never.slot))));
}

WouldStart would_start(const AnswerContext& c, const WouldBe& session) {
  WouldStart would{session.row.name, std::nullopt, {}, {}, session.preempts.size()};
  if (session.known) would.starts = session.starts;
  for (const WouldPlace& place : session.kernels)
    would.kernels.push_back({place.kernel, place.agent, place.devices});
  for (const SessionId& id : session.preempts)
    if (const auto* row = c.state.sessions.find(id); row != nullptr && c.sees(*row))
      would.preempts.push_back(row->name);
  return would;
}

// The tried sessions, and those of the state that the asker may see.
placement::NameSession names_of(const AnswerContext& c, const DryRun& run) {
  std::map<SessionId, std::string> tried;
  for (const WouldBe& session : run.sessions()) tried.emplace(session.row.id, session.row.name);
  return [tried = std::move(tried), recorded = visible_names(c)](const SessionId& id) {
    const auto found = tried.find(id);
    return found != tried.end() ? found->second : recorded(id);
  };
}

}  // namespace

DryRunAnswer answer_dry_run(const AnswerContext& c, const v1::Request& request, const InHistory& in_history) {
  DryRun run(c.feed, c.state, c.now);
  DryRunAnswer out;
  out.refusal = run.ask(request, in_history);
  out.note = note_of(run);
  add_warnings(c, run, out);
  const placement::NameSession name = names_of(c, run);
  for (const WouldBe& session : run.sessions()) {
    out.sessions.push_back(would_start(c, session));
    if (session.starts || out.why) continue;
    out.waiting = session.row.name;
    out.why = why_tried(c, session.row, run.added(), name);
    blame_others(session, *out.why);
  }
  return out;
}

}  // namespace berth::controller
