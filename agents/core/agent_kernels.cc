// The part of Agent that follows kernels through their lives (P22, P24, P25).
#include <algorithm>

#include "agents/core/agent.h"
#include "agents/core/kernel_spec.h"
#include "events/base/edge_errors.h"
#include "events/base/slots/slot_name.h"

namespace berth::agents {
namespace {

constexpr std::uint32_t kPercentStep = 10;  // a pull is told in steps of this

v1::KernelEnd to_wire(KernelEnd end) {
  switch (end) {
    case KernelEnd::kExited: return v1::EXITED;
    case KernelEnd::kSignalled: return v1::SIGNALLED;
    case KernelEnd::kOutOfMemory: return v1::OUT_OF_MEMORY;
    case KernelEnd::kStopped: return v1::STOPPED;
    case KernelEnd::kLeaseOver: return v1::LEASE_OVER;
    case KernelEnd::kMachineStopped: return v1::MACHINE_STOPPED;
    case KernelEnd::kStartFailed: return v1::START_FAILED;
    case KernelEnd::kResultUnknown: return v1::RESULT_UNKNOWN;
  }
  return v1::RESULT_UNKNOWN;
}

std::string image_key(const ImageRequest& image) {
  return image.reference + "\n" + image.source + "\n" + image.digest;
}

ImageRequest image_of(const v1::StartKernel& order) {
  return {order.image(), order.image_source(), order.image_digest()};
}

Error given_differs(std::string why) { return make_error("given-differs", std::move(why)); }

}  // namespace

void Agent::begin(const v1::StartKernel& order, Instant now, AgentOutputs& out) {
  const auto key = key_of(order);
  if (!key) {
    out.log.push_back({LogLevel::kError, "an order to start a kernel has malformed ids: ignored"});
    return;
  }
  if (KernelRecord* known = kernels_.find(*key)) {  // a repeat, or stopped before its start came
    known->unwanted = false;
    return;
  }
  KernelRecord& record = kernels_.add(*key, KernelPhase::kDeferred);
  record.session_name = order.session_name();
  std::optional<std::string> why;
  record.given = given_by(order, why);
  record.requeueable = order.spec().requeueable();
  record.amounts_known = true;
  if (!why) why = allocation_.impossible(record.given);
  if (why) return end_unstarted(record, v1::START_FAILED, given_differs(*why), now);
  if (const auto mounts = mounts_of(order, profile_.volumes); !mounts)
    return end_unstarted(record, v1::START_FAILED, mounts.error(), now);
  if (order.has_environment())
    return end_unstarted(record, v1::START_FAILED,
                         make_error("seal-broken", "the session's environment does not open here",
                                    "is the agent's key of an older generation?"),
                         now);
  if (leaving_)
    return end_unstarted(record, v1::NEVER_STARTED, make_error("agent-leaving", "the agent is stopping"),
                         now);
  if (!profile_.needs_image) return give(record, order, now, out);
  record.order = std::make_unique<v1::StartKernel>(order);
  fetch_image(record, now, out);
}

// A kernel that recover() found has what it has, whatever a check says (P8), until it has ended (P24).
void Agent::count(KernelRecord& record, const KernelHolding& holding) {
  record.session_name = holding.session_name;
  record.given.slots = {{"cpu", holding.cpu}, {"mem", holding.mem}};
  if (holding.disk > 0) record.given.slots.emplace_back(kDiskSlot, holding.disk);
  for (const DeviceGrant& grant : holding.devices) {
    v1::DeviceShare& share = record.given.devices.emplace_back();
    share.set_device(grant.device);
    share.set_slot(grant.slot);
    share.set_amount(grant.amount);
  }
  record.amounts_known = true;
  allocation_.add(record.given);
}

void Agent::describe(KernelRecord& record, const v1::StartKernel& order) {
  record.session_name = order.session_name();
  record.requeueable = order.spec().requeueable();
  if (record.amounts_known || record.ended()) return;
  std::optional<std::string> why;
  record.given = given_by(order, why);
  record.amounts_known = true;
  allocation_.add(record.given);
}

// Recovery found a kernel, and neither its record nor the snapshot says what it has: it may be anything.
bool Agent::any_of_unknown_amounts() const {
  return std::any_of(kernels_.records().begin(), kernels_.records().end(), [](const auto& entry) {
    return entry.second.phase == KernelPhase::kGiven && !entry.second.amounts_known;
  });
}

void Agent::fetch_image(KernelRecord& record, Instant now, AgentOutputs& out) {
  ImageRequest request = image_of(*record.order);
  if (request.reference.empty())
    return end_unstarted(record, v1::START_FAILED,
                         make_error("image-required", "this agent's backend needs an image"), now);
  record.phase = KernelPhase::kPulling;
  kernels_.advance(record, v1::PREPARING);
  kernels_.mark(record);
  auto& waiting = pulls_[image_key(request)];
  waiting.insert(record.key);
  if (waiting.size() == 1) out.commands.push_back(EnsureImage{std::move(request)});
}

void Agent::on(const ImageMoved& moved, Instant, AgentOutputs&) {
  const std::uint32_t percent = std::min(moved.progress.percent, 100u);
  for (const auto& [image, waiting] : pulls_) {
    if (image.substr(0, image.find('\n')) != moved.progress.reference) continue;
    for (const KernelKey& key : waiting) {
      KernelRecord& record = *kernels_.find(key);
      const bool fresh = kernels_.advance(record, v1::PULLING);
      if (!fresh && percent < record.fact.percent() + kPercentStep) continue;
      record.fact.set_percent(percent);
      kernels_.mark(record);
    }
  }
}

void Agent::on(const ImageDone& done, Instant now, AgentOutputs& out) {
  const auto pull = pulls_.find(image_key(done.request));
  if (pull == pulls_.end()) return;
  const std::set<KernelKey> waiting = std::move(pull->second);
  pulls_.erase(pull);
  for (const KernelKey& key : waiting) {
    KernelRecord& record = *kernels_.find(key);
    if (!done.result.ok()) {
      if (is_machine_fault(done.result.error().code)) fitness_.doubt(done.result.error(), now.boottime);
      end_unstarted(record, v1::START_FAILED, done.result.error(), now);
      continue;
    }
    record.rootfs = done.result.value().rootfs;
    record.phase = KernelPhase::kDeferred;
    record.fact.set_percent(0);
    kernels_.advance(record, v1::PREPARED);
    kernels_.mark(record);
    give(record, *record.order, now, out);
  }
}

void Agent::give(KernelRecord& record, const v1::StartKernel& order, Instant now, AgentOutputs& out) {
  const auto lacking = allocation_.lacking(record.given);
  // Room is on its way where a kernel that nobody wants here any more is still ending.
  const auto is_ending = [](const auto& entry) {
    return entry.second.phase == KernelPhase::kGiven && entry.second.stopping;
  };
  const bool room_comes =
      lacking && std::any_of(kernels_.records().begin(), kernels_.records().end(), is_ending);
  if (lacking && !room_comes) return end_unstarted(record, v1::START_FAILED, given_differs(*lacking), now);
  if (!fitness_.unfit().empty())
    return end_unstarted(record, v1::START_FAILED, make_error("agent-unfit", fitness_.unfit()), now);
  if (lacking || !gate_.open() || fitness_.in_doubt() || any_of_unknown_amounts() ||
      (record.requeueable && !lease_.until())) {
    if (!record.order) record.order = std::make_unique<v1::StartKernel>(order);
    deferred_.insert(record.key);
    return;
  }
  allocation_.add(record.given);
  std::optional<Timestamp> lease_until;
  if (record.requeueable) lease_until = lease_.until();
  KernelSpec spec = build_spec(order, lease_until);
  if (auto mounts = mounts_of(order, profile_.volumes)) spec.mounts = std::move(*mounts);
  out.commands.push_back(StartCommand{std::move(spec), record.rootfs});
  record.phase = KernelPhase::kGiven;
  record.was_given = true;
  record.order.reset();
}

void Agent::give_deferred(Instant now, AgentOutputs& out) {
  if (deferred_.empty() || !gate_.open() || fitness_.in_doubt()) return;
  const std::set<KernelKey> deferred = std::exchange(deferred_, {});
  for (const KernelKey& key : deferred) {
    KernelRecord& record = *kernels_.find(key);
    give(record, *record.order, now, out);
  }
}

// No kernel can start here now: others have to start these.
void Agent::refuse_deferred(Instant now) {
  for (const KernelKey& key : std::exchange(deferred_, {}))
    end_unstarted(*kernels_.find(key), v1::START_FAILED, make_error("agent-unfit", fitness_.unfit()), now);
}

void Agent::stop(KernelRecord& record, Duration grace, Instant now, AgentOutputs& out) {
  if (record.phase != KernelPhase::kGiven) return end_unstarted(record, v1::NEVER_STARTED, {}, now);
  grace = std::max<Duration>(grace, 0);
  if (record.stopping && grace >= record.grace) return;
  record.stopping = true;
  record.grace = grace;
  out.commands.push_back(StopCommand{record.key, grace});
}

void Agent::end_unstarted(KernelRecord& record, v1::KernelEnd end, Error why, Instant now) {
  deferred_.erase(record.key);
  // A pull that nobody waits for goes on to its end: the next kernel will want the image.
  for (auto& [image, waiting] : pulls_) waiting.erase(record.key);
  if (!kernels_.end(record, end, std::move(why.code), std::move(why.message))) return;
  record.fact.set_ended_ns(now.wall);
  kernels_.mark(record);
}

void Agent::on(const KernelEvent& event, Instant now, AgentOutputs& out) {
  KernelRecord* record = kernels_.find(event.key);
  if (record == nullptr || record->ended()) return;
  if (event.what == KernelEvent::What::kStays)
    out.log.push_back(
        {LogLevel::kWarning,
         "kernel " + to_string(event.key.kernel) + " of session " + record->session_name +
             " was to end and keeps what it has, for some of it does not end: " + to_string(event.error)});
  take_event(*record, event);
  if (event.what == KernelEvent::What::kRunning) fitness_.started();
  if (!record->ended()) return;
  if (event.end == KernelEnd::kStartFailed) {
    if (is_machine_fault(event.error.code))
      fitness_.doubt(event.error, now.boottime);
    else
      fitness_.start_failed();
  }
  if (record->amounts_known) allocation_.remove(record->given);
  if (record->unwanted) forget(event.key, out);
  give_deferred(now, out);
}

void Agent::take_event(KernelRecord& record, const KernelEvent& event) {
  if (event.started_at != 0) record.fact.set_started_ns(event.started_at);
  if (event.pid != 0) record.fact.set_pid(event.pid);
  bool moved = false;
  switch (event.what) {
    case KernelEvent::What::kCreating: moved = kernels_.advance(record, v1::CREATING); break;
    case KernelEvent::What::kRunning: moved = kernels_.advance(record, v1::RUNNING); break;
    case KernelEvent::What::kStays: break;
    case KernelEvent::What::kEnded:
      record.fact.set_exit_code(event.exit_code);
      record.fact.set_ended_ns(event.ended_at);
      moved = record.stopped_to_leave && event.end == KernelEnd::kStopped
                  ? kernels_.end(record, v1::STOPPED, "agent-stopped", "the agent was stopped")
                  : kernels_.end(record, to_wire(event.end), event.error.code, event.error.message);
      break;
  }
  if (moved) kernels_.mark(record);
}

void Agent::forget(const KernelKey& key, AgentOutputs& out) {
  const KernelRecord* record = kernels_.find(key);
  if (record->was_given && record->ended()) out.commands.push_back(ForgetCommand{key});
  deferred_.erase(key);
  for (auto& [image, waiting] : pulls_) waiting.erase(key);
  kernels_.erase(key);
}

}  // namespace berth::agents
