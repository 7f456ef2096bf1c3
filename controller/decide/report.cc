// Facts that agents report (P22): idempotent, forward only within an attempt, never about another attempt's
// slots.
#include <algorithm>
#include <set>

#include "controller/decide/decide.h"
#include "controller/decide/folders/volume_agent.h"
#include "events/base/edge_errors.h"
#include "events/base/name.h"
#include "events/base/plain_text.h"
#include "events/base/text.h"
#include "events/base/wire_time.h"
#include "events/codec/words/codes.h"
#include "projections/lost_run.h"

namespace berth::controller {
namespace {

using projections::AgentRow;
using projections::AgentState;
using projections::FolderRow;
using projections::FolderState;
using projections::KernelRow;
using projections::KernelState;
using projections::SessionRow;
using projections::SessionStatus;

constexpr std::size_t kCodeMax = 128;          // bytes, as kMessageMax
constexpr std::size_t kMessageMax = 4u << 10;  // of a fact: what people read
constexpr std::size_t kUnfitMax = 512;         // bytes

template <class M> M* name_kernel(M* message, const KernelRow& kernel) {
  message->set_kernel_id(std::string(kernel.id.view()));
  message->set_attempt(kernel.attempt);
  return message;
}

EventList end_of(const DecisionContext& c, const KernelRow& kernel, const v1::KernelFact& fact) {
  EventList events;
  auto* t = name_kernel(events.add(c.stamp).mutable_kernel_terminated(), kernel);
  const bool known = v1::KernelEnd_IsValid(fact.end()) && fact.end() != v1::KERNEL_END_UNSPECIFIED;
  t->set_end(known ? fact.end() : v1::RESULT_UNKNOWN);
  t->set_exit_code(fact.exit_code());
  t->set_started_ns(fact.started_ns());
  t->set_ended_ns(fact.ended_ns());
  t->set_code(fact.code());
  t->set_message(clipped(fact.message(), kMessageMax));
  return events;
}

EventList progress_of(const DecisionContext& c, const KernelRow& kernel, const v1::KernelFact& fact) {
  EventList events;
  v1::Event& e = events.add(c.stamp);
  switch (fact.state()) {
    case v1::PREPARING: name_kernel(e.mutable_kernel_preparing(), kernel); break;
    case v1::PULLING: name_kernel(e.mutable_kernel_pulling(), kernel)->set_percent(fact.percent()); break;
    case v1::PREPARED: name_kernel(e.mutable_kernel_prepared(), kernel); break;
    case v1::CREATING: name_kernel(e.mutable_kernel_creating(), kernel); break;
    case v1::RUNNING: {
      auto* running = name_kernel(e.mutable_kernel_running(), kernel);
      running->set_started_ns(fact.started_ns());
      running->set_pid(fact.pid());
      break;
    }
    default: return {};
  }
  return events;
}

bool advances(const KernelRow& kernel, const v1::KernelFact& fact) {
  const auto to = static_cast<KernelState>(fact.state());
  if (to == KernelState::kPulling && kernel.state == KernelState::kPulling)
    return fact.percent() > kernel.percent;
  return projections::may_move(kernel.state, to);
}

// A snapshot is wanted if the agent has something that the journal does not know of: an end that the journal
// has already, so that no event makes the agent forget it, or a kernel that runs although nothing ordered it
// (the journal lost its tail).
PartDecision decide_fact(const DecisionContext& c, const v1::Report& report, const v1::KernelFact& fact) {
  const auto id = Uuid::from_bytes(fact.kernel_id());
  const KernelRow* kernel = id ? c.state.kernels.find(KernelId(*id)) : nullptr;
  if (kernel == nullptr || kernel->attempt != fact.attempt() || kernel->agent != report.agent())
    return {{}, true};
  if (fact.state() == v1::TERMINATED) {
    // The session still waits for its next attempt: what the lost one came to counts (P24).
    if (!kernel->holds_slots() && !projections::is_result_of_lost_run(c.state, *kernel, fact.end()))
      return {{}, true};
    return {end_of(c, *kernel, fact), false};
  }
  const AgentRow* agent = c.state.agents.find(report.agent());
  const bool ends_only =
      agent->incarnation.view() != report.incarnation() || agent->state != AgentState::kAlive;
  if (ends_only || !advances(*kernel, fact)) return {};
  return {progress_of(c, *kernel, fact), false};
}

// A join may be read twice, or much later (P1): only one that was sent lately and never read before counts.
bool is_new_join(const DecisionContext& c, const v1::Report& report, const v1::Join& join) {
  const auto nonce = Uuid::from_bytes(join.nonce());
  const auto incarnation = Uuid::from_bytes(report.incarnation());
  if (!nonce || nonce->is_nil() || !incarnation || incarnation->is_nil()) return false;
  if (from_wire_ms(report.sent_ms()) + projections::kJoinKeptFor < c.now) return false;
  return c.state.agents.find(report.agent())->nonce != *nonce &&
         c.state.joins.find(projections::JoinRow::make_key(report.agent(), *nonce)) == nullptr;
}

// What two readers could count differently: a name given twice, or an amount that is none. It is left out: a
// join is a fact and not refused.
void make_sound(google::protobuf::RepeatedPtrField<v1::SlotAmount>* slots) {
  std::set<std::string> seen;
  slots->erase(std::remove_if(slots->begin(), slots->end(),
                              [&](const v1::SlotAmount& slot) {
                                return slot.amount() < 0 || slot.amount() > kAmountMax ||
                                       !seen.insert(slot.slot()).second;
                              }),
               slots->end());
}

void make_sound(google::protobuf::RepeatedPtrField<v1::AgentVolume>* volumes) {
  std::set<std::string> seen;
  volumes->erase(std::remove_if(volumes->begin(), volumes->end(),
                                [&](const v1::AgentVolume& volume) {
                                  const auto id = Uuid::from_bytes(volume.id());
                                  return !id || id->is_nil() || !is_valid_name(volume.name()) ||
                                         seen.size() >= projections::kVolumesOfAgentMax ||
                                         !seen.insert(volume.id()).second;
                                }),
                 volumes->end());
}

// They come of a program that this machine does not know, and go to people's terminals.
std::string unfit_words(const std::string& told) {
  const std::string words = plain_line(told, kUnfitMax);
  return words.empty() ? "its reason cannot be shown" : words;
}

void make_sound(v1::AgentJoined* joined) {
  make_sound(joined->mutable_slots());
  make_sound(joined->mutable_volumes());
  if (!joined->unfit().empty()) joined->set_unfit(unfit_words(joined->unfit()));
  std::set<std::string> seen;
  auto* devices = joined->mutable_devices();
  devices->erase(
      std::remove_if(devices->begin(), devices->end(),
                     [&](const v1::Device& d) { return d.id().empty() || !seen.insert(d.id()).second; }),
      devices->end());
  for (auto& device : *devices) make_sound(device.mutable_slots());
}

EventList decide_join(const DecisionContext& c, const v1::Report& report, const v1::Join& join) {
  if (!is_new_join(c, report, join)) return {};
  EventList events;
  auto* joined = events.add(c.stamp).mutable_agent_joined();
  *joined = join.agent();
  make_sound(joined);
  joined->set_agent(report.agent());
  joined->set_incarnation(report.incarnation());
  joined->set_nonce(join.nonce());
  joined->set_sent_ms(report.sent_ms());
  return events;
}

EventList decide_volumes(const DecisionContext& c, const v1::Report& report) {
  EventList events;
  if (is_of_its_incarnation(c.state, report)) name_volume_agents_after_join(c, report.agent(), events);
  return events;
}

bool is_new_failure(const FolderRow& folder) {
  return folder.state == FolderState::kCreating ||
         (folder.state == FolderState::kPurging && folder.code.empty());
}

// The agent that is named for the folder's volume is heard alone: it was told what to do, and so is whoever
// is named after it. It may say the same again, or what no longer fits: that is no event. A failure to remove
// a folder is told once, until the agent is told to remove it again.
EventList decide_folder(const DecisionContext& c, const v1::Report& report, const v1::FolderFact& fact) {
  const auto id = Uuid::from_bytes(fact.folder());
  const FolderRow* folder = id ? c.state.folders.find(FolderId(*id)) : nullptr;
  if (folder == nullptr) return {};
  const projections::VolumeRow* volume = c.state.volumes.find(folder->volume);
  if (volume == nullptr || volume->agent != report.agent()) return {};
  EventList events;
  if (fact.result() == v1::FOLDER_MADE && folder->state == FolderState::kCreating) {
    events.add(c.stamp).mutable_folder_ready()->set_folder(fact.folder());
  } else if (fact.result() == v1::FOLDER_REMOVED && folder->state == FolderState::kPurging) {
    events.add(c.stamp).mutable_folder_purged()->set_folder(fact.folder());
  } else if (fact.result() == v1::FOLDER_FAILED && is_new_failure(*folder)) {
    auto* failed = events.add(c.stamp).mutable_folder_failed();
    failed->set_folder(fact.folder());
    failed->set_code(fact.code() == v1::CODE_UNSPECIFIED ? v1::CODE_FOLDER_FAILED : fact.code());
    failed->set_message(clipped(fact.message(), kMessageMax));
  }
  return events;
}

EventList decide_leaving(const DecisionContext& c, const v1::Report& report) {
  const AgentRow* agent = c.state.agents.find(report.agent());
  if (agent->incarnation.view() != report.incarnation() || agent->state != AgentState::kAlive) return {};
  EventList events;
  auto* left = events.add(c.stamp).mutable_agent_left();
  left->set_agent(report.agent());
  left->set_incarnation(report.incarnation());
  name_volume_agents_without(c, report.agent(), events);
  return events;
}

struct PartDecider {
  const DecisionContext& c;
  const v1::Report& report;

