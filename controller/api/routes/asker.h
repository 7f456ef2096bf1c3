// Asker: appends a request and calls back with the journal's answer (P11, P13). No thread waits meanwhile.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "controller/api/routes/call.h"
#include "events/codec/request_hash.h"
#include "events/schema/v1/request.pb.h"

namespace berth::controller::api {

// What the journal says to a request.
struct RequestAnswer {
  std::optional<Problem> problem;  // the request was refused, or the outcome is not known
  projections::RequestRow row;     // else: the request's row
  Offset position = 0;             // a position at which the answer is in force
  bool replayed = false;           // the idempotency key was answered before this call
};

class Asker {
 public:
  struct Limits {
    std::chrono::milliseconds answer{
        10'000};  // then 504 outcome-unknown; a client that retries for 30 s gets the answer
  };
  Asker(ApiContext& context, std::shared_ptr<AnswerBoard> board, Limits limits)
      : context_(context), board_(std::move(board)), limits_(limits) {}

  using Done = std::function<void(const RequestAnswer&)>;
  // Replaces the boxes of a request by ones of the key that seals now.
  using SealAnew = std::function<void(v1::Request&)>;
  // `done` is called once, on a worker thread or before this returns. The environment in the request is
  // sealed before anything of it leaves (P29). Where its boxes came to the leader when their key was
  // destroyed, the request is sealed anew and asked again, once, under an id that follows from its own.
  void ask(v1::Request request, Done done, const SealAnew& seal_anew = {});

 private:
  struct Asked;
  void ask_sealed(v1::Request request, Done done);
  std::optional<RequestAnswer> answered_before(const v1::Request& request, const RequestHash& hash);
  static void appended(AnswerBoard& board, const Asked& asked, const AppendResult& result);
  RequestAnswer answer_of(const Asked& asked, const std::optional<AnswerRecord>& record);

  ApiContext& context_;
  const std::shared_ptr<AnswerBoard> board_;
  const Limits limits_;
};

// A request of this call, complete but for the body: id, actor, trace, times; the owner is the caller.
v1::Request request_of(const Services& services, const Call& call);

v1::Owner owner_of(const Caller& caller);

// Asks, and replies with the answer's problem if it has one, else with `make` of the answer.
void ask_and_reply(const Services& services, const CallPtr& call, const Reply& reply,
                   const v1::Request& request, std::function<HttpReply(const RequestAnswer&)> make,
                   const Asker::SealAnew& seal_anew = {});

// ?reason=: why, in the caller's words; it stands in the events.
std::string read_reason(Query& query);

// As ask_and_reply(), for a request that `fill` makes of the body. ?reason= is the only query parameter.
void ask_with_body(const Services& services, const CallPtr& call, const Reply& reply,
                   const std::function<void(v1::Request&, const boost::json::object& body, Errors&)>& fill,
                   std::function<HttpReply(const RequestAnswer&)> make,
                   const Asker::SealAnew& seal_anew = {});

}  // namespace berth::controller::api
