// SessionSpans: spans of sessions and of calls of the API, for an exporter (ADR 0096).
//
//   POST /v1/sessions            server; below what the client named
//     decide                     asked of the journal until it was answered
//     session                    requested until it ended
//       pending, start, run      once an attempt: in the queue; placed until all kernels run; until they end
//
// A session's spans are made of the row alone as the leader's node folds it, each when it is over: their ids
// are derived, and a new leader goes on where the old one stopped.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "controller/api/routes/call.h"
#include "controller/runtime/sessions/session_watch.h"
#include "events/otlp/span.h"

namespace berth::controller {

using TakeSpan = std::function<void(Span)>;  // quick

class SessionSpans final : public SessionWatch {
 public:
  // What was over before `since` (header time) makes no span. `tells`: false: another node makes them.
  SessionSpans(Timestamp since, std::function<bool()> tells, TakeSpan take)
      : since_(since), tells_(std::move(tells)), take_(std::move(take)) {}
  void begin(Timestamp since) { since_ = since; }

  void on_session(const projections::State& state, const projections::SessionRow* before,
                  const projections::SessionRow* after) override;
  void on_record(const v1::Record&) override {}

 private:
  std::atomic<Timestamp> since_;
  const std::function<bool()> tells_;
  const TakeSpan take_;
};

// Of a call that has an id of a span; none of machines that ask all the time: probes, scrapes, streams.
void take_spans_of(const api::Call& call, unsigned status, const Instant& now, const TakeSpan& take);

}  // namespace berth::controller
