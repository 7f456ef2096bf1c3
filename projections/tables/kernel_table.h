// Kernels: one isolated unit of computation each, placed on one agent.
//
//   SessionScheduled
//        |
//        v
//    SCHEDULED -> PREPARING -> PULLING -> PREPARED -> CREATING -> RUNNING -> (stop ordered) -> TERMINATED
//        |            |           |          |            |          |                             ^
//        +------------+-----------+----------+------------+----------+-----------------------------+
//
// Within an attempt the state only moves forward, and may skip states. TERMINATED is final; in every other
// state the kernel holds its slots. PULLING may repeat (percent). A row exists from SessionScheduled until
// SessionRequeued or until its session leaves for history; that of a lost agent's kernel stays while its
// session waits (SessionRow::lost_kernels), and its end may be told once more: by the agent, with the result.
// TERMINATING is no state of a row: kernels of a TERMINATING session are shown so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/base/amount.h"
#include "projections/tables/session_table.h"

namespace berth::projections {

enum class KernelState : std::uint8_t {
  kScheduled = 1,
  kPreparing = 2,
  kPulling = 3,
  kPrepared = 4,
  kCreating = 5,
  kRunning = 6,
  kTerminated = 8,
};
const char* name_of(KernelState state);

// Whether a kernel may go from one state to the other, by all rules.
bool may_move(KernelState from, KernelState to);

struct KernelRow {
  using Key = KernelId;
  static constexpr std::uint8_t kTable = 2;

  KernelId id;
  SessionId session;
  std::uint32_t role = 0;   // index into spec->spec.roles()
  std::uint32_t index = 1;  // within the role
  std::uint32_t attempt = 1;
  std::string agent;
  std::vector<DeviceShare> devices;
  KernelState state = KernelState::kScheduled;
  std::uint32_t percent = 0;  // of PULLING
  Timestamp started_at = 0;   // as its agent said
  Timestamp ended_at = 0;
  std::int64_t pid = 0;   // on its agent
  std::uint32_t end = 0;  // v1::KernelEnd
  std::int32_t exit_code = 0;
  Code code;  // of a failed start
  std::string message;
  SpecPtr spec;    // its session's, not stored
  OwnerPtr owner;  // its session's, not stored

  Key key() const { return id; }
  template <class V> void fields(V& v) {
    v(1, id);
    v(2, session);
    v(3, role);
    v(4, index);
    v(5, attempt);
    v(6, agent);
    v(7, devices);
    v(8, state);
    v(9, percent);
    v(10, started_at);
    v(11, ended_at);
    v(12, pid);
    v(13, end);
    v(14, exit_code);
    v(15, code);
    v(16, message);
  }

  bool is_main() const { return role == 0 && index == 1; }  // its result is the session's
  const v1::RoleSpec& role_spec() const { return spec->spec.roles(static_cast<int>(role)); }
  bool holds_slots() const { return state != KernelState::kTerminated; }
  std::string hostname() const { return role_spec().role() + std::to_string(index); }  // "main1"
};

// The id that a kernel is placed under. It follows of the election's nonce too: a session that is decided
// again after the journal lost its tail has the id of before, and agents may still run what they were given
// then. No (kernel, attempt) comes again (P35).
KernelId derive_kernel_id(const SessionId& session, const Uuid& election, std::string_view role,
                          std::uint32_t index);

}  // namespace berth::projections
