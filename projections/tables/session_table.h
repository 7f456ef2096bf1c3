// Sessions: what users asked for, and where it stands.
//
// The status follows from the session's flags and its kernels' states alone (status_of in fold_sessions.cc).
// A session takes the next state of a start when all its kernels have:
//
//             SessionRequested
//                   |              SessionReserved ->
//                   v             <- SessionUnreserved
//    +---------> PENDING --------------------------------- RESERVED    (others are preempted for it,
//    |              |    SessionCancelled, from either        |         its places are held)
//    |              +----------------> CANCELLED <------------+
//    |              | SessionScheduled, from either           |
//    |              v                                         |
//    |              +<----------------------------------------+
//    |          SCHEDULED -> PREPARING -> PULLING -> PREPARED -> CREATING -> RUNNING
//    |              |            |           |          |            |          |     (states may be skipped)
//    |              +------------+-----------+----------+------------+----------+
//    |                                       | SessionTerminating, or a kernel's end
//    |                                       v
//    |                                   TERMINATING --all kernels ended--> TERMINATED (result: batch only)
//    |
//    |  SessionRequeued     a start failed, an agent is lost or its lease is over and the session may be
//    |                      requeued, or it was preempted (SessionRequeued that names the preemptor: from any
//    state with kernels)
//    +------------------- RESCHEDULING (until all its kernels have ended)
//                              | SessionFailed (attempts used up)
//                              +--------------------------------> ERROR
//
// A session that waits because its agent was lost ends as TERMINATED where that agent comes back, before the
// session is placed again, with the result of its main1 (KernelTerminated, once more).
//
// RESERVED waits as PENDING does (it is in the queue, counts as pending, may be cancelled or time out) and
// takes no slots. Slots are taken from SCHEDULED on and come free kernel by kernel at KernelTerminated only.
// TERMINATED, CANCELLED and ERROR are ends: an ended session leaves this table for history kHistoryAfter of
// header time later (P18).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "events/base/clock.h"
#include "events/base/uuid.h"
#include "events/schema/v1/common.pb.h"
#include "projections/tables/held_place.h"
#include "projections/tables/position.h"

namespace berth::projections {

enum class SessionStatus : std::uint8_t {
  kPending = 1,
  kReserved,
  kScheduled,
  kPreparing,
  kPulling,
  kPrepared,
  kCreating,
  kRunning,
  kTerminating,
  kRescheduling,
  kTerminated,
  kCancelled,
  kError,
};
const char* name_of(SessionStatus status);  // "PENDING"
bool is_end(SessionStatus status);
// PENDING or RESERVED.
inline bool is_waiting(SessionStatus status) {
  return status == SessionStatus::kPending || status == SessionStatus::kReserved;
}

enum class SessionResult : std::uint8_t { kNone = 0, kSuccess, kFailed };
const char* name_of(SessionResult result);  // "", "SUCCESS", "FAILED"

// Part of the rules: changing one of these raises kRules.
inline constexpr Duration kHistoryAfter = 10 * kMinute;  // R of P18
inline constexpr Duration kFailedOnFor = kHour;
inline constexpr std::size_t kFailedOnMax = 8;
inline constexpr std::size_t kPlacedInMax = 16;

// What was asked for, shared by all sessions with equal specs (parts/spec_pool.h).
struct SharedSpec {
  v1::SessionSpec spec;
  std::string bytes;  // its canonical form
};
using SpecPtr = std::shared_ptr<const SharedSpec>;

struct SharedOwner {
  v1::Owner owner;
  std::string bytes;
  // Keys of the limits that bind the owner (limits.h); empty where the owner has no such scope.
  std::array<std::string, 4> scopes;
};
using OwnerPtr = std::shared_ptr<const SharedOwner>;

// Of canonical bytes. Null: they are damaged.
SpecPtr load_spec(const std::string& bytes);
OwnerPtr load_owner(const std::string& bytes);

// A Sealed environment as canonical bytes, shared by the sessions of one request. Null: there is none.
using SealedPtr = std::shared_ptr<const std::string>;

struct SessionRow {
  using Key = SessionId;
  static constexpr std::uint8_t kTable = 1;

