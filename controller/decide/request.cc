// What every request goes through before its own handler: repeat, conflict, expiry (P13), and whether its
// actor may ask.
#include <algorithm>

#include "controller/decide/check_actor.h"
#include "controller/decide/decide.h"
#include "controller/decide/producers/check_producer.h"
#include "events/base/text.h"
#include "events/base/time/rfc3339.h"
#include "events/base/trace_context.h"
#include "events/base/wire_time.h"
#include "events/codec/envelope.h"
#include "events/codec/signing.h"
#include "events/codec/words/codes.h"

namespace berth::controller {
namespace {

using projections::RequestRow;

// Bytes of a refusal's message, and of its hint: both may quote what the state holds (P4).
constexpr std::size_t kTextMax = 1u << 10;
constexpr std::size_t kReasonMax = 800;  // 200 characters in bytes; it stands in each event

// A repeat of the request is told from a conflict by this hash (P13).
void put_hash(v1::Event& event, const RequestHash& hash) {
  event.set_body_hash(std::string(as_view(hash.bytes)));
  event.set_keyed(hash.keyed);
}

// After the events of what was begun, if any.
EventList refuse(const Stamp& stamp, const Refusal& refusal, const RequestHash& hash, EventList events = {}) {
  v1::Event& event = events.add(stamp);
  put_hash(event, hash);
  auto* refused = event.mutable_request_refused();
  refused->set_code(wire(refusal.code));
  refused->set_message(clipped(refusal.message, kTextMax));
  refused->set_hint(clipped(refusal.hint, kTextMax));
  return events;
}

// A key that was answered before: the first answer stands for the same body, another body is a conflict. The
// event tells the sender; neither changes the state.
EventList repeat(const Stamp& stamp, const RequestRow& first, const RequestHash& hash) {
  if (first.body_hash == Hash128{} || hash == RequestHash{first.body_hash, first.keyed}) {
    EventList events;
    projections::to_proto(first.position, events.add(stamp).mutable_request_repeated()->mutable_first());
    return events;
  }
  Stamp without_key = stamp;  // the row of this key belongs to the first body
  without_key.request_id.clear();
  return refuse(without_key,
                {"idempotency-conflict", "this idempotency key was used for another request",
                 "use a new key for a new request"},
                hash);
}

EventList expire(const Stamp& stamp, Timestamp deadline, const RequestHash& hash) {
  EventList events;
  v1::Event& event = events.add(stamp);
  put_hash(event, hash);
  event.mutable_request_expired()->set_not_after_ms(deadline / kMillisecond);
  return events;
}

// The key of a request is kept for a day of the cluster's time: one from far ahead could be carried out
// twice.
std::optional<Refusal> check_sent(const v1::Request& request, Timestamp now) {
  const Timestamp sent = from_wire_ms(request.sent_ms());
  if (sent <= now + kAheadMax) return std::nullopt;
  return Refusal{"clock-ahead",
                 "the request is of " + format_second(sent) + ", and the cluster's time is " +
                     format_second(now) + ": it lies more than 10 minutes ahead",
                 "set the sender's clock right (timedatectl), then ask again with a new Idempotency-Key"};
}

// An operator's word on the clock ends what makes others late: it expires only where it says so itself.
bool is_of_a_time(const v1::Request& request) {
  return !request.has_confirm_clock() || request.not_after_ms() != 0;
}

// When the request was made; a time that lies ahead counts as now. A leader that has come to believe its
// clock just now has leapt by hours, and so has the age of what was stamped before that: the maker's wall
// clock, where it agrees with header time, says that the request is fresh.
Timestamp made_at(const v1::Request& request, Timestamp now) {
  const Timestamp sent = std::min(from_wire_ms(request.sent_ms()), now),
                  wall = from_wire_ms(request.wall_ms());
  const bool agrees = wall > now - kNotAfterDefault && wall < now + kAheadMax;
  return agrees ? std::max(sent, std::min(wall, now)) : sent;
}

Timestamp deadline_of(const v1::Request& request, Timestamp now) {
  const Timestamp sent = made_at(request, now);
  if (request.not_after_ms() == 0) return sent + kNotAfterDefault;
  return std::min(from_wire_ms(request.not_after_ms()), sent + kNotAfterMax);
}

Decision dispatch(const DecisionContext& c, const v1::Request& r, const RequestHash& hash) {
  switch (r.body_case()) {
    case v1::Request::kRequestSession: return decide(c, r, r.request_session(), hash);
    case v1::Request::kTerminateSession: return decide(c, r, r.terminate_session());
    case v1::Request::kDefine: return decide(c, r, r.define());
    case v1::Request::kSetLimit: return decide(c, r.set_limit());
    case v1::Request::kRemoveLimit: return decide(c, r.remove_limit());
    case v1::Request::kFenceAgent: return decide(c, r.fence_agent());
    case v1::Request::kDrainAgent: return decide(c, r.drain_agent());
    case v1::Request::kEnrollAgent: return decide(c, r.enroll_agent());
    case v1::Request::kConfirmClock: return decide(c, r.confirm_clock());
    case v1::Request::kReleaseQuarantine: return decide(c, r.release_quarantine());
    case v1::Request::kRemove: return decide(c, r.remove());
    case v1::Request::kCollectAgentKey: return decide(c, r.collect_agent_key());
    case v1::Request::kPutDomain: return decide(c, r.put_domain());
    case v1::Request::kPutProject: return decide(c, r.put_project());
    case v1::Request::kPutUser: return decide(c, r.put_user());
    case v1::Request::kPutMembership: return decide(c, r.put_membership());
    case v1::Request::kAddKeyPair: return decide(c, r, r.add_key_pair());
    case v1::Request::kChangeKeyPair: return decide(c, r.change_key_pair());
    case v1::Request::kIssueLoginLink: return decide(c, r.issue_login_link());
    case v1::Request::kSetPassword: return decide(c, r, r.set_password());
    case v1::Request::kStartBrowserSession: return decide(c, r.start_browser_session());
    case v1::Request::kEndBrowserSessions: return decide(c, r.end_browser_sessions());
    case v1::Request::kRecordUse: return decide(c, r.record_use());
    case v1::Request::kTerminateSessions: return decide(c, r, r.terminate_sessions());
    case v1::Request::kOpenKernel: return decide(c, r, r.open_kernel());
    case v1::Request::kRecordImageBuild: return decide(c, r.record_image_build());
    case v1::Request::kCreateFolder: return decide(c, r.create_folder());
    case v1::Request::kChangeFolder: return decide(c, r.change_folder());
    case v1::Request::kShareFolder: return decide(c, r.share_folder());
    case v1::Request::kForgetVolume: return decide(c, r.forget_volume());
    case v1::Request::kShareSession: return decide(c, r, r.share_session());
    case v1::Request::kPutProducer: return decide(c, r.put_producer());
    case v1::Request::kCollectProducerKey: return decide(c, r.collect_producer_key());
    case v1::Request::kAddSealKey: return decide(c, r.add_seal_key());
    case v1::Request::kDestroySealKey: return decide(c, r.destroy_seal_key());
    case v1::Request::kRecordSealing: return decide(c, r.record_sealing());
    case v1::Request::kRecordBackup: return decide(c, r.record_backup());
    case v1::Request::kResealSecrets: return decide(c, r.reseal_secrets());
    case v1::Request::kSetHistoryRule: return decide(c, r.set_history_rule());
    case v1::Request::kPruneHistory: return decide(c, r.prune_history());
    case v1::Request::kRotateHeadKey: return decide(c, r.rotate_head_key());
    case v1::Request::kRecordRestore:
      return Refusal{"restore-offline", "a log is restored before a controller leads it",
                     "berth restore BACKUP --data DIR"};
    case v1::Request::BODY_NOT_SET: break;
  }
  return Refusal{"unknown-request", "this controller does not know what is asked",
                 "is its sender newer than the controller?"};
}

// Of a request's decision: an empty record has room for it, whatever its header takes.
constexpr std::size_t kMostBytes = kDecisionBytesMax - (1u << 10);

Refusal too_large() {
  return {"request-too-large",
          "the request's record would be larger than " + std::to_string(kRecordBytesMax) + " bytes",
          "ask for less at once"};
}

// The outcome as events: what a record takes of it.
struct Recorded {
  const Stamp& stamp;
  const RequestHash& hash;
  EventList operator()(EventList events) const {
    return events.bytes() > kMostBytes ? (*this)(too_large()) : std::move(events);
  }
  EventList operator()(const Refusal& refusal) const { return refuse(stamp, refusal, hash); }
  EventList operator()(Deferred deferred) const {
    if (deferred.begun.bytes() > kMostBytes) return (*this)(too_large());
    return refuse(stamp, deferred.refusal, hash, std::move(deferred.begun));
  }
};

// Sent again, such a request brings another secret: as long as no API server stamps a hash of what was asked
// for, the key alone tells a repeat.
bool has_fresh_secret(const v1::Request& r) {
  return r.keyed_hash().empty() &&
         (r.has_add_key_pair() || r.has_issue_login_link() || r.has_set_password() ||
          r.has_rotate_head_key() || r.has_start_browser_session() || r.has_enroll_agent());
}

// A producer's plaintext is refused, and no unkeyed hash of it may be in the journal (P29): it is left out.
RequestHash hash_of(const v1::Request& request) {
  if (!producer_of(request.actor()) || request.request_session().spec().env_size() == 0)
    return request_hash(request);
  v1::Request bare = request;
  for (auto& variable : *bare.mutable_request_session()->mutable_spec()->mutable_env())
    variable.clear_value();
  return request_hash(bare);
}

}  // namespace

EventList decide_request(const DecisionContext& c, const v1::Request& request) {
  const auto id = Uuid::from_bytes(request.id());
  if (!id || id->is_nil() || request.actor().empty() || request.actor().size() > kWriterNameMax) return {};
  DecisionContext stamped = c;
  stamped.stamp = {request.actor(), request.id(),
                   is_traceparent(request.trace()) ? request.trace() : std::string(),
                   clipped(request.reason(), kReasonMax)};
  const RequestHash hash = hash_of(request);
  if (const RequestRow* first = c.state.requests.find(RequestRow::make_key(request.actor(), *id)))
    return repeat(stamped.stamp, *first, hash);
  if (is_of_a_time(request)) {
    if (const Timestamp deadline = deadline_of(request, c.now); c.now > deadline)
      return expire(stamped.stamp, deadline, hash);
    if (const auto ahead = check_sent(request, c.now)) return refuse(stamped.stamp, *ahead, hash);
  }
  if (const auto denied = check_producer(stamped, request)) return refuse(stamped.stamp, *denied, hash);
  if (const auto denied = check_actor(stamped, request)) return refuse(stamped.stamp, *denied, hash);
  stamped.actor = find_actor(c.state, whose_rights(request));
  if (const auto denied = check_rights(stamped, request)) return refuse(stamped.stamp, *denied, hash);
  Decision decision = dispatch(stamped, request, hash);
  auto* events = std::get_if<EventList>(&decision);
  if (events != nullptr && !events->empty() && !has_fresh_secret(request))
    put_hash(*events->list().Mutable(0), hash);
  return std::visit(Recorded{stamped.stamp, hash}, std::move(decision));
}

}  // namespace berth::controller
