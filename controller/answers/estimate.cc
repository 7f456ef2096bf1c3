#include "controller/answers/estimate.h"

#include <algorithm>
#include <set>

#include "controller/answers/cluster_copy.h"
#include "controller/answers/what_if.h"
#include "controller/placement/pass/explain.h"

namespace berth::placement {

std::optional<std::int64_t> quantile(std::span<const std::int64_t> sorted, int percent) {
  if (sorted.empty()) return std::nullopt;
  const std::size_t rank = (sorted.size() * static_cast<std::size_t>(std::clamp(percent, 0, 100)) + 99) / 100;
  return sorted[rank == 0 ? 0 : rank - 1];
}

std::optional<std::int64_t> remaining(std::span<const std::int64_t> sorted_history, std::int64_t so_far,
                                      std::int64_t declared, int percent) {
  const auto longer = std::upper_bound(sorted_history.begin(), sorted_history.end(), so_far);
  const auto rest = sorted_history.subspan(static_cast<std::size_t>(longer - sorted_history.begin()));
  std::optional<std::int64_t> total = quantile(rest, percent);
  if (declared > 0) total = total ? std::min(*total, declared) : declared;
  if (!total) return std::nullopt;
  return std::max<std::int64_t>(*total - so_far, 0);
}

std::string_view to_string(NoEstimate none) {
  switch (none) {
    case NoEstimate::kNone: return "";
    case NoEstimate::kNotWaiting: return "not-waiting";
    case NoEstimate::kEndsUnknown: return "ends-unknown";
    case NoEstimate::kBound: return "bound";
    case NoEstimate::kNever: return "never";
  }
  return "";
}

namespace {

constexpr std::int64_t kNsOfUs = kMillisecond / 1000;

ForecastStart walk_ahead(Model& model, WhatIf& what_if, const std::vector<ExpectedEnd>& ends, Work* work) {
  if (what_if.run().started) return {0, NoEstimate::kNone};
  for (const ExpectedEnd& end : ends) {
    const LiveIndex live = model.find_live(end.session);
    if (live == kNothing) continue;
    if (work->spent()) break;
    what_if.end(live);
    work->spend(1);
    if (what_if.run().started && !work->spent()) return {end.in_us, NoEstimate::kNone};
  }
  return {std::nullopt, work->spent() ? NoEstimate::kBound : NoEstimate::kEndsUnknown};
}

// A copy on which time goes on.
class TimeAhead final : public PassVisitor {
 public:
  TimeAhead(const Model& model, PendingIndex session, const std::vector<ExpectedEnd>& ends, Timestamp now,
            Work* work)
      : own_(model.pending[session].id),
        group_(model.classes[model.pending[session].session_class].key.group),
        index_(session),
        now_(now),
        work_(work) {
    work_->spend(copy_work(model));
    if (work_->spent()) return;
    copy_for_pass(model, group_, &copy_.model());
    for (const ExpectedEnd& end : ends) ends_.insert({end.in_us, end.session});
    for (const Live& live : model.live) {
      if (live.leaving) ends_.insert({0, live.id});
    }
  }

  ForecastStart run() {
    std::int64_t in_us = 0;
    for (;;) {
      if (!pass_at(in_us)) return {std::nullopt, NoEstimate::kBound};
      if (started_) return {in_us, NoEstimate::kNone};
      if (ends_.empty()) return {std::nullopt, NoEstimate::kEndsUnknown};
      in_us = ends_.begin()->first;
      for (; !ends_.empty() && ends_.begin()->first == in_us; ends_.erase(ends_.begin()))
        copy_.release(ends_.begin()->second);
    }
  }

  void placed(const SessionId& session, std::span<const KernelPlacement>) override {
    started_ = started_ || session == own_;
    placed_.push_back(session);
  }
  void refused(const SessionId&, Reason) override {}
  void retried(const SessionId&, std::uint32_t) override {}
  void preempted(const SessionId& victim, const SessionId&, PreemptMode) override {
    victims_.push_back(victim);
  }

 private:
  // False when the work is spent.
  bool pass_at(std::int64_t in_us) {
    if (work_->spent()) return false;
    Model& model = copy_.model();
    work_->spend(pass_work(model, model.groups[group_], true));
    if (work_->spent()) return false;
    trust_reasons(model, group_, index_);
    placed_.clear();
    victims_.clear();
    while (pass(copy_, model.groups[group_].name, {~0u, false, false, now_ + in_us * kNsOfUs}, *this).more) {}
    for (const SessionId& session : placed_) {
      const LiveIndex live = model.find_live(session);
      if (live != kNothing && model.live[live].ends != kNeverEnds)
        ends_.insert({(model.live[live].ends - now_) / kNsOfUs, session});
    }
    for (const SessionId& victim : victims_) ends_.insert({in_us, victim});
    return true;
  }

  const SessionId own_;
  const GroupIndex group_;
  const PendingIndex index_;
  const Timestamp now_;
  Work* const work_;
  Cluster copy_;
  std::set<std::pair<std::int64_t, SessionId>> ends_;
  std::vector<SessionId> placed_, victims_;  // by the last pass
  bool started_ = false;
};

}  // namespace

ForecastStart estimate_start(Cluster& cluster, const SessionId& session, std::vector<ExpectedEnd> ends,
                             const ForecastOptions& options) {
  Model& model = cluster.model();
  const PendingIndex index = model.find_pending_index(session);
  if (index == kNothing || model.pending[index].wait_cause.code != Code::kNone)
    return {std::nullopt, NoEstimate::kNotWaiting};
  if (why_never(cluster, session).code != Code::kNone) return {std::nullopt, NoEstimate::kNever};
  std::sort(ends.begin(), ends.end(), [](const ExpectedEnd& a, const ExpectedEnd& b) {
    return a.in_us != b.in_us ? a.in_us < b.in_us : a.session < b.session;
  });
  Work work{options.work};
  WhatIf what_if(model, index, &work);
  if (what_if.can_walk()) return walk_ahead(model, what_if, ends, &work);
  work.left = options.copy_work;
  return TimeAhead(model, index, ends, options.now, &work).run();
}

void Calibration::note(std::int64_t estimated_us, std::int64_t waited_us) {
  ++made;
  if (waited_us <= estimated_us) ++met;
}

int Calibration::met_permille() const { return made == 0 ? 0 : static_cast<int>(met * 1000 / made); }

}  // namespace berth::placement
