// What every request goes through before its own handler: repeat, conflict, expiry (P13).
#include "controller/decide/decide.h"
#include "events/codec/request_hash.h"

namespace berth::controller {
namespace {

using projections::RequestRow;

void refuse(DecisionContext& c, const Refusal& refusal, const Hash128& body_hash) {
  v1::Event e = c.event();
  auto* refused = e.mutable_request_refused();
  refused->set_code(refusal.code);
  refused->set_message(refusal.message);
  refused->set_hint(refusal.hint);
  refused->set_body_hash(std::string(as_view(body_hash)));
  c.emit(std::move(e));
}

// A key that was answered before: the first answer stands for the same body, another body is a conflict. The
// event tells the sender; neither changes the state.
void repeat(DecisionContext& c, const RequestRow& first, const Hash128& body_hash) {
  v1::Event e = c.event();
  if (first.body_hash != Hash128{} && first.body_hash != body_hash) {
    e.clear_request_id();  // the row of this key belongs to the first body
    auto* refused = e.mutable_request_refused();
    refused->set_code("idempotency-conflict");
    refused->set_message("this idempotency key was used for another request");
    refused->set_hint("use a new key for a new request");
    refused->set_body_hash(std::string(as_view(body_hash)));
  } else {
    projections::to_proto(first.position, e.mutable_request_repeated()->mutable_first());
  }
  c.emit(std::move(e));
}

Timestamp deadline_of(const v1::Request& request) {
  const Timestamp sent = request.sent_ms() * kMillisecond;
  if (request.not_after_ms() == 0) return sent + kNotAfterDefault;
  return std::min(request.not_after_ms() * kMillisecond, sent + kNotAfterMax);
}

std::optional<Refusal> dispatch(DecisionContext& c, const v1::Request& r, const Hash128& body_hash) {
  switch (r.body_case()) {
    case v1::Request::kRequestSession: return decide(c, r, r.request_session(), body_hash);
    case v1::Request::kTerminateSession: return decide(c, r, r.terminate_session());
    case v1::Request::kDefine: return decide(c, r, r.define());
    case v1::Request::kSetLimit: return decide(c, r.set_limit());
    case v1::Request::kRemoveLimit: return decide(c, r.remove_limit());
    case v1::Request::kFenceAgent: return decide(c, r.fence_agent());
    case v1::Request::kDrainAgent: return decide(c, r.drain_agent());
    case v1::Request::kEnrollAgent: return decide(c, r.enroll_agent());
    case v1::Request::kConfirmClock: return decide(c, r.confirm_clock());
    case v1::Request::kReleaseQuarantine: return decide(c, r.release_quarantine());
    case v1::Request::BODY_NOT_SET: break;
  }
  return Refusal{"unknown-request", "this controller does not know what is asked",
                 "is its sender newer than the controller?"};
}

}  // namespace

void decide_request(DecisionContext& c, const v1::Request& request) {
  const auto id = Uuid::from_bytes(request.id());
  if (!id || id->is_nil() || request.actor().empty()) return;  // nobody to answer; consumed
  c.actor = request.actor();
  c.request_id = request.id();
  c.trace = request.trace();
  const Hash128 body_hash = request_body_hash(request);
  if (const RequestRow* first = c.state.requests.find(RequestRow::make_key(c.actor, *id))) {
    repeat(c, *first, body_hash);
    return;
  }
  if (c.now > deadline_of(request)) {
    v1::Event e = c.event();
    e.mutable_request_expired()->set_not_after_ms(deadline_of(request) / kMillisecond);
    e.mutable_request_expired()->set_body_hash(std::string(as_view(body_hash)));
    c.emit(std::move(e));
    return;
  }
  if (const auto refusal = dispatch(c, request, body_hash)) refuse(c, *refusal, body_hash);
}

}  // namespace berth::controller
