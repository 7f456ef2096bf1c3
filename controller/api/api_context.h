// ApiContext: all that the HTTP API needs of the process around it. The runtime implements it; tests fake it.
//
// Every method is thread-safe and called from several threads. What may block is said so: those are called on
// the API's worker threads, never on its I/O threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "controller/answers/types.h"
#include "controller/api/node_facts.h"
#include "controller/api/row_listener.h"
#include "events/base/clock.h"
#include "events/base/hash.h"
#include "events/base/refusal.h"
#include "events/codec/environment_seal.h"
#include "events/codec/key_pair_seal.h"
#include "events/codec/password_seal.h"
#include "events/log/event_log.h"
#include "events/schema/v1/record.pb.h"
#include "events/schema/v1/request.pb.h"
#include "projections/fold/fold.h"
#include "projections/store/journal_follower.h"
#include "projections/store/past_state.h"
#include "projections/store/store.h"
#include "projections/tables/state.h"
#include "projections/views/usage_report.h"

namespace berth::controller {

namespace api {
class AppPassSeal;
}

// The fold of the journal as read back (never a leader's optimistic state, P11), at `position`.
struct StateView {
  const projections::State& state;
  Offset position = 0;                           // offset of the last record that was read, applied or void
  bool any = false;                              // false: nothing was read yet, position means nothing
  const projections::PastPoint* past = nullptr;  // the state is of then; null: of now
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
// order but for on_rebuilt(). Must be quick.
class JournalListener {
 public:
  virtual ~JournalListener() = default;
  // An applied record.
  virtual void on_applied(const JournalRecord& record) = 0;
  // The view's position is now `position` (at least once per batch read; void records move it too).
  virtual void on_position(Offset position) = 0;
  // The view was replaced by an older one, whose next record is `next`: the journal is not what was read
  // (P12). What was told from there on is void; the log's own records come again.
  virtual void on_rebuilt(Offset /*next*/) {}
};

struct LogRequest {
  std::string agent;
  std::string address;  // host:port of the agent's services
  KernelId kernel;
  std::uint32_t attempt = 0;
  std::int64_t offset = 0;  // negative: from the end
  std::uint32_t limit = 0;  // bytes
  bool ended = false;       // the journal has the kernel's end
};

struct LogPage {
  std::uint64_t offset = 0;  // of the first byte
  std::uint64_t next = 0;
  bool end = false;  // the kernel has ended and nothing follows
  std::string bytes;
};

using LogDone = std::function<void(Result<LogPage>)>;

// Where a kernel is.
struct KernelPlace {
  std::string agent;
  std::string address;  // host:port of the agent's services
  KernelId kernel;
  std::uint32_t attempt = 0;
};

// One channel into a kernel, as bytes both ways: the frames of its helper (events/inside/frames.h), or what
// an app there and its client say. Its destruction gives it up. Thread-safe; what it is given to call it
// calls once, on a thread of its own, and never within a call of this class.
class KernelChannel {
 public:
  virtual ~KernelChannel() = default;
  // The next bytes that came; none: the other side has ended. One read at a time. Code: agent-unreachable.
  virtual void read(std::function<void(Result<std::string>)> done) = 0;
  // `done` when the bytes are on their way. At most kWriteBytesMax bytes, one write at a time. Code as above.
  virtual void write(std::string bytes, std::function<void(Result<void>)> done) = 0;
  // Nothing is written any more; what the other side says still comes.
  virtual void finish() = 0;

  static constexpr std::size_t kWriteBytesMax = 256u << 10;
};

// A connection to an app, when it is there.
struct AppOpened {
  // Whoever shows it is let in by the app: it is for the proxy alone, and in no answer, log or event. Empty:
  // the app has none.
  std::string token;
};
using AppOpenedDone = std::function<void(Result<AppOpened>)>;

// A question about a folder's files, to an agent that has its volume.
struct FilesQuestion {
  std::string agent;
  std::string address;  // host:port of the agent's services
  std::string path;     // of to_path() (events/codec/file_service.h)
};

// What the agent says before the bytes of its answer.
struct FilesAnswer {
  std::optional<Error> refused;
  std::uint64_t offset = 0;  // of offset-differs
  std::string entry;         // of a read: a v1::FileEntry
};
using FilesAnswered = std::function<void(FilesAnswer)>;

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
  projections::ChainPoint point;                      // where the fold's hashes were taken last
  std::optional<projections::Truncation> truncation;  // of the journal, not yet accepted (P26)
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
  // The state has not come to the log's end since this server started, or since the state was made anew: what
  // it lacks says nothing.
  virtual bool catches_up() { return false; }

