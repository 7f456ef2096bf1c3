#include "controller/answers/decision/decision_steps.h"

#include "controller/placement/cluster/held_place.h"

namespace berth::controller {
namespace {

using placement::Code;
using projections::SessionRow;
using Outcome = QueueStep::Outcome;

// Of a filter: what it takes out.
const char* filter_text(Code code) {
  switch (code) {
    case Code::kNoAgents: return "take no session: lost, silent, draining or unfit";
    case Code::kArchitecture: return "have another architecture";
    case Code::kNoVolume: return "do not have the volumes";
    case Code::kDesignatedAgent: return "are not the designated ones";
    case Code::kSessionGroup: return "are out by the rule of its session group";
    case Code::kContainerLimit: return "run as many containers as they may";
    case Code::kNoCapacity: return "have not enough free";
    case Code::kNoDevice: return "have enough free, but on no set of devices that may be taken";
    default: return "are out";
  }
}

const char* score_name(placement::ScorePart::What what) {
  using What = placement::ScorePart::What;
  switch (what) {
    case What::kFailedOn: return "failed-here";
    case What::kNotDesignated: return "not-designated";
    case What::kMembers: return "group-members";
    case What::kUnused: return "unused";
    case What::kFree: return "free";
    case What::kRise: return "rise";
    case What::kTurn: return "turn";
  }
  return "unused";
}

// "main1": by its number within the session.
std::string kernel_name(const v1::SessionSpec& spec, std::size_t kernel) {
  for (const auto& role : spec.roles()) {
    if (kernel < role.count()) return role.role() + std::to_string(kernel + 1);
    kernel -= role.count();
  }
  return {};
}

Outcome outcome_of(Code code) {
  if (code == Code::kNone) return Outcome::kNotReached;
  return code == Code::kBehindHead ? Outcome::kBehindHead : Outcome::kRefused;
}

}  // namespace

// Sessions with a held place come first: a pass starts with them.
std::vector<Queueing> queue_of(const placement::Cluster& cluster, const std::string& group) {
  std::vector<Queueing> queue;
  if (!cluster.has_group(group)) return queue;
  const placement::Model& model = cluster.model();
  const auto add = [&](const SessionId& id) { queue.push_back({id, model.find_pending(id)->priority}); };
  for (const auto index : placement::reserved_in_order(model, model.groups[model.group_ids.at(group)]))
    add(model.pending[index].id);
  for (const SessionId& id : cluster.queue(group))
    if (!cluster.is_reserved(id)) add(id);
  return queue;
}

void DecisionSteps::set_outcome(const SessionId& session, QueueStep& step) const {
  const placement::Pending* waits = cluster.model().find_pending(session);
  if (waits == nullptr) {
    step.outcome = Outcome::kPlaced;
    return;
  }
  if (waits->reserved) {
    step.outcome = Outcome::kReserved;
    return;
  }
  const bool held_back = waits->wait_cause.code != Code::kNone;
  const placement::Reason reason = held_back ? waits->wait_cause : waits->recorded;
  step.outcome = held_back ? Outcome::kHeldBack : outcome_of(reason.code);
  if (reason.code != Code::kNone) step.code = placement::code_of(reason.code);
  if (reason.slot != placement::kNoSlot) step.slot = cluster.slot_name(reason.slot);
}

std::vector<QueueStep> DecisionSteps::queue(const std::vector<Queueing>& before, const SessionId& own,
                                            std::size_t most) const {
  std::vector<QueueStep> steps;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (i >= most && before[i].session != own) continue;
    QueueStep step;
    step.place = i + 1;
    step.priority = before[i].priority;
    step.asked = pass.asked(before[i].session);
    const SessionRow* row = state.sessions.find(before[i].session);
    if (row != nullptr && sees(*row)) {
      step.session = row->id;
      step.name = row->name;
      step.user = row->owner->owner.user();
    }
    set_outcome(before[i].session, step);
    steps.push_back(std::move(step));
  }
  return steps;
}

FilterStep DecisionSteps::filter(const placement::Candidates::Filter& filter) const {
  FilterStep step{placement::code_of(filter.code), filter_text(filter.code), filter.removed.size(), {}};
  for (const placement::Verdict& verdict : filter.removed) {
    if (step.removed.size() == PastDecision::kRemovedMax) break;
    RemovedAgent removed{std::string(cluster.agent_name(verdict.agent)), {}, 0, 0};
    if (!verdict.shortages.empty()) {
      const placement::Shortage& lacks = verdict.shortages.front();
      removed.slot = cluster.slot_name(lacks.slot);
      removed.asked = lacks.asked;
      removed.missing = lacks.missing;
    }
    step.removed.push_back(std::move(removed));
  }
  return step;
}

ScoredAgent DecisionSteps::scored(const placement::Candidate& candidate) const {
  ScoredAgent agent{std::string(cluster.agent_name(candidate.agent)), {}};
  for (const placement::ScorePart& part : candidate.score) {
    ScoreValue value{score_name(part.what), {}, part.value};
    if (part.slot != placement::kNoSlot) {
      value.slot = cluster.slot_name(part.slot);
      value.value = part.has ? std::optional(part.value < 0 ? -part.value : part.value) : std::nullopt;
    }
    agent.score.push_back(std::move(value));
  }
  return agent;
}

SearchStep DecisionSteps::search(const SessionRow& session, const placement::Searched& searched) const {
  const placement::Candidates& found = searched.candidates;
  SearchStep step;
  step.kernel = kernel_name(session.spec->spec, searched.kernel);
  step.agents = found.agents;
  for (const auto& one : found.filters) step.filters.push_back(filter(one));
  step.remaining_count = found.remaining.size();
  for (const placement::Candidate& candidate : found.remaining) {
    if (step.remaining.size() == PastDecision::kRemainingMax) break;
    step.remaining.push_back(scored(candidate));
  }
  step.ties = found.ties;
  return step;
}

}  // namespace berth::controller
