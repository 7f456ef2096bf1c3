// A past decision of the scheduler and its steps, as values: names, no index of the scheduler's model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/base/amount.h"
#include "events/base/clock.h"
#include "events/base/uuid.h"
#include "events/log/event_log.h"
#include "events/schema/v1/record.pb.h"
#include "projections/tables/position.h"

namespace berth::controller {

// A placement as the log has it: an event of a record that applied.
struct RecordedDecision {
  Offset offset = 0;
  std::uint32_t index = 0;
  Timestamp time = 0;
  v1::Event event;  // SessionScheduled or SessionReserved

  bool is_held() const { return event.has_session_reserved(); }
  // Where its pass began; {} in records from before that was recorded.
  projections::Position pass() const;
  SessionId session() const;
};

// ---- the steps ----

// One session of the queue, in the order in which the pass found it.
struct QueueStep {
  std::size_t place = 0;  // from 1
  SessionId session;      // nil, and no name nor user: the asker may not see it
  std::string name;
  std::string user;
  std::int32_t priority = 0;
  std::size_t asked = 0;  // the how many-th the pass looked at by itself; 0: it never did
  enum class Outcome : std::uint8_t { kPlaced, kReserved, kHeldBack, kRefused, kBehindHead, kNotReached };
  Outcome outcome = Outcome::kNotReached;
  berth::Code code;  // of kHeldBack and kRefused
  std::string slot;
};
// "placed", "held-back"
constexpr const char* name_of(QueueStep::Outcome outcome) {
  switch (outcome) {
    case QueueStep::Outcome::kPlaced: return "placed";
    case QueueStep::Outcome::kReserved: return "reserved";
    case QueueStep::Outcome::kHeldBack: return "held-back";
    case QueueStep::Outcome::kRefused: return "refused";
    case QueueStep::Outcome::kBehindHead: return "behind-head";
    case QueueStep::Outcome::kNotReached: break;
  }
  return "not-reached";
}

struct RemovedAgent {
  std::string agent;
  std::string slot;  // the first that it lacks; empty: none is to blame
  Amount asked = 0;
  Amount missing = 0;
};
struct FilterStep {
  berth::Code code;
  std::string text;
  std::size_t count = 0;
  std::vector<RemovedAgent> removed;  // the first ones, by name
};
struct ScoreValue {
  std::string name;             // "unused", "free", "rise", ...
  std::string slot;             // of "free"
  std::optional<Amount> value;  // nullopt: the agent has no such slot
};
struct ScoredAgent {
  std::string agent;
  std::vector<ScoreValue> score;
};
struct SearchStep {
  std::string kernel;  // "main1"; of a single-node session the first of all
  std::size_t agents = 0;
  std::vector<FilterStep> filters;
  std::size_t remaining_count = 0;
  std::vector<ScoredAgent> remaining;  // the first ones, best first
  std::size_t ties = 0;                // as good as the best; the smallest name takes it
};

struct PastDecision {
  static constexpr std::size_t kOrderMax = 200;     // and the session itself
  static constexpr std::size_t kRemovedMax = 20;    // of each filter
  static constexpr std::size_t kRemainingMax = 20;  // of each search
  static constexpr std::size_t kSearchesMax = 8;

  SessionId session;
  std::string name;
  std::string user;
  std::string group;
  std::uint32_t attempt = 0;
  bool held = false;  // the place is held until its victims have left
  projections::Position pass;
  Timestamp pass_time = 0;
  std::string order, head_of_line, select;

  std::size_t order_count = 0;
  std::vector<QueueStep> queue;
  bool was_held = false;     // its place was held since an earlier pass: nothing is searched
  bool behind_head = false;  // backfill: the places must not delay the head
  std::vector<SearchStep> searches;
  std::size_t searches_count = 0;
  std::vector<SessionId> victims;  // that the asker may see
  std::size_t victims_count = 0;

  v1::Event again;     // the event that the pass gives now
  v1::Event recorded;  // the event that stands in the log
  bool equal = false;
};

// The record in which the pass began.
struct PassRecord {
  Offset offset = 0;
  v1::Record record;
};

}  // namespace berth::controller
