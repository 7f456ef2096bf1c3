// ApiContext: all that the HTTP API needs of the process around it. The runtime implements it; tests fake it.
//
// Every method is thread-safe and called from several threads. What may block is said so: those are called on
// the API's worker threads, never on its I/O threads.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "events/base/clock.h"
#include "events/base/hash.h"
#include "events/base/refusal.h"
#include "events/log/event_log.h"
#include "events/schema/v1/record.pb.h"
#include "events/schema/v1/request.pb.h"
#include "projections/fold/fold.h"
#include "projections/store/store.h"
#include "projections/tables/state.h"

namespace berth::controller {

// The fold of the journal as read back (never a leader's optimistic state, P11), at `position`.
struct StateView {
  const projections::State& state;
  Offset position = 0;  // offset of the last record that was read, applied or void
  bool any = false;     // false: nothing was read yet, position means nothing
};

// A record of the journal as read back and applied; void ones are never shown.
struct JournalRecord {
  Offset offset = 0;
  std::shared_ptr<const v1::Record> record;
};

struct JournalPage {
  std::vector<JournalRecord> records;  // in offset order
  Offset next = 0;                     // go on from here: > every offset looked at, void ones included
};

// Told of what was read back, on the runtime's folding thread, after the StateView shows it and in offset
// order. Must be quick.
class JournalListener {
 public:
  virtual ~JournalListener() = default;
  // An applied record.
  virtual void on_applied(const JournalRecord& record) = 0;
  // The view's position is now `position` (at least once per batch read; void records move it too).
  virtual void on_position(Offset position) = 0;
};

// One slot that keeps a session waiting, in amounts as of now (P19).
struct Lacking {
  std::string slot;
  Amount asked = 0;      // of one kernel
  Amount best_free = 0;  // the most that a single place has free: a device for device slots, else an agent
  std::string where;     // that place, "a1/gpu0" or "a1"; empty: no place has this slot at all
};

struct Holder {
  SessionId session;
  std::string name;
  std::string user;
  std::string agent;
  std::string device;  // empty for slots that belong to no device
  std::string slot;
  Amount amount = 0;
};

// What would let a session start; each is proved by a run of the scheduler. Sets are minimal, alternatives to
// each other.
struct UnblockSets {
  std::vector<std::string> lines;              // as people read them
  std::vector<std::vector<SessionId>> ends;    // it starts if these end
  std::vector<std::vector<SessionId>> leaves;  // it starts if these, who wait before it, leave the queue
  bool complete = false;                       // false: the bound of the search ended it, there may be more
  bool proved = true;  // false: the cell is too large to run its scheduler for an answer; there are no sets
};

// Whether the one who asks may know of this session.
using SeesSession = std::function<bool(const projections::SessionRow&)>;

// One limit that it would pass if it started now; a plain number where `is_count`, else an amount of the slot
// `what`.
struct LimitInTheWay {
  std::string scope;  // "user"
  std::string id;     // "alice"
  std::string what;   // "cuda.shares", "sessions"
  Amount used = 0;
  Amount asked = 0;
  Amount limit = 0;
  bool is_count = false;
};

// A session that must end in SUCCESS first.
struct Unmet {
  SessionId session;
  std::string name;    // empty where it has left the state
  std::string status;  // "RUNNING"; "GONE" where it has left the state
  std::string result;  // "FAILED" or empty
};

// When a waiting session is expected to start, as told of so many of 100 cases, and how often that came true
// of those who were told.
struct StartEstimate {
  struct Percentile {
    int percent = 50;
    std::optional<Timestamp> at;     // nothing: it cannot be known
    std::uint64_t told = 0;          // of all sessions that have started since
    std::uint64_t met_permille = 0;  // of those: at the latest then
    std::string none;                // why `at` is nothing: "ends-unknown", "bound", "not-waiting"
  };
  std::vector<Percentile> percentiles;
};

struct Explanation {
  std::string code;  // "no-device"; empty: nothing keeps it waiting
  std::string slot;
  std::string text;  // one line
  std::string hint;  // what would lift it
  std::vector<Lacking> lacking;
  std::vector<Holder> holders;
  std::vector<LimitInTheWay> limits;  // of every scope, whatever `code` is
  std::vector<Unmet> unmet;
  SessionId blocked_by;              // of behind-head
  std::uint32_t queue_position = 0;  // from 1 among the group's pending ones, in the order of the next pass
  UnblockSets unblock;
  std::optional<StartEstimate> start;  // of one that waits for room
};

// One session of a request that is only tried, not asked.
struct WouldStart {
  struct Kernel {
    std::string kernel;  // "main1"
    std::string agent;
    std::vector<projections::DeviceShare> devices;
  };
  std::string name;
  std::optional<bool>
      starts;  // at the next pass; nothing: not known (the cell is too large to try its order)
  std::vector<Kernel> kernels;  // where, if it starts
  std::vector<std::string>
      preempts;  // sessions that would have to go for it first, those that the viewer may see
  std::size_t preempts_count = 0;  // all of them
};

struct DryRunAnswer {
  std::optional<Refusal> refusal;    // as the request itself would get it
  std::vector<WouldStart> sessions;  // else: in order
  std::optional<Explanation> why;    // of the first that does not start
  std::string waiting;               // its name
  std::string note;  // what limits the answer: a policy of one's own was not asked; else empty
};

struct LogRequest {
  std::string agent;
  std::string address;  // host:port of the agent's services
  KernelId kernel;
  std::uint32_t attempt = 0;
  std::int64_t offset = 0;  // negative: from the end
  std::uint32_t limit = 0;  // bytes
};

struct LogPage {
  std::uint64_t offset = 0;  // of the first byte
  std::uint64_t next = 0;
  bool end = false;  // the kernel has ended and nothing follows
  std::string bytes;
};

// Payloads as they lie in the journal, void ones too, in offset order; and what the log holds now.
struct RawJournalPage {
  Offset begin = 0;
  Offset end = 0;  // the next offset, durable
  std::vector<LogEntry> entries;
};

// What the fold does not hold.
struct ClusterFacts {
  Uuid cluster_id;
  std::string cluster = "berth";
  std::string cell = "c0";
  std::string version;
  std::string log;         // "local:..." or "kafka://...", without secrets
  std::string controller;  // this process's name
  bool leading = false;
  std::uint64_t voids = 0;
  Hash128 state_hash{};  // at `state_hash_position`
  Hash256 rolling_hash{};
  Offset position = 0;  // of both hashes
};

struct ReadyCheck {
  std::string name;  // "log", "leader", "projection"
  bool ok = false;
  std::string detail;
};

// What became of a request's append. `error` of kFailed: log-unavailable, controller-full (P20), stopping.
using SubmitDone = std::function<void(const AppendResult&)>;

class ApiContext {
 public:
  virtual ~ApiContext() = default;