  // Stamps nothing: `request` is complete (id, actor, times, owner, body). Signs, appends to `requests`,
  // calls `done` once on any thread. Errors here: controller-full, stopping (then `done` is never called).
  // Does not block.
  virtual Result<void> submit(const v1::Request& request, SubmitDone done) = 0;

  // Seals and opens the environments of sessions (P29).
  virtual const EnvironmentSeal& environments() const = 0;
  // Seals and opens the secrets of key pairs.
  virtual const KeyPairSeal& key_pairs() const = 0;
  // Seals and opens the hashes of passwords.
  virtual const PasswordSeal& passwords() const = 0;
  // Seals and opens what lets browsers into apps.
  virtual const api::AppPassSeal& app_passes() const = 0;

  // The head key that follows `public_key`, signed by it (chain_head.h). Codes: those of HeadSigner::next.
  virtual Result<v1::HeadKeyChanged> next_head_key(const std::string& /*public_key*/,
                                                   const v1::Sealed& /*secret*/) {
    return make_error("internal-error", "this process makes no keys");
  }

  // The secret of that head key in a box of the key that seals now. Codes: those of HeadSigner::sealed_anew.
  virtual Result<v1::Sealed> head_sealed_anew(const std::string& /*public_key*/,
                                              const v1::Sealed& /*secret*/) {
    return make_error("internal-error", "this process holds no sealing keys");
  }

  // At most one listener; nullptr removes it and returns only when no call is under way.
  virtual void set_journal_listener(JournalListener* listener) = 0;
  // As above, of the rows of the state that with_state() shows.
  virtual void set_row_listener(RowListener* listener) = 0;
  // Applied records from `from` on, at most about the limits; an empty page with next == from: nothing there
  // yet. May block on I/O. Codes: log-unavailable (records are known to be there, and the log gives none),
  // log-truncated, those of LogReader.
  virtual Result<JournalPage> read_journal(Offset from, std::size_t max_records, std::size_t max_bytes) = 0;
  // Payloads from `from` on, for readers that judge them themselves; none where `from` is not before the end.
  // May block on I/O. Codes: as read_journal().
  virtual Result<RawJournalPage> read_raw_journal(Offset /*from*/, std::size_t /*max_records*/,
                                                  std::size_t /*max_bytes*/) {
    return make_error("internal-error", "this process does not give out the raw journal");
  }

  // Sessions that left the state for history (P18). May block.
  virtual Result<std::optional<projections::HistoryEntry>> find_history(const SessionId& id) = 0;
  virtual Result<projections::HistoryPage> read_history(std::size_t limit, const std::string& token) = 0;
  // The newest of that name; `user` empty: of anybody.
  virtual Result<std::optional<projections::HistoryEntry>> find_history_by_name(const std::string& user,
                                                                                const std::string& name) = 0;

  // The state as of a moment, rebuilt. `done` is called once, at once or on another thread; quick. Codes:
  // future-moment, before-the-log, past-pruned, past-busy, past-unavailable, stopping, those of EventLog.
  virtual void past_state(const projections::PastMoment& /*moment*/, projections::PastDone done) {
    done(make_error("past-unavailable", "this process keeps no past"));
  }
  // How far a state that is asked for is, in percent, if that is known.
  virtual std::optional<int> past_percent(const projections::PastMoment& /*moment*/) { return std::nullopt; }
  // The moments that can be asked for. May block on I/O. Codes: as above.
  virtual Result<projections::PastBounds> past_bounds() {
    return make_error("past-unavailable", "this process keeps no past");
  }

  // What was held, waited for and there, up to the newest record. May block on I/O for seconds. Codes: those
  // of usage_report().
  virtual Result<projections::UsageReport> usage(const projections::UsageQuestion& /*question*/) {
    return make_error("internal-error", "this process keeps no usage");
  }

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

