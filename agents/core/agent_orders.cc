// The part of Agent that obeys orders (P21).
#include "agents/core/agent.h"
#include "agents/core/kernel_spec.h"

namespace berth::agents {
namespace {

std::optional<KernelKey> key_in(const std::string& kernel_id, std::uint32_t attempt) {
  const auto kernel = Uuid::from_bytes(kernel_id);
  if (!kernel || kernel->is_nil() || attempt == 0) return std::nullopt;
  return KernelKey{KernelId(*kernel), attempt};
}

}  // namespace

void Agent::on(const OrderArrived& arrived, Instant now, AgentOutputs& out) {
  const v1::Order& order = arrived.order;
  if (order.agent() != announced_.agent() || incarnation_.is_nil()) return;
  if (!order.incarnation().empty() && order.incarnation() != incarnation_.view()) return;
  if (!SnapshotParts::is_part(order.snapshot())) return judge(order, now, out);
  if (const auto whole = parts_.add(order)) judge(*whole, now, out);
}

void Agent::judge(const v1::Order& order, Instant now, AgentOutputs& out) {
  switch (gate_.judge(order, now.boottime)) {
    case OrderGate::Verdict::kDrop: return;
    case OrderGate::Verdict::kObey: return obey(order, false, now, out);
    case OrderGate::Verdict::kStopsOnly: return obey(order, true, now, out);
    case OrderGate::Verdict::kJoinAnew: return join_anew("the election it knew is void", out);
    case OrderGate::Verdict::kOrdersLost:
      return join_anew("the journal no longer has an order that was obeyed", out);
  }
}

void Agent::obey(const v1::Order& order, bool stops_only, Instant now, AgentOutputs& out) {
  const OrderPosition position = position_of(order.position());
  if (order.has_snapshot()) return obey_snapshot(order.snapshot(), position, now, out);
  for (const auto& stop : order.stop()) obey_stop(stop, position, now, out);
  if (stops_only) return;
  for (const auto& forget : order.forget()) obey_forget(forget, now, out);
  for (const auto& start : order.start()) begin(start, now, out);
  obey_folders(order.folders(), out);
}

void Agent::obey_folders(const google::protobuf::RepeatedPtrField<v1::FolderOrder>& orders,
                         AgentOutputs& out) {
  for (const auto& order : orders)
    if (!folders_.add(order))
      out.log.push_back({LogLevel::kError, "an order about a folder has malformed ids: ignored"});
  if (const auto work = folders_.next()) out.commands.push_back(*work);
}

void Agent::on(const FolderDone& done, Instant, AgentOutputs& out) {
  folders_.done(done.result);
  if (const auto work = folders_.next()) out.commands.push_back(*work);
}

void Agent::obey_stop(const v1::StopKernel& stop, const OrderPosition& position, Instant now,
                      AgentOutputs& out) {
  const auto key = key_in(stop.kernel_id(), stop.attempt());
  if (!key) return;
  KernelRecord* record = kernels_.find(*key);
  if (record == nullptr) {
    // Its start never came here: the end is true, and keeps a start that comes late from happening.
    KernelRecord& unborn = kernels_.add(*key, KernelPhase::kDeferred);
    unborn.stopped_at = position;
    end_unstarted(unborn, v1::NEVER_STARTED, {}, now);
  } else if (record->ended()) {
    kernels_.mark(*record);
  } else {
    this->stop(*record, stop.grace_ms() * kMillisecond, now, out);
  }
}

// An order to forget a kernel that lives: the journal lost its end, had it started again, and then read the
// end. What should be here is for a snapshot to say.
void Agent::obey_forget(const v1::ForgetKernel& order, Instant now, AgentOutputs& out) {
  const auto key = key_in(order.kernel_id(), order.attempt());
  if (!key) return;
  const KernelRecord* record = kernels_.find(*key);
  if (record == nullptr) return;
  if (!record->ended()) {
    const std::string name = to_string(key->kernel);
    out.log.push_back(
        {LogLevel::kWarning, "told to forget kernel " + name + ", which still lives: asking for a snapshot"});
    return gate_.want_snapshot(now.boottime);
  }
  forget(*key, out);
}

void Agent::obey_snapshot(const v1::Snapshot& snapshot, const OrderPosition& position, Instant now,
                          AgentOutputs& out) {
  std::map<KernelKey, const v1::DesiredKernel*> listed;
  for (const auto& desired : snapshot.kernels())
    if (const auto key = key_of(desired.start())) listed.emplace(*key, &desired);
  for (const KernelKey& key : kernels_.keys())
    if (!listed.contains(key)) drop_unwanted(*kernels_.find(key), position, out);
  for (const auto& [key, desired] : listed)
    if (KernelRecord* record = kernels_.find(key)) {
      record->unwanted = false;
      describe(*record, desired->start());
    }
  lower_capacity(out);
  if (incarnation_.is_nil()) return;  // joins anew with less
  lease_.let_in(now.boottime);
  folders_.clear_waiting();  // the snapshot says all that is still to be done
  obey_folders(snapshot.folders(), out);
  for (const auto& [key, desired] : listed) obey_desired(*desired, key, now, out);
  give_deferred(now, out);
}

void Agent::obey_desired(const v1::DesiredKernel& desired, const KernelKey& key, Instant now,
                         AgentOutputs& out) {
  if (KernelRecord* record = kernels_.find(key)) {
    if (static_cast<std::uint32_t>(record->fact.state()) > desired.state())
      kernels_.mark(*record);  // its report was lost
    if (!record->ended() && desired.stopping()) {
      stop(*record, record->stopping ? record->grace : times_.grace, now, out);
    }
    return;
  }
  if (!desired.started() && !desired.stopping()) return begin(desired.start(), now, out);
  KernelRecord& gone = kernels_.add(key, KernelPhase::kDeferred);
  gone.session_name = desired.start().session_name();
  if (desired.started()) {
    end_unstarted(gone, v1::RESULT_UNKNOWN,
                  make_error("result-unknown", "the agent no longer knows this kernel"), now);
  } else {
    end_unstarted(gone, v1::NEVER_STARTED, {}, now);
  }
}

void Agent::drop_unwanted(KernelRecord& record, const OrderPosition& position, AgentOutputs& out) {
  const KernelKey key = record.key;
  switch (record.phase) {
    case KernelPhase::kEnded:
      // A stop that is newer than the snapshot: its start may still come.
      if (record.stopped_at > position) return;
      return forget(key, out);
    case KernelPhase::kPulling:
    case KernelPhase::kDeferred: return forget(key, out);
    case KernelPhase::kGiven:
      record.unwanted = true;
      if (record.stopping) return;
      out.log.push_back(
          {LogLevel::kWarning, "kernel " + to_string(key.kernel) + " is not wanted here: stopping it"});
      record.stopping = true;
      record.grace = times_.grace;
      out.commands.push_back(StopCommand{key, record.grace});
  }
}

void Agent::lower_capacity(AgentOutputs& out) {
  allocation_.set_capacity(profile_.announced);
  const bool fits = allocation_.over_committed().empty();
  const bool lower = profile_.announced.SerializeAsString() != announced_.SerializeAsString();
  if (!fits)
    warn_over_commitment(lower ? "the old capacity is kept: " : "more is given than there is: ", out);
  if (lower && fits) {
    announced_ = profile_.announced;
    join_anew("capacity is lowered as configured", out);
  }
  allocation_.set_capacity(announced_);
}

void Agent::warn_over_commitment(const char* what, AgentOutputs& out) {
  std::set<std::string> sessions;
  for (const auto& [key, record] : kernels_.records())
    if (!record.ended() && !record.given.devices.empty()) sessions.insert(record.session_name);
  std::string names;
  for (const auto& name : sessions) names += (names.empty() ? "" : ", ") + name;
  for (const auto& line : allocation_.over_committed())
    out.log.push_back({LogLevel::kWarning, what + line + "; sessions with devices here: " + names});
}

}  // namespace berth::agents