  // Runs `read` under a shared lock: keep it short, copy what is needed, call nothing of the ApiContext from
  // it.
  virtual void with_state(const std::function<void(const StateView&)>& read) = 0;

  // Stamps nothing: `request` is complete (id, actor, times, owner, body). Signs, appends to `requests`,
  // calls `done` once on any thread. Errors here: controller-full, stopping (then `done` is never called).
  // Does not block.
  virtual Result<void> submit(const v1::Request& request, SubmitDone done) = 0;

  // At most one listener; nullptr removes it and returns only when no call is under way.
  virtual void set_journal_listener(JournalListener* listener) = 0;
  // Applied records from `from` on, at most about the limits; an empty page with next == from: nothing there
  // yet. May block on I/O.
  virtual Result<JournalPage> read_journal(Offset from, std::size_t max_records, std::size_t max_bytes) = 0;
  // Payloads from `from` on, for readers that judge them themselves; none where `from` is not before the end.
  // May block on I/O.
  virtual Result<RawJournalPage> read_raw_journal(Offset /*from*/, std::size_t /*max_records*/,
                                                  std::size_t /*max_bytes*/) {
    return make_error("internal-error", "this process does not give out the raw journal");
  }

  // Sessions that left the state for history (P18). May block.
  virtual Result<std::optional<projections::HistoryEntry>> find_history(const SessionId& id) = 0;
  virtual Result<projections::HistoryPage> read_history(std::size_t limit, const std::string& token) = 0;

  // Of a session in the current view; code empty if it waits for nothing. Takes the state's lock itself. May
  // take milliseconds.
  virtual Result<Explanation> why(const SessionId& session, const SeesSession& sees) = 0;

  // Of a session in the current view that waits for room; as why().
  virtual Result<std::optional<StartEstimate>> estimate_start(const SessionId& /*session*/) {
    return std::optional<StartEstimate>();
  }

  // What would become of this request for sessions, complete as for submit(); nothing is asked of the log.
  // Else as why().
  virtual Result<DryRunAnswer> dry_run(const v1::Request& /*request*/, const SeesSession& /*sees*/) {
    return make_error("internal-error", "this process does not try requests");
  }

  // Whether this process could load the selection policy of that name; nothing: it could, or nobody here
  // knows. May block for a second.
  virtual std::optional<Refusal> check_policy(const std::string& /*name*/) { return std::nullopt; }

  // From the agent's services. May block. Errors: agent-unreachable, unknown-kernel.
  virtual Result<LogPage> kernel_log(const LogRequest& request) = 0;

  // The key of an agent that was enrolled at a generation, lower-case hex (P1).
  virtual Result<std::string> agent_key(const std::string& agent, std::uint32_t generation) = 0;

  virtual ClusterFacts facts() = 0;
  virtual std::vector<ReadyCheck> ready() = 0;
  // More lines in Prometheus' text form, appended to /metrics.
  virtual std::string metrics() { return {}; }

  virtual const Clock& clock() const = 0;
  virtual Uuid new_id() = 0;
};

}  // namespace berth::controller