  // Of sessions that were asked for: a line for people if no agent could ever hold one, else empty. Quick;
  // takes the state's lock itself.
  virtual std::string never_warning(const v1::SessionSpec& /*spec*/) { return {}; }

  // Whether this process could load the selection policy of that name; nothing: it could, or nobody here
  // knows. May block for a second.
  virtual std::optional<Refusal> check_policy(const std::string& /*name*/) { return std::nullopt; }

  // From the agent's services. Does not block; `done` is called once, on any thread. Errors: those of
  // AgentClient.
  virtual void kernel_log(const LogRequest& request, LogDone done) = 0;

  // Does not block; writes may begin before it is open. `opened` is called as the channel's calls are.
  // Errors: agent-unreachable, agent-timeout, agent-answer-invalid, and the agent's own, e.g. unknown-kernel.
  virtual std::shared_ptr<KernelChannel> open_channel(const KernelPlace& kernel,
                                                      std::function<void(Result<void>)> opened) = 0;
  // As open_channel(), to where an app of the kernel listens; `app`: its name, or the number of a port.
  // Errors also: port-not-open, no-such-app, app-ended.
  virtual std::shared_ptr<KernelChannel> open_app(const KernelPlace& kernel, const std::string& app,
                                                  AppOpenedDone opened) = 0;

  // As open_channel(), without a limit on the time until the answer; what is read of the channel is the body
  // of the agent's answer. `answered` is called once. Codes: agent-unreachable, agent-answer-invalid, and the
  // agent's own (agents/services/file_route.h).
  virtual std::shared_ptr<KernelChannel> ask_files(const FilesQuestion& question, FilesAnswered answered) = 0;

  // The key of an agent that was enrolled at a generation, lower-case hex (P1).
  Result<std::string> agent_key(const std::string& agent, std::uint32_t generation) {
    return writer_key("agent:" + agent, generation);
  }
  // The same of any writer: "producer:web".
  virtual Result<std::string> writer_key(const std::string& writer, std::uint32_t generation) = 0;

  virtual ClusterFacts facts() = 0;
  // The chain point of the newest record folded, with its state hash. May block for seconds. Errors:
  // not-ready, stopping.
  virtual Result<projections::ChainPoint> chain_point_now() = 0;
  // Of this process alone. May block on I/O. Error: state-unwritable.
  virtual Result<void> accept_truncation() = 0;
  virtual std::vector<ReadyCheck> ready() = 0;
  // What this process logs: "trace", "debug", "info", "warning", "error". It is in no event:
  // each node has its own.
  virtual std::string log_level() { return "info"; }
  // Of log_level(); `lasts` 0: until it is changed again, else the level of now comes back after it.
  virtual Result<void> set_log_level(const std::string& /*level*/, Duration /*lasts*/) {
    return make_error("internal-error", "this process has no log");
  }
  // More lines in Prometheus' text form, appended to /metrics.
  virtual std::string metrics() { return {}; }
  // Counted and measured. May block on I/O.
  virtual NodeFacts node_facts() { return {}; }

  // Header time (P16) as last heard: of the newest record that applied, or of the leader's heartbeat, the
  // later one. nullopt: neither was heard yet. Quick; takes no lock.
  virtual std::optional<Timestamp> header_time() { return std::nullopt; }

  // The cluster's time (P16): header time as last heard, and what the boottime clock has counted since. Times
  // in the state are compared with it, never with a machine's wall clock, which may be wrong. Until a header
  // time was heard: the wall clock. Quick; takes no lock.
  virtual Timestamp now() const { return clock().now().wall; }
  virtual const Clock& clock() const = 0;
  virtual Uuid new_id() = 0;
};

// When a request is made (P16): by the cluster's time for its deadline, by the wall clock for a leader that
// cannot know yet whether its own is right.
inline void stamp_times(const ApiContext& context, v1::Request& request) {
  request.set_sent_ms(context.now() / kMillisecond);
  request.set_wall_ms(context.clock().now().wall / kMillisecond);
}

}  // namespace berth::controller
