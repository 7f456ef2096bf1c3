#include "controller/answers/dry_run.h"

#include <algorithm>
#include <map>
#include <set>

#include "controller/answers/unblock.h"
#include "controller/answers/what_if.h"
#include "controller/feed/pass_decisions.h"
#include "controller/placement/pass/explain.h"
#include "projections/limits.h"

namespace berth::controller {
namespace {

using placement::Code;
using projections::SessionRow;
using projections::State;

constexpr std::uint64_t kLater =
    std::uint64_t{1} << 35;  // of a position: behind all that is recorded, and beside the epoch in an arrival
constexpr std::uint64_t kWalkWork = 100'000;    // looks at an agent, of all sessions together
constexpr std::uint64_t kCopyWork = 1'000'000;  // the same where each run is a pass over a copy

// What a session depends on and what has not succeeded yet, as the fold finds it.
std::vector<SessionId> unmet_of(const State& state, const v1::SessionSpec& spec) {
  std::vector<SessionId> unmet;
  for (const std::string& bytes : spec.depends_on()) {
    const SessionId id(Uuid::from_bytes(bytes).value_or(Uuid{}));
    const SessionRow* on = state.sessions.find(id);  // none: it had succeeded before it left for history
    if (on != nullptr && on->result != projections::SessionResult::kSuccess) unmet.push_back(id);
  }
  return unmet;
}

void count_placed(projections::UsageBook& book, const SessionRow& row, int sign) {
  book.place(*row.owner, row.spec->spec, sign);
}

// As LimitGate asks, also for sessions that the state does not know.
bool is_over(const State& state, const SessionRow& row, const projections::UsageBook& added) {
  return !projections::excess_when_placed(state, *row.owner, row.spec->spec, &added).empty();
}

const std::string& group_of(const SessionRow& row) { return row.spec->spec.group(); }

}  // namespace

DryRun::~DryRun() {
  for (const WouldBe& session : sessions_) feed_.on_row(&session.row, nullptr);
}

std::optional<Refusal> DryRun::ask(const v1::Request& request, const InHistory& in_history) {
  const DecisionContext context{
      state_, {state_.epoch().epoch, kLater, 0}, now_, in_history, {request.actor(), request.id(), {}}};
  const Decision decision = decide(context, request, request.request_session(), {});
  if (const Refusal* refusal = refusal_of(decision)) return *refusal;
  feed_.set_now(now_);
  for (const auto& [id, place] : feed_.cluster().model().held_places)
    count_placed(added_, *state_.sessions.find(id), 1);
  for (const v1::Event& event : std::get<EventList>(decision))
    if (event.has_session_requested()) add(event.session_requested());
  for (const WouldBe& session : sessions_) feed_.on_row(nullptr, &session.row);
  const std::size_t rows = state_.kernels.size() + state_.agents.size() + state_.pending().size();
  if (can_walk() || rows > kRowsMax)
    walk();
  else
    run_pass();
  return std::nullopt;
}

void DryRun::add(const v1::SessionRequested& requested) {
  WouldBe session;
  SessionRow& row = session.row;
  row.id = SessionId(Uuid::from_bytes(requested.session_id()).value_or(Uuid{}));
  row.name = requested.name();
  row.owner = std::make_shared<projections::SharedOwner>(projections::SharedOwner{
      requested.owner(), requested.owner().SerializeAsString(), projections::scopes_of(requested.owner())});
  row.spec = sessions_.empty() ? std::make_shared<projections::SharedSpec>(projections::SharedSpec{
                                     requested.spec(), requested.spec().SerializeAsString()})
                               : sessions_.front().row.spec;
  row.created = {state_.epoch().epoch, kLater, static_cast<std::uint32_t>(sessions_.size())};
  row.created_at = now_;
  row.unmet = unmet_of(state_, requested.spec());
  sessions_.push_back(std::move(session));
}

bool DryRun::can_walk() const {
  placement::Model& model = feed_.cluster().model();
  const placement::PendingIndex index = model.find_pending_index(sessions_.front().row.id);
  placement::Work none;
  return placement::WhatIf(model, index, &none).can_walk();
}

std::string DryRun::policy_not_asked() const {
  if (sessions_.empty()) return {};
  const auto* group = state_.groups.find(group_of(sessions_.front().row));
  return group != nullptr && group->def.select() == "custom" ? group->def.custom() : std::string();
}

bool DryRun::is_over_limit(const WouldBe& session) const { return is_over(state_, session.row, added_); }

// ---- by a run that is undone ----

void DryRun::walk() {
  for (WouldBe& session : sessions_) walk_one(session);
}

void DryRun::walk_one(WouldBe& session) {
  placement::Cluster& cluster = feed_.cluster();
  const SessionId& id = session.row.id;
  const placement::PendingIndex index = cluster.model().find_pending_index(id);
  if (const placement::WaitCause cause = cluster.model().pending[index].wait_cause; cause.code != Code::kNone)
    return set_reason(session, cluster, cause);
  if (is_over_limit(session)) {
    cluster.set_wait_cause(id, {Code::kLimit, placement::kNoSlot});
    return set_reason(session, cluster, {Code::kLimit, placement::kNoSlot});
  }
  placement::Work work{(can_walk() ? kWalkWork : kCopyWork) / sessions_.size()};
  const auto may_start = [this](const SessionId& other) {
    const SessionRow* row = state_.sessions.find(other);
    return row == nullptr || ClusterFeed::recorded_wait_cause(*row).code == Code::kNone;
  };
  placement::WhatIf what_if(cluster.model(), index, &work, may_start, now_);
  const placement::WhatIf::Run run = what_if.run(true);
  if (!run.made) return ask_alone(session);
  if (run.started) return set_placed(session, cluster, run.placements);
  session.known = !work.spent();
  session.preempts = run.victims;
  const bool is_behind = run.blocker != placement::kNothing;
  set_reason(session, cluster,
             is_behind ? placement::Reason{Code::kBehindHead, placement::kNoSlot} : run.reason);
  const auto same =
      static_cast<std::size_t>(std::count_if(run.started_too.begin(), run.started_too.end(), [&](auto other) {
        return state_.sessions.find(cluster.model().pending[other].id) == nullptr;
      }));
  blame_others(session, cluster, same, run.started_too.size() - same);
}

// Where nothing but those who start before it keeps it waiting.
void DryRun::blame_others(WouldBe& session, placement::Cluster& cluster, std::size_t same,
                          std::size_t others) {
  const Code code = placement::find_code(session.row.reason_code);
  if (!placement::is_blocking(code) || placement::why(cluster, session.row.id).reason.code != Code::kNone)
    return;
  session.room_for_same = same;
  session.room_for_others = others;
}

// ---- by a pass over a model of its own ----

struct DryRun::Pass final : placement::PassVisitor {
  Pass(DryRun& run, const placement::Cluster& model) : dry(run), cluster(model) {
    for (WouldBe& session : run.sessions_) own.emplace(session.row.id, &session);
    for (const auto& [id, place] : run.feed_.cluster().model().held_places) counted.insert(id);
  }
  const SessionRow& row_of(const SessionId& id) const {
    const auto found = own.find(id);
    if (found != own.end()) return found->second->row;
    const SessionRow* row = dry.state_.sessions.find(id);
    BERTH_CHECK(row != nullptr, "the model has a session that the state does not know");
    return *row;
  }
  placement::Reason admit(const SessionId& id) override {
    if (!is_over(dry.state_, row_of(id), dry.added_)) return {};
    return {Code::kLimit, placement::kNoSlot};
  }
  void placed(const SessionId& id, std::span<const placement::KernelPlacement> kernels) override {
    if (const auto found = own.find(id); found != own.end()) {
      ++same;
      return dry.set_placed(*found->second, cluster, kernels);
    }
    ++others;
    if (!counted.contains(id)) count_placed(dry.added_, row_of(id), 1);
  }
  void refused(const SessionId& id, placement::Reason reason) override {
    const auto found = own.find(id);
    if (found == own.end()) return;
    dry.set_reason(*found->second, cluster, reason);
    dry.blame_others(*found->second, dry.feed_.cluster(), same, others);
  }
  void preempted(const SessionId& victim, const SessionId& preemptor, placement::PreemptMode) override {
    if (const auto found = own.find(preemptor); found != own.end()) found->second->preempts.push_back(victim);
  }
  void reserved(const SessionId& id, std::span<const placement::KernelPlacement>) override {
    others += own.contains(id) ? 0 : 1;
    if (counted.insert(id).second) count_placed(dry.added_, row_of(id), 1);
  }
  void unreserved(const SessionId& id) override {
    if (counted.erase(id) != 0) count_placed(dry.added_, row_of(id), -1);
  }
  void retried(const SessionId&, std::uint32_t) override {}

