#include "controller/answers/start_estimates.h"

#include <algorithm>
#include <map>
#include <utility>

namespace berth::controller {

using projections::SessionRow;
using projections::State;

namespace {

constexpr std::int64_t kNsOfUs = kMillisecond / 1000;

// What a session is: the same user's with the same image first, all of its type in the group else.
std::string wide_kind(const SessionRow& row) {
  return row.spec->spec.group() + '\0' + std::to_string(row.spec->spec.type());
}
std::string narrow_kind(const SessionRow& row) {
  return wide_kind(row) + '\0' + row.owner->owner.domain() + '\0' + row.owner->owner.user() + '\0' +
         row.spec->spec.image();
}

std::optional<std::int64_t> run_time(const SessionRow& row) {
  if (row.running_at == 0 || row.ended_at < row.running_at) return std::nullopt;
  return (row.ended_at - row.running_at) / kNsOfUs;
}

bool has_ended(const SessionRow* row) { return row != nullptr && projections::is_end(row->status); }

// Sessions that hold slots on agents of the group, by id.
std::vector<SessionId> live_in(const State& state, const std::string& group) {
  std::vector<SessionId> live;
  state.agents.for_each_unordered([&](const projections::AgentRow& agent) {
    if (agent.group != group) return;
    for (const KernelId& id : state.kernels_on(agent.name)) live.push_back(state.kernels.find(id)->session);
  });
  std::sort(live.begin(), live.end());
  live.erase(std::unique(live.begin(), live.end()), live.end());
  return live;
}

}  // namespace

void StartEstimates::on_session(const SessionRow* before, const SessionRow* after) {
  if (after == nullptr) return;  // left for history: counted when it ended
  if (!has_ended(before) && has_ended(after)) note_end(*after);
  if (has_ended(before) && !has_ended(after)) take_back(*before);
  if (before == nullptr || before->scheduled_at == after->scheduled_at || after->scheduled_at == 0) return;
  started(*after);
}

void StartEstimates::note_end(const SessionRow& ended) {
  const auto time = run_time(ended);
  if (!time) return;
  add(narrow_kind(ended), *time);
  add(wide_kind(ended), *time);
}

void StartEstimates::add(const std::string& kind, std::int64_t time) {
  Runs& runs = kinds_[kind];
  runs.times.push_back(time);
  if (runs.times.size() > kRunsOfKind) runs.times.pop_front();
  runs.used = ++uses_;
  if (kinds_.size() <= kKinds) return;
  kinds_.erase(std::min_element(kinds_.begin(), kinds_.end(),
                                [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
}

// The record that ended it was void: what it added is the newest of its kinds.
void StartEstimates::take_back(const SessionRow& ended) {
  const auto time = run_time(ended);
  for (const std::string& kind : {narrow_kind(ended), wide_kind(ended)}) {
    const auto found = kinds_.find(kind);
    if (!time || found == kinds_.end() || found->second.times.empty() || found->second.times.back() != *time)
      continue;
    found->second.times.pop_back();
  }
}

void StartEstimates::clear() { *this = StartEstimates(); }

std::vector<std::int64_t> StartEstimates::history_of(const SessionRow& session) const {
  for (const std::string& kind : {narrow_kind(session), wide_kind(session)}) {
    const auto found = kinds_.find(kind);
    if (found == kinds_.end() || found->second.times.size() < kRunsToTell) continue;
    std::vector<std::int64_t> sorted(found->second.times.begin(), found->second.times.end());
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }
  return {};
}

// Sessions with one spec and one owner have one history: it is looked up once.
StartEstimates::Ends StartEstimates::ends(const State& state, const SessionRow& session,
                                          Timestamp now) const {
  std::map<std::pair<projections::SpecPtr, projections::OwnerPtr>, std::vector<std::int64_t>> histories;
  Ends ends;
  for (const SessionId& id : live_in(state, session.spec->spec.group())) {
    const SessionRow& row = *state.sessions.find(id);
    const auto [history, is_new] = histories.try_emplace({row.spec, row.owner});
    if (is_new) history->second = history_of(row);
    const std::int64_t so_far =
        row.running_at == 0 ? 0 : std::max<std::int64_t>(0, (now - row.running_at) / kNsOfUs);
    const std::int64_t declared = row.spec->spec.batch_timeout_ms() * 1000;
    for (std::size_t i = 0; i < kPercents.size(); ++i)
      if (const auto rest = placement::remaining(history->second, so_far, declared, kPercents[i]))
        ends[i].push_back({id, *rest});
  }
  return ends;
}

ExpectedStart StartEstimates::expect(placement::Cluster& cluster, const State& state,
                                     const SessionRow& session, Timestamp now) const {
  ExpectedStart start;
  const Ends ends = this->ends(state, session, now);
  for (std::size_t i = 0; i < kPercents.size(); ++i) {
    const auto found = placement::estimate_start(cluster, session.id, ends[i], {.now = now});
    if (found.in_us) (i == 0 ? start.p50 : start.p90) = now + *found.in_us * kNsOfUs;
    (i == 0 ? start.none50 : start.none90) = found.none;
  }
  if (start.p50 && start.p90)
    start.p90 = std::max(*start.p50, *start.p90);  // of other runs: the later percentile may free less first
  return start;
}

void StartEstimates::told(const SessionId& session, const ExpectedStart& start, Timestamp now) {
  if ((!start.p50 && !start.p90) || !told_.emplace(session, Told{start, now}).second) return;
  told_order_.push_back(session);
  for (; told_order_.size() > kTold; told_order_.pop_front()) told_.erase(told_order_.front());
}

StartEstimate StartEstimates::with_record(const ExpectedStart& start) const {
  const std::array<std::optional<Timestamp>, 2> at = {start.p50, start.p90};
  const std::array<placement::NoEstimate, 2> none = {start.none50, start.none90};
  StartEstimate out;
  for (std::size_t i = 0; i < at.size(); ++i)
    out.percentiles.push_back({kPercents[i], at[i], calibration_[i].made,
                               static_cast<std::uint64_t>(calibration_[i].met_permille()),
                               std::string(placement::to_string(none[i]))});
  return out;
}

void StartEstimates::started(const SessionRow& session) {
  const auto found = told_.find(session.id);
  if (found == told_.end()) return;
  const Told& told = found->second;
  const std::array<std::optional<Timestamp>, 2> starts = {told.start.p50, told.start.p90};
  for (std::size_t i = 0; i < starts.size(); ++i)
    if (starts[i])
      calibration_[i].note((*starts[i] - told.at) / kNsOfUs, (session.scheduled_at - told.at) / kNsOfUs);
  told_.erase(found);  // its place in told_order_ goes when its turn comes
}

}  // namespace berth::controller