  SessionId id;
  std::string name;
  OwnerPtr owner;
  SpecPtr spec;
  std::string actor;         // who asked
  Uuid request;              // idempotency key of the request
  Position created;          // position of SessionRequested: arrival order
  Timestamp created_at = 0;  // header times, ns
  Timestamp scheduled_at = 0;
  Timestamp running_at = 0;
  Timestamp ended_at = 0;
  SessionStatus status = SessionStatus::kPending;
  SessionResult result = SessionResult::kNone;
  Code reason_code;  // why it waits; later: why it ended
  std::string reason_slot;
  std::string message;               // for people, of a failed start; or what a user said who ended it
  std::uint32_t attempt = 0;         // current placement, counts from 1
  std::uint32_t attempts = 0;        // failed starts (the give-up counter)
  std::uint32_t retries = 0;         // refusals as the blocking head (skip-after-n alone)
  bool terminating = false;          // SessionTerminating applied
  bool forced = false;               // shown as ended before the slots are free (P25)
  bool rescheduling = false;         // requeued or failed once all kernels have ended
  std::vector<KernelId> kernel_ids;  // of the current attempt, main1 first
  std::uint32_t kernels_ended = 0;
  std::int32_t exit_code = 0;          // of main1, once it ended
  std::vector<SessionId> unmet;        // sessions that it depends on and that have not ended in SUCCESS
  std::vector<HeldPlace> places;       // of RESERVED: where it will stand, main1 first
  SessionId preemptor;                 // the session that it made room for, until it is placed again
  std::vector<FailedStart> failed_on;  // newest last, at most kFailedOnMax
  Timestamp requeued_at = 0;           // when it last went back to the queue
  SealedPtr environment;               // outside of the spec, which many share
  Timestamp not_before = 0;            // while it waits after a failed start: 0, or the next try
  // Of `preemptor`, which may leave the state before this row does. Null: there is none.
  OwnerPtr preemptor_owner;
  std::string trace;  // W3C traceparent that its request came with; may be empty
  // Nonces of the elections whose leaders placed it, newest last, at most kPlacedInMax: the ids of its
  // kernels, of earlier attempts too, follow of them.
  std::vector<Uuid> placed_in;
  // Of the attempt whose agent was lost, while the session waits for the next: its kernels, main1 first, and
  // when it was placed and ran. Its agent may come back with the result (P24).
  std::vector<KernelId> lost_kernels;
  Timestamp lost_scheduled_at = 0;
  Timestamp lost_running_at = 0;

  // Whether its slots come free without any further decision.
  bool is_leaving() const { return terminating || rescheduling || kernels_ended > 0; }
  Key key() const { return id; }
  template <class V> void fields(V& v) {
    v(1, id);
    v(2, name);
    spec_and_owner(v);
    v(5, actor);
    v(6, request);
    v(7, created);
    v(8, created_at);
    v(9, scheduled_at);
    v(10, running_at);
    v(11, ended_at);
    v(12, status);
    v(13, result);
    v(14, reason_code);
    v(15, reason_slot);
    v(16, message);
    v(17, attempt);
    v(18, attempts);
    v(19, retries);
    v(20, terminating);
    v(21, forced);
    v(22, kernel_ids);
    v(23, kernels_ended);
    v(24, exit_code);
    v(25, rescheduling);
    v(26, unmet);
    v(27, places);
    v(28, preemptor);
    v(29, failed_on);
    v(30, requeued_at);
    sealed(v);
    v(32, not_before);
    owner_of_preemptor(v);
    v(34, trace);
    v(35, placed_in);
    v(36, lost_kernels);
    v(37, lost_scheduled_at);
    v(38, lost_running_at);
  }

 private:
  // Fields 3 and 4. Decoding makes copies of its own, unless the decoder shares them (parts/loaded_parts.h).
  template <class V> void spec_and_owner(V& v) {
    if constexpr (requires { v.fail(); }) {  // decoding
      std::string owner_bytes, spec_bytes;
      v(3, owner_bytes);
      v(4, spec_bytes);
      if constexpr (requires { v.parts(); }) {
        owner = v.parts().owner(owner_bytes);
        spec = v.parts().spec(spec_bytes);
      } else {
        owner = load_owner(owner_bytes);
        spec = load_spec(spec_bytes);
      }
      if (!owner || !spec) v.fail();
    } else {
      if (owner) v(3, owner->bytes);
      if (spec) v(4, spec->bytes);
    }
  }
  // Field 33.
  template <class V> void owner_of_preemptor(V& v) {
    if constexpr (requires { v.fail(); }) {  // decoding
      std::string bytes;
      v(33, bytes);
      if (bytes.empty()) return;
      if constexpr (requires { v.parts(); })
        preemptor_owner = v.parts().owner(bytes);
      else
        preemptor_owner = load_owner(bytes);
      if (!preemptor_owner) v.fail();
    } else {
      if (preemptor_owner) v(33, preemptor_owner->bytes);
    }
  }
  // Field 31.
  template <class V> void sealed(V& v) {
    if constexpr (requires { v.fail(); }) {  // decoding
      std::string bytes;
      v(31, bytes);
      if (bytes.empty()) return;
      if constexpr (requires { v.parts(); })
        environment = v.parts().sealed(std::move(bytes));
      else
        environment = std::make_shared<const std::string>(std::move(bytes));
    } else {
      if (environment) v(31, *environment);
    }
  }
};

// Reason codes of ends.
namespace end_reason {
inline constexpr Code kUserRequested = "user-requested";
inline constexpr Code kPendingTimeout = "pending-timeout";
inline constexpr Code kBatchTimeout = "batch-timeout";
inline constexpr Code kKernelEnded = "kernel-ended";
inline constexpr Code kStartFailed = "start-failed";
inline constexpr Code kGaveUp = "gave-up";
inline constexpr Code kAgentLost = "agent-lost";
inline constexpr Code kLeaseOver = "lease-over";
inline constexpr Code kMachineStopped = "machine-stopped";
inline constexpr Code kDependencyFailed = "dependency-failed";
inline constexpr Code kPreempted = "preempted";
inline constexpr Code kPreempting = "preempting";  // of a RESERVED session: no end yet
}  // namespace end_reason

// "domain/D", "project/D/P", "user/U", "keypair/K".
std::array<std::string, 4> scopes_of(const v1::Owner& owner);

// Number of kernels that the spec asks for.
std::uint32_t kernel_count(const v1::SessionSpec& spec);

}  // namespace berth::projections
