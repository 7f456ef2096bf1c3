#include "controller/api/routes/asker.h"

#include "controller/api/map/time_text.h"
#include "events/base/hash.h"
#include "events/base/plain_text.h"
#include "events/base/wire_time.h"
#include "events/codec/sealing.h"
#include "events/log/log_errors.h"

namespace berth::controller::api {
namespace {

using projections::AnswerKind;
using projections::RequestRow;

RequestAnswer failed(Problem problem) {
  RequestAnswer answer;
  answer.problem = std::move(problem);
  return answer;
}

Problem conflict() {
  return make_problem("idempotency-conflict", "this idempotency key was used for another request",
                      "use a new key for a new request");
}

// `asked`: unset where the request was answered before, maybe by another server.
Problem expired(const RequestRow& row, std::optional<Timestamp> asked) {
  const std::string decided = "decided at " + format_second(row.answered_at) + " by the cluster's time";
  return make_problem(
      "request-expired",
      asked ? "the request was asked at " + format_second(*asked) + " and " + decided + ": too late"
            : "the request was " + decided + ": too late",
      "the log was away or far behind in between; ask again with a new Idempotency-Key");
}

// What the row says to a request of that body. A row without a hash answers whatever was asked.
RequestAnswer from_row(const RequestRow& row, const RequestHash& hash, Offset position,
                       std::optional<Timestamp> asked = {}) {
  RequestAnswer answer;
  answer.row = row;
  answer.position = position;
  if (row.body_hash != Hash128{} && hash != RequestHash{row.body_hash, row.keyed}) {
    answer.problem = conflict();
  } else if (row.answer == AnswerKind::kRefused) {
    answer.problem = make_problem(row.code, row.message, row.hint);
    answer.problem->position = position;
  } else if (row.answer == AnswerKind::kExpired) {
    answer.problem = expired(row, asked);
    answer.problem->position = position;
  }
  return answer;
}

Problem unknown_outcome() {
  return make_problem("outcome-unknown",
                      "the journal has not answered in time; the request may be carried out, now or later",
                      "retry with the same Idempotency-Key: it is carried out once at most");
}

// The same for each try of one request, on each server: the answer of the first one is found.
std::string id_when_sealed_anew(const std::string& id) {
  return std::string(as_view(blake2b_128("sealed anew:" + id)));
}

}  // namespace

struct Asker::Asked {
  std::string actor;
  Uuid id;
  RequestHash hash;
  Timestamp sent = 0;  // the cluster's time as heard here
  Done done;
  AnswerBoard::Ticket ticket = 0;
};

std::optional<RequestAnswer> Asker::answered_before(const v1::Request& request, const RequestHash& hash) {
  std::optional<RequestAnswer> answer;
  const auto id = Uuid::from_bytes(request.id());
  context_.with_state([&](const StateView& view) {
    const RequestRow* row =
        view.state.requests.find(RequestRow::make_key(request.actor(), id.value_or(Uuid{})));
    if (row != nullptr) answer = from_row(*row, hash, view.position);
  });
  if (answer) answer->replayed = true;
  return answer;
}

void Asker::ask(v1::Request request, Done done, const SealAnew& seal_anew) {
  if (!seal_anew && request.request_session().spec().env().empty())
    return ask_sealed(std::move(request), std::move(done));
  ask_sealed(request, [this, request, done, seal_anew](const RequestAnswer& answer) {
    if (!answer.problem || answer.problem->code != kSealKeyDestroyed) return done(answer);
    v1::Request again = request;
    again.set_id(id_when_sealed_anew(request.id()));
    if (seal_anew) seal_anew(again);
    ask_sealed(std::move(again), done);
  });
}

void Asker::ask_sealed(v1::Request request, Done done) {
  const Uuid nonce[] = {context_.new_id(), context_.new_id()};
  context_.environments().seal(
      request, (std::string(nonce[0].view()) + std::string(nonce[1].view())).substr(0, kSealNonceBytes));
  auto asked = std::make_shared<Asked>();
  asked->actor = request.actor();
  asked->id = Uuid::from_bytes(request.id()).value_or(Uuid{});
  asked->hash = request_hash(request);
  asked->sent = from_wire_ms(request.sent_ms());
  if (const auto before = answered_before(request, asked->hash)) return done(*before);
  asked->done = std::move(done);
  asked->ticket = board_->wait_answer(
      asked->actor, asked->id, limits_.answer,
      [this, asked](std::optional<AnswerRecord> record) { asked->done(answer_of(*asked, record)); });
  // The log may call back when this Asker is gone; the board then says that nobody waits.
  const auto submitted =
      context_.submit(request, [board = std::weak_ptr(board_), asked](const AppendResult& result) {
        if (const auto alive = board.lock()) appended(*alive, *asked, result);
      });
  if (!submitted.ok() && board_->cancel(asked->ticket)) asked->done(failed(to_problem(submitted.error())));
}

void Asker::appended(AnswerBoard& board, const Asked& asked, const AppendResult& result) {
  if (result.state != AppendState::kFailed) return;  // unknown: it may be in the log, so go on waiting
  if (!board.cancel(asked.ticket)) return;
  const Code code = result.error.code.empty() ? kLogUnavailable : result.error.code;
  Problem problem = make_problem(code, result.error.message, "retry with the same Idempotency-Key");
  if (problem.status == 400) problem.status = 503, problem.retry_after_s = 1;
  asked.done(failed(std::move(problem)));
}

RequestAnswer Asker::answer_of(const Asked& asked, const std::optional<AnswerRecord>& record) {
  if (!record) return failed(unknown_outcome());
  std::optional<RequestAnswer> answer;
  context_.with_state([&](const StateView& view) {
    const RequestRow* row = view.state.requests.find(RequestRow::make_key(asked.actor, asked.id));
    if (row != nullptr) answer = from_row(*row, asked.hash, record->offset, asked.sent);
  });
  if (answer) return *answer;
  if (record->internal_error)
    return failed(make_problem("internal-error", "the controller failed on this request and set it aside",
                               "report it with the journal's position"));
  return failed(unknown_outcome());
}

v1::Request request_of(const Services& services, const Call& call) {
  v1::Request request;
  request.set_id(std::string(call.id.view()));
  request.set_actor(call.caller.actor());
  if (call.trace) request.set_trace(to_traceparent(context_within(call)));
  stamp_times(services.context, request);
  *request.mutable_owner() = owner_of(call.caller);
  if (const Uuid& id = call.caller.browser_session; !id.is_nil())
    request.set_browser_session(std::string(id.view()));
  return request;
}

v1::Owner owner_of(const Caller& caller) {
  v1::Owner owner;
  owner.set_domain(caller.domain);
  owner.set_project(caller.project);
  owner.set_user(caller.user);
  if (caller.producer.empty()) owner.set_keypair(caller.access_key);
  return owner;
}

std::string read_reason(Query& query) {
  std::string reason = query.text("reason", 200).value_or("");
  if (has_control_character(reason))
    query.fail("invalid-parameter", "reason", "has a control character", "plain text alone");
  return reason;
}

void ask_with_body(const Services& services, const CallPtr& call, const Reply& reply,
                   const std::function<void(v1::Request&, const boost::json::object& body, Errors&)>& fill,
                   std::function<HttpReply(const RequestAnswer&)> make, const Asker::SealAnew& seal_anew) {
  const auto body = body_of(*call);
  if (!body.ok()) return reply(problem_reply(to_problem(body.error()), *call));
  Errors errors;
  Query query(call->target, errors);
  v1::Request request = request_of(services, *call);
  request.set_reason(read_reason(query));
  query.finish();
  fill(request, *body, errors);
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  ask_and_reply(services, call, reply, request, std::move(make), seal_anew);
}

void ask_and_reply(const Services& services, const CallPtr& call, const Reply& reply,
                   const v1::Request& request, std::function<HttpReply(const RequestAnswer&)> make,
                   const Asker::SealAnew& seal_anew) {
  const Clock& clock = services.context.clock();
  call->asked = clock.now().boottime;
  const auto answered = [call, reply, &clock, make = std::move(make)](const RequestAnswer& answer) {
    call->answered = clock.now().boottime;
    HttpReply out = answer.problem ? problem_reply(*answer.problem, *call) : make(answer);
    if (answer.replayed) out.set("Idempotency-Replayed", "true");
    reply(std::move(out));
  };
  services.asker.ask(request, answered, seal_anew);
}

}  // namespace berth::controller::api
