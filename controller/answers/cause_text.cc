#include "controller/answers/cause_text.h"

#include <algorithm>
#include <set>

#include "controller/answers/never_text.h"
#include "events/base/text.h"
#include "events/codec/words/enum_words.h"
#include "projections/limits.h"
#include "projections/missing_image.h"
#include "projections/tables/timer.h"

namespace berth::controller {
namespace {

using projections::AgentRow;
using projections::AgentState;
using projections::SessionRow;
using projections::State;

constexpr std::size_t kNamed = 4;         // agents in one line
constexpr std::size_t kWordsShown = 160;  // bytes of why an agent is unfit
constexpr const char* kNextPass = "the next pass tries it";

struct Asked {
  const State& state;
  const SessionRow& session;
  const Explanation& e;
  Timestamp now;

  const v1::SessionSpec& spec() const { return session.spec->spec; }
};

// When it began to wait, the last time.
Timestamp since(const Asked& a) { return std::max(a.session.created_at, a.session.requeued_at); }

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// "cpu 4, mem 1g" of all kernels together.
std::string demand_text(const Asked& a) {
  std::string text;
  for (const auto& slot : projections::total_demand(a.spec()))
    text += (text.empty() ? "" : ", ") + slot.slot + " " + amount_text(a.state, slot.slot, slot.amount);
  return text;
}

bool takes_sessions(const AgentRow& agent) { return agent.takes_sessions(); }

bool is_unfit(const AgentRow& agent) { return agent.state == AgentState::kAlive && !agent.unfit.empty(); }

std::string standing(const AgentRow& agent) {
  if (is_unfit(agent)) return "UNFIT (" + clipped(agent.unfit, kWordsShown) + ")";
  return agent.state == AgentState::kAlive && agent.draining ? "DRAINING" : projections::name_of(agent.state);
}

template <class Wanted> std::vector<const AgentRow*> agents_of(const Asked& a, Wanted wanted) {
  std::vector<const AgentRow*> found;
  for (const auto& name : a.state.agents.sorted_keys()) {
    const AgentRow* agent = a.state.agents.find(name);
    if (agent->group == a.spec().group() && wanted(*agent)) found.push_back(agent);
  }
  return found;
}

// How an operator brings back those that do not take sessions.
std::string undrain_hint(const std::vector<const AgentRow*>& agents) {
  for (const AgentRow* agent : agents)
    if (agent->state == AgentState::kAlive && agent->draining)
      return "`berth agent undrain " + agent->name + "`";
  for (const AgentRow* agent : agents)
    if (is_unfit(*agent))
      return "`berth agent check` on the machine of " + agent->name + " says what to mend";
  return "one of them comes back";
}

// Agents that would have room if they could start kernels.
std::string unfit_text(const Asked& a) {
  const auto unfit = agents_of(a, is_unfit);
  if (unfit.empty()) return "";
  std::vector<std::string> names;
  names.reserve(unfit.size());
  for (const AgentRow* agent : unfit) names.push_back(agent->name + " " + standing(*agent));
  return "; " + counted(unfit.size(), "agent") +
         " of the group can start no kernel: " + listed(names, kNamed);
}

CauseText never_looked_at(const Asked& a) {
  return {"no pass has tried it since it began to wait " + span_text(a.now - since(a)) + " ago", kNextPass};
}

CauseText never(const Asked& a) { return never_text(a.state, a.spec(), a.e.slot); }

CauseText impossible_request(const Asked& a) {
  return {"it asks for " + demand_text(a) + ", which resource group " + a.spec().group() +
              " does not give: " + a.e.code + (a.e.slot.empty() ? "" : " " + a.e.slot),
          "end it and ask for something else, or let an operator change the group"};
}

// "its last start failed (1 of 5 counted): no such file". A fault of the machine is not counted.
std::string failed_text(const Asked& a) {
  return "its last start failed (" + std::to_string(a.session.attempts) + " of " +
         std::to_string(a.spec().max_attempts()) + " counted)" +
         (a.session.message.empty() ? "" : ": " + a.session.message);
}

// "it is given up after 4 more failed starts", but for faults of a machine.
std::string tries_left(const Asked& a) {
  const std::uint32_t most = a.spec().max_attempts();
  return "it is given up after " + counted(most - std::min(most, a.session.attempts), "more failed start");
}

// The time that it waits for: the one that it asked for, or the pause after a failed start.
CauseText start_time(const Asked& a) {
  const Timestamp start = projections::earliest_start(a.session);
  const bool tried = a.session.not_before != 0 && start == a.session.not_before;
  const std::string what = tried ? failed_text(a) + "; the next one" : "its start time";
  if (start <= a.now)
    return {what + (tried ? " was due " : " was ") + span_text(a.now - start) + " ago", kNextPass};
  return {what + " is in " + span_text(start - a.now),
          tried ? "it is tried then; " + tries_left(a) : "it is tried then"};
}

CauseText dependency(const Asked& a) {
  std::string text = counted(a.e.unmet.size(), "session") + " must succeed first";
  if (a.e.unmet.empty()) return {text, kNextPass};
  text += ":";
  for (const Unmet& on : a.e.unmet)
    text += "\n- " + (on.name.empty() ? to_string(on.session) : on.name) + " " + on.status +
            (on.result.empty() ? "" : " " + on.result);
  return {text, std::string("it is tried when all have; if one fails it ") +
                    (a.spec().wait_on_dependency_failure() ? "goes on waiting" : "is cancelled")};
}

CauseText limit(const Asked& a) {
  if (a.e.limits.empty()) return {"0 limits are in its way by now", kNextPass};
  const bool one = a.e.limits.size() == 1;
  std::string text = counted(a.e.limits.size(), "limit") + (one ? " is" : " are") + " in the way:";
  for (const LimitInTheWay& l : a.e.limits) {
    const auto shown = [&](Amount amount) {
      return l.is_count ? std::to_string(amount) : amount_text(a.state, l.what, amount);
    };
    text += "\n- " + word(l.scope) + " " + l.id + ": " + l.what + " " + shown(l.used) + " + " +
            shown(l.asked) + " of " + shown(l.limit);
  }
  return {text, "it is tried again when something of that scope ends or its limit is raised"};
}

CauseText no_agents(const Asked& a) {
  const auto all = agents_of(a, [](const AgentRow&) { return true; });
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const AgentRow* agent : all) names.push_back(agent->name + " " + standing(*agent));
  return {"none of the " + counted(all.size(), "agent") + " of resource group " + a.spec().group() +
              " takes sessions" + (names.empty() ? "" : ": " + listed(names, kNamed)),
          all.empty() ? "an agent joins the group" : undrain_hint(all) + ", or an agent joins the group"};
}

CauseText architecture(const Asked& a) {
  std::set<std::string> there;
  const auto all = agents_of(a, takes_sessions);
  for (const AgentRow* agent : all) there.insert(agent->architecture);
  return {"none of the " + counted(all.size(), "agent") + " that take sessions has architecture " +
              a.spec().architecture() + ", only " + listed({there.begin(), there.end()}, kNamed),
          "an agent of that architecture joins the group; or ask for another image or --arch"};
}

// "data on local (a1 ALIVE, a2 LOST of group gpu)": a folder, its volume and the agents that have it.
std::string place_text(const Asked& a, const projections::FolderRow& folder) {
  std::vector<std::string> agents;
  for (const auto& name : a.state.agents.sorted_keys()) {
    const AgentRow* agent = a.state.agents.find(name);
    if (agent->has(folder.volume))
      agents.push_back(name + " " + standing(*agent) +
                       (agent->group == a.spec().group() ? "" : " of group " + agent->group));
  }
  const auto* volume = a.state.volumes.find(folder.volume);
  return folder.name + " on " + (volume == nullptr ? to_string(folder.volume) : volume->name) + " (" +
         (agents.empty() ? "no agent has it" : listed(agents, kNamed)) + ")";
}

CauseText no_volume(const Asked& a) {
  std::vector<std::string> folders;
  for (const auto& mount : a.spec().mounts()) {
    const auto id = Uuid::from_bytes(mount.folder());
    const auto* folder = id ? a.state.folders.find(FolderId(*id)) : nullptr;
    folders.push_back(folder == nullptr ? mount.target() + " is gone" : place_text(a, *folder));
  }
  return {"none of " + counted(agents_of(a, takes_sessions).size(), "agent") +
              " has all volumes that its folders lie on: " + listed(folders, kNamed),
          "an agent with these volumes takes sessions again or joins the group; or ask in its group, or "
          "without the folder"};
}

CauseText designated(const Asked& a) {
  std::vector<std::string> names;
  std::vector<const AgentRow*> known;
  for (const auto& name : a.spec().agents()) {
    const AgentRow* agent = a.state.agents.find(name);
    if (agent != nullptr) known.push_back(agent);
    names.push_back(name + " " +
                    (agent == nullptr                   ? "is not there"
                     : agent->group != a.spec().group() ? "is of group " + agent->group
                                                        : standing(*agent)));
  }
  return {"it is to run on " + listed(names, kNamed) +
              (names.size() == 1 ? "" : ", one of " + counted(names.size(), "agent")) +
              ", and on no other of " + counted(agents_of(a, takes_sessions).size(), "agent"),
          undrain_hint(known) + "; or ask without --agent"};
}

CauseText session_group(const Asked& a) {
  const auto& group = a.spec().session_group();
  const bool pack = group.rule() == v1::PACK;
  return {"its session group " + group.name() + " is to stand " +
              (pack ? "on one agent" : "on different agents") + ", which leaves none of " +
              counted(agents_of(a, takes_sessions).size(), "agent"),
          pack ? "room on the agent of the others comes free" : "one of the others ends, or an agent joins"};
}

CauseText container_limit(const Asked& a) {
  std::vector<std::string> full;
  for (const AgentRow* agent : agents_of(a, takes_sessions)) {
    const auto running = a.state.kernels_on(agent->name).size();
    if (agent->max_containers != 0 && running >= agent->max_containers)
      full.push_back(agent->name + " " + std::to_string(running) + " of " +
                     std::to_string(agent->max_containers));
  }
  return {"agents run as many containers as they may: " + (full.empty() ? "0 by now" : listed(full, kNamed)),
          "a container on one of them ends"};
}

// One is enough only where a run of the scheduler has shown it.
std::string holders_to_end(const Asked& a) {
  const auto& sets = a.e.unblock.ends;
  const bool one = std::any_of(sets.begin(), sets.end(), [](const auto& set) { return set.size() == 1; });
  return one ? "one of the holders ends" : "enough of the holders end";
}

CauseText no_room(const Asked& a) {
  std::string slots;
  for (const Lacking& l : a.e.lacking)
    slots += (slots.empty() ? "" : "; ") + l.slot + ": " + amount_text(a.state, l.slot, l.asked) +
             " asked, at most " + amount_text(a.state, l.slot, l.best_free) + " free" +
             (l.where.empty() ? "" : " (" + l.where + ")");
  const std::uint32_t kernels = projections::kernel_count(a.spec());
  const std::string text = !slots.empty() ? "no one place has enough free: " + slots
                           : kernels == 1 ? "no one place has all of it free at once: " + demand_text(a)
                                          : "its " + counted(kernels, "kernel") +
                                                " do not all find room at once: " + demand_text(a);
  std::string hint = a.e.holders_total == 0 ? "room comes free, or an agent joins"
                                            : "it starts by itself when " + holders_to_end(a);
  const auto drained = agents_of(a, [](const AgentRow& agent) {
    return agent.state == AgentState::kAlive && (agent.draining || !agent.unfit.empty());
  });
  if (!drained.empty()) hint += ", or after " + undrain_hint(drained);
  return {text + unfit_text(a), hint};
}

CauseText behind_head(const Asked& a) {
  return {"an earlier session of resource group " + a.spec().group() + " blocks the queue, in which " +
              counted(a.state.pending().size(), "session") + " of all groups wait",
          "that one starts or leaves the queue"};
}

CauseText owner_disabled(const Asked& a) {
  return {"user " + a.session.owner->owner.user() + " is disabled; it has waited for " +
              span_text(a.now - since(a)),
          "an administrator enables the user"};
}

// The percent is the image's own, of now: what is recorded of the session is the code alone (P19).
CauseText missing_image_text(const Asked& a) {
  const projections::ImageRow* image = projections::missing_image(a.state, a.spec());
  if (image == nullptr) return {"0 of its images are missing by now", kNextPass};
  const v1::ImageBuildChanged& build = *image->build;
  const std::string ago = span_text(a.now - image->build_moved_at) + " ago";
  if (build.failed())
    return {"the build of image " + build.reference() + " failed " + ago + ": " + build.message(),
            "it starts by itself when the image is built again; or end it"};
  return {"image " + build.reference() + " is being built, " + std::to_string(build.percent()) + " %" +
              (build.step().empty() ? "" : ": " + build.step()) + ", said " + ago,
          "it starts by itself when the image is there"};
}

CauseText preempted(const Asked& a) {
  return {"it went back to the queue " + span_text(a.now - since(a)) + " ago",
          "it starts again when there is room"};
}

CauseText start_failed(const Asked& a) { return {failed_text(a), "it is tried again; " + tries_left(a)}; }

CauseText agent_lost(const Asked& a) {
  return {"its agent was lost; it went back to the queue " + span_text(a.now - since(a)) + " ago",
          "it starts again when another agent has room"};
}

CauseText lease_over(const Asked& a) {
  return {"its agent heard of no leader for too long; it went back to the queue " +
              span_text(a.now - since(a)) + " ago",
          "it starts again when there is room"};
}

CauseText machine_stopped(const Asked& a) {
  return {"its machine was shut down or restarted; the session went back to the queue " +
              span_text(a.now - since(a)) + " ago",
          "it starts again when there is room"};
}

struct Cause {
  berth::Code code;
  CauseText (*text)(const Asked&);
};

constexpr Cause kCauses[] = {{"not-tried-yet", never_looked_at},
                             {"invalid-amount", impossible_request},
                             {"unknown-slot", impossible_request},
                             {"exclusive-slots", impossible_request},
                             {"start-time", start_time},
                             {"dependency", dependency},
                             {"owner-disabled", owner_disabled},
                             {"image-building", missing_image_text},
                             {"image-build-failed", missing_image_text},
                             {"limit", limit},
                             {"no-agents", no_agents},
                             {"architecture", architecture},
                             {"no-volume", no_volume},
                             {"designated-agent", designated},
                             {"session-group", session_group},
                             {"container-limit", container_limit},
                             {"no-capacity", no_room},
                             {"no-device", no_room},
                             {"never", never},
                             {"behind-head", behind_head},
                             {projections::end_reason::kPreempted, preempted},
                             {projections::end_reason::kStartFailed, start_failed},
                             {projections::end_reason::kAgentLost, agent_lost},
                             {projections::end_reason::kLeaseOver, lease_over},
                             {projections::end_reason::kMachineStopped, machine_stopped}};

}  // namespace

std::string amount_text(const State& state, const std::string& slot, Amount amount) {
  const auto* type = state.slot_types.find(slot);
  return format_amount_human(type == nullptr ? SlotKind::kCount : static_cast<SlotKind>(type->def.kind()),
                             amount);
}

std::string span_text(Duration span) {
  const std::int64_t seconds = std::max<Duration>(span, 0) / kSecond;
  const std::int64_t days = seconds / 86'400, hours = seconds / 3'600 % 24, minutes = seconds / 60 % 60;
  if (days > 0) return std::to_string(days) + "d" + std::to_string(hours) + "h";
  if (hours > 0) return std::to_string(hours) + "h" + std::to_string(minutes) + "m";
  if (minutes > 0) return std::to_string(minutes) + "m" + std::to_string(seconds % 60) + "s";
  return std::to_string(seconds) + "s";
}

CauseText cause_text(const State& state, const SessionRow& session, const Explanation& e, Timestamp now) {
  for (const Cause& cause : kCauses)
    if (e.code == cause.code) return cause.text({state, session, e, now});
  return {e.code.word(), kNextPass};
}

}  // namespace berth::controller
