// Why a session waits, or would wait: the explanation that the API ships.
//
// The cause is the recorded reason (P19) with the amounts as of now, from the state alone. The place in the
// queue and what would let the session start come from the scheduler's model; each of these answers is proved
// by a run of the scheduler that is undone.
#pragma once

#include <optional>

#include "controller/answers/start_estimates.h"
#include "controller/answers/types.h"
#include "controller/answers/unblock.h"
#include "controller/feed/cluster_feed.h"

namespace berth::controller {

// What an answer is worked out from. An answer changes the cluster of `feed` while it is worked out, and
// undoes the change. REQUIRES: the cluster of `feed` equals `state`.
struct AnswerContext {
  const projections::State& state;
  ClusterFeed& feed;
  StartEstimates& estimates;
  Timestamp now = 0;
  const SeesSession& sees;  // the answer names no other sessions
};

// Empty for unknown sessions and for those that do not wait; `code` is empty when nothing keeps the session
// waiting. Of a RESERVED session: the sessions that make room for it. Of a session that was preempted and
// does not run again yet: the session that took its place. The estimated start is noted, to be compared with
// what comes.
Explanation why(const AnswerContext& context, const SessionId& session);

// The same of a session that is only tried: it stands in the queue of the cluster, but not in the state.
// `added`: what counts under limits beside the state. `name`: names of sessions, tried ones included.
Explanation why_tried(const AnswerContext& context, const projections::SessionRow& tried,
                      const projections::UsageBook& added, const placement::NameSession& name);

// When a session is expected to start; nullopt unless it waits for room. The estimate is noted, as by why().
std::optional<StartEstimate> estimate_start(const AnswerContext& context, const SessionId& session);

// The names of the sessions in the state, as far as the asker may see them.
placement::NameSession visible_names(const AnswerContext& context);

}  // namespace berth::controller
