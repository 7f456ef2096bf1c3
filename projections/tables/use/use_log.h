// UseLog: which amounts begin and end to be held, to be waited for and to be there, as rows change.
//
// A slot is held from SessionScheduled to the confirmed end or fence of its kernel (P24), waited for while
// its session is PENDING or RESERVED, and there while its agent is ALIVE. Off until start(), so that only the
// fold whose changes somebody takes keeps them. A copy is off.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "projections/tables/agent_table.h"
#include "projections/tables/kernel_table.h"
#include "projections/tables/session_table.h"

namespace berth::projections {

enum class UseKind : std::uint8_t { kHeld = 1, kWaiting = 2, kCapacity = 3 };

// An amount of a device, or, where `device` is empty, of what belongs to none.
struct UsePart {
  std::string device;
  std::string slot;
  Amount amount = 0;
  bool operator==(const UsePart&) const = default;
  template <class V> void fields(V& v) {
    v(1, device);
    v(2, slot);
    v(3, amount);
  }
};

struct UseChange {
  UseKind kind = UseKind::kHeld;
  bool begins = false;
  OwnerPtr owner;  // null of capacity
  std::string group;
  std::string agent;  // empty of what is waited for
  std::vector<UsePart> parts;
  bool got_its_place = false;  // of a wait that ended so
  Duration waited = 0;         // of it, by header times
};

class UseLog {
 public:
  UseLog() = default;
  UseLog(const UseLog&) {}
  UseLog& operator=(const UseLog&) = delete;

  void start() { on_ = true; }
  void on_row(const SessionRow* before, const SessionRow* after);
  void on_row(const AgentRow* before, const AgentRow* after);
  void held(const KernelRow& kernel, bool begins);

  // Since the last call, in order.
  std::vector<UseChange> take() { return std::exchange(changes_, {}); }
  // The record is void: what its events changed is undone.
  void drop() { changes_.clear(); }

 private:
  bool on_ = false;
  std::vector<UseChange> changes_;
};

}  // namespace berth::projections
