// EventHub: the newest part of the journal in memory, for all watchers; older parts are read from the log.
//
// A record is encoded once, when the first watcher needs it, and all watchers share its bytes. A watcher
// pulls, so a slow watcher costs no memory: when the ring has moved on, the watcher reads from the log until
// it has caught up.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controller/api/api_context.h"
#include "controller/api/http/http.h"
#include "controller/api/http/personal_counts.h"
#include "controller/api/http/turns.h"
#include "controller/api/http/workers.h"
#include "controller/api/live/answer_board.h"
#include "controller/api/live/watched_row.h"
#include "controller/api/map/event_json.h"
#include "controller/api/map/session_lookup.h"
#include "projections/rights.h"

namespace berth::controller::api {

struct EncodedEvent {
  EventId id;
  std::string type;
  std::string noun;  // noun_of(): what it is about; of a scan() alone, empty in streams
  std::string actor;
  std::optional<SessionId> session;
  std::vector<std::string>
      kernel_ids;         // 16 bytes each, of SessionScheduled: their later events are the session's
  std::string kernel_id;  // of a kernel's own event
  v1::Owner subject;      // whose it is
  std::optional<projections::Actor> changed;  // the rights of a user from this event on
  std::optional<RightsChange> signs_out;      // whom
  bool ends_share = false;                    // of the session
  // Of a session that was preempted: for which, and whose that is.
  std::optional<SessionId> preemptor;
  v1::Owner preemptor_owner;
  // `frame`: "id: ...\nevent: ...\ndata: ...\n\n".
  struct Text {
    std::shared_ptr<const boost::json::object> json;
    Frame frame;
  };
  Text text;
  Text without_preemptor;  // for who may not see that one; the other where it was not preempted
};
using EncodedRecord = std::vector<EncodedEvent>;

// Which events a watcher gets.
struct EventFilter {
  std::optional<SessionId> session;
  std::set<std::string> types;    // empty: all
  std::set<std::string> nouns;    // of a scan() alone; empty: all
  std::set<std::string> actors;   // empty: all; "controller" is who asks for nobody
  std::string asked_by;           // the actor; empty: all
  std::set<std::string> kernels;  // of the session, as its events name them
  v1::Owner session_owner;
  // Who reads, by which rights. They are those of position `rights_at`: what later events say changes them.
  // Nothing: all of it.
  std::optional<projections::Actor> seen_by;
  Caller reader;
  Offset rights_at = 0;
  Timestamp until = 0;  // wall time when the reader is signed out by itself; 0: never
  // Whether the session is shared with the actor, as the state is now. The hub sets it.
  std::function<bool(const projections::Actor&, const SessionId&)> is_shared;

  bool wants(const EncodedEvent& event);
  // The code of why nothing from this event on is for the reader; nullptr: it goes on.
  Code ended_by(const EncodedEvent& event) const;
  // REQUIRES: wants(event)
  const EncodedEvent::Text& text_of(const EncodedEvent& event) const;
  // Whether it must be known whose an event is.
  bool asks_whose() const;
  // All kernels that the session has had, in whichever attempt: their ids follow of its roles and of the
  // elections in which it was placed.
  void add_kernels(const projections::SessionRow& session);
  void add_kernels(const std::vector<KernelId>& ids);

 private:
  bool changes_rights(const EncodedEvent& event) const;
  bool sees(const projections::Actor& actor, const EncodedEvent& event) const;
};

struct WatchFrom {
  Offset offset = 0;             // first record
  std::optional<EventId> after;  // events up to this one are left out
  std::optional<Offset> to;      // last record
};

class Watcher;

// Thread-safe. Must outlive its streams. `quick` runs short tasks, `turns` the tasks that read the log, by
// the turns of who watches.
class EventHub final : public JournalListener {
 public:
  struct Limits {
    std::size_t ring_records = 16'384;
    std::chrono::milliseconds keep_alive{15'000};
  };
  EventHub(ApiContext& context, AnswerBoard& board, Workers& quick, Turns& turns, Limits limits)
      : context_(context), board_(board), quick_(quick), turns_(turns), limits_(limits) {}

  // Begins to listen: the context calls the hub until stop().
  void start();
  // No more calls; every stream ends.
  void stop();

  void on_applied(const JournalRecord& record) override;
  void on_position(Offset position) override;
  // Every stream ends with an error: what it showed may be gone.
  void on_rebuilt(Offset next) override;

  std::shared_ptr<FrameStream> watch(const WatchFrom& from, EventFilter filter);

  struct Page {
    std::vector<std::shared_ptr<const boost::json::object>> events;
    std::optional<EventId> next;  // go on behind this event; nullopt: there is no more now
  };
  // Reads until `limit` events are found, or to the end. Blocks.
  Result<Page> page(const WatchFrom& from, EventFilter filter, std::size_t limit);

  // One reading of the log on from `at`, at most up to before `end`. Blocks.
  struct Scan {
    std::vector<EncodedEvent> events;  // for the reader
    Offset next = 0;                   // go on from here; `at`: there is nothing yet
    Code ended;                        // the code of why nothing behind these is for the reader
  };
  Result<Scan> scan(Offset at, Offset end, EventFilter& filter);
  // So many exports may run at once, in all and of a person; the token of one.
  static constexpr std::size_t kExportsMax = 8, kExportsOfPersonMax = 2;
  // Codes: too-many-streams, too-many-requests.
  Result<std::shared_ptr<void>> begin_export(const std::string& person);
  void tell_shares_to(EventFilter& filter);

  std::size_t watchers() const;

 private:
  friend class Watcher;
  struct Slot {
    JournalRecord record;
    std::once_flag once;
    EncodedRecord encoded;
  };
  // Up to `most` records of the ring, from `from` on; nullopt: the ring does not reach back so far.
  std::optional<std::vector<std::shared_ptr<Slot>>> recent(Offset from, std::size_t most);
  const EncodedRecord& encoded(Slot& slot);
  v1::Owner past_owner(const SessionId& session);
  // `past`: looks up whose the sessions are that left the state, which may block.
  EncodedRecord encode(const JournalRecord& record, bool past);
  void find_past_owners(EncodedRecord& record);
  // Calls `wake` once, soon after the position differs from `seen` or the hub stops.
  void when_news(std::optional<Offset> seen, std::function<void()> wake);
  enum class Life : std::uint8_t { kGoesOn, kStopped, kRebuilt };
  // Of a stream that began after so many rebuilds.
  Life life_of(std::uint64_t rebuilds) const;
  void forget(const Watcher* watcher);
  void news();
  void wake_all();

  ApiContext& context_;
  AnswerBoard& board_;
  Workers& quick_;
  Turns& turns_;
  const Limits limits_;
  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<Slot>> ring_;
  Offset ring_from_ = 0;  // every applied record from here on is in the ring
  std::vector<std::function<void()>> waiting_;
  bool wake_planned_ = false;
  bool stopped_ = false;
  std::uint64_t rebuilds_ = 0;
  std::map<const Watcher*, std::weak_ptr<Watcher>> watchers_;
  PersonalCounts exports_{kExportsMax, kExportsOfPersonMax};
};

}  // namespace berth::controller::api
