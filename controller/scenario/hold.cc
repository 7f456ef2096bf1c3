// Sessions that hold slots when the file begins, places held for preemptors, and what passes make of both.
#include <algorithm>
#include <set>

#include "controller/scenario/parse.h"
#include "controller/scenario/run.h"

namespace berth::placement {

using projections::SessionStatus;

namespace {

// A kernel that stands somewhere; owns what HeldKernel only shows.
struct Standing {
  KernelIndex kernel = 0;
  std::string_view agent;
  std::vector<SlotAmount> slots;
  std::vector<HeldDevice> devices;
};

Standing standing(const Cluster& cluster, const ScenarioSession& session, const ScenarioPlacement& placed) {
  const std::vector<std::string> names = kernel_names(session);
  const auto kernel =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), placed.kernel) - names.begin());
  std::size_t role = 0;
  for (std::size_t before = session.kernels[0].count; before <= kernel; before += session.kernels[role].count)
    ++role;
  Standing made{
      static_cast<KernelIndex>(kernel), placed.agent, slot_amounts(cluster, session.kernels[role].slots), {}};
  for (const auto& [device, amounts] : placed.devices) {
    for (const auto& [slot, amount] : amounts)
      made.devices.push_back({device, *cluster.find_slot(slot), amount});
  }
  return made;
}

}  // namespace

void ScenarioRun::hold_placed(const ScenarioSession& session) {
  std::vector<Standing> standings;
  for (const ScenarioPlacement& placed : session.placed)
    standings.push_back(standing(cluster_, session, placed));
  std::vector<HeldKernel> kernels;
  for (const Standing& one : standings) kernels.push_back({one.kernel, one.agent, one.slots, one.devices});
  if (session.state == "RESERVED") return cluster_.reserve(session.key, kernels);
  cluster_.occupy(session.key, kernels, session.user);
  occupy_elsewhere(session);
  if (session.timeout_s > 0) {
    cluster_.set_declared_end(session.key,
                              session.started.value_or(scenario_.now) + session.timeout_s * kSecond);
  }
  tell_facts(session);
}

// Kernels without a place are somebody's all the same: they count in the share, as they do under limits.
void ScenarioRun::occupy_elsewhere(const ScenarioSession& session) {
  const std::vector<std::string> names = kernel_names(session);
  std::set<std::string_view> placed;
  for (const ScenarioPlacement& placement : session.placed) placed.insert(placement.kernel);
  if (placed.size() == names.size()) return;
  std::vector<SlotAmount>& slots = elsewhere_[session.id];
  std::size_t next = 0;
  for (const ScenarioKernels& kernels : session.kernels) {
    for (std::uint32_t i = 0; i < kernels.count; ++i, ++next) {
      if (placed.contains(names[next])) continue;
      for (const auto& [name, amount] : kernels.slots)
        if (const auto slot = cluster_.find_slot(name))
          slots.push_back({*slot, std::min(amount, kAmountMax / 65'536)});
    }
  }
  cluster_.occupy_elsewhere(session.group, session.user, slots, 1);
}

// Whether it was preempted for somebody in the file: it ends, and a place is held on one of its agents.
bool ScenarioRun::makes_room(const ScenarioSession& session) const {
  if (session.state != "TERMINATING" && session.state != "RESCHEDULING") return false;
  const auto held_on = [&](const ScenarioPlacement& placed) {
    return std::any_of(
        scenario_.sessions.begin(), scenario_.sessions.end(), [&](const ScenarioSession& other) {
          return other.state == "RESERVED" &&
                 std::any_of(other.placed.begin(), other.placed.end(),
                             [&](const ScenarioPlacement& p) { return p.agent == placed.agent; });
        });
  };
  return std::any_of(session.placed.begin(), session.placed.end(), held_on);
}

void ScenarioRun::tell_facts(const ScenarioSession& session) {
  LiveFacts facts;
  facts.domain = session.domain;
  facts.project = session.project;
  facts.session_group = session.session_group.name;
  facts.job_priority = session.job_priority;
  facts.leaving = makes_room(session);
  facts.preemptible = session.preemptible && session.type != "system" && session.state != "TERMINATING" &&
                      session.state != "RESCHEDULING";
  facts.started = session.started.value_or(LiveFacts::kNotStarted);
  cluster_.set_live(session.key, facts);
}

void ScenarioRun::preempted(const SessionId& victim, const SessionId& preemptor, PreemptMode mode) {
  by_key(victim).state = mode == PreemptMode::kTerminate ? "TERMINATING" : "RESCHEDULING";
  put_status(victim,
             mode == PreemptMode::kTerminate ? SessionStatus::kTerminating : SessionStatus::kRescheduling);
  passes_.back().preempted.push_back({by_key(victim).id, by_key(preemptor).id, mode});
}

// Considered, and in neither list.
void ScenarioRun::reserved(const SessionId& key, std::span<const KernelPlacement>) {
  by_key(key).state = "RESERVED";
  put_status(key, SessionStatus::kReserved);
  passes_.back().order.push_back(by_key(key).id);
}

void ScenarioRun::unreserved(const SessionId& key) {
  by_key(key).state = "PENDING";
  put_status(key, SessionStatus::kPending);
  note_unmet(by_key(key));
}

}  // namespace berth::placement
