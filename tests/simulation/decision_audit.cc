#include "tests/simulation/decision_audit.h"

#include "controller/answers/decision/past_decision.h"

namespace berth::simulation {
namespace {

constexpr std::size_t kRecordsKept = 40;  // a pass decides about more sessions than one record takes

}  // namespace

DecisionCounts DecisionAudit::audit() {
  const Partition journal{Stream::kJournal, 0};
  projections::Projection fold(cluster_.cluster, projections::Projection::Tracking::kNone, cluster_.trust());
  fold.own().keep_no_history();
  for (Offset offset = 0; offset < cluster_.server->extent(journal).end; ++offset) {
    const LogEntry entry = cluster_.journal_at(offset);
    auto before = std::make_shared<projections::Projection>(fold);
    auto outcome = fold.apply(entry);
    if (outcome.what == projections::ApplyOutcome::What::kMismatch) outcome = fold.apply(entry, true);
    if (!outcome.applied()) continue;
    records_.push_back({offset, fold.record()});
    before_.push_back(std::move(before));
    if (records_.size() > kRecordsKept) before_[records_.size() - kRecordsKept - 1].reset();
    look_at(records_.back());
  }
  return counted_;
}

void DecisionAudit::look_at(const Applied& record) {
  for (int i = 0; i < record.record.events_size(); ++i) {
    const v1::Event& event = record.record.events(i);
    if (event.has_session_scheduled() || event.has_session_reserved())
      look_at_event(record, static_cast<std::uint32_t>(i));
  }
}

void DecisionAudit::look_at_event(const Applied& record, std::uint32_t index) {
  const std::string at = "decision " + std::to_string(record.offset) + "-" + std::to_string(index) + ": ";
  const auto recorded = controller::decision_in(record.record, record.offset, index);
  if (!recorded) return failures_.push_back(at + recorded.error().message);
  const projections::Position pass = recorded->pass();
  for (std::size_t i = records_.size(); i-- > 0 && before_[i] != nullptr;) {
    const auto& header = records_[i].record.header();
    if (header.epoch() != pass.epoch || header.sequence() != pass.sequence) continue;
    const auto found = controller::replay_decision(*before_[i], records_[i].record, *recorded,
                                                   [](const auto&) { return true; });
    if (!found.ok() && found.error().code == "inputs-not-recorded") {
      ++counted_.unknown;
      return;
    }
    if (!found.ok()) return failures_.push_back(at + found.error().message);
    if (!found->equal)
      return failures_.push_back(at + "recorded " + found->recorded.ShortDebugString() + ", now " +
                                 found->again.ShortDebugString());
    ++(recorded->is_held() ? counted_.held : counted_.placed);
    return;
  }
  failures_.push_back(at + "its pass began in no record");
}

}  // namespace berth::simulation
