// What the plain scheduler calls impossible: it finds no place with nobody else there, on agents that all
// take sessions.
#pragma once

#include "tests/unit/placement/plain_reason.h"
#include "tests/unit/placement/plain_select.h"

namespace berth::placement::testing {

// The same agents, empty.
inline PlainBooks plain_empty(const PlainBooks& books) {
  PlainBooks empty = books;
  empty.sessions.clear();
  empty.tried.clear();
  empty.later.clear();
  empty.policy.select = Select::kConcentrated;
  for (auto& [id, agent] : empty.agents) {
    agent.used.clear();
    agent.containers = 0;
    agent.schedulable = true;
    agent.draining = false;
    for (DeviceSpec& device : agent.devices) device.used.clear();
  }
  return empty;
}

// kNone: it could be placed some day. The slot is that of the first kernel that no agent could hold alone.
inline Reason plain_never(const PlainBooks& books, PendingSpec session) {
  if (books.agents.empty()) return {};
  PlainBooks empty = plain_empty(books);
  session.session_group = {};
  session.failed_on.clear();
  if (!plain_find(empty, session, 0).empty()) return {};
  if (session.mode == Mode::kSingleNode)
    return {Code::kNever, plain_reason(empty, session, session.kernels).slot};
  for (KernelSpec kernel : session.kernels) {
    kernel.count = 1;
    PendingSpec alone = session;
    alone.kernels = {kernel};
    if (plain_find(empty, alone, 0).empty())
      return {Code::kNever, plain_reason(empty, alone, alone.kernels).slot};
  }
  return {Code::kNever, kNoSlot};
}

}  // namespace berth::placement::testing