  PartDecision operator()(const SnapshotPart&) const { return {{}, true}; }
  PartDecision operator()(const JoinPart& part) const { return {decide_join(c, report, part.join), false}; }
  PartDecision operator()(const VolumesPart&) const { return {decide_volumes(c, report), false}; }
  // The snapshot that answers the join settles what the journal does not know of.
  PartDecision operator()(const ToldKernelPart& part) const {
    return {decide_fact(c, report, part.kernel).events, false};
  }
  PartDecision operator()(const FactPart& part) const { return decide_fact(c, report, part.fact); }
  PartDecision operator()(const FolderFactPart& part) const {
    return {decide_folder(c, report, part.fact), false};
  }
  PartDecision operator()(const LeavingPart&) const { return {decide_leaving(c, report), false}; }
};

}  // namespace

std::vector<ReportPart> parts_of(const v1::Report& report) {
  std::vector<ReportPart> parts;
  const int told = report.join().kernels_size() + report.facts_size() + report.folders_size();
  parts.reserve(static_cast<std::size_t>(told) + (report.has_join() ? 2 : 0) +
                (report.snapshot_wanted() ? 1 : 0) + (report.leaving() ? 1 : 0));
  if (report.snapshot_wanted()) parts.emplace_back(SnapshotPart{});
  if (report.has_join()) {
    parts.emplace_back(JoinPart{report.join()});
    parts.emplace_back(VolumesPart{});
  }
  for (const auto& kernel : report.join().kernels()) parts.emplace_back(ToldKernelPart{kernel});
  for (const auto& fact : report.facts()) parts.emplace_back(FactPart{fact});
  for (const auto& fact : report.folders()) parts.emplace_back(FolderFactPart{fact});
  if (report.leaving()) parts.emplace_back(LeavingPart{});
  return parts;
}

PartDecision decide(const DecisionContext& c, const v1::Report& report, const ReportPart& part) {
  DecisionContext stamped = c;
  stamped.stamp = {"agent:" + report.agent(), {}, {}};
  return std::visit(PartDecider{stamped, report}, part);
}

bool is_of_its_incarnation(const projections::State& state, const v1::Report& report) {
  const AgentRow* agent = state.agents.find(report.agent());
  return agent != nullptr && agent->incarnation.view() == report.incarnation();
}

EventList end_kernel(const DecisionContext& c, const KernelRow& kernel, v1::KernelEnd end,
                     std::string message) {
  v1::KernelFact fact;
  fact.set_end(end);
  fact.set_started_ns(kernel.started_at);
  fact.set_ended_ns(c.now);
  fact.set_message(std::move(message));
  return end_of(c, kernel, fact);
}

namespace {

constexpr Duration kFirstRetryAfter = kSecond;         // then four times as long each time,
constexpr Duration kRetryAfterMax = kMinute;           // up to this,
constexpr Duration kRetryAfterFaultMax = 5 * kMinute;  // or this, where the machine was at fault

Duration retry_after(std::uint32_t times, Duration max) {
  Duration wait = kFirstRetryAfter;
  for (std::uint32_t n = 1; n < times && wait < max; ++n) wait *= 4;
  return std::min(wait, max);
}

// True if at least one kernel failed to start, and each of these failed by a fault of its machine. Such a
// start does not count as an attempt.
bool is_fault_of_machines(const DecisionContext& c, const SessionRow& session) {
  std::size_t faults = 0;
  for (const KernelId& id : session.kernel_ids) {
    const KernelRow* kernel = c.state.kernels.find(id);
    if (kernel->end != v1::START_FAILED) continue;
    if (!is_machine_fault(kernel->code)) return false;
    ++faults;
  }
  return faults > 0;
}

// The image is not what was registered, wherever the session starts: another try would end alike.
bool fails_for_good(const DecisionContext& c, const SessionRow& session) {
  return std::any_of(session.kernel_ids.begin(), session.kernel_ids.end(), [&](const KernelId& id) {
    const KernelRow* kernel = c.state.kernels.find(id);
    return kernel->end == v1::START_FAILED &&
           (kernel->code == "unknown-image" || kernel->code == "image-required" ||
            kernel->code == "image-digest-differs" || kernel->code == "image-user-unknown");
  });
}

}  // namespace

EventList settle(const DecisionContext& c, const SessionId& id) {
  const SessionRow* session = c.state.sessions.find(id);
  if (session == nullptr || session->status != SessionStatus::kRescheduling) return {};
  if (session->kernels_ended != session->kernel_ids.size()) return {};
  const bool failed_start = session->reason_code == projections::end_reason::kStartFailed;
  const bool fault = failed_start && is_fault_of_machines(c, *session);
  const std::uint32_t attempts = session->attempts + (failed_start && !fault ? 1 : 0);
  const bool for_good = failed_start && fails_for_good(c, *session);
  EventList events;
  v1::Event& e = events.add(c.stamp);
  if (for_good || (failed_start && !fault && attempts >= session->spec->spec.max_attempts())) {
    e.mutable_session_failed()->set_session_id(std::string(id.view()));
    e.mutable_session_failed()->set_code(for_good ? v1::CODE_START_FAILED : v1::CODE_GAVE_UP);
    e.mutable_session_failed()->set_message(clipped(session->message, kMessageMax));
  } else {
    auto* requeued = e.mutable_session_requeued();
    requeued->set_session_id(std::string(id.view()));
    requeued->set_attempts(attempts);
    requeued->set_reason(wire(session->reason_code));
    requeued->set_message(clipped(session->message, kMessageMax));
    if (failed_start)
      requeued->set_not_before_ns(
          c.now + (fault
                       ? retry_after(session->attempt % projections::kAttemptsOfARestore, kRetryAfterFaultMax)
                       : retry_after(attempts, kRetryAfterMax)));
  }
  return events;
}

}  // namespace berth::controller