  DryRun& dry;
  const placement::Cluster& cluster;
  std::map<SessionId, WouldBe*> own;
  std::set<SessionId> counted;       // RESERVED: under limits as placed
  std::size_t same = 0, others = 0;  // placed so far
};

void DryRun::run_pass() {
  ClusterFeed feed;
  feed.rebuild(state_, now_);
  for (const WouldBe& session : sessions_) feed.on_row(nullptr, &session.row);
  Pass visitor(*this, feed.cluster());
  placement::pass(feed.cluster(), group_of(sessions_.front().row), {~0u, false, true, now_}, visitor);
}

// ---- neither ----

void DryRun::ask_alone(WouldBe& session) {
  session.known = false;
  set_reason(session, feed_.cluster(), placement::why(feed_.cluster(), session.row.id).reason);
}

// ---- answers ----

WouldPlace DryRun::name_place(const SessionRow& row, std::size_t kernel, const placement::Cluster& cluster,
                              const placement::KernelPlacement& placement) const {
  WouldPlace place;
  place.agent = cluster.agent_name(placement.agent);
  for (const auto& role : row.spec->spec.roles()) {
    if (kernel < role.count()) {
      place.kernel = role.role() + std::to_string(kernel + 1);
      break;
    }
    kernel -= role.count();
  }
  for (const auto& share : placement.devices)
    place.devices.push_back({std::string(cluster.device_name(placement.agent, share.device)),
                             std::string(cluster.slot_name(share.slot)), share.amount});
  return place;
}

void DryRun::set_placed(WouldBe& session, const placement::Cluster& cluster,
                        std::span<const placement::KernelPlacement> kernels) {
  session.starts = true;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    session.kernels.push_back(name_place(session.row, i, cluster, kernels[i]));
  count_placed(added_, session.row, 1);
}

void DryRun::set_reason(WouldBe& session, const placement::Cluster& cluster, placement::Reason reason) {
  session.row.reason_code = placement::code_of(reason.code);
  session.row.reason_slot =
      reason.slot == placement::kNoSlot ? std::string() : std::string(cluster.slot_name(reason.slot));
}

}  // namespace berth::controller
